"""The page on a ranking holds what the model knows, and says what it does not."""

from dataclasses import replace

import numpy as np
import pytest

import lopsided
from lopsided.datasets import make_claims
from lopsided.workflow.cli import main
from lopsided.workflow.findings import Finding
from lopsided.workflow.report import summarize_ranking, write_table_report

ROLES = {"label": "status", "positive": "confirmed", "negative": "cleared", "id": "claim_no"}


@pytest.fixture(scope="module")
def summary(claims, model):
    return summarize_ranking(model, claims.table, source="data/claims.csv", n_jobs=1)


def test_the_summary_shows_the_ranking_with_its_reasons(claims, model, ranking, summary):
    assert [row.id for row in summary.rows[:20]] == ranking["id"][:20].tolist()
    assert [row.probability for row in summary.rows] == pytest.approx(
        ranking["probability"][: len(summary.rows)]
    )
    for row, told in zip(summary.rows[:20], ranking["reasons"], strict=False):
        assert (
            "; ".join(
                f"{one.column} = {one.value} ({one.contribution:+.2f})" for one in row.reasons
            )
            == told
        )
    assert summary.n_ranked == len(ranking)
    assert summary.source == "claims.csv"
    assert "data" not in summary.title
    assert summary.counts.n_labeled == model.count_labels()[1]


def test_expected_finds_grow_and_stay_in_their_band(summary):
    finds = summary.finds
    for values in (finds.expected, finds.low, finds.high):
        assert len(values) == len(finds.k)
    assert (np.diff(finds.expected) > -1e-9).all()
    assert all(
        low <= value <= high
        for low, value, high in zip(finds.low, finds.expected, finds.high, strict=True)
    )
    assert summary.headline.startswith("Review")
    assert f"{finds.stop_at:,}" in summary.headline


def test_columns_are_told_by_their_effect(summary):
    shares = [one.share for one in summary.features]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    told = {one.name: one.direction for one in summary.features}
    assert told["amount"] == "higher values raise a row"
    assert told["policy_days"] == "lower values raise a row"


def test_a_page_on_another_table_says_so_and_counts_by_probabilities(model):
    other = make_claims(200, labeled=0, random_state=5).table
    found = summarize_ranking(model, other, n_jobs=1)
    assert any("not the table that was learned from" in one.text for one in found.warnings)
    assert found.finds.k[-1] <= 200
    assert found.prior.value == model.prior_estimate().value
    for said in (found.signal, found.prior.sentence, found.calibration.sentence):
        assert said.startswith("In the table that was learned from: ")


def test_the_page_says_by_which_prior_probabilities_are_judged(model, summary):
    prior = model.prior_estimate()
    said = summary.calibration.sentence
    assert f"the same estimated prior, {prior.value:.2g} (90 % interval {prior.low:.2g}" in said
    assert said.endswith("if that is too low, so are all probabilities.")
    assert "learned from" not in said + summary.signal + summary.prior.sentence


def test_the_desks_own_score_is_a_rival_on_the_page(claims, truth, tmp_path, capsys):
    table = claims.table.assign(
        desk=[f"{5 + 4 * truth[row]},5" for row in claims.table["claim_no"]], mood="good"
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    model = lopsided.fit(table, **ROLES, drop="desk", method="naive-logistic", prior=0.1)
    model.save(tmp_path / "m.lop")
    words = ["report", str(tmp_path / "m.lop"), str(tmp_path / "t.csv"), "-q"]
    assert main([*words, "--rival", "desk", "-o", str(tmp_path / "r.html")]) == 0
    found = summarize_ranking(model, table, rivals="desk")
    told = found.comparison[-1].rivals
    assert [one.name for one in told] == ["desk"]
    assert told[0].found == found.comparison[-1].n_labeled  # it knows the truth
    assert found.comparison[0].rivals[0].found > found.comparison[0].ours
    assert not any("learned from its rival" in one.text for one in found.warnings)
    assert main([*words, "--rival", "mood", "-o", str(tmp_path / "r.html")]) == 2
    assert "must hold scores as numbers to be a rival, got good" in capsys.readouterr().err
    with pytest.raises(ValueError, match="got a table with 100 of 800 of them"):
        summarize_ranking(model, table.head(100), rivals=["desk"])


def test_a_rival_that_was_learned_from_is_told(claims):
    table = claims.table.assign(desk=np.arange(len(claims.table)) % 7)
    model = lopsided.fit(table, **ROLES, method="naive-logistic", prior=0.1)
    found = summarize_ranking(model, table, rivals=["desk"])
    assert any("learned from its rival, column 'desk'" in one.text for one in found.warnings)


def test_a_page_after_reviews_says_so(claims, model, ranking, truth):
    first = ranking.head(30).assign(
        verdict=[1 if truth[row] else -1 for row in ranking["id"][:30]]
    )
    taught = model.feedback(first, n_jobs=1)
    found = summarize_ranking(taught, claims.table, n_jobs=1)
    assert any("has learned from reviews" in one.text for one in found.warnings)
    assert found.counts.n_reviewed == taught.count_labels()[-1]
    assert found.prior.n_hidden == pytest.approx(taught.prior_estimate().n_hidden)


def test_a_page_says_that_nothing_is_left_to_review(claims, model, truth, tmp_path):
    decided = claims.table.assign(
        status=["confirmed" if truth[row] else "cleared" for row in claims.table["claim_no"]]
    )
    found = summarize_ranking(model, decided, n_jobs=1)
    assert "nothing to review" in found.headline
    write_table_report(model, decided, tmp_path / "r.html")
    all_of_it = model.rank(claims.table, reasons=0)
    all_of_it["verdict"] = [1 if truth[row] else -1 for row in all_of_it["id"]]
    with pytest.raises(ValueError, match="must leave unlabeled rows"):
        model.feedback(all_of_it, n_jobs=1)


@pytest.mark.parametrize("n_labeled", [0, 1])
def test_a_page_without_labels_to_judge_by_says_what_it_cannot_tell(
    claims, n_labeled, tmp_path
):
    known = claims.table.index[claims.table["status"] == "confirmed"][:n_labeled]
    table = claims.table.assign(status=claims.table.index.isin(known).astype(int))
    model = lopsided.fit(table, "status", id="claim_no", method="focused-fast", n_jobs=1)
    found = summarize_ranking(model, table, n_jobs=1)
    assert "label more rows" in found.headline
    assert found.finds is None
    assert set(found.missing) == {"finds", "prior", "calibration", "comparison"}
    write_table_report(model, table, str(tmp_path / "r.html"))


def test_the_page_is_written_and_names_the_first_row(claims, model, ranking, tmp_path):
    path = write_table_report(
        model, claims.table, str(tmp_path / "r.html"), title="A <b> title"
    )
    page = path.read_text()
    assert ranking["id"][0] in page
    assert "A &lt;b&gt; title" in page


def test_notes_of_a_page_from_the_shell_name_options(claims, model, tmp_path):
    findings = (Finding("note", "Say which rows are cleared (negative=...)."),)
    replace(model, findings=findings).save(tmp_path / "model.lop")
    claims.table.to_csv(tmp_path / "claims.csv", index=False)
    words = ["report", tmp_path / "model.lop", tmp_path / "claims.csv", "-q", "--jobs", "1"]
    assert main([*map(str, words), "-o", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    assert "cleared (--negative)" in page
    assert "negative=..." not in page
