"""Verdicts reach the rows they are about, and numbers stay honest after many of them."""

import warnings

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.diagnostics import ReviewCurve
from lopsided.workflow.report import summarize_ranking

HEAD = ["rank", "score", "probability", "reasons"]
ALL = [*HEAD, "a", "b", "c"]


def make_table(n_rows, seed, labeled=0.3):
    """Three columns, two of which tell who is positive, and a part of the positives labeled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    odds = np.exp(2.2 * X[:, 0] + 1.5 * X[:, 1] - 4.6)
    y_true = (rng.random(n_rows) < odds / (1 + odds)).astype(int)
    known = y_true * (rng.random(n_rows) < labeled)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(known=known)
    return frame, y_true


def fit(frame, **words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lopsided.fit(frame, "known", method="naive-logistic", **words)


FRAME, TRUTH = make_table(1000, seed=0)
PRIOR = float(make_table(400_000, seed=1)[1].mean())  # of the population


@pytest.fixture(scope="module", params=[True, False], ids=["named", "nameless"])
def ranked(request):
    """A model, of a table whose rows have names or not, and the top of its list."""
    frame = FRAME.assign(claim=np.arange(1000) + 1) if request.param else FRAME
    model = fit(frame, id="claim" if request.param else None)
    return model, model.rank(frame, top=20, reasons=0)


@pytest.mark.parametrize("lost", [[], ["reasons"], ["rank", "score"], HEAD, ALL])
def test_verdicts_reach_their_rows_whatever_columns_a_reviewer_deletes(ranked, lost):
    model, ranking = ranked
    short = ranking.drop(columns=[*lost, *(["known"] if "a" in lost else [])])
    taught = model.feedback(short.assign(verdict=-1))
    decided = np.flatnonzero(taught.training.y == -1)
    assert sorted(decided + 1) == sorted(ranking["id"])
    assert len(taught.training) == 1000


def test_rows_without_a_name_and_without_columns_are_refused():
    model = fit(FRAME)
    with pytest.raises(ValueError, match="must name its rows, got neither their id"):
        model.feedback(pd.DataFrame({"verdict": [1, -1]}))
    named = fit(FRAME.assign(claim=np.arange(1000)), id="claim")
    with pytest.raises(ValueError, match="No column is called 'claim'"):
        named.feedback(pd.DataFrame({"verdict": [1], "a": [0.0]}))


def test_a_table_without_a_new_verdict_is_refused(ranked):
    model, ranking = ranked
    table = FRAME.assign(claim=np.arange(1000) + 1) if model.roles.id else FRAME
    with pytest.raises(ValueError, match="no new verdict"):
        model.feedback(table)
    reviewed = ranking.assign(verdict=-1)
    taught = model.feedback(reviewed)
    with pytest.raises(ValueError, match=r"no new verdict.* all 20"):
        taught.feedback(reviewed)
    some_new = pd.concat([reviewed, model.rank(table, reasons=0)[20:21].assign(verdict=1)])
    assert taught.feedback(some_new).count_labels()[1] == model.count_labels()[1] + 1


def test_the_prior_has_an_interval_after_a_verdict_is_taken_back():
    model = fit(FRAME.assign(claim=np.arange(1000)), id="claim")
    row = int(np.flatnonzero(FRAME["known"])[0])
    for verdict in (-1, 1):
        model = model.feedback(pd.DataFrame({"id": [row], "verdict": [verdict]}))
    assert not model.training.is_reviewed
    estimate = model.prior_estimate()
    assert estimate.low < estimate.value < estimate.high


def test_two_verdicts_for_a_row_are_refused():
    model = fit(FRAME.assign(claim=np.arange(1000)), id="claim")
    with pytest.raises(ValueError, match="got both 1 and -1 for '7'"):
        model.feedback(pd.DataFrame({"id": [7, 8, 7], "verdict": [1, 1, -1]}))


@pytest.mark.parametrize("names", [["score_", "b", "c"], ["score", "score_", "id"]])
def test_columns_with_names_of_a_ranking_come_back_as_they_were(names):
    frame = FRAME.set_axis([*names, "known"], axis=1)
    model = fit(frame)
    ranking = model.rank(frame, top=20, reasons=0)
    taught = model.feedback(ranking.assign(verdict=1))
    assert len(taught.training) == 1000
    assert taught.count_labels()[1] == model.count_labels()[1] + 20


def test_numbers_that_a_spreadsheet_cuts_are_the_same_rows(tmp_path):
    model = fit(FRAME)
    ranking = model.rank(FRAME, top=20, reasons=0).assign(verdict=-1)
    ranking.to_csv(tmp_path / "reviewed.csv", index=False, float_format="%.15g")
    assert len(model.feedback(tmp_path / "reviewed.csv").training) == 1000


def test_without_ids_any_part_of_the_table_is_scored_blind():
    model = fit(FRAME)
    whole = model.rank(FRAME, reasons=0).set_index("id")
    part = FRAME.iloc[500:].reset_index(drop=True)
    ranked = model.rank(part, reasons=0)
    np.testing.assert_array_equal(ranked["score"], whole.loc[ranked["id"] + 500, "score"])
    row = int(whole.index[0])
    assert model.explain(FRAME, row).score == whole["score"].iloc[0]


def test_an_overturned_label_is_no_evidence_of_positives():
    frame = FRAME.assign(claim=np.arange(1000))
    model = fit(frame, id="claim")
    labeled = frame.index[frame["known"] == 1]
    wrong = pd.DataFrame({"claim": labeled[:-5], "verdict": -1})
    taught = model.feedback(wrong)
    assert taught.prior_estimate().value < 0.6 * model.prior_estimate().value
    with pytest.warns(UserWarning, match="No row is labeled"):
        none = model.feedback(pd.DataFrame({"claim": labeled, "verdict": -1}))
    assert none.prior_estimate() is None


def test_probabilities_of_the_list_sum_up_to_what_is_hidden():
    listed, hidden = 0.0, 0
    for seed in range(6):
        frame, truth = make_table(1500, seed, labeled=0.5)
        ranking = fit(frame, prior=truth.mean()).rank(frame, reasons=0)
        listed += ranking["probability"].sum()
        hidden += truth[ranking["id"] - 1].sum()
    assert listed == pytest.approx(hidden, rel=0.1)


def review(model, frame, truth, n_rows):
    first = model.rank(frame, top=n_rows, reasons=0)
    return model.feedback(first.assign(verdict=np.where(truth[first["id"] - 1], 1, -1)))


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.filterwarnings("ignore:60 of 60 reviewed rows were not in training")
def test_months_of_reviews_do_not_move_what_a_new_table_is_said_to_hold(given):
    expected, real = [], []
    for seed in range(4):
        frame, _ = make_table(1500, seed)
        model = fit(frame, prior=PRIOR if given else None)
        for month in range(3):
            later, later_truth = make_table(1500, 1000 * (month + 1) + seed, labeled=0)
            model = review(model, later, later_truth, 60)
        fresh, fresh_truth = make_table(1500, 9000 + seed, labeled=0)
        expected.append(model.rank(fresh, reasons=0)["probability"].sum())
        real.append(fresh_truth.sum())
    assert np.mean(expected) == pytest.approx(np.mean(real), rel=0.15 if given else 0.35)


def test_bands_of_finds_in_a_new_table_hold_what_is_found():
    held = []
    for seed in range(16):
        frame, _ = make_table(1500, seed)
        model = fit(frame, prior=PRIOR)
        fresh, fresh_truth = make_table(1500, 5000 + seed, labeled=0)
        ranking = model.rank(fresh, reasons=0)
        n_labeled = int(frame["known"].sum())
        curve = ReviewCurve.from_log_odds(ranking["score"], PRIOR, n_labeled)
        real = np.append(0, np.cumsum(fresh_truth[ranking["id"] - 1]))
        bands = [curve.expect(k) for k in (curve.stop_at(), 200, 1500)]
        held += [one.low <= real[one.k] <= one.high for one in bands]
    assert np.mean(held) > 0.8


@pytest.mark.parametrize("given", [True, False])
def test_every_place_expects_the_same_finds_before_and_after_reviews(given):
    frame, truth = make_table(1500, seed=3)
    model = fit(frame, prior=PRIOR if given else None)
    for _ in range(2):
        ranking = model.rank(frame, reasons=0)
        diagnosis = model.diagnose(k=[50, 200])
        summary = summarize_ranking(model, frame)
        for one in diagnosis.finds:
            assert ranking["probability"][: one.k].sum() == pytest.approx(one.value)
        (stop,) = {diagnosis.curve.stop_at(), summary.finds.stop_at}
        at = summary.finds.k.index(stop)
        assert summary.finds.expected[at] == pytest.approx(ranking["probability"][:stop].sum())
        assert ranking["probability"].sum() == pytest.approx(summary.prior.n_hidden, rel=1e-3)
        model = review(model, frame, truth, 40)
