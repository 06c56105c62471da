import bz2
import csv
import gzip
import io
import lzma
import os
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lopsided.workflow.tables import check_output, format_csv, read_table, write_table
from lopsided.workflow.tables._packing import open_text

FRAME = pd.DataFrame({"no": ["007", "NA"], "x": ["1.50", ""], "city": ["Å", "a,b"]})


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.csv.zip", "deep/er/t.csv"])
def test_cells_of_text_files_come_back_as_they_went_in(tmp_path, name):
    write_table(FRAME, tmp_path / name)
    pd.testing.assert_frame_equal(read_table(tmp_path / name), FRAME)


def test_parquet_keeps_types_and_a_named_index(tmp_path):
    frame = pd.DataFrame({4: [1, 2], "day": pd.to_datetime(["2024-01-01", None])})
    frame.columns = ["4", "day"]
    frame.index.name = "no"
    frame.to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet")
    assert list(found.columns) == ["no", "4", "day"]
    assert found["day"].dtype.kind == "M"


def test_a_zip_holds_the_table_under_its_name(tmp_path):
    write_table(FRAME, tmp_path / "t.csv.zip")
    assert zipfile.ZipFile(tmp_path / "t.csv.zip").namelist() == ["t.csv"]


def test_files_that_are_no_tables_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(tmp_path)
    strange = tmp_path / "t.xls"
    strange.write_text("")
    with pytest.raises(ValueError, match=r"must end in \.csv"):
        read_table(strange)
    for name, content in [
        ("empty.csv", b""),
        ("cut.parquet", b"PAR1 and no more"),
        ("cut.csv.gz", b"\x1f\x8b\x08\x00"),
        ("fake.csv.zip", b"no zip"),
        ("shifted.csv", b"a,b\n1,2,\n3,4,\n"),
        ("ragged.csv", b"a,b\n1,2\n3,4,5\n"),
        ("fake.xlsx", b"no zip"),
        ("fake.feather", b"no arrow"),
        ("cut.csv", b"a,b,c\n1,2,3\n4,5"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="could not be read"):
            read_table(tmp_path / name)
    (tmp_path / "header.csv").write_text("a,b\n")
    with pytest.raises(ValueError, match="must hold rows"):
        read_table(tmp_path / "header.csv")


def test_a_table_is_never_written_over_itself_or_what_cannot_be_written(tmp_path):
    table = tmp_path / "t.csv"
    write_table(FRAME, table)
    (tmp_path / "link.csv").symlink_to(table)
    os.mkfifo(tmp_path / "pipe.csv")
    for name, message in [
        ("t.csv", "is the table itself"),
        ("link.csv", "is the table itself"),
        ("pipe.csv", "cannot be written"),
        ("t.csv/x.csv", "cannot be written"),
        ("x.parquet.gz", "packed already"),
        ("x.xlsx", "must end in"),
    ]:
        with pytest.raises((ValueError, OSError), match=message):
            check_output(tmp_path / name, table)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        check_output(tmp_path / "folder.csv", table)
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*new to write x\.csv"):
        check_output(tmp_path / "new" / "x.csv", table)


CELLS = [
    "x\ry",
    "\r",
    "x\r\ny",
    "x\ny",
    '"q" and "',
    "p,q",
    "p;q\tr",
    "\u2028",
    "\x85",
    "\0",
    "",
]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.csv.xz", "t.csv.zip"])
def test_cells_with_line_ends_quotes_and_separators_make_the_round_trip(tmp_path, name):
    frame = pd.DataFrame({"a\rb": CELLS, 'c"d': CELLS[::-1], "e": "x"})
    write_table(frame, tmp_path / name)
    pd.testing.assert_frame_equal(read_table(tmp_path / name), frame)
    separator = "\t" if name.endswith("tsv") else ","
    if pd.__version__ >= "3":  # pandas 2 ends a cell at a null byte
        seen = pd.read_csv(tmp_path / name, sep=separator, dtype=str, na_filter=False)
        pd.testing.assert_frame_equal(seen, frame)
    if name == "t.csv":
        with open(tmp_path / name, newline="", encoding="utf-8") as stream:
            assert list(csv.reader(stream)) == [list(frame), *frame.to_numpy().tolist()]


@pytest.mark.parametrize(
    ("header", "twice"), [("y,a,y", "y"), ("a,y,a", "a"), ('"a,b",y,"a,b"', "a,b")]
)
def test_a_column_that_comes_twice_is_refused_by_name(tmp_path, header, twice):
    (tmp_path / "t.csv").write_text(f"{header}\n1,2,3\n")
    with pytest.raises(ValueError, match=f"names of their own, got '{twice}' twice"):
        read_table(tmp_path / "t.csv")
    columns = pa.Table.from_arrays([pa.array([1])] * 3, names=["y", "a", "y"])
    pq.write_table(columns, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="names of their own, got 'y' twice"):
        read_table(tmp_path / "t.parquet")


def test_names_that_pandas_would_give_to_the_second_are_names_like_others(tmp_path):
    (tmp_path / "t.csv").write_text("y,y.1,,\n1,2,3,4\n")
    found = read_table(tmp_path / "t.csv")
    assert list(found) == ["y", "y.1", "Unnamed: 2", "Unnamed: 3"]
    assert found.to_numpy().tolist() == [["1", "2", "3", "4"]]


def test_row_labels_under_the_name_of_a_column_are_refused(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([5, 6], name="a"))
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="names of their own, got 'a' twice"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    "last",
    [
        '7,"two\nlines",9',
        '7,"two\r\nlines, and, commas",9',
        '7,8,"ends\n"',
        "7,p\u2028q,9",
        "7,p\x0cq\x85,9",
        f"7,{'x' * 200_000},9",
        '7,"' + "two lines\n" * 20_000 + '",9',
        '5" pipe,8,9',
        "7,8,",
        "7,8,9\n  ",
    ],
    ids=range(10),
)
def test_a_whole_last_row_needs_no_line_end(tmp_path, last):
    path = tmp_path / "t.csv"
    path.write_text(f'a,b,c\n"x\ny",2,3\n4,5" pipe,6\n{last}', newline="", encoding="utf-8")
    found = read_table(path)
    expected = pd.read_csv(path, dtype=str, na_filter=False)
    pd.testing.assert_frame_equal(found, expected)
    assert len(found) == 3


