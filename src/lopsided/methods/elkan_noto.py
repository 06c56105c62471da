"""Elkan and Noto: from the chance of being labeled to the chance of being positive."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from lopsided._check import check_choice, check_count
from lopsided._rows import TrainingRows
from lopsided.methods._inputs import fit_inputs
from lopsided.methods._learners import (
    check_learner,
    fit_learner,
    log_odds_of,
    positive_chance,
    positive_log_odds,
)
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["ElkanNotoClassifier", "hidden_weights", "label_frequency"]

_EPS = 0.999  # a chance of being labeled above this is not believed


class ElkanNotoClassifier(PUClassifier):
    r"""Weigh unlabeled rows by their chance to be hidden positives, then fit once more.

    If positives are labeled completely at random with frequency :math:`c`, a row's chance of
    being labeled is :math:`g = c\,P(y_{true} = 1)`. Chances of rows that the model has not seen
    give :math:`c`; with it an unlabeled row counts as a positive with weight
    :math:`\frac{1 - c}{c} \frac{g}{1 - g}` and as a negative with the rest.

    Every row is held out once, labeled rows spread evenly over the folds, so that the label
    frequency is estimated even from two of them.

    Parameters
    ----------
    classifier : scikit-learn classifier or None, default=None
        Needs `predict_proba` and `sample_weight`; None is a logistic regression.
    frequency : {"mean", "ratio", "max"}, default="mean"
        How the label frequency is estimated from held-out chances: their mean over the labeled
        rows, that sum over the sum of all rows, or the largest. The first has the least
        variance.
    n_folds : int, default=5
        Parts into which rows are split for holding out, at most the number of labeled rows.
    refit : bool, default=True
        Whether to fit again with weights. Otherwise the chances of being labeled are divided by
        the frequency, which leaves their order as it is.
    n_jobs : int or None, default=None
        Threads of linear algebra; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the folds and of the classifier, where it draws.

    Attributes
    ----------
    label_frequency_ : float
        The estimated share of positives that are labeled.
    prior_ : float
        The share of positives that follows.
    classifier_ : scikit-learn classifier
        The final model.

    References
    ----------
    Elkan, Noto: Learning classifiers from only positive and unlabeled data. KDD 2008.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(3, 1, (100, 2)), rng.normal(0, 1, (300, 2))])
    >>> y = (np.arange(400) < 50).astype(int)
    >>> round(ElkanNotoClassifier(random_state=0).fit(X, y).label_frequency_, 1)
    0.5
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def __init__(
        self,
        classifier=None,
        frequency="mean",
        n_folds=5,
        refit=True,
        n_jobs=None,
        random_state=None,
    ):
        self.classifier = classifier
        self.frequency = frequency
        self.n_folds = n_folds
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return False

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        check_choice(self.frequency, ("mean", "ratio", "max"), "way to estimate the frequency")
        check_count(self.n_folds, "n_folds", least=2)
        learner = LogisticRegression() if self.classifier is None else self.classifier
        learner = check_learner(learner, "classifier")
        self.inputs_ = fit_inputs(X, self._levels(), weight)
        weight = np.ones(len(y)) if weight is None else weight
        with self._linear_algebra():
            self._fit_twice(learner, self.inputs_.transform(X), y, weight, rng)

    def _fit_twice(
        self, learner: Any, inputs: Any, y: Any, weight: Any, rng: np.random.Generator
    ) -> None:
        """Fit on the labels held out, find the frequency, and fit again with weights."""
        held_out = self._held_out_chances(learner, inputs, y, weight, rng)
        labeled = float(np.average(y, weights=weight))
        found = label_frequency(held_out, y, self.frequency, weight)
        # Labeled rows are among the positives, and these among all rows.
        self.label_frequency_ = float(np.clip(found, labeled, 1.0))
        self.prior_ = labeled / self.label_frequency_
        if not self.refit:
            self.classifier_ = fit_learner(learner, inputs, y, weight, rng)
            return
        up = np.where(y == 1, 1.0, hidden_weights(held_out, self.label_frequency_))
        weights = np.concatenate([weight * up, weight * (1 - up)])
        rows = weights > 0
        self.classifier_ = fit_learner(
            learner,
            np.vstack([inputs, inputs])[rows],
            np.repeat([1, 0], len(y))[rows],
            weights[rows],
            rng,
        )

    def _held_out_chances(
        self, learner: Any, inputs: Any, y: Any, weight: Any, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the chance of being labeled by a model that has not seen the row."""
        n_folds = min(self.n_folds, int(y.sum()), int((y == 0).sum()))
        if n_folds < 2:  # a single unlabeled row cannot be held out
            return positive_chance(fit_learner(learner, inputs, y, weight, rng), inputs)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
        chances = np.empty(len(y))
        for rows, others in folds.split(inputs, y):
            model = fit_learner(learner, inputs[rows], y[rows], weight[rows], rng)
            chances[others] = positive_chance(model, inputs[others])
        return chances

    def _scores(self, X: Any) -> Any:
        inputs = self.inputs_.transform(X)
        scores = positive_log_odds(self.classifier_, inputs)
        if self.refit:
            return scores
        chance = positive_chance(self.classifier_, inputs) / self.label_frequency_
        # Chances above 1 keep their order: from just below it, scores rise as the model's own.
        turn = _EPS * self.label_frequency_
        beyond = np.maximum(scores - log_odds_of(np.array(turn)), 0.0)
        return log_odds_of(np.minimum(chance, _EPS)) + beyond


def label_frequency(
    chances: NDArray[Any], y: NDArray[Any], kind: str = "mean", weight: Any = None
) -> float:
    """Return the share of positives that are labeled, from held-out chances of being labeled.

    Parameters
    ----------
    chances : ndarray of shape (n_rows,)
        P(y = 1) of each row, by a model that has not seen it.
    y : ndarray of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    kind : {"mean", "ratio", "max"}, default="mean"
        As in `ElkanNotoClassifier`.
    weight : ndarray of shape (n_rows,), optional
        Sample weights.
    """
    weight = np.ones(len(y)) if weight is None else weight
    labeled = y == 1
    if kind == "mean":
        return float(np.average(chances[labeled], weights=weight[labeled]))
    if kind == "ratio":
        total = (weight * chances).sum()
        return float((weight * chances)[labeled].sum() / total) if total > 0 else 0.0
    return float(chances.max())


def hidden_weights(chances: NDArray[Any], frequency: float) -> NDArray[np.float64]:
    """Return the chance of unlabeled rows to be positive, given their chance to be labeled."""
    g = np.minimum(chances, _EPS)
    return np.clip((1 - frequency) / frequency * g / (1 - g), 0.0, 1.0 - 1e-6)
