from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier
from twin import Twin, make_params, walk

from lopsided.trees.forest import grow_forest, make_out_of_bag
from lopsided.trees.grower import LEAF
from lopsided.trees.sampling import Bagging, Bootstrap, StratifiedBootstrap, WholeTable

CATEGORICAL = np.array([False, False, True, False])
SCHEMES = [Bootstrap(), StratifiedBootstrap(), Bagging(4.0), WholeTable()]


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 2] = rng.integers(0, 12, n)
    X[rng.random((n, 4)) < 0.05] = np.nan
    y = (rng.random(n) < np.where(X[:, 0] > 0.8, 0.6, 0.05)).astype(np.int8)
    return X, y, rng.choice([0.5, 1.0, 2.0], n)


X, Y, WEIGHT = table()


def grow(
    params=None,
    sampling=None,
    n_trees=9,
    seed=1,
    n_threads=1,
    weight=None,
    X=X,
    y=Y,
    out_of_bag=None,
):
    params = make_params("nnpu", 1.5, max_features=2) if params is None else params
    categorical = CATEGORICAL[: X.shape[1]]
    sampling = Bootstrap() if sampling is None else sampling
    weight = np.ones(len(y)) if weight is None else weight
    table = X, y, weight, categorical
    return grow_forest(*table, params, sampling, n_trees, seed, n_threads, out_of_bag)


def grow_with_sums(*arguments, y=Y, **named):
    """Return a forest and its out-of-bag sums."""
    sums = make_out_of_bag(len(y))
    return grow(*arguments, y=y, out_of_bag=sums, **named), sums


def bags(sampling, n_trees, seed, y=Y):
    """Draw the bags of a forest again."""
    seeds = np.random.SeedSequence(seed).generate_state(n_trees, np.uint64)
    return seeds, [sampling.draw(y, np.random.default_rng(tree_seed)) for tree_seed in seeds]


def assert_equal_forests(one, other):
    for name in (
        "nodes",
        "leaf_weights",
        "starts",
        "left_category_bitsets",
        "bitset_starts",
        "gains",
    ):
        assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("sampling", SCHEMES, ids=repr)
def test_one_and_two_threads_grow_the_same_forest_to_the_last_bit(sampling, splitter):
    params = make_params("pu-hellinger", 1.5, splitter, max_features=2)
    (one, sums), *others = (
        grow_with_sums(params, sampling, 11, n_threads=jobs) for jobs in (1, 2, 2)
    )
    for other, others_sums in others:
        assert_equal_forests(one, other)
        assert_array_equal(one.mean_value(X), other.mean_value(X, n_threads=2))
        assert_array_equal(sums.total, others_sums.total)
        assert_array_equal(sums.n_trees, others_sums.n_trees)


def test_a_forest_depends_on_its_seed():
    assert_equal_forests(grow(seed=5), grow(seed=5))
    assert (grow(seed=5).mean_value(X) != grow(seed=6).mean_value(X)).any()


def test_a_forest_starts_with_the_trees_of_a_smaller_one():
    few, many = grow(n_trees=3), grow(n_trees=10)
    for number in range(3):
        assert_array_equal(few.tree(number).nodes, many.tree(number).nodes)


@pytest.mark.parametrize("sampling", SCHEMES, ids=repr)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
def test_a_tree_is_the_twin_grown_on_its_bag(sampling, weight):
    params = make_params("nnpu", 1.5, max_features=2, max_depth=6)
    forest = grow(params, sampling, 3, weight=weight)
    for number, (seed, counts) in enumerate(zip(*bags(sampling, 3, 1), strict=True)):
        drawn = counts * (1.0 if weight is None else weight)
        nodes = Twin(X, Y, drawn, CATEGORICAL, params, int(seed)).grow()
        tree = forest.tree(number)
        assert_array_equal(tree.nodes["left"], [node.left for node in nodes])
        covers = [(node.labeled, node.unlabeled) for node in nodes]
        assert_allclose(tree.covers, covers, rtol=1e-12, atol=1e-12)
        start = forest.starts[number]
        assert_array_equal(tree.covers, forest.covers[start : start + len(nodes)])


@pytest.mark.parametrize("sampling", SCHEMES, ids=repr)
def test_out_of_bag_scores_come_from_trees_that_have_not_seen_the_row(sampling):
    forest, found = grow_with_sums(sampling=sampling, n_trees=10, seed=4)
    _, drawn = bags(sampling, 10, 4)
    total, n_trees = np.zeros(len(Y)), np.zeros(len(Y), int)
    for number, counts in enumerate(drawn):
        tree = forest.tree(number)
        # The bag is the one that the tree was grown on.
        assert_allclose(tree.covers[0], [counts[Y == 1].sum(), counts[Y == 0].sum()])
        for row in np.flatnonzero(counts == 0):
            total[row] += walk(tree, X[row])
            n_trees[row] += 1
    assert_array_equal(found.n_trees, n_trees)
    assert_allclose(found.total, total, rtol=1e-12)


