"""Binning: every column as small whole numbers in the order of its values."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_cached

MISSING = np.uint16(65535)  # the code of NaN: a bin of its own
_MAX_CODES = 65534
MAX_LEVELS = 1024  # of a category column: a split keeps one bit for each


class Bins(NamedTuple):
    """A table as codes, and the values that each code stands for.

    With up to 65534 distinct values every one has a code of its own and `low` equals `high`;
    beyond that a code holds a run of neighbors.
    """

    codes: NDArray[np.uint16]  # (n_features, n_rows)
    low: NDArray[np.float64]  # the least value of each code, column after column
    high: NDArray[np.float64]  # the largest
    first: NDArray[np.int64]  # (n_features + 1,) where each column's codes start in them
    categorical: NDArray[np.bool_]  # (n_features,)


def bin_columns(X: NDArray[Any], categorical: NDArray[np.bool_], n_threads: int = 1) -> Bins:
    """Return the codes of a table, NaN allowed; those of categories, from 0 on, are kept."""
    n_rows, n_features = X.shape
    codes = np.empty((n_features, n_rows), np.uint16)

    def work(feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        column = np.ascontiguousarray(X[:, feature], dtype=np.float64)
        if categorical[feature]:
            levels = _keep_codes(column, codes[feature])
            return levels, levels
        low, high = _code_sorted(column, np.argsort(column), codes[feature])  # NaN come last
        return low, low if np.array_equal(low, high) else high

    values = list(run_threads(work, range(n_features), n_threads))
    first = np.concatenate([[0], np.cumsum([len(low) for low, _ in values])]).astype(np.int64)
    low = high = np.concatenate([part[0] for part in values])
    if any(part[1] is not part[0] for part in values):
        high = np.concatenate([part[1] for part in values])
    return Bins(codes, low, high, first, categorical)


def run_threads(work: Callable[[Any], Any], items: Any, n_threads: int) -> Iterator[Any]:
    """Map over items in their order, side by side if there is more than one thread."""
    if n_threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(work, items)


def any_missing(X: NDArray[Any]) -> bool:
    """Say whether a table holds NaN, of which a sum that is none needs no closer look."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(X.sum()) and np.isnan(X).any())


def check_levels(column: NDArray[Any]) -> int:
    """Return the number of levels of a column of categories, refusing too many."""
    levels = int(np.nanmax(column, initial=-1)) + 1
    if levels > MAX_LEVELS:
        raise ValueError(
            f"A column of categories must have at most {MAX_LEVELS} levels here, got "
            f"{levels}. Merge the rare ones."
        )
    return levels


def _keep_codes(column: NDArray[np.float64], out: NDArray[np.uint16]) -> NDArray[np.float64]:
    levels = check_levels(column)
    out[:] = np.where(np.isnan(column), MISSING, column).astype(np.uint16)
    return np.arange(levels, dtype=np.float64)


@njit_cached
def _code_sorted(column, order, out):
    """Write the codes of a column given its order; return the values they stand for."""
    n = len(column)
    while n > 0 and np.isnan(column[order[n - 1]]):
        n -= 1
        out[order[n]] = MISSING
    distinct = 1 if n > 0 else 0
    for i in range(1, n):
        if column[order[i]] != column[order[i - 1]]:
            distinct += 1
    # With too many distinct values, a code is closed once it holds its share of the rows.
    share = 0 if distinct <= _MAX_CODES else -(-n // _MAX_CODES)
    low = np.empty(min(distinct, _MAX_CODES), np.float64)
    high = np.empty_like(low)
    code, held = -1, share
    for i in range(n):
        value = column[order[i]]
        if i == 0 or (value != column[order[i - 1]] and held >= share):
            code += 1
            held = 0
            low[code] = value
        high[code] = value
        out[order[i]] = code
        held += 1
    return low[: code + 1].copy(), high[: code + 1].copy()
