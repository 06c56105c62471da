"""Fit a boosted method on the workers that hold the rows, through `xgboost.dask`."""

from collections import defaultdict
from typing import Any

import numpy as np

from lopsided._validation import require
from lopsided.dask.failures import in_partition, naming_failures
from lopsided.dask.partitions import Part, compute
from lopsided.methods.boosting import BoostedRiskClassifier
from lopsided.methods.checkpoint import Checkpoint
from lopsided.methods.distributed import BoostingPlan, sum_over_workers
from lopsided.methods.row_sample import RowSample, merge_samples, sample_part
from lopsided.methods.table_summary import TableSummary, merge_summaries, summarize_part

__all__ = ["boost", "draw_sample", "merge_in_tree", "summarize"]

_FAN_IN = 16  # results that one task merges
_TIMEOUT = 300  # seconds that a worker at work waits for the others
# Seconds for all to come, who have their rows by then. Nothing else ends the waiting of one
# whose fellow dies before: it holds a thread of its worker, and any other fit with it.
_JOIN_TIMEOUT = 30


def summarize(parts: list[Any], client: Any) -> TableSummary:
    """Return what is to be known of the whole table, partitions summed up where they are."""
    with naming_failures("while the table was read"):
        return compute(client, _map_and_merge(_summarize, merge_summaries, parts))


def draw_sample(parts: list[Any], size: int, seed: int) -> Any:
    """Return a delayed `RowSample` of the collection."""
    delayed = require("dask").delayed
    drawn = [
        delayed(in_partition(_sample, place))(part, size, [seed, place])
        for place, part in enumerate(parts)
    ]
    return merge_in_tree(merge_samples, drawn)


def merge_in_tree(merge: Any, found: list[Any]) -> Any:
    """Return one delayed result of many, a few merged at a time, in their order."""
    delayed = require("dask").delayed
    while len(found) > 1:
        starts = range(0, len(found), _FAN_IN)
        found = [delayed(merge)(found[start : start + _FAN_IN]) for start in starts]
    return found[0]


def _map_and_merge(function: Any, merge: Any, parts: list[Any]) -> Any:
    delayed = require("dask").delayed
    found = [delayed(in_partition(function, place))(part) for place, part in enumerate(parts)]
    return merge_in_tree(merge, found)


def _summarize(part: Part) -> TableSummary:
    return summarize_part(*part.rows)


def _sample(part: Part, size: int, seed: list[int]) -> RowSample:
    return sample_part(*part.rows, size=size, seed=seed)


def boost(
    plan: BoostingPlan,
    parts: list[Any],
    client: Any,
    checkpoint: Checkpoint | None = None,
    reduce: Any = sum_over_workers,
) -> BoostedRiskClassifier:
    """Return the fitted model: every worker boosts on its rows, with all others.

    Parameters
    ----------
    plan : BoostingPlan
        Made from the summary of these parts.
    parts : list of Delayed
        The partitions.
    client : distributed.Client
        Where to fit.
    checkpoint : Checkpoint or None, default=None
        Where this process keeps the trees of a fit under way.
    reduce : callable, default=sum_over_workers
        How a number of each worker becomes one of all.

    Returns
    -------
    BoostedRiskClassifier
    """
    xgboost_dask = require("xgboost.dask")
    matrix = _bin(plan, parts, client, reproducible=checkpoint is not None)
    settings = require("xgboost").collective.Config(
        timeout=_TIMEOUT, tracker_timeout=_JOIN_TIMEOUT
    )

    def train(params: dict[str, Any], n_rounds: int, start: Any) -> Any:
        with naming_failures("during training", training=True):
            _bring_home(matrix, client)
            found = xgboost_dask.train(
                client,
                params,
                matrix,
                n_rounds,
                obj=plan.objective(reduce),
                xgb_model=start,
                verbose_eval=False,
                coll_cfg=settings,
            )
        return found["booster"]

    return plan.finish(plan.boost(train, checkpoint))


def _bin(plan: BoostingPlan, parts: list[Any], client: Any, reproducible: bool) -> Any:
    """Return the rows of all workers in bins that they agree on."""
    # Row samples depend on who has which rows: to be drawn again, they must be there again.
    reproducible = reproducible or plan.model.random_state is not None
    homes = _find_homes(len(parts), client) if reproducible else []
    with naming_failures("before training"):
        X, y, weight = _encode(plan, parts, client, homes)
    with naming_failures("during training", training=True):
        matrix = require("xgboost.dask").DaskQuantileDMatrix(
            client,
            X,
            y,
            weight=weight,
            max_bin=plan.model.max_bin,
            feature_types=plan.feature_types,
            enable_categorical=True,
        )
    if homes:
        _move_home(matrix, homes)
    return matrix


def _encode(
    plan: BoostingPlan, parts: list[Any], client: Any, homes: list[str]
) -> tuple[Any, Any, Any]:
    """Return numbers, labels and weights as Dask arrays, computed and kept on the workers."""
    dask, arrays = require("dask"), require("dask.array")
    shared = dask.delayed(plan, traverse=False)  # sent once, not with every partition
    encoded = []
    for place, part in enumerate(parts):
        encode = dask.delayed(in_partition(_encode_part, place), nout=3)
        # A worker that is busy may leave a partition to another one for now.
        home = {"workers": [homes[place]], "allow_other_workers": True} if homes else {}
        with dask.annotate(**home):
            encoded.append(encode(shared, part))

    def join(item: int, *others: int) -> Any:
        blocks = [
            arrays.from_delayed(one[item], (np.nan, *others), np.float32) for one in encoded
        ]
        return arrays.concatenate(blocks, allow_unknown_chunksizes=True)

    columns = [join(0, plan.model.n_features_in_), join(1)]
    if not plan.unweighted:
        columns.append(join(2))
    # Together, so that a partition is read and encoded once.
    X, y, *weight = client.persist(columns, optimize_graph=False)
    _wait_for([X, y, *weight])
    return X, y, weight[0] if weight else None


def _wait_for(kept: list[Any]) -> None:
    """Wait until all is there; raise the error of what failed, which XGBoost would not tell."""
    distributed = require("distributed")
    futures = distributed.futures_of(kept)
    distributed.wait(futures)
    for one in futures:
        if one.status == "error":
            one.result()


def _find_homes(n_parts: int, client: Any) -> list[str]:
    """Return who is to have each partition: neighbors together, workers by their names.

    XGBoost ranks workers by these names too.
    """
    workers = client.scheduler_info(n_workers=-1)["workers"]
    names = sorted(workers, key=lambda address: str(workers[address]["name"]))
    return [names[place * len(names) // n_parts] for place in range(n_parts)]


def _move_home(matrix: Any, homes: list[str]) -> None:
    """Let each worker train on the partitions that are to be its own, wherever they are now."""
    held = [part for parts in matrix.worker_map.values() for part in parts]
    matrix.worker_map = defaultdict(list)
    for part in sorted(held, key=lambda part: matrix.partition_order[part.key]):
        matrix.worker_map[homes[matrix.partition_order[part.key]]].append(part)


def _bring_home(matrix: Any, client: Any) -> None:
    """Wait until each worker is free and has its partitions: then all join at once."""
    brought = [
        client.submit(_count, *parts, workers=[home], allow_other_workers=True, pure=False)
        for home, parts in matrix.worker_map.items()
    ]
    client.gather(brought)


def _count(*parts: Any) -> int:
    return len(parts)


def _encode_part(plan: BoostingPlan, part: Part) -> tuple[Any, Any, Any]:
    return plan.encode(*part.rows)
