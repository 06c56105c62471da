import numpy as np

from lopsided.priors import estimate_prior
from lopsided.review import Audit, estimate_prior_after_reviews
from lopsided.review.propensity import stands_in_first


def review(seed, n_rows=3000, n_listed=100, overlap=0.5):
    """Return truth, first labels, labels after a review of the top, and scores."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_rows) < 0.05).astype(int)
    scores = y_true + rng.normal(0, overlap, n_rows)
    first = y_true * (rng.random(n_rows) < 0.3)
    reached = stands_in_first(scores, first == 0, n_listed)
    listed = (first == 0) & (reached == 1)
    return y_true, first, np.where(listed, 2 * y_true - 1, first), scores


def test_intervals_cover_and_values_are_nearer_than_before_any_review():
    held, ratio, off, before_off, naive = [], [], [], [], []
    for seed in range(25):
        y_true, first, y, scores = review(seed)
        now = estimate_prior_after_reviews(first, y, scores)
        before, all_alike = estimate_prior(first, scores), estimate_prior(y, scores)
        truth = y_true.mean()
        held.append(now.low <= truth <= now.high)
        ratio.append((now.high / now.low) / (before.high / before.low))
        off.append(np.log(now.value / truth))
        before_off.append(np.log(before.value / truth))
        naive.append(np.log(all_alike.value / truth))
    assert np.mean(held) >= 0.8
    assert np.median(ratio) < 0.6
    assert abs(np.mean(off)) < 0.5 * abs(np.mean(before_off))
    # Why first labels are kept apart: those found all stand at the top.
    assert abs(np.mean(off)) < 0.25 * abs(np.mean(naive))


def test_without_reviews_it_is_the_estimate_from_labels():
    _, first, _, scores = review(0)
    assert estimate_prior_after_reviews(first, first, scores) == estimate_prior(first, scores)


def test_the_prior_is_within_what_is_known_for_sure():
    y_true, first, _, scores = review(3)
    y = np.where(np.arange(len(first)) < 2900, 2 * y_true - 1, first)
    now = estimate_prior_after_reviews(first, y, scores)
    n_known = (y == 1).sum()
    assert n_known <= now.low * len(y) <= now.high * len(y) <= len(y) - (y == -1).sum()
    assert abs(now.n_hidden - (now.value * len(y) - n_known)) < 1e-6


def test_a_large_audit_settles_the_prior():
    held, ratio = [], []
    for seed in range(15):
        y_true, first, _, scores = review(seed)
        drawn = np.random.default_rng(seed).permutation(np.flatnonzero(first == 0))[:1500]
        y = first.copy()
        y[drawn] = 2 * y_true[drawn] - 1
        n_pool, n_known = int((first == 0).sum()), int(first.sum())
        audit = Audit(n_pool, n_known, len(drawn), int(y_true[drawn].sum()))
        now = estimate_prior_after_reviews(first, y, scores, audits=[audit])
        held.append(now.low <= y_true.mean() <= now.high)
        ratio.append(now.high / now.low)
    assert np.mean(held) >= 0.8
    assert max(ratio) < 1.5


def test_many_rows_are_looked_at_on_a_coarse_grid():
    y_true, first, y, scores = review(5, n_rows=40_000, n_listed=1000)
    now = estimate_prior_after_reviews(first, y, scores)
    assert now.low <= y_true.mean() <= now.high
    assert "hidden among" in str(now)


def test_the_reviewed_part_of_the_list_may_have_gaps_but_no_large_ones():
    _, first, y, scores = review(6)
    whole = estimate_prior_after_reviews(first, y, scores)
    decided = np.flatnonzero((first == 0) & (y != 0))
    top = decided[np.argsort(-scores[decided])]
    few, many = y.copy(), y.copy()
    few[top[[40, 80]]] = 0
    many[top[::2]] = 0
    gaps = (estimate_prior_after_reviews(first, one, scores) for one in (few, many))
    width, narrow, wide = (one.high / one.low for one in (whole, *gaps))
    assert narrow < 1.2 * width
    assert wide > 1.5 * width
