import numpy as np
from numpy.testing import assert_allclose

from lopsided.review import review_propensity, review_weights
from lopsided.review.propensity import stands_in_first


def draw_table(rng, n_rows=2000):
    """Return truth, first labels, scores, and labels after the first 80 rows were reviewed."""
    y_true = (rng.random(n_rows) < 0.1).astype(int)
    scores = y_true + rng.normal(0, 0.6, n_rows)
    first = y_true * (rng.random(n_rows) < 0.3)
    top = stands_in_first(scores, first == 0, 80)
    listed = (first == 0) & (top == 1)
    return y_true, first, scores, np.where(listed, 2 * y_true - 1, first)


def test_places_agree_with_counting_one_by_one():
    rng = np.random.default_rng(0)
    scores, listed = rng.integers(0, 6, 30).astype(float), rng.random(30) < 0.7

    def chance(row, k):
        rivals = [i for i in np.flatnonzero(listed) if i != row]
        above = sum(scores[i] > scores[row] for i in rivals)
        tied = sum(scores[i] == scores[row] for i in rivals)
        return np.clip((k - above) / (tied + 1), 0, 1)

    for k in (1, 5, 12):
        slow = [chance(row, k) for row in range(30)]
        assert_allclose(stands_in_first(scores, listed, k), slow)


def test_the_first_k_rows_were_reviewed_and_the_others_by_chance():
    scores = np.arange(10.0)
    found = review_propensity([1] + [0] * 9, scores, reviewed_top=3, audit=0.1)
    assert_allclose(found, [0.1] * 7 + [1.0] * 3)


def test_reviewed_negatives_tell_who_was_reviewed():
    _, first, scores, y = draw_table(np.random.default_rng(1))
    known = review_propensity(first, scores, reviewed_top=80)
    guessed = review_propensity(y, scores)
    assert np.abs(known - guessed).mean() < 0.01


def test_weighted_labeled_rows_stand_for_all_positives():
    unweighted, weighted, truth = [], [], []
    for seed in range(60):
        y_true, first, scores, y = draw_table(np.random.default_rng(seed))
        propensity = review_propensity(first, scores, reviewed_top=80)
        weights = review_weights(y, propensity, label_frequency=0.3)
        labeled = y == 1
        truth.append(scores[y_true == 1].mean())
        unweighted.append(scores[labeled].mean())
        weighted.append(np.average(scores[labeled], weights=weights[labeled]))
    assert abs(np.mean(weighted) - np.mean(truth)) < 0.02
    assert np.mean(unweighted) - np.mean(truth) > 0.1


def test_an_audit_makes_reviewed_negatives_stand_for_all():
    unweighted, weighted, truth = [], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y_true, first, scores, y = draw_table(rng)
        drawn = (y == 0) & (rng.random(len(y)) < 0.2)
        y = np.where(drawn, 2 * y_true - 1, y)
        propensity = review_propensity(first, scores, reviewed_top=80, audit=0.2)
        weights = review_weights(y, propensity, label_frequency=0.3)
        reviewed = y == -1
        truth.append(scores[y_true == 0].mean())
        unweighted.append(scores[reviewed].mean())
        weighted.append(np.average(scores[reviewed], weights=weights[reviewed]))
    assert abs(np.mean(weighted) - np.mean(truth)) < 0.02
    assert np.mean(unweighted) - np.mean(truth) > 0.05


def test_weights_of_each_kind_have_mean_1_and_are_clipped():
    y = np.array([1, 1, 1, -1, -1, 0, 0])
    weights = review_weights(y, [1, 0, 0, 1, 1e-9, 0.5, 0], label_frequency=1e-6, max_weight=4)
    for kind in (1, 0, -1):
        assert_allclose(weights[y == kind].mean(), 1)
    assert_allclose(weights[1] / weights[0], 4)
    assert_allclose(weights[4] / weights[3], 4)


def test_whom_a_review_reached_does_not_depend_on_the_scale_of_scores():
    rng = np.random.default_rng(0)
    y, scores = rng.permutation(np.repeat([1, 0, -1], [10, 30, 10])), rng.uniform(-1, 1, 50)
    reached = review_propensity(y, scores)
    assert len(np.unique(reached)) > 2
    assert_allclose(review_propensity(y, scores * 1.7e308), reached, atol=1e-12)
