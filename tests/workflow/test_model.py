"""A table's model: fit once, ranked, explained, kept, and taught by reviews."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.datasets import make_claims
from lopsided.priors import Beta, estimate_prior
from lopsided.workflow.model import TableModel
from lopsided.workflow.report import summarize_ranking
from lopsided.workflow.tables import write_table

ROLES = {"label": "status", "positive": "confirmed", "negative": "cleared", "id": "claim_no"}


def test_a_ranking_has_scores_probabilities_reasons_and_the_rows_own_columns(
    claims, model, ranking
):
    own = [name for name in claims.table.columns if name != "claim_no"]
    assert list(ranking.columns) == ["rank", "id", "score", "probability", "reasons", *own]
    assert (ranking["status"] == "").all()
    assert len(ranking) == (claims.table["status"] == "").sum()
    assert ranking["score"].is_monotonic_decreasing
    np.testing.assert_allclose(ranking["probability"], 1 / (1 + np.exp(-ranking["score"])))
    assert (ranking["reasons"][:10] != "").all()
    assert (ranking["reasons"][20:] == "").all()


def test_a_ranking_finds_more_than_chance(ranking, truth):
    hidden = ranking["id"].map(truth)
    assert hidden[:50].sum() > 3 * 50 * hidden.mean()


def test_rows_of_training_are_scored_blind_in_any_order_and_company(claims, model, ranking):
    other = make_claims(60, labeled=0, random_state=9).table
    mixed = pd.concat([other, claims.table]).sample(frac=1, random_state=0)
    again = model.rank(mixed.reset_index(drop=True), reasons=0).set_index("id")
    np.testing.assert_array_equal(again.loc[ranking["id"], "score"], ranking["score"])
    unlabeled, log_odds = model.training.y == 0, model.review_curve().log_odds
    np.testing.assert_array_equal(np.sort(log_odds)[::-1], ranking["score"])
    order = np.argsort(-model.training.scores[unlabeled], kind="stable")
    assert (np.diff(log_odds[order]) <= 0).all()


def test_rows_that_training_did_not_have_are_scored_by_the_model(claims, model):
    other = make_claims(60, labeled=0, random_state=9).table
    ranked = model.rank(other, reasons=0).set_index("id")
    X = model.cleaner.transform(model.roles.features(other))
    expected = model.estimator.decision_function(X)
    np.testing.assert_array_equal(ranked.loc[other["claim_no"], "score"], expected)


def test_an_id_that_comes_back_with_another_case_is_another_row(claims, model):
    table = claims.table[claims.table["status"] == ""].head(5).reset_index(drop=True)
    changed = table.assign(amount="$99,000.00")
    ranked = model.rank(changed, reasons=0).set_index("id")
    known = model.rank(table, reasons=0).set_index("id")
    assert (
        ranked.loc[table["claim_no"], "score"] != known.loc[table["claim_no"], "score"]
    ).all()


@pytest.mark.filterwarnings("ignore:The table has columns that training had not")
@pytest.mark.filterwarnings("ignore:.* are categories that training had not")
def test_a_second_file_may_lack_a_column_and_have_new_categories_and_orders(claims, model):
    other = make_claims(60, labeled=0, random_state=9).table
    other["kind"] = other["kind"].replace("theft", "flood")
    other = other.drop(columns=["status", "age"])[::-1].iloc[:, ::-1].assign(extra=1)
    with pytest.warns(UserWarning, match="age") as said:
        ranked = model.rank(other.reset_index(drop=True), reasons=5)
    told = " ".join(str(one.message) for one in said)
    assert "lacks column 'age'" in told
    assert "'extra'" in told
    assert len(ranked) == 60
    assert ranked["score"].notna().all()


def test_contributions_add_up_to_the_score_of_the_model(claims, model, ranking):
    row = ranking["id"][3]
    found = model.explain(claims.table, row)
    total = found.base + sum(one.contribution for one in found.reasons)
    assert total == pytest.approx(found.model_score, abs=1e-9)
    X = model.cleaner.transform(
        model.roles.features(claims.table[claims.table["claim_no"] == row])
    )
    scored = model.score(claims.table)
    shift = scored.shift[scored.ids.to_numpy() == row]
    score = model.estimator.decision_function(X)[0] + shift[0]
    assert found.model_score == pytest.approx(score, abs=1e-9)
    assert found.score == ranking["score"][3]
    assert {one.column for one in found.reasons} == set(model.cleaner.readers_)
    assert str(found).startswith(f"Row {row}: score")


@pytest.mark.parametrize("kind", ["training", "new", "new without labels", "some of each"])
@pytest.mark.parametrize("which", ["fitted", "reviewed"])
def test_an_explanation_tells_the_score_of_the_list_and_of_the_page(
    claims, model, taught, kind, which
):
    model = {"fitted": model, "reviewed": taught}[which]
    new = make_claims(90, labeled=0.5, random_state=9).table
    table = {
        "training": claims.table,
        "new": new,
        "new without labels": new.drop(columns="status"),
        "some of each": pd.concat([claims.table.head(90), new], ignore_index=True),
    }[kind]
    ranked = model.rank(table, reasons=0)
    page = summarize_ranking(model, table, n_jobs=1)
    for place in (0, len(ranked) // 2):
        row, shown = ranked.iloc[place], page.rows[place]
        found = model.explain(table, row["id"])
        assert shown.id == row["id"]
        assert found.score == pytest.approx(row["score"], abs=1e-9)
        assert found.score == pytest.approx(shown.score, abs=1e-9)
        assert found.probability == pytest.approx(row["probability"], abs=1e-9)
        total = found.base + sum(one.contribution for one in found.reasons)
        assert total == pytest.approx(found.model_score, abs=1e-9)
        if kind.startswith("new"):  # nothing of it was trained on
            assert total == pytest.approx(found.score, abs=1e-9)
        if place < 200:  # the rows whose reasons the page tells
            raised = [one for one in found.reasons if one.contribution >= 0.005][:3]
            assert [one.column for one in raised] == [one.column for one in shown.reasons]


def test_the_base_of_an_explanation_is_the_score_of_an_average_row(model):
    found = model.explain_rows(model.training.X)
    mean = model.estimator.decision_function(model.training.X).mean()
    assert found.base[0] == pytest.approx(mean, abs=0.5)


def test_a_row_that_is_not_there_is_asked_for_by_its_id(claims, model):
    with pytest.raises(ValueError, match=r"One row must have the id 'C-x' .claim_no., got 0"):
        model.explain(claims.table, "C-x")


def test_rows_that_share_an_id_are_named_by_their_numbers(claims, model):
    table = pd.concat([claims.table, claims.table.iloc[[4]]], ignore_index=True)
    with pytest.raises(ValueError, match=r"got 2: rows 5, 801 of the table\. Leave one"):
        model.explain(table, table["claim_no"][4])


def test_a_ranking_says_which_rows_are_not_listed(claims, model):
    new = make_claims(90, labeled=0.5, random_state=9).table
    n_labeled, n_cleared = ((new["status"] == word).sum() for word in ("confirmed", "cleared"))
    said = model.rank(new, top=2, reasons=0).summary
    assert f"The first 2 of {90 - n_labeled - n_cleared} are listed." in said
    assert f"Not listed: {n_labeled} labeled positive" in said
    assert f"and {n_cleared} reviewed negative" in said
    assert "isted" not in model.rank(claims.table, reasons=0).summary


def test_a_saved_model_ranks_explains_and_tells_the_same(claims, model, ranking, tmp_path):
    model.save(tmp_path / "model.lop")
    again = lopsided.load(tmp_path / "model.lop")
    assert isinstance(again, TableModel)
    pd.testing.assert_frame_equal(again.rank(claims.table, reasons=20), ranking)
    row = ranking["id"][0]
    assert str(again.explain(claims.table, row)) == str(model.explain(claims.table, row))
    assert again.describe() == model.describe()
    assert again.roles == model.roles
    assert again.findings == model.findings


@pytest.fixture(scope="module")
def reviewed(ranking, truth):
    """The first 40 rows with verdicts."""
    first = ranking.head(40).copy()
    first["verdict"] = [1 if truth[row] else -1 for row in first["id"]]
    return first


@pytest.fixture(scope="module")
def taught(model, reviewed):
    return model.feedback(reviewed, n_jobs=1)


def test_feedback_turns_verdicts_into_labels_and_leaves_the_rows_out(
    claims, model, reviewed, taught
):
    n_found = int((reviewed["verdict"] == 1).sum())
    before, after = model.count_labels(), taught.count_labels()
    assert after == {1: before[1] + n_found, 0: before[0] - 40, -1: before[-1] + 40 - n_found}
    again = taught.rank(claims.table, reasons=0)
    assert not set(again["id"]) & set(reviewed["id"])
    assert len(again) == after[0]
    assert model.count_labels() == before  # the old model is as it was


def test_a_belief_on_the_labels_moves_the_prior_and_reviews_hold_it(model, taught):
    rows, few = model.training, Beta.around(0.05)
    assert model.prior_estimate(label_frequency=few) == estimate_prior(
        rows.y, rows.scores, label_frequency=few
    )
    for one in (model, taught):
        assert one.prior_estimate(label_frequency=few).value > one.prior_estimate().value
    told = replace(model, prior=0.2)
    assert told.prior_estimate() is None
    assert told.prior_estimate(label_frequency=few) == model.prior_estimate(label_frequency=few)


def test_after_feedback_the_prior_counts_what_reviews_found(taught, reviewed):
    estimate = taught.prior_estimate()
    n_known = int((taught.training.y == 1).sum())
    assert estimate.value * len(taught.training) >= n_known
    assert "beside" in str(estimate)


def test_feedback_from_a_file_is_that_of_the_frame(model, reviewed, taught, tmp_path):
    write_table(reviewed, tmp_path / "reviewed.csv")
    again = model.feedback(tmp_path / "reviewed.csv", n_jobs=1)
    np.testing.assert_array_equal(again.training.y, taught.training.y)
    np.testing.assert_array_equal(again.training.scores, taught.training.scores)


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.filterwarnings("ignore:4 of 4 reviewed rows were not in training")
@pytest.mark.filterwarnings("ignore:The table lacks column 'photos'")
def test_feedback_on_rows_of_another_file_adds_them(model, loaded, tmp_path):
    if loaded:
        model.save(tmp_path / "model.lop")
        model = lopsided.load(tmp_path / "model.lop")
    other = make_claims(60, labeled=0, random_state=9).table.drop(columns="photos")
    with pytest.warns(UserWarning, match="photos"):
        ranked = model.rank(other, top=6, reasons=0)
    ranked["verdict"] = ["confirmed", "cleared", "", "no", "yes", ""]
    with pytest.warns(UserWarning, match="photos"):
        taught = model.feedback(ranked, n_jobs=1)
    assert len(taught.training) == len(model.training) + 4
    assert taught.training.y[-4:].tolist() == [1, -1, -1, 1]
    assert taught.rank(other, reasons=0)["id"].isin(ranked["id"]).sum() == 2


def test_ids_and_verdicts_alone_are_enough(model, reviewed, taught):
    for name in ("id", "claim_no"):
        short = reviewed[["id", "verdict"]].rename(columns={"id": name})
        again = model.feedback(short, n_jobs=1)
        np.testing.assert_array_equal(again.training.y, taught.training.y)
    with pytest.raises(ValueError, match="got 1 that are not, such as 'x'"):
        model.feedback(pd.DataFrame({"claim_no": ["x"], "verdict": [1]}))


def test_rows_whose_cells_a_spreadsheet_changed_are_known_by_their_id(model, reviewed, taught):
    changed = reviewed.assign(deductible="0.2")
    with pytest.warns(UserWarning, match="40 of 40 reviewed rows are known by their id alone"):
        again = model.feedback(changed, n_jobs=1)
    np.testing.assert_array_equal(again.training.y, taught.training.y)


def test_after_feedback_a_score_is_still_the_log_odds_of_its_probability(claims, taught):
    ranked = taught.rank(claims.table, top=5)
    np.testing.assert_allclose(ranked["probability"], 1 / (1 + np.exp(-ranked["score"])))
    found = taught.explain(claims.table, ranked["id"][0])
    total = found.base + sum(one.contribution for one in found.reasons)
    assert total == pytest.approx(found.model_score, abs=1e-9)


def test_a_taught_model_is_saved_and_loaded_too(claims, taught, tmp_path):
    taught.save(tmp_path / "taught.lop")
    again = lopsided.load(tmp_path / "taught.lop")
    pd.testing.assert_frame_equal(
        again.rank(claims.table, reasons=0), taught.rank(claims.table, reasons=0)
    )


def test_columns_named_like_those_of_a_ranking_survive_the_way_back(claims):
    table = claims.table.rename(columns={"amount": "score", "kind": "rank"})
    model = lopsided.fit(table, **ROLES, method="naive-logistic")
    ranked = model.rank(table, top=10, reasons=0)
    assert {"score_", "rank_"} <= set(ranked.columns)
    taught = model.feedback(ranked.assign(verdict=-1))
    assert len(taught.training) == len(model.training)  # known again, none is new
    assert taught.count_labels()[-1] == model.count_labels()[-1] + 10


def test_one_labeled_row_is_enough_and_none_gives_outliers(claims, tmp_path):
    table = claims.table.assign(status="")
    table.loc[5, "status"] = "confirmed"
    words = {"label": "status", "id": "claim_no", "n_jobs": 1}
    one = lopsided.rank(table, positive="confirmed", method="focused-fast", reasons=3, **words)
    assert len(one) == len(table) - 1
    with pytest.warns(UserWarning, match="No row is labeled"):
        none = lopsided.rank(table.assign(status=""), reasons=3, **words)
    assert len(none) == len(table)
    assert none["probability"].isna().all()
    assert (none["reasons"][:3] != "").all()
    none.model.save(tmp_path / "none.lop")
    assert lopsided.load(tmp_path / "none.lop").prior_estimate() is None
    with pytest.raises(ValueError, match="puhrf needs two labeled rows"):
        lopsided.rank(table, positive="confirmed", method="puhrf", **words)


def test_a_model_without_labels_learns_from_its_first_reviews(claims, truth):
    with pytest.warns(UserWarning, match="No row is labeled"):
        model = lopsided.fit(claims.table.assign(status=""), "status", id="claim_no", n_jobs=1)
    first = model.rank(claims.table.assign(status=""), top=60, reasons=0)
    first["verdict"] = [1 if truth[row] else -1 for row in first["id"]]
    taught = model.feedback(first, n_jobs=1)
    assert taught.count_labels()[1] == (first["verdict"] == 1).sum()
    assert taught.prior_estimate() is None
    assert taught.rank(claims.table.assign(status=""), top=3)["probability"].notna().all()


def rank_plainly(table):
    return lopsided.rank(table, **ROLES, method="naive-logistic", reasons=0)


@pytest.fixture(scope="module")
def usual(claims):
    """The ranking of the claims as a pandas frame."""
    return rank_plainly(claims.table)


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow", "path"])
def test_tables_of_every_kind_are_ranked_alike(claims, usual, kind, tmp_path):
    if kind in ("polars", "lazy"):
        polars = pytest.importorskip("polars")
    write_table(claims.table, tmp_path / "claims.csv")
    table = {
        "pandas": lambda: claims.table,
        "polars": lambda: polars.from_pandas(claims.table),
        "lazy": lambda: polars.from_pandas(claims.table).lazy(),
        "pyarrow": lambda: __import__("pyarrow").Table.from_pandas(claims.table),
        "path": lambda: tmp_path / "claims.csv",
    }[kind]()
    found = rank_plainly(table)
    assert found["id"].tolist() == usual["id"].tolist()
    np.testing.assert_array_equal(found["score"], usual["score"])


def test_a_ranking_shows_itself_in_a_notebook_and_parts_of_it_are_plain(claims, ranking):
    hostile = ranking.copy()
    page = type(ranking)(hostile.assign(kind="<script>alert(1)</script>"))
    page.summary = "<b>ranked</b>"
    shown = page._repr_html_()
    assert "<script>" not in shown
    assert "&lt;b&gt;ranked" in shown
    assert shown.count("<tr") == 21
    assert type(ranking.head(3)) is pd.DataFrame


def test_groups_are_kept_together(claims):
    table = claims.table.assign(customer=np.arange(len(claims.table)) // 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lopsided.fit(table, **ROLES, group="customer", method="focused-fast", n_jobs=1)
        alone = lopsided.fit(table, **ROLES, drop="customer", method="focused-fast", n_jobs=1)
    assert "customer" not in model.cleaner.readers_
    assert len(np.unique(model.training.groups)) == len(table) // 4
    assert (model.training.scores != alone.training.scores).any()


def test_types_and_decimals_can_be_declared(claims):
    table = claims.table.assign(branch=np.arange(len(claims.table)) % 7)
    model = lopsided.fit(
        table, **ROLES, types={"branch": "category", "age": "drop"}, method="naive-forest"
    )
    kinds = {one.name: one.kind for one in model.cleaner.columns_}
    assert kinds["branch"] == "category"
    assert "age" not in model.cleaner.readers_


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"label": "statos"}, "Did you mean status"),
        ({"id": "status"}, "must be columns of their own"),
        ({"drop": ["status"]}, "cannot be dropped"),
        ({"method": "focussed"}, "Did you mean focused"),
        ({"positive": "fraud"}, "No row of column 'status' is 'fraud'"),
    ],
)
def test_wrong_words_get_one_sentence(claims, words, message):
    with pytest.raises(ValueError, match=message):
        lopsided.fit(claims.table, **{**ROLES, **words})
