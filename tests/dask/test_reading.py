"""A folder of parquet files is the same table in Dask, whoever wrote them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("dask")

from lopsided.dask import read_folder, reading


@pytest.fixture
def frame():
    count = pd.array([1, None, 3, 4, None, 6], "Int64")
    kind = pd.Categorical(list("pqpqpq"))
    return pd.DataFrame({"a": np.arange(6.0), "b": list("xyzxyz"), "n": count, "kind": kind})


def read(source, columns=None):
    collection = read_folder(source, columns)
    parts = [part.compute(scheduler="sync") for part in collection.partitions]
    for part in parts:
        assert [str(kind) for kind in part.dtypes] == [str(kind) for kind in collection.dtypes]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("index", [None, "claim"])
def test_row_labels_are_columns_where_they_have_a_name(frame, tmp_path, index):
    labeled = frame.set_index(pd.Index(range(5, 11), name=index))
    labeled[:3].to_parquet(tmp_path / "0.parquet", index=True)
    labeled[3:].to_parquet(tmp_path / "1.parquet", index=True)
    found = read(tmp_path)
    pd.testing.assert_frame_equal(found[list(frame.columns)], frame, check_dtype=False)
    assert list(found.columns[4:]) == ([] if index is None else [index])


def test_folders_named_by_a_value_are_columns(frame, tmp_path):
    table = pa.Table.from_pandas(frame.assign(year=[2023] * 3 + [2024] * 3))
    pq.write_to_dataset(table, tmp_path, partition_cols=["year"])
    found = read(tmp_path)
    np.testing.assert_array_equal(found["year"], [2023] * 3 + [2024] * 3)
    np.testing.assert_array_equal(read(tmp_path, ["year"])["year"], found["year"])
    np.testing.assert_array_equal(read_folder(tmp_path)["year"].compute(), found["year"])


@pytest.mark.filterwarnings("ignore:The behavior of DataFrame concatenation")  # of pandas 2
def test_columns_have_one_type_where_files_write_them_differently(frame, tmp_path):
    one = frame[:3].astype({"a": "int8", "b": "category", "n": "float64"})
    one.to_parquet(tmp_path / "0.parquet")
    frame[3:].assign(b=None, a=frame["a"]).to_parquet(tmp_path / "1.parquet")
    found = read(tmp_path)
    np.testing.assert_array_equal(found["a"], frame["a"])
    assert found["b"][:3].tolist() == list("xyz")
    assert found["b"][3:].isna().all()


def test_row_groups_are_partitions_up_to_a_size(frame, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_MAX_ROWS", 4)
    frame.to_parquet(tmp_path / "0.parquet", row_group_size=2)
    assert read_folder(tmp_path).npartitions == 2
    pd.testing.assert_frame_equal(read(tmp_path), frame, check_dtype=False)
