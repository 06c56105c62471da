import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lopsided import build


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) * [1, 10, 0.1, 5] + 3
    y = ((X[:, 0] > 4) & (rng.random(300) < 0.7)).astype(int)
    return X, y


def test_scores_are_those_of_scikit_learns_pipeline(table):
    X, y = table
    twin = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    assert_allclose(
        build("naive-logistic").fit(X, y).decision_function(X),
        twin.fit(X, y).decision_function(X),
        rtol=1e-3,
        atol=1e-3,
    )


def test_a_weight_of_two_is_a_row_twice(table):
    X, y = table
    weight = np.where(np.arange(len(y)) % 3 == 0, 2, 1)
    rows = np.repeat(np.arange(len(y)), weight)
    assert_allclose(
        build("naive-logistic").fit(X, y, sample_weight=weight).decision_function(X),
        build("naive-logistic").fit(X[rows], y[rows]).decision_function(X),
        atol=1e-3,
    )


def test_importances_are_shares_by_raw_column(table):
    X, y = table
    frame = pd.DataFrame(X.copy(), columns=list("abcd"))
    frame.insert(1, "kind", pd.Categorical(np.where(y == 1, "in", "out")))
    frame.loc[::7, "c"] = np.nan
    model = build("naive-logistic").fit(frame, y)
    shares = model.feature_importances_
    assert shares.shape == (5,)
    assert_allclose(shares.sum(), 1)
    assert shares.argmax() == 1


def test_quantile_transformed_columns_are_scored_by_their_order_alone(table):
    X, y = table[0][:200], table[1][:200]  # no more than have a place of their own
    model = build("naive-logistic", normalize="quantile")
    plain = model.fit(X, y).decision_function(X)
    assert_allclose(model.fit(np.exp(X / 10), y).decision_function(np.exp(X / 10)), plain)


def test_without_class_weights_the_mean_probability_is_the_labeled_share(table):
    X, y = table
    model = build("naive-logistic", class_weight=None).fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=1e-3)
