"""The face every method shares: scikit-learn's, with PU labels."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from lopsided._blas import one_blas_thread
from lopsided._rows import TrainingRows
from lopsided._validation import (
    as_generator,
    check_jobs,
    check_labels,
    check_prior,
    check_weight_range,
    encode_groups,
    fill_masked,
)
from lopsided._warnings import warn
from lopsided.methods._categories import (
    as_pandas,
    category_levels,
    drop_empty_levels,
    encode_categories,
    find_categories,
)
from lopsided.methods._cross_fit import assign_folds, assign_group_folds, cross_fit
from lopsided.methods.additive import AdditiveAnswers
from lopsided.methods.answers import ScoreAnswers
from lopsided.priors.registry import is_estimated

__all__ = [
    "Accepts",
    "PUClassifier",
    "ScoreAnswers",
    "TrainingRows",
    "as_pandas",
    "assign_folds",
    "assign_group_folds",
    "cross_fit",
    "takes_reviewed",
]


_OF_SOME_FITS = ("prior_estimate_", "oob_decision_function_")  # attributes, by the parameters


def _varies(X: Any) -> bool:
    """Say whether any two rows differ, a missing value being one like others."""
    sparse: bool = issparse(X)
    if sparse:
        return bool((X.max(axis=0) != X.min(axis=0)).sum())
    # Nearly every table shows it in its first rows, and none is read twice as a whole.
    size, n_rows = 1024, len(X)
    blocks = (X[start : start + size] for start in range(0, n_rows, size))
    return any(
        ((block != X[0]) & ~(np.isnan(block) & np.isnan(X[0]))).any() for block in blocks
    )


def takes_reviewed(model: Any) -> bool:
    """Say whether labels may reach a classifier, or what it wraps, with -1 as they are.

    Any method may be asked, which refuses them if it must; to another classifier a reviewed
    negative is one like all that are not labeled.
    """
    if isinstance(model, PUClassifier):
        return True
    steps = getattr(model, "steps", None)  # of a pipeline
    inner = steps[-1][1] if steps else getattr(model, "estimator", None)
    return inner is not None and takes_reviewed(inner)


class Accepts(NamedTuple):
    """What a learner can read besides finite numbers.

    Attributes
    ----------
    nan : bool
        Missing numbers.
    sparse : bool
        Sparse matrices.
    categories : bool
        Columns of pandas categories, as codes.

    Examples
    --------
    A method says so in its class, and the base refuses or converts all else:

    >>> from lopsided import NaiveLogisticClassifier
    >>> NaiveLogisticClassifier._accepts
    Accepts(nan=True, sparse=False, categories=True)
    """

    nan: bool = False
    sparse: bool = False
    categories: bool = False


class PUClassifier(AdditiveAnswers, ScoreAnswers, ClassifierMixin, BaseEstimator):
    """Base of all methods: checks what comes in, settles the prior, turns scores into answers.

    A method implements `_fit(rows, rng)`, where rows are checked and `prior_` is set, and
    `_scores(X)`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Always 0 and 1.
    prior_ : float
        The prior in use: given as a number or as an estimate of `lopsided.priors`, or estimated
        from the rows and their weights, and never below the labeled share.
    prior_estimate_ : PriorEstimate
        Where `prior` is "auto", another name or an estimator: the estimate with its interval.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, when X was a data frame.
    categorical_ : tuple of int
        The positions of columns that hold categories.
    category_levels_ : dict
        The levels that had rows in training, for each of these columns by its name. Any other
        value counts as missing.
    typical_row_ : ndarray of shape (n_features_in_,)
        The median of each column in training, and the commonest code of a category: what rows
        are compared with where terms of scores have to be sampled.

    Examples
    --------
    The distance from the mean of the labeled rows, as a method:

    >>> import numpy as np
    >>> class NearestMean(PUClassifier):
    ...     def _fit(self, rows, rng):
    ...         self.mean_ = rows.X[rows.y == 1].mean(axis=0)
    ...
    ...     def _scores(self, X):
    ...         return 1 - np.linalg.norm(X - self.mean_, axis=1)
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = (X.sum(axis=1) > 2.5).astype(int)
    >>> scores = NearestMean().fit(X, y).decision_function(X)
    >>> bool(y[scores.argmax()])  # a labeled row is the first
    True
    """

    _accepts: ClassVar[Accepts] = Accepts()
    _takes_reviewed: ClassVar[bool] = True  # y = -1
    _min_labeled: ClassVar[int] = 1

    @one_blas_thread
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> "PUClassifier":
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The table. Which of NaN, sparse and categories are taken depends on the method.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed and found to be negative.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; 2 counts a row twice.
        groups : array of shape (n_rows,), optional
            Rows that belong together, such as those of one customer. A method that leaves rows
            out of some of its models, such as "focused" and "elkan-noto", leaves out whole
            groups; any other has no use for them.

        Returns
        -------
        self
        """
        for name in _OF_SOME_FITS:
            self.__dict__.pop(name, None)  # of an earlier fit
        rows = self._check_rows(X, y, sample_weight, groups)
        rng = as_generator(getattr(self, "random_state", None))
        check_jobs(getattr(self, "n_jobs", None))
        self.prior_ = self._settle_prior(rows, rng)
        self._keep_typical_row(rows)
        self._fit(rows, rng)
        if _varies(rows.X):
            self._advise()
        else:
            warn(
                "X holds the same values in every row, and nothing can be learned: every row "
                "has the same score. Add columns that differ from row to row.",
            )
        return self

    @one_blas_thread
    def resolve_prior(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the prior that `fit` would work with, without the fit; parameters as there."""
        unfitted = clone(self)
        rows = unfitted._check_rows(X, y, sample_weight)
        return unfitted._settle_prior(rows, as_generator(getattr(self, "random_state", None)))

    def _check_rows(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> TrainingRows:
        """Return what came in, checked and as numbers, once its columns are known."""
        X = as_pandas(X)
        self.category_levels_ = category_levels(X, self._accepts.categories)
        self.categorical_ = find_categories(X, self.category_levels_)
        X = self._numbers(X, reset=True)
        labels = check_labels(y, least=self._min_labeled, keep_reviewed=True)
        if len(labels) != X.shape[0]:
            raise ValueError(
                f"X and y must have the same number of rows, got {X.shape[0]} and "
                f"{len(labels)}."
            )
        reviewed = self._find_reviewed(labels)
        y = np.maximum(labels, 0)
        weight = self._weights(sample_weight, X, labels)
        X, self.category_levels_ = drop_empty_levels(
            X, self.category_levels_, weight, self.categorical_
        )
        self.classes_ = np.array([0, 1])
        codes = None if groups is None else encode_groups(groups, len(y))
        return TrainingRows(X, y, weight, reviewed, codes)

    def _find_reviewed(self, labels: NDArray[np.int8]) -> NDArray[np.bool_] | None:
        """Return which rows are reviewed negatives, None if there are none."""
        reviewed = np.asarray(labels == -1)
        if not reviewed.any():
            return None
        if not self._takes_reviewed:
            raise ValueError(
                f"{type(self).__name__} takes no reviewed negatives (-1), got "
                f"{int(reviewed.sum())} of them. Write them as 0, or use a method that does."
            )
        return reviewed

    @one_blas_thread
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

    def _settle_prior(self, rows: TrainingRows, rng: np.random.Generator) -> float:
        """Return the prior to work with: as given, raised, estimated, or the labeled share."""
        if not self.needs_prior():
            return rows.labeled_share
        scenario = self._scenario()
        # Where labeled rows are a sample of their own, their share says nothing.
        least = rows.labeled_share if scenario == "one-sample" else 0.0
        prior: Any = getattr(self, "prior", None)
        if not is_estimated(prior):
            return check_prior(prior, least, or_auto=True)
        from lopsided.methods._auto_prior import estimate_prior_of

        own = rng.spawn(1)[0]  # the fit's numbers stay the same
        given = (rows, self._schema(), prior, scenario, self._n_threads(), own)
        self.prior_estimate_ = estimate_prior_of(*given)
        return self.prior_estimate_.value

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
        rng = np.random.default_rng(seed)
        self.prior_ = self._settle_prior(rows, rng)
        self._keep_typical_row(rows)
        self._fit(rows, rng)
        return self

    def needs_prior(self) -> bool:
        """Say whether the ranking depends on a prior, as the method is set up."""
        return hasattr(self, "prior")

    def uses_prior(self) -> bool:
        """Say whether any answer depends on a prior: a ranking, or a probability alone."""
        return self.needs_prior()

    def with_oob_scores(self, y: NDArray[np.int8]) -> "PUClassifier | None":
        """Return a copy that scores its own training rows, None if the method cannot.

        After its fit `oob_decision_function_` holds scores of the unlabeled rows by models that
        have not seen them.
        """
        return None

    def _expects_hidden(self) -> bool:
        """Say whether the method takes some unlabeled rows for positives whatever they are."""
        return self.needs_prior()  # a guessed one is above the labeled share

    def _n_threads(self) -> int:
        """Return the number of threads that `n_jobs` asks for."""
        from joblib import effective_n_jobs

        return effective_n_jobs(check_jobs(getattr(self, "n_jobs", None)))

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
        try:
            with np.errstate(invalid="ignore"):  # sums of the largest numbers are asked for
                numbers = validate_data(
                    self,
                    encoded,
                    reset=reset,
                    accept_sparse="csr" if self._accepts.sparse else False,
                    dtype=[np.float64, np.float32],
                    ensure_all_finite="allow-nan" if self._accepts.nan else True,
                )
        except OverflowError:
            raise ValueError(
                "X must hold numbers of at most 1.8e308, got a larger one. Divide its column."
            ) from None
        # Names that are no text are compared by nobody else.
        if find_categories(X, self.category_levels_) != self.categorical_:
            raise ValueError(
                f"X must have its categories in the columns {self.categorical_}, as in "
                "training, got another order. Sort the columns."
            )
        return numbers

    def _weights(
        self, sample_weight: Any, X: Any, labels: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        if sample_weight is None:
            return np.ones(len(labels))
        weight = _check_sample_weight(
            fill_masked(sample_weight), X, dtype=np.float64, ensure_non_negative=True
        )
        weight = check_weight_range(weight)
        needed = ((1, "labeled"), (0, "unlabeled"))
        for label, kind in needed if self._min_labeled else needed[1:]:
            if not weight[labels == label].sum() > 0:
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
