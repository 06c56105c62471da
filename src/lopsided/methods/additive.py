r"""Scores as sums: a base, and what each column adds to it.

A map :math:`m` that rises on top of a sum, such as log-odds of a mean, is passed by the secant.
If a score :math:`s = b + \sum_j t_j` has the base :math:`b`, then

.. math:: m(s) - m(b) = \frac{m(s) - m(b)}{s - b} \sum_j t_j,

so that terms multiplied by the slope of the secant add up to the mapped score exactly, and keep
their signs and their order, since the slope of a rising map is at least 0. Where score and base
coincide, terms cancel each other and any slope adds up; it is then that of a short secant about
the score. In networks this is the rescale rule of DeepLIFT.

References
----------
Shrikumar, Greenside, Kundaje: Learning important features through propagating activation
differences. ICML 2017.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided._blas import one_blas_thread
from lopsided._math import log_odds_of, sigmoid
from lopsided._rows import TrainingRows
from lopsided._validation import as_generator, require
from lopsided.methods._learners import positive_log_odds
from lopsided.methods._shapley import find_typical_row, sample_cells, sample_table
from lopsided.methods.answers import scores_of

__all__ = [
    "AdditiveAnswers",
    "AdditiveScores",
    "add_weighted",
    "additive_log_odds",
    "additive_scores",
    "draw_seed",
    "sample_additive",
    "settle",
]

_COINCIDE = 1e-9  # of what the terms span: score and base that are nearer have no secant
_STEP = 1e-6  # of that, to both sides of such a score: short, since a map may have ends

Rows = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AdditiveScores:
    """Scores, and the terms of the columns that they are the sums of.

    Parameters
    ----------
    base : ndarray of shape (n_rows,)
        What a score is without its terms.
    terms : ndarray of shape (n_rows, n_features)
        What each column adds.
    scores : ndarray of shape (n_rows,)
        Base and terms, added up.
    """

    base: Rows
    terms: Rows
    scores: Rows

    def mapped(self, rising: Callable[[Rows], Rows]) -> "AdditiveScores":
        """Return what becomes of all under a rising map of the scores, by the secant."""
        span = np.abs(self.terms).sum(axis=1)
        near = np.abs(self.scores - self.base) <= _COINCIDE * span
        low = np.where(near, self.scores - _STEP * span, self.base)
        high = np.where(near, self.scores + _STEP * span, self.scores)
        rise = rising(high) - rising(low)
        slope = np.divide(rise, high - low, out=np.zeros_like(rise), where=high != low)
        return settle(rising(self.base), self.terms * slope[:, None], rising(self.scores))


class AdditiveAnswers:
    """Answers of a method that says how its scores add up, and what is typical in training."""

    typical_row_: Rows
    categorical_: tuple[int, ...]

    def _read(self, X: Any) -> Any:
        raise NotImplementedError

    def _scores(self, X: Any) -> Any:
        raise NotImplementedError

    @one_blas_thread
    def additive_scores(
        self, X: Any, *, background: Any = None, random_state: Any = 0
    ) -> AdditiveScores:
        """Return the scores of rows as sums: a base, and what each column adds to it.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.
        background : array or data frame of shape (n_others, n_features), optional
            Rows to compare with, where the method has no exact terms; None is `typical_row_`.
        random_state : int, Generator or None, default=0
            Seed of the sampling then.

        Returns
        -------
        AdditiveScores
            Its `scores` are those of `decision_function`.
        """
        others = None if background is None else self._read(background)
        return self._additive_scores(self._read(X), others, draw_seed(random_state))

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return scores as sums; a method with exact terms does so in its own way."""
        if background is None:
            background = self.typical_row_[None]
        return sample_additive(self._scores, X, background, seed)

    def _keep_typical_row(self, rows: TrainingRows) -> None:
        self.typical_row_ = find_typical_row(rows.X, rows.weight, self.categorical_)


