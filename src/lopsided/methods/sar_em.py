"""SAR-EM: a classifier and a propensity model, each fitted given the other."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided._check import check_count
from lopsided._math import positive_posterior
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.methods._frames import as_pandas
from lopsided.methods._inputs import fit_inputs
from lopsided.methods._learners import (
    check_learner,
    fit_learner,
    log_odds_of,
    positive_chance,
    positive_log_odds,
)
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["SAREMClassifier", "has_settled"]

_EPS = 1e-6  # chances and propensities stay this far from 0 and 1
_MANY_COLUMNS = 200
_FIRST_STOP = 10  # the last iteration, counted from 0, at which the loop may not end yet


class SAREMClassifier(PUClassifier):
    r"""Learn who is positive and who gets labeled, in turns, by expectation maximization.

    With :math:`f(x)` the chance of a positive and :math:`e(x)` its propensity to be labeled, a
    row is labeled with chance :math:`f(x) e(x)`. Each iteration fits :math:`e` on the labels,
    weighted by the chance that a row is positive, and :math:`f` on every row as a positive and
    as a negative, weighted alike. The likelihood does not change when the two swap roles: only
    the start tells them apart, so it is kept as published.

    Parameters
    ----------
    classifier, propensity_model : scikit-learn classifiers or None, default=None
        The models of :math:`f` and :math:`e`; they need `predict_proba` and `sample_weight`.
        None is a logistic regression.
    propensity_columns : sequence of int or None, default=None
        Columns that the propensity depends on; None is all of them.
    refit : bool, default=False
        Whether to fit the final classifier by inverse propensities instead of keeping the one
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
        Threads of linear algebra; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the two models, where they draw.

    Attributes
    ----------
    classifier_, propensity_model_ : scikit-learn classifiers
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
    >>> SAREMClassifier().fit(X, y).propensity(X).shape
    (300,)
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def __init__(
        self,
        classifier=None,
        propensity_model=None,
        propensity_columns=None,
        refit=False,
        max_iter=500,
        window=10,
        tol=1e-4,
        min_propensity=0.01,
        n_jobs=None,
        random_state=None,
    ):
        self.classifier = classifier
        self.propensity_model = propensity_model
        self.propensity_columns = propensity_columns
        self.refit = refit
        self.max_iter = max_iter
        self.window = window
        self.tol = tol
        self.min_propensity = min_propensity
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return False

    def propensity(self, X: Any) -> NDArray[np.float64]:
        """Return the estimated chance of each row to be labeled, were it positive.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            Columns as in `fit`.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        numbers = self._numbers(as_pandas(X), reset=False)
        return _inside(
            positive_chance(
                self.propensity_model_, self.propensity_inputs_.transform(self._seen(numbers))
            )
        )

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        check_count(self.max_iter, "max_iter")
        check_count(self.window, "window", least=2)
        if not 0 < self.min_propensity <= 1:
            raise ValueError(
                f"min_propensity must be above 0 and at most 1, got {self.min_propensity!r}."
            )
        self.inputs_ = fit_inputs(X, self._levels(), weight)
        seen = self._seen(X)
        self.propensity_inputs_ = fit_inputs(seen, self._seen_levels(), weight)
        learners = {
            name: check_learner(_logistic(inputs.n_columns) if given is None else given, name)
            for name, given, inputs in (
                ("classifier", self.classifier, self.inputs_),
                ("propensity_model", self.propensity_model, self.propensity_inputs_),
            )
        }
        with self._linear_algebra():
            run = _EM(
                X=self.inputs_.transform(X),
                seen=self.propensity_inputs_.transform(seen),
                y=y.astype(float),
                weight=np.ones(len(y)) if weight is None else weight,
                rng=rng,
                **learners,
            )
            self._alternate(run)

    def _alternate(self, run: "_EM") -> None:
        """Take the steps until nothing changes, and keep what came out."""
        history: list[NDArray[np.float64]] = []
        likelihood: list[float] = []
        with Bar(self.max_iter, "SAR-EM") as bar:
            for iteration in range(self.max_iter):
                run.step()
                history = [*history, run.propensity[run.y == 0]][-self.window :]
                likelihood.append(run.expected_log_likelihood())
                bar.advance()
                if iteration > _FIRST_STOP and has_settled(
                    history, likelihood, self.window, self.tol
                ):
                    break
        if self.refit:
            run.refit(self.min_propensity)
        self.classifier_, self.propensity_model_ = run.f, run.e
        self.n_iter_, self.log_likelihood_ = len(likelihood), np.array(likelihood)

    def _scores(self, X: Any) -> Any:
        return positive_log_odds(self.classifier_, self.inputs_.transform(X))

    def _columns(self) -> Sequence[int]:
        if self.propensity_columns is None:
            return range(self.n_features_in_)
        columns = np.asarray(self.propensity_columns)
        if (
            columns.dtype.kind not in "iu"
            or not np.isin(columns, range(self.n_features_in_)).all()
        ):
            raise ValueError(
                "propensity_columns must be positions from 0 to "
                f"{self.n_features_in_ - 1}, got "
                f"{self.propensity_columns!r}."
            )
        return list(columns)

    def _seen(self, X: Any) -> Any:
        return X[:, list(self._columns())]

    def _seen_levels(self) -> dict[int, int]:
        levels = self._levels()
        return {
            place: levels[column]
            for place, column in enumerate(self._columns())
            if column in levels
        }


class _EM:
    """The state of the algorithm: both models, what they say, and who is thought positive."""

    def __init__(
        self,
        X: NDArray[Any],
        seen: NDArray[Any],
        y: NDArray[Any],
        weight: NDArray[Any],
        classifier: Any,
        propensity_model: Any,
        rng: np.random.Generator,
    ) -> None:
        self.X, self.seen, self.y, self.weight = X, seen, y, weight
        self.classifier, self.propensity_model, self.rng = classifier, propensity_model, rng
        self.twice = np.vstack([X, X])
        self.both = np.repeat([1, 0], len(y))
        labeled = np.average(y, weights=weight)
        # The published start: classes balanced, then rows as far as they look positive.
        balanced = weight * np.where(y == 1, 1 - labeled, labeled)
        self.f = fit_learner(classifier, X, y, balanced, rng)
        chance = positive_chance(self.f, X)
        self.e = fit_learner(
            propensity_model, seen, y, weight * np.where(y == 1, 1, chance), rng
        )
        self._expect()

    def step(self) -> None:
        """Fit both models given who is thought positive, then think again."""
        q = self.positive
        self.e = self._fit_again(
            self.e, self.propensity_model, self.seen, self.y, self.weight * q
        )
        self._fit_classifier(q, 1 - q)
        self._expect()

    def _fit_classifier(self, up: NDArray[Any], down: NDArray[Any]) -> None:
        """Fit f on every row as a positive and as a negative, each with its weight."""
        weights = np.concatenate([self.weight * up, self.weight * down])
        rows = weights > 0
        self.f = self._fit_again(
            self.f, self.classifier, self.twice[rows], self.both[rows], weights[rows]
        )

    def _fit_again(self, fitted: Any, learner: Any, X: Any, y: Any, weight: Any) -> Any:
        """Return a learner fitted anew; our own start where the last step ended."""
        if isinstance(fitted, LogisticRegression) and fitted.warm_start:
            return fitted.fit(X, y, sample_weight=weight)
        return fit_learner(learner, X, y, weight, self.rng)

    def _expect(self) -> None:
        self.chance = _inside(positive_chance(self.f, self.X))
        self.propensity = _inside(positive_chance(self.e, self.seen))
        self.positive = positive_posterior(
            self.y, log_odds_of(self.chance), log_odds_of(self.propensity)
        )

    def expected_log_likelihood(self) -> float:
        """Return the mean log-likelihood of a row with its class filled in as expected."""
        f, e, q = self.chance, self.propensity, self.positive
        hidden = q * np.log(f * (1 - e)) + (1 - q) * np.log(1 - f)
        rows = np.where(self.y == 1, np.log(f * e), hidden)
        return float(np.average(rows, weights=self.weight))

    def refit(self, least: float) -> None:
        """Fit f by inverse propensities, the negative weights spread over unlabeled rows."""
        labeled = self.y == 1
        counts_for = np.where(labeled, 1 / np.maximum(self.propensity, least), 0.0)
        surplus = (self.weight * np.where(labeled, counts_for - 1, 0.0)).sum()
        unlabeled = self.weight[~labeled].sum()
        down = np.where(labeled, 0.0, max(1 - surplus / unlabeled, _EPS))
        self._fit_classifier(counts_for, down)


def has_settled(
    history: Sequence[NDArray[Any]], likelihood: Sequence[float], window: int, tol: float
) -> bool:
    """Say whether propensities and likelihood have stopped to change.

    Parameters
    ----------
    history : sequence of ndarrays
        The propensities of the unlabeled rows in the last iterations.
    likelihood : sequence of float
        The expected log-likelihood after every iteration.
    window : int
        How many of the last iterations count.
    tol : float
        The mean size of the propensities' slopes over the window, fitted by least squares, and
        the gain of the likelihood in it, must both be below.
    """
    if len(history) < window:
        return False
    time = np.arange(window) - (window - 1) / 2
    slopes = time @ np.asarray(history[-window:]) / (time @ time)
    recent = likelihood[-window:]
    return bool(np.abs(slopes).mean() < tol and max(recent) - recent[0] < tol)


def _logistic(n_columns: int) -> LogisticRegression:
    # Newton's steps are few, but each solves a square system of all columns.
    solver = "newton-cholesky" if n_columns <= _MANY_COLUMNS else "lbfgs"
    return LogisticRegression(solver=solver, max_iter=1000, warm_start=True)


def _inside(chance: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(chance, _EPS, 1 - _EPS)
