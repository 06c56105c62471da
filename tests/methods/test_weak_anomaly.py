import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

import lopsided  # noqa: E402
from lopsided.methods.weak_anomaly import PReNetClassifier  # noqa: E402

NAMES = ["devnet", "prenet"]
SMALL = {"n_epochs": 10, "batch_size": 64, "learning_rate": 0.01}


def cluster(n_rows=400, n_positives=40, n_labeled=10):
    """A table with a cluster of positives, a quarter of them labeled."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 5))
    X[:n_positives, :2] += 4
    return X, (np.arange(n_rows) < n_labeled).astype(int)


@pytest.mark.parametrize("name", NAMES)
def test_a_labeled_cluster_ranks_above_the_rest_and_the_boundary_lies_between(name):
    X, y = cluster()
    model = lopsided.build(name, random_state=0, **SMALL).fit(X, y)
    scores = model.decision_function(X)
    assert (scores[10:40, None] > scores[40:]).mean() > 0.99
    assert scores[:10].mean() > 0 > scores[40:].mean()


@pytest.mark.parametrize("name", NAMES)
def test_scores_do_not_depend_on_the_scale_of_columns_or_on_a_constant_one(name):
    X, y = cluster()
    model = lopsided.build(name, random_state=0, **SMALL)
    expected = model.fit(X, y).decision_function(X)
    moved = X * [1e-3, 1, 50, 1e4, 1] + [0, 3, -7, 100, 0]
    assert_allclose(model.fit(moved, y).decision_function(moved), expected, atol=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_rows_without_weight_are_never_drawn(name):
    X, y = cluster()
    weight = np.where(np.arange(len(y)) % 3 == 2, 0.0, 1.0)
    other = X.copy()
    other[weight == 0] += 100
    model = lopsided.build(name, random_state=0, **SMALL)
    scores = [
        model.fit(table, y, sample_weight=weight).decision_function(X) for table in (X, other)
    ]
    assert_allclose(scores[0], scores[1])


@pytest.mark.parametrize("name", NAMES)
def test_reviewed_negatives_are_drawn_as_often_as_unlabeled_rows(name):
    X, y = cluster()
    looked = np.flatnonzero(X[:, 0] > 1.5)
    looked = looked[looked >= 40][:10]
    cleared = y.copy()
    cleared[looked] = -1
    model = lopsided.build(name, random_state=0, **SMALL)
    before = model.fit(X, y).decision_function(X)
    after = model.fit(X, cleared).decision_function(X)
    assert after[looked].mean() < before[looked].mean()


def test_scores_of_pairs_are_shifted_by_what_lies_half_way():
    X, y = cluster()
    plain = PReNetClassifier(random_state=0, **SMALL).fit(X, y)
    shifted = PReNetClassifier(targets=(0, 1, 2), random_state=0, **SMALL).fit(X, y)
    for model, size in ((plain, 8), (shifted, 2)):
        scores = model.decision_function(X)
        # Labeled rows are drawn to two + one, the others to one + none: size apart.
        assert_allclose(scores[:10].mean() - scores[40:].mean(), size, rtol=0.3)
