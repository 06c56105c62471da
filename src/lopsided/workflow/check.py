"""A look at a table before anything is fitted: what is in it, and what will hurt."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lopsided.workflow.findings import Finding, find_silence, find_trouble
from lopsided.workflow.roles import prepare
from lopsided.workflow.sentences import count
from lopsided.workflow.tables import TableCleaner

__all__ = ["TableCheck", "check"]


@dataclass(frozen=True)
class TableCheck:
    """What a table holds; `str` says it in lines.

    Attributes
    ----------
    counts : dict of int to int
        Rows that are labeled (1), unlabeled (0) and reviewed negatives (-1).
    cleaner : TableCleaner
        Fitted on the table; `describe` tells how each column is read.
    findings : tuple of Finding
        What will hurt, and what is good to know.

    Examples
    --------
    >>> import lopsided
    >>> from lopsided.datasets import make_claims
    >>> roles = {"label": "status", "positive": "confirmed", "negative": "cleared"}
    >>> found = lopsided.check(make_claims(200).table, id="claim_no", **roles)
    >>> found.counts
    {1: 2, 0: 192, -1: 6}
    >>> print(found.problems[0].text.partition(":")[0])
    Only 2 rows are labeled
    """

    counts: Mapping[int, int]
    cleaner: TableCleaner
    findings: tuple[Finding, ...]

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What will hurt."""
        return tuple(one for one in self.findings if one.level == "problem")

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        return {
            "rows": {
                "labeled": self.counts[1],
                "unlabeled": self.counts[0],
                "reviewed": self.counts[-1],
            },
            "columns": [asdict(one) for one in self.cleaner.columns_],
            "findings": [asdict(one) for one in self.findings],
        }

    def __str__(self) -> str:
        n_rows = sum(self.counts.values())
        lines = [
            f"{count(n_rows, 'row')}: {count(self.counts[1], 'labeled positive')}, "
            f"{count(self.counts[-1], 'reviewed negative')}, {self.counts[0]} unlabeled.",
            "",
            self.cleaner.describe(),
            "",
        ]
        for level, title in (("problem", "What will hurt"), ("note", "Good to know")):
            own = [f"- {one}" for one in self.findings if one.level == level]
            if own:
                lines += [f"{title}:", *own, ""]
        if not self.problems:
            lines.append("Nothing was found that will hurt.")
        return "\n".join(lines).rstrip()


def check(table: Any, label: str, *, n_jobs: int | None = -1, **options: Any) -> TableCheck:
    """Look at a table before anything is fitted.

    Found are columns that give the label away, ids, duplicates, few labels, values that may be
    verdicts, cells that cannot be read, and labels of which the columns say nothing.

    Parameters
    ----------
    table : data frame or path
        As for `lopsided.fit`.
    label : str
        The column that marks labeled positives.
    n_jobs : int or None, default=-1
        Threads; -1 is all.
    **options
        As for `lopsided.fit`: positive, negative, id, group, drop, types, decimal, day_first.

    Returns
    -------
    TableCheck

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> claims = pd.DataFrame({"amount": rng.lognormal(6, 1, 300)})
    >>> claims["fraud"] = (claims["amount"] > 1000) & (rng.random(300) < 0.5)
    >>> claims["closed by"] = np.where(claims["fraud"], "fraud desk", "")
    >>> [one.text.split(":")[0] for one in check(claims, "fraud").problems]
    ["Column 'closed by' gives the label away"]
    """
    found = prepare(table, label, **options)
    counts = {kind: int((found.y == kind).sum()) for kind in (1, 0, -1)}
    trouble = find_trouble(found.frame, found.roles, found.cleaner, found.X, found.y)
    silence = find_silence(found.X, found.y, found.groups, n_jobs)
    return TableCheck(counts, found.cleaner, (*trouble, *silence))
