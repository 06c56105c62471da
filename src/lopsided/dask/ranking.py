"""Rank the unlabeled rows of a collection into a folder of parquet files."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lopsided._check import check_count, require
from lopsided._files import atomic_write, check_no_file
from lopsided._math import sigmoid
from lopsided._sketch import N_EXACT, ScoreSketch
from lopsided.dask.failures import in_partition, naming_failures
from lopsided.dask.judging import sketch_parts
from lopsided.dask.partitions import Part, as_parts, compute, find_client, is_frame
from lopsided.methods.table_summary import check_part

__all__ = ["RankedFolder", "rank_to_parquet"]

_MARK = "ranking.json"
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
        New, or one that this function wrote before, which is then replaced.
    columns : Dask data frame or None, default=None
        Columns of the rows to write beside, such as their ids.
    top : int or None, default=None
        Write only rows up to this rank; None writes all.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.

    Returns
    -------
    RankedFolder
    """
    client, target = find_client(client), _prepare(folder)
    most = np.inf if top is None else check_count(top, "top")
    scores, y = client.persist([scores, y])
    judged = scores.to_frame(name="score") if is_frame(scores) else scores[:, None]
    own = _as_parts_beside(judged, columns)
    delayed = require("dask").delayed
    scored = as_parts(judged, y)
    sketch = sketch_parts(scored)
    written = [
        delayed(in_partition(_write, place))(part, beside, sketch, str(target), place, most)
        for place, (part, beside) in enumerate(zip(scored, own, strict=True))
    ]
    with naming_failures("while the ranking was written"):
        n_rows, found = compute(client, delayed((delayed(sum)(written), sketch)))
    ranked = RankedFolder(
        str(folder),
        int(n_rows),
        int(found.n_unlabeled),
        int(min(found.n_unlabeled, N_EXACT)),
        float(found.rank_error),
    )
    with atomic_write(target / _MARK) as draft:
        draft.write_text(json.dumps(asdict(ranked), indent=2))
    return ranked


def _prepare(folder: Any) -> Path:
    """Return an empty folder: a new one, or one of ours without what was in it."""
    target = Path(folder).absolute()  # workers have another folder of their own
    check_no_file(target, " for the ranking")
    if target.exists() and any(target.iterdir()) and not (target / _MARK).exists():
        raise FileExistsError(
            f"{folder} must be new or hold a ranking, got a folder with other files. Name "
            "another folder."
        )
    target.mkdir(parents=True, exist_ok=True)
    (target / _MARK).unlink(missing_ok=True)
    for old in target.glob("part-*.parquet"):
        old.unlink()
    return target


def _as_parts_beside(scores: Any, columns: Any) -> list[Any]:
    """Return a delayed table of columns for each partition of scores, or None for each."""
    n_parts = scores.npartitions if is_frame(scores) else scores.numblocks[0]
    if columns is None:
        return [None] * n_parts
    beside = as_parts(columns)
    if len(beside) != n_parts:
        raise ValueError(
            f"scores and columns must have the same partitions, got {n_parts} and "
            f"{len(beside)}. Take both from one collection."
        )
    return beside


def _write(
    part: Part, beside: Part | None, sketch: ScoreSketch, folder: str, place: int, most: float
) -> int:
    """Write the ranked rows of a partition and return how many there are."""
    import pandas as pd

    table, labels, _ = check_part(*part)
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
    if beside is not None:
        if len(beside.X) != len(scores):
            raise ValueError(
                f"scores and columns must have the same rows, got {len(scores)} and "
                f"{len(beside.X)}."
            )
        own = beside.X.iloc[kept].reset_index(drop=True)
        own = own.rename(columns={name: f"{name}_" for name in _HEAD})
        ranking = pd.concat([ranking, own], axis=1)
    try:
        with atomic_write(Path(folder) / f"part-{place:05d}.parquet") as draft:
            ranking.to_parquet(draft, index=False)
    except OSError as error:
        raise ValueError(f"the ranking cannot be written: {error}") from None
    return len(ranking)
