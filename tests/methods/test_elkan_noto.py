import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import lopsided
from lopsided.methods.elkan_noto import (
    ElkanNotoClassifier,
    hidden_weights,
    label_frequency,
)


def draw(n=4000, frequency=0.4, seed=0):
    """Positives that can be told apart, labeled completely at random."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.2
    X = rng.normal(size=(n, 3)) + 3 * truth[:, None]
    return X, (truth & (rng.random(n) < frequency)).astype(int), truth


@pytest.mark.parametrize("kind", ["mean", "ratio"])
@pytest.mark.parametrize("frequency", [0.2, 0.6])
def test_frequency_and_prior_are_found(kind, frequency):
    X, y, truth = draw(frequency=frequency)
    model = ElkanNotoClassifier(frequency=kind, random_state=0).fit(X, y)
    assert abs(model.label_frequency_ - frequency) < 0.06
    assert abs(model.prior_ - truth.mean()) < 0.04


def test_the_estimates_are_those_of_the_paper():
    proba, y, alike = np.array([0.5, 0.3, 0.6, 0.1]), np.array([1, 1, 0, 0]), np.ones(4)
    assert_allclose(label_frequency(proba, y, alike, "mean"), 0.4)
    assert_allclose(label_frequency(proba, y, alike, "ratio"), 0.8 / 1.5)
    assert_allclose(label_frequency(proba, y, alike, "max"), 0.6)
    assert_allclose(label_frequency(proba, y, np.array([3.0, 1, 1, 1]), "mean"), 0.45)


def test_hidden_weights_are_bayes_rule():
    frequency, chance = 0.4, np.array([0.0, 0.1, 0.3, 0.4])
    positive = chance / frequency
    expected = (positive - chance) / (1 - chance)
    assert_allclose(hidden_weights(chance, frequency), expected, atol=1e-5)
    # A little is kept for the negatives, so that both classes are there to be learned.
    assert 0.999 < hidden_weights(np.array([1.0]), 0.4) < 1


def test_dividing_by_the_frequency_keeps_the_order_and_finds_the_probabilities():
    X, y, truth = draw(20_000)
    model = ElkanNotoClassifier(refit=False, random_state=0).fit(X, y)
    chance = model.predict_proba(X)[:, 1]
    plain = LogisticRegression().fit((X - X.mean(0)) / X.std(0), y)
    labeled = plain.predict_proba((X - X.mean(0)) / X.std(0))[:, 1]
    assert (np.argsort(model.decision_function(X)) == np.argsort(labeled)).all()
    inside = labeled < 0.9 * model.label_frequency_
    assert_allclose(chance[inside], labeled[inside] / model.label_frequency_, rtol=1e-6)
    assert abs(chance.mean() - truth.mean()) < 0.03


def test_a_refitted_model_knows_how_many_positives_there_are():
    X, y, truth = draw(20_000)
    chance = ElkanNotoClassifier(random_state=0).fit(X, y).predict_proba(X)[:, 1]
    assert abs(chance.mean() - truth.mean()) < 0.03
    assert chance[truth].mean() > 0.8
    assert chance[~truth].mean() < 0.05


def test_two_labeled_rows_are_enough_for_any_seed_and_a_learner_that_overfits():
    X, y, _ = draw(60)
    y[:] = 0
    y[[3, 9]] = 1
    for seed in range(5):
        model = lopsided.build(
            "elkan-noto", estimator=DecisionTreeClassifier(), random_state=seed
        ).fit(X, y)
        assert y.mean() <= model.label_frequency_ <= 1
        assert np.isfinite(model.decision_function(X)).all()


def test_out_of_fold_an_overfit_learner_does_not_find_every_positive_labeled():
    X, y, _ = draw(2000)
    model = ElkanNotoClassifier(DecisionTreeClassifier(), random_state=0).fit(X, y)
    assert model.label_frequency_ < 0.7  # on its own rows the tree would say 1
