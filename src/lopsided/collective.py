"""Fit a boosted method where an engine of your own brings each worker its rows.

Spark, Ray, MPI and plain processes have this in common: some process starts a tracker, and
each worker, which has some of the rows, calls `fit_part` with the tracker's address. They learn
the columns and label totals from each other, boost on one risk, and all return the same model.
`examples/` has it for Spark and for Ray; `lopsided.dask` does the same on Dask.
"""

import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from numbers import Integral
from typing import Any

from lopsided._validation import check_count, require
from lopsided.methods.boosting import BoostedRiskClassifier
from lopsided.methods.checkpoint import SEEDLESS, Checkpoint
from lopsided.methods.distributed import (
    BoostingPlan,
    as_method,
    know_columns,
    plan_boosting,
)
from lopsided.methods.row_sample import SAMPLE_SIZE, sample_part
from lopsided.methods.table_summary import TableSummary, merge_summaries, summarize_part
from lopsided.priors.estimation import PriorLike
from lopsided.priors.registry import is_estimated

__all__ = ["as_boosted", "fit_part", "start_tracker"]


@contextmanager
def start_tracker(
    n_workers: int, host: str = "127.0.0.1", *, timeout: int = 300
) -> Iterator[dict[str, Any]]:
    """Start the tracker through which workers find each other; it ends with the context.

    Parameters
    ----------
    n_workers : int
        How many workers will call `fit_part`.
    host : str, default="127.0.0.1"
        The address at which workers reach this process.
    timeout : int, default=300
        Seconds for all workers to come, and to leave.

    Yields
    ------
    dict
        The address, for `fit_part`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> with start_tracker(n_workers=1) as tracker:  # doctest: +ELLIPSIS
    ...     models = [fit_part("naive-xgb", X, y, tracker=tracker, worker=0)]
    [...] Task 000000000 got rank 0
    >>> models[0].n_estimators
    100
    """
    n_workers, timeout = check_count(n_workers, "n_workers"), check_count(timeout, "timeout")
    tracker = require("xgboost.tracker").RabitTracker(
        n_workers, host, sortby="task", timeout=timeout
    )
    tracker.start()
    lost = require("xgboost").core.XGBoostError
    try:
        yield tracker.worker_args()
    except BaseException:  # which says more than what the tracker makes of it
        with suppress(lost):
            tracker.free()
        raise
    try:
        tracker.free()
    except lost as error:
        raise RuntimeError(
            f"All {n_workers} workers must come to the tracker and leave it, each within "
            f"{timeout} seconds, got one that has not. See what it says, and fit again."
        ) from error


def fit_part(
    method: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    tracker: Mapping[str, Any],
    worker: int | None = None,
    prior: PriorLike | None = None,
    sample_size: int = SAMPLE_SIZE,
    checkpoint: Any = None,
    checkpoint_every: int = 10,
    timeout: int = 300,
    random_state: Any = None,
) -> BoostedRiskClassifier:
    """Fit a boosted method together with the other workers, each on its own rows.

    The model is that of one machine with all rows, but for the bins of columns with very many
    values, which XGBoost sketches, and for row samples (`subsample`), which each worker draws.

    Parameters
    ----------
    method : str or BoostedRiskClassifier
        A name of the registry such as "focused-xgb", or a method; alike on all workers.
    X : array or data frame of shape (n_rows, n_features)
        The rows of this worker, at least the columns if there are none.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative. One worker may have all
        labeled rows.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows; on all workers or on none.
    tracker : mapping
        What `start_tracker` gave.
    worker : int or None, default=None
        The number of this worker from 0; with it, whatever is sampled is the same in every run.
    prior : float, str, estimator or None, default=None
        P(y_true = 1) in the whole table; None is the method's own. An estimated prior is
        estimated from all labeled and `sample_size` unlabeled rows, on every worker alike.
    sample_size : int, default=200_000
        Unlabeled rows for that, taken from all workers.
    checkpoint : path, optional
        Folder for the trees of a fit under way, which the first worker writes and reads. It
        takes a `random_state`: the fit that goes on would else be another one.
    checkpoint_every : int, default=10
        Rounds between two checkpoints.
    timeout : int, default=300
        Seconds to wait for the others before this worker gives up.
    random_state : int or None, default=None
        Seed, alike on all workers; None is the method's own.

    Returns
    -------
    BoostedRiskClassifier
        Fitted, the same on every worker.

    Examples
    --------
    Each worker makes this call with its own rows; here there is one:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> with start_tracker(n_workers=1) as tracker:  # doctest: +ELLIPSIS
    ...     model = fit_part("naive-xgb", X, y, tracker=tracker, worker=0)
    [...] Task 000000000 got rank 0
    >>> bool(y[model.decision_function(X).argmax()])  # a labeled row is the first
    True
    """
    saved = None if checkpoint is None else _SharedCheckpoint(checkpoint, checkpoint_every)
    joined = {**tracker, "dmlc_timeout": check_count(timeout, "timeout")}
    if worker is not None:
        joined["dmlc_task_id"] = f"{check_count(worker, 'worker', 0):09d}"
    with _naming_losses(timeout), require("xgboost").collective.CommunicatorContext(**joined):
        model = as_boosted(as_method(method, prior, random_state))
        if saved is not None and model.random_state is None:
            raise ValueError(SEEDLESS)
        summary = merge_summaries(_gather(lambda: summarize_part(X, y, sample_weight)))
        sample = None
        if model.needs_prior() and is_estimated(model.prior):
            sample = _sample(model, summary, (X, y, sample_weight), sample_size)
        plan = plan_boosting(model, summary, sample)
        return plan.finish(_boost(plan, X, y, sample_weight, saved))


