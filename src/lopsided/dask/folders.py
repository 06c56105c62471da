"""From a folder of parquet files, as people have them, to a model and a ranking."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._terminal import list_some
from lopsided._validation import check_choice, require
from lopsided.dask.classifier import DaskPUClassifier
from lopsided.dask.failures import naming_failures
from lopsided.dask.partitions import as_parts, compute
from lopsided.dask.ranking import RankedFolder, rank_to_parquet
from lopsided.dask.reading import read_folder
from lopsided.dask.scoring import map_scores
from lopsided.dask.training import draw_sample
from lopsided.methods.row_sample import SAMPLE_SIZE, RowSample
from lopsided.priors.estimation import PriorLike
from lopsided.workflow.tables import TableCleaner
from lopsided.workflow.tables.columns import find_columns
from lopsided.workflow.tables.labels import LabelValues, read_labels
from lopsided.workflow.tables.parquet_folders import check_outside

__all__ = ["FolderRoles", "connect", "fit_folder", "rank_folder"]

_CONNECT = 20  # seconds


@contextmanager
def connect(address: str, n_jobs: int | None = None) -> Iterator[Any]:
    """Give a client of the scheduler at an address, or of workers that "local" starts here."""
    distributed = require("distributed")
    if address == "local":
        with (
            distributed.LocalCluster(
                n_workers=n_jobs if n_jobs is not None and n_jobs > 0 else None,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(address, timeout=_CONNECT)
    except (OSError, ValueError, TimeoutError):
        raise ConnectionError(
            f"A Dask scheduler must be at {address!r}, got no answer. Give its address, such "
            "as tcp://host:8786, or local to start workers here."
        ) from None
    with client:
        yield client


@dataclass(frozen=True)
class FolderRoles:
    """Which columns of a table are labels, ids, or to be left out.

    Parameters
    ----------
    label : str or None
        The column of the labels; None where nothing is learned.
    positive, negative : str or None
        Its values for labeled positives and for reviewed negatives, as in `lopsided.fit`.
    id : str or None
        The column that names rows.
    drop : iterable of str
        Columns to leave out, each word a name or several with commas.
    """

    label: str | None
    positive: str | None = None
    negative: str | None = None
    id: str | None = None
    drop: Iterable[str] = ()

    def check(self, frame: Any) -> None:
        """Refuse names that are no columns, and a column with two roles."""
        taken = [name for name in (self.label, self.id) if name is not None]
        for name in taken:
            check_choice(name, list(frame.columns), "column")
        if len(set(taken)) < len(taken) or self.label in self._dropped(frame):
            raise ValueError(
                "Label and id must be columns of their own and the label cannot be dropped, "
                f"got {list_some(taken)}. Name another column."
            )

    def _dropped(self, frame: Any) -> tuple[str, ...]:
        return find_columns(self.drop, list(frame.columns))

    def features(self, frame: Any) -> Any:
        """Return the columns to learn from, as they are."""
        left_out = {self.label, self.id, *self._dropped(frame)}
        return frame[[name for name in frame.columns if name not in left_out]]

    def labels(self, frame: Any) -> Any:
        """Return 1, 0 or -1 for each row; 0 where there is no column of labels."""
        given = (self.label, self.positive, self.negative)
        return frame.map_partitions(_read_labels, *given, meta=("y", np.int8))

    def check_labels(self, frame: Any, client: Any, need_labeled: bool = True) -> None:
        """Warn of values that are named and that no row has, or refuse them as typos."""
        if self.label is None or (self.positive is None and self.negative is None):
            return
        found = LabelValues(self.label, self.positive, self.negative)
        parts = frame[[self.label]].to_delayed()
        delayed = require("dask").delayed
        with naming_failures("while the labels were read"):
            values = [delayed(_distinct)(part, found) for part in parts]
            for part in compute(client, delayed(values)):
                found.update(part)
        found.check(need_labeled)


def fit_folder(
    folder: Any,
    roles: FolderRoles,
    method: Any = "focused-xgb",
    *,
    client: Any,
    prior: PriorLike | None = None,
    types: Mapping[str, str] | None = None,
    decimal: str | None = None,
    day_first: bool | None = None,
    checkpoint: Any = None,
    random_state: int = 0,
) -> Any:
    """Learn from a folder of parquet files: text, dates, amounts and blanks as they are.

    How columns are read is decided on all labeled and a sample of the unlabeled rows.

    Parameters
    ----------
    folder : path
        As `read_folder` takes it.
    roles : FolderRoles
        What its columns are.
    method : str or PUClassifier, default="focused-xgb"
        As in `DaskPUClassifier`.
    client : distributed.Client
        The cluster.
    prior : float, str, estimator or None, default=None
        P(y_true = 1), if it is known.
    types, decimal, day_first
        As in `lopsided.fit`.
    checkpoint : path or None, default=None
        As in `DaskPUClassifier`.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Pipeline
        The cleaner and the fitted method: it scores raw rows, and `lopsided.save` writes it.
    """
    from sklearn.pipeline import Pipeline

    frame = read_folder(folder)
    roles.check(frame)
    roles.check_labels(frame, client)
    raw, y = roles.features(frame), roles.labels(frame)
    cleaner = TableCleaner(
        types=dict(types or {}),
        decimal=decimal or "auto",
        day_first="auto" if day_first is None else day_first,
    )
    with naming_failures("while the table was read"):
        sample = draw_sample(as_parts(raw, y), SAMPLE_SIZE, random_state)
        learn = require("dask").delayed(_fit_cleaner)
        cleaner, meta = compute(client, learn(cleaner, sample))
    shared = require("dask").delayed(cleaner, traverse=False)
    X = raw.map_partitions(_clean, shared, meta=meta)
    model = DaskPUClassifier(
        method, prior=prior, checkpoint=checkpoint, client=client, random_state=random_state
    )
    return Pipeline([("cleaner", cleaner), ("method", model.fit(X, y).to_local())])


def rank_folder(
    model: Any,
    folder: Any,
    roles: FolderRoles,
    output: Any,
    *,
    client: Any,
    top: int | None = None,
) -> RankedFolder:
    """Rank the unlabeled rows of a folder of parquet files by a model of `fit_folder`.

    Parameters
    ----------
    model : Pipeline
        Which scores raw rows.
    folder : path
        As `read_folder` takes it.
    roles : FolderRoles
        What its columns are; without a label all rows are ranked.
    output : path
        The folder to write, outside of that of the table; see `rank_to_parquet`.
    client : distributed.Client
        The cluster.
    top : int or None, default=None
        Write only rows up to this rank.

    Returns
    -------
    RankedFolder
    """
    check_outside(output, folder)
    frame = read_folder(folder)
    roles.check(frame)
    roles.check_labels(frame, client, need_labeled=False)
    wanted = [check_choice(name, list(frame.columns), "column") for name in _raw_names(model)]
    scores = map_scores(model, frame[wanted], client)
    first = [roles.id] if roles.id else []
    names = [name for name in frame.columns if name not in (*first, roles.label)]
    columns = frame[first + names]
    labels = roles.labels(frame)
    return rank_to_parquet(scores, labels, output, columns=columns, top=top, client=client)


def _raw_names(model: Any) -> list[str]:
    """Return the columns that a pipeline was fitted on."""
    return [str(name) for name in model[0].feature_names_in_]


def _read_labels(
    part: Any, label: str | None, positive: str | None, negative: str | None
) -> Any:
    import pandas as pd

    labels = np.zeros(len(part), np.int8)
    if label is not None and len(part):
        labels = read_labels(part[label], label, positive, negative, need_labeled=False)
    return pd.Series(labels, index=part.index, name="y")


def _distinct(part: Any, found: LabelValues) -> list[str]:
    """Return the different labels of a partition; of very many only those that matter."""
    own = LabelValues(found.name, found.positive, found.negative)
    own.update(part.iloc[:, 0])
    return list(own.found)


def _fit_cleaner(cleaner: TableCleaner, sample: RowSample) -> tuple[TableCleaner, Any]:
    return cleaner, cleaner.fit_transform(sample.X).iloc[:0]


def _clean(part: Any, cleaner: TableCleaner) -> Any:
    return cleaner.transform(part)
