import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import betabinom, binomtest

from lopsided.diagnostics import ReviewCurve, blind_recall, expected_finds, review_curve
from lopsided.diagnostics._rows import blind_places, stands_within
from lopsided.labeling import SCAR
from lopsided.priors import PriorEstimate

TRUTH = np.repeat([1, 0], [80, 1920])
SCORES = np.random.default_rng(1).normal(size=2000) + 2.2 * TRUTH
Y = SCAR(0.5).draw(None, TRUTH, 0)


def slow_probability(y, scores, k, n_orders=4000):
    """Put each labeled row among the unlabeled ones, ties in random order, and count."""
    rng = np.random.default_rng(0)
    rest, shares = scores[y == 0], []
    for score in scores[y == 1]:
        joint = np.r_[score, rest]
        orders = (np.lexsort((rng.random(len(joint)), -joint)) for _ in range(n_orders))
        shares.append(np.mean([0 in order[:k] for order in orders]))
    return np.array(shares)


def test_a_labeled_row_stands_where_it_would_as_an_unlabeled_one():
    y = np.repeat([1, 0], [3, 7])
    scores = np.array([5.0, 2.0, 0.0, 9, 5, 5, 2, 1, 1, 0])
    for k in (1, 3, 5, 7):
        exact = stands_within(y, scores, k)
        assert_allclose(exact, slow_probability(y, scores, k, 2000), atol=0.04)
    assert_allclose(blind_places(y, scores), [3, 4.5, 7.5])


def test_blind_recall_counts_rows_and_compares_in_pairs():
    found = blind_recall(Y, SCORES, 100, rivals={"same": SCORES, "none": np.full(2000, np.nan)})
    assert found.n_found == (blind_places(Y, SCORES) <= 100).sum()
    assert found.low < found.n_found < found.high <= found.n_labeled == 40
    same, none = found.rivals
    assert same.difference == 0
    assert same.low < 0 < same.high
    assert none.low > 0


def test_blind_recall_covers_the_recall_of_all_positives():
    held = []
    for seed in range(300):
        y = SCAR(0.7).draw(None, TRUTH, seed)
        rest = np.sort(SCORES[(y == 0)])[::-1]
        recall = (SCORES[TRUTH == 1] >= rest[99]).mean()
        found = blind_recall(y, SCORES, 100)
        held.append(found.low <= recall * found.n_labeled <= found.high)
    assert np.mean(held) > 0.87  # recall of all, a part of which was seen: wide is right


@pytest.mark.parametrize("hidden", [0.3, 0.9])
@pytest.mark.parametrize("k", [20, 150])
def test_bands_hold_the_real_number_at_their_level(hidden, k):
    held = []
    for seed in range(300):
        y = SCAR(hidden).draw(None, TRUTH, seed)
        order = np.argsort(-SCORES[y == 0])
        real = TRUTH[y == 0][order[:k]].sum()
        (band,) = expected_finds(y, SCORES, k, TRUTH.mean())
        held.append(band.low <= real <= band.high)
    assert np.mean(held) > 0.87


def test_the_band_is_beta_binomial_where_the_prior_is_known():
    curve = review_curve(Y, SCORES, TRUTH.mean())
    for k in (30, 100, 1500):
        band, share = curve.expect(k), curve.finds[k] / 40
        exact = betabinom(40, 40 * share + 0.5, 40 * (1 - share) + 0.5)
        upto = exact.cdf(np.arange(k + 1))
        assert band.value == pytest.approx(40 * share)
        assert band.high == np.searchsorted(upto, 0.95)
        assert band.low == np.searchsorted(upto / upto[-1], 0.05, "right")


def test_the_band_of_a_long_list_is_that_of_all_its_numbers():
    rng = np.random.default_rng(0)
    truth = np.arange(60_000) < 6_000
    scores = rng.normal(size=60_000) + 2 * truth
    y = SCAR(0.9).draw(None, truth.astype(int), 0)
    band = review_curve(y, scores, 0.1).expect(8_000)
    share = band.value / 5_400
    exact = betabinom(5_400, 600 * share + 0.5, 600 * (1 - share) + 0.5)
    assert_allclose((band.low, band.high), exact.ppf([0.05, 0.95]), atol=20)


