"""From a file to a ranking: what `lopsided rank` does."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lopsided._check import check_choice
from lopsided.methods.registry import list_methods
from lopsided.ranking import rank_unlabeled
from lopsided.tables import check_output, find_columns, prepare, read_table, write_table

__all__ = ["RankedTable", "rank_table"]


class RankedTable(NamedTuple):
    """The unlabeled rows, best first, and a sentence on what was done."""

    ranking: Any
    summary: str


def rank_table(
    table: str,
    *,
    label: str,
    positive: str | None = None,
    id_column: str | None = None,
    drop: tuple[str, ...] = (),
    method: str = "focused",
    top: int | None = None,
    output: str | None = None,
    **options: Any,
) -> RankedTable:
    """Rank the unlabeled rows of a csv or parquet file: rank, id, score, the row's own columns.

    See `tables.prepare` for the columns, each of `drop` a name or, with commas, several;
    `ranking.rank_unlabeled` for the options. `output` is written whole or not at all.
    """
    if top is not None and top < 1:
        raise ValueError(f"top must be at least 1 row, got {top}.")
    check_choice(method, list_methods(), "method")
    frame = read_table(table)
    if output is not None:
        check_output(output, table)
    task = prepare(frame, label, positive, id_column, find_columns(drop, frame.columns))
    scores = rank_unlabeled(task.X, task.y, method, **options)
    row_labels = _name_row_labels(frame)
    own = frame.reset_index(names=row_labels) if row_labels else frame
    ranking = _ranking(own, task.ids, scores, id_column)
    if top is not None:
        ranking = ranking.head(top)
    summary = (
        f"{method} ranked {int((task.y == 0).sum())} unlabeled rows, learning from "
        f"{int(task.y.sum())} labeled positives and {task.X.shape[1]} columns."
    )
    if task.dropped:
        summary += f" Left out, as blank or different in most rows: {', '.join(task.dropped)}."
    if row_labels:
        summary += f" Row labels are kept as {', '.join(row_labels)}, and not learned from."
    for name in task.suspected_ids:
        summary += (
            f" Column {name!r} is another whole number in each row: if it only names rows, say "
            f"--id {name} or --drop {name}."
        )
    if output is not None:
        write_table(ranking, output)
        summary += f" Written to {output}."
    return RankedTable(ranking, summary)


def _ranking(frame: Any, ids: Any, scores: Any, id_column: str | None) -> Any:
    """Return the unlabeled rows in order: rank, id, score and the row's own columns."""
    order = np.argsort(-scores, kind="stable")
    order = order[~np.isnan(scores[order])]
    own = frame.drop(columns=[id_column]) if id_column else frame
    own = own.set_axis(_names_beside(list(own.columns)), axis=1)
    places = np.arange(1, len(order) + 1)
    head = pd.DataFrame({"rank": places, "id": ids.array[order], "score": scores[order]})
    return pd.concat([head, own.iloc[order].reset_index(drop=True)], axis=1)


def _name_row_labels(frame: Any) -> list[str]:
    """Return names for the levels of an index, none if it only counts rows from 0."""
    if frame.index.equals(pd.RangeIndex(len(frame))):
        return []
    names: list[str] = []
    for level in range(frame.index.nlevels):
        name = f"row_label_{level + 1}" if frame.index.nlevels > 1 else "row_label"
        while name in frame:
            name += "_"
        names.append(name)
    return names


def _names_beside(names: list[str]) -> list[str]:
    """Return the names with an underscore or more where the ranking's own would hide them."""
    taken = {"rank", "id", "score", *names}
    renamed = []
    for name in names:
        if name in ("rank", "id", "score"):
            while name in taken:
                name += "_"
            taken.add(name)
        renamed.append(name)
    return renamed
