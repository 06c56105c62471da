import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import lopsided
from lopsided.methods.spy import SpyClassifier


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    truth = rng.random(1000) < 0.15
    X = rng.normal(size=(1000, 3)) + 2.5 * truth[:, None]
    return X, (truth & (rng.random(1000) < 0.4)).astype(int), truth


def test_reliable_negatives_are_negatives_and_many(table):
    X, y, truth = table
    model = SpyClassifier(random_state=0).fit(X, y)
    assert (y[model.reliable_] == 0).all()
    assert truth[model.reliable_].mean() < 0.2 * truth[y == 0].mean()
    assert len(model.reliable_) > 0.8 * (~truth).sum()


def test_less_noise_trusts_fewer_rows(table):
    X, y, _ = table
    counts = [
        len(SpyClassifier(noise=noise, random_state=0).fit(X, y).reliable_)
        for noise in (0.0, 0.2, 0.6)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_every_labeled_row_is_a_spy_once(table):
    X, y, _ = table
    covers = []

    class Recorder(RandomForestClassifier):
        def fit(self, X, y, sample_weight=None):
            covers.append(np.array(y))
            return super().fit(X, y, sample_weight)

    lopsided.build(
        "spy", estimator=Recorder(5), final_estimator=RandomForestClassifier(5), random_state=0
    ).fit(X, y)
    spies = sum((y - cover) for cover in covers)
    assert (spies == y).all()
    assert len(covers) == 7  # of 15 % each


def test_hidden_positives_rank_above_others(table):
    X, y, truth = table
    scores = SpyClassifier(random_state=0).fit(X, y).decision_function(X)
    hidden = truth & (y == 0)
    assert scores[hidden].mean() > np.quantile(scores[~truth], 0.95)


def test_when_no_row_is_below_the_spies_the_least_suspected_ones_are_taken():
    X = np.zeros((30, 2))  # all rows alike
    y = (np.arange(30) < 4).astype(int)
    with pytest.warns(UserWarning, match="X"):
        model = SpyClassifier(random_state=0).fit(X, y)
    assert len(model.reliable_) == 26


def test_a_round_leaves_at_least_one_labeled_row(table):
    X, y, _ = table
    few = np.zeros_like(y)
    few[np.flatnonzero(y)[:4]] = 1
    model = SpyClassifier(spy_share=0.9, random_state=0).fit(X, few)
    assert np.isfinite(model.decision_function(X)).all()


def test_rows_without_weight_are_neither_spies_nor_reliable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (np.arange(80) < 12).astype(int)
    X[y == 1] += 2
    weight = np.where(np.arange(80) % 3, 1.0, 0.0)
    weight[X[:, 0] < np.median(X[:, 0])] = 0  # those that look least like spies
    model = SpyClassifier(random_state=0).fit(X, y, sample_weight=weight)
    assert np.isfinite(model.decision_function(X)).all()
    assert (weight[model.reliable_] > 0).any()