def test_out_of_bag_scores_know_nothing_of_a_rows_own_label():
    # Noise: trees that had seen a row would give it its own label back.
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(400, 4)), (np.arange(400) % 4 == 0).astype(np.int8)
    noise[:, 2] = 0
    forest, (total, n_trees) = grow_with_sums(n_trees=60, X=noise, y=y)
    inside, outside = forest.mean_value(noise), total / n_trees
    assert inside[y == 1].mean() - inside[y == 0].mean() > 0.5
    assert abs(outside[y == 1].mean() - outside[y == 0].mean()) < 0.06


def test_a_row_of_weight_zero_is_in_no_bag():
    weight = np.where(np.arange(len(Y)) < 150, 1.0, 0.0)
    whole = grow(sampling=WholeTable(), weight=weight)
    half = grow(sampling=WholeTable(), X=X[:150], y=Y[:150])
    assert_allclose(whole.covers[0], half.covers[0])
    assert_allclose(whole.mean_value(X[:150]), half.mean_value(X[:150]))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "hellinger", "pu-hellinger", "nnpu"])
def test_a_weight_of_two_is_a_row_twice(criterion):
    times = np.random.default_rng(2).integers(1, 4, len(Y))
    params = make_params(criterion, 1.5, max_features=2)
    numbers = X[:, :2]
    weighted = grow(params, WholeTable(), weight=times.astype(float), X=numbers)
    repeated = grow(
        params, WholeTable(), X=np.repeat(numbers, times, axis=0), y=np.repeat(Y, times)
    )
    assert_array_equal(weighted.nodes, repeated.nodes)
    assert_array_equal(weighted.covers, repeated.covers)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_equals_that_of_scikit_learn(criterion, weighted):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1000, 3)).astype(np.float32)  # fewer values than a node has bins
    table[:, 2] += table[:, 1]
    y = (rng.random(1000) < np.where(table[:, 0] * table[:, 2] > 0.7, 0.7, 0.1)).astype(np.int8)
    weight = rng.choice([1.0, 2.0, 3.5], 1000) if weighted else np.ones(1000)
    # In small nodes several cuts are best, and which one is taken is chance.
    params = make_params(criterion, max_depth=5, min_samples_leaf=20)
    forest = grow_forest(
        table, y, weight, np.zeros(3, bool), params, WholeTable(), n_trees=1, seed=0
    )
    rival = DecisionTreeClassifier(
        criterion=criterion, max_depth=5, min_samples_leaf=20, random_state=0
    ).fit(table, y, sample_weight=weight)
    assert rival.tree_.node_count == len(forest.nodes) > 20
    new = rng.normal(size=(3000, 3)).astype(np.float32)
    for rows in (table, new):
        assert_allclose(forest.mean_value(rows), rival.predict_proba(rows)[:, 1], atol=1e-12)


def test_a_full_tree_knows_every_row_of_its_bag():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20_000, 4))
    y = (rng.random(20_000) < 0.1).astype(np.int8)
    params = make_params("gini", max_features=2)
    forest = grow_forest(
        table, y, np.ones(len(y)), np.zeros(4, bool), params, WholeTable(), 1, seed=0
    )
    assert_array_equal(forest.mean_value(table), y)


def test_trees_lie_one_after_the_other():
    forest = grow(n_trees=5)
    assert len(forest) == 5
    assert forest.starts[-1] == len(forest.nodes) == 2 * len(forest.leaf_weights) - 5
    assert forest.bitset_starts[-1] == len(forest.left_category_bitsets) > 0
    for number in range(5):
        tree = forest.tree(number)
        inner = tree.nodes["left"][tree.nodes["left"] != LEAF]
        assert inner.max() + 2 == len(tree.nodes)


def test_random_splits_do_not_depend_on_the_layout_of_the_table():
    params = make_params("gini", splitter="random")
    single = X.astype(np.float32).astype(float)
    expected = grow(params, X=single)
    frozen = single.copy()
    frozen.flags.writeable = False
    for same in (np.asfortranarray(single), frozen, single.astype(np.float32)):
        assert_equal_forests(grow(params, X=same), expected)


def test_a_forest_whose_leaves_and_weights_do_not_match_is_refused():
    forest = grow(n_trees=2)
    forest.check()
    leafless = forest.nodes.copy()
    leafless["left"][len(leafless) - 1] = 1  # a leaf turned into a node
    for wrong in ({"leaf_weights": forest.leaf_weights[:-1]}, {"nodes": leafless}):
        with pytest.raises(ValueError, match="nodes"):
            replace(forest, **wrong).check()
