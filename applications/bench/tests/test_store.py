import os
import random

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from lopsided_bench.store import DamagedFileError, ResultStore

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
        store.write("folder/key", frame)
    assert len(store.read("folder/key")) == 1
    store.remove(["folder/key", "folder/none"])
    assert "folder/key" not in store
    assert os.listdir(store.folder) == ["fingerprint.json"]


@pytest.mark.parametrize(
    "key", ["", ".", "..", "../x", "/x", "x/", "a//b", ".x", "a b", "a\nb"]
)
def test_a_key_that_leads_elsewhere_is_refused(store, key):
    with pytest.raises(ValueError, match="A key must be words"):
        store.write(key, FRAME)


def test_a_file_that_is_cut_or_changed_anywhere_is_not_done(store):
    store.write("key", FRAME)
    whole = store.path("key").read_bytes()
    chance = random.Random(0)
    for size in range(0, len(whole), 97):
        store.path("key").write_bytes(whole[:size])
        assert "key" not in store
        with pytest.raises(DamagedFileError, match=r"key.parquet cannot be read"):
            store.read("key")
    for _ in range(50):
        place = chance.randrange(len(whole))
        changed = bytes([whole[place] ^ 1 << chance.randrange(8)])
        store.path("key").write_bytes(whole[:place] + changed + whole[place + 1 :])
        if "key" in store:  # a changed word about the file, and not a changed number
            assert_frame_equal(store.read("key").set_axis(FRAME.columns, axis=1), FRAME)
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
    with pytest.raises(DamagedFileError, match=r"abc.parquet must have a row for each letter"):
        store.read("abc")


def test_a_folder_that_is_not_ours_is_refused(store, tmp_path):
    store.write("key", FRAME)
    with pytest.raises(ValueError, match=r"holds results of a study, not of another.*out="):
        ResultStore(store.folder, "another")
    (tmp_path / "own").mkdir()
    assert ResultStore(tmp_path / "own").keys() == []  # an empty one is nobody's
    (tmp_path / "own" / "letter.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="must be new or hold results"):
        ResultStore(tmp_path / "own")
    with pytest.raises(NotADirectoryError, match="is a file"):
        ResultStore(tmp_path / "own" / "letter.txt")


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"[]", b"{}", b"5", b"[" * 5000])
def test_a_damaged_fingerprint_is_written_again(store, content):
    store.write("key", FRAME)
    (store.folder / "fingerprint.json").write_bytes(content)
    with pytest.warns(UserWarning, match="fingerprint.json is damaged"):
        again = ResultStore(store.folder, "a study")
    assert "key" in again
    again.write("other", FRAME)
    assert ResultStore(store.folder, "a study").keys() == ["key", "other"]


def test_a_full_disk_is_named_and_keeps_what_was_there(store, monkeypatch):
    store.write("key", FRAME)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        OSError, match=r"No space left .*what was finished before is kept.*other"
    ):
        store.write("other", FRAME)
    monkeypatch.undo()
    assert store.keys() == ["key"]
    assert sorted(os.listdir(store.folder)) == ["fingerprint.json", "key.parquet"]
