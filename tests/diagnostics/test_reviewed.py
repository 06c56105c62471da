"""Reviewed negatives (-1): rows of the population for an estimate, and rows of no list."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided import metrics
from lopsided.calibration import pu_calibration_error
from lopsided.calibration.maps import fit_calibration
from lopsided.diagnostics import (
    blind_recall,
    check_scar,
    check_signal,
    diagnose,
    expected_finds,
    review_curve,
    sensitivity,
)

RNG = np.random.default_rng(4)
TRUTH = np.arange(300) < 40
SCORES = RNG.normal(size=300) + 2.0 * TRUTH
Y = np.where(TRUTH & (np.arange(300) % 2 == 0), 1, 0)
TOP = 40 + np.argsort(-SCORES[40:])[:30]  # reviewers read from the top
REVIEWED = Y.copy()
REVIEWED[TOP] = -1
PRIOR = 40 / 300
SCENARIOS = pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])


@SCENARIOS
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("pu_roc_auc", {"prior": 0.2}),
        ("pu_average_precision", {"prior": 0.2}),
        ("pu_mean_log_rank", {}),
        ("pu_damped_log_rank", {}),
        ("pu_recall_at_k", {"k": 30}),
        ("pu_lift_at_k", {"k": 30}),
        ("pu_precision_at_k", {"k": 30, "prior": 0.2}),
        ("pu_f1_at_k", {"k": 30, "prior": 0.2}),
    ],
)
def test_to_a_metric_of_the_population_a_reviewed_row_is_one_without_a_label(
    name, params, scenario
):
    metric = getattr(metrics, name)
    found, expected = (metric(y, SCORES, scenario=scenario, **params) for y in (REVIEWED, Y))
    assert found == expected


@pytest.mark.parametrize("name", ["pu_roc_auc", "pu_mean_log_rank", "pu_damped_log_rank"])
def test_metrics_that_need_no_pairs_take_a_single_labeled_row(name):
    one = (np.arange(300) == 0).astype(int)
    assert np.isfinite(getattr(metrics, name)(one, SCORES))
    assert metrics.pu_recall_at_k(one, SCORES, k=150) in (0.0, 1.0)


def test_calibration_and_checks_take_it_for_a_row_of_the_population():
    maps = [fit_calibration(SCORES, y, PRIOR).transform(SCORES) for y in (REVIEWED, Y)]
    assert_array_equal(*maps)
    proba = 1 / (1 + np.exp(-SCORES))
    errors = [pu_calibration_error(y, proba, PRIOR) for y in (REVIEWED, Y)]
    assert errors[0] == errors[1]
    assert check_scar(REVIEWED, SCORES, PRIOR) == check_scar(Y, SCORES, PRIOR)
    signals = [check_signal(y, SCORES, random_state=0) for y in (REVIEWED, Y)]
    assert signals[0] == signals[1]


# Lists


def shorter():
    """Return the table without its reviewed rows: the list is the same, the prior is not."""
    listed = REVIEWED != -1
    return Y[listed], SCORES[listed], 40 / listed.sum()


def test_expected_finds_are_those_of_the_table_without_reviewed_rows():
    y, scores, prior = shorter()
    found = expected_finds(REVIEWED, SCORES, [10, 50], PRIOR)
    for one, other in zip(found, expected_finds(y, scores, [10, 50], prior), strict=True):
        assert_allclose(one.value, other.value, rtol=1e-6)
        assert (one.low, one.high) == (other.low, other.high)
    curves = review_curve(REVIEWED, SCORES, PRIOR), review_curve(y, scores, prior)
    assert_allclose(curves[0].finds, curves[1].finds, rtol=1e-9)


@SCENARIOS
def test_reviewed_rows_hide_no_positive_and_take_no_place(scenario):
    prior = PRIOR if scenario == "one-sample" else 20 / 280
    y, scores, _ = shorter()
    for own in (REVIEWED, Y):  # who was reviewed changes nothing in how many are hidden
        curve = review_curve(own, SCORES, prior, scenario=scenario)
        assert curve.n_hidden == pytest.approx(20)
    assert blind_recall(REVIEWED, SCORES, 20).n_found == blind_recall(y, scores, 20).n_found
    assert blind_recall(REVIEWED, SCORES, 20).n_found > blind_recall(Y, SCORES, 20).n_found
    better, worse = (
        sensitivity(own, SCORES, 20, prior, scenario=scenario).outcomes[0]
        for own in (REVIEWED, Y)
    )
    assert better.finds > worse.finds
    assert (better.prior, better.average_precision) == (worse.prior, worse.average_precision)


def test_a_list_is_no_longer_than_the_unlabeled_rows():
    for count in (
        lambda: blind_recall(REVIEWED, SCORES, 251),
        lambda: expected_finds(REVIEWED, SCORES, 251, PRIOR),
        lambda: sensitivity(REVIEWED, SCORES, 251, PRIOR),
    ):
        with pytest.raises(ValueError, match=r"k.*250"):
            count()


def test_a_diagnosis_counts_unlabeled_rows_and_learns_from_reviewed_ones():
    X = np.column_stack([SCORES, RNG.normal(size=(300, 2))])
    found = diagnose(X, REVIEWED, "naive-logistic", prior=PRIOR)
    assert [one.k for one in found.finds] == [50, 100, 200]
    assert len(found.curve) == 250
    with pytest.raises(ValueError, match=r"k.*250"):
        diagnose(X, REVIEWED, "naive-logistic", prior=PRIOR, k=251)
    assert np.isfinite(found.scores).all()


def test_sensitivity_takes_a_single_labeled_row():
    one = (np.arange(300) == 0).astype(int)
    found = sensitivity(one, SCORES, 20, (0.01, 0.1))
    assert all(np.isfinite(outcome.average_precision) for outcome in found.outcomes)
