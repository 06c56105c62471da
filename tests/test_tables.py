import os
import zipfile

import pandas as pd
import pytest

from lopsided.tables import check_output, read_table, write_table

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
    strange = tmp_path / "t.xlsx"
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
        ("semicolons.csv", b"a;b\n1;2\n"),
        ("cut.csv", b"a,b,c\n1,2,3\n4,5"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="could not be read"):
            read_table(tmp_path / name)
    (tmp_path / "header.csv").write_text("a,b\n")
    with pytest.raises(ValueError, match="must hold rows"):
        read_table(tmp_path / "header.csv")
    (tmp_path / "latin.csv").write_bytes("a,b\nÅ,1\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not UTF-8"):
        read_table(tmp_path / "latin.csv")


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
    check_output(tmp_path / "new" / "x.csv", table)
