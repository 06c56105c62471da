import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import IsolationForest

from lopsided.methods._isolation import mean_path_terms, search_path
from lopsided.methods._outliers import OutlierClassifier
from lopsided.methods.nnif import mean_path

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)).round(2)
X[0] = [0, 9, 0]
X[1:4] = X[0] / 3  # rows that no split parts


@pytest.fixture(scope="module")
def forest():
    return IsolationForest(n_estimators=20, max_samples=64, random_state=0).fit(X)


def slow_value(tree, place=0, depth=0):
    """The mean path of the training rows in a node."""
    left, right = tree.children_left[place], tree.children_right[place]
    if left < 0:
        return depth + float(search_path(tree.n_node_samples[place]))
    values = [slow_value(tree, child, depth + 1) for child in (left, right)]
    return np.average(values, weights=tree.n_node_samples[[left, right]])


def slow_terms(tree, row):
    terms, place, depth = np.zeros(len(row)), 0, 0
    while tree.children_left[place] >= 0:
        feature = tree.feature[place]
        left = np.float32(row[feature]) <= tree.threshold[place]
        child = (tree.children_left if left else tree.children_right)[place]
        terms[feature] += slow_value(tree, child, depth + 1) - slow_value(tree, place, depth)
        place, depth = child, depth + 1
    return terms


def test_terms_equal_those_of_a_slow_walk(forest):
    base, terms = mean_path_terms(forest, X[:10])
    trees = [estimator.tree_ for estimator in forest.estimators_]
    assert_allclose(base, np.mean([slow_value(tree) for tree in trees]))
    expected = [np.mean([slow_terms(tree, row) for tree in trees], axis=0) for row in X[:10]]
    assert_allclose(terms, expected, atol=1e-12)


def test_base_and_terms_add_up_to_the_path_that_scikit_learn_scores_by(forest):
    fresh = RNG.normal(size=(50, 3)) * 2
    base, terms = mean_path_terms(forest, fresh)
    assert_allclose(base + terms.sum(axis=1), mean_path(forest, fresh), atol=1e-10)


def test_an_outlier_is_explained_by_the_column_that_it_stands_out_in():
    y = np.arange(200) < 2
    model = OutlierClassifier(n_estimators=50, random_state=0).fit(X, y)
    found = model.additive_scores(X)
    assert_allclose(found.base + found.terms.sum(axis=1), model.decision_function(X))
    assert found.terms[0].argmax() == 1
