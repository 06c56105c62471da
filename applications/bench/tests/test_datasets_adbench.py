"""ADBench's tables: the printed name is the title, and only the authors' file is read."""

import dataclasses
import hashlib
import io
import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from lopsided_bench import datasets
from lopsided_bench.datasets import (
    ChecksumError,
    DatasetNotFoundError,
    describe,
    list_datasets,
    load,
)

DATA = os.environ.get("LOPSIDED_DATA")
ADBENCH = list_datasets("adbench")
X, Y = np.array([[1, -2], [3, 4], [0, 7]], dtype=np.int16), np.array([0, 1, 0])


def make_npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """Cut the tests off from the user's files and from the network."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.delenv("LOPSIDED_DATA", raising=False)
    monkeypatch.setenv("LOPSIDED_CACHE", str(folder))
    monkeypatch.setenv("LOPSIDED_OFFLINE", "1")
    return folder


@pytest.fixture
def stand_in(monkeypatch):
    """Let the name adbench-letter stand for what is in some bytes."""

    def replace(content):
        entry = dataclasses.replace(
            describe("adbench-letter"), sha256=hashlib.sha256(content).hexdigest(), features=2
        )
        monkeypatch.setattr(datasets, "describe", lambda _: entry)
        return entry

    return replace


def test_the_22_have_names_of_their_own_and_titles_as_printed():
    assert len(ADBENCH) == 22
    assert all(name == f"adbench-{describe(name).title.lower()}" for name in ADBENCH)
    both = {name.removeprefix("adbench-") for name in ADBENCH} & set(list_datasets("paper"))
    assert {"cardio", "cover", "letter", "mammography", "shuttle", "thyroid"} <= both
    assert all(describe(name).rows >= 1000 for name in ADBENCH)
    assert max(describe(name).prior for name in ADBENCH) < 0.115


@pytest.mark.parametrize("name", ADBENCH)
def test_every_address_pins_a_commit_and_ends_in_the_file(name):
    entry = describe(name)
    *_, owner, project, commit, top, data, kind, file = entry.url.split("/")
    assert (owner, project, top, data, kind) == (
        *("Minqi824", "ADBench"),
        *("adbench", "datasets", "Classical"),
    )
    assert file == entry.file == f"{entry.key}.npz"
    assert len(bytes.fromhex(commit)) == 20


@pytest.mark.parametrize("place", ["adbench", "."])
def test_a_file_in_the_folder_is_read_as_plain_numbers(monkeypatch, tmp_path, stand_in, place):
    entry = stand_in(content := make_npz(X=X, y=Y))
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / entry.file).write_bytes(content)
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    found = load("adbench-letter")
    assert_array_equal(found.X, X)
    assert_array_equal(found.y_true, Y)
    assert (found.X.dtype, found.y_true.dtype) == (np.float64, np.int8)
    assert found.X.flags.c_contiguous


def test_a_wrong_file_in_the_folder_is_refused(monkeypatch, tmp_path, stand_in):
    entry = stand_in(make_npz(X=X, y=Y))
    (tmp_path / entry.file).write_bytes(make_npz(X=X + 1, y=Y))
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    with pytest.raises(ChecksumError, match=f"20_letter.npz with sha256 {entry.sha256}"):
        load("adbench-letter")


def test_a_damaged_file_in_the_cache_counts_as_none(cache, stand_in):
    entry = stand_in(content := make_npz(X=X, y=Y))
    (cache / entry.file).write_bytes(content[:50])
    with pytest.raises(DatasetNotFoundError, match=entry.file):
        load("adbench-letter")
    (cache / entry.file).write_bytes(content)
    assert_array_equal(load("adbench-letter").y_true, Y)


def test_a_file_with_python_objects_is_not_unpickled(cache, stand_in):
    entry = stand_in(content := make_npz(X=X.astype(object), y=Y))
    (cache / entry.file).write_bytes(content)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load("adbench-letter")


@pytest.mark.data("adbench")
@pytest.mark.parametrize("name", [name for name in ADBENCH if describe(name).rows < 50_000])
def test_a_table_is_as_described(monkeypatch, name):
    monkeypatch.setenv("LOPSIDED_DATA", DATA)
    entry, table = describe(name), load(name)
    assert (table.n_rows, table.n_features) == (entry.rows, entry.features)
    assert table.y_true.sum() == entry.positives
    assert np.isfinite(table.X).all()
    assert pd.DataFrame(table.X).duplicated().sum() == entry.repeated
