"""From a table to its model, and from a table to its ranking."""

from collections.abc import Iterable, Mapping
from typing import Any

from lopsided._validation import check_count
from lopsided.methods.registry import check_ranks
from lopsided.priors import Beta
from lopsided.priors.registry import choose_prior
from lopsided.workflow.estimators import fit_estimator
from lopsided.workflow.findings import find_trouble, warn_of_problems
from lopsided.workflow.model import N_REASONS, TableModel
from lopsided.workflow.ranked import RankedTable
from lopsided.workflow.reasons import find_typical
from lopsided.workflow.roles import prepare
from lopsided.workflow.tables import read_frame
from lopsided.workflow.training import TrainingTable

__all__ = ["fit", "rank"]


def fit(
    table: Any,
    label: str,
    *,
    positive: str | None = None,
    negative: str | None = None,
    id: str | None = None,
    group: str | None = None,
    drop: str | Iterable[str] = (),
    types: Mapping[str, str] | None = None,
    decimal: str | None = None,
    day_first: bool | None = None,
    method: str = "focused",
    prior: float | None = None,
    label_frequency: Beta | None = None,
    n_jobs: int | None = -1,
    random_state: int = 0,
) -> TableModel:
    """Learn from a table as it is: text, dates, amounts, blanks, labels of any kind.

    What will hurt, such as a column that gives the label away, is warned of; `findings` of the
    model has it too, beside what is good to know.

    Parameters
    ----------
    table : data frame or path
        A pandas, polars or pyarrow table, or a file that `read_table` reads.
    label : str
        The column that marks labeled positives.
    positive, negative : str or None, default=None
        Its values for labeled positives, 1 or true by default, and for rows that were reviewed
        and found to be negative, -1 by default.
    id : str or None, default=None
        The column that names rows; None numbers them from 1.
    group : str or None, default=None
        The column of what belongs together, such as the customer of a claim: no group is both
        learned from and judged by.
    drop : str or iterable of str, default=()
        Columns to leave out.
    types : mapping of str to str or None, default=None
        What columns are, where the guess is wrong; see `TableCleaner`.
    decimal : {".", ","} or None, default=None
        The decimal sign of numbers that are written as text; None is what each column shows.
    day_first : bool or None, default=None
        Whether 1/2/25 is the first of February; None is what each column shows.
    method : str, default="focused"
        A name of `lopsided.list_methods`.
    prior : float or None, default=None
        The share of positives in the table, if it is known.
    label_frequency : Beta or None, default=None
        What is believed of the share of the positives that are labeled, such as
        `Beta.around(0.05)`: the prior is estimated with it. None is a weak belief in half.
    n_jobs : int or None, default=-1
        Threads; -1 is all.
    random_state : int, default=0
        Seed.

    Returns
    -------
    TableModel

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> claims = pd.DataFrame({"amount": [f"${x:,.2f}" for x in rng.lognormal(6, 1, 300)]})
    >>> claims["branch"] = rng.choice(["north", "south"], 300)
    >>> claims["fraud"] = np.where(rng.random(300) < 0.1, "yes", "")
    >>> model = fit(claims, "fraud", positive="yes", method="focused-fast")
    >>> [column.kind for column in model.cleaner.columns_]
    ['number', 'category']
    """
    check_ranks(method)
    given = choose_prior(prior, label_frequency)
    random_state = check_count(random_state, "random_state", 0)
    found = prepare(
        table,
        label,
        positive=positive,
        negative=negative,
        id=id,
        group=group,
        drop=drop,
        types=types,
        decimal=decimal,
        day_first=day_first,
    )
    roles, X, y, groups = found.roles, found.X, found.y, found.groups
    findings = find_trouble(found.frame, roles, found.cleaner, X, y)
    warn_of_problems(findings)
    estimator, scores = fit_estimator(
        X, y, method, prior=given, groups=groups, n_jobs=n_jobs, random_state=random_state
    )
    ids, named = roles.ids(found.frame), roles.id is not None
    return TableModel(
        roles,
        found.cleaner,
        method,
        estimator,
        TrainingTable.start(X, ids, y, scores, groups, named),
        findings,
        given if isinstance(given, float) else None,
        random_state,
        typical=find_typical(estimator, found.cleaner, X),
        label_frequency=label_frequency,
    )


def rank(
    table: Any,
    label: str,
    *,
    top: int | None = None,
    reasons: int | None = N_REASONS,
    **options: Any,
) -> RankedTable:
    """Rank the unlabeled rows of a table, with scores, probabilities and reasons.

    Parameters
    ----------
    table : data frame or path
        As for `lopsided.fit`.
    label : str
        The column that marks labeled positives.
    top : int or None, default=None
        Only the first rows; None is all.
    reasons : int or None, default=100
        For how many of the first rows to say which columns lift them; None is all.
    **options
        As for `lopsided.fit`: positive, negative, id, group, drop, types, method, prior,
        label_frequency, n_jobs, random_state.

    Returns
    -------
    RankedTable
        A data frame: rank, id, score (log-odds of being positive by a model that has not seen
        the row), probability, reasons, and the row's own columns. Its `model` can be kept.

    Examples
    --------
    >>> import pandas as pd
    >>> import lopsided
    >>> from lopsided.datasets import load
    >>> data = load("digits-8")
    >>> frame = pd.DataFrame(data.X, columns=data.feature_names).assign(known=data.y_true)
    >>> frame.loc[900:, "known"] = 0
    >>> ranked = lopsided.rank(frame, "known", method="focused-fast", top=50, reasons=0)
    >>> bool(data.y_true[ranked["id"] - 1].mean() > 0.7)
    True
    """
    frame = read_frame(table)
    model = fit(frame, label, **options)
    ranking = model.rank(frame, top=top, reasons=reasons)
    ranking.model = model
    return ranking
