"""Two workers, processes of their own, for all tests here; and tables to put on them."""

import numpy as np
import pandas as pd
import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client():
    settings = {
        "distributed.worker.daemon": True,
        "distributed.comm.timeouts.connect": "60s",
        "distributed.admin.low-level-log-length": 0,
        # The workers stay until the last test of all: nothing shall keep them busy till then.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.gil.enabled": False,
        "distributed.admin.system-monitor.interval": "5s",
    }
    import dask

    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def table():
    """Whole numbers, of which the bins are the values on any worker; labeled rows first."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 40, size=(2000, 4)).astype(float), columns=list("abcd"))
    return X, *label(X, rng)


def label(X, rng):
    signal = X["a"] + X["b"] - X["c"] / 2 + 6 * rng.normal(size=len(X))
    y_true = (signal > np.quantile(signal, 0.94)).to_numpy().astype(int)
    y = y_true * (rng.random(len(X)) < 0.5)
    order = np.argsort(-y, kind="stable")
    X.iloc[:] = X.iloc[order].to_numpy()
    return y[order], y_true[order]


@pytest.fixture(scope="session")
def place(client):
    """A function that puts frames on workers, one after the other, as one collection."""
    dd = pytest.importorskip("dask.dataframe")
    kept = []  # a collection made of futures does not hold them

    def place(frames):
        workers = sorted(client.scheduler_info()["workers"])
        parts = [
            client.submit(lambda one: one, frame, workers=[workers[i % 2]], pure=False)
            for i, frame in enumerate(frames)
        ]
        kept.extend(parts)
        distributed.wait(parts)
        return dd.from_delayed(parts, meta=frames[0].iloc[:0], verify_meta=False)

    return place
