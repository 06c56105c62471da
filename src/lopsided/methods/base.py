"""The face every method shares: scikit-learn's, with PU labels."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from lopsided._check import as_generator, check_labels, check_prior, check_weight_range
from lopsided._math import sigmoid
from lopsided._rows import TrainingRows
from lopsided.methods._categories import (
    as_pandas,
    category_levels,
    drop_empty_levels,
    encode_categories,
    find_categories,
)
from lopsided.methods._cross_fit import assign_folds, cross_fit

__all__ = [
    "Accepts",
    "PUClassifier",
    "TrainingRows",
    "as_pandas",
    "assign_folds",
    "cross_fit",
]


@cache
def _find_thread_pools() -> Any:
    """Return the libraries whose threads can be counted; each search takes milliseconds."""
    import scipy.linalg  # noqa: F401 - its library must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class Accepts(NamedTuple):
    """What a learner can read besides finite numbers."""

    nan: bool = False
    sparse: bool = False
    categories: bool = False


class PUClassifier(ClassifierMixin, BaseEstimator):
    """Base of all methods: checks what comes in, settles the prior, turns scores into answers.

    A method implements `_fit(rows, rng)`, where rows are checked and `prior_` is set, and
    `_scores(X)`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Always 0 and 1.
    prior_ : float
        The prior in use: given, or guessed, and never below the labeled share.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when X was a data frame.
    categorical_ : tuple of int
        The positions of columns that hold categories.
    category_levels_ : dict
        The levels that had rows in training, for each of these columns by its name. Any other
        value counts as missing.
    """

    _accepts: ClassVar[Accepts] = Accepts()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PUClassifier":
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The table. Which of NaN, sparse and categories are taken depends on the method.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; 2 counts a row twice.

        Returns
        -------
        self
        """
        X = as_pandas(X)
        self.category_levels_ = category_levels(X, self._accepts.categories)
        self.categorical_ = find_categories(X, self.category_levels_)
        X = self._numbers(X, reset=True)
        y = check_labels(y)
        if len(y) != X.shape[0]:
            raise ValueError(
                f"X and y must have the same number of rows, got {X.shape[0]} and {len(y)}."
            )
        weight = self._weights(sample_weight, X, y)
        X, self.category_levels_ = drop_empty_levels(
            X, self.category_levels_, weight, self.categorical_
        )
        self.classes_ = np.array([0, 1])
        rows = TrainingRows(X, y, weight)
        self.prior_ = self.resolve_prior(rows.labeled_share)
        self._fit(rows, as_generator(getattr(self, "random_state", None)))
        self._advise()
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return one score per row: larger is more positive, 0 is the boundary.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return np.asarray(self._scores(self._read(X)), dtype=np.float64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class by the model's own account, not calibrated.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Columns as in `classes_`.
        """
        scores = self.decision_function(X)
        return np.column_stack([sigmoid(-scores), sigmoid(scores)])

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 1 where the score is above 0, else 0. Where positives are rare, rank instead.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        above = self.decision_function(X) > 0
        return self.classes_[above.astype(int)]

    def resolve_prior(self, labeled_share: float) -> float:
        """Return the prior to work with: as given, raised, guessed, or the labeled share."""
        if not self.needs_prior():
            return labeled_share
        prior = getattr(self, "prior", None)
        if self._scenario() == "one-sample":
            return check_prior(prior, labeled_share)
        if prior is None:
            raise ValueError(
                "scenario='two-sample' needs a prior, got None: the labeled rows, a sample of "
                "their own, say nothing about it. Pass the share of positives among the "
                "unlabeled rows."
            )
        return check_prior(prior, labeled_share=0.0)

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        raise NotImplementedError

    def _scores(self, X: Any) -> Any:
        raise NotImplementedError

    def _advise(self) -> None:
        """Warn of a fit that could be better; a part of another method keeps quiet."""

    def _schema(self) -> dict[str, Any]:
        """Return what `fit` learned of the columns, for the parts of this method."""
        found = ("category_levels_", "categorical_", "n_features_in_", "classes_")
        names = (*found, "feature_names_in_")  # an array has none
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _fit_part(
        self, rows: TrainingRows, seed: int, schema: Mapping[str, Any]
    ) -> "PUClassifier":
        """Fit on rows that another method, of which this one is a part, has checked already."""
        for name, value in schema.items():
            setattr(self, name, value)
        self.prior_ = self.resolve_prior(rows.labeled_share)
        self._fit(rows, np.random.default_rng(seed))
        return self

    def needs_prior(self) -> bool:
        """Say whether the prior matters to this method as it is set up."""
        return hasattr(self, "prior")

    def _expects_hidden(self) -> bool:
        """Say whether the method takes some unlabeled rows for positives whatever they are."""
        return self.needs_prior()  # a guessed one is above the labeled share

    def _n_threads(self) -> int:
        """Return the number of threads that `n_jobs` asks for."""
        from joblib import effective_n_jobs

        return effective_n_jobs(getattr(self, "n_jobs", None))

    def _linear_algebra(self) -> Any:
        """Return a context in which linear algebra keeps to the method's number of threads.

        Left alone it takes all cores for each small product, and waits for them.
        """
        return _find_thread_pools().limit(limits=self._n_threads(), user_api="blas")

    def _levels(self) -> dict[int, int]:
        """Return the position of each category column and its number of levels."""
        known = self.category_levels_.values()
        return dict(zip(self.categorical_, map(len, known), strict=True))

    def _scenario(self) -> str:
        """Return how the rows were drawn: "one-sample" or "two-sample"."""
        return "one-sample"

    def _read(self, X: Any) -> Any:
        """Return rows to be scored, checked against those of `fit`."""
        check_is_fitted(self)
        return self._numbers(as_pandas(X), reset=False)

    def _numbers(self, X: Any, reset: bool) -> Any:
        """Return X as checked floats, categories as codes."""
        encoded = encode_categories(X, self.category_levels_)
        with np.errstate(invalid="ignore"):  # sums of the largest numbers are asked for
            numbers = validate_data(
                self,
                encoded,
                reset=reset,
                accept_sparse="csr" if self._accepts.sparse else False,
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan" if self._accepts.nan else True,
                ensure_min_samples=1,
            )
        # Names that are no text are compared by nobody else.
        if find_categories(X, self.category_levels_) != self.categorical_:
            raise ValueError(
                f"X must have its categories in the columns {self.categorical_}, as in "
                "training, got another order. Sort the columns."
            )
        return numbers

    def _weights(self, sample_weight: Any, X: Any, y: NDArray[np.int8]) -> NDArray[np.float64]:
        if sample_weight is None:
            return np.ones(len(y))
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        weight = check_weight_range(weight)
        for label, kind in ((1, "labeled"), (0, "unlabeled")):
            if not weight[y == label].sum() > 0:
                raise ValueError(
                    f"sample_weight must be above 0 for some {kind} rows, got 0 for all: one "
                    "class is left. Weigh them, or leave sample_weight out."
                )
        return weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # scikit-learn's toy data have no hidden positives to be found.
        tags.classifier_tags.poor_score = self._expects_hidden()
        tags.input_tags.allow_nan = self._accepts.nan
        tags.input_tags.sparse = self._accepts.sparse
        tags.input_tags.categorical = self._accepts.categories
        return tags
