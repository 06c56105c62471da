import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from twin import goes_left

from lopsided.trees.forest import grow_forest
from lopsided.trees.grower import LEAF
from lopsided.trees.paths import mean_path_terms
from lopsided.trees.sampling import Bootstrap
from lopsided.trees.splitting import make_tree_params

RNG = np.random.default_rng(0)
N_FEATURES = 5
CATEGORICAL = np.array([False, False, True, False, False])


def make_table(n_rows=160):
    """Numbers with gaps, a category, and a last column that never varies."""
    X = RNG.normal(size=(n_rows, N_FEATURES)).round(2)
    X[:, 2] = RNG.integers(6, size=n_rows)
    X[:, 4] = 1.0
    X[::7, 1] = np.nan
    X[::11, 2] = np.nan
    y = (X[:, 0] + (X[:, 2] == 3) + 0.5 * RNG.normal(size=n_rows) > 1).astype(np.int8)
    return X, y


def grow(X, y, splitter="best", n_trees=4, **limits):
    weight = RNG.integers(1, 4, len(y)).astype(float)
    params = make_tree_params("gini", 1.0, splitter, **limits)
    return grow_forest(X, y, weight, CATEGORICAL, params, Bootstrap(), n_trees, seed=1)


def node_values(tree):
    """The mean leaf value below each node, leaves weighted by their cover."""
    values, weights = np.zeros(len(tree.nodes)), tree.covers.sum(axis=1)
    for place in reversed(range(len(tree.nodes))):  # a child's number is above its parent's
        node = tree.nodes[place]
        children = [node["left"], node["left"] + 1]
        values[place] = (
            node["threshold"]
            if node["left"] == LEAF
            else np.average(values[children], weights=weights[children])
        )
    return values


def slow_terms(tree, row):
    """Walk down, and give each change of the value to the column that is asked."""
    values, terms, place = node_values(tree), np.zeros(len(row)), 0
    while tree.nodes[place]["left"] != LEAF:
        node = tree.nodes[place]
        left = goes_left(tree, node, row[[node["feature"]]])[0]
        child = node["left"] + (0 if left else 1)
        terms[node["feature"]] += values[child] - values[place]
        place = child
    return values[0], terms


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("max_depth", [None, 2])
def test_terms_equal_those_of_a_slow_walk(splitter, max_depth):
    X, y = make_table()
    forest = grow(X, y, splitter, max_depth=max_depth)
    base, terms = mean_path_terms(forest, X[:40])
    trees = [forest.tree(number) for number in range(len(forest))]
    slow = [[slow_terms(tree, row) for tree in trees] for row in X[:40]]
    assert_allclose(base, np.mean([root for root, _ in slow[0]]), rtol=1e-12)
    expected = [np.mean([own for _, own in of_trees], axis=0) for of_trees in slow]
    assert_allclose(terms, expected, atol=1e-14)


def test_base_and_terms_add_up_to_the_mean_leaf_value():
    X, y = make_table(600)
    forest = grow(X, y, "random", n_trees=30)
    fresh, _ = make_table()
    fresh[:5, 2] = 40  # a level that no row had
    base, terms = mean_path_terms(forest, fresh)
    assert_allclose(base + terms.sum(axis=1), forest.mean_value(fresh), atol=1e-13)


def test_a_column_without_splits_adds_exactly_nothing():
    X, y = make_table()
    _, terms = mean_path_terms(grow(X, y), X)
    assert_array_equal(terms[:, 4], 0)
    assert (terms[:, :4] != 0).any(axis=0).all()


def test_single_precision_and_the_order_in_memory_do_not_matter():
    X, y = make_table()
    X = X.astype(np.float32).astype(float)
    forest = grow(X, y)
    _, terms = mean_path_terms(forest, X)
    for same in (X.astype(np.float32), np.asfortranarray(X)):
        assert_array_equal(mean_path_terms(forest, same)[1], terms)


def test_a_forest_of_roots_alone_has_no_terms():
    X, y = make_table()
    forest = grow(X, y, min_samples_leaf=len(y))
    base, terms = mean_path_terms(forest, X)
    assert not terms.any()
    assert_allclose(forest.mean_value(X), base)
