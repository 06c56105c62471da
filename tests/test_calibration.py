import itertools
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.calibration import calibration_curve
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lopsided import FocusedClassifier, NaiveLogisticClassifier, PUForestClassifier, calibration
from lopsided.calibration import (
    PUCalibratedClassifier,
    fit_calibration,
    maps,
    pu_calibration_error,
    pu_log_loss,
    pu_reliability_curve,
)
from lopsided.exceptions import PriorWarning
from lopsided.model_selection import PUGroupKFold
from lopsided.priors import estimate_prior
from lopsided.testing import contract_checks

SMOOTH = ("temperature", "platt", "beta")
METHODS = (*SMOOTH, "isotonic")


def draw(rng, n_rows=4000, frequency=0.5, slope=2.0, intercept=-3.0):
    """Return scores, truth and PU labels of rows whose log-odds are a line in the scores."""
    scores = rng.normal(size=n_rows)
    y_true = rng.random(n_rows) < expit(intercept + slope * scores)
    return scores, y_true, y_true & (rng.random(n_rows) < frequency)


def draw_table(seed=0, n_rows=300, frequency=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y_true = X[:, 0] + 0.4 * rng.normal(size=n_rows) > 1.2
    return X, (y_true & (rng.random(n_rows) < frequency)).astype(int), y_true


# Maps


@pytest.mark.parametrize("method", ["platt", "beta"])
def test_maps_find_the_true_line_from_labels(method):
    grid = np.array([-1.0, 0.0, 1.0, 2.0])
    found = []
    for seed in range(12):
        scores, y_true, y = draw(np.random.default_rng(seed))
        found.append(fit_calibration(scores, y, y_true.mean(), method).transform(grid))
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert_allclose(np.mean(found, axis=0), -3 + 2 * grid, atol=4 * error.max() + 0.1)


def test_temperature_finds_the_true_temperature():
    log_odds, y_true, y = draw(np.random.default_rng(0), n_rows=20_000, intercept=0, slope=1)
    found = fit_calibration(3 * log_odds, y, y_true.mean(), "temperature")
    assert_allclose(found.transform(3.0), 1, atol=0.15)
    assert found.transform(0.0) == 0


def test_isotonic_finds_a_curve_that_is_no_line():
    rng = np.random.default_rng(1)
    scores = rng.uniform(size=40_000)
    proba = np.where(scores < 0.5, 0.05, 0.4)
    y_true = rng.random(40_000) < proba
    y = y_true & (rng.random(40_000) < 0.5)
    found = expit(fit_calibration(scores, y, y_true.mean(), "isotonic").transform(scores))
    assert np.mean(np.abs(found - proba)) < 0.015
    assert_allclose(found.mean(), y_true.mean(), atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_two_samples_find_the_chances_in_the_unlabeled_one(method):
    rng = np.random.default_rng(2)
    scores, y_true, _ = draw(rng, n_rows=20_000)
    more, positive, _ = draw(rng, n_rows=20_000)
    labeled = more[positive][:1500]
    all_scores = np.concatenate([labeled, scores])
    y = np.repeat([1, 0], [1500, 20_000])
    if method == "temperature":
        all_scores, scores = -3 + 2 * all_scores, -3 + 2 * scores
    found = fit_calibration(all_scores, y, y_true.mean(), method, scenario="two-sample")
    proba = expit(found.transform(scores))
    assert_allclose(proba.mean(), y_true.mean(), atol=0.01)
    curve = calibration_curve(y_true, proba, n_bins=5, strategy="quantile")
    assert_allclose(*curve, atol=0.05)


@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
def test_the_platt_map_equals_a_slow_twin(scenario):
    scores, y_true, y = draw(np.random.default_rng(3), n_rows=500)
    prior = y_true.mean()
    one_sample = scenario == "one-sample"

    def slow(theta):
        positive = expit(theta[0] * scores + theta[1])
        if one_sample:
            label = y.mean() / prior * positive
        else:
            odds = y.sum() / ((~y).sum() * prior) * positive
            label = odds / (1 + odds)
        return -np.log(np.where(y, label, 1 - label)).sum()

    slope, intercept = minimize(slow, [1, -1], method="Nelder-Mead").x
    found = fit_calibration(scores, y, prior, "platt", scenario=scenario)
    assert_allclose(found.slope, slope, rtol=0.02)
    assert_allclose(found.transform(0.0), intercept, rtol=0.02)


def test_the_derivative_of_the_label_log_loss_is_its_slope():
    log_odds = np.linspace(-30, 30, 41)
    step = 1e-5
    for labeled, one_sample in itertools.product((True, False), repeat=2):
        for hidden in (-np.inf, -0.5) if one_sample else (0.7,):
            kind = np.full(41, labeled), hidden, one_sample
            up, down = (maps._label_log_loss(log_odds + d, *kind)[0] for d in (step, -step))
            _, slope = maps._label_log_loss(log_odds, *kind)
            assert_allclose((up - down) / (2 * step), slope, atol=1e-8)


def test_platt_on_fully_labeled_rows_is_logistic_regression():
    scores, y_true, _ = draw(np.random.default_rng(4))
    found = fit_calibration(scores, y_true, y_true.mean(), "platt")
    model = LogisticRegression(C=1e6).fit(scores[:, None], y_true)
    assert_allclose(found.slope, model.coef_[0, 0], rtol=1e-3)
    assert_allclose(found.transform(0.0), model.intercept_[0], rtol=1e-3)


@pytest.mark.parametrize("method", SMOOTH)
@pytest.mark.parametrize("case", ["signal", "noise", "inverted", "separated", "two labels"])
def test_smooth_maps_keep_the_order(method, case):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=400)
    y = {
        "signal": rng.random(400) < 0.5 * expit(3 * scores - 3),
        "noise": rng.random(400) < 0.1,
        "inverted": rng.random(400) < 0.5 * expit(-3 * scores - 3),
        "separated": scores > np.quantile(scores, 0.95),
        "two labels": scores >= np.sort(scores)[-2],
    }[case]
    found = fit_calibration(scores, y, max(0.1, y.mean()), method)
    places = np.sort(np.concatenate([scores, [-1e6, 1e6]]))
    log_odds = found.transform(places)
    assert np.isfinite(log_odds).all()
    assert (np.diff(log_odds) > 0).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "scores",
    [
        np.arange(40.0),
        -np.arange(40.0),
        np.zeros(40),
        np.r_[np.zeros(39), 1e300],
        np.r_[-np.inf, np.arange(38.0), np.inf],
        1e308 * np.linspace(-1, 1, 40),
        1e-308 * np.linspace(-1, 1, 40),
        5 + 1e-14 * np.arange(40.0),
    ],
    ids=["rising", "falling", "constant", "outlier", "infinite", "huge", "tiny", "close"],
)
@pytest.mark.parametrize("prior", [0.05, 0.3, 0.99])
@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
def test_two_labels_and_odd_scores_give_finite_log_odds(method, scores, prior, scenario):
    y = np.arange(40) >= 38
    found = fit_calibration(scores, y, prior, method, scenario=scenario)
    log_odds = found.transform(np.sort(scores))
    assert np.isfinite(log_odds).all()
    assert (np.diff(log_odds) >= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_an_outlier_does_not_spoil_the_map(method):
    scores, y_true, y = draw(np.random.default_rng(6))
    scores = 2 * scores - 3
    plain = fit_calibration(scores, y, y_true.mean(), method)
    scores[np.argmax(scores)] = 1e200
    moved = fit_calibration(scores, y, y_true.mean(), method)
    grid = np.linspace(-5, 2, 9)
    assert_allclose(expit(moved.transform(grid)), expit(plain.transform(grid)), atol=0.02)


@pytest.mark.parametrize("method", ["platt", "beta", "isotonic"])
def test_probabilities_do_not_depend_on_the_unit_of_scores(method):
    scores, y_true, y = draw(np.random.default_rng(7), n_rows=1000)
    plain = fit_calibration(scores, y, y_true.mean(), method).transform(scores)
    scaled = 1e6 * scores + 1e5
    other = fit_calibration(scaled, y, y_true.mean(), method).transform(scaled)
    assert_allclose(other, plain, atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_of_two_is_a_row_twice(method):
    scores, y_true, y = draw(np.random.default_rng(8), n_rows=600)
    times = np.random.default_rng(9).integers(0, 3, 600)
    times[:3] = 1
    repeated = np.repeat(np.arange(600), times)
    grid = np.linspace(-2, 2, 9)
    one = fit_calibration(scores, y, y_true.mean(), method, times).transform(grid)
    two = fit_calibration(scores[repeated], y[repeated], y_true.mean(), method).transform(grid)
    assert_allclose(expit(one), expit(two), atol=0.01)


@pytest.mark.parametrize("method", SMOOTH)
def test_large_tables_are_fitted_on_merged_rows_to_the_same_map(method, monkeypatch):
    scores, y_true, y = draw(np.random.default_rng(16), n_rows=30_000)
    merged = fit_calibration(2 * scores - 3, y, y_true.mean(), method).transform(scores)
    monkeypatch.setattr(maps, "_MAX_ROWS", 10**6)
    single = fit_calibration(2 * scores - 3, y, y_true.mean(), method).transform(scores)
    assert_allclose(merged, single, atol=1e-3)


def test_rows_without_a_score_are_left_out():
    scores, y_true, y = draw(np.random.default_rng(10), n_rows=600)
    known = np.arange(600) >= 50
    holes = np.where(known, scores, np.nan)
    found = fit_calibration(holes, y, y_true.mean())
    assert found == fit_calibration(scores[known], y[known], y_true.mean())
    assert_array_equal(np.isnan(found.transform(holes)), ~known)


def test_labels_object_to_a_prior_that_is_too_high():
    scores, y_true, y = draw(np.random.default_rng(11), slope=8, intercept=-14)
    found = fit_calibration(scores, y, 4 * y_true.mean(), "platt")
    assert expit(found.transform(scores)).mean() < 2.5 * y_true.mean()


# Metrics


@pytest.fixture(scope="module")
def hidings():
    """Return truth, rough probabilities, and labels of many hidings."""
    rng = np.random.default_rng(13)
    log_odds, y_true, _ = draw(rng, n_rows=1500)
    proba = expit(1.5 * log_odds - 2)  # not right
    positives = np.flatnonzero(y_true)
    labels = np.zeros((120, 1500), dtype=int)
    for one in labels:
        one[rng.choice(positives, len(positives) // 3, replace=False)] = 1
    return y_true, proba, labels


def test_pu_log_loss_is_unbiased_over_hidings(hidings):
    y_true, proba, labels = hidings
    found = [pu_log_loss(y, proba, y_true.mean()) for y in labels]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - log_loss(y_true, proba)) < 3 * error


def test_pu_log_loss_with_all_labels_is_the_log_loss(hidings):
    y_true, proba, _ = hidings
    weight = np.random.default_rng(14).uniform(size=len(y_true))
    prior = np.average(y_true, weights=weight)
    found = pu_log_loss(y_true, proba, prior, sample_weight=weight)
    assert_allclose(found, log_loss(y_true, proba, sample_weight=weight))


def test_pu_log_loss_of_two_samples_is_unbiased():
    rng = np.random.default_rng(15)
    scores, y_true, _ = draw(rng, n_rows=3000)
    proba, positives = expit(scores - 1), np.flatnonzero(y_true)
    found = []
    for _ in range(200):
        drawn = rng.choice(positives, 50)
        y = np.repeat([1, 0], [50, 3000])
        both = np.concatenate([proba[drawn], proba])
        found.append(pu_log_loss(y, both, y_true.mean(), scenario="two-sample"))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - log_loss(y_true, proba)) < 3 * error


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_reliability_curve_is_unbiased_and_its_band_covers(hidings, strategy):
    y_true, proba, labels = hidings
    curves = [
        pu_reliability_curve(y, proba, y_true.mean(), 5, strategy=strategy) for y in labels
    ]
    # With all labels it is the curve of the truth.
    truth = pu_reliability_curve(y_true, proba, y_true.mean(), 5, strategy=strategy)
    found = np.array([curve.prob_true for curve in curves])
    error = found.std(axis=0) / np.sqrt(len(curves)) + 1e-12
    assert (np.abs(found.mean(axis=0) - truth.prob_true) < 4 * error + 0.01).all()
    inside = [(c.low <= truth.prob_true) & (truth.prob_true <= c.high) for c in curves]
    assert np.mean(inside, axis=0).min() >= 0.85


def test_the_reliability_curve_with_all_labels_is_that_of_scikit_learn(hidings):
    y_true, proba, _ = hidings
    found = pu_reliability_curve(y_true, proba, y_true.mean(), 7)
    prob_true, prob_pred = calibration_curve(y_true, proba, n_bins=7)
    assert_allclose(found.prob_true, prob_true)
    assert_allclose(found.prob_pred, prob_pred)
    expected = np.abs(prob_true - prob_pred) @ found.n_rows / len(proba)
    assert_allclose(pu_calibration_error(y_true, proba, y_true.mean(), 7), expected)


def test_the_calibration_error_tells_right_from_wrong(hidings):
    y_true, proba, labels = hidings
    prior = y_true.mean()
    right = expit(2 * (logit(proba) + 2) / 1.5 - 3)
    found = [[pu_calibration_error(y, p, prior) for p in (right, proba)] for y in labels]
    assert (np.diff(found) > 0).mean() > 0.95
    assert np.mean(found, axis=0)[0] < 3 * prior / np.sqrt(labels[0].sum())


def test_two_samples_count_the_unlabeled_rows():
    proba = np.array([0.9, 0.9, 0.9, 0.1, 0.9, 0.1])
    y = np.array([1, 1, 1, 0, 0, 0])
    curve = pu_reliability_curve(y, proba, 0.25, 2, scenario="two-sample")
    assert_allclose(curve.prob_pred, [0.1, 0.9])
    assert_allclose(curve.prob_true, [0, 0.75])
    assert_allclose(
        pu_calibration_error(y, proba, 0.25, 2, scenario="two-sample"), 0.2 / 3 + 0.05
    )


# The estimator

FOREST = PUForestClassifier(n_estimators=60, min_samples_leaf=3, oob_score=True, random_state=0)


class CountingLogistic(LogisticRegression):
    """Counts its fits."""

    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "estimator",
    [
        FOREST,
        NaiveLogisticClassifier(),
        RandomForestClassifier(30, min_samples_leaf=3, oob_score=True, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=["forest", "method", "scikit-learn", "pipeline"],
)
def test_answers_agree_and_keep_the_ranking(method, estimator):
    X, y, y_true = draw_table()
    model = PUCalibratedClassifier(estimator, method, prior=float(y_true.mean()))
    model.set_params(random_state=0).fit(X, y)
    log_odds, proba = model.decision_function(X), model.predict_proba(X)
    assert_allclose(proba[:, 1], expit(log_odds))
    assert_array_equal(model.predict(X), log_odds > 0)
    order = np.argsort(log_odds, kind="stable")
    inner = model.estimator_
    own = inner.predict_proba(X)[:, 1]
    assert (np.diff(own[order]) >= -1e-12).all() or method == "isotonic"
    assert model.oob_decision_function_.shape == y.shape
    assert model.prior_ == y_true.mean()
    assert clone(model).get_params()["method"] == method


def test_probabilities_of_unseen_rows_fit_the_truth():
    X, y, y_true = draw_table(n_rows=3000)
    X_test, _, truth = draw_table(seed=1, n_rows=3000)
    model = PUCalibratedClassifier(NaiveLogisticClassifier(), prior=float(y_true.mean()))
    proba = model.fit(X, y).predict_proba(X_test)[:, 1]
    assert pu_calibration_error(truth, proba, truth.mean()) < 0.03
    raw = model.estimator_.predict_proba(X_test)[:, 1]
    assert log_loss(truth, proba) < log_loss(truth, raw)


def test_out_of_bag_scores_spare_the_folds(monkeypatch):
    X, y, _ = draw_table()
    monkeypatch.setattr(PUCalibratedClassifier, "_cross_fit", None)  # must not be called
    for estimator in (FOREST, FocusedClassifier(preset="fast", estimators=["logistic"])):
        model = PUCalibratedClassifier(estimator, prior=0.2, random_state=0).fit(X, y)
        scores = model.estimator_.oob_decision_function_
        assert_array_equal(model.oob_decision_function_, model.calibration_.transform(scores))


def test_other_classifiers_are_fitted_once_for_each_fold_and_once_more():
    X, y, _ = draw_table()
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    for cv, n_fits in ((3, 4), (splitter, 5), (list(splitter.split(X, y))[:2], 3)):
        CountingLogistic.n_fits = 0
        model = PUCalibratedClassifier(CountingLogistic(), prior=0.2, cv=cv).fit(X, y)
        assert CountingLogistic.n_fits == n_fits
    assert_allclose(np.isnan(model.oob_decision_function_).mean(), 0.5, atol=0.02)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("estimator", [FOREST, NaiveLogisticClassifier(), LogisticRegression()])
def test_two_labeled_rows_suffice(method, estimator):
    X, _, y_true = draw_table()
    y = np.zeros(len(X), dtype=int)
    y[np.flatnonzero(y_true)[:2]] = 1
    model = PUCalibratedClassifier(estimator, method, prior=0.1, random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.oob_decision_function_).all()


def test_the_prior_is_estimated_from_the_same_scores(monkeypatch):
    X, y, _ = draw_table()
    seen = {}

    def estimate_prior(y, scores, *, method, weight=None, random_state=None):
        assert method == "auto"
        seen.update(y=y, scores=scores)
        return SimpleNamespace(value=0.25, identified=True)

    monkeypatch.setattr(calibration.classifier, "estimate_prior", estimate_prior)
    model = PUCalibratedClassifier(FOREST, random_state=0).fit(X, y)
    assert model.prior_ == 0.25
    assert model.prior_estimate_.value == 0.25
    assert_array_equal(seen["scores"], model.estimator_.oob_decision_function_)
    given = clone(model).set_params(prior=0.25).fit(X, y)
    assert_array_equal(model.decision_function(X), given.decision_function(X))


def test_weights_reach_the_classifier_and_the_map():
    X, y, _ = draw_table()
    weight = np.where(np.arange(300) < 150, 1.0, 0.0)
    model = PUCalibratedClassifier(NaiveLogisticClassifier(), prior=0.2, random_state=0)
    model.fit(X, y, sample_weight=weight)
    alone = NaiveLogisticClassifier().fit(X, y, sample_weight=weight)
    own = model.estimator_.decision_function(X)
    assert_allclose(own, alone.decision_function(X))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.warns(UserWarning, match="sample_weight"):
        PUCalibratedClassifier(pipeline, prior=0.2).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    "judge",
    [
        lambda y, scores, prior: fit_calibration(scores, y, prior),
        lambda y, scores, prior: pu_log_loss(y, expit(scores), prior),
        lambda y, scores, prior: pu_calibration_error(y, expit(scores), prior),
        lambda y, scores, prior: pu_reliability_curve(y, expit(scores), prior),
    ],
    ids=["map", "log-loss", "error", "curve"],
)
def test_an_estimate_serves_as_its_value(judge):
    scores, _, y = draw(np.random.default_rng(16), n_rows=500)
    estimate = estimate_prior(y, scores)
    for ours, plain in zip(
        np.atleast_1d(judge(y, scores, estimate)),
        np.atleast_1d(judge(y, scores, estimate.value)),
        strict=True,
    ):
        assert_array_equal(ours, plain)


def test_a_calibrated_classifier_takes_an_estimate_and_keeps_it():
    X, y, _ = draw_table()
    scores = FOREST.fit(X, y).oob_decision_function_
    estimate = estimate_prior(y, scores)
    model = clone(PUCalibratedClassifier(FOREST, prior=estimate, random_state=0))
    assert model.get_params()["prior"] == estimate
    assert model.fit(X, y).prior_ == estimate.value


def test_a_prior_that_the_table_does_not_identify_is_said():
    X, _, y_true = draw_table()
    y = np.zeros(len(X), dtype=int)
    y[np.flatnonzero(y_true)[:3]] = 1
    for estimator in (FOREST, FocusedClassifier(preset="fast", estimators=["logistic"])):
        model = PUCalibratedClassifier(estimator, random_state=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
            clone(model).set_params(prior=0.1).fit(X, y)
        (said,) = [one for one in caught if one.category is PriorWarning]
        assert "3 labeled rows" in str(said.message)
        assert said.filename == __file__


@pytest.mark.parametrize("cv", [3, PUGroupKFold(3)], ids=["number", "splitter"])
def test_groups_stay_together_even_where_there_are_out_of_bag_scores(cv, monkeypatch):
    X, y, _ = draw_table()
    groups, seen = np.arange(300) // 4, []

    def note(self, template, rows, folds, rng):
        seen.extend(folds)
        return rows.X[:, 0]

    monkeypatch.setattr(PUCalibratedClassifier, "_cross_fit", note)
    model = PUCalibratedClassifier(FOREST, prior=0.2, cv=cv, random_state=0)
    model.fit(X, y, groups=groups)
    assert len(seen) == 3
    for train, test in seen:
        assert not set(groups[train]) & set(groups[test])


def test_groups_reach_the_folds():
    X, y, _ = draw_table()
    model = PUCalibratedClassifier(NaiveLogisticClassifier(), prior=0.2, cv=PUGroupKFold(3))
    model.fit(X, y, groups=np.arange(300) // 4)
    assert np.isfinite(model.oob_decision_function_).all()
    assert hasattr(model, "set_fit_request")


class Noted(NaiveLogisticClassifier):
    """Notes the rows and the prior that each copy is fitted with."""

    seen = ()

    def __init__(self, prior=0.2):
        super().__init__()
        self.prior = prior

    def _fit(self, rows, rng):
        Noted.seen += ((rows, self.prior_),)
        super()._fit(rows, rng)


def test_groups_weights_reviews_and_the_prior_of_each_part_reach_the_fits_of_a_method():
    X, y, _ = draw_table()
    groups = np.arange(300) // 4
    y = np.where((y == 0) & (groups % 5 == 0), -1, y)
    weight, table = 1.0 + groups % 7, np.column_stack([X, groups])
    Noted.seen = ()
    model = PUCalibratedClassifier(Noted(), prior=0.2, cv=3, random_state=0)
    model.fit(table, y, sample_weight=weight, groups=groups)
    assert len(Noted.seen) == 4
    for rows, prior in Noted.seen:
        own = rows.X[:, -1].astype(int)
        assert len({*zip(own, rows.groups, strict=True)}) == len(set(own))
        assert len(set(rows.groups)) == len(set(own))
        assert_array_equal(rows.weight, 1.0 + own % 7)
        assert_array_equal(rows.labels == -1, (rows.y == 0) & (own % 5 == 0))
        assert_allclose(prior, 0.2, atol=0.03)
    assert len({prior for _, prior in Noted.seen}) == 4


def test_a_row_that_several_splits_test_counts_by_its_mean_score():
    X, y, _ = draw_table()
    splits = [
        split
        for seed in range(3)
        for split in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y)
    ]
    model = PUCalibratedClassifier(LogisticRegression(), prior=0.2, cv=splits).fit(X, y)
    total = np.zeros(300)
    for train, test in splits:
        total[test] += LogisticRegression().fit(X[train], y[train]).decision_function(X[test])
    wanted = model.calibration_.transform(total / 3)
    assert_allclose(model.oob_decision_function_, wanted, atol=1e-9)


CALIBRATED = PUCalibratedClassifier(NaiveLogisticClassifier(), prior=0.2, cv=2, random_state=0)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in contract_checks(CALIBRATED)
        if "categories" not in name and "frames" not in name  # the classifier's own
    ],
)
def test_the_calibrated_classifier_keeps_the_contract_of_methods(check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        check()
