"""Tables that once ended in a traceback, a wrong row or a message that was no sentence."""

import json
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.exceptions import PriorWarning
from lopsided.workflow.cli import main
from lopsided.workflow.report import write_table_report
from lopsided.workflow.tables import TableCleaner, read_labels, read_names, read_texts

N = 30
RNG = np.random.default_rng(0)
Y = np.tile([1, 0, 0], N // 3)
FRAME = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.choice(list("xyz"), N), "y": Y})
QUICK = {"method": "naive-logistic", "n_jobs": 1}
HALF = "\ud800"  # of a letter, which JSON files may hold


def objects(*cells):
    """Return a column of N cells of any kind, each twice, over and over."""
    column = pd.Series([None] * N, dtype=object)
    for row in range(N):
        column.iat[row] = cells[row // 2 % len(cells)]
    return column


def fit(frame, label="y", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return lopsided.fit(frame, label, **QUICK, **options)


def rank(frame, label="y", **options):
    return fit(frame, label, **options).rank(frame)


@pytest.mark.parametrize(
    "column",
    [
        objects([1], [2, 3], None),
        objects({"a": 1}, {"a": 2}),
        objects(np.array([1.0, 2.0]), np.array([3.0])),
        objects(b"\xff", b"\xfe", None),
        objects(HALF, "a"),
        objects(pd.NA, 1.5, 2.5),
        objects(Decimal("sNaN"), Decimal("1.5"), Decimal("2.5")),
        pd.Series(pd.array([f"2024-01-{day:02d}" for day in range(1, N + 1)])).astype(
            "date32[pyarrow]"
        ),
        pd.Series(RNG.normal(size=N).astype(np.float16)),
    ],
    ids=[
        "lists",
        "dicts",
        "arrays",
        "bytes",
        "half",
        "NA",
        "decimals",
        "arrow days",
        "float16",
    ],
)
@pytest.mark.parametrize("role", ["feature", "id", "group"])
def test_cells_of_any_kind_are_ranked_in_any_role(column, role, tmp_path):
    frame = FRAME.assign(odd=column)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PriorWarning)
        warnings.filterwarnings("ignore", category=UserWarning, module="")
        roles = {} if role == "feature" else {role: "odd"}
        model = lopsided.fit(frame, "y", **QUICK, **roles)
        ranking = model.rank(frame)
    assert len(ranking) == (Y == 0).sum()
    if role == "id":  # which a model keeps as text
        model.save(tmp_path / "model.lop")
        again = lopsided.load(tmp_path / "model.lop").rank(frame)
        np.testing.assert_array_equal(again["score"], ranking["score"])


def test_a_page_shows_cells_of_any_kind(tmp_path):
    frame = FRAME.assign(p=objects(b"\xff", HALF), q=objects([1], None), r=objects(pd.NA, 7))
    page = write_table_report(fit(frame), frame, tmp_path / "r.html", n_jobs=1)
    assert "\\xff" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "label", [objects(b"\xff", "x"), objects(HALF, "x"), objects([1], [0])]
)
def test_labels_that_are_none_are_refused_in_one_short_line(label):
    with pytest.raises(ValueError, match="must hold 1") as error:
        lopsided.fit(FRAME.assign(y=label), "y", **QUICK)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["n" * 500, "two\nlines", "\x07bell"])
def test_messages_are_short_and_of_one_line_whatever_columns_and_cells_hold(name):
    long = [f"{'w' * 300} {place}" for place in range(N)]
    for call in (
        lambda: read_labels(long, name),
        lambda: read_labels(long, name, "w" * 300),
        lambda: lopsided.fit(FRAME.rename(columns={"a": name}), "gone", **QUICK),
        lambda: lopsided.fit(FRAME[["y"]].assign(**{name: ""}), "y", **QUICK),
        lambda: lopsided.fit(FRAME.assign(**{name: long}), "y", types={name: "number"}),
    ):
        with pytest.raises(ValueError, match=r".") as error:
            call()
        assert len(str(error.value)) < 400
        assert str(error.value).isprintable()


def test_a_missing_column_is_not_looked_for_among_thousands_in_a_message():
    wide = pd.DataFrame(np.zeros((3, 2000)), columns=[f"c{place}" for place in range(2000)])
    with pytest.raises(ValueError, match=r"Choose from c0, c1, .*, \.\.\.\.") as error:
        lopsided.fit(wide, "label", **QUICK)
    assert len(str(error.value)) < 400


def test_names_with_blanks_at_their_ends_are_shown_in_quotes():
    with pytest.raises(ValueError, match="Did you mean ' label '"):
        lopsided.fit(FRAME.rename(columns={"y": " label "}), "label", **QUICK)


def test_columns_and_labels_may_be_named_by_numbers(tmp_path):
    frame = FRAME.assign(y=Y * 7).set_axis([0, 1, 2], axis=1)
    model = fit(frame, 2, positive=7, drop=[1], types={0: "number"})
    assert len(model.rank(frame)) == (Y == 0).sum()
    model.save(tmp_path / "model.lop")
    write_table_report(model, frame, tmp_path / "r.html", n_jobs=1)


