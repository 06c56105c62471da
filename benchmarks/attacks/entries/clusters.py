"""Tables larger than memory, workers of any engine, and Dask: few cases, for they are slow."""

import atexit
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, SEEDS, close, draw_labeled, expect
from lopsided import build, collective, metrics, out_of_core

__all__ = ["ENTRIES"]

_SMALL = JUNK.filter(lambda junk: not isinstance(junk, (int, float)) or not abs(junk) > 1000)


def _make_rows(d: Draw) -> Any:
    rng = np.random.default_rng(d(SEEDS))
    n = d(st.integers(30, 60))
    rows = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 5, n) / 2})
    rows["y"] = ((rows["a"] > 0.5) & (rng.random(n) < 0.8)).astype(int)
    rows.loc[[0, 1, 2], "y"] = [1, 1, 1]
    rows.loc[[3, 4, 5], "y"] = [0, 0, 0]
    return rows


def _booster() -> Any:
    return build("ifpu-xgb", n_estimators=3, random_state=0, prior=0.9)


@arguments
def _parquet_arguments(d: Draw) -> dict[str, Any]:
    rows = _make_rows(d)
    return {
        "rows": rows,
        "parts": d.one(1, 1, 2, 3),
        "source": d(st.just("rows"), st.one_of(JUNK, st.sampled_from(("none", ""))), 0.05),
        "label": d(st.just("y"), st.one_of(JUNK, st.just("a")), 0.05),
        "method": d(st.sampled_from(("booster", "naive-logistic")), JUNK, 0.05),
        "options": {
            "drop": d(st.sampled_from(((), ["b"])), JUNK, 0.04),
            "n_sample": d(st.integers(40, 99), _SMALL, 0.04),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
        },
        "checkpoint": d.chance(0.2),
        "ranking": {
            "top": d(st.one_of(st.none(), st.integers(1, 70)), _SMALL, 0.05),
            "n_exact": d(st.integers(1, 99), _SMALL, 0.05),
            "keep": d(st.sampled_from(((), ["a"])), JUNK, 0.04),
            "label": d(st.sampled_from(("y", None)), JUNK, 0.04),
        },
        "output": d(
            st.just("ranked.parquet"), st.one_of(JUNK, st.just("rows/x.parquet")), 0.05
        ),
    }


def _attack_parquet(
    rows: Any,
    parts: int,
    source: Any,
    label: Any,
    method: Any,
    options: dict[str, Any],
    checkpoint: bool,
    ranking: dict[str, Any],
    output: Any,
) -> None:
    Path("rows").mkdir()
    for place, part in enumerate(np.array_split(np.arange(len(rows)), parts)):
        rows.iloc[part].to_parquet(f"rows/{place}.parquet", index=False)
    method = _booster() if isinstance(method, str) and method == "booster" else method
    if checkpoint and not isinstance(method, str):  # for boosters alone
        options = {**options, "checkpoint": out_of_core.Checkpoint("saved", every=1)}
    model = out_of_core.fit_parquet(source, label, method, **options)
    found = out_of_core.rank_parquet(model, source, output, **ranking)
    ranked = pd.read_parquet(found.path)
    expect(len(ranked) == found.n_written, f"{len(ranked)} rows of {found!r}")
    listed = len(rows) if ranking["label"] is None else int((rows["y"] == 0).sum())
    expect(found.n_rows == listed, f"{found!r} of {listed} rows")
    scores = ranked["score"].to_numpy()[: found.n_exact]
    expect(np.isfinite(scores).all() and (np.diff(scores) <= 0).all(), f"scores are {scores}")


@arguments
def _checkpoint_arguments(d: Draw) -> dict[str, Any]:
    return {
        "folder": d(st.just("saved"), JUNK, 0.3),
        "every": d(st.integers(1, 9), JUNK, 0.3),
    }


def _attack_checkpoint(folder: Any, every: Any) -> None:
    rows = pd.DataFrame({"a": np.arange(30.0) % 7, "y": (np.arange(30) % 5 == 0).astype(int)})
    rows.to_parquet("rows.parquet", index=False)
    saved = out_of_core.Checkpoint(folder, every)
    model, again = (
        out_of_core.fit_parquet(
            "rows.parquet", "y", _booster(), checkpoint=saved, random_state=0
        )
        for _ in range(2)
    )
    X = rows[["a"]]
    same = np.array_equal(model.decision_function(X), again.decision_function(X))
    expect(same, "a fit that goes on gives other scores")


