"""Levels of a category column as a learner sees them: those with rows, rare ones merged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LevelMap", "fit_level_map", "map_levels"]


@dataclass(frozen=True)
class LevelMap:
    """The code that each level of a column has in a fit.

    A level without rows there is missing; if levels are merged, the rare ones share the last
    code.
    """

    codes: NDArray[np.float64]  # (n_levels + 1,): NaN for a level without rows, and at the end
    n_codes: int

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which levels have rows."""
        return ~np.isnan(self.codes[:-1])

    def transform(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """Return the codes of a column of levels, NaN where one is missing.

        Parameters
        ----------
        column : ndarray of shape (n_rows,)
            Levels as whole numbers from 0, NaN allowed.
        """
        return self.codes[np.nan_to_num(column, nan=len(self.codes) - 1).astype(np.intp)]


def fit_level_map(
    column: NDArray[Any],
    n_levels: int,
    weight: NDArray[np.float64] | None = None,
    max_codes: int | None = None,
) -> LevelMap:
    """Learn which levels have rows, and which are so rare that they share a code.

    Codes follow the order of the levels. Where more than `max_codes` levels have rows, the
    heaviest keep codes of their own, the first ones of those that weigh alike, and all others
    share one: a known level, not a missing one.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
        Levels as whole numbers from 0, NaN allowed.
    n_levels : int
        How many levels the column may have.
    weight : ndarray of shape (n_rows,), optional
        Sample weights; a row of weight 0 does not count.
    max_codes : int or None, default=None
        How many codes there may be; None merges nothing.
    """
    counts = np.ones(len(column)) if weight is None else np.asarray(weight, np.float64)
    rows = ~np.isnan(column) & (counts > 0)
    weights = np.bincount(column[rows].astype(np.intp), counts[rows], minlength=n_levels)
    own = weights > 0
    rare = np.zeros(n_levels, bool)
    if max_codes is not None and own.sum() > max_codes:
        heaviest_first = np.argsort(-weights, kind="stable")
        rare[heaviest_first[max_codes - 1 :]] = True
        rare &= own
        own &= ~rare
    codes = np.full(n_levels + 1, np.nan)
    codes[:-1][own] = np.arange(own.sum())
    codes[:-1][rare] = own.sum()
    return LevelMap(codes, int(own.sum() + rare.any()))


def map_levels(X: NDArray[Any], maps: Mapping[int, LevelMap]) -> NDArray[Any]:
    """Return a table with the levels of some columns as the codes of their maps.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Left as it is.
    maps : mapping of int to LevelMap
        The position of each such column and its map.
    """
    if not maps:
        return X
    mapped = np.array(X)
    for position, found in maps.items():
        mapped[:, position] = found.transform(X[:, position])
    return mapped
