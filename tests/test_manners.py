"""Texts that are formulas to a spreadsheet come out as they went in, or safe if asked for."""

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.workflow.cli import main
from lopsided.workflow.tables import escape_formulas, read_table, unescape_formulas, write_table

FORMULAS = [
    "=1+1",
    "+SUM(A1)",
    "-2+3",
    "@home",
    "\tx",
    "\r=x",
    "  =x",
    "'=x",
    "''+y",
    "\uff1d1",
]
NUMBERS = ["-5", "+3.2", "-1.234,50 €", "-12 %"]
HARMLESS = ["-", "--", "+", "a=b", "'quoted'", "it's", "5-3", ""]
TEXTS = [*FORMULAS, *NUMBERS, *HARMLESS]
ROLES = {"label": "@y", "positive": "+", "id": "=id"}
WORDS = ["--label", "@y", "--positive", "+", "--id", "=id"]
QUICK = ["--method", "naive-logistic", "--prior", "0.2", "--jobs", "1", "-q"]


@pytest.fixture(scope="module")
def cases():
    """A table of texts that begin with what formulas do, ids and names of columns too."""
    rng = np.random.default_rng(0)
    amount = np.r_[rng.normal(3, 1, 20), rng.normal(0, 1, 100)].round(2)
    return pd.DataFrame(
        {
            "=id": [f"{TEXTS[row % 5]}{row}" for row in range(120)],
            "-amount": [f"{one:+}" for one in amount],
            "+kind": [FORMULAS[one] for one in rng.integers(0, 5, 120)],
            "note": [TEXTS[row % len(TEXTS)] for row in range(120)],
            "@y": ["+" if row < 12 else "" for row in range(120)],
        }
    )


@pytest.fixture(scope="module")
def model(cases):
    return lopsided.fit(cases, **ROLES, method="naive-logistic", prior=0.2, n_jobs=1)


def write(cases, path):
    if path.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in [cases.columns, *cases.itertuples(index=False)]:
            book.active.append(list(row))
        for cell in [cell for row in book.active.rows for cell in row]:
            cell.data_type = "s" if cell.value else "n"
        book.save(path)
    else:
        sign = ";" if path.stem == "semicolons" else ","
        decimal = cases.assign(**{"-amount": cases["-amount"].str.replace(".", sign)})
        write_table(
            decimal if sign == ";" else cases,
            path,
            lopsided.workflow.tables.TextFormat(sign, "," if sign == ";" else "."),
        )
    return path


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "semicolons.csv", "a.xlsx", "a.parquet", "a.feather"]
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_texts_of_a_list_are_those_of_its_table(cases, tmp_path, name, suffix):
    source, out = write(cases, tmp_path / name), tmp_path / f"list{suffix}"
    assert main(["rank", str(source), *WORDS, *QUICK, "-o", str(out)]) == 0
    before = read_table(source).set_index("=id")
    listed = read_table(out)
    assert list(listed.columns[5:]) == list(before.columns)
    rows = before.loc[listed["id"]]
    for column in before:
        assert listed[column].fillna("").tolist() == rows[column].fillna("").tolist()


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_is_made_safe_is_no_formula_and_comes_back(text):
    frame = pd.DataFrame({"a": [text], text: ["b"]})
    safe = escape_formulas(frame)
    assert safe["a"][0] == safe.columns[1] == (f"'{text}" if text in FORMULAS else text)
    assert unescape_formulas(safe).equals(frame)


def test_only_texts_are_made_safe_and_types_stay():
    frame = pd.DataFrame(
        {
            "number": [-1.5, 2.0],
            "mixed": pd.Series(["=x", -3], dtype=object),
            "kind": pd.Categorical(["=x", "y"]),
            "text": pd.Series(["@x", None], dtype="string"),
            "day": pd.to_datetime(["2026-01-01", None]),
        }
    ).set_axis([7, 3])
    safe = escape_formulas(frame)
    assert safe["mixed"].tolist() == ["'=x", -3]
    assert safe["kind"].tolist() == ["'=x", "y"]
    assert safe["text"].iloc[0] == "'@x"
    assert safe["text"].isna().tolist() == [False, True]
    assert safe.index.tolist() == [7, 3]
    for name in ("number", "text", "day"):
        assert safe[name].dtype == frame[name].dtype
    assert frame["kind"].tolist() == ["=x", "y"]  # the frame itself is not touched


