import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import lopsided
from lopsided._math import positive_posterior
from lopsided.methods.sar_em import SAREMClassifier, has_settled


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def draw(n, seed=0):
    """A table from the model itself: f and e logistic, on columns of their own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    f = sigmoid(2.5 * X[:, 0] + 1.5 * X[:, 1] - 1.5)
    e = sigmoid(2.0 * X[:, 2] - 1.0 * X[:, 3])
    truth = rng.random(n) < f
    return X, (truth & (rng.random(n) < e)).astype(int), f, e


def test_both_models_are_recovered_from_their_own_data():
    X, y, f, e = draw(5_000, seed=1)
    model = SAREMClassifier().fit(X, y)
    assert np.corrcoef(model.predict_proba(X)[:, 1], f)[0, 1] > 0.9
    assert np.corrcoef(model.predict_propensity(X), e)[0, 1] > 0.9


def test_refitting_by_inverse_propensity_keeps_the_recovery():
    X, y, f, _ = draw(5_000, seed=1)
    model = SAREMClassifier(refit=True).fit(X, y)
    assert np.corrcoef(model.predict_proba(X)[:, 1], f)[0, 1] > 0.9


def test_columns_of_the_propensity_can_be_named():
    X, y, f, e = draw(5_000)
    model = SAREMClassifier(propensity_columns=[2, 3]).fit(X, y)
    assert model.propensity_model_.n_features_in_ == 2
    assert np.corrcoef(model.predict_propensity(X), e)[0, 1] > 0.95
    assert np.corrcoef(model.predict_proba(X)[:, 1], f)[0, 1] > 0.95


def test_the_first_iteration_is_that_of_the_papers():
    X, y, _, _ = draw(400)
    learner = LogisticRegression(C=0.5)
    model = SAREMClassifier(learner, learner, max_iter=1).fit(X, y)
    Z, share = (X - X.mean(0)) / X.std(0), y.mean()
    f = LogisticRegression(C=0.5).fit(Z, y, y * (1 - share) + (1 - y) * share)
    chance = f.predict_proba(Z)[:, 1]
    e = LogisticRegression(C=0.5).fit(Z, y, y + (1 - y) * chance)
    q = y + (1 - y) * chance * (1 - (p := e.predict_proba(Z)[:, 1])) / (1 - chance * p)
    e = LogisticRegression(C=0.5).fit(Z, y, q)
    both = np.repeat([1, 0], len(y))
    f = LogisticRegression(C=0.5).fit(np.vstack([Z, Z]), both, np.concatenate([q, 1 - q]))
    assert_allclose(model.predict_proba(X), f.predict_proba(Z), atol=1e-6)
    assert_allclose(model.predict_propensity(X), e.predict_proba(Z)[:, 1], atol=1e-6)


def test_the_loop_ends_by_the_rule_and_not_before():
    X, y, _, _ = draw(400)
    model = SAREMClassifier().fit(X, y)
    assert 12 <= model.n_iter_ < 500
    assert len(model.log_likelihood_) == model.n_iter_
    recent = model.log_likelihood_[-10:]
    assert recent.max() - recent[0] < 1e-4
    assert SAREMClassifier(tol=1e9).fit(X, y).n_iter_ == 12  # the first it may stop after
    assert SAREMClassifier(tol=0.0, max_iter=30).fit(X, y).n_iter_ == 30


def test_change_is_measured_by_slopes_and_by_the_gain_in_the_window():
    still = [np.array([0.3, 0.5])] * 10
    flat = [-1.0] * 10
    assert has_settled(still, flat, 10, 1e-4)
    assert not has_settled(still[:9], flat, 10, 1e-4)
    moving = [np.array([0.3 + 2e-4 * i, 0.5 - 2e-4 * i]) for i in range(10)]
    assert not has_settled(moving, flat, 10, 1e-4)
    assert has_settled(moving, flat, 10, 2.1e-4)
    wobbling = [np.array([0.3 + 0.01 * (-1) ** i]) for i in range(10)]
    slope = abs(np.polyfit(range(10), np.ravel(wobbling), 1)[0])
    assert has_settled(wobbling, flat, 10, 1.01 * slope)
    assert not has_settled(wobbling, flat, 10, 0.99 * slope)
    rising = np.linspace(-1, -0.99, 10)
    assert not has_settled(still, rising, 10, 1e-4)
    assert has_settled(still, rising[::-1], 10, 1e-4)  # a loss is no gain


def test_the_posterior_is_bayes_rule():
    f, e = np.array([0.1, 0.5, 0.9]), np.array([0.3, 0.5, 0.99])
    scores, others = np.log(f / (1 - f)), np.log(e / (1 - e))
    hidden = f * (1 - e) / (f * (1 - e) + 1 - f)
    assert_allclose(positive_posterior(np.zeros(3), scores, others), hidden)
    assert_allclose(positive_posterior(np.ones(3), scores, others), 1)
    assert_allclose(positive_posterior(np.zeros(1), np.array([800.0]), np.array([800.0])), 0.5)


def test_any_weighing_classifier_takes_either_role():
    X, y, f, _ = draw(500)
    forest = RandomForestClassifier(20, min_samples_leaf=20)
    model = SAREMClassifier(forest, max_iter=3, random_state=0).fit(X, y)
    assert isinstance(model.estimator_, RandomForestClassifier)
    again = SAREMClassifier(forest, max_iter=3, random_state=0).fit(X, y)
    assert (model.decision_function(X) == again.decision_function(X)).all()
    assert np.corrcoef(model.predict_proba(X)[:, 1], f)[0, 1] > 0.5


def test_refit_weights_are_those_of_inverse_propensities_and_none_is_negative():
    X, y, _, _ = draw(500)
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append((y, sample_weight))
            return super().fit(X, y, sample_weight)

    model = lopsided.build("sarem", estimator=Spy(), refit=True, max_iter=3).fit(X, y)
    target, weight = seen[-1]
    assert (weight > 0).all()
    labeled = 1 / np.maximum(model.predict_propensity(X)[y == 1], 0.01)
    assert_allclose(weight[target == 1], labeled)
    assert_allclose(weight.sum(), max(len(y), labeled.sum()), rtol=1e-3)


def test_propensities_of_any_frame_that_was_fitted():
    polars = pytest.importorskip("polars")
    X, y, _, _ = draw(200)
    frame = polars.DataFrame(X, schema=list("abcd"))
    model = SAREMClassifier(max_iter=2).fit(frame, y)
    assert (
        model.predict_propensity(frame) == model.predict_propensity(frame.to_pandas())
    ).all()
