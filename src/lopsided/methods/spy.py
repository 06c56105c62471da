"""Spies: labeled rows hidden among the unlabeled ones show which of these are negatives."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided._rows import TrainingRows
from lopsided.methods._inputs import fit_inputs
from lopsided.methods._learners import (
    check_learner,
    fit_learner,
    positive_chance,
    positive_log_odds,
)
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["SpyClassifier"]


class SpyClassifier(PUClassifier):
    """Hide some labeled rows, see where they land, and take what lies below for negatives.

    A first learner is fitted with some labeled rows, the spies, among the unlabeled ones. An
    unlabeled row that scores below nearly all spies is no hidden positive: a reliable negative.
    Every labeled row is a spy once, and an unlabeled row is reliable if most rounds say so. A
    second learner is fitted on the labeled rows and the reliable negatives alone.

    Parameters
    ----------
    classifier : scikit-learn classifier or None, default=None
        The first learner, with `predict_proba` and `sample_weight`; None is a logistic
        regression with balanced classes.
    final : scikit-learn classifier or None, default=None
        The second one; None is the same as the first.
    spy_share : float, default=0.15
        Share of the labeled rows that are spies in a round, at least one row.
    noise : float, default=0.05
        Share of the spies that may score below a reliable negative: outliers.
    n_jobs : int or None, default=None
        Threads of linear algebra; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the spies and of the learners, where they draw.

    Attributes
    ----------
    reliable_ : ndarray of int
        The training rows that were taken for negatives.
    classifier_ : scikit-learn classifier
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

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def __init__(
        self,
        classifier=None,
        final=None,
        spy_share=0.15,
        noise=0.05,
        n_jobs=None,
        random_state=None,
    ):
        self.classifier = classifier
        self.final = final
        self.spy_share = spy_share
        self.noise = noise
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return False

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        for name in ("spy_share", "noise"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 <= value < 1):
                raise ValueError(f"{name} must be at least 0 and below 1, got {value!r}.")
        first = LogisticRegression(class_weight="balanced")
        first = check_learner(
            first if self.classifier is None else self.classifier, "classifier"
        )
        second = check_learner(first if self.final is None else self.final, "final")
        self.inputs_ = fit_inputs(X, self._levels(), weight)
        inputs = self.inputs_.transform(X)
        weight = np.ones(len(y)) if weight is None else weight
        with self._linear_algebra():
            below = self._share_of_rounds_below(first, inputs, y, weight, rng)
        unlabeled = np.flatnonzero(y == 0)
        reliable = below >= 0.5
        if not reliable.any():  # spies all over: the least suspected rows must do
            reliable = below == below.max()
        self.reliable_ = unlabeled[reliable]
        rows = np.sort(np.concatenate([np.flatnonzero(y == 1), self.reliable_]))
        with self._linear_algebra():
            self.classifier_ = fit_learner(second, inputs[rows], y[rows], weight[rows], rng)

    def _share_of_rounds_below(
        self, learner: Any, inputs: Any, y: Any, weight: Any, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return in which share of the rounds each unlabeled row scores below the spies."""
        labeled = rng.permutation(np.flatnonzero(y == 1))
        n_spies = min(max(1, round(self.spy_share * len(labeled))), len(labeled) - 1)
        rounds = np.array_split(labeled, -(-len(labeled) // n_spies))
        votes = np.zeros(int((y == 0).sum()))
        for spies in rounds:
            cover = y.copy()
            cover[spies] = 0
            model = fit_learner(learner, inputs, cover, weight, rng)
            chances = positive_chance(model, inputs)
            votes += chances[y == 0] < np.quantile(chances[spies], self.noise)
        return votes / len(rounds)

    def _scores(self, X: Any) -> Any:
        return positive_log_odds(self.classifier_, self.inputs_.transform(X))
