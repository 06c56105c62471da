"""Inputs for learners that add up columns: numbers of one scale, nothing missing."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.methods._normal_scores import NormalScores, fit_normal_scores

__all__ = ["Ends", "Inputs", "fit_inputs"]

_LARGEST = 3.4e38  # the largest number in single precision
_KNOTS = 256  # of a bent column
_FAR = 3.0  # normal scores beyond are no news


class Ends(NamedTuple):
    """Where columns of numbers end, and their medians, which stand for missing values."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    middle: NDArray[np.float64]


@dataclass(frozen=True)
class Inputs:
    """How raw columns become inputs: standardized, imputed with flags, one for each category.

    Columns of numbers may be bent first, so that their training values are normal, or have
    their ends brought in. Numbers come first, a missing one as the mean, or as the median where
    ends are brought in; then a flag for each column that had missing values in training; then a
    column for each level of each category, all 0 if it is missing.
    """

    means: NDArray[np.float64]  # of the columns of numbers
    scales: NDArray[np.float64]
    numbers: NDArray[np.intp]  # their positions
    flagged: NDArray[np.intp]  # positions of the columns with a flag
    levels: dict[int, int]  # position of each category column and its number of levels
    bends: tuple[NormalScores, ...] = ()  # of the columns of numbers, or none
    ends: Ends | None = None  # of the columns of numbers, or none

    @property
    def n_columns(self) -> int:
        """How many inputs come out."""
        return len(self.numbers) + len(self.flagged) + sum(self.levels.values())

    def transform(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return the inputs of some rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            As in training, NaN allowed, categories as codes.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
        """
        values = _brought_in(_numbers(X, self.numbers), self.ends)
        values = (_bent(values, self.bends) - self.means) / self.scales
        parts = [np.nan_to_num(values, nan=0.0), np.isnan(X[:, self.flagged]).astype(float)]
        for position, n_levels in self.levels.items():
            parts.append((X[:, [position]] == np.arange(n_levels)).astype(float))
        return np.hstack(parts)

    def by_column(self, values: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Return one number for each raw column: the sum over the inputs that come from it.

        Parameters
        ----------
        values : ndarray of shape (n_columns,)
            One number for each input.
        n_features : int
            How many raw columns there are.
        """
        sources = [*self.numbers, *self.flagged]
        for position, n_levels in self.levels.items():
            sources += [position] * n_levels
        columns = np.array(sources, np.intp)
        return np.bincount(columns, values, minlength=n_features).astype(np.float64)


def fit_inputs(
    X: NDArray[Any],
    levels: dict[int, int] | None = None,
    weight: Any = None,
    bend: bool = False,
    tails: float | None = None,
) -> Inputs:
    """Learn means and scales from training rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        NaN allowed, categories as codes.
    levels : dict of int to int, optional
        Positions of category columns and their numbers of levels.
    weight : ndarray of shape (n_rows,), optional
        Sample weights; 2 counts a row twice.
    bend : bool, default=False
        Whether to bend each column of numbers so that its values are normal: no outlier then
        outweighs the others, and the order of the values is all that matters.
    tails : float or None, default=None
        The share of the values at each end of a column that are moved to where the others end
        (winsorized); a missing value is then the median, which minds outliers as little.
    """
    levels = {} if levels is None else levels
    numbers = np.setdiff1d(np.arange(X.shape[1]), list(levels)).astype(np.intp)
    values = _numbers(X, numbers)
    flagged = numbers[np.isnan(values).any(axis=0)]
    ends = None if tails is None else _fit_ends(values, weight, tails)
    values = _brought_in(values, ends)
    bends: tuple[NormalScores, ...] = ()
    if bend:
        bends = tuple(_fit_bend(column, weight) for column in values.T)
        values = _bent(values, bends)
    missing = np.isnan(values)
    # Squares of very small numbers would vanish, and no column's size matters here.
    sizes = np.abs(np.nan_to_num(values)).max(axis=0, initial=0.0)
    sizes[sizes == 0] = 1.0
    values = values / sizes
    counts = (~missing).astype(float)
    if weight is not None:
        counts *= np.asarray(weight)[:, None]
    totals = np.maximum(counts.sum(axis=0), 1e-300)
    means = (counts * np.nan_to_num(values)).sum(axis=0) / totals
    spread = np.where(missing, 0.0, values - means)
    scales = np.sqrt((counts * spread**2).sum(axis=0) / totals)
    # A column that hardly varies beside its size is constant but for rounding.
    scales[scales <= 1e-12 * np.maximum(np.abs(means), 1e-300)] = 1.0
    return Inputs(means * sizes, scales * sizes, numbers, flagged, dict(levels), bends, ends)


def _fit_ends(values: NDArray[np.float64], weight: Any, tails: float) -> Ends:
    """Learn where columns end; a rare flag, whose ends would meet, keeps all its values."""
    counts = np.ones(len(values)) if weight is None else np.asarray(weight, np.float64)
    ends = np.zeros((3, values.shape[1]))
    for j, column in enumerate(values.T):
        known = ~np.isnan(column) & (counts > 0)
        if known.any():
            ends[:, j] = np.quantile(
                column[known],
                [tails, 1 - tails, 0.5],
                weights=counts[known],
                method="inverted_cdf",  # the only one that takes weights
            )
            if ends[0, j] == ends[1, j]:
                ends[:2, j] = column[known].min(), column[known].max()
    return Ends(*ends)


def _brought_in(values: NDArray[np.float64], ends: Ends | None) -> NDArray[np.float64]:
    """Return columns with their ends brought in and missing values filled."""
    if ends is None:
        return values
    return np.where(np.isnan(values), ends.middle, values.clip(ends.low, ends.high))


def _fit_bend(column: NDArray[np.float64], weight: Any) -> NormalScores:
    if np.isnan(column).all():
        column, weight = np.zeros(1), None
    return fit_normal_scores(column, weight, most_knots=_KNOTS)


def _bent(values: NDArray[np.float64], bends: tuple[NormalScores, ...]) -> NDArray[np.float64]:
    """Return columns as normal scores, those far out brought in."""
    if not bends:
        return values
    columns = [
        bend.transform(column).clip(-_FAR, _FAR)
        for bend, column in zip(bends, values.T, strict=True)
    ]
    return np.column_stack(columns)


def _numbers(X: NDArray[Any], columns: NDArray[np.intp]) -> NDArray[np.float64]:
    values = np.asarray(X[:, columns], np.float64)
    if (np.abs(values) > _LARGEST).any():
        raise ValueError(f"X must hold numbers below {_LARGEST:.1e} in size. Rescale them.")
    return values
