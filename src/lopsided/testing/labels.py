"""The part of the contract that is about labels, and the table that all checks share."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.base import clone

from lopsided.exceptions import PriorWarning


def small_table(n_rows: int = 120, n_labeled: int = 12) -> tuple[Any, Any]:
    """Return a small PU table in which positives have a large first column."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 4)).round(3)
    y = np.zeros(n_rows, dtype=int)
    y[:n_labeled] = 1
    X[: 2 * n_labeled, 0] += 2.5
    return X, y


def fit_quietly(estimator: Any, X: Any, y: Any, **options: Any) -> Any:
    """Return a fitted copy, without our own advice on a prior and on few rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        warnings.filterwarnings("ignore", "No split lowered the risk", UserWarning)
        return clone(estimator).fit(X, y, **options)


def assert_refused(estimator: Any, X: Any, y: Any, word: str) -> None:
    """Want a fit to fail with a message that holds a word."""
    message = "nothing, it was accepted"
    try:
        fit_quietly(estimator, X, y)
    except (TypeError, ValueError) as error:
        message = str(error)
    assert word in message, f"{estimator!r} should refuse this and speak of {word!r}: {message}"


def _check_two_labeled_rows_suffice(estimator: Any) -> None:
    X, y = small_table(n_labeled=2)
    assert np.isfinite(fit_quietly(estimator, X, y).decision_function(X)).all()


def _check_one_labeled_row_suffices_or_is_refused(estimator: Any) -> None:
    X, y = small_table(n_labeled=1)
    if getattr(estimator, "_min_labeled", 1) > 1:
        assert_refused(estimator, X, y, "got 1")
        return
    some = np.arange(len(y)) % 5 == 4
    for labels in (y, np.where(some, -1, y)) if _takes_reviewed(estimator) else (y,):
        assert np.isfinite(fit_quietly(estimator, X, labels).decision_function(X)).all()


def _takes_reviewed(estimator: Any) -> bool:
    return bool(getattr(estimator, "_takes_reviewed", True))


def _check_reviewed_negatives_are_taken_or_refused(estimator: Any) -> None:
    X, y = small_table()
    y[40:52] = -1
    if not _takes_reviewed(estimator):
        assert_refused(estimator, X, y, "takes no reviewed negatives (-1), got 12")
        return
    expected = fit_quietly(estimator, X, y).decision_function(X)
    assert np.isfinite(expected).all()
    for labels in (y.astype(float), pd.Series(y, dtype="Int8"), pd.Series(y, dtype=object)):
        scores = fit_quietly(estimator, X, labels).decision_function(X)
        np.testing.assert_array_equal(scores, expected)
    # As few of the others as there can be: one unlabeled row, or one reviewed.
    for labels in (np.where(y == 0, -1, y), np.maximum(y, 0)):
        labels[100] = 0 if labels[100] else -1
        assert np.isfinite(fit_quietly(estimator, X, labels).decision_function(X)).all()
    weight = np.where(y == -1, 0.0, 1.0)  # reviewed rows that do not count
    scores = fit_quietly(estimator, X, y, sample_weight=weight).decision_function(X)
    assert np.isfinite(scores).all()


def _check_reviewed_negatives_sink(estimator: Any) -> None:
    if not _takes_reviewed(estimator):
        return
    X, y = small_table()
    scores = fit_quietly(estimator, X, y).decision_function(X)
    # A reviewer reads the list from its top: ten of the first are negatives and cleared.
    negatives = np.arange(2 * y.sum(), len(y))
    cleared = negatives[np.argsort(-scores[negatives], kind="stable")[:10]]
    y[cleared] = -1
    again = fit_quietly(estimator, X, y).decision_function(X)
    before, after = (float(rankdata(found)[cleared].mean()) for found in (scores, again))
    assert after <= before + 0.5, f"cleared rows rose from {before:.1f} to {after:.1f}"


def _check_booleans_are_labels(estimator: Any) -> None:
    X, y = small_table()
    numbers = fit_quietly(estimator, X, y).decision_function(X)
    booleans = fit_quietly(estimator, X, y.astype(bool)).decision_function(X)
    np.testing.assert_array_equal(numbers, booleans)


def _check_groups_are_taken(estimator: Any) -> None:
    X, y = small_table()
    scores = fit_quietly(estimator, X, y, groups=np.arange(len(y)) % 40).decision_function(X)
    assert np.isfinite(scores).all()


CHECKS: list[Callable[[Any], None]] = [
    _check_two_labeled_rows_suffice,
    _check_one_labeled_row_suffices_or_is_refused,
    _check_reviewed_negatives_are_taken_or_refused,
    _check_reviewed_negatives_sink,
    _check_booleans_are_labels,
    _check_groups_are_taken,
]
