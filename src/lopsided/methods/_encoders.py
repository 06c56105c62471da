"""Tables for learners that add up columns: numbers of one scale, nothing missing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided._validation import check_magnitude
from lopsided.methods._categories import LevelMap, fit_level_map
from lopsided.methods._normal_scores import MIN_SCALE, NormalScores, fit_normal_scores
from lopsided.methods.additive import AdditiveScores, additive_log_odds
from lopsided.methods.base import Accepts, PUClassifier

_MAX_INPUT = 1e6  # deviations from the mean; one of n rows lies sqrt(n) away at most
_MAX_KNOTS = 256  # of a quantile-transformed column
_MAX_QUANTILE = 3.0  # normal quantiles beyond are no news
# Columns that a category may become. Levels beyond have too few rows to learn a coefficient by,
# and rank worse with one; the cost of Newton's steps grows with the square of the columns.
_MAX_ONE_HOT = 50
_TAIL = 0.01  # share of a column's values at each end that are winsorized

Column = NDArray[np.float64]


class QuantileNormalizer(NamedTuple):
    """Maps values to normal quantiles, so that only their order matters."""

    scores: NormalScores

    @classmethod
    def fit(cls, column: Column, weight: Column) -> "QuantileNormalizer":
        """Learn the quantiles of a column, NaN left out."""
        if np.isnan(column).all():
            column, weight = np.zeros(1), np.ones(1)
        return cls(fit_normal_scores(column, weight, max_knots=_MAX_KNOTS))

    def transform(self, column: Column) -> Column:
        """Return normal quantiles, those far out brought in."""
        return self.scores.transform(column).clip(-_MAX_QUANTILE, _MAX_QUANTILE)


class Winsorizer(NamedTuple):
    """Moves the ends of a column to where the others end; missing values are the median."""

    low: float
    high: float
    median: float

    @classmethod
    def fit(cls, column: Column, weight: Column, tail: float = _TAIL) -> "Winsorizer":
        """Learn where a column ends; a rare flag, whose ends would meet, keeps its values."""
        known = ~np.isnan(column) & (weight > 0)
        if not known.any():
            return cls(0.0, 0.0, 0.0)
        low, high, median = np.quantile(
            column[known],
            [tail, 1 - tail, 0.5],
            weights=weight[known],
            method="inverted_cdf",  # the only one that takes weights
        )
        if low == high:
            low, high = column[known].min(), column[known].max()
        return cls(float(low), float(high), float(median))

    def transform(self, column: Column) -> Column:
        """Return the values with ends brought in and gaps filled."""
        return np.where(np.isnan(column), self.median, column).clip(self.low, self.high)


ColumnMap = QuantileNormalizer | Winsorizer


@dataclass(frozen=True)
class NumericEncoder:
    """How raw columns become numeric ones: standardized, imputed with flags, one-hot.

    Numbers come first, a missing one as the mean unless their map fills it; then a flag for
    each column that had missing values in training; then a column for each level of each
    category, all 0 if it is missing. Beyond 50 levels, rare ones share a column.
    """

    means: NDArray[np.float64]  # of the columns of numbers
    scales: NDArray[np.float64]
    numbers: NDArray[np.intp]  # their positions
    flagged: NDArray[np.intp]  # positions of the columns with a flag
    levels: dict[int, LevelMap]  # position of each category column: its columns
    maps: tuple[ColumnMap, ...]  # of the columns of numbers, or none

    @property
    def n_columns(self) -> int:
        """How many columns come out."""
        n_levels = sum(found.n_codes for found in self.levels.values())
        return len(self.numbers) + len(self.flagged) + n_levels

    def transform(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return rows, NaN allowed and categories as codes, of shape (n_rows, n_columns)."""
        encoded = np.empty((X.shape[0], self.n_columns))
        for j, position in enumerate(self.numbers):  # one by one: tables may be large
            values = _numbers(X[:, position])
            if self.maps:
                values = self.maps[j].transform(values)
            encoded[:, j] = _bounded((values - self.means[j]) / self.scales[j])
        n_done = len(self.numbers) + len(self.flagged)
        encoded[:, len(self.numbers) : n_done] = np.isnan(X[:, self.flagged])
        for position, found in self.levels.items():
            codes = found.transform(X[:, [position]])
            encoded[:, n_done : n_done + found.n_codes] = codes == np.arange(found.n_codes)
            n_done += found.n_codes
        return encoded

    def by_column(self, values: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Return the sum of values, the last axis the columns that come out, by raw column."""
        sources = [*self.numbers, *self.flagged]
        for position, found in self.levels.items():
            sources += [position] * found.n_codes
        columns = np.array(sources, np.intp)
        total = np.zeros((n_features, *values.shape[:-1]))
        np.add.at(total, columns, values.T)
        return np.ascontiguousarray(total.T)


def fit_numeric_encoder(
    X: NDArray[Any],
    levels: Mapping[int, int],
    weight: NDArray[np.float64],
    fit_map: Callable[[Column, Column], ColumnMap] | None = None,
) -> NumericEncoder:
    """Learn means and scales from training rows, NaN allowed and categories as codes.

    `levels` has the number of levels of each category column by its position. Columns of
    numbers go through `fit_map` first: `Winsorizer.fit`, or `QuantileNormalizer.fit`, after
    which no outlier outweighs the others.
    """
    numbers = np.setdiff1d(np.arange(X.shape[1]), list(levels)).astype(np.intp)
    moments = np.zeros((2, len(numbers)))
    maps, flagged = [], []
    for j, position in enumerate(numbers):  # one by one: tables may be large
        column = _numbers(X[:, position])
        if np.isnan(column).any():
            flagged.append(position)
        if fit_map is not None:
            maps.append(fit_map(column, weight))
            column = maps[-1].transform(column)
        moments[:, j] = _fit_scale(column, weight)
    one_hot = {
        position: fit_level_map(X[:, position], n_levels, weight, _MAX_ONE_HOT)
        for position, n_levels in levels.items()
    }
    means, scales = moments
    flags = np.array(flagged, np.intp)
    return NumericEncoder(means, scales, numbers, flags, one_hot, tuple(maps))


class EncodedClassifier(PUClassifier):
    """Base of methods whose learners need numbers of one scale and no missing values.

    `_encode` standardizes the columns of checked rows, turns each category into a column for
    each level, and adds a flag for each column with missing values. `encoder_.transform` does
    the same to the rows that `_scores` gets.

    Attributes
    ----------
    encoder_ : encoder
        Has a method `transform`.
    estimator_ : classifier
        Optional: a classifier of encoded rows whose log-odds are the scores. Explanations of a
        linear one are then exact.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> class NaiveBayes(EncodedClassifier):
    ...     def _fit(self, rows, rng):
    ...         rows = self._encode(rows)
    ...         self.model_ = GaussianNB().fit(rows.X, rows.y, rows.weight)
    ...
    ...     def _scores(self, X):
    ...         log = self.model_.predict_joint_log_proba(self.encoder_.transform(X))
    ...         return log[:, 1] - log[:, 0]
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = (X.sum(axis=1) > 2).astype(int)
    >>> X[0, 0] = np.nan  # which GaussianNB does not take
    >>> scores = NaiveBayes().fit(X, y).decision_function(X)
    >>> bool(y[scores.argmax()])
    True
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def _encode(self, rows: TrainingRows, fit_map: Any = None) -> TrainingRows:
        """Learn `encoder_` from training rows, and return them encoded."""
        self.encoder_ = fit_numeric_encoder(rows.X, self._levels(), rows.weight, fit_map)
        encoded = self.encoder_.transform(rows.X)
        self.encoded_mean_ = rows.weight @ encoded / rows.weight.sum()
        return replace(rows, X=encoded)

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return exact sums where `estimator_` has some, each column with what encodes it."""
        found = None
        if hasattr(self, "estimator_"):
            encoded = self.encoder_.transform(X)
            found = additive_log_odds(self.estimator_, encoded, self.encoded_mean_)
        if found is None:
            return super()._additive_scores(X, background, seed)
        return replace(found, terms=self.encoder_.by_column(found.terms, self.n_features_in_))


@dataclass(frozen=True)
class OrdinalEncoder:
    """How raw columns become numbers and, for nets that embed categories, ids.

    Numbers come first, winsorized and standardized, missing ones as the median; then a flag for
    each column that had missing values in training; then an id for each category column. Levels
    that had rows in training are counted from 0, and all else has the id after the last.
    """

    encoder: NumericEncoder  # of numbers and flags alone
    ids: dict[int, LevelMap]  # position of each category column: the id of each level

    @property
    def n_numbers(self) -> int:
        """How many numbers come out, flags included."""
        return self.encoder.n_columns

    @property
    def levels(self) -> list[int]:
        """The number of levels of each category column, without the id for all else."""
        return [found.n_codes for found in self.ids.values()]

    def transform(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return rows, of shape (n_rows, n_numbers + n_categories)."""
        parts = [self.encoder.transform(X)]
        for position, found in self.ids.items():
            parts.append(np.nan_to_num(found.transform(X[:, [position]]), nan=found.n_codes))
        return np.hstack(parts)


def fit_ordinal_encoder(
    X: NDArray[Any], levels: Mapping[int, int], weight: NDArray[np.float64]
) -> OrdinalEncoder:
    """Learn scales and ids from training rows; parameters as of `fit_numeric_encoder`."""
    encoder = replace(fit_numeric_encoder(X, levels, weight, Winsorizer.fit), levels={})
    # All levels keep their ids: a level more is one vector more, not one input more.
    ids = {
        position: fit_level_map(X[:, position], n_levels, weight)
        for position, n_levels in levels.items()
    }
    return OrdinalEncoder(encoder, ids)


def _fit_scale(column: Column, weight: Column) -> tuple[float, float]:
    """Return the mean and the deviation of a column's known values."""
    known = ~np.isnan(column)
    values, weight = column[known], weight[known]
    # Squares of very small numbers would vanish, and no column's size matters here.
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    values = values / size
    total = max(weight.sum(), 1e-300)
    mean = (weight * values).sum() / total
    scale = np.sqrt((weight * (values - mean) ** 2).sum() / total)
    # A column that hardly varies beside its size is constant but for rounding.
    if scale <= 1e-12 * max(abs(mean), 1e-300):
        scale = 1.0
    return float(mean * size), max(float(scale * size), MIN_SCALE)


def _bounded(column: Column) -> Column:
    """Return values whose products stay finite in any learner, missing ones as 0, the mean."""
    return np.nan_to_num(column, nan=0.0).clip(-_MAX_INPUT, _MAX_INPUT)


def _numbers(column: NDArray[Any]) -> Column:
    values = np.asarray(column, np.float64)
    check_magnitude(values)
    return values
