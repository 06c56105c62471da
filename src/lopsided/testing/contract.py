"""The contract that every method keeps, as checks to run on yours."""

import inspect
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import roc_auc_score
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from lopsided._validation import check_classifier
from lopsided.exceptions import MissingExtraError, PriorWarning
from lopsided.methods.registry import build, get_method
from lopsided.priors import AutoPrior, Beta
from lopsided.risks import Risk
from lopsided.testing import columns, labels
from lopsided.testing.breach import breach, tell_error
from lopsided.testing.labels import assert_refused, fit_quietly, small_table
from lopsided.testing.risks import check_risk

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

_TRAINING = "check_classifiers_train"
_TRAINING_HOLDS = (
    "predict, the sign of the score, is right for more than 83 % of the rows of its toy data, "
    "on which the method was fitted"
)
_TRAINING_ADVICE = (
    "Where 0 is no boundary at even odds on purpose, set classifier_tags.poor_score in "
    "__sklearn_tags__."
)


def check_method(method: Any) -> None:
    """Run the whole contract on a method and raise at the first breach.

    The contract covers the risk that the method was given (`check_risk`), that labeled rows
    rank above the others, scikit-learn's own checks but for `EXPECTED_FAILURES`, what labels,
    columns, priors and sample weights mean, and that answers agree and come again.

    scikit-learn's training check judges `predict`, which is the sign of the score: it must be
    right for more than 83 % of the rows of its toy data, two overlapping clouds of the same
    size. That is asked of every method whose scores are 0 at even odds. It is not asked of one
    that sets `classifier_tags.poor_score`, as those do that take some unlabeled rows for
    positives, nor of one with a risk of your own, which may put 0 elsewhere: labeled rows of
    more weight move it, say. Their ranking is judged all the same.

    Parameters
    ----------
    method : str or PUClassifier
        A name of the registry, which is built with its quick settings, or an estimator.

    Raises
    ------
    AssertionError
        At the first breach: it names the check and says what came; its cause is the error of
        the check itself.

    See Also
    --------
    check_risk : checks a risk alone, in a moment.

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
    ['labeled rows rank high', 'scikit-learn', 'scikit-learn with mapped labels']
    >>> checks[list(checks)[0]]()
    """
    estimator = _estimator(method)
    if isinstance(_risk_of(estimator), Risk):
        yield _named(_check_risk, estimator)
    yield _named(_check_labeled_rows_rank_high, estimator)
    yield "scikit-learn", partial(_check_sklearn, estimator)
    yield "scikit-learn with mapped labels", partial(_check_mapped_labels, estimator)
    checks = [
        *labels.CHECKS,
        _check_seed_decides,
        _check_pickle_keeps_scores,
        *columns.CHECKS,
        _check_prior,
        _check_weights_of_one_change_nothing,
        _check_answers_agree,
        _check_single_precision_keeps_scores,
    ]
    if get_tags(estimator).input_tags.categorical:
        checks += columns.CATEGORY_CHECKS
    for check in checks:
        yield _named(check, estimator)


def _named(check: Callable[[Any], None], estimator: Any) -> tuple[str, Callable[[], None]]:
    """Return the name of a check, and the check to run by it."""
    name = check.__name__.removeprefix("_check_").replace("_", " ")
    return name, partial(_run, name, partial(check, estimator), estimator)


def _run(name: str, check: Callable[[], None], estimator: Any, holds: str = "") -> None:
    """Run a check; one that fails is named, and what it holds if that is known."""
    try:
        check()
    except (MissingExtraError, SkipTest):
        raise
    except Exception as error:
        judged = name.endswith(_TRAINING) and "accuracy_score" in tell_error(error)
        more = (_TRAINING_HOLDS, _TRAINING_ADVICE) if judged else (holds,)
        raise breach(estimator, name, error, *more) from error


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


def _risk_of(estimator: Any) -> Any:
    """Return the risk that a method was given; None stands for its own."""
    return estimator.get_params(deep=False).get("risk")


def _check_risk(estimator: Any) -> None:
    check_risk(_risk_of(estimator))


def _check_labeled_rows_rank_high(estimator: Any) -> None:
    X, y = small_table()
    scores = fit_quietly(estimator, X, y).decision_function(X)
    assert np.isfinite(scores).all(), "some scores are not finite."
    assert (scores != scores[0]).any(), "every row has the same score, nothing was learned."
    auc = roc_auc_score(y, scores)
    assert auc > 0.5, (
        f"labeled rows have an AUC of {auc:.2f} among the rows that the method was fitted on, "
        "where chance has 0.5. Is a sign swapped?"
    )


def _check_sklearn(estimator: Any) -> None:
    free = _without_boundary(estimator) if _has_own_risk(estimator) else estimator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for tested, check in estimator_checks_generator(estimator):
            name = _bare(check).__name__
            if name in EXPECTED_FAILURES:
                continue
            holds = (inspect.getdoc(_bare(check)) or "").partition("\n")[0].removesuffix(".")
            call = partial(check, clone(free) if name == _TRAINING else tested)
            with suppress(SkipTest):  # what it needs is not installed
                _run(f"scikit-learn: {name}", call, estimator, holds)


def _bare(check: Any) -> Any:
    """Return a check of scikit-learn without the arguments that it was given."""
    return getattr(check, "func", check)


def _has_own_risk(estimator: Any) -> bool:
    """Say whether a method was given a risk that is none of the library's."""
    risk = _risk_of(estimator)
    return isinstance(risk, Risk) and not type(risk).__module__.startswith("lopsided.")


def _without_boundary(estimator: Any) -> Any:
    """Return a copy of which scikit-learn does not ask that 0 lies at even odds."""
    own = type(estimator)

    def tags(self: Any) -> Any:
        found = own.__sklearn_tags__(self)
        found.classifier_tags.poor_score = True
        return found

    kind = type(own.__name__, (own,), {"__sklearn_tags__": tags})
    return kind(**estimator.get_params(deep=False))


def _check_mapped_labels(estimator: Any) -> None:
    found = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for mapped, check in estimator_checks_generator(_MappedLabels(estimator)):
            name = _bare(check).__name__
            if name in LABEL_CHECKS:
                found.add(name)
                title = f"scikit-learn with mapped labels: {name}"
                _run(title, partial(check, mapped), estimator)
    missing = set(LABEL_CHECKS) - found
    assert not missing, f"scikit-learn no longer has {missing}: take them off the list."


def _check_seed_decides(estimator: Any) -> None:
    X, y = small_table()
    first, second = (fit_quietly(estimator, X, y).decision_function(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def _check_pickle_keeps_scores(estimator: Any) -> None:
    X, y = small_table()
    model = fit_quietly(estimator, X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


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
    model = fit_quietly(clone(estimator).set_params(prior="auto"), X, y)
    assert model.prior_ == model.prior_estimate_.value >= share
    few = fit_quietly(clone(estimator).set_params(prior=AutoPrior(Beta.around(0.3))), X, y)
    assert few.prior_ == few.prior_estimate_.value > model.prior_
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
