"""Several kinds of positives: one ranking for any of them, and the likeliest kind of a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from lopsided._blas import one_blas_thread
from lopsided._math import sigmoid
from lopsided._terminal import abbreviate, quote
from lopsided._validation import as_generator
from lopsided.methods._kinds import KindModel, check_kinds, fit_kind_model
from lopsided.methods._learners import positive_proba, seeded_copy
from lopsided.methods.additive import AdditiveScores, additive_scores
from lopsided.methods.answers import scores_of
from lopsided.methods.base import Accepts, PUClassifier, as_pandas
from lopsided.methods.registry import build

__all__ = ["MultiPositiveClassifier"]

_MAX_BLOCK = 2**24  # values of a table that are made dense at once


@dataclass(eq=False, repr=False)
class MultiPositiveClassifier(MetaEstimatorMixin, PUClassifier):
    r"""Rank for positives of any kind, and name the likeliest kind of each row.

    Labels are 1 to K for positives of K kinds, such as types of fraud. A PU classifier is
    fitted on "any kind or unlabeled": its ranking is the one that a merged label gives. A
    second model learns from the labeled rows alone which kind a positive is, so that

    .. math:: P(kind, x) = P(any \mid x) \, P(kind \mid any, x).

    Kinds may have very few rows, even one. The second model is a mixture of the frequencies of
    the kinds, logistic regression and extra trees; how much each counts is the mixture of the
    greatest likelihood for labeled rows that were left out. Where columns say nothing about the
    kind, the frequencies carry it; where each kind has one labeled row, they count half.

    Which rows get a label must not depend on the kind, given the row; where some kinds are
    labeled more often than others by known factors, pass `label_frequency`.

    Parameters
    ----------
    estimator : classifier, str or None, default=None
        What ranks: a method, the name of one in the registry, or another scikit-learn
        classifier, for which unlabeled and reviewed rows are negatives. None is
        `FocusedClassifier`.
    label_frequency : dict of int to float or None, default=None
        P(labeled given positive) of each kind; only their ratios matter. None takes them to be
        alike. The ranking does not depend on it.
    n_jobs : int or None, default=None
        Threads of the model of kinds; None is 1 and -1 is all. The estimator has its own.
    random_state : int, Generator or None, default=None
        Seed of the model of kinds, and of the estimator where its own is None.

    Attributes
    ----------
    classes_ : ndarray of shape (1 + K,)
        0, and the kinds in order.
    kinds_ : ndarray of shape (K,)
        The kinds in order: the columns of `predict_kind_proba`.
    estimator_ : classifier
        What ranks, fitted on 1 = any kind, 0 = unlabeled, -1 = reviewed negative.
    kind_weights_ : dict of str to float
        What "frequency", "logistic" and "extra-trees" count for the kinds, 1 in sum.
    oob_decision_function_ : ndarray of shape (n_rows,)
        Scores of the training rows by models that have not seen them, where the estimator has
        them.
    n_features_in_, feature_names_in_, categorical_, category_levels_
        As of every method.

    References
    ----------
    Xu, Xu, Xu, Tao: Multi-positive and unlabeled learning. IJCAI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = np.where(X[:, 0] > 1.5, np.where(X[:, 1] > 0, 1, 2), 0)
    >>> model = MultiPositiveClassifier("naive-logistic", random_state=0).fit(X, y)
    >>> model.predict_kind([[3, 2, 0], [3, -2, 0]])
    array([1, 2])
    >>> model.predict_proba([[3, 2, 0]]).shape
    (1, 3)
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, sparse=True, categories=True)
    estimator: Any = None
    label_frequency: Mapping[int, float] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    @one_blas_thread
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> "MultiPositiveClassifier":
        """Learn the ranking from labeled and unlabeled rows, the kinds from labeled ones.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The table, as the estimator takes it.
        y : array of shape (n_rows,)
            1 to K = labeled positive of that kind, 0 = unlabeled, -1 = reviewed and found to be
            negative. Kinds may be any whole numbers above 0.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; 2 counts a row twice.
        groups : array of shape (n_rows,), optional
            Groups of rows, such as customers, that the estimator's folds keep together.

        Returns
        -------
        self
        """
        X, kinds = as_pandas(X), check_kinds(y)
        base = self._base(sample_weight)
        rows = self._check_rows(X, np.clip(kinds, -1, 1), sample_weight, groups)
        self.kinds_ = np.unique(kinds[kinds > 0])
        self.classes_ = np.append(0, self.kinds_)
        self._kind_factors = self._check_label_frequency()
        rng = as_generator(self.random_state)
        base = seeded_copy(base, rng)
        passed = {} if sample_weight is None else {"sample_weight": rows.weight}
        is_method = isinstance(base, PUClassifier)  # takes reviewed rows, or says it does not
        if groups is not None and is_method:
            passed["groups"] = groups
        self.estimator_ = base.fit(X, rows.labels if is_method else rows.y, **passed)
        for name in ("prior_", "oob_decision_function_"):
            self.__dict__.pop(name, None)  # of an earlier fit
            if is_method and hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        codes = np.where(kinds > 0, np.searchsorted(self.kinds_, kinds), -1)
        self.kind_model_: KindModel = fit_kind_model(
            rows, codes, len(self.kinds_), self._levels(), rng, self._n_threads()
        )
        self.kind_weights_ = dict(self.kind_model_.weights)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return one score per row for any kind: larger is more positive, 0 is the boundary.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            As of the estimator; log-odds where it has probabilities only.
        """
        check_is_fitted(self)
        return scores_of(self.estimator_, X)

    def additive_scores(
        self, X: Any, *, background: Any = None, random_state: Any = 0
    ) -> AdditiveScores:
        """Return the scores for any kind as sums over the columns, as the estimator has them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.
        background : array or data frame of shape (n_others, n_features), optional
            Rows to compare with, where terms have to be sampled.
        random_state : int, Generator or None, default=0
            Seed of the sampling then.

        Returns
        -------
        AdditiveScores
        """
        check_is_fitted(self)
        given = {"background": background, "random_state": random_state}
        return additive_scores(self.estimator_, X, **given)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of being negative, and of being a positive of each kind.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, 1 + K)
            Columns as in `classes_`: 1 - P(any), then P(any) times the probability of each kind
            given that the row is positive. P(any) is the estimator's.
        """
        check_is_fitted(self)
        if hasattr(self.estimator_, "predict_proba"):
            negative = 1 - positive_proba(self.estimator_, X)
        else:
            negative = sigmoid(-self.decision_function(X))
        joint = (1 - negative)[:, None] * self.predict_kind_proba(X)
        return np.column_stack([negative, joint])

    @one_blas_thread
    def predict_kind_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each kind, given that the row is positive.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, K)
            Columns as in `kinds_`; 1 in sum.
        """
        table = self._read(X)
        size = max(1, _MAX_BLOCK // table.shape[1])
        starts = range(0, table.shape[0], size)
        blocks = [self.kind_model_.predict_proba(table[at : at + size]) for at in starts]
        proba = np.concatenate(blocks) * self._kind_factors
        return np.asarray(proba / proba.sum(axis=1, keepdims=True))

    def predict_kind(self, X: Any) -> NDArray[np.int64]:
        """Return the likeliest kind of each row, given that it is positive.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        proba = self.predict_kind_proba(X)
        return self.kinds_[proba.argmax(axis=1)]

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the likeliest kind where the score is above 0, else 0.

        A row that is more likely positive than not has a kind, even if each of its kinds alone
        is less likely than none: it is first decided whether, then which. Where positives are
        rare, rank instead, and ask `predict_kind`.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        above = self.decision_function(X) > 0
        return np.where(above, self.predict_kind(X), 0)

    def _base(self, sample_weight: Any) -> Any:
        """Return the classifier that ranks, not fitted, if it can."""
        from lopsided.methods.focused import FocusedClassifier

        base = FocusedClassifier() if self.estimator is None else self.estimator
        if isinstance(base, str):
            base = build(base)
        ranks = hasattr(base, "decision_function") or hasattr(base, "predict_proba")
        if not (_is_estimator(base) and is_classifier(base) and ranks):
            raise ValueError(
                "estimator must be a classifier with decision_function or predict_proba, the "
                f"name of a method, or None, got {quote(base)}. Pass one such as "
                "FocusedClassifier()."
            )
        if sample_weight is not None and not has_fit_parameter(base, "sample_weight"):
            raise ValueError(
                f"estimator must take sample_weight in fit, got {type(base).__name__}. Use one "
                "that weighs rows, or leave sample_weight out."
            )
        return base

    def _check_label_frequency(self) -> NDArray[np.float64]:
        """Return the factor by which positives of each kind are underrepresented."""
        if self.label_frequency is None:
            return np.ones(len(self.kinds_))
        given, wanted = self.label_frequency, self.kinds_.tolist()
        if not isinstance(given, Mapping) or set(given) != set(wanted):
            raise ValueError(
                f"label_frequency must be a dict with a number for each of the kinds {wanted}, "
                f"got {abbreviate(given)}."
            )
        found = np.array([given[kind] for kind in wanted], np.float64)
        if not ((found > 0) & (found <= 1)).all():
            raise ValueError(
                f"label_frequency must hold numbers above 0 and at most 1, got {quote(given)}."
            )
        return found.min() / found

    def _expects_hidden(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        if _is_estimator(self.estimator):  # a name or None stands for a method
            own = get_tags(self.estimator).input_tags
            tags.input_tags.allow_nan = own.allow_nan
            tags.input_tags.sparse = own.sparse
            tags.input_tags.categorical = own.categorical
        return tags


def _is_estimator(candidate: Any) -> bool:
    return hasattr(candidate, "__sklearn_tags__") and not isinstance(candidate, type)
