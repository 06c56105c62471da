import re

import numpy as np
import pytest

from lopsided import metrics
from lopsided.metrics import Estimate, named, pu_bootstrap
from lopsided.priors import PriorEstimate, estimate_prior

NAMES = [*metrics.pu.__all__, *metrics.at_k.__all__]
TRUE = {
    "pu_average_precision": metrics.average_precision,
    "pu_roc_auc": metrics.roc_auc,
    "pu_recall_at_k": metrics.recall_at_k,
    "pu_mean_log_rank": metrics.pu_mean_log_rank,
    "pu_damped_log_rank": lambda y, scores: metrics.pu_damped_log_rank(y, scores, y.mean()),
}
N_ROWS, POSITIVES = 300, 30
TRUTH = np.repeat([1, 0], [POSITIVES, N_ROWS - POSITIVES])
SCORES = np.random.default_rng(0).normal(size=N_ROWS) + 1.5 * TRUTH


def params_of(name):
    return {"k": 40} if name in metrics.at_k.__all__ else {}


def label(n_labeled, rng=0, truth=TRUTH):
    y = np.zeros(len(truth), int)
    rng = np.random.default_rng(rng)
    y[rng.choice(np.flatnonzero(truth), n_labeled, replace=False)] = 1
    return y


@pytest.mark.parametrize("name", list(TRUE))
def test_intervals_cover_the_truth_at_their_rate(rankings, name):
    rng, covered = np.random.default_rng(7), []
    for truth, scores in rankings:
        n_positives = truth.sum()
        params = {"k": int(1.5 * n_positives)} if name.endswith("_k") else {}
        expected = TRUE[name](truth, scores, **params)
        for n_labeled in np.repeat([3, n_positives // 4 + 1, n_positives // 2], 60):
            one = pu_bootstrap(
                name,
                label(n_labeled, rng, truth),
                scores,
                prior=truth.mean(),
                n_draws=150,
                random_state=rng,
                **params,
            )
            covered.append(one.low - 1e-9 <= expected <= one.high + 1e-9)
    by_chance = 3 * np.sqrt(0.9 * 0.1 / len(covered))  # 0.034: more than 0.984 fails as well
    assert abs(np.mean(covered) - 0.9) < 0.05 + by_chance


@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
@pytest.mark.parametrize("n_labeled", [2, 3, 20])
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_an_interval_around_its_value(name, n_labeled, scenario):
    y, params = label(n_labeled), {"scenario": scenario, **params_of(name)}
    one = pu_bootstrap(name, y, SCORES, prior=0.1, n_draws=100, random_state=0, **params)
    same = pu_bootstrap(
        getattr(metrics, name), y, SCORES, prior=0.1, n_draws=100, random_state=0, **params
    )
    assert one == same
    inside = one.value if one.value < 1 or one.high > 1 else 1
    assert 0 <= one.low <= inside <= one.high
    assert one.standard_error > 0
    needs = {} if name in ("pu_mean_log_rank", "pu_recall_at_k", "pu_lift_at_k") else 0.1
    prior = {"prior": needs} if needs else {}
    assert one.value == getattr(metrics, name)(y, SCORES, **prior, **params)


@pytest.mark.parametrize("name", [*TRUE, "pu_precision_at_k", "pu_lift_at_k", "pu_f1_at_k"])
def test_a_draw_of_a_table_without_hidden_positives_is_its_value(name):
    # All positives are labeled: every draw is the table as it is.
    one = pu_bootstrap(name, TRUTH, SCORES, prior=0.1, n_draws=20, **params_of(name))
    assert one.standard_error == pytest.approx(0, abs=1e-12)
    assert one.low == pytest.approx(one.value)
    assert one.high == pytest.approx(one.value)


def test_draws_average_to_the_value_where_many_rows_are_labeled():
    rng = np.random.default_rng(0)
    truth = np.arange(20_000) < 2000
    scores, y = rng.normal(size=20_000) + truth, label(1000, rng, truth)
    for name in NAMES:
        params = {"k": 1500} if name in metrics.at_k.__all__ else {}
        one = pu_bootstrap(name, y, scores, prior=0.1, n_draws=200, random_state=0, **params)
        middle = (one.low + one.high) / 2
        assert middle == pytest.approx(one.value, abs=0.35 * (one.high - one.low))


def test_the_standard_error_is_the_error_of_the_value():
    rng = np.random.default_rng(0)
    for name in TRUE:
        params, found = params_of(name), []
        truth = TRUE[name](TRUTH, SCORES, **params)
        for _ in range(60):
            one = pu_bootstrap(
                name,
                label(12, rng),
                SCORES,
                prior=0.1,
                n_draws=100,
                random_state=rng,
                **params,
            )
            top = np.inf if name.endswith("log_rank") else 1
            found.append((min(one.value, top) - truth, one.standard_error))
        error, spread = np.sqrt(np.mean(np.square(found), axis=0))
        assert 0.7 < spread / error < 1.4


def test_what_is_hidden_decides_how_wide_the_interval_is():
    y = label(15)
    widths = []
    for prior in (0.055, 0.1, None):
        one = pu_bootstrap("pu_mean_log_rank", y, SCORES, prior=prior, random_state=0)
        widths.append(one.high - one.low)
    assert widths == sorted(widths)


def test_labeled_rows_that_are_all_at_the_top_still_leave_doubt():
    scores = SCORES + 100 * TRUTH
    for name in TRUE:
        one = pu_bootstrap(name, label(4), scores, prior=0.1, random_state=0, **params_of(name))
        truth = TRUE[name](TRUTH, scores, **params_of(name))
        assert one.low < truth - 0.01
        assert one.standard_error > 0


def test_a_range_of_priors_covers_both_ends():
    y, settings = label(10), {"k": 40, "n_draws": 300}
    both = pu_bootstrap(
        "pu_precision_at_k", y, SCORES, prior=(0.05, 0.2), random_state=0, **settings
    )
    for prior in (0.05, 0.2):
        one = pu_bootstrap(
            "pu_precision_at_k", y, SCORES, prior=prior, random_state=1, **settings
        )
        assert both.low < one.low + 0.05
        assert both.high > one.high - 0.05
    assert both.value == pytest.approx(metrics.pu_precision_at_k(y, SCORES, 40, prior=0.1))


@pytest.mark.parametrize("prior", [None, 0.1])
def test_constant_scores_have_intervals_around_chance(prior):
    y, flat = label(10), np.zeros(N_ROWS)
    auc = pu_bootstrap("pu_roc_auc", y, flat, prior=prior, random_state=0)
    assert (auc.low, auc.high) == pytest.approx((0.5, 0.5))
    precision = pu_bootstrap("pu_average_precision", y, flat, prior=prior, random_state=0)
    assert precision.low <= (prior or 10 / N_ROWS) <= precision.high


def test_many_draws_in_parts_are_as_many(monkeypatch):
    monkeypatch.setattr(metrics.bootstrap, "_CHUNK", 100)
    one = pu_bootstrap("pu_roc_auc", label(10), SCORES, prior=0.1, n_draws=200, random_state=0)
    assert one.low < one.value < one.high


def test_an_estimate_shows_its_value_and_interval():
    assert re.findall(r"[\d.]+", str(Estimate(0.5, 0.1, 0.34, 0.66))) == [
        "0.5",
        "90",
        "0.34",
        "0.66",
    ]


def test_a_value_that_no_truth_has_is_kept_and_not_shown():
    y = np.repeat([1, 0], [10, 90])
    scores = np.linspace(1, 0, 100)
    given = {"k": 5, "prior": 0.3, "random_state": 0}
    one = pu_bootstrap("pu_precision_at_k", y, scores, **given)
    assert one.value == metrics.pu_precision_at_k(y, scores, 5, 0.3) > 1
    assert one.clipped == one.high == 1
    assert str(one).startswith("1 ")
    plain = pu_bootstrap("pu_roc_auc", label(20), SCORES, prior=0.1, random_state=0)
    assert plain.clipped == plain.value


@pytest.mark.parametrize("name", NAMES)
def test_an_estimated_prior_is_its_interval_with_its_own_value(name):
    y, params = label(12), params_of(name)
    prior = estimate_prior(y, SCORES)
    one = pu_bootstrap(name, y, SCORES, prior=prior, n_draws=50, random_state=0, **params)
    pair = (prior.low, prior.high)
    same = pu_bootstrap(name, y, SCORES, prior=pair, n_draws=50, random_state=0, **params)
    assert (one.low, one.high) == (same.low, same.high)
    known = named.bind_prior(name, prior.value)
    assert one.value == known(y, SCORES, **params)
    assert one.value == named.bind_prior(name, prior)(y, SCORES, **params)


@pytest.mark.parametrize(
    ("value", "low", "high", "scenario"),
    [
        (1.0, 0.2, 1.0, "one-sample"),
        (1.0, 1.0, 1.0, "one-sample"),
        (1.0, 0.2, 1.0, "two-sample"),
        (0.0, 0.0, 0.1, "two-sample"),
    ],
)
def test_an_estimate_of_all_rows_or_none_has_an_interval_like_any_other(
    value, low, high, scenario
):
    y, scores = np.repeat([1, 0], [2, 34]), np.arange(36.0)
    prior = PriorEstimate(value, low, high, 0.9, True, 1.0, "auto", "")
    given = {"scenario": scenario, "random_state": 0}
    found = pu_bootstrap("pu_average_precision", y, scores, prior=prior, **given)
    assert np.isfinite(found.value)
    assert found.low <= found.clipped <= found.high
