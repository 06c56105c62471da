import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from parts import make_table, write_parts

import lopsided
from lopsided.out_of_core import fit_parquet, parquet
from lopsided.out_of_core.parquet import open_parquet


def fit(folder, label="fraud", **options):
    model = lopsided.build("ifpu-xgb", n_estimators=2, prior=0.2, random_state=0)
    return fit_parquet(folder, label, model, **{"drop": ["row"], **options})


@pytest.fixture
def table():
    return make_table(600)


def test_batches_give_back_the_table_in_the_order_of_file_names(table, tmp_path):
    source = open_parquet(write_parts(table, tmp_path / "parts", 4))
    frames = list(source.frames(["a", "d"]))
    assert len(frames) > 4 or max(map(len, frames)) <= 256
    pd.testing.assert_frame_equal(pd.concat(frames, ignore_index=True), table[["a", "d"]])
    assert source.n_rows == 600


def test_rows_are_gathered_by_their_positions(table, tmp_path):
    source = open_parquet(write_parts(table, tmp_path / "parts"))
    positions = np.array([0, 3, 299, 300, 599])
    levels = {}
    found = source.gather(positions, ["b", "row"], levels)
    assert_array_equal(found["b"], table["b"].to_numpy()[positions])
    assert_array_equal(found["row"].astype(str), table["row"].to_numpy()[positions])
    assert sorted(levels["row"]) == sorted(table["row"])


def test_numbers_keep_their_precision(tmp_path):
    frame = pd.DataFrame({"a": np.array([2**30 + 1, 5]), "b": np.float32([0.1, 2])})
    frame["c"] = pd.array([True, None], "boolean")
    source = open_parquet(write_parts(frame, tmp_path / "parts"))
    both = pd.concat(source.frames(["a", "b", "c"]))
    assert_array_equal(both["a"], [2**30 + 1, 5])
    assert_array_equal(both["c"], [1.0, np.nan])
    assert next(source.frames(["b"]))["b"].dtype == np.float32


def test_what_engines_leave_beside_their_files_is_no_table(table, tmp_path):
    folder = write_parts(table, tmp_path / "parts")
    (folder / "_metadata.parquet").write_bytes(b"")
    (folder / "notes.txt").write_text("hello")
    assert len(open_parquet(folder).parquet.files) == 3


def test_a_cut_file_is_named(table, tmp_path):
    folder = write_parts(table, tmp_path / "parts")
    path = folder / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=r"part-1.parquet must be a whole parquet file, got"):
        fit(folder)


def test_a_file_that_is_damaged_inside_is_named(table, tmp_path):
    folder = write_parts(table, tmp_path / "parts")
    path = folder / "part-1.parquet"
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(0).column(0).dictionary_page_offset or 4
    data[start : start + 400] = bytes(400)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"part-1.parquet must be a whole parquet file, got"):
        fit(folder)


@pytest.mark.parametrize("lacking", ["part-0", "part-2"])
def test_a_column_that_one_file_lacks_is_named(table, tmp_path, lacking):
    folder = write_parts(table, tmp_path / "parts")
    path = folder / f"{lacking}.parquet"
    pd.read_parquet(path).drop(columns="c").to_parquet(path)
    with pytest.raises(ValueError, match=rf"got .*{lacking}.parquet without 'c'"):
        fit(folder)


def test_a_column_of_two_kinds_is_named(table, tmp_path):
    folder = write_parts(table, tmp_path / "parts")
    path = folder / "part-1.parquet"
    pd.read_parquet(path).astype({"c": "str"}).to_parquet(path)
    with pytest.raises(ValueError, match="'c' must be of one kind in all files, got number"):
        fit(folder)


def test_a_table_without_a_labeled_row_is_refused(table, tmp_path):
    folder = write_parts(table.assign(fraud=0), tmp_path / "parts")
    with pytest.raises(ValueError, match=r"'fraud' must hold at least one labeled positive"):
        fit(folder)


def test_labels_of_other_values_are_refused(table, tmp_path):
    folder = write_parts(table.assign(fraud=table["fraud"] * 2), tmp_path / "parts")
    with pytest.raises(ValueError, match=r"'fraud' must hold 1 \(labeled positive\).* got 2"):
        fit(folder)