def test_an_empty_text_marks_no_positives():
    cells = ["bad", "", "open"] * 10
    for values in ({"positive": ""}, {"positive": "bad", "negative": " "}):
        with pytest.raises(ValueError, match="blank cells are unlabeled rows"):
            read_labels(cells, "y", **values)


@pytest.mark.parametrize("label", [1, 0])
def test_rows_that_are_there_twice_keep_their_own_labels(label):
    twins = pd.DataFrame({"a": np.arange(N) // 2 % 5, "key": "same", "y": 0})
    twins.loc[[0, 10, 21], "y"] = 1
    frame = twins.iloc[:: 1 if label else -1].reset_index(drop=True)
    model = fit(frame, id="key")
    assert len(model.rank(frame)) == (frame["y"] == 0).sum()
    decided = 0
    for _ in range(3):  # reviews of rows that nothing tells apart
        reviewed = pd.DataFrame(model.rank(frame).head(4)).assign(verdict=["1", "-1", "", "-1"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = model.feedback(reviewed, n_jobs=1)
        decided += 3
        assert len(model.training) == N
        assert len(model.rank(frame)) == (frame["y"] == 0).sum() - decided


@pytest.mark.parametrize(
    "names", [["rank_"], ["rank", "rank_"], ["row number"], ["id", "score"]]
)
def test_reviews_come_back_to_tables_with_columns_named_like_those_of_a_ranking(
    names, tmp_path
):
    frame = FRAME.assign(**{name: RNG.normal(size=N) for name in names})
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = fit(tmp_path / "t.csv")
    reviewed = pd.DataFrame(model.rank(tmp_path / "t.csv", top=5)).assign(verdict="-1")
    reviewed.to_csv(tmp_path / "r.csv", index=False)
    second = model.feedback(tmp_path / "r.csv", n_jobs=1)
    assert len(second.training) == N
    assert second.count_labels()[-1] == 5


@pytest.mark.filterwarnings("ignore:4 of 4 reviewed rows were not in training")
def test_reviews_may_lack_a_column():
    model = fit(FRAME)
    reviewed = pd.DataFrame(model.rank(FRAME, top=4)).assign(verdict=1).drop(columns="b")
    with pytest.warns(UserWarning, match="The table lacks column 'b'"):
        second = model.feedback(reviewed, n_jobs=1)
    assert second.count_labels()[1] == (Y == 1).sum() + 4


def test_values_of_verdicts_may_be_numbers():
    model = fit(FRAME)
    reviewed = pd.DataFrame(model.rank(FRAME, top=2)).assign(checked=[7, 8])
    second = model.feedback(reviewed, verdict="checked", positive=7, negative=8, n_jobs=1)
    assert second.count_labels() == {1: (Y == 1).sum() + 1, 0: (Y == 0).sum() - 2, -1: 1}


def test_missing_ids_and_spans_of_time_are_known_again_in_a_csv_file(tmp_path):
    hours = pd.to_timedelta(RNG.integers(-90, 90, N), "h")
    ids = np.where(np.arange(N) % 3 == 1, np.nan, np.arange(N))
    frame = FRAME.assign(waited=hours, no=ids)
    model = fit(frame, id="no")
    frame.to_csv(tmp_path / "t.csv", index=False)
    ranked, by_csv = model.rank(frame), model.rank(tmp_path / "t.csv")
    np.testing.assert_array_equal(ranked["score"], by_csv["score"])


def test_a_column_with_line_breaks_in_its_name_takes_one_line_where_it_is_shown():
    frame = FRAME.rename(columns={"a": "amount\n(EUR)"})
    model = fit(frame)
    assert "\namount (EUR)  number" in model.cleaner.describe()
    assert "amount (EUR)" in str(model.explain(frame, 2))
    assert not model.rank(frame)["reasons"].str.contains("\n").any()


@pytest.mark.parametrize("y", [[0], [0, 0], [1, 1, 0], [1, 0, 0]])
def test_a_few_rows_are_checked_without_words_of_libraries(y):
    frame = pd.DataFrame({"a": np.arange(len(y)) % 2, "y": y})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lopsided.check(frame, "y", n_jobs=1)
    assert f"{len(y)} row{'s' if len(y) > 1 else ''}: " in str(found)


def test_a_single_row_without_a_label_is_an_outlier_of_no_kind():
    frame = pd.DataFrame({"a": [1.0], "y": [0]})
    ranking = rank(frame)
    assert np.isfinite(ranking["score"]).all()
    assert ranking["probability"].isna().all()


def test_a_prior_below_the_share_of_labeled_rows_is_told():
    with pytest.raises(ValueError, match="must be at least the share of labeled rows"):
        lopsided.fit(FRAME, "y", **QUICK, prior=0.01)
    with pytest.raises(ValueError, match="prior must be a number"):
        lopsided.fit(FRAME.assign(y=0), "y", **QUICK, prior="high")


@pytest.mark.filterwarnings("ignore:No row is labeled yet")
def test_reviews_that_decide_all_or_leave_no_positive_are_told_or_learned_from():
    model = fit(FRAME, prior=0.4)
    reviewed = pd.DataFrame(model.rank(FRAME)).assign(verdict=1)
    with pytest.raises(ValueError, match="got verdicts on all of 30 rows"):
        model.feedback(reviewed, n_jobs=1)
    numbers = np.flatnonzero(Y == 1) + 1
    cleared = FRAME[Y == 1].assign(**{"row number": numbers, "verdict": -1})
    second = fit(FRAME).feedback(cleared, n_jobs=1)
    assert second.count_labels() == {1: 0, 0: 20, -1: 10}
    assert second.rank(FRAME)["probability"].isna().all()


def test_numbers_of_numpy_can_be_kept(tmp_path):
    model = fit(FRAME, prior=np.float32(0.5), random_state=np.int64(3))
    model.save(tmp_path / "model.lop")
    assert lopsided.load(tmp_path / "model.lop").random_state == 3


@pytest.mark.parametrize("table", [FRAME["a"], pd.DataFrame(index=range(3)), {"a": [1]}, None])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(ValueError, match=r"Pass a data frame|There is none"):
        lopsided.fit(table, "y", **QUICK)


def test_types_that_are_no_mapping_are_refused():
    with pytest.raises(ValueError, match="Pass a dictionary"):
        lopsided.fit(FRAME, "y", **QUICK, types=["a"])


def test_categories_that_only_a_fold_has_are_no_news():
    frame = FRAME.assign(own=[f"level {place}" for place in range(N)])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lopsided.check(frame, "y", types={"own": "category"}, n_jobs=1)
        lopsided.fit(frame, "y", types={"own": "category"}, **QUICK)
    assert not [one for one in said if "category of training" in str(one.message)]


def test_json_has_the_scores_that_a_csv_file_has_to_six_digits(tmp_path, capsys):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    words = [
        "rank",
        str(tmp_path / "t.csv"),
        "--label",
        "y",
        "--method",
        "naive-logistic",
        "-q",
    ]
    assert main([*words, "-o", str(tmp_path / "r.csv")]) == 0
    assert main([*words, "--json"]) == 0
    shown = [row["score"] for row in json.loads(capsys.readouterr().out)]
    np.testing.assert_allclose(shown, pd.read_csv(tmp_path / "r.csv")["score"], 1e-5)


def test_cells_are_spelled_so_that_files_can_hold_them():
    column = objects(b"raw", b"\xff", HALF, None, pd.NaT, Decimal("sNaN"), 1.5, [1])
    wanted = ["raw", "\\xff", "?", "", "", "", "1.5", "[1]"]
    assert read_texts(column)[:16:2].tolist() == wanted
    assert read_names(column)[:16:2].tolist() == wanted
    assert read_names(pd.Series(pd.date_range("2024", periods=2)))[0] == "2024-01-01"


def test_spans_of_time_are_read_as_days_from_text():
    texts = ["-2 days +12:00:00", "1 days 06:00:00", "3 days", "0 days 00:00:00"] * 8
    read = TableCleaner().fit_transform(pd.DataFrame({"waited": texts}))
    assert read["waited"][:4].tolist() == [-1.5, 1.25, 3.0, 0.0]


def test_a_row_whose_id_is_no_text_of_a_file_can_be_asked_for():
    ids = pd.Series([HALF, *(f"C-{row}" for row in range(1, N))], dtype=object)
    frame = FRAME.assign(id=ids)
    assert fit(frame, id="id").explain(frame, HALF).id == HALF


def test_texts_that_are_all_alike_raise_no_warning_of_a_library():
    pytest.importorskip("skrub")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fit(FRAME.assign(b="the same words in every row"), types={"b": "text"})


@pytest.mark.parametrize("groups", [np.zeros(N), np.where(Y == 1, np.arange(N), -1)])
def test_groups_that_leave_too_little_are_checked_as_they_are_fitted(groups):
    frame = FRAME.assign(group=groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        lopsided.fit(frame, "y", group="group", method="focused-fast", n_jobs=1)
        found = lopsided.check(frame, "y", group="group", n_jobs=1)
    assert "cannot be told" in str(found)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_rows_of_less_than_double_precision_are_known_again_from_a_list(tmp_path, dtype):
    frame = FRAME.assign(a=FRAME["a"].astype(dtype))
    model = fit(frame)
    listed = model.rank(frame, top=5)
    listed.assign(verdict=-1).to_csv(tmp_path / "list.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        second = model.feedback(tmp_path / "list.csv", n_jobs=1)
    assert len(second.training) == N  # nobody came in as a new row
