import warnings
from itertools import permutations

import numpy as np
import pytest

from lopsided import metrics

TRUTH = np.array([1, 0, 1, 0, 0, 1])
SCORES = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 0.0])


def mean_over_tie_orders(metric):
    """The slow twin: break ties in every possible way and average."""
    tied = np.flatnonzero(SCORES == 2)
    values = []
    for order in permutations(range(3)):
        scores = SCORES.copy()
        scores[tied] += 1e-6 * np.array(order)
        values.append(metric(TRUTH, scores))
    return np.mean(values)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k", "ndcg_at_k"])
def test_ties_count_as_the_mean_over_their_orders(name, k):
    metric = getattr(metrics, name)
    expected = mean_over_tie_orders(lambda truth, scores: metric(truth, scores, k))
    assert metric(TRUTH, SCORES, k) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["r_precision", "roc_auc"])
def test_ties_without_a_cut_count_as_the_mean_over_their_orders(name):
    metric = getattr(metrics, name)
    assert metric(TRUTH, SCORES) == pytest.approx(mean_over_tie_orders(metric))


def test_average_precision_is_the_mean_precision_at_the_positives():
    assert metrics.average_precision([0, 1, 0, 1], [4, 3, 2, 1]) == pytest.approx(
        (1 / 2 + 2 / 4) / 2
    )


def test_r_precision_is_precision_and_recall_where_both_are_equal():
    scores = np.random.default_rng(0).normal(size=6)
    expected = metrics.r_precision(TRUTH, scores)
    assert metrics.precision_at_k(TRUTH, scores, 3) == expected
    assert metrics.recall_at_k(TRUTH, scores, 3) == expected


def test_constant_scores_are_worth_chance():
    flat = np.zeros(6)
    assert metrics.r_precision(TRUTH, flat) == pytest.approx(0.5)
    assert metrics.roc_auc(TRUTH, flat) == pytest.approx(0.5)
    assert metrics.average_precision(TRUTH, flat) == pytest.approx(0.5)
    assert metrics.precision_at_k(TRUTH, flat, 1) == pytest.approx(0.5)


def test_a_perfect_order_has_every_metric_at_one():
    for name in metrics.truth.__all__:
        cut = (3,) if name.endswith("_k") else ()
        assert getattr(metrics, name)(TRUTH, TRUTH, *cut) == pytest.approx(1)


def test_a_share_below_one_is_rounded_up_to_rows():
    assert metrics.precision_at_k(TRUTH, SCORES, 0.01) == metrics.precision_at_k(
        TRUTH, SCORES, 1
    )
    assert metrics.recall_at_k(TRUTH, SCORES, 0.5) == metrics.recall_at_k(TRUTH, SCORES, 3)


def test_a_share_that_floats_cannot_hold_is_not_rounded_up_by_a_row():
    truth = np.repeat([1, 0], [7, 93])
    assert metrics.precision_at_k(truth, -np.arange(100), 0.07) == 1
    assert metrics.precision_at_k(truth, -np.arange(100), np.float32(0.5)) == 7 / 50


def test_scores_of_any_size_are_ranked_without_a_warning():
    y, scores = [1, 0, 1, 0], np.array([1e308, 1.0, -1e308, -1.7e308])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in (
            metrics.roc_auc,
            metrics.average_precision,
            lambda y, s: metrics.ndcg_at_k(y, s, k=3),
        ):
            assert metric(y, scores) == metric(y, [4, 3, 2, 1])
            assert metric(y, [np.inf, 1, -1e9, -np.inf]) == metric(y, [4, 3, 2, 1])