def test_labels_may_be_missing_words_or_booleans(table, tmp_path):
    scores = fit(write_parts(table, tmp_path / "plain")).decision_function(table[list("abcd")])
    labeled = table["fraud"] == 1
    for name, column, words in (
        ("missing", table["fraud"].where(labeled), {}),
        ("words", labeled.map({True: "yes", False: "?"}), {"positive": "yes"}),
        ("booleans", labeled, {}),
    ):
        folder = write_parts(table.assign(fraud=column), tmp_path / name)
        found = fit(folder, **words).decision_function(table[list("abcd")])
        assert_array_equal(found, scores)


def test_a_label_that_is_no_column_is_refused(table, tmp_path):
    folder = write_parts(table, tmp_path / "parts")
    with pytest.raises(
        ValueError, match=r"No label column is called 'fruad'.* Did you mean fraud"
    ):
        fit(folder, "fruad")


def test_columns_that_cannot_be_learned_from_are_named(table, tmp_path):
    dated = table.assign(day=pd.Timestamp("2024-01-01"))
    with pytest.raises(ValueError, match=r"got timestamp\[.*\] in day. Turn them into numbers"):
        fit(write_parts(dated, tmp_path / "dated"))
    fit(write_parts(dated, tmp_path / "dated"), drop=["row", "day"])


def test_a_text_with_too_many_values_is_named(table, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_MAX_LEVELS", 50)
    with pytest.raises(
        ValueError, match="at most 50 different values, got more in column 'row'"
    ):
        fit(write_parts(table, tmp_path / "parts"), drop=[])


def test_folders_without_rows_or_files_are_refused(table, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"must hold parquet files .*, got none"):
        fit(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="There is no file or folder"):
        fit(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="must hold rows, got none"):
        fit(write_parts(table[:0], tmp_path / "rowless"))


def test_infinite_values_are_refused_from_inside_of_the_batches(table, tmp_path):
    table.loc[450, "b"] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        fit(write_parts(table, tmp_path / "parts"), n_sample=10)


def test_settings_that_batches_cannot_serve_are_refused(table, tmp_path):
    folder = write_parts(table, tmp_path / "parts")
    early = lopsided.build("ifpu-xgb", early_stopping_rounds=5)
    with pytest.raises(ValueError, match="early_stopping_rounds must be None"):
        fit_parquet(folder, "fraud", early, drop=["row"])
    odd = lopsided.build("ifpu-xgb", prior="tice")
    with pytest.raises(ValueError, match="got 'tice', which takes no weights"):
        fit_parquet(folder, "fraud", odd, drop=["row"], n_sample=50)
    with pytest.raises(ValueError, match="prior goes with a method's name"):
        fit_parquet(folder, "fraud", odd, prior=0.1, drop=["row"])
    with pytest.raises(ValueError, match="method must be a classifier, got True"):
        fit_parquet(folder, "fraud", True, drop=["row"])
    with pytest.raises(ValueError, match="xgb learns from true labels"):
        fit_parquet(folder, "fraud", "xgb", drop=["row"])


def test_categories_of_numbers_are_the_numbers_that_parquet_keeps_of_them(tmp_path):
    frame = pd.DataFrame({"kind": pd.Categorical([1, 2, 1, 3])})
    source = open_parquet(write_parts(frame, tmp_path / "parts"))
    assert source.kinds == {"kind": "number"}
    assert_array_equal(pd.concat(source.frames(["kind"]))["kind"], [1, 2, 1, 3])


def test_row_labels_are_not_learned_from_and_folders_are(table, tmp_path):
    for place in range(3):
        part = table[place::3].assign(word=None if place == 1 else "w")  # an index with gaps
        (tmp_path / f"parts/year=202{place}").mkdir(parents=True)
        part.to_parquet(tmp_path / f"parts/year=202{place}/part.parquet", index=True)
    model = fit(tmp_path / "parts", n_sample=100)
    assert list(model.feature_names_in_) == [*"abcd", "word", "year"]
    assert model.category_levels_ == {"word": ("w",)}
    source = open_parquet(tmp_path / "parts")
    years = np.concatenate([batch["year"] for batch in source.frames(["year"])])
    assert_array_equal(years, np.repeat([2020, 2021, 2022], 200))
