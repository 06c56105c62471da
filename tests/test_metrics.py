from functools import partial
from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

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
    for name in filter(lambda name: not name.startswith("pu_"), metrics.__all__):
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


@pytest.mark.parametrize("k", [0, 7, -1, 0.0, 2.5])
def test_a_cut_outside_the_table_is_refused(k):
    with pytest.raises(ValueError, match="k must be from 1 to 6"):
        metrics.precision_at_k(TRUTH, SCORES, k)


def test_bad_scores_and_labels_are_refused():
    with pytest.raises(ValueError, match="one number per label"):
        metrics.roc_auc(TRUTH, SCORES[:-1])
    with pytest.raises(ValueError, match="NaN"):
        metrics.roc_auc(TRUTH, [np.nan] * 6)
    with pytest.raises(ValueError, match="single class"):
        metrics.average_precision([0, 0], [1, 2])


# Against PU labels

PRIOR_ROWS, POSITIVES = 60, 12


def make_ranking():
    """A ranking with its truth: the positives come first in the table."""
    truth = np.repeat([1, 0], [POSITIVES, PRIOR_ROWS - POSITIVES])
    return truth, np.random.default_rng(0).normal(size=PRIOR_ROWS) + truth


def label_every_way(n_labeled):
    for some in combinations(range(POSITIVES), n_labeled):
        y = np.zeros(PRIOR_ROWS, int)
        y[list(some)] = 1
        yield y


@pytest.mark.parametrize("n_labeled", [2, 3, 10])
@pytest.mark.parametrize("digits", [8, 0], ids=["no ties", "ties"])
@pytest.mark.parametrize("name", ["average_precision", "roc_auc"])
def test_estimates_over_every_way_to_label_are_the_truth_on_average(name, digits, n_labeled):
    truth, scores = make_ranking()
    scores = scores.round(digits)
    estimate = partial(getattr(metrics, f"pu_{name}"), prior=POSITIVES / PRIOR_ROWS)
    found = [estimate(y, scores) for y in label_every_way(n_labeled)]
    expected = getattr(metrics, name)(truth, scores)
    assert np.mean(found) == pytest.approx(expected, abs=1e-12)
    assert np.std(found) > 0.01


@pytest.mark.parametrize("name", ["average_precision", "roc_auc"])
def test_an_unbiased_estimate_may_pass_one_and_a_clipped_one_is_never_farther_off(name):
    truth, scores = make_ranking()
    scores = scores + 2 * truth
    expected = getattr(metrics, name)(truth, scores)
    estimate = partial(getattr(metrics, f"pu_{name}"), prior=POSITIVES / PRIOR_ROWS)
    free = np.array([estimate(y, scores) for y in label_every_way(2)])
    clipped = np.array([estimate(y, scores, clip=True) for y in label_every_way(2)])
    assert (free > 1).any()
    assert_array_equal(clipped, np.minimum(free, 1))
    assert (abs(clipped - expected) <= abs(free - expected)).all()
    assert clipped.mean() < expected  # which is why nothing is clipped unless asked for


def test_a_clipped_auc_is_not_below_zero_either():
    y, scores = [1, 1, 0, 0], [1, 2, 3, 4]
    assert metrics.pu_roc_auc(y, scores, 0.75) < 0
    assert metrics.pu_roc_auc(y, scores, 0.75, clip=True) == 0


def test_without_a_prior_labels_are_taken_for_the_truth():
    assert metrics.pu_average_precision(TRUTH, SCORES) == pytest.approx(
        metrics.average_precision(TRUTH, SCORES)
    )
    assert metrics.pu_roc_auc(TRUTH, SCORES) == pytest.approx(metrics.roc_auc(TRUTH, SCORES))


def test_the_log_rank_by_hand_and_of_a_random_order():
    assert metrics.pu_mean_log_rank([1, 0, 1, 0], [4, 3, 2, 1]) == pytest.approx(
        -(np.log(1 / 4) + np.log(3 / 4)) / 2
    )
    # Tied rows share the ranks 1 to 4, which are 2.5 on average.
    assert metrics.pu_mean_log_rank([1, 0, 1, 0], [1, 1, 1, 1]) == pytest.approx(
        -np.log(2.5 / 4)
    )
    rng = np.random.default_rng(0)
    y = np.arange(400) < 40
    found = [metrics.pu_mean_log_rank(y, rng.normal(size=400)) for _ in range(200)]
    assert np.mean(found) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("name", ["pu_mean_log_rank", "pu_roc_auc", "pu_average_precision"])
def test_metrics_of_labels_depend_on_the_order_alone_and_like_a_labeled_row_to_rise(name):
    metric = getattr(metrics, name)
    (_, scores), y = make_ranking(), next(label_every_way(5))
    assert metric(y, np.exp(3 * scores)) == pytest.approx(metric(y, scores))
    lifted = scores.copy()
    lowest = np.flatnonzero(y == 1)[scores[y == 1].argmin()]
    lifted[lowest] = scores.max() + 1
    assert metric(y, lifted) > metric(y, scores)


@pytest.mark.parametrize(
    ("name", "y", "settings", "words"),
    [
        ("pu_mean_log_rank", [0, 0, 0], {}, "at least two labeled positives"),
        ("pu_roc_auc", [1, 1, 1], {}, "unlabeled"),
        ("pu_average_precision", [1, 0, 0], {}, "at least two labeled positives .*got one"),
        ("pu_roc_auc", [1, 1, 0], {"prior": 0.2}, "at least the labeled share 0.6667, got 0.2"),
        ("pu_roc_auc", [1, 1, 0], {"prior": 2}, "prior"),
    ],
)
def test_labels_that_say_nothing_are_refused(name, y, settings, words):
    with pytest.raises(ValueError, match=words):
        getattr(metrics, name)(y, [3, 2, 1], **settings)
