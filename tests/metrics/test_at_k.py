from itertools import combinations

import numpy as np
import pytest

from lopsided import metrics

N_ROWS, POSITIVES = 40, 8
TRUTH = np.repeat([1, 0], [POSITIVES, N_ROWS - POSITIVES])
SCORES = np.random.default_rng(0).normal(size=N_ROWS) + TRUTH
PRIOR = POSITIVES / N_ROWS


def label_every_way(n_labeled):
    for some in combinations(range(POSITIVES), n_labeled):
        y = np.zeros(N_ROWS, int)
        y[list(some)] = 1
        yield y


def true_f1(scores, k):
    precision = metrics.precision_at_k(TRUTH, scores, k)
    recall = metrics.recall_at_k(TRUTH, scores, k)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("n_labeled", [2, 5])
@pytest.mark.parametrize("digits", [8, 0], ids=["no ties", "ties"])
def test_estimates_over_every_way_to_label_are_the_truth_on_average(digits, n_labeled):
    k, scores = 10, SCORES.round(digits)
    every = list(label_every_way(n_labeled))

    def mean(metric, **params):
        return np.mean([metric(y, scores, k, **params) for y in every])

    precision = metrics.precision_at_k(TRUTH, scores, k)
    expected = pytest.approx(metrics.recall_at_k(TRUTH, scores, k))
    assert mean(metrics.pu_recall_at_k) == expected
    assert mean(metrics.pu_precision_at_k, prior=PRIOR) == pytest.approx(precision)
    assert mean(metrics.pu_lift_at_k) == pytest.approx(precision / PRIOR)
    assert mean(metrics.pu_f1_at_k, prior=PRIOR) == pytest.approx(true_f1(scores, k))


@pytest.mark.parametrize("n_labeled", [2, 5])
def test_two_samples_stand_for_the_unlabeled_rows_and_one_positive_more(n_labeled):
    # One of the labeled rows joins the unlabeled ones; all tables that this makes are those
    # in which one labeled row less is left out.
    k, found, expected = 10, [], []
    for y in label_every_way(n_labeled):
        found.append(metrics.pu_recall_at_k(y, SCORES, k, scenario="two-sample"))
    for y in label_every_way(n_labeled - 1):
        left = y == 0
        expected.append(metrics.recall_at_k(TRUTH[left], SCORES[left], k))
    assert np.mean(found) == pytest.approx(np.mean(expected))


def test_a_range_of_priors_gives_both_ends():
    y = next(label_every_way(4))
    for name in ("pu_precision_at_k", "pu_f1_at_k"):
        metric = getattr(metrics, name)
        low, high = metric(y, SCORES, 10, prior=(0.15, 0.3))
        assert (low, high) == (metric(y, SCORES, 10, 0.15), metric(y, SCORES, 10, 0.3))
        assert low < high


def test_a_share_of_rows_is_a_cut_and_a_clipped_precision_is_at_most_one():
    y, scores = [1, 1, 0, 0], [4, 3, 2, 1]
    assert metrics.pu_lift_at_k(y, scores, 0.5) == metrics.pu_lift_at_k(y, scores, 2) == 2
    assert metrics.pu_precision_at_k(y, scores, 2, 0.75) == 1.5
    assert metrics.pu_precision_at_k(y, scores, 2, 0.75, clip=True) == 1