@pytest.mark.parametrize(
    "last", ["7,8", '7,"two\nlines, and, commas"', '7,"8', f"7,{'x' * 200_000}", "7\u2028,,"]
)
def test_a_last_row_that_is_cut_off_is_refused(tmp_path, last):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,c,d\n1,2,3,4\n{last}", newline="", encoding="utf-8")
    with pytest.raises(ValueError, match=r"[Cc]opy the whole file"):
        read_table(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "a,b\n1,2\n3,4,5\n",
            r"Expected 2 fields in line 3, saw 3\. Quote cells that hold ','",
        ),
        ("a,b\n1,2,\n3,4,\n", r"Expected 2 fields in line 2, saw 3\. Quote .* end no row with"),
        ('a,b\n1,"2\n', r"EOF inside string.* row 1\. Close the quotation mark"),
    ],
)
def test_what_is_wrong_with_a_text_file_is_said_whole_with_advice(tmp_path, content, message):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(ValueError, match=message) as found:
        read_table(tmp_path / "t.csv")
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zip"])
@pytest.mark.parametrize("end", ["\n\r", "\r", "\r\r\n", "\n"])
def test_a_carriage_return_anywhere_moves_no_cell(tmp_path, end, suffix):
    text = f'id,a,y{end},2,1\n7,"\r",0{end}\n'
    file = tmp_path / f"table.csv{suffix}"
    with open_text(file, suffix, "table.csv") as stream:
        stream.write(text)
    wanted = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    assert read_table(file).to_numpy().tolist() == wanted[1:]


