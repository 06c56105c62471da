import os

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from lopsided_bench.store import DamagedFileError, ResultStore, write_whole

FRAME = pd.DataFrame({"name": ["a", "b"], "value": [0.25, np.nan], "count": [1, 2]})


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "store", "a study")


def test_a_result_comes_back_as_it_was_written(store):
    assert not store.folder.exists()  # nothing is made before there is something to keep
    store.write("wine-rare/x.1", FRAME)
    store.write("b", FRAME[:1])
    assert_frame_equal(store.read("wine-rare/x.1"), FRAME)
    assert store.keys() == ["b", "wine-rare/x.1"]
    assert "b" in store
    assert "wine-rare" not in store
    again = ResultStore(store.folder, "a study")
    assert_frame_equal(again.read_all(), pd.concat([FRAME[:1], FRAME], ignore_index=True))


def test_what_is_not_there_is_a_key_error_and_nothing_at_all_an_empty_frame(store):
    with pytest.raises(KeyError, match="gone"):
        store.read("gone")
    assert store.read_all().empty
    assert store.keys() == []


def test_the_last_result_of_a_key_counts_and_one_that_is_removed_is_gone(store):
    for frame in (FRAME, FRAME[:1]):
        store.write("key", frame)
    assert len(store.read("key")) == 1
    store.remove(["key", "none"])
    assert "key" not in store
    assert os.listdir(store.folder) == ["fingerprint.json"]


def test_a_file_that_is_cut_is_not_done(store):
    store.write("key", FRAME)
    whole = store.path("key").read_bytes()
    for size in range(0, len(whole), 97):
        store.path("key").write_bytes(whole[:size])
        assert "key" not in store
        with pytest.raises(DamagedFileError, match=r"key\.parquet"):
            store.read("key")
    store.path("key").write_bytes(whole)
    assert store.keys() == ["key"]


def test_a_file_that_fails_the_check_is_not_done_and_costs_no_other(tmp_path):
    def check(key, frame):
        if len(frame) != len(key):
            raise ValueError("must have a row for each letter")

    store = ResultStore(tmp_path, check=check)
    store.write("ab", FRAME)
    store.write("abc", FRAME)
    assert store.keys() == ["ab"]
    assert_frame_equal(store.read_all(), FRAME)
    with pytest.raises(DamagedFileError, match=r"abc\.parquet must have a row"):
        store.read("abc")


def test_a_folder_that_is_not_ours_is_refused(store, tmp_path):
    store.write("key", FRAME)
    with pytest.raises(ValueError, match=r"a study.*another"):
        ResultStore(store.folder, "another")
    (tmp_path / "own").mkdir()
    assert ResultStore(tmp_path / "own").keys() == []  # an empty folder belongs to nobody
    (tmp_path / "own" / "letter.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="own"):
        ResultStore(tmp_path / "own")
    with pytest.raises(NotADirectoryError, match=r"letter\.txt"):
        ResultStore(tmp_path / "own" / "letter.txt")


def test_an_error_leaves_the_old_file_and_no_draft(store):
    store.write("key", FRAME)

    class Full:
        def to_parquet(self, path, **_):
            path.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        store.write("key", Full())
    assert_frame_equal(store.read("key"), FRAME)
    assert sorted(os.listdir(store.folder)) == ["fingerprint.json", "key.parquet"]


def test_a_new_file_appears_at_the_end(tmp_path):
    with write_whole(tmp_path / "new" / "file") as draft:
        draft.write_text("whole")
        assert not (tmp_path / "new" / "file").exists()
    assert os.listdir(tmp_path / "new") == ["file"]