def test_a_safe_list_has_no_formula_and_the_same_numbers(cases, tmp_path, capsys):
    source = write(cases, tmp_path / "a.csv")
    lists = []
    for words in (["--spreadsheet-safe"], []):
        out = tmp_path / f"list{len(words)}.csv"
        assert main(["rank", str(source), *WORDS, *QUICK, *words, "-o", str(out)]) == 0
        lists.append(read_table(out))
    safe, plain = lists
    assert main(["rank", str(source), *WORDS, *QUICK, "--spreadsheet-safe"]) == 0
    printed = capsys.readouterr().out
    assert printed.encode() == (tmp_path / "list1.csv").read_bytes()
    assert safe.columns[5:].tolist() == ["'-amount", "'+kind", "note", "'@y"]
    for name in ("score", "probability", "rank"):
        assert safe[name].equals(plain[name])
    assert safe["'-amount"].equals(plain["-amount"])
    assert safe["id"].tolist() == [f"'{one}" for one in plain["id"]]
    assert unescape_formulas(safe).equals(plain)


def test_a_safe_list_that_was_reviewed_finds_its_rows(cases, model, tmp_path, recwarn):
    ranking = model.rank(cases)
    for safe in (False, True):
        path = tmp_path / "reviewed.csv"
        reviewed = ranking.head(8).assign(verdict=["1", "-1"] * 4)
        write_table(reviewed, path, spreadsheet_safe=safe)
        taught = model.feedback(path, n_jobs=1)
        assert taught.count_labels() == {1: 16, 0: 100, -1: 4}
        assert taught.training.X.equals(model.training.X)
    assert not [one for one in recwarn if "not in training" in str(one.message)]


def test_apostrophes_of_the_table_itself_are_no_marks_in_feedback(cases, tmp_path, recwarn):
    quoted = cases.assign(**{"=id": "'" + cases["=id"].str.lstrip("'")})
    model = lopsided.fit(quoted, **ROLES, method="naive-logistic", prior=0.2, n_jobs=1)
    write_table(model.rank(quoted).head(8).assign(verdict="1"), tmp_path / "r.csv")
    assert model.feedback(tmp_path / "r.csv", n_jobs=1).count_labels()[1] == 20
    assert not [one for one in recwarn if "not in training" in str(one.message)]


def test_lists_of_parquet_only_refuse_what_spreadsheets_need(tmp_path, capsys):
    for words in (["--out-of-core"], ["--dask", "local"]):
        line = ["rank", str(tmp_path), "--label", "y", *words, "--spreadsheet-safe"]
        assert main([*line, "-o", str(tmp_path / "r.parquet")]) == 2
        said = capsys.readouterr().err
        assert "spreadsheet-safe" in said
        assert said.count("\n") == 1


def test_no_text_of_a_workbook_becomes_a_formula(cases, model, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    ranking = model.rank(cases)
    ranking.to_excel(tmp_path / "list.xlsx", index=False)
    with pd.ExcelWriter(tmp_path / "book.xlsx", engine="openpyxl") as writer:
        writer.book.create_sheet("sums")["A1"] = "=1+1"
        ranking.to_excel(writer, index=False, sheet_name="list")
    for name, n_formulas in (("list.xlsx", 0), ("book.xlsx", 1)):
        book = openpyxl.load_workbook(tmp_path / name)
        cells = [cell for sheet in book for row in sheet.rows for cell in row]
        assert sum(cell.data_type == "f" for cell in cells) == n_formulas
    again = read_table(tmp_path / "list.xlsx")
    # A workbook knows one end of a line.
    wanted = ranking["note"].str.replace("\r", "\n").tolist()
    assert again["note"].fillna("").tolist() == wanted
    assert again["id"].tolist() == ranking["id"].tolist()