@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
@pytest.mark.parametrize("prior", [0.03, 0.2, (0.03, 0.2), 0.9])
def test_all_rows_are_expected_to_hold_what_the_prior_implies(prior, scenario):
    curve = review_curve(Y, SCORES, prior, scenario=scenario)
    middle = prior if isinstance(prior, float) else np.sqrt(0.03 * 0.2)
    hidden = middle * 2000 - 40 if scenario == "one-sample" else middle * 1960
    assert curve.n_hidden == pytest.approx(hidden)
    assert (1 / (1 + np.exp(-curve.log_odds))).sum() == pytest.approx(hidden)
    order = np.argsort(SCORES[Y == 0])
    assert (np.diff(curve.log_odds[order]) > 0).all()


def test_after_reviews_the_rows_that_are_left_hold_what_is_left():
    held, value, real = [], [], []
    for seed in range(200):
        first = SCAR(0.7).draw(None, TRUTH, seed)
        unlabeled = np.flatnonzero(first == 0)
        top = unlabeled[np.argsort(-SCORES[unlabeled])[:40]]
        y = first.copy()
        y[top] = 2 * TRUTH[top] - 1
        curve = review_curve(y, SCORES, TRUTH.mean(), y_first=first)
        assert curve.n_hidden == pytest.approx(TRUTH[y == 0].sum(), abs=1e-2)
        band = curve.expect(100)
        left = np.flatnonzero(y == 0)
        real.append(TRUTH[left[np.argsort(-SCORES[left])[:100]]].sum())
        value.append(band.value)
        held.append(band.low <= real[-1] <= band.high)
        every = curve.expect_rows(np.argsort(-curve.log_odds)[:100])
        assert (every.low, every.high) == (band.low, band.high)
    assert np.mean(held) > 0.87
    assert np.mean(value) == pytest.approx(np.mean(real), rel=0.15)


def test_a_doubtful_prior_widens_the_band():
    (known,) = expected_finds(Y, SCORES, 200, 0.04)
    (doubtful,) = expected_finds(Y, SCORES, 200, (0.03, 0.0533))
    assert doubtful.high - doubtful.low > known.high - known.low
    assert_allclose(doubtful.value, known.value, rtol=1e-3)


def test_finds_never_exceed_the_list_or_what_is_hidden():
    for band in expected_finds(Y, SCORES, [1, 10, 1960], 0.5):
        assert 0 <= band.low <= band.value <= band.high + 1e-9
        assert band.high <= band.k
    (none,) = expected_finds(Y, SCORES, 100, Y.mean())
    assert none.high == 0


@pytest.mark.parametrize("n_labeled", [1, 2, 3])
def test_a_few_labeled_rows_give_a_wide_band(n_labeled):
    y = np.zeros(2000, dtype=int)
    y[:n_labeled] = 1
    (band,) = expected_finds(y, SCORES, 200, TRUTH.mean())
    assert band.high - band.low > 20


def test_more_rows_never_promise_more_than_those_before():
    curve = review_curve(Y, SCORES, TRUTH.mean())
    assert curve.finds[0] == 0
    assert (np.diff(curve.finds) > 0).all()
    assert (np.diff(curve.finds, 2) < 1e-9).all()
    assert (np.diff(curve.finds) < 1).all()


def test_rows_that_tie_share_their_finds():
    scores = np.floor(2 * np.clip(SCORES, 0, 3))
    curve = review_curve(Y, scores, TRUTH.mean())
    best = int((scores[Y == 0] == scores.max()).sum())
    assert_allclose(curve.finds[: best + 1], curve.finds[best] / best * np.arange(best + 1))
    flat = review_curve(Y, np.zeros(2000), TRUTH.mean())
    assert_allclose(flat.finds, 40 / 1960 * np.arange(1961))


def test_scores_of_any_size_have_finite_log_odds():
    for scores in (1e140 * SCORES, 1e-140 * SCORES, np.where(SCORES > 5, 1e150, SCORES)):
        curve = review_curve(Y, scores, TRUTH.mean())
        assert np.isfinite(curve.log_odds).all()
        assert curve.n_hidden == pytest.approx(40)


