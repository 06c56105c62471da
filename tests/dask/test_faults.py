"""What breaks on a cluster gets one sentence, in bounded time, and never a wrong model."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.dask import DaskPUClassifier, WorkerLostError, read_folder

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")

FEATURES = list("abcd")
BOUND = 240  # seconds, however slow the machine; without bounds, one waits for 300 or forever


def fit(collection, **params):
    model = lopsided.build("ifpu-xgb", prior=0.06, n_estimators=5, random_state=0)
    return DaskPUClassifier(model, **params).fit(collection[FEATURES], collection["y"])


def kill_during_training(client, killed):
    """Kill a worker, the hard way, once both have been boosting for a moment."""
    pids = client.run(os.getpid)
    for _ in range(600):
        running = client.processing()
        if sum(any("fn-" in str(key) for key in keys) for keys in running.values()) == 2:
            break
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    killed.append(True)


@pytest.fixture
def quiet_tracker(monkeypatch):
    """Let XGBoost's tracker wait in vain for the dead without a word.

    Its thread outlives the fit, whose own error is the one to look at.
    """
    from xgboost.core import XGBoostError
    from xgboost.tracker import RabitTracker

    class Quiet(RabitTracker):
        def wait_for(self, timeout=None):
            with suppress(XGBoostError):
                super().wait_for(timeout)

        def free(self):
            with suppress(XGBoostError):
                super().free()

    monkeypatch.setattr("xgboost.dask.RabitTracker", Quiet)


@contextmanager
def start_two_workers():
    """Give a client of workers that a test may kill."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as own,
        own.as_current(),
    ):
        yield own


@pytest.mark.usefixtures("quiet_tracker")
def test_a_killed_worker_ends_the_fit_with_a_sentence(table):
    X, y, _ = table
    with start_two_workers() as own:
        collection = dd.from_pandas(X.assign(y=y), npartitions=2)
        model = lopsided.build("ifpu-xgb", prior=0.06, n_estimators=100_000, random_state=0)
        killed: list[bool] = []
        killer = threading.Thread(target=kill_during_training, args=(own, killed))
        killer.start()
        start = time.monotonic()
        with pytest.raises(WorkerLostError, match=r"^A worker was lost during training, and"):
            DaskPUClassifier(model, client=own).fit(collection[FEATURES], collection["y"])
        killer.join()
        assert killed
        assert time.monotonic() - start < BOUND


@pytest.mark.usefixtures("quiet_tracker")
def test_after_a_worker_that_died_before_it_joined_one_can_fit_again(table, monkeypatch):
    usual = lopsided.dask.training._JOIN_TIMEOUT
    monkeypatch.setattr("lopsided.dask.training._JOIN_TIMEOUT", 5)
    X, y, _ = table

    def die_before_joining(dask_worker, victim):
        import xgboost.dask

        class Dying(xgboost.dask.CommunicatorContext):
            def __enter__(self):
                time.sleep(1)  # so that the other one waits for it
                os.kill(os.getpid(), signal.SIGKILL)

        if dask_worker.address == victim:
            xgboost.dask.CommunicatorContext = Dying

    with start_two_workers() as own:
        collection = dd.from_pandas(X.assign(y=y), npartitions=2)
        own.run(die_before_joining, victim=min(own.scheduler_info()["workers"]))
        start = time.monotonic()
        with pytest.raises(WorkerLostError, match=r"^A worker was lost during training, and"):
            fit(collection, client=own)
        own.wait_for_workers(2, timeout=BOUND)
        monkeypatch.setattr("lopsided.dask.training._JOIN_TIMEOUT", usual)
        assert fit(collection, client=own).prior_ == 0.06
        assert time.monotonic() - start < BOUND


@pytest.mark.parametrize("error", [AssertionError, TimeoutError, RuntimeError])
def test_errors_of_a_function_of_the_users_own_stay_what_they_are(client, table, error):
    X, y, _ = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=2)

    def fail(part):
        raise error("the key was lost")

    features = collection[FEATURES].map_partitions(fail, meta=X.iloc[:0])
    with pytest.raises(error, match="the key was lost") as found:
        DaskPUClassifier(client=client).fit(features, collection["y"])
    assert not isinstance(found.value, WorkerLostError)


def test_a_partition_that_fails_late_is_named_and_no_worker_blamed(client, table, tmp_path):
    X, y, _ = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=2)

    def fail_at_the_second_reading(part):
        mark = tmp_path / f"read-{part.index[0]}"
        if mark.exists() and part.index[0]:
            return part * np.inf
        mark.write_text("")
        return part

    features = collection[FEATURES].map_partitions(fail_at_the_second_reading, meta=X.iloc[:0])
    model = DaskPUClassifier(lopsided.build("ifpu-xgb", prior=0.06), client=client)
    with pytest.raises(ValueError, match=r"^Partition 1: Input X contains infinity"):
        model.fit(features, collection["y"])


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[dask\]'"):
        DaskPUClassifier().fit(None, None)


def write_parts(folder, table, n_parts=3):
    X, y, _ = table
    for i, part in enumerate(np.array_split(np.arange(len(X)), n_parts)):
        X.assign(y=y).iloc[part].to_parquet(folder / f"part-{i}.parquet", index=False)