@arguments
def _worker_arguments(d: Draw) -> dict[str, Any]:
    rows = _make_rows(d)
    weight = st.sampled_from((None, np.ones(len(rows))))
    return {
        "rows": rows,
        "tracker": {
            "n_workers": d(st.just(1), JUNK.filter(_is_one), 0.05),
            "timeout": d(st.just(60), JUNK.filter(_is_one), 0.05),
        },
        "method": d(st.just("booster"), st.one_of(JUNK, st.just("naive-logistic")), 0.1),
        "weight": d(weight, JUNK, 0.05),
        "options": {
            "worker": d(st.sampled_from((0, None)), JUNK, 0.05),
            "sample_size": d(st.integers(40, 99), _SMALL, 0.05),
            "random_state": d(st.integers(0, 9), JUNK, 0.05),
        },
    }


def _is_one(junk: Any) -> bool:
    """Leave out numbers of workers who would be waited for."""
    return not isinstance(junk, (int, float)) or junk < 1


def _attack_worker(
    rows: Any, tracker: dict[str, Any], method: Any, weight: Any, options: dict[str, Any]
) -> None:
    method = _booster() if isinstance(method, str) and method == "booster" else method
    X, y = rows[["a", "b"]], rows["y"]
    with collective.start_tracker(**tracker) as place:
        found = collective.fit_part(method, X, y, weight, tracker=place, timeout=60, **options)
    scores = collective.as_boosted(found).decision_function(X)
    expect(np.isfinite(scores).all(), f"scores are {scores}")
    alone = _booster().fit(X, y).decision_function(X)
    expect(close(scores, alone, 1e-3), "another model than that of one machine")


@cache
def _client() -> Any:
    """Return a client of Dask whose one worker is a thread of this process."""
    import distributed

    client = distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    )
    atexit.register(client.close)
    return client


@arguments
def _dask_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=3, odd=0, most_rows=40)
    return {
        "rows": rows,
        "name": d(st.sampled_from(("pu_roc_auc", "pu_mean_log_rank")), JUNK, 0.1),
        "top": d(st.one_of(st.none(), st.integers(1, 40)), _SMALL, 0.1),
        "folder": d(st.just("ranked"), st.one_of(JUNK, st.just("")), 0.1),
        "method": d(st.just("naive-logistic"), JUNK, 0.1),
        "size": d(st.integers(50, 90), _SMALL, 0.1),
    }


def _attack_dask(rows: Any, name: Any, top: Any, folder: Any, method: Any, size: Any) -> None:
    import dask.array as da
    import dask.dataframe as dd

    from lopsided import dask

    client = _client()
    values = rows.values.clip(-1e30, 1e30)
    y, scores = (da.from_array(one, chunks=rows.n) for one in (rows.labels, values))
    summary = dask.summarize_scores(y, scores, client=client)
    expect(summary.n_rows == rows.n, f"{summary.n_rows} rows of {rows.n}")
    wanted = getattr(metrics, name)(rows.labels, values) if isinstance(name, str) else None
    expect(close(summary.metric(name), wanted, 1e-6), f"another {name} than that of the table")
    written = dask.rank_to_parquet(scores, y, folder, top=top, client=client)
    read = dask.read_folder(written.folder).compute()
    expect(len(read) <= written.n_unlabeled, f"{len(read)} rows of {written!r}")
    X = dd.from_pandas(pd.DataFrame({"a": values, "b": values % 3}), npartitions=1)
    model = dask.DaskPUClassifier(method, sample_size=size, client=client, random_state=0)
    model.fit(X, dd.from_dask_array(y, index=X.index))
    found = np.asarray(model.decision_function(X).compute())
    expect(found.shape == (rows.n,) and np.isfinite(found).all(), f"scores are {found}")


ENTRIES = (
    Entry(
        ("out_of_core.fit_parquet", "out_of_core.rank_parquet", "out_of_core.StreamedRanking"),
        _parquet_arguments,
        _attack_parquet,
        share=2,
        errors=(OSError,),
        keeps=True,
    ),
    Entry(
        ("out_of_core.Checkpoint",),
        _checkpoint_arguments,
        _attack_checkpoint,
        errors=(OSError,),
        keeps=True,
    ),
    Entry(
        ("collective.fit_part", "collective.start_tracker", "collective.as_boosted"),
        _worker_arguments,
        _attack_worker,
    ),
    Entry(
        (
            *("dask.DaskPUClassifier", "dask.summarize_scores", "dask.ScoreSummary"),
            *("dask.rank_to_parquet", "dask.RankedFolder", "dask.read_folder"),
        ),
        _dask_arguments,
        _attack_dask,
        errors=(OSError,),
        keeps=True,
    ),
)
