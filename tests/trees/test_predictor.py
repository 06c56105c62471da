import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from twin import make_params, walk

from lopsided.methods.forest import PUForestClassifier
from lopsided.trees.forest import grow_forest
from lopsided.trees.grower import LEAF, NODE
from lopsided.trees.predictor import add_values
from lopsided.trees.random_splits import WORDS
from lopsided.trees.sampling import Bootstrap, WholeTable

PLAIN = np.array([False, False, False])
MIXED = np.array([False, True, False])


def table(n, kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(float)
    if kind != "numbers":
        X[:, 1] = rng.integers(0, 1024 if kind == "many levels" else 90, n)
    if kind == "levels and holes":
        X[rng.random((n, 3)) < 0.2] = np.nan
    return X


def forest_of(kind, n_trees=7, n=400):
    X = table(n, kind)
    y = (np.random.default_rng(1).random(n) < 0.3).astype(np.int8)
    categorical = PLAIN if kind == "numbers" else MIXED
    params = make_params("nnpu", 1.5, max_features=2)
    return grow_forest(X, y, np.ones(n), categorical, params, Bootstrap(), n_trees, seed=3)


def walk_all(forest, X):
    trees = [forest.tree(number) for number in range(len(forest))]
    return np.array([np.mean([walk(tree, row) for tree in trees]) for row in X])


KINDS = ["numbers", "levels", "many levels", "levels and holes"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_value_is_that_of_a_plain_walk(kind):
    forest = forest_of(kind)
    new = table(150, kind, seed=5)
    assert_allclose(forest.mean_value(new), walk_all(forest, new), rtol=1e-12)


def heavier_children(tree, missing):
    """Return the leaf value of a row whose `missing` columns follow the heavier children."""
    node = 0
    while tree.nodes[node]["left"] != LEAF:
        left = tree.nodes[node]["left"]
        assert tree.nodes[node]["feature"] in missing
        node = left + (tree.covers[left].sum() <= tree.covers[left + 1].sum())
    return tree.nodes[node]["threshold"]


@pytest.mark.parametrize("kind", ["numbers", "levels"])
def test_values_missing_only_when_scoring_follow_the_heavier_child(kind):
    forest = forest_of(kind)
    trees = [forest.tree(number) for number in range(len(forest))]
    nothing = np.full((1, 3), np.nan)
    expected = np.mean([heavier_children(tree, {0, 1, 2}) for tree in trees])
    assert_allclose(forest.mean_value(nothing), expected)
    new = table(100, kind, seed=5)
    new[np.random.default_rng(0).random(new.shape) < 0.3] = np.nan
    assert_allclose(forest.mean_value(new), walk_all(forest, new), rtol=1e-12)


@pytest.mark.parametrize("kind", ["levels", "levels and holes"])
def test_levels_unseen_in_training_go_where_missing_ones_go(kind):
    forest = forest_of(kind)
    new = table(80, kind, seed=5)
    new[:, 1] = np.arange(80) * 15 + 91  # some of them beyond what a split has bits for
    missing = np.where([False, True, False], np.nan, new)
    assert_array_equal(forest.mean_value(new), forest.mean_value(missing))
    assert_allclose(forest.mean_value(new), walk_all(forest, missing), rtol=1e-12)


def test_a_level_without_rows_in_a_node_goes_there_where_missing_ones_go():
    # Column 0 parts labeled rows from most others; level 9 has rows on its left alone.
    left = [(0, level, 0) for level in (9, 0, 1) for _ in range(6)]
    right = [(1, 0, 1)] * 4 + [(1, 0, 0)] * 2 + [(1, 1, 1)] * 3
    X, y = np.split(np.array(left + right, float), [2], axis=1)
    params = make_params("gini", max_depth=2)
    labels = y[:, 0].astype(np.int8)
    weight = np.ones(len(X))
    forest = grow_forest(X, labels, weight, MIXED[:2], params, WholeTable(), 1, seed=0)
    scored = np.array([[0, 9], [1, 0], [1, 1], [1, 9], [1, np.nan]])
    assert_allclose(forest.mean_value(scored), [0, 2 / 3, 1, 2 / 3, 2 / 3])
    assert_allclose(forest.mean_value(scored), walk_all(forest, scored))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 63, 64, 65, 1024, 1025, 5000])
def test_layout_threads_and_number_of_rows_change_nothing(kind, n):
    forest = forest_of(kind)
    new = table(n, kind, seed=6)
    expected = np.concatenate([forest.mean_value(new[i : i + 700]) for i in range(0, n, 700)])
    for layout in (
        new.astype(np.float32),
        np.asfortranarray(new),
        np.asfortranarray(new.astype(np.float32)),
        np.repeat(new, 2, axis=0)[::2],
        np.hstack([new, new])[:, :3],
    ):
        assert_array_equal(forest.mean_value(layout), expected)
        assert_array_equal(forest.mean_value(layout, n_threads=2), expected)


def test_only_the_rows_asked_for_are_added_to():
    forest = forest_of("levels and holes")
    X = table(200, "levels and holes", seed=7)
    rows = np.random.default_rng(0).permutation(200)[:90]
    out = np.full(200, 5.0)
    sets = forest.left_category_bitsets, forest.bitset_starts
    add_values(forest.nodes, forest.starts, *sets, X, rows, True, out)
    expected = np.full(200, 5.0)
    expected[rows] += len(forest) * forest.mean_value(X)[rows]
    assert_allclose(out, expected)


def test_a_value_on_the_threshold_goes_left():
    nodes = np.zeros(3, NODE)
    nodes["left"] = [1, LEAF, LEAF]
    nodes["threshold"] = [0.1, 1.0, 2.0]
    X = np.array([[0.1], [np.nextafter(0.1, 1)], [np.nextafter(0.1, 0)]])
    starts = np.array([0, 3])
    for rows, holes in ((X, 0), (np.append(X, [[np.nan]], axis=0), 1)):  # with and without NaN
        out = np.zeros(len(rows))
        sets, every = (np.zeros((0, WORDS), np.uint64), np.array([0, 0])), np.arange(len(rows))
        add_values(nodes, starts, *sets, rows, every, bool(holes), out)
        assert_array_equal(out, [1.0, 2.0, 1.0] + [2.0] * holes)


def test_a_level_beyond_those_of_training_goes_the_way_of_missing_ones():
    levels = pd.CategoricalDtype(range(3000))
    kind = np.repeat(np.arange(60), 10)
    frame = pd.DataFrame({"kind": pd.Series(kind, dtype=levels)})
    model = PUForestClassifier(n_estimators=3, random_state=0).fit(frame, kind % 7 == 0)
    far = pd.DataFrame({"kind": pd.Series(np.arange(1024, 3000), dtype=levels)})
    missing = pd.DataFrame({"kind": pd.Series([None], dtype=levels)})
    with pytest.warns(UserWarning, match="'kind'"):
        scores = model.decision_function(far)
    assert (scores == model.decision_function(missing)).all()