def test_an_archive_of_several_files_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "table.csv.zip", "w") as archive:
        archive.writestr("a.csv", "a,y\n1,1\n")
        archive.writestr("b.csv", "a,y\n1,1\n")
    with pytest.raises(
        ValueError, match=r"it must hold one file, got 2\. Pack the table alone"
    ):
        read_table(tmp_path / "table.csv.zip")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a,b,y\n1,2,0\n3,4\n5,6,1\n", 3),
        ("a,b,y\n1,2,0\n3\n5,6,1\n", 3),
        ("a,b,y\n1,2,0\n3,4,1\n5,6\n", 4),
        ("a,b,y\n1,2,\n3,4\n5,6,1", 3),
        ('a,b,y\n"1\n,\n",2,0\n\n3,"4,"\n5,6,1\n', 6),
        ("a,b,y\r\n1,2,0\r\n\r\n3,4\r\n5,6,1\r\n", 4),
        ("a,b,y\r1,2,0\r3,4\r5,6,1\r", 3),
        ('a,b,y\n1,"2, or 3",0\n3,4\n5,6,1\n', 3),
        ("a,b,y\n1,2,0\n,\n5,6,1\n", 3),
        ('a,b,y\n1,2,0\n""\n5,6,1\n', 3),
    ],
    ids=range(10),
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv"])
def test_a_row_without_all_its_cells_is_refused_by_its_line(tmp_path, content, line, name):
    with open_text(tmp_path / name, ".gz" if name.endswith("gz") else "", "") as stream:
        stream.write(content.replace(",", "\t") if name.endswith("tsv") else content)
    message = rf"must have 3 cells, as the header has, got [12] in line {line}\. Complete"
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "n_rows"),
    [
        ("a,b,y\n1,2,\n3,,\n,,\n", 3),
        ("\n\na,b,y\n1,2,0\n\n  \n3,4,1\n\n", 2),
        ('a,b,y\n"1,\n\n2",2,\n3,"",""\n', 2),
        ("\ufeffa,b,y\r\n1,2,\r\n\r\n3,4,1\r\n \t", 2),
        ("a,b,\n1,2,\n3,4,\n", 2),
        ("a\n1\n\n2\n", 2),
    ],
    ids=range(6),
)
def test_blank_cells_and_blank_lines_are_no_short_rows(tmp_path, content, n_rows):
    (tmp_path / "t.csv").write_text(content, newline="", encoding="utf-8")
    assert len(read_table(tmp_path / "t.csv")) == n_rows


def packed(content, packing):
    return {".gz": gzip, ".bz2": bz2, ".xz": lzma}[packing].compress(content)


def as_parquet(frame=FRAME):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "t.csv",
            as_parquet(),
            r"must be a csv file, got a parquet file\. Rename it to end in",
        ),
        ("t.csv.gz", as_parquet(), r"must be a gz file, got a parquet file\. Rename"),
        ("t.parquet", packed(b"a,b\n1,2\n", ".gz"), "must be a parquet file, got a gzip file"),
        ("t.csv", packed(b"a,b\n1,2\n", ".gz"), r"got a gzip file\. Rename .* in \.csv\.gz\."),
        ("t.csv", packed(b"a,b\n1,2\n", ".bz2"), r"got a bzip2 file\. Rename .*\.csv\.bz2"),
        ("t.tsv", packed(b"a,b\n1,2\n", ".xz"), r"a tsv file, got an xz file\. Rename"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16")[:-1], r"got UTF-16 text\. Save it as UTF-8"),
        ("t.parquet", "a,b\n1,2\n".encode("utf-16"), "got UTF-16 text"),
        ("t.csv", b"PK\x03\x04\x14\x00\xff\xfe\n", "Excel workbooks are too.* as csv"),
        ("t.csv", bytes(range(128, 256)) + bytes(9), r"got binary data\. Save the table as"),
        ("t.csv", b"ARROW1\0\0\xff\xff", "got an Arrow file. Rename it to end in .feather"),
        ("t.parquet", b"a,b\n1,2\n", r"magic bytes .*\. Copy the whole file, or save"),
        ("t.parquet", as_parquet()[:-9], r"as a parquet file: .*\. Copy the whole file, or"),
        ("t.csv.gz", b"a,b\n1,2\n", r"as a csv file: .*\. Copy the whole file, or save"),
        ("t.csv.gz", packed(b"a,b\n1,2\n", ".gz")[:-9], r"as a csv file: .*\. Copy the whole"),
    ],
    ids=range(15),
)
def test_a_file_of_another_kind_is_told_what_it_is(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as found:
        read_table(tmp_path / name)
    assert "\n" not in str(found.value)


def test_names_that_come_twice_are_no_failure_to_read(tmp_path):
    (tmp_path / "t.csv").write_text("y,a,y\n1,2,3\n")
    with pytest.raises(ValueError, match=r"t\.csv: Columns must have names of their own"):
        read_table(tmp_path / "t.csv")


def test_a_format_that_is_none_is_named():
    frame = pd.DataFrame({"id": ["A"]})
    with pytest.raises(ValueError, match="text_format must be a TextFormat or None"):
        format_csv(frame, 1.5)
