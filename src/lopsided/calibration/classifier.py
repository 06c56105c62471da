"""Probabilities of being positive for any classifier, calibrated on out-of-fold scores."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    has_fit_parameter,
)

from lopsided._math import log_odds_of
from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import (
    as_generator,
    check_choice,
    check_count,
    check_labels,
    check_prior,
    encode_groups,
)
from lopsided._warnings import warn
from lopsided.calibration.maps import METHODS, Method, fit_calibration
from lopsided.exceptions import PriorWarning
from lopsided.methods._learners import seeded_copy
from lopsided.methods.additive import AdditiveScores, additive_scores, settle
from lopsided.methods.answers import scores_of
from lopsided.methods.base import ScoreAnswers, as_pandas, assign_folds
from lopsided.model_selection.out_of_fold import Split, cross_score, fit_rows, list_splits
from lopsided.priors import estimate_prior
from lopsided.priors.estimation import PriorLike, warn_unidentified
from lopsided.priors.registry import is_estimated, resolve_prior

__all__ = ["PUCalibratedClassifier"]


@dataclass(eq=False, repr=False)
class PUCalibratedClassifier(ScoreAnswers, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are those of being positive, not of being labeled.

    The classifier is fitted once on all rows. A map from its scores to log-odds of being
    positive is fitted on scores of rows that a model has not seen: those that the classifier
    keeps as `oob_decision_function_`, or else those of models fitted without each fold. The map
    rises, so that the ranking stays as it is ("isotonic" may tie neighbors).

    The probabilities are right on average for a prior that is right and labels that are given
    completely at random; see `fit_calibration`. Those of "temperature" alone are not: it
    divides log-odds by a number and leaves their boundary at 0, so that nothing moves their
    mean to the prior; take it only for scores whose boundary is right. If positives with high
    scores are labeled more often, probabilities are too steep.

    Parameters
    ----------
    estimator : classifier
        With `decision_function` or `predict_proba`; a method, or any of scikit-learn.
    method : {"beta", "platt", "temperature", "isotonic"}, default="beta"
        The kind of map.
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the table; "auto" estimates it from the same scores, as other names of
        `lopsided.priors.list_priors` and estimators such as `AutoPrior(Beta.around(0.05))` do,
        and warns where they do not identify it.
    cv : int, splitter or iterable, default=5
        Folds, at most the number of labeled rows, where there are no out-of-bag scores or
        `groups` are given. Rows that a splitter never tests do not count for the map, and
        those that it tests more than once count by their mean score.
    n_jobs : int or None, default=None
        Folds fitted at the same time, in threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the folds, of the estimate of the prior, and of the classifier where its own is
        None.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows.
    calibration_ : CalibrationMap
        From its scores to log-odds of being positive.
    prior_ : float
        The prior in use.
    prior_estimate_ : PriorEstimate
        Its interval and verdict, where it was estimated.
    oob_decision_function_ : ndarray of shape (n_rows,)
        Log-odds of being positive of the training rows by models that have not seen them; NaN
        where there is none.
    classes_ : ndarray of shape (2,)
        Always 0 and 1.
    n_features_in_, feature_names_in_
        As the fitted classifier has them.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import PUForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> positive = X[:, 0] + 0.5 * rng.normal(size=600) > 1.5
    >>> y = positive & (rng.random(600) < 0.5)
    >>> forest = PUForestClassifier(n_estimators=100, min_samples_leaf=5, oob_score=True)
    >>> model = PUCalibratedClassifier(forest, prior=float(positive.mean()), random_state=0)
    >>> proba = model.fit(X, y).predict_proba(X)[:, 1]
    >>> bool(abs(proba.mean() - positive.mean()) < 0.03)
    True
    """

    estimator: Any
    method: Method = "beta"
    prior: PriorLike = "auto"
    cv: Any = 5
    n_jobs: int | None = None
    random_state: Any = None
    _min_labeled: ClassVar[int] = 2  # one to learn from, one to leave out

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> "PUCalibratedClassifier":
        """Fit the classifier, and the map from its scores to probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as the classifier takes it.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative: a method learns from
            it, to any other classifier and to the calibration it is a row that is not labeled.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; 2 counts a row twice. A classifier that takes none is fitted
            without, with a warning.
        groups : array of shape (n_rows,), optional
            Groups that must not be on both sides of a fold, such as customers; a method is
            given them in `fit`. Out-of-bag scores know nothing of groups: folds are fitted
            instead.

        Returns
        -------
        self
        """
        self._check_params()
        X, as_given = _as_table(X), check_labels(y, keep_reviewed=True)
        labels, reviewed = np.maximum(as_given, 0), as_given == -1
        rng = as_generator(self.random_state)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, labels, ensure_non_negative=True)
        template = seeded_copy(self.estimator, rng)
        self.classes_ = np.array([0, 1])
        rows = TrainingRows(
            X,
            labels,
            self._passed(weight, len(labels)),
            reviewed if reviewed.any() else None,
            None if groups is None else encode_groups(groups, len(labels)),
        )
        with warnings.catch_warnings():
            if not _ranks_by_prior(template):  # the prior that counts is settled below
                warnings.simplefilter("ignore", PriorWarning)
            self.estimator_ = fit_rows(clone(template), rows)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        scores = None if groups is not None else _out_of_bag(self.estimator_, labels)
        if scores is None:
            scores = self._cross_fit(template, rows, self._folds(rows, groups, rng), rng)
        self.prior_ = self._settle_prior(labels, scores, weight, rng)
        self.calibration_ = fit_calibration(scores, labels, self.prior_, self.method, weight)
        self.oob_decision_function_ = self.calibration_.transform(scores)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of being positive of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        return self.calibration_.transform(scores_of(self.estimator_, as_pandas(X)))

    def additive_scores(
        self, X: Any, *, background: Any = None, random_state: Any = 0
    ) -> AdditiveScores:
        """Return log-odds as sums over the columns: those of the classifier, calibrated.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.
        background : array or data frame of shape (n_others, n_features), optional
            Rows to compare with, where the classifier has no exact terms.
        random_state : int, Generator or None, default=0
            Seed of the sampling then.

        Returns
        -------
        AdditiveScores
        """
        check_is_fitted(self)
        given = {"background": background, "random_state": random_state}
        own = additive_scores(self.estimator_, as_pandas(X), **given)
        found = own.mapped(self.calibration_.transform)
        return settle(found.base, found.terms, self.decision_function(X))

    def needs_prior(self) -> bool:
        """Say that the prior matters."""
        return True

    def _check_params(self) -> None:
        check_choice(self.method, METHODS, "calibration")
        if not hasattr(self.estimator, "fit"):
            raise ValueError(
                f"estimator must be a classifier, got {quote(self.estimator)}. Pass one "
                "such as PUForestClassifier(oob_score=True)."
            )
        if is_estimated(self.prior):
            resolve_prior(self.prior)
        else:
            check_prior(self.prior, 0.0, or_auto=True)
        if isinstance(self.cv, (int, np.integer)):
            check_count(self.cv, "cv", least=2)

    def _passed(self, weight: Any, n_rows: int) -> NDArray[np.float64]:
        """Return the weights that the classifier is fitted with."""
        if weight is None:
            return np.ones(n_rows)
        if has_fit_parameter(self.estimator, "sample_weight"):
            return np.asarray(weight, np.float64)
        warn(
            f"{type(self.estimator).__name__} takes no sample_weight in fit: the weights count "
            "for the calibration only.",
        )
        return np.ones(n_rows)

    def _cross_fit(
        self, template: Any, rows: TrainingRows, folds: list[Split], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return scores by models fitted without each fold; NaN for rows in none."""

        def keep(scores: Any, model: Any, part: TrainingRows) -> NDArray[np.float64]:
            return np.asarray(scores, np.float64)

        splits = [(_with_two_labeled(train, rows.y), test) for train, test in folds]
        given = (template, rows, splits, rng, keep)
        return cross_score(*given, score=scores_of, n_jobs=self.n_jobs, label="calibrating")

    def _folds(self, rows: TrainingRows, groups: Any, rng: np.random.Generator) -> list[Split]:
        """Return training and test rows, labeled ones spread evenly, groups kept together."""
        if groups is not None or not isinstance(self.cv, (int, np.integer)):
            return list_splits(self.cv, rows, groups, rng)
        y = rows.y
        n_folds = min(int(self.cv), int(y.sum()), int((y == 0).sum()))
        if n_folds < 2:
            raise ValueError(
                "A calibration needs two labeled and two unlabeled rows, to leave one out, got "
                f"{int(y.sum())} and {int((y == 0).sum())}. Label more rows, or take "
                "FocusedClassifier, which is calibrated as it is."
            )
        fold_of = assign_folds(y, n_folds, {1: rng, 0: rng})
        return [
            (np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
            for fold in range(n_folds)
        ]

    def _settle_prior(
        self,
        y: NDArray[np.int8],
        scores: NDArray[np.float64],
        weight: Any,
        rng: np.random.Generator,
    ) -> float:
        """Return the prior as given, or estimated from out-of-fold scores."""
        given: Any = self.prior
        if is_estimated(given):
            known = ~np.isnan(scores)
            self.prior_estimate_ = estimate_prior(
                y[known],
                scores[known],
                method=given,
                weight=None if weight is None else weight[known],
                random_state=int(rng.integers(2**31)),
            )
            warn_unidentified(self.prior_estimate_)
            given = self.prior_estimate_
        return check_prior(given, float(np.average(y, weights=weight)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        # scikit-learn's toy data have no hidden positives to be found.
        tags.classifier_tags.poor_score = True
        tags.input_tags.allow_nan = own.allow_nan
        tags.input_tags.sparse = own.sparse
        tags.input_tags.categorical = own.categorical
        return tags


def _ranks_by_prior(model: Any) -> bool:
    """Say whether the order of a classifier's scores depends on a prior of its own."""
    return bool(getattr(model, "needs_prior", lambda: True)())


def _with_two_labeled(train: NDArray[np.intp], y: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return rows to train on, a labeled row twice if it is alone: some methods want two."""
    labeled = train[y[train] == 1]
    return np.append(train, labeled) if len(labeled) == 1 else train


def _as_table(X: Any) -> Any:
    """Return a table whose rows can be taken."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    table = as_pandas(X)
    return table if hasattr(table, "shape") else np.asarray(table)


def _out_of_bag(model: Any, y: NDArray[np.int8]) -> NDArray[np.float64] | None:
    """Return the out-of-bag scores that a fitted classifier keeps, if both kinds have some."""
    scores = np.asarray(getattr(model, "oob_decision_function_", np.nan), dtype=np.float64)
    if scores.ndim == 2:  # scikit-learn's forests keep a probability for each class
        scores = log_odds_of(scores[:, -1])
    known = ~np.isnan(scores)
    if scores.shape != y.shape or not (known & (y == 1)).any() or not (known & (y == 0)).any():
        return None
    return scores
