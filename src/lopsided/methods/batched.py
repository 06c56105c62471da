"""Fit on a table that comes in batches and need not fit into memory."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import as_generator, check_jobs, require
from lopsided._warnings import warn
from lopsided.methods._auto_prior import estimate_prior_of_batches
from lopsided.methods._categories import category_levels, fit_level_map
from lopsided.methods.base import PUClassifier
from lopsided.methods.boosting import BoostedRiskClassifier
from lopsided.methods.checkpoint import SEEDLESS, Checkpoint, list_facts
from lopsided.priors.km2 import KM2Prior
from lopsided.priors.registry import is_estimated, resolve_prior
from lopsided.priors.tice import TIcEPrior

__all__ = ["BatchedTable", "TableDigest", "fit_batched"]


class TableDigest:
    """A fingerprint of all cells of a table, the same in whatever batches they come."""

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}

    def update(self, batch: Any) -> None:
        """Add the next rows, as a data frame."""
        for name in batch.columns:
            column = batch[name]
            if isinstance(column.dtype, pd.CategoricalDtype):
                levels = pd.util.hash_array(column.cat.categories.to_numpy(object))
                values = np.append(levels, np.uint64(0))[column.cat.codes]  # -1 is missing
            else:
                values = column.to_numpy()
            self._columns.setdefault(str(name), hashlib.sha256()).update(values.tobytes())

    def hexdigest(self) -> str:
        """Return it as text."""
        columns = {name: found.hexdigest() for name, found in self._columns.items()}
        return hashlib.sha256(repr(columns).encode()).hexdigest()


@dataclass(frozen=True)
class BatchedTable:
    """A table whose rows come in batches, always the same and in the same order.

    Parameters
    ----------
    batches : callable
        Gives data frames with the columns of `sample`, all rows of the table in order.
    labels : ndarray of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
    sample : data frame
        Some of the rows; its categories have all levels that the table has.
    positions : ndarray of shape (n_sample,)
        Where they stand in the table.
    evenly : data frame
        A few rows from all over the table, in order.
    digest : TableDigest or None, default=None
        Of all rows, which a checkpoint asks for.
    """

    batches: Callable[[], Iterator[Any]]
    labels: NDArray[np.int8]
    sample: Any
    positions: NDArray[np.intp]
    evenly: Any
    digest: TableDigest | None = None

    @property
    def sample_labels(self) -> NDArray[np.int8]:
        """The labels of the sample."""
        return self.labels[self.positions]

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """How many rows of its label each one of the sample stands for; None if it is all."""
        if len(self.positions) == len(self.labels):
            return None
        own, weight = self.sample_labels, np.ones(len(self.positions))
        for label in np.unique(own):
            weight[own == label] = (self.labels == label).sum() / (own == label).sum()
        return weight


def fit_batched(
    model: PUClassifier,
    table: BatchedTable,
    *,
    max_memory: int = 2**33,
    folder: str | Path | None = None,
    checkpoint: Checkpoint | None = None,
) -> Any:
    """Fit a method on a table in batches.

    Boosted trees learn from every row: XGBoost bins the batches, in memory if two bytes for
    each value are at most `max_memory`, else in files. Any other method learns from the sample
    alone, weighted so that shares are those of the table, and a warning says so.

    Parameters
    ----------
    model : PUClassifier
        It is fitted and returned.
    table : BatchedTable
        The rows.
    max_memory : int, default=2**33
        The bytes that the binned table may take in memory.
    folder : path or None, default=None
        Where files of a binned table are kept during the fit; None is the system's.
    checkpoint : Checkpoint or None, default=None
        Where boosted trees are kept on the way; the model takes a `random_state` then.
    """
    if not isinstance(model, BoostedRiskClassifier):
        return _fit_sample(model, table, checkpoint)
    if model.early_stopping_rounds is not None:
        raise ValueError(
            "early_stopping_rounds must be None for a table in batches, got "
            f"{quote(model.early_stopping_rounds)}: no rows are held out. Choose n_estimators."
        )
    if checkpoint is not None and model.random_state is None:
        raise ValueError(SEEDLESS)
    rng = as_generator(model.random_state)
    check_jobs(model.n_jobs)
    sample = _check_sample(model, table)
    model.prior_ = _settle_prior(model, table, sample, rng)
    model._keep_typical_row(sample)
    model._check_settings(sample.X)
    model.risk_, model.zeros_are_absent_ = model._checked_risk(), False
    model.level_maps_ = {
        position: fit_level_map(np.arange(n_levels, dtype=float), n_levels)
        for position, n_levels in model._levels().items()
    }
    labels = table.labels
    rows = TrainingRows(
        _bin(model, table, folder, max_memory),
        np.maximum(labels, 0),
        np.broadcast_to(1.0, len(labels)),
        labels == -1 if (labels == -1).any() else None,
    )
    evenly = model._numbers(table.evenly, reset=False)
    model._boost(rows, evenly, rng, _keeper(model, table, checkpoint))
    model._advise()
    return model


def _fit_sample(model: Any, table: BatchedTable, checkpoint: Checkpoint | None) -> Any:
    if checkpoint is not None:
        raise ValueError(
            f"A checkpoint is for boosted trees, got one for {type(model).__name__}. Leave it "
            "out, or choose a method such as ifpu-xgb."
        )
    if table.sample_weight is not None:
        n_labeled = int((table.sample_labels == 1).sum())
        n_unlabeled = int((table.sample_labels == 0).sum())
        warn(
            f"{type(model).__name__} learns from a sample: {n_labeled:,} labeled rows and "
            f"{n_unlabeled:,} of {int((table.labels == 0).sum()):,} unlabeled ones, weighted "
            "so that prior and probabilities are those of the table.",
        )
    return model.fit(table.sample, table.sample_labels, sample_weight=table.sample_weight)


def _check_sample(model: BoostedRiskClassifier, table: BatchedTable) -> TrainingRows:
    """Learn the columns from the sample; levels that only other rows have stay in."""
    rows = model._check_rows(table.sample, table.sample_labels, table.sample_weight)
    if model.category_levels_:
        model.category_levels_ = category_levels(table.sample, takes_categories=True)
        rows = replace(rows, X=model._numbers(table.sample, reset=False))
    return rows


def _settle_prior(
    model: BoostedRiskClassifier,
    table: BatchedTable,
    sample: TrainingRows,
    rng: np.random.Generator,
) -> float:
    whole = table.sample_weight is None
    if whole or not (model.needs_prior() and is_estimated(model.prior)):
        return model._settle_prior(sample, rng)
    if isinstance(resolve_prior(model.prior), (TIcEPrior, KM2Prior)):
        raise ValueError(
            f"prior must be a number or an estimate from scores for a table in batches, got "
            f"{quote(model.prior)}, which takes no weights. Pass 'auto', or a number."
        )
    unseen = np.ones(len(table.labels), bool)
    unseen[table.positions] = False
    unseen &= table.labels == 0
    model.prior_estimate_ = estimate_prior_of_batches(
        sample,
        (model._numbers(batch, reset=False) for batch in table.batches()),
        unseen,
        model._schema(),
        model.prior,
        model._scenario(),
        model._n_threads(),
        rng.spawn(1)[0],
    )
    return model.prior_estimate_.value


def _keeper(
    model: BoostedRiskClassifier, table: BatchedTable, checkpoint: Checkpoint | None
) -> Callable[..., Any] | None:
    """Return what trains in steps and keeps them, or None."""
    if checkpoint is None:
        return None
    found = hashlib.sha256(table.labels.tobytes())
    found.update(repr(table.digest and table.digest.hexdigest()).encode())
    rows = found.hexdigest()

    def boost(train: Callable[..., Any], params: dict[str, Any]) -> Any:
        return checkpoint.boost(train, model.n_estimators_, list_facts(model, params, rows))

    return boost


def _bin(
    model: BoostedRiskClassifier,
    table: BatchedTable,
    folder: str | Path | None,
    max_memory: int,
) -> Any:
    """Return the binned table: in memory where it fits, else in files.

    XGBoost removes the files along with the matrix.
    """
    xgboost: Any = require("xgboost")
    bytes_of_bin = 1 if model.max_bin <= 256 else 2 if model.max_bin <= 2**16 else 4
    # Bins are kept twice, by rows for histograms and by columns for splits.
    size = 2 * len(table.labels) * model.n_features_in_ * bytes_of_bin
    in_memory = size <= max_memory
    kind = xgboost.QuantileDMatrix if in_memory else xgboost.ExtMemQuantileDMatrix
    prefix = Path(folder or tempfile.gettempdir()) / f"lopsided-{uuid4().hex}"
    source = _make_iterator(model, table, None if in_memory else str(prefix))
    return kind(
        source, max_bin=model.max_bin, nthread=model._n_threads(), enable_categorical=True
    )


def _make_iterator(model: BoostedRiskClassifier, table: BatchedTable, cache: str | None) -> Any:
    iterator: Any = require("xgboost").DataIter

    class Batches(iterator):
        """The batches as XGBoost asks for them, from the first one as often as it likes."""

        def __init__(self) -> None:
            self.rest = table.batches()
            super().__init__(cache_prefix=cache)

        def reset(self) -> None:
            self.rest = table.batches()

        def next(self, input_data: Callable[..., Any]) -> bool:
            batch = next(self.rest, None)
            if batch is None:
                return False
            X = model._as_trained(model._numbers(batch, reset=False))
            input_data(data=X, feature_types=model._feature_types())
            return True

    return Batches()
