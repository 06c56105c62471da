"""Methods compared on a user's table."""

from collections.abc import Iterable
from typing import Any

from lopsided.model_selection import compare
from lopsided.model_selection.comparison import Comparison
from lopsided.workflow.roles import prepare

__all__ = ["compare_on_table"]


def compare_on_table(
    table: Any,
    label: str,
    *,
    methods: Iterable[str],
    prior: float | None = None,
    folds: int = 5,
    n_jobs: int | None = -1,
    random_state: int = 0,
    **options: Any,
) -> Comparison:
    """Clean a table and compare methods on it; see `lopsided.model_selection.compare`.

    Parameters
    ----------
    table, label, n_jobs, random_state, **options
        As for `lopsided.fit`.
    methods : iterable of str
        Names of the registry; the naive baseline is added.
    prior : float or None, default=None
        The share of positives, for methods that take one.
    folds : int, default=5
        Number of folds.
    """
    found = prepare(table, label, **options)
    return compare(
        list(methods),
        found.X,
        found.y,
        cv=folds,
        groups=found.groups,
        prior=prior,
        n_jobs=n_jobs,
        random_state=random_state,
    )
