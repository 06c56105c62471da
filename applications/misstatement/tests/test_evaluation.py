import numpy as np
import pytest

from lopsided.metrics import average_precision, r_precision
from lopsided_misstatement.evaluation import (
    MEASURES,
    VIEWS,
    Ranked,
    bootstrap_firms,
    is_counted,
    measure,
    weigh_blocks,
    weighted_average_precision,
    weighted_r_precision,
)
from lopsided_misstatement.label_delay import known_labels


def draw_years(noise, n_firms=150, years=(2001, 2002, 2003), seed=0):
    """Rankings of the same firms in some years, better with less noise."""
    rng = np.random.default_rng(seed)
    truth = [(rng.random(n_firms) < 0.2).astype(np.int8) for _ in years]
    scores = [
        one + noise * np.random.default_rng([seed, 7]).normal(size=n_firms) for one in truth
    ]
    return [
        Ranked(*one) for one in zip(years, [np.arange(n_firms)] * 3, truth, scores, strict=True)
    ]


def test_a_year_has_every_measure_and_a_year_without_positives_none():
    year = draw_years(1.0)[0]
    found = measure(year)
    assert list(found) == list(MEASURES)
    assert found["r_precision"] == r_precision(year.truth, year.scores)
    empty = year._replace(truth=np.zeros_like(year.truth))
    assert np.isnan(list(measure(empty).values())).all()


def test_the_difference_is_that_of_the_means_over_years():
    good, bad = draw_years(0.5), draw_years(2.0)
    found = bootstrap_firms([good], [bad], n_draws=50)
    for name, rate in (("r_precision", r_precision), ("average_precision", average_precision)):
        means = [np.mean([rate(one.truth, one.scores) for one in run]) for run in (good, bad)]
        assert found[name].mean == pytest.approx(means[0] - means[1], abs=1e-6)
        assert found[name].low < found[name].mean < found[name].high
        assert found[name].low > 0  # far apart


def test_a_firm_that_is_drawn_twice_counts_as_two_firms():
    # Twice every firm: the same measures, and intervals narrower by about a root of two.
    once = draw_years(1.0)
    doubled = [
        Ranked(one.year, *(np.concatenate([part, part]) for part in one[1:4])) for one in once
    ]
    doubled = [one._replace(firms=np.arange(len(one.firms))) for one in doubled]
    other = [one._replace(scores=one.truth + 0.0) for one in doubled]
    plain = [one._replace(scores=one.truth + 0.0) for one in once]
    wide = bootstrap_firms([plain], [once], n_draws=400)["r_precision"]
    narrow = bootstrap_firms([other], [doubled], n_draws=400)["r_precision"]
    assert narrow.mean == pytest.approx(wide.mean, abs=0.02)
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    assert ratio == pytest.approx(np.sqrt(2), rel=0.2)


def test_a_model_is_not_ahead_of_itself_and_seeds_are_averaged():
    runs = [draw_years(1.0, seed=3), draw_years(1.0, seed=3)]
    found = bootstrap_firms(runs, runs[:1], n_draws=20)["r_precision"]
    assert found == pytest.approx((0, 0, 0))


@pytest.mark.parametrize("levels", [1, 5, 10_000], ids=["all tied", "ties", "hardly any"])
def test_a_draw_of_firms_equals_measuring_the_drawn_rows(levels):
    rng = np.random.default_rng(5)
    truth = (rng.random(40) < 0.3).astype(np.int8)
    scores = rng.integers(0, levels, 40).astype(float)
    counts = rng.integers(0, 3, 40)
    rows = np.repeat(np.arange(40), counts)
    one = Ranked(2001, np.arange(40), truth, scores)
    parts = weigh_blocks(one, counts[None].astype(float), np.arange(40))
    for rate, weighted in (
        (r_precision, weighted_r_precision),
        (average_precision, weighted_average_precision),
    ):
        assert weighted(*parts)[0] == pytest.approx(rate(truth[rows], scores[rows]))


def test_new_firms_are_those_without_a_known_misstatement_before(panel):
    view = next(view for view in VIEWS if view.name == "new firms")
    year = 2009
    now = panel[panel["fyear"] == year]
    new = is_counted(panel, view, year, now["gvkey"].to_numpy())
    past = panel[(panel["fyear"] < year)]
    seen = set(past["gvkey"][known_labels(past, year) == 1])
    assert set(now["gvkey"][~new]) == seen & set(now["gvkey"])
    assert is_counted(panel, VIEWS[0], year, now["gvkey"].to_numpy()).all()