def settle(base: Any, terms: Any, scores: Any) -> AdditiveScores:
    """Return sums that are right to the last digits: columns share the rounding by their size.

    A column that adds nothing is given nothing; where none adds anything the base takes it.
    """
    terms, scores = np.asarray(terms, np.float64), np.asarray(scores, np.float64)
    base = np.broadcast_to(np.asarray(base, np.float64), scores.shape)
    gap = scores - base - terms.sum(axis=1)
    sizes = np.abs(terms)
    span = sizes.sum(axis=1)
    some = span > 0
    each = np.divide(gap, span, out=np.zeros_like(gap), where=some)
    return AdditiveScores(
        base + np.where(some, 0.0, gap), terms + each[:, None] * sizes, scores
    )


def add_weighted(parts: Sequence[AdditiveScores], weights: Sequence[float]) -> AdditiveScores:
    """Return the weighted sum of several scores of the same rows."""

    def total(name: str) -> Rows:
        weighted = [w * getattr(part, name) for w, part in zip(weights, parts, strict=True)]
        return np.asarray(np.sum(weighted, axis=0))

    return AdditiveScores(total("base"), total("terms"), total("scores"))


def additive_scores(
    model: Any, X: Any, *, background: Any = None, random_state: Any = 0
) -> AdditiveScores:
    """Return the scores of any fitted classifier as sums over the columns.

    Parameters
    ----------
    model : fitted classifier
        Methods of this package have terms of their own; those of any other classifier or
        pipeline are sampled, see `lopsided.explain.explain`.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Columns as in `fit`.
    background : array or data frame of shape (n_others, n_features), optional
        Rows to compare with, where terms are sampled.
    random_state : int, Generator or None, default=0
        Seed of the sampling.

    Returns
    -------
    AdditiveScores
    """
    model = getattr(model, "best_estimator_", model)  # of a search
    own = getattr(model, "additive_scores", None)
    if own is not None:
        found: AdditiveScores = own(X, background=background, random_state=random_state)
        return found

    score = partial(scores_of, model)
    base, terms = sample_table(score, X, background, draw_seed(random_state))
    return settle(base, terms, score(X))


def additive_log_odds(model: Any, encoded: Rows, mean: Rows) -> AdditiveScores | None:
    """Return the log-odds of a learner as exact sums over encoded columns, if it has some.

    Terms of a logistic regression are its coefficients times the distances to the mean row of
    training, those of XGBoost its own Shapley values; of other learners there are none.
    """
    scores = positive_log_odds(model, encoded)
    if isinstance(model, LogisticRegression):
        coefficients = model.coef_[0]
        base = float(mean @ coefficients + model.intercept_[0])
        return settle(base, (encoded - mean) * coefficients, scores)
    if getattr(model, "objective", None) != "binary:logistic" or model.booster == "gblinear":
        return None
    booster = model.get_booster()
    matrix = require("xgboost").DMatrix(encoded, nthread=model.n_jobs)
    n_rounds = getattr(model, "best_iteration", booster.num_boosted_rounds() - 1) + 1
    terms = booster.predict(matrix, pred_contribs=True, iteration_range=(0, n_rounds))
    margins = settle(terms[:, -1], terms[:, :-1], terms.sum(axis=1, dtype=np.float64))
    found = margins.mapped(lambda margin: log_odds_of(sigmoid(margin)))
    return settle(found.base, found.terms, scores)  # of probabilities in single precision


def sample_additive(
    score: Callable[[Any], Any], X: Rows, background: Rows, seed: int
) -> AdditiveScores:
    """Return the scores of numeric rows as sums of sampled terms, see `_shapley`."""
    stacked, columns = np.concatenate([X, background]), np.arange(X.shape[1])
    starts = np.arange(len(X), len(stacked))[:, None] + np.zeros_like(columns)
    base, terms = sample_cells(
        lambda cells: score(stacked[cells, columns]), len(X), starts, seed
    )
    return settle(base, terms, score(X))


def draw_seed(random_state: Any) -> int:
    """Return a seed, the same for every part of a model."""
    return int(as_generator(random_state).integers(2**31))
