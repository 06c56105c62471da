"""Which files are the table, and what its columns are, whoever wrote them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from lopsided.workflow.tables.parquet_files import find_parquet
from lopsided.workflow.tables.parquet_folders import check_outside


@pytest.fixture
def frame():
    return pd.DataFrame({"a": np.arange(6), "b": list("xyzxyz")})


@pytest.fixture
def folder(frame, tmp_path):
    folder = tmp_path / "table"
    folder.mkdir()
    for place in range(3):
        part = frame[2 * place : 2 * place + 2]
        part.to_parquet(folder / f"{place}.parquet", index=False)
    return folder


def read(source, columns=None):
    found = find_parquet(source, columns)
    names = found.schema.names
    parts = [part for file in found.files for part in file.batches(names, 100)]
    whole = pa.concat_tables([part.cast(found.schema) for part in parts]).to_pandas()
    again = [file.read_groups(range(len(file.group_sizes)), names) for file in found.files]
    pd.testing.assert_frame_equal(
        pa.concat_tables([part.cast(found.schema) for part in again]).to_pandas(), whole
    )
    return whole


def names_of(found):
    return [file.path.name for file in found.files]


def test_a_folder_is_its_files_in_the_order_of_their_names(frame, folder):
    pd.testing.assert_frame_equal(read(folder), frame)
    assert find_parquet(folder).n_rows == 6


def test_what_engines_and_systems_leave_beside_is_no_part_of_the_table(frame, folder):
    for name in ("_temporary/0", "_delta_log", ".hidden"):
        (folder / name).mkdir(parents=True)
        (frame + frame).to_parquet(folder / name / "old.parquet")
    (folder / "._0.parquet").write_bytes(b"mac")
    (folder / "_metadata.parquet").write_bytes(b"")
    (folder / "notes.txt").write_text("hello")
    (folder / "claims.parquet").mkdir()
    pd.testing.assert_frame_equal(read(folder), frame)
    frame.to_parquet(folder / "claims.parquet" / "9.pq")
    assert names_of(find_parquet(folder)) == ["0.parquet", "1.parquet", "2.parquet", "9.pq"]


def test_hidden_folders_above_the_table_do_not_hide_it(frame, tmp_path):
    folder = tmp_path / ".cache" / "_mine"
    folder.mkdir(parents=True)
    frame.to_parquet(folder / "a.parquet")
    pd.testing.assert_frame_equal(read(folder), frame)


@pytest.mark.parametrize("as_source", ["folder", "list", "dataset"])
def test_folders_named_by_a_value_are_columns(frame, tmp_path, as_source):
    expected = frame.assign(year=[2023] * 3 + [2024] * 3, place=["a b", None, "c"] * 2)
    table = pa.Table.from_pandas(expected, preserve_index=False)
    root = tmp_path / "table"
    pq.write_to_dataset(table, root, partition_cols=["year", "place"])
    files = sorted(root.rglob("*.parquet"))
    source = {
        "folder": root,
        "list": files,
        "dataset": ds.dataset(root, partitioning="hive"),
    }[as_source]
    found = read(source)[expected.columns].sort_values("a", ignore_index=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert find_parquet(source).kinds["year"] == "number"
    some = read(source, ["year", "a"])
    assert sorted(zip(some["year"], some["a"], strict=True)) == sorted(
        zip(expected["year"], expected["a"], strict=True)
    )


def test_a_column_of_the_file_is_not_replaced_by_that_of_its_folder(frame, tmp_path):
    folder = tmp_path / "table" / "a=7"
    folder.mkdir(parents=True)
    frame.to_parquet(folder / "part.parquet")
    pd.testing.assert_frame_equal(read(tmp_path / "table"), frame)


@pytest.mark.parametrize("index", [None, "claim"])
def test_row_labels_are_columns_where_they_have_a_name(frame, folder, index):
    for path in folder.iterdir():
        path.unlink()
    labeled = frame.set_index(pd.Index(range(10, 16), name=index))
    labeled[:3].to_parquet(folder / "0.parquet", index=True)
    labeled[3:].set_index(labeled.index[3:] * 2).to_parquet(folder / "1.parquet", index=True)
    found = read(folder)
    assert list(found.columns) == ["a", "b", *([] if index is None else [index])]
    pd.testing.assert_frame_equal(found[["a", "b"]], frame)


def test_a_column_without_a_value_in_one_file_is_of_the_kind_of_the_others(frame, folder):
    for place, names in enumerate((["b"], ["a"], [])):
        part = frame[2 * place : 2 * place + 2].astype({"a": object, "b": object})
        part[names] = None
        part.to_parquet(folder / f"{place}.parquet", index=False)
    assert pq.read_schema(folder / "0.parquet").field("b").type == pa.null()
    assert find_parquet(folder).kinds == {"a": "number", "b": "category"}
    found = read(folder)
    assert found["b"].tolist()[2:] == frame["b"].tolist()[2:]
    assert found["b"][:2].isna().all()
    np.testing.assert_array_equal(found["a"], [0, 1, np.nan, np.nan, 4, 5])


def test_numbers_of_two_types_are_numbers(frame, folder):
    frame[:2].assign(a=[True, False]).to_parquet(folder / "0.parquet", index=False)
    frame[2:4].assign(a=[0.5, 2.0]).to_parquet(folder / "1.parquet", index=False)
    found = find_parquet(folder)
    assert found.kinds["a"] == "number"
    assert found.schema.field("a").type == pa.float64()


def test_a_filtered_dataset_is_refused(folder):
    whole = ds.dataset(folder)
    for source in (whole.filter(ds.field("a") > 2), ds.dataset(pa.table({"a": [1]}))):
        with pytest.raises(ValueError, match=r"A dataset of Arrow must be .* files"):
            find_parquet(source)


def test_files_that_are_no_parquet_files_are_told_from_cut_ones(frame, folder, tmp_path):
    frame.to_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=r"t.csv must be a parquet file, got one of another"):
        find_parquet(tmp_path / "t.csv")
    for content in (b"", (folder / "1.parquet").read_bytes()[:-90]):
        (folder / "1.parquet").write_bytes(content)
        with pytest.raises(ValueError, match=r"1.parquet must be a whole parquet file, got"):
            find_parquet(folder)
    with pytest.raises(ValueError, match=r"gone.parquet must be .*leave it out"):
        find_parquet([folder / "0.parquet", folder / "gone.parquet"])


@pytest.mark.parametrize("place", [0, 2])
def test_a_column_that_one_file_lacks_is_named_unless_it_is_not_asked_for(folder, place):
    path = folder / f"{place}.parquet"
    pd.read_parquet(path).drop(columns="a").to_parquet(path)
    with pytest.raises(ValueError, match=rf"got .*{place}.parquet without 'a'"):
        find_parquet(folder)
    assert len(read(folder, ["b"])) == 6


def test_a_column_of_two_kinds_is_named(frame, folder):
    frame[:2].astype({"a": str}).to_parquet(folder / "2.parquet", index=False)
    with pytest.raises(ValueError, match=r"'a' must be of one kind .* number in .*0.parquet"):
        find_parquet(folder)


def test_nothing_is_written_where_it_would_be_read_as_the_table(folder, tmp_path):
    for inside in (folder, folder / "ranked.parquet", folder / "new" / "ranked"):
        with pytest.raises(ValueError, match="must be outside of the folder of the table"):
            check_outside(inside, folder)
    check_outside(folder / "_out" / "ranked.parquet", folder)
    check_outside(tmp_path / "ranked.parquet", folder)
    check_outside(tmp_path / "ranked.parquet", folder / "0.parquet")
    check_outside(folder / "ranked.parquet", [folder / "0.parquet"])
