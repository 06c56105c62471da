"""The contract that every method keeps, as checks to run on yours."""

import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from lopsided._label_checks import CHECKS, assert_refused, fit_quietly, small_table
from lopsided._params import check_classifier
from lopsided.exceptions import PriorWarning
from lopsided.methods.registry import build, get_method

__all__ = ["EXPECTED_FAILURES", "LABEL_CHECKS", "check_method", "contract_checks"]

_LABELS = "feeds class labels other than 1/0 or booleans, and y holds nothing else here"
_WEIGHTS = "histogram bins and random samples see weighted rows and repeated rows differently"

LABEL_CHECKS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(
        (
            "check_classifier_data_not_an_array",
            "check_classifiers_classes",
            "check_estimators_dtypes",
            "check_fit2d_1feature",
            "check_sample_weights_not_an_array",
            "check_sample_weights_not_overwritten",
            "check_sample_weights_pandas_series",
            "check_sample_weights_shape",
        ),
        _LABELS,
    )
)
"""scikit-learn's checks that use other labels; they must pass once the labels are mapped."""

EXPECTED_FAILURES: Mapping[str, str] = MappingProxyType(
    {
        **LABEL_CHECKS,
        "check_sample_weight_equivalence_on_dense_data": _WEIGHTS,
        "check_sample_weight_equivalence_on_sparse_data": _WEIGHTS,
    }
)
"""Every check of scikit-learn that a method may fail, with the reason."""


def check_method(method: Any) -> None:
    """Run the whole contract on a method and raise at the first breach.

    Parameters
    ----------
    method : str or PUClassifier
        A name of the registry, which is built with its quick settings, or an estimator.

    Examples
    --------
    >>> check_method("naive-xgb")
    """
    for _, check in contract_checks(method):
        check()


