import math
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from twin import (
    GAINS,
    Twin,
    grow_engine,
    left_levels,
    make_params,
    most_bins,
    name_of,
    rows_of_nodes,
)

from lopsided.trees.binning import bin_columns
from lopsided.trees.criteria import CRITERIA
from lopsided.trees.grower import LEAF, MISSING_LEFT, SUBSET

NO_CATEGORIES = np.zeros(3, bool)


def plain(rng, n):
    return rng.normal(size=(n, 3)), NO_CATEGORIES


def duplicates(rng, n):
    """Few values, a constant column, and two columns that part rows alike."""
    few, two = rng.integers(0, 5, n), rng.integers(0, 2, n)
    return np.column_stack([few, two, np.full(n, 3.0), -few]), np.zeros(4, bool)


def holes(rng, n):
    X = rng.normal(size=(n, 4))
    X[rng.random((n, 4)) < 0.25] = np.nan
    X[:, 2] = np.where(rng.random(n) < 0.5, 1.0, np.nan)  # nothing but missing or not
    X[:, 3] = np.nan
    return X, np.zeros(4, bool)


def neighbors(rng, n):
    """Values with no number between them: a middle or a random cut falls on one of the two."""
    step = np.nextafter(1.0, 2.0)
    choice = rng.choice([1.0, step, np.nextafter(step, 2.0), -0.0, 0.0, 2.0, -5e-324], (n, 3))
    return choice, NO_CATEGORIES


def levels(rng, n):
    X = np.column_stack([rng.integers(0, 9, n), rng.normal(size=n), rng.integers(0, 300, n)])
    return X, np.array([True, False, True])


def levels_and_holes(rng, n):
    X, categorical = levels(rng, n)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, categorical


TABLES = [plain, duplicates, holes, neighbors, levels, levels_and_holes]
LIMITS = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 4},
    {"max_features": 1},
    {"max_features": 2, "max_depth": 5, "min_samples_leaf": 2},
]


def draw(make, seed, n=70, weighted=False):
    rng = np.random.default_rng(seed)
    X, categorical = make(rng, n)
    X = X.astype(float)
    seen = np.nan_to_num(X[:, 0])
    chance = np.where(seen > np.median(seen), 0.45, 0.15)
    y = (rng.random(n) < chance).astype(np.int8)
    # Multiples of a quarter, so that sums are exact and ties are ties in any order.
    weight = rng.choice([0.0, 0.25, 0.5, 1.0, 1.75, 3.0], n) if weighted else np.ones(n)
    return X, y, weight, categorical


def assert_same_tree(tree, nodes):
    assert len(tree.nodes) == len(nodes)
    for node, cover, twin in zip(tree.nodes, tree.covers, nodes, strict=True):
        assert node["left"] == twin.left
        assert_array_equal(cover, [twin.labeled, twin.unlabeled])
        if twin.left == LEAF:
            total = twin.labeled + twin.unlabeled
            assert node["threshold"] == (twin.labeled / total if total else 0.0)
            continue
        assert node["feature"] == twin.feature
        assert bool(node["flags"] & MISSING_LEFT) == twin.missing_left
        assert bool(node["flags"] & SUBSET) == (twin.levels is not None)
        if twin.levels is None:
            assert node["threshold"] == twin.threshold
        else:
            assert left_levels(tree, node) == twin.levels


def gain_of_split(tree, place, params):
    """Return the gain of a node's split from the covers of its children."""
    left = tree.nodes[place]["left"]
    return GAINS[name_of(params)](
        tree.covers[left], tree.covers[left + 1], params.inverse_label_frequency
    )


def check_twin(make, criterion, splitter, weighted, seeds, limits):
    for seed in seeds:
        X, y, weight, categorical = draw(
            make, seed, n=(30, 70, 110)[seed % 3], weighted=weighted
        )
        for limit in limits:
            params = make_params(criterion, (2.5, 2.3)[seed % 2], splitter, **limit)
            tree = grow_engine(X, y, weight, categorical, params, seed + 2**63)
            nodes = Twin(X, y, weight, categorical, params, seed + 2**63).grow()
            assert_same_tree(tree, nodes)


