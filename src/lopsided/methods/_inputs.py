"""Inputs for learners that add up columns: numbers of one scale, nothing missing."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_magnitude
from lopsided.methods._levels import LevelMap, fit_level_map
from lopsided.methods._normal_scores import MIN_SCALE, NormalScores, fit_normal_scores

__all__ = ["Ends", "Inputs", "fit_inputs"]

_MAX_INPUT = 1e6  # deviations from the mean; one of n rows lies sqrt(n) away at most
_KNOTS = 256  # of a bent column
_FAR = 3.0  # normal scores beyond are no news
# Columns that a category may become. Levels beyond have too few rows to learn a coefficient by,
# and rank worse with one; the cost of Newton's steps grows with the square of the columns.
_MAX_ONE_HOT = 50


class Ends(NamedTuple):
    """Where columns of numbers end, and their medians, which stand for missing values."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    middle: NDArray[np.float64]

    def apply(self, column: NDArray[np.float64], j: int) -> NDArray[np.float64]:
        """Return the values of the j-th column with its ends brought in and gaps filled."""
        filled = np.where(np.isnan(column), self.middle[j], column)
        return filled.clip(self.low[j], self.high[j])


@dataclass(frozen=True)
class Inputs:
    """How raw columns become inputs: standardized, imputed with flags, one for each category.

    Columns of numbers may be bent first, so that their training values are normal, or have
    their ends brought in. Numbers come first, a missing one as the mean, or as the median where
    ends are brought in; then a flag for each column that had missing values in training; then a
    column for each level of each category, all 0 if it is missing. Beyond 50 levels, rare ones
    share a column.
    """

    means: NDArray[np.float64]  # of the columns of numbers
    scales: NDArray[np.float64]
    numbers: NDArray[np.intp]  # their positions
    flagged: NDArray[np.intp]  # positions of the columns with a flag
    levels: dict[int, LevelMap]  # position of each category column: its columns
    bends: tuple[NormalScores, ...] = ()  # of the columns of numbers, or none
    ends: Ends | None = None  # of the columns of numbers, or none

    @property
    def n_columns(self) -> int:
        """How many inputs come out."""
        return (
            len(self.numbers)
            + len(self.flagged)
            + sum(found.n_codes for found in self.levels.values())
        )

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
        inputs = np.empty((X.shape[0], self.n_columns))
        for j, position in enumerate(self.numbers):  # one by one: tables may be large
            values = self._shaped(_numbers(X[:, position]), j)
            inputs[:, j] = _bounded((values - self.means[j]) / self.scales[j])
        n_done = len(self.numbers) + len(self.flagged)
        inputs[:, len(self.numbers) : n_done] = np.isnan(X[:, self.flagged])
        for position, found in self.levels.items():
            codes = found.transform(X[:, position])
            inputs[:, n_done : n_done + found.n_codes] = codes[:, None] == np.arange(
                found.n_codes
            )
            n_done += found.n_codes
        return inputs

    def _shaped(self, column: NDArray[np.float64], j: int) -> NDArray[np.float64]:
        """Return the values of the j-th number with ends brought in and bent."""
        if self.ends is not None:
            column = self.ends.apply(column, j)
        return _bent(column, self.bends[j]) if self.bends else column

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
        for position, found in self.levels.items():
            sources += [position] * found.n_codes
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
    counts = np.ones(X.shape[0]) if weight is None else np.asarray(weight, np.float64)
    limits, moments = np.zeros((3, len(numbers))), np.zeros((2, len(numbers)))
    ends = None if tails is None else Ends(*limits)
    bends, flagged = [], []
    for j, position in enumerate(numbers):  # one by one: tables may be large
        column = _numbers(X[:, position])
        if np.isnan(column).any():
            flagged.append(position)
        if ends is not None and tails is not None:
            limits[:, j] = _fit_ends(column, counts, tails)
            column = ends.apply(column, j)
        if bend:
            bends.append(_fit_bend(column, weight))
            column = _bent(column, bends[-1])
        moments[:, j] = _fit_scale(column, counts)
    means, scales = moments
    flags = np.array(flagged, np.intp)
    one_hot = {
        position: fit_level_map(X[:, position], n_levels, weight, _MAX_ONE_HOT)
        for position, n_levels in levels.items()
    }
    return Inputs(means, scales, numbers, flags, one_hot, tuple(bends), ends)


def _fit_scale(column: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and the deviation of a column's known values."""
    known = ~np.isnan(column)
    values, counts = column[known], counts[known]
    # Squares of very small numbers would vanish, and no column's size matters here.
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    values = values / size
    total = max(counts.sum(), 1e-300)
    mean = (counts * values).sum() / total
    scale = np.sqrt((counts * (values - mean) ** 2).sum() / total)
    # A column that hardly varies beside its size is constant but for rounding.
    if scale <= 1e-12 * max(abs(mean), 1e-300):
        scale = 1.0
    return float(mean * size), max(float(scale * size), MIN_SCALE)


def _bounded(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return inputs whose products stay finite in any learner, missing ones as 0, the mean."""
    return np.nan_to_num(column, nan=0.0).clip(-_MAX_INPUT, _MAX_INPUT)


def _fit_ends(
    column: NDArray[np.float64], counts: NDArray[np.float64], tails: float
) -> tuple[float, float, float]:
    """Learn where a column ends; a rare flag, whose ends would meet, keeps all its values."""
    known = ~np.isnan(column) & (counts > 0)
    if not known.any():
        return 0.0, 0.0, 0.0
    low, high, middle = np.quantile(
        column[known],
        [tails, 1 - tails, 0.5],
        weights=counts[known],
        method="inverted_cdf",  # the only one that takes weights
    )
    if low == high:
        low, high = column[known].min(), column[known].max()
    return float(low), float(high), float(middle)


def _fit_bend(column: NDArray[np.float64], weight: Any) -> NormalScores:
    if np.isnan(column).all():
        column, weight = np.zeros(1), None
    return fit_normal_scores(column, weight, most_knots=_KNOTS)


def _bent(column: NDArray[np.float64], bend: NormalScores) -> NDArray[np.float64]:
    """Return a column as normal scores, those far out brought in."""
    return bend.transform(column).clip(-_FAR, _FAR)


def _numbers(column: NDArray[Any]) -> NDArray[np.float64]:
    values = np.asarray(column, np.float64)
    check_magnitude(values)
    return values
