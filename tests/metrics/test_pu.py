from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided import metrics

TRUTH = np.array([1, 0, 1, 0, 0, 1])
SCORES = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 0.0])
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


@pytest.mark.parametrize("name", metrics.pu.__all__)
def test_metrics_of_labels_depend_on_the_order_alone_and_like_a_labeled_row_to_rise(name):
    metric = getattr(metrics, name)
    (_, scores), y = make_ranking(), next(label_every_way(5))
    assert metric(y, np.exp(3 * scores)) == pytest.approx(metric(y, scores))
    lifted = scores.copy()
    lowest = np.flatnonzero(y == 1)[scores[y == 1].argmin()]
    lifted[lowest] = scores.max() + 1
    assert metric(y, lifted) > metric(y, scores)


# On real tables


def hide(truth, scores, n_labeled, n_hidings, rng):
    """Return the places of all positives, and which of them each hiding leaves labeled."""
    order = np.argsort(-scores)
    places = np.flatnonzero(truth[order] == 1) + 1
    drawn = rng.random((n_hidings, len(places))).argsort(axis=1) < n_labeled
    return order, places, drawn


def estimate_all(places, drawn, n_rows):
    """The twin of both metrics, for all hidings at once."""
    n_labeled, n_positives = drawn[0].sum(), len(places)
    above = (drawn.cumsum(axis=1) - 1) * (n_positives - 1) / (n_labeled - 1)
    precision = (drawn * (1 + above) / places).sum(axis=1) / n_labeled
    negatives_above = (drawn @ places) / n_labeled - (n_positives + 1) / 2
    return precision, 1 - negatives_above / (n_rows - n_positives)


@pytest.mark.parametrize("n_labeled", [2, 5, 12])
def test_estimates_are_the_truth_on_average_over_2000_hidings(ranking, n_labeled):
    truth, scores = ranking
    rng = np.random.default_rng(n_labeled)
    order, places, drawn = hide(truth, scores, n_labeled, 2000, rng)
    found = estimate_all(places, drawn, len(truth))
    names = ("average_precision", "roc_auc")
    for name, estimates in zip(names, found, strict=True):
        metric = partial(getattr(metrics, f"pu_{name}"), prior=truth.mean())
        for one in range(5):
            y = np.zeros(len(truth), int)
            y[order[places[drawn[one]] - 1]] = 1
            assert metric(y, scores) == pytest.approx(estimates[one])
        error = estimates - getattr(metrics, name)(truth, scores)
        assert abs(error.mean()) < 3 * error.std() / np.sqrt(2000)


@pytest.mark.parametrize("n_labeled", [2, 5, 12])
def test_a_perfect_scorer_averages_one_and_is_one_when_clipped_from_above(ranking, n_labeled):
    truth, scores = ranking
    perfect = scores - scores.min() + 100 * truth
    rng = np.random.default_rng(n_labeled)
    _, places, drawn = hide(truth, perfect, n_labeled, 2000, rng)
    for estimates in estimate_all(places, drawn, len(truth)):
        error = estimates - 1
        assert abs(error.mean()) < 3 * error.std() / np.sqrt(2000)
    y = np.zeros(len(truth), int)
    y[np.argsort(-perfect)[:n_labeled]] = 1
    for name in ("pu_average_precision", "pu_roc_auc"):
        metric = getattr(metrics, name)
        assert metric(truth, perfect, truth.mean()) == pytest.approx(1)
        assert metric(y, perfect, truth.mean(), clip=True) == 1


@pytest.mark.parametrize("digits", [8, 0], ids=["no ties", "ties"])
def test_two_sample_estimates_are_those_of_the_unlabeled_rows_and_a_positive_or_two(digits):
    truth, scores = make_ranking()
    scores = scores.round(digits)
    for name, n_labeled, joined in (("average_precision", 3, 2), ("roc_auc", 2, 0)):
        prior = (POSITIVES - n_labeled) / (PRIOR_ROWS - n_labeled)
        metric = partial(getattr(metrics, f"pu_{name}"), prior=prior, scenario="two-sample")
        found = [metric(y, scores) for y in label_every_way(n_labeled)]
        lefts = [y == 0 for y in label_every_way(n_labeled - joined)]
        expected = [getattr(metrics, name)(truth[left], scores[left]) for left in lefts]
        assert np.mean(found) == pytest.approx(np.mean(expected))


def test_two_sample_labeled_rows_are_ranked_among_the_unlabeled_ones_alone():
    y, scores = np.array([1, 1, 1, 0, 0, 0]), np.array([9, 8, 2.5, 3, 2, 1])
    settings = {"scenario": "two-sample"}
    places = np.array([1, 1, 2])
    assert metrics.pu_mean_log_rank(y, scores, **settings) == pytest.approx(
        -np.log(places / 4).mean()
    )
    assert metrics.pu_roc_auc(y, scores, **settings) == pytest.approx(1 - 1 / 9)


def test_labels_of_easy_positives_make_estimates_too_high_and_of_hard_ones_too_low():
    truth, scores = make_ranking()
    places = np.argsort(-scores[:POSITIVES])
    for labeled, sign in ((places[:4], 1), (places[-4:], -1)):
        y = np.zeros(PRIOR_ROWS, int)
        y[labeled] = 1
        for name in ("average_precision", "roc_auc"):
            found = getattr(metrics, f"pu_{name}")(y, scores, POSITIVES / PRIOR_ROWS)
            assert sign * found > sign * getattr(metrics, name)(truth, scores)
        assert sign * metrics.pu_mean_log_rank(y, scores) > sign * metrics.pu_mean_log_rank(
            truth, scores
        )


@pytest.mark.filterwarnings("ignore:Corrected AUC")  # which is above 1
def test_pulearn_is_biased_where_these_are_not(ranking):
    pulearn = pytest.importorskip("pulearn.metrics")
    truth, scores = ranking
    n_labeled, prior = truth.sum() // 2, truth.mean()
    rng = np.random.default_rng(0)
    order, places, drawn = hide(truth, scores, n_labeled, 40, rng)
    proba = np.argsort(np.argsort(scores)) / (len(scores) - 1)
    theirs = []
    for one in drawn:
        y = np.zeros(len(truth), int)
        y[order[places[one] - 1]] = 1
        theirs.append(
            (
                pulearn.pu_average_precision_score(y, proba, prior),
                pulearn.pu_roc_auc_score(y, proba, prior),
            )
        )
    ours = np.transpose(estimate_all(places, drawn, len(truth)))
    expected = metrics.average_precision(truth, scores), metrics.roc_auc(truth, scores)
    bias = abs(np.mean(theirs, axis=0) - expected)
    assert (abs(ours.mean(axis=0) - expected) < 3.5 * ours.std(axis=0) / np.sqrt(40)).all()
    assert (bias > 3 * np.std(theirs, axis=0) / np.sqrt(40)).all()