def cases():
    for make, criterion, splitter in product(TABLES, CRITERIA, ("best", "random")):
        yield pytest.param(
            make,
            criterion,
            splitter,
            id=f"{make.__name__}-{criterion}-{splitter}",
        )


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(("make", "criterion", "splitter"), list(cases()))
def test_the_twin_grows_the_same_tree(make, criterion, splitter, weighted):
    check_twin(make, criterion, splitter, weighted, (0, 1), LIMITS)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_twin_grows_the_same_tree_on_more_rows_than_a_node_sorts(criterion):
    check_twin(plain, criterion, "best", False, (5, 8), [{"min_samples_leaf": 2}])
    X, y, weight, categorical = draw(duplicates, 3, n=400)
    params = make_params(criterion, 2.5)
    tree = grow_engine(X, y, weight, categorical, params, 1)
    assert_same_tree(tree, Twin(X, y, weight, categorical, params, 1).grow())


def test_different_seeds_grow_different_trees_where_columns_are_drawn():
    X, y, weight, categorical = draw(plain, 0)
    trees = [
        grow_engine(X, y, weight, categorical, make_params(max_features=1), seed)
        for seed in range(5)
    ]
    assert len({tree.nodes.tobytes() for tree in trees}) == 5


def candidate_cuts(codes, n_rows, exact):
    """Return the last code on the left of each cut that a node looks at."""
    least, largest = int(codes.min()), int(codes.max())
    shift = 0
    if not exact and not (n_rows < 48 and largest - least >= n_rows):
        while (largest - least) >> shift >= most_bins(n_rows):
            shift += 1
    bins = np.unique((codes.astype(int) - least) >> shift)
    return least + ((bins[:-1] + 1) << shift) - 1


def best_by_brute_force(codes, signed, params):
    """Return the largest gain over every cut, or where the engine bins over those of bins."""
    best = -math.inf
    for column in codes:
        order = np.argsort(column, kind="stable")
        ordered = signed[order]
        labeled, unlabeled = (  # of the first rows in this order, of none at first
            np.concatenate([[0.0], np.cumsum(np.maximum(part, 0))])
            for part in (ordered, -ordered)
        )
        cuts = candidate_cuts(column, len(signed), params.merge_runs)
        for n_left in np.searchsorted(column[order], cuts, side="right").tolist():
            if min(n_left, len(signed) - n_left) < params.min_samples_leaf:
                continue
            left = float(labeled[n_left]), float(unlabeled[n_left])
            right = float(labeled[-1] - left[0]), float(unlabeled[-1] - left[1])
            gain = GAINS[name_of(params)](left, right, params.inverse_label_frequency)
            best = max(best, gain)
    return best


def weigh(signed):
    return signed[signed > 0].sum(), -signed[signed < 0].sum()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("n", "depth"), [(200, 2**31), (5000, 3)], ids=["small", "large"])
