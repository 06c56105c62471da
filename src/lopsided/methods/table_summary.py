"""What a fit must know of a whole table before it starts, gathered part by part."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import as_floats, check_labels, check_weight_range, fill_masked
from lopsided.methods._categories import as_pandas, category_levels, order_levels

__all__ = ["TableSummary", "check_part", "merge_summaries", "summarize_part"]

_HEAD = 64  # rows of each part that are kept as they are
_STEP = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits without a pattern
_FOLDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))  # splitmix64's shifts, factors
_LAST_FOLD = np.uint64(31)
_MAX_HEAD = 1024  # rows of the whole table that are


@dataclass(frozen=True)
class TableSummary:
    """Columns, levels and label totals of some parts of a table; parts add up.

    Attributes
    ----------
    names : tuple or None
        The names of the columns, None for arrays.
    n_columns : int
        Their number.
    levels : dict
        For each column of categories the weight of the rows of each level.
    orders : dict
        For each column of ordered categories its levels in their order.
    counts, weights : dict of int to number
        The rows of each label 1, 0 and -1, and their total sample weight.
    unweighted : bool
        Whether every row weighs 1.
    checksum : int
        A number of 64 bits that the order of rows does not change, and any other rows do:
        tables that differ share it once in 2**64.
    head : data frame or array
        Some rows as they came, for what a few rows can tell.
    """

    names: tuple[Any, ...] | None
    n_columns: int
    levels: dict[Any, Counter[Any]]
    orders: dict[Any, tuple[Any, ...]]
    counts: Counter[int]
    weights: Counter[int]
    unweighted: bool
    checksum: int
    head: Any

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(self.counts.values())

    @property
    def category_levels(self) -> dict[Any, tuple[Any, ...]]:
        """The levels with rows that count, as a fit of the whole table has them."""
        found = {}
        for name in self.names or ():
            if name in self.levels:
                used = {level for level, weight in self.levels[name].items() if weight > 0}
                known = self.orders.get(name) or order_levels(used)
                found[name] = tuple(level for level in known if level in used)
        return found

    def check(self, min_labeled: int = 1) -> None:
        """Refuse a table without labeled or without unlabeled rows that count."""
        n_labeled = self.counts[1] if self.weights[1] > 0 else 0
        if n_labeled < min_labeled:
            wanted = "one labeled positive" if min_labeled == 1 else f"{min_labeled} of them"
            raise ValueError(
                f"y must hold labeled positives (1) of a weight above 0, at least {wanted}, "
                f"got {n_labeled or 'none'} in {self.n_rows} rows. Label more rows."
            )
        if not self.weights[0] > 0:
            raise ValueError(
                "y must hold unlabeled rows (0) of a weight above 0 too, got none in "
                f"{self.n_rows} rows. Add the unlabeled rows."
            )

    def as_rows(self) -> TrainingRows:
        """Return one row for each label that weighs anything, which weighs as all of them."""
        labels = np.array([label for label in (0, 1, -1) if self.weights[label] > 0], np.int8)
        weight = np.array([self.weights[int(label)] for label in labels], np.float64)
        X = np.zeros((len(labels), self.n_columns))
        return TrainingRows(X, np.maximum(labels, 0), weight, labels == -1)

    def __add__(self, other: "TableSummary") -> "TableSummary":
        """Return the summary of the parts of both."""
        if not other.n_rows and not other.levels and other.names == self.names:
            return self
        self._check_columns(other)
        head = _join(self.head, other.head)
        return TableSummary(
            self.names,
            self.n_columns,
            {name: own + other.levels[name] for name, own in self.levels.items()},
            self.orders,
            self.counts + other.counts,
            self.weights + other.weights,
            self.unweighted and other.unweighted,
            (self.checksum + other.checksum) % 2**64,
            head[:: -(-len(head) // _MAX_HEAD)] if len(head) else head,
        )

    def _check_columns(self, other: "TableSummary") -> None:
        """Refuse parts that are not of one table."""
        if self.names != other.names or self.n_columns != other.n_columns:
            raise ValueError(_tell_columns(self, other))
        for name in {**self.levels, **other.levels}:
            if (name in self.levels) != (name in other.levels):
                raise ValueError(
                    f"Column {quote(name)} must be of one kind in all partitions, got "
                    "categories in some and numbers in others. Convert it with astype."
                )
            if self.orders.get(name) != other.orders.get(name):
                raise ValueError(
                    f"The ordered categories of column {quote(name)} must be the same in all "
                    "partitions, got others in some. Declare them once, with "
                    "astype(CategoricalDtype)."
                )


def merge_summaries(summaries: list[TableSummary]) -> TableSummary:
    """Return the summary of all parts, in their order."""
    return reduce(lambda one, other: one + other, summaries)


def summarize_part(X: Any, y: Any, sample_weight: Any = None) -> TableSummary:
    """Check one part of a table, which may hold no labeled row or no row, and sum it up."""
    X, labels, weight = check_part(X, y, sample_weight)
    levels = category_levels(X, takes_categories=True)
    is_frame = hasattr(X, "columns")
    numbers = _check_numbers(X.drop(columns=list(levels)) if is_frame else X)
    orders = {name: tuple(known) for name, known in levels.items() if X[name].cat.ordered}
    rows = np.arange(0, len(labels), max(1, -(-len(labels) // _HEAD)))
    return TableSummary(
        tuple(X.columns) if is_frame else None,
        X.shape[1],
        {name: _weigh_levels(X[name], weight) for name in levels},
        orders,
        Counter({label: int((labels == label).sum()) for label in (1, 0, -1)}),
        Counter({label: float(weight[labels == label].sum()) for label in (1, 0, -1)}),
        bool((weight == 1).all()),
        _checksum([labels, weight, *_codes_of(X, levels), *numbers.T]),
        _as_head(X.iloc[rows], numbers[rows], levels) if is_frame else X[rows],
    )


def check_part(
    X: Any, y: Any, sample_weight: Any = None
) -> tuple[Any, NDArray[np.int8], NDArray[np.float64]]:
    """Return a part's table, labels and weights; labels of a part need not be of two kinds."""
    X = as_pandas(X)
    # One row more, unlabeled: a part may lack what the table must have.
    labels = check_labels(np.append(np.asarray(y), 0), least=0, keep_reviewed=True)[:-1]
    if len(labels) != X.shape[0]:
        raise ValueError(
            f"X and y must have the same number of rows, got {X.shape[0]} and {len(labels)}."
        )
    if sample_weight is None or not len(labels):
        return X, labels, np.ones(len(labels))
    weight = _check_sample_weight(
        fill_masked(sample_weight), X, dtype=np.float64, ensure_non_negative=True
    )
    return X, labels, check_weight_range(weight)


