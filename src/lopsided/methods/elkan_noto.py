"""Elkan and Noto: from the probability of a label to that of a positive."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from lopsided._math import log_odds_of
from lopsided._rows import TrainingRows
from lopsided._validation import check_choice, check_count
from lopsided.methods._cross_fit import assign_group_folds, cross_fit
from lopsided.methods._encoders import EncodedClassifier
from lopsided.methods._learners import (
    check_learner,
    fit_learner,
    positive_log_odds,
    positive_proba,
)
from lopsided.methods.additive import AdditiveScores
from lopsided.methods.base import PUClassifier

__all__ = ["ElkanNotoClassifier", "hidden_weights", "label_frequency"]

_EPS = 0.999  # a probability of being labeled above this is not believed


@dataclass(eq=False, repr=False)
class ElkanNotoClassifier(EncodedClassifier):
    r"""Weight unlabeled rows by their probability to be hidden positives, then fit once more.

    If positives are labeled completely at random with frequency :math:`c`, a row is labeled
    with probability :math:`g = c\,P(y_{true} = 1)`. Out-of-fold probabilities give :math:`c`;
    with it an unlabeled row counts as a positive with weight
    :math:`\frac{1 - c}{c} \frac{g}{1 - g}` and as a negative with the rest.

    Every row is held out once, with its group if `fit` is given groups, labeled rows spread
    evenly over the folds, so that the label frequency is estimated even from two of them. A
    single one cannot be held out: its own model, which thinks too well of it, judges it.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        Needs `predict_proba` and `sample_weight`; None is a logistic regression.
    frequency : {"mean", "ratio", "max"}, default="mean"
        How the label frequency is estimated from out-of-fold probabilities: their mean over the
        labeled rows, that sum over the sum of all rows, or the largest. The first has the least
        variance.
    n_folds : int, default=5
        Parts into which rows are split for holding out, at most the number of labeled rows.
    refit : bool, default=True
        Whether to fit again with weights. Otherwise the probabilities of being labeled are
        divided by the frequency, which leaves their order as it is.
    n_jobs : int or None, default=None
        No effect: linear algebra uses one thread. Every method has this parameter.
    random_state : int, Generator or None, default=None
        Seed of the folds and of the estimator, where it draws.

    Attributes
    ----------
    label_frequency_ : float
        The estimated share of positives that are labeled.
    prior_ : float
        The share of positives that follows.
    estimator_ : scikit-learn classifier
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

    estimator: Any = None
    frequency: Literal["mean", "ratio", "max"] = "mean"
    n_folds: int = 5
    refit: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_choice(self.frequency, ("mean", "ratio", "max"), "way to estimate the frequency")
        check_count(self.n_folds, "n_folds", least=2)
        learner = LogisticRegression() if self.estimator is None else self.estimator
        check_learner(learner, "estimator")
        self._fit_twice(learner, self._encode(rows), rng)

    def _fit_twice(self, learner: Any, rows: TrainingRows, rng: np.random.Generator) -> None:
        """Fit on the labels, find the frequency out-of-fold, and fit again with weights."""
        proba = self._out_of_fold(learner, rows, rng)
        found = label_frequency(proba, rows.y, rows.weight, self.frequency)
        # Labeled rows are among the positives, and these among all rows.
        self.label_frequency_ = float(np.clip(found, rows.labeled_share, 1.0))
        self.prior_ = rows.labeled_share / self.label_frequency_
        if self.refit:
            hidden = hidden_weights(proba, self.label_frequency_)
            positive = np.where(rows.unlabeled, hidden, rows.y)
            rows = rows.doubled(positive, 1 - positive)
        self.estimator_ = fit_learner(learner, rows, rng)

    def _out_of_fold(
        self, learner: Any, rows: TrainingRows, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the probability of being labeled by a model that has not seen the row."""
        apart = np.arange(len(rows)) if rows.groups is None else rows.groups
        counts = (len(np.unique(apart[rows.y == label])) for label in (0, 1))
        n_folds = min(self.n_folds, *counts)
        if n_folds < 2:  # a single labeled or unlabeled row cannot be left out
            return positive_proba(fit_learner(learner, rows, rng), rows.X)
        if rows.groups is None:
            fold_of = _stratified_folds(rows.y, n_folds, int(rng.integers(2**31)))
        else:
            fold_of = assign_group_folds(rows.y, rows.groups, n_folds, rng)
            if any((rows.y[fold_of != fold] == 1).all() for fold in range(n_folds)):
                return positive_proba(fit_learner(learner, rows, rng), rows.X)

        def fit(part: TrainingRows, _: int) -> tuple[None, Any]:
            return None, partial(positive_proba, fit_learner(learner, part, rng))

        return cross_fit(rows, fold_of, fit).out_of_fold

    def _scores(self, X: Any) -> Any:
        encoded = self.encoder_.transform(X)
        scores = positive_log_odds(self.estimator_, encoded)
        if self.refit:
            return scores
        proba = positive_proba(self.estimator_, encoded) / self.label_frequency_
        # What is above 1 keeps its order: from just below it, scores rise as the model's own.
        turn = _EPS * self.label_frequency_
        beyond = np.maximum(scores - log_odds_of(np.array(turn)), 0.0)
        return log_odds_of(np.minimum(proba, _EPS)) + beyond

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        if self.refit:
            return super()._additive_scores(X, background, seed)
        return PUClassifier._additive_scores(self, X, background, seed)  # no log-odds: sampled


def _stratified_folds(y: NDArray[np.int8], n_folds: int, seed: int) -> NDArray[np.int64]:
    fold_of = np.empty(len(y), np.int64)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for fold, (_, left_out) in enumerate(splitter.split(np.zeros(len(y)), y)):
        fold_of[left_out] = fold
    return fold_of


def label_frequency(
    proba: NDArray[Any], y: NDArray[Any], weight: NDArray[Any], kind: str = "mean"
) -> float:
    """Return the share of positives that are labeled, from out-of-fold P(y = 1)."""
    labeled = y == 1
    if kind == "mean":
        return float(np.average(proba[labeled], weights=weight[labeled]))
    if kind == "ratio":
        total = (weight * proba).sum()
        return float((weight * proba)[labeled].sum() / total) if total > 0 else 0.0
    return float(proba.max())


def hidden_weights(proba: NDArray[Any], frequency: float) -> NDArray[np.float64]:
    """Return how probably an unlabeled row is positive, given how probably it is labeled."""
    g = np.minimum(proba, _EPS)
    return np.clip((1 - frequency) / frequency * g / (1 - g), 0.0, 1.0 - 1e-6)