def test_a_table_without_labels_is_expected_to_hold_the_sum_of_its_probabilities():
    log_odds = np.linspace(2, -6, 400)
    narrow, wide = (
        ReviewCurve.from_log_odds(log_odds, prior, 50) for prior in (0.1, (0.03, 1 / 3))
    )
    proba = 1 / (1 + np.exp(-log_odds))
    assert narrow.expect(100).value == pytest.approx(proba[:100].sum())
    assert wide.expect(100).value == pytest.approx(proba[:100].sum())
    assert wide.expect(100).low < narrow.expect(100).low
    assert wide.expect(100).high > narrow.expect(100).high
    # Which rows are positive is not known either.
    rng = np.random.default_rng(0)
    totals = (rng.random((2000, 400)) < proba).sum(axis=1)
    band = narrow.expect(400)
    assert np.mean((band.low <= totals) & (totals <= band.high)) > 0.87
    none = ReviewCurve.from_log_odds(log_odds - 30, 0.1, 50)
    assert none.stop_at() == 0
    assert none.expect(400).high <= 1


def test_an_estimate_that_touches_an_end_is_taken_and_one_of_zero_refused():
    given = {
        "identified": False,
        "n_hidden": 0.0,
        "method": "bbe",
        "sentence": "",
        "level": 0.9,
    }
    wide = PriorEstimate(value=0.1, low=0.0, high=1.0, **given)
    (band,) = expected_finds(Y, SCORES, 50, wide, scenario="two-sample")
    assert band.low < band.value < band.high
    none = PriorEstimate(value=0.0, low=0.0, high=0.0, **given)
    with pytest.raises(ValueError, match=r"0.*'bbe'") as refused:
        expected_finds(Y, SCORES, 50, none, scenario="two-sample")
    assert "sentence" not in str(refused.value)


@pytest.mark.parametrize(
    ("more", "fewer", "verdict"),
    [(2, 0, "too close"), (4, 0, "too close"), (5, 0, "finds more"), (1, 9, "finds fewer")],
)
def test_a_rival_is_judged_by_the_rows_that_only_one_finds(more, fewer, verdict):
    y = np.repeat([1, 0], [20, 200])
    scores, other = np.full((2, 20), -1.0)
    scores[:more], other[more : more + fewer] = 1.0, 1.0
    rest = np.linspace(0, 0.5, 200)
    found = blind_recall(y, np.r_[scores, rest], 10, rivals={"desk": np.r_[other, rest]})
    (rival,) = found.rivals
    assert rival.p_value == pytest.approx(binomtest(more, more + fewer).pvalue)
    assert verdict in str(rival)
    assert (rival.low <= 0 <= rival.high) == (verdict == "too close")
    assert verdict == "too close" or "+0 " not in str(rival)


def test_scorers_that_are_alike_are_seldom_told_apart():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [12, 300])
    verdicts = []
    for _ in range(300):
        mine, other = rng.normal(size=(2, 312)) + 1.5 * y
        (rival,) = blind_recall(y, mine, 30, rivals={"desk": other}, random_state=rng).rivals
        verdicts.append(rival.low > 0 or rival.high < 0)
    assert np.mean(verdicts) < 0.1


def test_reviewing_stops_earlier_if_more_is_asked():
    curve = review_curve(Y, SCORES, TRUTH.mean())
    stops = [curve.stop_at(rate) for rate in (0.1, 0.5, 1, 3, 11)]
    assert stops == sorted(stops, reverse=True)
    assert stops[-1] == 0
    assert "review none" in curve.describe(11)
    assert str(stops[2]) in str(curve)


def test_the_stop_is_where_the_truth_would_put_it_on_average():
    past = []
    for seed in range(100):
        y = SCAR(0.5).draw(None, TRUTH, seed)
        truth = TRUTH[y == 0][np.argsort(-SCORES[y == 0])]
        stop = review_curve(y, SCORES, TRUTH.mean()).stop_at(1.0)
        past.append((truth[max(stop - 30, 0) : stop].mean(), truth[stop : stop + 30].mean()))
    before, after = np.mean(past, axis=0)
    assert after < 0.13 < before
