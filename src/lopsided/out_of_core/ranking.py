"""Rank the rows of parquet files by a fitted model, in batches, into a parquet file."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lopsided._files import atomic_write, check_writable
from lopsided._math import best_first, sigmoid
from lopsided._progress import Bar
from lopsided._sketch import N_EXACT, ScoreSketch
from lopsided._terminal import abbreviate
from lopsided._validation import check_count
from lopsided.out_of_core.fitting import read_label_column
from lopsided.out_of_core.parquet import ParquetTable, open_parquet
from lopsided.workflow.tables.columns import names_beside
from lopsided.workflow.tables.parquet_folders import check_outside

__all__ = ["StreamedRanking", "rank_parquet"]

_PLACE = "\0"  # in a batch: a table of Arrow without columns has no rows
_NUMBERS = {"rank": pa.int64(), "score": pa.float64(), "probability": pa.float64()}


class StreamedRanking(NamedTuple):
    """What was written.

    Attributes
    ----------
    path : Path
        The file.
    n_rows : int
        Rows that were ranked, whether written or not.
    n_written : int
        Rows in the file.
    n_exact : int
        Rows from the top that are sorted, with exact ranks.
    rank_error : int
        How far the ranks of the others may be off.

    Examples
    --------
    >>> from pathlib import Path
    >>> done = StreamedRanking(Path("ranked.parquet"), 20_000_000, 1000, 1000, 2500)
    >>> done.n_written == done.n_exact  # all that was written is in order, with exact ranks
    True
    """

    path: Path
    n_rows: int
    n_written: int
    n_exact: int
    rank_error: int

    def __str__(self) -> str:
        beyond = self.n_written - self.n_exact
        rest = (
            f"; the ranks of the other {beyond:,} are off by at most {self.rank_error:,}"
            if beyond
            else ""
        )
        return (
            f"{self.n_rows:,} rows ranked, the first {self.n_exact:,} in order{rest}. Written "
            f"to {self.path}."
        )


def rank_parquet(
    model: Any,
    source: Any,
    output: str | os.PathLike[str],
    *,
    keep: str | Iterable[str] = (),
    label: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    top: int | None = None,
    n_exact: int = N_EXACT,
    folder: str | os.PathLike[str] | None = None,
) -> StreamedRanking:
    """Rank the rows of parquet files by a fitted model, into a parquet file.

    Batches are scored one after the other. The first `n_exact` rows come first in the file, in
    order and with exact ranks; the others follow in the order of the table, with ranks from a
    summary of all scores that are off by at most `rank_error` rows, for 20 million rows less
    than one of 2,500. Tied rows of the first part are ranked in the order of the table, those
    of the other share a rank. The file is written whole or not at all.

    The model may have learned from these rows, as unlabeled ones: among hundreds of thousands
    a row of its own weighs little. Use `lopsided.rank_unlabeled` for a small table.

    Parameters
    ----------
    model : fitted method
        Of `fit_parquet`, `fit` on a data frame, or `lopsided.load`.
    source : path, list of paths or pyarrow Dataset
        As in `fit_parquet`, with the columns that the model knows.
    output : path
        The parquet file to write: the columns rank, score, probability and those of `keep`.
        It must be outside of the folder of the table.
    keep : str or iterable of str, default=()
        Columns of the table to write beside, such as ids; one of them that is called rank,
        score or probability is written with an underscore, as "rank_".
    label : str or None, default=None
        The column of labels: labeled and reviewed rows are left out. None ranks all rows.
    positive, negative : str or None, default=None
        As in `fit_parquet`.
    top : int or None, default=None
        Only so many rows, all of them in order.
    n_exact : int, default=100_000
        Rows from the top that are sorted.
    folder : path or None, default=None
        Where scores are kept on the way, 8 bytes a row; None is the system's.

    Returns
    -------
    StreamedRanking
        How many rows were written, and how exact ranks are.

    Examples
    --------
    >>> import lopsided, numpy as np, pandas as pd, tempfile
    >>> values = np.random.default_rng(0).normal(size=(500, 3))
    >>> table = pd.DataFrame(values, columns=list("abc")).assign(claim=range(500))
    >>> y = (table["a"] > 1.5).astype(int)
    >>> model = lopsided.build("naive-logistic").fit(table[["a", "b", "c"]], y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claims, ranked = f"{folder}/claims.parquet", f"{folder}/ranked.parquet"
    ...     table.to_parquet(claims)
    ...     done = rank_parquet(model, claims, ranked, keep=["claim"], top=9)
    ...     first = pd.read_parquet(done.path)
    >>> first.columns.tolist(), len(first)
    (['rank', 'score', 'probability', 'claim'], 9)
    """
    table, target = open_parquet(source), check_writable(output)
    _check_not_source(target, table)
    check_outside(target, source)
    kept = list(dict.fromkeys(table.check_columns(keep)))
    names = _features_of(model, table)
    n_sorted = check_count(n_exact, "n_exact") if top is None else check_count(top, "top")
    listed = None
    if label is not None:
        given = (label, positive, negative)
        listed = read_label_column(table, *given, need_labeled=False) == 0
    with tempfile.NamedTemporaryFile(prefix="lopsided-", dir=folder) as file:
        shape = (table.n_rows,)
        scores = np.memmap(file.name, np.float64, "w+", shape=shape)
        sketch = _score(model, table, names, listed, scores, n_sorted)
        if not sketch.n_rows:
            raise ValueError("The table must hold unlabeled rows to rank, got none.")
        first = _find_first(scores, listed, n_sorted)
        ranking = StreamedRanking(
            Path(output),
            int(sketch.n_rows),
            len(first) if top is not None else int(sketch.n_rows),
            len(first),
            int(np.ceil(sketch.rank_error)),
        )
        with atomic_write(output) as draft:
            _write(draft, table, kept, scores, listed, first, sketch, whole=top is None)
        del scores
    return ranking


def _check_not_source(target: Path, table: ParquetTable) -> None:
    if target.exists() and any(
        os.path.samefile(target, file.path) for file in table.parquet.files
    ):
        raise ValueError(f"{target} is one of the files of the table. Write to another file.")


def _features_of(model: Any, table: ParquetTable) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            "The model must know its columns by name, got one that was fitted on an array. Fit "
            "it on a data frame or by fit_parquet."
        )
    missing = [name for name in names if name not in table.kinds]
    if missing:
        raise ValueError(
            f"The table must have the columns that the model was fitted on, got none named "
            f"{abbreviate(missing[0])!r}. Add it."
        )
    return [str(name) for name in names]


def _score(
    model: Any,
    table: ParquetTable,
    names: list[str],
    listed: NDArray[np.bool_] | None,
    scores: NDArray[np.float64],
    n_exact: int,
) -> ScoreSketch:
    """Fill in the scores of all rows, and return a sketch of those that are listed."""
    sketch, start = ScoreSketch(n_exact=n_exact), 0
    with Bar(table.n_rows, "scoring rows") as bar:
        for frame in table.frames(names):
            end = start + len(frame)
            own = model.decision_function(frame)
            scores[start:end] = own
            counted = own if listed is None else own[listed[start:end]]
            sketch.update(counted, np.zeros(len(counted), np.int8))
            bar.advance(len(frame))
            start = end
    return sketch


def _find_first(
    scores: NDArray[np.float64], listed: NDArray[np.bool_] | None, n_first: int
) -> NDArray[np.intp]:
    """Return the positions of the highest scores from the first on, tied ones as they come."""
    places, values = np.empty(0, np.intp), np.empty(0)
    size = max(2**20, n_first)
    for start in range(0, len(scores), size):
        block = np.asarray(scores[start : start + size])
        own = np.arange(start, start + len(block))
        if listed is not None:
            own = own[listed[start : start + size]]
        places, values = np.r_[places, own], np.r_[values, block[own - start]]
        order = best_first(values)[:n_first]
        order.sort()  # as they come, for the next block
        places, values = places[order], values[order]
    return places[best_first(values)]


def _write(
    draft: Path,
    table: ParquetTable,
    kept: list[str],
    scores: NDArray[np.float64],
    listed: NDArray[np.bool_] | None,
    first: NDArray[np.intp],
    sketch: ScoreSketch,
    whole: bool,
) -> None:
    in_order = np.sort(first)
    taken = _take(table, kept, in_order)
    sorted_rows = taken.take(pa.array(np.searchsorted(in_order, first)))
    top = _add_numbers(sorted_rows, np.arange(1, len(first) + 1), scores[first])
    with pq.ParquetWriter(draft, top.schema) as writer:
        writer.write_table(top)
        del top, taken, sorted_rows
        if not whole:
            return
        rest = np.ones(len(scores), bool) if listed is None else listed.copy()
        rest[first] = False
        for batch, start in _batches(table, kept):
            own = np.flatnonzero(rest[start : start + batch.num_rows])
            values = np.asarray(scores[start : start + batch.num_rows])[own]
            # Behind the sorted rows, those tied with the last of them included.
            ranks = np.maximum(np.rint(sketch.rank_unlabeled(values)), len(first) + 1)
            writer.write_table(_add_numbers(batch.take(pa.array(own)), ranks, values))


def _batches(table: ParquetTable, kept: list[str]) -> Iterator[tuple[pa.Table, int]]:
    """Give the kept columns batch by batch, with the position of its first row."""
    start = 0
    # A column is read for the number of rows where none is kept.
    for batch in table.read(kept or list(table.kinds)[:1], 2**18):
        columns = {name: batch.column(name).cast(table.type_of(name)) for name in kept}
        columns[_PLACE] = np.arange(batch.num_rows)
        yield pa.table(columns), start
        start += batch.num_rows


def _take(table: ParquetTable, kept: list[str], positions: NDArray[np.intp]) -> pa.Table:
    """Return the kept columns of the rows at rising positions."""
    parts = []
    for batch, start in _batches(table, kept):
        low, high = np.searchsorted(positions, (start, start + batch.num_rows))
        parts.append(batch.take(pa.array(positions[low:high] - start)))
    return pa.concat_tables(parts)


def _add_numbers(rows: pa.Table, ranks: Any, scores: Any) -> pa.Table:
    values = (ranks, scores, sigmoid(np.asarray(scores)))
    numbers = {
        name: pa.array(np.asarray(own), kind, from_pandas=False)
        for (name, kind), own in zip(_NUMBERS.items(), values, strict=True)
    }
    kept = [name for name in rows.column_names if name != _PLACE]
    columns = zip(
        names_beside(kept, _NUMBERS), (rows.column(name) for name in kept), strict=True
    )
    return pa.table({**numbers, **dict(columns)})
