import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import IsolationForest, RandomForestClassifier

import lopsided
from lopsided.methods.nnif import NNIFClassifier, mean_path, weighted_path


@pytest.fixture
def table():
    """Positives far out on the first column; 10 of 30 are labeled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    X[:30, 0] += 6
    y = np.zeros(400, int)
    y[:10] = 1
    return X, y


def path_by_hand(forest, row):
    """The mean path of one row, walked down node by node."""

    def extra(n):
        if n <= 1:
            return 0.0
        return 1.0 if n == 2 else 2 * (np.log(n - 1) + 0.5772156649) - 2 * (n - 1) / n

    paths = []
    for estimator in forest.estimators_:
        tree, node, depth = estimator.tree_, 0, 0
        while tree.children_left[node] != -1:
            left = np.float32(row[tree.feature[node]]) <= tree.threshold[node]
            node = tree.children_left[node] if left else tree.children_right[node]
            depth += 1
        paths.append(depth + extra(tree.n_node_samples[node]))
    return np.mean(paths)


@pytest.mark.parametrize("n", [2, 3, 100, 400])
def test_paths_are_those_of_a_walk_down_the_trees(table, n):
    X = table[0][:n]
    forest = IsolationForest(n_estimators=20, max_samples=min(256, n), random_state=0).fit(X)
    assert_allclose(mean_path(forest, X[:9]), [path_by_hand(forest, row) for row in X[:9]])


def test_without_labeled_neighbors_the_order_is_that_of_the_isolation_forest(table):
    X, _ = table
    forest = IsolationForest(n_estimators=50, random_state=0).fit(X)
    paths = weighted_path(mean_path(forest, X), np.zeros(len(X)))
    assert_allclose(paths, mean_path(forest, X))
    order = np.argsort(paths, kind="stable")
    assert (order == np.argsort(forest.score_samples(X), kind="stable")).all()


def test_every_node_of_a_path_counts_by_the_unlabeled_neighbors():
    assert_allclose(weighted_path(np.full(4, 7.0), np.array([0, 0.25, 0.8, 1])), [7, 5, 0.6, 0])


def test_as_many_rows_are_set_apart_as_the_prior_expects_and_they_are_positives(table):
    X, y = table
    model = NNIFClassifier(prior=30 / 400, random_state=0).fit(X, y)
    assert abs(len(model.flagged_) - 20) <= 1
    assert (y[model.flagged_] == 0).all()
    assert (model.flagged_ < 30).mean() > 0.7


def test_removed_rows_are_not_learned_from_and_relabeled_ones_are(table):
    X, y = table
    seen = []

    class Recorder(RandomForestClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append((len(y), int(y.sum())))
            return super().fit(X, y, sample_weight)

    for treatment in ("remove", "relabel"):
        model = lopsided.build(
            "nnif", prior=0.1, treatment=treatment, estimator=Recorder(10), random_state=0
        ).fit(X, y)
    n = len(model.flagged_)
    assert seen == [(400 - n, 10), (400, 10 + n)]


def test_hidden_positives_rank_above_others(table):
    X, y = table
    for treatment in ("remove", "relabel"):
        model = NNIFClassifier(prior=0.075, treatment=treatment, random_state=0).fit(X, y)
        scores = model.decision_function(X)
        assert scores[10:30].mean() > np.quantile(scores[30:], 0.99)


def test_a_prior_of_the_labeled_share_sets_nothing_apart(table):
    X, y = table
    assert len(NNIFClassifier(prior=10 / 400, random_state=0).fit(X, y).flagged_) == 0


@pytest.mark.parametrize("offset", [0, 1e4])
def test_rows_in_single_and_in_double_precision_score_alike(table, offset):
    X, y = table
    X = X + offset
    model = NNIFClassifier(prior=0.1, n_estimators=20, random_state=0).fit(X, y)
    rounded = X.astype(np.float32)
    assert_allclose(model.decision_function(rounded), model.decision_function(X))
    model.fit(rounded, y)
    assert_allclose(model.decision_function(rounded), model.decision_function(X))


def test_reviewed_negatives_hide_no_positive_and_the_others_hide_as_many(table):
    X, y = table
    y[100:300] = -1
    model = NNIFClassifier(prior=30 / 400, random_state=0).fit(X, y)
    assert abs(len(model.flagged_) - 20) <= 1
    assert (y[model.flagged_] == 0).all()
