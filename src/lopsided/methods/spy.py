"""Spies: labeled rows hidden among the unlabeled ones show which of these are negatives."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided.methods._encoders import EncodedClassifier
from lopsided.methods._learners import (
    check_learner,
    fit_learner,
    positive_log_odds,
    positive_proba,
)

__all__ = ["SpyClassifier"]


@dataclass(eq=False, repr=False)
class SpyClassifier(EncodedClassifier):
    """Hide some labeled rows, see where they land, and take what lies below for negatives.

    A first learner is fitted with some labeled rows, the spies, among the unlabeled ones. An
    unlabeled row that scores below nearly all spies is no hidden positive: a reliable negative.
    Every labeled row is a spy once, and an unlabeled row is reliable if most rounds say so. A
    second learner is fitted on the labeled rows and the reliable negatives alone.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The first learner, with `predict_proba` and `sample_weight`; None is a logistic
        regression with balanced classes.
    final_estimator : scikit-learn classifier or None, default=None
        The second one; None is the same as the first.
    spy_share : float, default=0.15
        Share of the labeled rows that are spies in a round, at least one row.
    noise : float, default=0.05
        Share of the spies that may score below a reliable negative: outliers.
    n_jobs : int or None, default=None
        No effect: linear algebra uses one thread. Every method has this parameter.
    random_state : int, Generator or None, default=None
        Seed of the spies and of the learners, where they draw.

    Attributes
    ----------
    reliable_ : ndarray of int
        The training rows that were taken for negatives, those reviewed among them.
    estimator_ : scikit-learn classifier
        The fitted second learner.

    References
    ----------
    Liu, Lee, Yu, Li: Partially supervised classification of text documents. ICML 2002.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> SpyClassifier(random_state=0).fit(X, y).decision_function(X).shape
    (200,)
    """

    estimator: Any = None
    final_estimator: Any = None
    spy_share: float = 0.15
    noise: float = 0.05
    n_jobs: int | None = None
    random_state: Any = None
    _min_labeled: ClassVar[int] = 2  # a spy, and a row that stays labeled

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        for name in ("spy_share", "noise"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 <= value < 1):
                raise ValueError(f"{name} must be at least 0 and below 1, got {quote(value)}.")
        first = self.estimator
        if first is None:
            first = LogisticRegression(class_weight="balanced")
        second = first if self.final_estimator is None else self.final_estimator
        check_learner(first, "estimator")
        check_learner(second, "final_estimator")
        rows = self._encode(rows)
        below = self._share_of_rounds_below(first, rows, rng)
        reliable, heavy = below >= 0.5, rows.weight[rows.unlabeled] > 0
        if not reliable[heavy].any():  # spies all over: the least suspected rows must do
            reliable = heavy & (below == below[heavy].max())
        self.reliable_ = np.r_[
            np.flatnonzero(rows.unlabeled)[reliable], np.flatnonzero(rows.labels == -1)
        ]
        kept = rows.y == 1
        kept[self.reliable_] = True
        self.estimator_ = fit_learner(second, rows.take(kept), rng)

    def _share_of_rounds_below(
        self, learner: Any, rows: TrainingRows, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return in which share of the rounds each unlabeled row scores below the spies."""
        weigh = np.flatnonzero((rows.y == 1) & (rows.weight > 0))
        if len(weigh) < 2:
            raise ValueError(
                "Spies need two labeled rows of a weight above 0, one to hide and one to learn "
                f"from, got {len(weigh)}. Give more of them weight."
            )
        labeled, unlabeled = rng.permutation(weigh), rows.unlabeled
        n_spies = min(max(1, round(self.spy_share * len(labeled))), len(labeled) - 1)
        rounds = np.array_split(labeled, -(-len(labeled) // n_spies))
        votes = np.zeros(int(unlabeled.sum()))
        for spies in rounds:
            cover = rows.y.copy()
            cover[spies] = 0
            proba = positive_proba(fit_learner(learner, replace(rows, y=cover), rng), rows.X)
            votes += proba[unlabeled] < np.quantile(proba[spies], self.noise)
        return votes / len(rounds)

    def _scores(self, X: Any) -> Any:
        return positive_log_odds(self.estimator_, self.encoder_.transform(X))
