"""One year to rank: the reports before it with what was known of them, and its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.model_selection import GroupTimeSeriesSplit
from lopsided_misstatement.label_delay import known_labels
from lopsided_misstatement.ratios import ITEMS, RATIOS

__all__ = ["COLUMNS", "YearFold", "keep_complete", "list_years", "make_fold"]

_PUBLISHED = tuple(name for name in RATIOS if name != "ch_fcf")  # what the authors' models see
COLUMNS = {
    "ratios": RATIOS,
    "items": ITEMS,
    "published": (*ITEMS, *_PUBLISHED),
    "all": (*ITEMS, *RATIOS, "sic", "state"),
}
_SPAN = 3  # training years of most models


class YearFold(NamedTuple):
    """Training rows of a panel, their labels as known, and the rows of the year to rank."""

    year: int
    train: Any
    y: NDArray[np.int8]
    test: Any

    def features(self, columns: Sequence[str]) -> tuple[Any, Any]:
        """Return some columns of both as they are, for trees and what winsorizes by itself."""
        return self.train[list(columns)], self.test[list(columns)]

    def winsorized_features(self, columns: Sequence[str]) -> tuple[Any, Any]:
        """Return some columns of both, ratios inside the 1 and 99 % quantiles of training."""
        train, test = self.features(columns)
        ratios = [name for name in columns if name in RATIOS and name != "issue"]
        low, high = train[ratios].quantile(0.01), train[ratios].quantile(0.99)
        return tuple(
            frame.assign(**frame[ratios].clip(low, high, axis=1)) for frame in (train, test)
        )


def make_fold(
    panel: Any, year: int, rule: str, span: int | None = _SPAN, gap: int = 0
) -> YearFold:
    """Return what a model may see of the years before one, and that year.

    It is trained on `span` years, None for all, with `gap` years left out after them, and on
    labels as the rule of `known_labels` has them. With a gap, misstatements of cases that go
    on into the year to rank are unknown: they would give its firms away.
    """
    splitter = GroupTimeSeriesSplit([year], span, gap)
    rows, test = next(splitter.split(panel, groups=panel["fyear"]))
    # By year, whatever the order of the panel: the last rows are those of the last year.
    train = panel.iloc[rows].sort_values("fyear", kind="stable")
    y = known_labels(train, year, rule)
    if gap and "case_end" in train:
        y = np.where(train["case_end"].to_numpy() >= year, 0, y).astype(np.int8)
    if y.sum() < 2:
        raise ValueError(
            f"To rank {year}, at least 2 misstatements of the years before must be known, got "
            f"{int(y.sum())} by the rule {rule!r}. Leave that year out."
        )
    return YearFold(year, train, y, panel.iloc[test])


def keep_complete(panel: Any) -> Any:
    """Return the rows without a missing value, as the authors do.

    `ch_fcf` does not count, nor does a column that is empty in all rows.
    """
    there = panel[[*ITEMS, *_PUBLISHED, "sic", "state"]].notna()
    there = there.loc[:, there.any()]
    kept = panel[there.all(axis=1)].reset_index(drop=True)
    if not len(kept):
        emptiest = there.mean().sort_values().index[:3]
        raise ValueError(
            f"A panel must have rows without missing values, got none: {', '.join(emptiest)} "
            "are missing most often. Keep all rows (--all-rows), or leave these columns empty."
        )
    return kept


def list_years(panel: Any) -> list[int]:
    """Return the years that have three years before them, and misstatements."""
    first = int(panel["fyear"].min()) + _SPAN
    positives = panel.groupby("fyear")["misstated"].sum()
    years = [int(year) for year, count in positives.items() if year >= first and count > 0]
    if not years:
        raise ValueError(
            f"A panel must have a year with misstatements after {_SPAN} others, got "
            f"{panel['fyear'].min()} to {panel['fyear'].max()} with "
            f"{int(positives.sum())} misstatements. Add years."
        )
    return years
