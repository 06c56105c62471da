"""NNIF: find hidden positives as outliers near labeled rows, set them apart, then learn."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided._validation import check_choice, check_count, check_magnitude, require
from lopsided.methods._encoders import EncodedClassifier
from lopsided.methods._isolation import search_path
from lopsided.methods._learners import check_learner, fit_learner, positive_log_odds
from lopsided.methods.additive import AdditiveScores
from lopsided.priors.estimation import PriorLike

__all__ = ["NNIFClassifier", "mean_path", "weighted_path"]

_MAX_ROWS = 256  # of a tree of the isolation forest


@dataclass(eq=False, repr=False)
class NNIFClassifier(EncodedClassifier):
    """Set apart the unlabeled rows that look like hidden positives, then fit a classifier.

    An isolation forest of the unlabeled rows finds outliers by their short paths; a path counts
    the less, the more of a row's nearest neighbors are labeled. As many unlabeled rows as the
    prior expects to be positive, those with the shortest paths, are removed or relabeled, and
    the rest are taken for negatives.

    Parameters
    ----------
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the whole table; "auto" estimates it, see `lopsided.priors`.
    treatment : {"remove", "relabel"}, default="remove"
        What to do with the rows set apart: leave them out, or take them for positives.
    estimator : scikit-learn classifier or None, default=None
        The final learner, with `predict_proba` and `sample_weight`; None is XGBoost with its
        own defaults.
    n_neighbors : int, default=5
        Neighbors that count, a training row's own self among them.
    n_estimators : int, default=100
        Trees of the isolation forest.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the isolation forest and of the final learner.

    Attributes
    ----------
    flagged_ : ndarray of int
        The training rows that were set apart.
    estimator_ : scikit-learn classifier
        The fitted final learner.

    References
    ----------
    Ortega Vazquez, vanden Broucke, De Weerdt: A two-step anomaly detection based method for PU
    classification in imbalanced data sets. Data Mining and Knowledge Discovery 2023.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.8).astype(int)
    >>> model = NNIFClassifier(prior=0.1, random_state=0).fit(X, y)
    >>> len(model.flagged_)
    15
    """

    prior: PriorLike = "auto"
    treatment: Literal["remove", "relabel"] = "remove"
    estimator: Any = None
    n_neighbors: int = 5
    n_estimators: int = 100
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_choice(self.treatment, ("remove", "relabel"), "treatment")
        learner = self.estimator
        if learner is None:
            learner = require("xgboost").XGBClassifier(n_jobs=self._n_threads())
        check_learner(learner, "estimator")
        rows = self._encode(replace(rows, X=_in_single_precision(rows.X)))
        reviewed = 0.0
        if rows.reviewed is not None:  # among whom nothing hides
            reviewed = float(np.average(rows.reviewed, weights=rows.weight))
        unlabeled_share = 1 - rows.labeled_share - reviewed
        hidden = min((self.prior_ - rows.labeled_share) / unlabeled_share, 1.0)
        paths = self._paths(rows, rng)
        self.flagged_ = np.flatnonzero(rows.unlabeled)[paths < np.quantile(paths, hidden)]
        flagged = np.isin(np.arange(len(rows)), self.flagged_)
        if self.treatment == "relabel":
            rows = replace(rows, y=np.where(flagged, 1, rows.y))
        else:
            rows = rows.take(~flagged)
        self.estimator_ = fit_learner(learner, rows, rng)

    def _paths(self, rows: TrainingRows, rng: np.random.Generator) -> NDArray[Any]:
        """Return the weighted path of each unlabeled row."""
        from sklearn.ensemble import IsolationForest
        from sklearn.neighbors import NearestNeighbors

        n_neighbors = min(check_count(self.n_neighbors, "n_neighbors"), len(rows))
        check_count(self.n_estimators, "n_estimators")
        unlabeled = rows.X[rows.unlabeled]
        forest = IsolationForest(
            n_estimators=self.n_estimators,
            max_samples=min(_MAX_ROWS, len(unlabeled)),
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        ).fit(unlabeled)
        nearest = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=self.n_jobs)
        neighbors = nearest.fit(rows.X).kneighbors(unlabeled, return_distance=False)
        return weighted_path(mean_path(forest, unlabeled), rows.y[neighbors].mean(axis=1))

    def _scores(self, X: Any) -> Any:
        encoded = self.encoder_.transform(_in_single_precision(X))
        return positive_log_odds(self.estimator_, encoded)

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        return super()._additive_scores(_in_single_precision(X), background, seed)


def _in_single_precision(X: NDArray[Any]) -> NDArray[np.float32]:
    """Return the numbers as trees read them, rounded before they are standardized.

    XGBoost splits at the values of training rows. Rounded only after a mean has been taken
    away, the same row in single and in double precision would fall on different sides.
    """
    check_magnitude(X)
    return X.astype(np.float32, copy=False)


def mean_path(forest: Any, X: NDArray[Any]) -> NDArray[np.float64]:
    r"""Return the mean path of each row in a fitted isolation forest of scikit-learn.

    Its score is :math:`-2^{-h / c}` for a mean path :math:`h` and the mean path :math:`c` of an
    unsuccessful search among the rows of a tree, so that the path is read off the score.
    """
    return -np.log2(-forest.score_samples(X)) * search_path(forest.max_samples_)


def weighted_path(path: NDArray[Any], labeled_share: NDArray[Any]) -> NDArray[np.float64]:
    """Return paths whose every node counts by the share of unlabeled neighbors, at least 0."""
    return np.maximum((1 - labeled_share) * (path + 1) - 1, 0.0)
