"""Text files of any separator and encoding, Arrow files and Excel workbooks."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.workflow.tables import TableCleaner, read_table, write_table

FRAME = pd.DataFrame({"no": ["007", "NA"], "x": ["1,50", ""], "city": ["Zürich", "a;b|c"]})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.tsv", "t.csv.gz"])
def test_separators_are_found(tmp_path, separator, name):
    FRAME.to_csv(tmp_path / name, sep=separator, index=False)
    pd.testing.assert_frame_equal(read_table(tmp_path / name), FRAME)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a;b\n1;2\n", [["1", "2"]]),
        ("a;b\n1,5;2,5\n", [["1,5", "2,5"]]),
        ("a, EUR;b;c\n1,5;2,5;3,0\n", [["1,5", "2,5", "3,0"]]),
        ("name, first;b\nx, y;2\nu, v;3\n", [["x, y", "2"], ["u, v", "3"]]),
        ("a\tb\n1,5\t2,5\n", [["1,5", "2,5"]]),
        ("a|b\n1|2\n", [["1", "2"]]),
        ('"a;b";c\n"1;2";3\n', [["1;2", "3"]]),
        ('a,b\n"x;y;z",2\n', [["x;y;z", "2"]]),
        ("a\n1;2\n", [["1;2"]]),
        ("a;b\r1;2\r", [["1", "2"]]),
    ],
    ids=range(10),
)
def test_the_separator_is_what_cuts_all_rows_alike(tmp_path, content, rows):
    (tmp_path / "t.csv").write_text(content, newline="")
    assert read_table(tmp_path / "t.csv").to_numpy().tolist() == rows


CELLS = st.text(st.sampled_from("ab1 ,;|\t\"'\n"), max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=6),
    separator=st.sampled_from(",;\t|"),
)
def test_quoted_cells_hide_what_they_hold_from_the_search(tmp_path_factory, rows, separator):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL).writerows(
        [("p", "q", "r"), *rows]
    )
    path = tmp_path_factory.mktemp("files") / "t.csv"
    path.write_text(text.getvalue(), newline="")
    assert read_table(path).to_numpy().tolist() == [list(row) for row in rows]


def test_a_separator_may_be_named(tmp_path):
    (tmp_path / "t.csv").write_text("a:b\n1:2\n")
    assert read_table(tmp_path / "t.csv", separator=":").to_numpy().tolist() == [["1", "2"]]
    FRAME.to_csv(tmp_path / "t.csv", sep=";", index=False)
    with pytest.raises(ValueError, match=r"separated by semicolons, not by tabs\. Name no sep"):
        read_table(tmp_path / "t.csv", separator="\t")
    with pytest.raises(ValueError, match="separator must be one character, got ';;'"):
        read_table(tmp_path / "t.csv", separator=";;")
    with pytest.raises(ValueError, match="sheet is for Excel workbooks, got 'A' for a csv"):
        read_table(tmp_path / "t.csv", sheet="A")


def test_a_file_with_semicolons_and_decimal_commas_just_works(tmp_path):
    text = "betrag;am\n1.234,50;02.01.2025\n12,00;31.01.2025\n0,50;01.02.2025\n"
    (tmp_path / "t.csv").write_bytes(text.encode("utf-8-sig"))
    X = TableCleaner().fit_transform(read_table(tmp_path / "t.csv"))
    assert X["betrag"].tolist() == [1234.5, 12, 0.5]
    assert X["am: days"].tolist() == [0, 29, 30]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_with_a_mark_are_found(tmp_path, encoding):
    mark = "\ufeff" if encoding.endswith("e") else ""
    text = mark + FRAME.to_csv(index=False)
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.csv"), FRAME)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_text_of_western_windows_is_read_with_a_warning(tmp_path, suffix):
    path = tmp_path / f"t.csv{suffix}"
    FRAME.assign(x="5 €").to_csv(path, index=False, encoding="cp1252")
    with pytest.warns(UserWarning, match="is not UTF-8 text and was read as cp1252"):
        found = read_table(path)
    pd.testing.assert_frame_equal(found, FRAME.assign(x="5 €"))


def test_an_encoding_may_be_named(tmp_path, recwarn):
    FRAME.assign(x="ż").to_csv(tmp_path / "t.csv", index=False, encoding="cp1250")
    found = read_table(tmp_path / "t.csv", encoding="cp1250")
    pd.testing.assert_frame_equal(found, FRAME.assign(x="ż"))
    assert not recwarn.list
    with pytest.raises(ValueError, match="no encoding is called 'utf-9'"):
        read_table(tmp_path / "t.csv", encoding="utf-9")
    with pytest.raises(ValueError, match="not text of the encoding that was named"):
        read_table(tmp_path / "t.csv", encoding="utf-8")


@pytest.mark.parametrize("suffix", [".feather", ".arrow"])
def test_arrow_files_keep_types(tmp_path, suffix):
    frame = pd.DataFrame({"a": [1.5, None], "day": pd.to_datetime(["2024-01-01", None])})
    write_table(frame.set_axis([5, 7]), tmp_path / f"t{suffix}")
    pd.testing.assert_frame_equal(read_table(tmp_path / f"t{suffix}"), frame)


def test_sheets_of_workbooks_are_read_as_they_are(tmp_path):
    frame = pd.DataFrame(
        {
            "no": [7, 8, 9],
            "amount": ["1.234,50", None, "x"],
            "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
        }
    )
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        frame.to_excel(book, sheet_name="claims", index=False, startrow=2, startcol=1)
        pd.DataFrame({"a": [1]}).to_excel(book, sheet_name="more", index=False)
    with pytest.warns(UserWarning, match="The first of 2 sheets, 'claims', was read"):
        found = read_table(path)
    assert found["no"].tolist() == [7, 8, 9]
    assert found["amount"].isna().tolist() == [False, True, False]
    assert found["amount"][0] == "1.234,50"
    assert pd.to_datetime(found["day"]).tolist() == frame["day"].tolist()
    assert read_table(path, sheet="more")["a"].tolist() == [1]
    assert read_table(path, sheet=1)["a"].tolist() == [1]
    with pytest.raises(ValueError, match=r"No sheet is called 'claim'\. Did you mean claims"):
        read_table(path, sheet="claim")
    with pytest.raises(ValueError, match="it has 2 sheets, got number 2"):
        read_table(path, sheet=2)


def test_cells_of_workbooks_are_cleaned_like_others(tmp_path):
    days = pd.date_range("2024-01-01", periods=30)
    frame = pd.DataFrame({"x": np.arange(30) / 8, "day": days})
    frame.loc[3, "x"] = None
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    found = TableCleaner().fit_transform(read_table(tmp_path / "t.xlsx"))
    pd.testing.assert_frame_equal(found, TableCleaner().fit_transform(frame))


def test_without_openpyxl_the_line_to_type_is_named(tmp_path, monkeypatch):
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        ImportError, match=r"openpyxl is needed here and not installed\. Type: pip"
    ):
        read_table(tmp_path / "t.xlsx")
