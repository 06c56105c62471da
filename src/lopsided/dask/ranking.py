"""Rank the unlabeled rows of a collection into a folder of parquet files."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lopsided._files import atomic_write
from lopsided._math import sigmoid
from lopsided._sketch import N_EXACT, ScoreSketch
from lopsided._validation import check_count, check_unique, require
from lopsided.dask.failures import in_partition, naming_failures
from lopsided.dask.judging import sketch_parts
from lopsided.dask.partitions import (
    Part,
    as_parts,
    compute,
    find_client,
    find_sources,
    is_frame,
)
from lopsided.dask.ranking_folder import check_ranking_folder, replacing
from lopsided.methods.table_summary import check_part
from lopsided.workflow.tables.columns import names_beside

__all__ = ["RankedFolder", "rank_to_parquet"]

_HEAD = ("rank", "score", "probability")


@dataclass(frozen=True)
class RankedFolder:
    """What `rank_to_parquet` has written.

    Attributes
    ----------
    folder : str
        Where the files are, as `dask.dataframe.read_parquet` reads them.
    n_rows : int
        Rows in them.
    n_unlabeled : int
        Unlabeled rows of the collection, which the ranks count.
    n_exact : int
        Ranks from 1 on that are exact.
    rank_error : float
        How far a rank beyond may be off, in rows.

    Examples
    --------
    >>> done = RankedFolder(
    ...     "ranked", n_rows=5000, n_unlabeled=5_000_000, n_exact=100_000, rank_error=1500.0
    ... )
    >>> done.n_rows < done.n_exact  # every rank that was written is exact
    True
    """

    folder: str
    n_rows: int
    n_unlabeled: int
    n_exact: int
    rank_error: float

    def __str__(self) -> str:
        beyond = (
            "all ranks are exact"
            if self.rank_error == 0
            else f"the first {self.n_exact} ranks are exact, and no other is off by more than "
            f"{self.rank_error:.0f} rows"
        )
        return (
            f"{self.n_rows} of {self.n_unlabeled} unlabeled rows are ranked in {self.folder}; "
            f"{beyond}."
        )


def rank_to_parquet(
    scores: Any,
    y: Any,
    folder: Any,
    *,
    columns: Any = None,
    top: int | None = None,
    client: Any = None,
) -> RankedFolder:
    """Write the rank, score and probability of every unlabeled row, with columns of its own.

    There is a file for each partition, sorted by rank, which its worker writes: the folder must
    be one that all workers see. Ranks count all unlabeled rows of the collection, those of
    equal scores get the first rank of them. The first 100,000 are exact; of the others the
    rank among quantiles is written, off by no more than `rank_error` rows.

    Parameters
    ----------
    scores : Dask series or array of shape (n_rows,)
        As `decision_function` returns them; their logistic function is the probability.
    y : Dask series or array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative. Only unlabeled rows are
        ranked.
    folder : path
        New, or one that this function wrote before, which is replaced once all new files are
        there. It cannot be one that the collections are read from.
    columns : Dask data frame or None, default=None
        Columns of the rows to write beside, such as their ids. One called as ours is written
        with a `_` behind its name. Workers keep them until they are written.
    top : int or None, default=None
        Write only rows up to this rank; None writes all.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.

    Returns
    -------
    RankedFolder

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, tempfile
    >>> from distributed import Client
    >>> from lopsided.dask import read_folder
    >>> table = pd.DataFrame({"score": [0.1, 2.0, -1.0, 0.5], "fraud": [0, 1, 0, 0]})
    >>> parts = dd.from_pandas(table, npartitions=2)
    >>> with (
    ...     tempfile.TemporaryDirectory() as folder,
    ...     Client(processes=False, dashboard_address=None) as client,
    ... ):
    ...     done = rank_to_parquet(parts["score"], parts["fraud"], f"{folder}/ranked")
    ...     ranked = read_folder(f"{folder}/ranked").compute()
    >>> ranked.sort_values("rank")["score"].tolist(), done.n_unlabeled
    ([0.5, 0.1, -1.0], 3)
    """
    client = find_client(client)
    most = np.inf if top is None else check_count(top, "top")
    if columns is not None:
        check_unique(columns.columns)
    target = check_ranking_folder(folder, find_sources(scores, y, columns))
    judged = scores.to_frame(name="score") if is_frame(scores) else scores[:, None]
    # All in one graph, which is made once: else Dask may put files together in one of them.
    parts = client.persist(as_parts(judged, y, columns=columns), optimize_graph=False)
    with replacing(target) as (draft, mark):
        with naming_failures("while the ranking was written"):
            n_rows, found = compute(client, _write_all(parts, str(draft), most))
        ranked = RankedFolder(
            str(folder),
            int(n_rows),
            int(found.n_unlabeled),
            int(min(found.n_unlabeled, N_EXACT)),
            float(found.rank_error),
        )
        mark.write_text(json.dumps(asdict(ranked), indent=2))
    return ranked


def _write_all(parts: list[Any], folder: str, most: float) -> Any:
    """Return the delayed number of rows that are written, and the sketch of all."""
    delayed = require("dask").delayed
    sketch = sketch_parts(parts)
    written = [
        delayed(in_partition(_write, place))(part, sketch, folder, place, most)
        for place, part in enumerate(parts)
    ]
    return delayed((delayed(sum)(written), sketch))


def _write(part: Part, sketch: ScoreSketch, folder: str, place: int, most: float) -> int:
    """Write the ranked rows of a partition and return how many there are."""
    import pandas as pd

    table, labels, _ = check_part(*part.rows)
    scores = np.asarray(table, dtype=np.float64)[:, 0]
    ranks = sketch.rank_unlabeled(scores)
    kept = np.flatnonzero((labels == 0) & (ranks <= most))
    kept = kept[np.argsort(-scores[kept], kind="stable")]
    head = {
        "rank": np.rint(ranks[kept]).astype(np.int64),
        "score": scores[kept],
        "probability": sigmoid(scores[kept]),
    }
    ranking = pd.DataFrame(head)
    if part.columns is not None:
        if len(part.columns) != len(scores):
            raise ValueError(
                f"scores and columns must have the same rows, got {len(scores)} and "
                f"{len(part.columns)}."
            )
        own = part.columns.iloc[kept].reset_index(drop=True)
        own = own.set_axis(names_beside(own.columns, _HEAD), axis=1)
        ranking = pd.concat([ranking, own], axis=1)
    try:
        with atomic_write(Path(folder) / f"part-{place:05d}.parquet") as draft:
            ranking.to_parquet(draft, index=False)
    except OSError as error:
        raise ValueError(f"the ranking cannot be written: {error}") from None
    return len(ranking)