def _check_numbers(X: Any) -> NDArray[np.float64]:
    values = _without_na(X) if hasattr(X, "columns") else None
    values = as_floats(X, "X") if values is None else values
    if np.isinf(values).any():
        raise ValueError("X must hold finite numbers or NaN, got infinity. Replace it by NaN.")
    return values


def _without_na(X: Any) -> NDArray[np.float64] | None:
    """Return a frame as floats with NaN for all that is missing, None if it is no numbers."""
    try:
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return None


def _as_head(X: Any, numbers: NDArray[np.float64], levels: Iterable[Any]) -> Any:
    """Return rows with all their numbers as floats, which any part can be joined to."""
    import pandas as pd

    known = [name for name in X.columns if name not in set(levels)]
    floats = dict(zip(known, numbers.T, strict=True))
    columns = {name: floats[name] if name in floats else X[name] for name in X.columns}
    return pd.DataFrame(columns, index=X.index, columns=X.columns)


def _codes_of(X: Any, levels: Iterable[Any]) -> list[NDArray[np.float64]]:
    """Return a number for each value of each column of categories, whatever is declared."""
    from pandas.util import hash_array

    hashed = []
    for name in levels:
        known = hash_array(np.asarray(X[name].cat.categories, dtype=object).astype(str))
        places = X[name].cat.codes.to_numpy()
        hashed.append(np.append(known >> np.uint64(12), 0)[places].astype(np.float64))
    return hashed


def _checksum(columns: list[NDArray[Any]]) -> int:
    """Return the sum of a number that is made of each row, all bits of it in their places.

    Each cell is mixed into those before it, until no bit of the result leans on one of the
    cell: else cells that move from row to row would leave the sum of rows as it was.
    """
    rows = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        rows ^= np.ascontiguousarray(column, dtype=np.float64).view(np.uint64)
        rows += _STEP
        _mix(rows)
    return int(rows.sum(dtype=np.uint64))


def _mix(numbers: NDArray[np.uint64]) -> None:
    """Spread each bit over all others, in place: the finalizer of splitmix64."""
    for shift, factor in _FOLDS:
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    numbers ^= numbers >> _LAST_FOLD


def _weigh_levels(column: Any, weight: NDArray[np.float64]) -> Counter[Any]:
    """Return the weight of the rows of each level that a column declares."""
    codes, levels = column.cat.codes.to_numpy(), column.cat.categories
    known = codes >= 0
    weights = np.bincount(codes[known], weight[known], minlength=len(levels))
    return Counter(dict(zip(levels, weights.tolist(), strict=True)))


def _join(one: Any, other: Any) -> Any:
    if not hasattr(one, "columns"):
        return np.concatenate([one, other])
    import pandas as pd

    return pd.concat([one.astype(object), other.astype(object)], ignore_index=True)


def _tell_columns(one: TableSummary, other: TableSummary) -> str:
    if one.names is None or other.names is None:
        return (
            f"All partitions must have {one.n_columns} columns as the first one, got "
            f"{other.n_columns} in another. Mend that partition."
        )
    missing = [name for name in one.names if name not in other.names]
    added = [name for name in other.names if name not in one.names]
    found = (
        f"one without {quote(missing[0])}"
        if missing
        else f"one with {quote(added[0])} as well"
        if added
        else "one with another order"
    )
    return f"All partitions must have the same columns, got {found}. Mend that partition."
