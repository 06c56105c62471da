"""The part of the contract that is about columns: frames, gaps, zeros, categories."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.utils import get_tags

from lopsided.testing.labels import assert_refused, fit_quietly, small_table


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


CHECKS: list[Callable[[Any], None]] = [
    _check_frames_equal_arrays,
    _check_missing_values,
    _check_sparse_equals_dense,
    _check_categories,
]
CATEGORY_CHECKS: list[Callable[[Any], None]] = [
    _check_unknown_categories_are_missing,
    _check_categories_match_by_value,
    _check_many_categories,
]
"""Of methods that take categories; `_check_categories` sees that others refuse them."""