def contract_checks(method: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the parts of the contract of a method as (name, function without arguments).

    Parameters
    ----------
    method : str or PUClassifier
        A name of the registry, which is built with its quick settings, or an estimator.

    Yields
    ------
    tuple of str and function
        The name of a check, and a function that raises where it is broken.

    Examples
    --------
    >>> checks = dict(contract_checks("naive-logistic"))
    >>> list(checks)[:3]
    ['scikit-learn', 'scikit-learn with mapped labels', 'two labeled rows suffice']
    >>> checks[list(checks)[0]]()
    """
    estimator = _estimator(method)
    yield "scikit-learn", partial(_check_sklearn, estimator)
    yield "scikit-learn with mapped labels", partial(_check_mapped_labels, estimator)
    checks = [
        *CHECKS,
        _check_seed_decides,
        _check_pickle_keeps_scores,
        _check_frames_equal_arrays,
        _check_missing_values,
        _check_sparse_equals_dense,
        _check_categories,
        _check_prior,
        _check_weights_of_one_change_nothing,
        _check_answers_agree,
        _check_single_precision_keeps_scores,
    ]
    if get_tags(estimator).input_tags.categorical:  # else `_check_categories` sees them refused
        checks += [
            _check_unknown_categories_are_missing,
            _check_categories_match_by_value,
            _check_many_categories,
        ]
    for check in checks:
        name = check.__name__.removeprefix("_check_").replace("_", " ")
        yield name, partial(check, estimator)


def _estimator(method: Any) -> Any:
    if not isinstance(method, str):
        return clone(check_classifier(method, "method"))
    return build(method, random_state=0, **get_method(method).quick)


class _MappedLabels(ClassifierMixin, BaseEstimator):
    """A method behind any two labels: the second in order is the labeled positive."""

    def __init__(self, method=None):
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "_MappedLabels":
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.method_ = clone(self.method).fit(X, codes.ravel(), sample_weight=sample_weight)
        self.n_features_in_ = self.method_.n_features_in_
        return self

    def decision_function(self, X: Any) -> Any:
        return self.method_.decision_function(X)

    def predict_proba(self, X: Any) -> Any:
        return self.method_.predict_proba(X)

    def predict(self, X: Any) -> Any:
        return self.classes_[self.method_.predict(X)]

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.method)


def _check_sklearn(estimator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a check that is skipped or may fail
        check_estimator(estimator, expected_failed_checks=dict(EXPECTED_FAILURES), on_skip=None)


def _check_mapped_labels(estimator: Any) -> None:
    found = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for mapped, check in estimator_checks_generator(_MappedLabels(estimator)):
            name = getattr(check, "func", check).__name__
            if name in LABEL_CHECKS:
                found.add(name)
                check(mapped)
    missing = set(LABEL_CHECKS) - found
    assert not missing, f"scikit-learn no longer has {missing}: take them off the list"


def _check_seed_decides(estimator: Any) -> None:
    X, y = small_table()
    first, second = (fit_quietly(estimator, X, y).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def _check_pickle_keeps_scores(estimator: Any) -> None:
    X, y = small_table()
    model = fit_quietly(estimator, X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def _check_frames_equal_arrays(estimator: Any) -> None:
    X, y = small_table()
    expected = fit_quietly(estimator, X, y).decision_function(X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = fit_quietly(estimator, frame, pd.Series(y))
    assert list(model.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(model.decision_function(frame), expected)
    try:
        import polars
    except ImportError:
        return
    other = polars.DataFrame(X, schema=list("abcd"))
    np.testing.assert_array_equal(
        fit_quietly(estimator, other, y).decision_function(other), expected
    )


def _check_missing_values(estimator: Any) -> None:
    X, y = small_table()
    X[::7, 1] = np.nan
    if get_tags(estimator).input_tags.allow_nan:
        assert np.isfinite(fit_quietly(estimator, X, y).decision_function(X)).all()
    else:
        assert_refused(estimator, X, y, "NaN")


def _check_sparse_equals_dense(estimator: Any) -> None:
    X, y = small_table()
    X[np.abs(X) < 0.5] = 0
    if not get_tags(estimator).input_tags.sparse:
        assert_refused(estimator, csr_array(X), y, "parse")
        return
    for trained_on in (X, csr_array(X)):
        model = fit_quietly(estimator, trained_on, y)
        np.testing.assert_allclose(
            model.decision_function(csr_array(X)), model.decision_function(X), rtol=1e-6
        )


def _check_categories(estimator: Any) -> None:
    X, y = small_table()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 1, "high", "low"))
    if not get_tags(estimator).input_tags.categorical:
        assert_refused(estimator, frame, y, "kind")
        return
    model = fit_quietly(estimator, frame, y)
    scores = model.decision_function(frame)
    assert np.isfinite(scores).all()
    # Codes depend on the levels a frame happens to list; scores must not.
    frame["kind"] = frame["kind"].cat.set_categories(["unseen", "low", "high"])
    np.testing.assert_array_equal(model.decision_function(frame), scores)


def _frame_of_kinds(kinds: Any, n_rows: int = 120) -> tuple[Any, Any]:
    """Return a small PU table as a frame with a column of categories, drawn for each row."""
    X, y = small_table(n_rows)
    frame = pd.DataFrame(X, columns=list("abcd"))
    drawn = np.random.default_rng(8).choice(len(kinds), n_rows)
    drawn[: len(kinds)] = np.arange(len(kinds))  # each has a row
    frame["kind"] = pd.Categorical([kinds[place] for place in drawn])
    return frame, y


def _check_unknown_categories_are_missing(estimator: Any) -> None:
    for with_missing in (False, True):
        frame, y = _frame_of_kinds(["low", "middle", "high"])
        if with_missing:
            frame.loc[::5, "kind"] = None
        declared = frame.assign(
            kind=frame["kind"].cat.set_categories(["empty", *"abc", "low", "middle", "high"])
        )
        models = [fit_quietly(estimator, table, y) for table in (frame, declared)]
        # A level without rows in training changes nothing, not even where it is declared.
        expected = models[0].decision_function(frame)
        np.testing.assert_array_equal(models[1].decision_function(declared), expected)
        for model in models:
            missing, *unknown = (
                _scores_and_warnings(model, frame.assign(kind=pd.Categorical([kind] * len(y))))
                for kind in (None, "empty", "never listed")
            )
            assert not missing[1], missing[1]
            for scores, told in unknown:
                np.testing.assert_array_equal(scores, missing[0])
                assert any("'kind'" in message for message in told), told


def _check_categories_match_by_value(estimator: Any) -> None:
    frame, y = _frame_of_kinds([1, 2, 10])
    model = fit_quietly(estimator, frame, y)
    expected = model.decision_function(frame)
    for kind in (int, float, str, object):
        same = frame.assign(kind=frame["kind"].astype(kind))
        scores, told = _scores_and_warnings(model, same)
        np.testing.assert_array_equal(scores, expected)
        assert not told, told


def _check_many_categories(estimator: Any) -> None:
    frame, y = _frame_of_kinds([f"k{number}" for number in range(1100)], n_rows=1300)
    model = fit_quietly(estimator, frame, y)
    scores = model.decision_function(frame)
    assert np.isfinite(scores).all()
    reordered = frame["kind"].cat.reorder_categories(frame["kind"].cat.categories[::-1])
    again = fit_quietly(estimator, frame.assign(kind=reordered), y)
    np.testing.assert_array_equal(again.decision_function(frame), scores)


def _scores_and_warnings(model: Any, X: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = model.decision_function(X)
    return scores, [str(one.message) for one in caught if one.category is UserWarning]


def _check_prior(estimator: Any) -> None:
    X, y = small_table()
    if "prior" not in estimator.get_params() or not estimator.needs_prior():
        with warnings.catch_warnings():
            warnings.simplefilter("error", PriorWarning)
            clone(estimator).fit(X, y)
        return
    model = fit_quietly(clone(estimator).set_params(prior=0.2), X, y)
    assert model.prior_ == 0.2
    share = y.mean()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(estimator).set_params(prior=share / 2).fit(X, y)
    assert abs(model.prior_ - share) < 1e-12, model.prior_
    assert any(issubclass(warning.category, PriorWarning) for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        model = clone(estimator).set_params(prior="auto").fit(X, y)
    assert model.prior_ == model.prior_estimate_.value >= share
    for wrong in (0, 1, -0.1, "high", None):
        assert_refused(clone(estimator).set_params(prior=wrong), X, y, "prior")


def _check_weights_of_one_change_nothing(estimator: Any) -> None:
    X, y = small_table()
    plain = fit_quietly(estimator, X, y).decision_function(X)
    weighted = fit_quietly(estimator, X, y, sample_weight=np.ones(len(y))).decision_function(X)
    np.testing.assert_allclose(plain, weighted, rtol=1e-6)


def _check_answers_agree(estimator: Any) -> None:
    X, y = small_table()
    model = fit_quietly(estimator, X, y)
    scores, proba = model.decision_function(X), model.predict_proba(X)
    assert scores.shape == (len(X),)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(model.predict(X), (scores > 0).astype(int))
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (np.diff(proba[np.argsort(scores), 1]) >= 0).all()


def _check_single_precision_keeps_scores(estimator: Any) -> None:
    X, y = small_table()
    rounded = X.astype(np.float32)
    model = fit_quietly(estimator, X, y)
    expected = model.decision_function(X)
    tolerance = 1e-4 * max(np.ptp(expected), 1.0)
    for other in (model, fit_quietly(estimator, rounded, y)):
        np.testing.assert_allclose(other.decision_function(rounded), expected, atol=tolerance)
