from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import lopsided
from lopsided.trees.grower import LEAF, MISSING_LEFT

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = (X[:, 0] + 0.5 * X[:, 1] > 1.2).astype(int)
X[::9, 1] = np.nan


def expectation(tree, row, known, place=0):
    """The mean leaf value over rows that share the known columns, as the covers weigh them."""
    node = tree.nodes[place]
    if node["left"] == LEAF:
        return node["threshold"]
    children = (node["left"], node["left"] + 1)
    if node["feature"] in known:
        value = row[node["feature"]]
        left = node["flags"] & MISSING_LEFT if np.isnan(value) else value <= node["threshold"]
        return expectation(tree, row, known, children[0 if left else 1])
    weights = tree.covers[list(children)].sum(axis=1)
    means = [expectation(tree, row, known, child) for child in children]
    return np.average(means, weights=weights)


def shapley(tree, row, n_features=3):
    """Shapley values by their definition: every order in which columns become known."""
    values = np.zeros(n_features)
    for feature in range(n_features):
        others = [other for other in range(n_features) if other != feature]
        for size in range(n_features):
            share = factorial(size) * factorial(n_features - size - 1) / factorial(n_features)
            for known in combinations(others, size):
                gain = expectation(tree, row, {*known, feature}) - expectation(tree, row, known)
                values[feature] += share * gain
    return values


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_shap_values_equal_their_definition(splitter):
    shap = pytest.importorskip("shap")
    model = lopsided.build(
        "naive-forest", splitter=splitter, n_estimators=3, max_depth=4, random_state=0
    ).fit(X, Y)
    explainer = shap.TreeExplainer(model.to_shap())
    found = explainer.shap_values(X[:15])
    expected = [
        np.mean([shapley(model.forest_.tree(number), row) for number in range(3)], axis=0)
        for row in X[:15]
    ]
    assert_allclose(found, expected, atol=1e-12)
    assert_allclose(
        found.sum(axis=1) + explainer.expected_value,
        model.forest_.mean_value(X[:15]),
        atol=1e-12,
    )


def test_trees_that_split_categories_are_refused():
    frame = pd.DataFrame(
        {"kind": pd.Categorical(np.where(X[:, 0] > 1, "a", "b")), "x": X[:, 2]}
    )
    model = lopsided.build("naive-forest", n_estimators=2, random_state=0).fit(frame, Y)
    with pytest.raises(ValueError, match="categories"):
        model.to_shap()