def as_boosted(model: Any) -> BoostedRiskClassifier:
    """Return a method if its trees can be boosted by several workers, or say which can.

    Parameters
    ----------
    model : estimator
        A method.

    Returns
    -------
    BoostedRiskClassifier
        The method itself.

    Examples
    --------
    >>> import lopsided
    >>> as_boosted(lopsided.build("focused-xgb")).n_estimators
    100
    """
    if isinstance(model, BoostedRiskClassifier):
        return model
    raise ValueError(
        "method must be a boosted one such as focused-xgb to be fitted by several workers, "
        f"got {type(model).__name__}."
    )


@contextmanager
def _naming_losses(timeout: int) -> Iterator[None]:
    """Turn what XGBoost's collective says of a lost worker into a sentence."""
    try:
        yield
    except require("xgboost").core.XGBoostError as error:
        if "collective" not in str(error):
            raise
        raise RuntimeError(
            "All workers must take part until the end, got one that was lost or kept the "
            f"others waiting for {timeout} seconds. Fit again; with checkpoint=FOLDER a fit "
            "goes on where it stopped."
        ) from error


def _gather(make: Any) -> list[Any]:
    """Return what each worker makes, in the order of ranks; all raise what one raises."""
    return list(_gather_each(make))


def _gather_each(make: Any) -> Iterator[Any]:
    """Give what each worker makes, as it arrives; all must ask for all of it."""
    collective = require("xgboost").collective
    own: tuple[Any, Any]
    try:
        own = make(), None
    except (ValueError, TypeError) as error:
        own = None, str(error)
    rank, ranks = collective.get_rank(), range(collective.get_world_size())
    for place in ranks:
        made, trouble = collective.broadcast(own if place == rank else None, place)
        if trouble is not None:  # on every worker at this place
            raise ValueError(f"Worker {place}: {trouble}")
        yield made
        del made


@dataclass(frozen=True)
class _SharedCheckpoint(Checkpoint):
    """A checkpoint that the first worker keeps for all."""

    def _read(self, facts: dict[str, Any]) -> tuple[int, bytes | None]:
        is_first, read = _is_first(), super()._read
        return _gather(lambda: read(facts) if is_first else None)[0]

    def _write(self, facts: dict[str, Any], done: int, trees: bytes) -> None:
        if _is_first():
            super()._write(facts, done, trees)


def _is_first() -> bool:
    return require("xgboost").collective.get_rank() == 0


def _sample(model: BoostedRiskClassifier, summary: TableSummary, part: Any, size: int) -> Any:
    summary.check()
    rank = require("xgboost").collective.get_rank()
    seed = model.random_state if isinstance(model.random_state, Integral) else 0
    # Merged as they come: all of them at once would be as many rows as workers times size.
    parts = _gather_each(lambda: sample_part(*part, size=size, seed=[int(seed), rank]))
    return reduce(operator.add, parts).rows(know_columns(model, summary), summary)


def _boost(
    plan: BoostingPlan, X: Any, y: Any, sample_weight: Any, saved: Checkpoint | None
) -> Any:
    xgboost = require("xgboost")
    matrix, objective = plan.matrix(X, y, sample_weight), plan.objective()

    def train(params: dict[str, Any], n_rounds: int, start: Any) -> Any:
        return xgboost.train(params, matrix, n_rounds, obj=objective, xgb_model=start)

    return plan.boost(train, saved)
