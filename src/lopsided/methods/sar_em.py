"""SAR-EM: a classifier and a propensity model, each fitted given the other."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from lopsided._blas import one_blas_thread
from lopsided._math import log_odds_of, positive_posterior
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_count
from lopsided.methods._encoders import EncodedClassifier, NumericEncoder, fit_numeric_encoder
from lopsided.methods._learners import (
    check_learner,
    fit_learner,
    positive_log_odds,
    positive_proba,
)

__all__ = ["SAREMClassifier", "has_settled"]

_EPS = 1e-6  # probabilities and propensities stay this far from 0 and 1
_MANY_COLUMNS = 200
_FIRST_STOP = 10  # the last iteration, counted from 0, at which the loop may not end yet


@dataclass(eq=False, repr=False)
class SAREMClassifier(EncodedClassifier):
    r"""Learn who is positive and who gets labeled, in turns, by expectation maximization.

    With :math:`f(x)` the probability of a positive and :math:`e(x)` its propensity to be
    labeled, a row is labeled with probability :math:`f(x) e(x)`. Each iteration fits :math:`e`
    on the labels, weighted by how probably a row is positive, and :math:`f` on every row as a
    positive and as a negative, weighted alike. The likelihood does not change when the two swap
    roles: only the start tells them apart, so it is kept as published.

    Each iteration starts from the one before, which amplifies rounding: on another processor
    scores may differ from the third digit on.

    Parameters
    ----------
    estimator, propensity_model : scikit-learn classifiers or None, default=None
        The models of :math:`f` and :math:`e`; they need `predict_proba` and `sample_weight`.
        None is a logistic regression.
    propensity_columns : sequence of int or None, default=None
        Columns that the propensity depends on; None is all of them.
    refit : bool, default=False
        Whether to fit the final model by inverse propensities instead of keeping the one
        of the last iteration. A labeled row then counts as :math:`1/e` positives. As a negative
        it would weigh :math:`1 - 1/e`, below zero, which few learners can take: that weight is
        taken from the unlabeled rows alike, of which none falls below zero.
    max_iter : int, default=500
        Iterations at most.
    window : int, default=10
        Iterations over which to look for change.
    tol : float, default=1e-4
        The change, of the propensities per iteration and of the expected log-likelihood over
        the window, below which to stop.
    min_propensity : float, default=0.01
        Propensities are taken to be at least this large when refitting.
    n_jobs : int or None, default=None
        No effect: linear algebra uses one thread. Every method has this parameter.
    random_state : int, Generator or None, default=None
        Seed of the two models, where they draw.

    Attributes
    ----------
    estimator_, propensity_model_ : scikit-learn classifiers
        The fitted models.
    n_iter_ : int
        Iterations that were run.
    log_likelihood_ : ndarray of shape (n_iter_,)
        The expected log-likelihood of a row after each.

    References
    ----------
    Bekker, Robberechts, Davis: Beyond the selected completely at random assumption for learning
    from positive and unlabeled data. ECML PKDD 2019.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = ((X[:, 0] > 1) & (rng.random(300) < 0.5)).astype(int)
    >>> SAREMClassifier().fit(X, y).predict_propensity(X).shape
    (300,)
    """

    estimator: Any = None
    propensity_model: Any = None
    propensity_columns: Sequence[int] | None = None
    refit: bool = False
    max_iter: int = 500
    window: int = 10
    tol: float = 1e-4
    min_propensity: float = 0.01
    n_jobs: int | None = None
    random_state: Any = None

    @one_blas_thread
    def predict_propensity(self, X: Any) -> NDArray[np.float64]:
        """Return the estimated probability of each row to be labeled, were it positive."""
        seen = self._read(X)[:, self.propensity_columns_]
        encoded = self.propensity_encoder_.transform(seen)
        return _inside(positive_proba(self.propensity_model_, encoded))

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_count(self.max_iter, "max_iter")
        check_count(self.window, "window", least=2)
        if not 0 < self.min_propensity <= 1:
            raise ValueError(
                "min_propensity must be above 0 and at most 1, got "
                f"{quote(self.min_propensity)}."
            )
        self.propensity_columns_ = columns = self._columns()
        seen, levels = rows.X[:, columns], self._levels()
        of_seen = {i: levels[column] for i, column in enumerate(columns) if column in levels}
        rows = self._encode(rows)
        self.propensity_encoder_ = fit_numeric_encoder(seen, of_seen, rows.weight)
        f, e = (
            check_learner(_logistic(encoder) if given is None else given, name)
            for name, given, encoder in (
                ("estimator", self.estimator, self.encoder_),
                ("propensity_model", self.propensity_model, self.propensity_encoder_),
            )
        )
        with warnings.catch_warnings():
            # Of equal rows, which leave nothing to search: scikit-learn goes on with lbfgs.
            warnings.filterwarnings("ignore", "Line search of Newton", ConvergenceWarning)
            seen = self.propensity_encoder_.transform(seen)
            self._alternate(_EM(rows, replace(rows, X=seen), f, e, rng))

    def _alternate(self, run: "_EM") -> None:
        """Take the steps until nothing changes, and keep what came out."""
        history: list[NDArray[np.float64]] = []
        likelihood: list[float] = []
        with Bar(self.max_iter, "SAR-EM") as bar:
            for iteration in range(self.max_iter):
                run.step()
                history = [*history, run.propensity[run.rows.unlabeled]][-self.window :]
                likelihood.append(run.expected_log_likelihood())
                bar.advance()
                if iteration > _FIRST_STOP and has_settled(
                    history, likelihood, self.window, self.tol
                ):
                    break
        if self.refit:
            run.refit(self.min_propensity)
        self.estimator_, self.propensity_model_ = run.f, run.e
        self.n_iter_, self.log_likelihood_ = len(likelihood), np.array(likelihood)

    def _scores(self, X: Any) -> Any:
        return positive_log_odds(self.estimator_, self.encoder_.transform(X))

    def _columns(self) -> list[int]:
        """Return the positions of the columns that the propensity depends on."""
        if self.propensity_columns is None:
            return list(range(self.n_features_in_))
        columns = np.asarray(self.propensity_columns)
        known = np.isin(columns, range(self.n_features_in_))
        if columns.dtype.kind not in "iu" or not known.all():
            raise ValueError(
                "propensity_columns must be positions from 0 to "
                f"{self.n_features_in_ - 1}, got {quote(self.propensity_columns)}."
            )
        return list(columns)


@dataclass(eq=False)
class _EM:
    """The state of the algorithm: both models, what they say, and who is thought positive."""

    rows: TrainingRows
    seen: TrainingRows  # the same, with the columns of the propensity
    estimator: Any
    propensity_model: Any
    rng: np.random.Generator

    def __post_init__(self) -> None:
        # The published start: classes balanced, then rows as far as they look positive.
        rows, labeled, share = self.rows, self.rows.y == 1, self.rows.labeled_share
        balanced = rows.weight * np.where(labeled, 1 - share, share)
        self.f = fit_learner(self.estimator, replace(rows, weight=balanced), self.rng)
        looks_positive = np.where(labeled, 1, positive_proba(self.f, rows.X))
        looks_positive = np.where(rows.labels == -1, 0, looks_positive)
        self.e = fit_learner(self.propensity_model, self._seen(looks_positive), self.rng)
        self._expect()

    def _seen(self, factor: NDArray[Any]) -> TrainingRows:
        return replace(self.seen, weight=self.rows.weight * factor)

    def step(self) -> None:
        """Fit both models given who is thought positive, then think again."""
        q = self.positive
        self.e = self._fit_again(self.e, self.propensity_model, self._seen(q))
        self.f = self._fit_again(self.f, self.estimator, self.rows.doubled(q, 1 - q))
        self._expect()

    def _fit_again(self, fitted: Any, learner: Any, rows: TrainingRows) -> Any:
        """Return a learner fitted anew; our own start where the last step ended."""
        if isinstance(fitted, LogisticRegression) and fitted.warm_start:
            return fitted.fit(rows.X, rows.y, sample_weight=rows.weight)
        return fit_learner(learner, rows, self.rng)

    def _expect(self) -> None:
        self.proba = _inside(positive_proba(self.f, self.rows.X))
        self.propensity = _inside(positive_proba(self.e, self.seen.X))
        self.positive = positive_posterior(
            self.rows.labels, log_odds_of(self.proba), log_odds_of(self.propensity)
        )

    def expected_log_likelihood(self) -> float:
        """Return the mean log-likelihood of a row with its class filled in as expected."""
        f, e, q = self.proba, self.propensity, self.positive
        hidden = q * np.log(f * (1 - e)) + (1 - q) * np.log(1 - f)
        each = np.where(self.rows.y == 1, np.log(f * e), hidden)
        return float(np.average(each, weights=self.rows.weight))

    def refit(self, least: float) -> None:
        """Fit f by inverse propensities, the negative weights spread over unlabeled rows."""
        labeled, weight = self.rows.y == 1, self.rows.weight
        counts_for = np.where(labeled, 1 / np.maximum(self.propensity, least), 0.0)
        surplus = (weight * np.where(labeled, counts_for - 1, 0.0)).sum()
        unlabeled = self.rows.unlabeled
        down = np.where(unlabeled, max(1 - surplus / weight[unlabeled].sum(), _EPS), 1.0)
        down[labeled] = 0.0
        self.f = self._fit_again(self.f, self.estimator, self.rows.doubled(counts_for, down))


def has_settled(
    history: Sequence[NDArray[Any]], likelihood: Sequence[float], window: int, tol: float
) -> bool:
    """Say whether propensities and likelihood have stopped to change in the last iterations.

    The mean size of the propensities' slopes over the window, fitted by least squares, and the
    gain of the likelihood in it, must both be below `tol`.
    """
    if len(history) < window:
        return False
    time = np.arange(window) - (window - 1) / 2
    slopes = time @ np.asarray(history[-window:]) / (time @ time)
    recent = likelihood[-window:]
    return bool(np.abs(slopes).mean() < tol and max(recent) - recent[0] < tol)


def _logistic(encoder: NumericEncoder) -> LogisticRegression:
    # Newton's steps are few, but each solves a square system of all columns.
    solver = "newton-cholesky" if encoder.n_columns <= _MANY_COLUMNS else "lbfgs"
    return LogisticRegression(solver=solver, max_iter=1000, warm_start=True)


def _inside(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(proba, _EPS, 1 - _EPS)