def test_a_cut_file_is_named(tmp_path, table):
    write_parts(tmp_path, table)
    whole = (tmp_path / "part-1.parquet").read_bytes()
    (tmp_path / "part-1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"part-1\.parquet must be a whole parquet file, got"):
        read_folder(tmp_path)


def test_a_file_that_is_damaged_inside_is_named(tmp_path, client, table):
    write_parts(tmp_path, table)
    whole = bytearray((tmp_path / "part-1.parquet").read_bytes())
    whole[4:400] = b"\xff" * 396
    (tmp_path / "part-1.parquet").write_bytes(whole)
    with pytest.raises(ValueError, match=r"part-1\.parquet must be a whole parquet file, got"):
        fit(read_folder(tmp_path), client=client)


def test_a_file_cut_after_it_was_looked_at_is_named(tmp_path, client, table):
    write_parts(tmp_path, table)
    for collection in (read_folder(tmp_path), dd.read_parquet(tmp_path)):
        whole = (tmp_path / "part-1.parquet").read_bytes()
        (tmp_path / "part-1.parquet").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ValueError, match=r"(file|cannot be read).*Write it again"):
            fit(collection, client=client)
        (tmp_path / "part-1.parquet").write_bytes(whole)


def test_a_column_that_a_file_lacks_is_named(tmp_path, table):
    write_parts(tmp_path, table)
    pd.read_parquet(tmp_path / "part-2.parquet").drop(columns="b").to_parquet(
        tmp_path / "part-2.parquet"
    )
    with pytest.raises(ValueError, match=r"part-2\.parquet without 'b'"):
        read_folder(tmp_path)


def test_a_column_that_a_partition_lacks_is_named(client, place, table):
    X, y, _ = table
    both = X.assign(y=y)
    whole, lacking = (place([both[:1000], part]) for part in (both[1000:], both[1000:][["y"]]))
    features = whole[FEATURES].map_partitions(
        lambda part: part.drop(columns="b") if part.index[0] else part, meta=X.iloc[:0]
    )
    model = DaskPUClassifier(lopsided.build("ifpu-xgb", prior=0.06), client=client)
    wanted = r"^All partitions must have the columns that the collection declares, got .*b'"
    with pytest.raises(ValueError, match=wanted):
        model.fit(features, whole["y"])
    with pytest.raises(ValueError, match=wanted):
        fit(lacking, client=client)


def test_columns_that_only_partitions_know_are_compared(client, table):
    da = pytest.importorskip("dask.array")
    dask = pytest.importorskip("dask")
    X, y, _ = table
    blocks = [X.to_numpy()[:1000], X.to_numpy()[1000:, :3]]
    rows = da.concatenate(
        [da.from_delayed(dask.delayed(block), (1000, 4), float) for block in blocks]
    )
    model = DaskPUClassifier(lopsided.build("ifpu-xgb", prior=0.06), client=client)
    with pytest.raises(ValueError, match="must have 4 columns as the first one, got 3"):
        model.fit(rows, da.from_array(y, chunks=1000))


def test_a_column_of_two_kinds_is_named(client, place, table):
    X, y, _ = table
    both = X.assign(y=y)
    spread = place([both[:1000], both[1000:].assign(b=both["b"][1000:].astype("category"))])
    with pytest.raises(ValueError, match="Column 'b' must be of one kind in all partitions"):
        fit(spread, client=client)


def test_another_order_of_ordered_categories_is_named(client, place, table):
    X, y, _ = table
    both = X.assign(y=y, b=np.array(["low", "high"])[(X["b"] % 2).astype(int)])
    orders = (["low", "high"], ["high", "low"])
    parts = [
        part.assign(b=pd.Categorical(part["b"], order, ordered=True))
        for part, order in zip((both[:1000], both[1000:]), orders, strict=True)
    ]
    with pytest.raises(ValueError, match="ordered categories of column 'b' must be the same"):
        fit(place(parts), client=client)


def test_a_table_without_labeled_rows_is_refused(client, table):
    X, _, _ = table
    collection = dd.from_pandas(X.assign(y=0), npartitions=2)
    with pytest.raises(ValueError, match=r"at least one labeled positive, got none in 2000"):
        fit(collection, client=client)


def test_a_partition_with_odd_labels_is_named(client, table):
    X, y, _ = table
    odd = dd.from_pandas(X.assign(y=np.where(np.arange(len(y)) == 1500, 7, y)), npartitions=2)
    with pytest.raises(ValueError, match=r"^Partition 1: y must hold 1 .* got \["):
        fit(odd, client=client)


def test_infinite_numbers_are_refused(client, table):
    X, y, _ = table
    odd = dd.from_pandas(X.assign(y=y, a=X["a"].replace(3.0, np.inf)), npartitions=2)
    with pytest.raises(ValueError, match=r"Partition \d: X must hold finite numbers or NaN"):
        fit(odd, client=client)


def test_a_table_in_memory_is_sent_elsewhere(client, table):
    X, y, _ = table
    with pytest.raises(ValueError, match="X must be a Dask data frame or array, got DataFrame"):
        DaskPUClassifier(client=client).fit(X, y)


def test_labels_in_other_partitions_are_refused(client, table):
    X, y, _ = table
    rows = dd.from_pandas(X, npartitions=2)
    labels = dd.from_pandas(pd.Series(y), npartitions=4)
    with pytest.raises(ValueError, match="X and y must have the same partitions, got 2 and 4"):
        DaskPUClassifier(client=client).fit(rows, labels)


def test_early_stopping_is_refused(client, table):
    X, y, _ = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=2)
    model = lopsided.build("ifpu-xgb", prior=0.06, early_stopping_rounds=5)
    with pytest.raises(ValueError, match="early_stopping_rounds must be None, got 5"):
        DaskPUClassifier(model, client=client).fit(collection[FEATURES], collection["y"])
