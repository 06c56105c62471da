from dataclasses import replace

import numpy as np
import pytest

from lopsided.calibration import pu_calibration_error, pu_reliability_curve
from lopsided.diagnostics import (
    Diagnosis,
    Leak,
    blind_recall,
    check_scar,
    check_signal,
    expected_finds,
    review_curve,
    sensitivity,
)
from lopsided.priors import estimate_prior
from lopsided.report.diagnosis_parts import (
    summarize_diagnosis,
    summarize_finds,
    summarize_prior,
    summarize_reliability,
)
from lopsided.report.ranking_page import render_ranking

RNG = np.random.default_rng(0)
Y_TRUE = (RNG.random(800) < 0.1).astype(int)
Y = Y_TRUE * (RNG.random(800) < 0.5)
SCORES = 2.5 * Y_TRUE + RNG.normal(size=800)
NAIVE = Y_TRUE + RNG.normal(size=800)
N_UNLABELED = int((Y == 0).sum())


def make_diagnosis(y=Y, scores=SCORES, prior=None, **changes):
    """Return what `diagnose` would, without a fit."""
    fine = ~np.isnan(scores)
    labels, values = y[fine], scores[fine]
    prior = estimate_prior(labels, values) if prior is None else prior
    rivals = {"the naive baseline (naive-forest)": NAIVE[fine], "the desk": -NAIVE[fine]}
    made = Diagnosis(
        recall=tuple(blind_recall(labels, values, k, rivals=rivals) for k in (20, 50)),
        signal=check_signal(labels, values),
        leaks=(),
        prior=prior,
        scar=check_scar(labels, values, prior),
        finds=expected_finds(labels, values, [20, 50], prior),
        curve=review_curve(labels, values, prior),
        sensitivity=sensitivity(labels, values, 50, prior),
        rate=1.0,
        scores=scores,
    )
    return replace(made, **changes)


def test_a_diagnosis_fills_the_page(make_summary):
    diagnosis = make_diagnosis()
    parts = summarize_diagnosis(diagnosis, Y, naive=NAIVE)
    finds, stop = parts["finds"], diagnosis.curve.stop_at(1.0)
    (there,) = expected_finds(Y, SCORES, stop, diagnosis.prior)
    assert parts["headline"] == (
        f"Review the first {stop} rows: {there.value:.0f} ({there.low} to {there.high}) more "
        "positives are expected there."
    )
    at = finds.k.index(stop)
    assert (finds.expected[at], finds.low[at], finds.high[at]) == (
        there.value,
        there.low,
        there.high,
    )
    assert str(there) in finds.sentence
    assert parts["prior"].sentence == str(diagnosis.prior)
    assert parts["signal"] == str(diagnosis.signal)
    page = render_ranking(make_summary(3, **parts))
    for number in (stop, "the desk", "easy cases labeled first"):
        assert str(number) in page


def test_the_curve_of_finds_starts_at_nothing_and_lies_above_chance_and_a_worse_score():
    prior = 0.1
    curve = review_curve(Y, SCORES, prior)
    finds = summarize_finds(curve, naive=review_curve(Y, NAIVE, prior))
    assert finds.k[0] == finds.expected[0] == finds.high[0] == finds.chance[0] == 0
    assert list(finds.k) == sorted(set(finds.k))
    lines = zip(finds.chance, finds.naive, finds.expected, finds.high, strict=True)
    for chance, naive, expected, high in list(lines)[1:]:
        assert chance < naive + 0.5
        assert naive <= expected + 0.5
        assert expected <= high + 0.5
    whole = summarize_finds(curve, rate=0.0)
    hidden = 0.1 * 800 - Y.sum()
    assert whole.k[-1] == whole.stop_at == N_UNLABELED
    assert whole.chance[-1] == pytest.approx(hidden)
    assert whole.expected[-1] == pytest.approx(hidden)


def test_recall_is_laid_beside_chance_the_baseline_and_rivals():
    diagnosis = make_diagnosis()
    for row, recall in zip(
        summarize_diagnosis(diagnosis, Y)["comparison"], diagnosis.recall, strict=True
    ):
        assert (row.ours, row.low, row.high) == (recall.n_found, recall.low, recall.high)
        assert row.chance == pytest.approx(recall.n_labeled * recall.k / N_UNLABELED)
        assert row.naive == recall.rivals[0].n_found
        assert [(one.name, one.found) for one in row.rivals] == [
            ("the desk", recall.rivals[1].n_found)
        ]


def test_without_signal_the_headline_warns_instead_of_advising():
    y = np.repeat([1, 0], [30, 770])
    noise = np.random.default_rng(1).normal(size=800)
    diagnosis = make_diagnosis(y, noise, prior=0.1)
    assert not diagnosis.signal.found
    parts = summarize_diagnosis(diagnosis, y)
    assert parts["headline"] == "Do not act on this ranking: no signal was found."
    assert parts["warnings"][0].level == "stop"


def test_where_no_row_is_worth_it_the_headline_says_so():
    diagnosis = make_diagnosis(rate=100.0)
    parts = summarize_diagnosis(diagnosis, Y)
    assert parts["headline"].startswith("Review nothing by this ranking")
    assert parts["finds"].stop_at is None


def test_leaks_doubts_and_rows_left_out_are_warnings():
    leak = Leak("closed_on", "missing", "is present", 40, 40, 1.0, 0.99)
    scores = np.where(np.arange(800) < 50, np.nan, SCORES)
    diagnosis = make_diagnosis(scores=scores, leaks=(leak,))
    unsure = replace(diagnosis.prior, identified=False, sentence="Nobody knows.")
    crowded = replace(diagnosis.scar, p_value=0.001)
    diagnosis = replace(diagnosis, prior=unsure, scar=crowded)
    notices = summarize_diagnosis(diagnosis, Y)["warnings"]
    assert [notice.text for notice in notices] == [
        str(leak),
        str(crowded),
        "Nobody knows.",
        "750 of 800 rows are judged by this page.",
    ]
    assert [notice.level for notice in notices] == ["warning"] * 3 + ["note"]


@pytest.mark.parametrize(
    ("prior", "scenario", "hidden"),
    [(0.1, "one-sample", 80 - Y.sum()), (0.1, "two-sample", 0.1 * N_UNLABELED)],
)
def test_a_prior_that_was_given_has_its_own_sentence(prior, scenario, hidden):
    fact = summarize_prior(prior, Y, scenario)
    assert fact.value == fact.low == fact.high == pytest.approx(0.1)
    assert fact.n_hidden == pytest.approx(hidden)
    assert "A share of 0.1 is taken to be positive, as given" in fact.sentence
    pair = summarize_prior((0.05, 0.2), Y, scenario)
    assert (pair.low, pair.high) == (0.05, 0.2)
    assert pair.value == pytest.approx(0.1)
    assert "0.05 to 0.2" in pair.sentence


def test_probabilities_are_trusted_only_if_the_labels_agree():
    log_odds = 2.5 * (SCORES - 1.25) + np.log(0.1 / 0.9)
    right = 1 / (1 + np.exp(-log_odds))
    for proba, trusted in ((right, True), (0.5 + right / 2, False)):
        curve = pu_reliability_curve(Y, proba, 0.1, 5)
        error = pu_calibration_error(Y, proba, 0.1, 5)
        found = summarize_reliability(curve, error)
        assert sum(one.share for one in found.bins) == pytest.approx(1)
        assert [one.observed for one in found.bins] == curve.prob_true.tolist()
        assert found.error == error
        assert ("Probabilities agree" in found.sentence) == trusted
    assert "too high in" in found.sentence
