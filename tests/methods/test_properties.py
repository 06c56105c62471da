"""Methods on random tables: finite scores that depend on a row alone, or a ValueError."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lopsided
from lopsided.methods.registry import get_method

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
METHODS = ["naive-logistic", "ifpu-xgb", "naive-forest", "puhdt", "elkan-noto"]
EACH = pytest.mark.parametrize("method", METHODS)
CELLS = {
    "normal": st.floats(-5, 5, width=32),
    "ties": st.integers(0, 2),
    "gaps": st.sampled_from([np.nan, 0.5, 1.5]),
    "one value": st.just(7.0),
    "missing": st.just(np.nan),
    "all sizes": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "categories": st.sampled_from(["x", "y", "z", None]),
    "rare categories": st.integers(0, 999).map("level {}".format),
}

FORMS = {
    "floats": lambda y: y.astype(float),
    "objects": lambda y: y.astype(object),
    "list": list,
    "series": lambda y: pd.Series(y, index=range(len(y), 0, -1)),
    "nullable": lambda y: pd.array(y, "Int64"),
}


@st.composite
def columns(draw, n_rows):
    kind = draw(st.sampled_from(sorted(CELLS)))
    cells = draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows))
    return pd.Categorical(cells) if "categories" in kind else np.array(cells, float)


@st.composite
def tables(draw):
    """Training rows with labels and weights, and new rows with the same columns."""
    n_rows = draw(st.integers(6, 40))
    width = draw(st.integers(1, 4))
    frame = pd.DataFrame({f"x{i}": draw(columns(n_rows + 5)) for i in range(width)})
    drawn = st.lists(st.sampled_from([0, 0, 1, -1]), min_size=n_rows, max_size=n_rows)
    y = np.array(draw(drawn))
    y[:4] = 1, 1, 0, 0
    weight = None
    if draw(st.booleans()):
        weight = np.array(draw(st.lists(st.floats(0.1, 9), min_size=n_rows, max_size=n_rows)))
    return frame[:n_rows], y, weight, frame[n_rows:]


def fit(method, X, y, weight=None, **params):
    settings = {"random_state": 0, **get_method(method).quick, **params}
    model = lopsided.build(method, **settings)
    return model.fit(X, y, sample_weight=weight)


@EACH
@settings(max_examples=15)
@given(tables())
def test_scores_are_finite_and_depend_on_a_row_alone(method, table):
    X, y, weight, new = table
    model = fit(method, X, y, weight)
    scores, proba = model.decision_function(new), model.predict_proba(new)
    assert np.isfinite(scores).all()
    assert np.isfinite(model.decision_function(X)).all()
    assert ((proba >= 0) & (proba <= 1)).all()
    assert (np.diff(proba[np.argsort(scores), 1]) >= 0).all()
    backward = model.decision_function(new[::-1])[::-1]
    np.testing.assert_allclose(backward, scores, rtol=1e-5, atol=1e-5)


@EACH
@settings(max_examples=8)
@given(tables())
def test_a_category_that_training_lacks_is_a_missing_value(method, table):
    X, y, weight, new = table
    X = X.assign(kind=pd.Categorical(np.where(np.arange(len(X)) % 3, "x", "y")))
    model = fit(method, X, y, weight)
    scores = [
        model.decision_function(new.assign(kind=pd.Categorical([level] * len(new), ["w", "y"])))
        for level in ("w", None)
    ]
    np.testing.assert_array_equal(*scores)


@EACH
@settings(max_examples=8)
@given(st.data())
def test_labels_of_any_type_with_the_same_values_are_the_same(method, data):
    X, y, _, new = data.draw(tables())
    form = data.draw(st.sampled_from(sorted(FORMS)))
    other = FORMS[form](y)
    expected = fit(method, X, y).decision_function(new)
    np.testing.assert_array_equal(fit(method, X, other).decision_function(new), expected)


LABELS = np.repeat([1, 0], [6, 24])
TABLE = np.random.default_rng(0).normal(size=(30, 2)) + LABELS[:, None]
ODD = [None, -1, 2.5, float("nan"), "no such thing", []]


@pytest.mark.parametrize("value", ODD, ids=repr)
@EACH
def test_an_odd_parameter_is_taken_or_refused_by_its_name(method, value):
    for name in lopsided.build(method).get_params(deep=False):
        said = None
        try:
            fit(method, TABLE, LABELS, **{name: value})
        except ValueError as error:
            said = str(error)
        assert said is None or name in said