def test_brute_force_finds_no_better_split_at_any_node(criterion, n, depth):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    y = (rng.random(n) < np.where(X[:, 1] > 1, 0.5, 0.05)).astype(np.int8)
    params = make_params(criterion, 2.5, max_depth=depth)
    tree = grow_engine(X, y, np.ones(n), NO_CATEGORIES, params, 3)
    codes = bin_columns(X, NO_CATEGORIES).codes
    n_splits = 0
    for place, rows in enumerate(rows_of_nodes(tree, X, np.arange(n))):
        if tree.nodes[place]["left"] != LEAF:
            best = best_by_brute_force(codes[:, rows], 2.0 * y[rows] - 1, params)
            assert_allclose(gain_of_split(tree, place, params), best, rtol=1e-9, atol=1e-9)
            n_splits += 1
    assert n_splits > 5


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("make", TABLES[:4], ids=lambda make: make.__name__)
def test_no_cut_of_a_small_table_beats_the_one_taken(make, criterion):
    X, y, weight, categorical = draw(make, 4, n=60, weighted=True)
    params = make_params(criterion, 2.3)
    tree = grow_engine(X, y, weight, categorical, params, 3)
    twin = Twin(X, y, weight, categorical, params, 3)
    nodes = twin.grow()
    for place, node in enumerate(nodes):
        if node.left == LEAF:
            continue
        ways = (twin.candidates(node, feature) or [] for feature in range(X.shape[1]))
        gains = [twin.gain_of(node, way[-1]) for column in ways for way in column]
        assert_allclose(gain_of_split(tree, place, params), max(gains), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_covers_are_the_weights_of_the_rows_that_come_by(make, splitter):
    X, y, weight, categorical = draw(make, 9, n=500, weighted=True)
    tree = grow_engine(X, y, weight, categorical, make_params("hellinger", 1.0, splitter), 11)
    for cover, rows in zip(
        tree.covers, rows_of_nodes(tree, X, np.flatnonzero(weight)), strict=True
    ):
        assert_array_equal(cover, [weight[rows][y[rows] == label].sum() for label in (1, 0)])
    parents = np.flatnonzero(tree.nodes["left"] != LEAF)
    left = tree.nodes["left"][parents]
    assert_array_equal(tree.covers[parents], tree.covers[left] + tree.covers[left + 1])
    assert_array_equal(np.sort(np.concatenate([left, left + 1])), np.arange(1, len(tree.nodes)))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_of_any_fraction_leave_pure_nodes_alone(criterion):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, weight = rng.normal(size=(80, 3)), rng.random(80)
        y = (rng.random(80) < 0.3).astype(np.int8)
        tree = grow_engine(X, y, weight, NO_CATEGORIES, make_params(criterion, 2.3), seed)
        assert (tree.covers >= 0).all()
        for node, rows in zip(tree.nodes, rows_of_nodes(tree, X, np.arange(80)), strict=True):
            if len(np.unique(y[rows])) == 1:
                assert node["left"] == LEAF
                assert_allclose(node["threshold"], y[rows[0]], atol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_of_any_fraction_lose_no_split(criterion):
    params = make_params(criterion, 2.3)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, weight = rng.normal(size=(80, 3)), rng.random(80)
        y = (rng.random(80) < 0.3).astype(np.int8)
        signed = np.where(y == 1, weight, -weight)
        codes = bin_columns(X, NO_CATEGORIES).codes
        tree = grow_engine(X, y, weight, NO_CATEGORIES, params, seed)
        below = rows_of_nodes(tree, X, np.arange(80))
        for place in np.flatnonzero(tree.nodes["left"] != LEAF):
            left = tree.nodes["left"][place]
            children = [weigh(signed[below[child]]) for child in (left, left + 1)]
            found = GAINS[criterion](*children, params.inverse_label_frequency)
            best = best_by_brute_force(codes[:, below[place]], signed[below[place]], params)
            assert_allclose(found, best, rtol=1e-9, atol=1e-9)


def test_hellinger_is_pu_hellinger_of_a_labeled_row_for_each_positive():
    for make in (plain, holes, levels):
        X, y, weight, categorical = draw(make, 2, n=300)
        settings = [("hellinger", 3.0), ("pu-hellinger", 1.0)]
        one, other = (
            grow_engine(X, y, weight, categorical, make_params(*setting, min_samples_leaf=2), 5)
            for setting in settings
        )
        assert_array_equal(one.nodes, other.nodes)
        assert_array_equal(one.covers, other.covers)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_node_without_labeled_rows_is_a_leaf_of_value_zero(criterion):
    X, y, weight, categorical = draw(plain, 0, n=300)
    tree = grow_engine(X, y, weight, categorical, make_params(criterion, 2.0), 0)
    empty = tree.covers[:, 0] == 0
    assert empty.any()
    assert (tree.nodes["left"][empty] == LEAF).all()
    assert (tree.nodes["threshold"][empty] == 0).all()
    alone = grow_engine(X, 0 * y, weight, categorical, make_params(criterion, 2.0), 0)
    assert len(alone.nodes) == 1
    assert alone.nodes["threshold"][0] == 0


def test_a_node_whose_rows_are_all_estimated_positive_still_splits():
    X = np.arange(8.0)[:, None]
    y = np.array([1, 0, 1, 0, 0, 1, 0, 1], np.int8)
    params = make_params("pu-hellinger", inverse_label_frequency=20.0, max_depth=1)
    tree = grow_engine(X, y, np.ones(8), NO_CATEGORIES[:1], params, 0)
    assert len(tree.nodes) == 3
    assert_allclose(gain_of_split(tree, 0, params), 1.0)


def test_a_child_that_adds_nothing_to_the_distance_is_a_leaf():
    # The right half holds half of the positives and half of the negatives, mixed by column 1.
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2, float)
    y = np.array([1, 0, 1, 0, 1, 0, 1, 0], np.int8)
    column = grow_engine(
        X[:, :1], y, np.ones(8), NO_CATEGORIES[:1], make_params("hellinger"), 0
    )
    assert len(column.nodes) == 3  # a distance of 0 is allowed, and its children stop
    assert gain_of_split(column, 0, make_params("hellinger")) == 0
    both = grow_engine(X, y, np.ones(8), NO_CATEGORIES[:2], make_params("hellinger"), 0)
    assert set(both.nodes["feature"][both.nodes["left"] != LEAF]) == {1}


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_limits_hold(splitter):
    X, y, weight, categorical = draw(plain, 1, n=600, weighted=True)
    params = make_params("gini", 1.0, splitter, max_depth=4, min_samples_leaf=15)
    tree = grow_engine(X, y, weight, categorical, params, 0)
    depth = np.zeros(len(tree.nodes), int)
    for place in np.flatnonzero(tree.nodes["left"] != LEAF):
        left = tree.nodes["left"][place]
        depth[left : left + 2] = depth[place] + 1
    assert depth.max() == 4
    rows = rows_of_nodes(tree, X, np.flatnonzero(weight))
    assert min(map(len, rows)) >= 15


def test_ties_go_to_the_lowest_cut_of_the_first_column_visited():
    X = np.arange(6.0)[:, None]
    y = np.array([0, 1, 0, 0, 1, 0], np.int8)
    stump = grow_engine(X, y, np.ones(6), NO_CATEGORIES[:1], make_params(max_depth=1), 0)
    assert stump.nodes["threshold"][0] == 0.5
    twice = np.column_stack([X, X])
    seen = {
        int(
            grow_engine(twice, y, np.ones(6), NO_CATEGORIES[:2], make_params(), s).nodes[0][
                "feature"
            ]
        )
        for s in range(20)
    }
    assert seen == {0, 1}


def test_gains_add_up_over_the_splits_of_a_column():
    for criterion in CRITERIA:
        X, y, weight, categorical = draw(plain, 6, n=200)
        params = make_params(criterion, 2.5)
        tree = grow_engine(X, y, weight, categorical, params, 0)
        expected = np.zeros(3)
        for place in np.flatnonzero(tree.nodes["left"] != LEAF):
            size = tree.covers[place].sum() if CRITERIA[criterion].gain_ignores_size else 1.0
            expected[tree.nodes["feature"][place]] += size * gain_of_split(tree, place, params)
        assert_allclose(tree.gains, expected)


def test_the_bag_and_its_weights_stay_together():
    X, y, weight, categorical = draw(plain, 0, weighted=True)
    order = np.random.default_rng(0).permutation(len(y))
    one = grow_engine(X, y, weight, categorical, make_params(), 0)
    other = grow_engine(X[order], y[order], weight[order], categorical, make_params(), 0)
    assert_array_equal(one.nodes, other.nodes)
