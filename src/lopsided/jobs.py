"""The main jobs behind the command line: from a file to a ranking."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lopsided._check import check_choice
from lopsided._files import check_writable
from lopsided.datasets import load
from lopsided.features import find_columns, prepare
from lopsided.labeling import SCAR
from lopsided.methods.registry import list_methods
from lopsided.metrics import average_precision, precision_at_k
from lopsided.ranking import rank_unlabeled
from lopsided.tables import check_output, read_table, write_table

__all__ = ["RankedTable", "rank_table", "run_demo"]


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
    prior: float | None = None,
    top: int | None = None,
    folds: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    output: str | None = None,
) -> RankedTable:
    """Rank the unlabeled rows of a csv or parquet file.

    Parameters
    ----------
    table : path
        The file.
    label, positive, id_column
        See `lopsided.features.prepare`.
    drop : tuple of str
        Columns to leave out; each is a name or, with commas, several.
    method, prior, folds, n_jobs, random_state
        See `lopsided.ranking.rank_unlabeled`.
    top : int, optional
        Keep only so many rows.
    output : path, optional
        Where to write the ranking as csv or parquet, whole or not at all.

    Returns
    -------
    RankedTable
        Columns `rank`, `id`, `score`, then the row's own.
    """
    if top is not None and top < 1:
        raise ValueError(f"top must be at least 1 row, got {top}.")
    check_choice(method, list_methods(), "method")
    frame = read_table(table)
    if output is not None:
        check_output(output, table)
    task = prepare(frame, label, positive, id_column, find_columns(drop, frame.columns))
    scores = rank_unlabeled(
        task.X,
        task.y,
        method,
        prior=prior,
        folds=folds,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    row_labels = _name_row_labels(frame)
    own = frame.reset_index(names=row_labels) if row_labels else frame
    ranking = _ranking(own, task.ids, scores, id_column)
    if top is not None:
        ranking = ranking.head(top)
    summary = (
        f"{method} ranked {int((task.y == 0).sum())} unlabeled rows, learning from "
        f"{int(task.y.sum())} labeled positives and {task.X.shape[1]} columns."
    )
    if task.left_out:
        summary += f" Left out, as blank or different in most rows: {', '.join(task.left_out)}."
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
    import pandas as pd

    order = np.argsort(-scores, kind="stable")
    order = order[~np.isnan(scores[order])]
    own = frame.drop(columns=[id_column]) if id_column else frame
    own = own.set_axis(_names_beside(list(own.columns)), axis=1)
    head = pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "id": ids.array[order],
            "score": scores[order],
        }
    )
    return pd.concat([head, own.iloc[order].reset_index(drop=True)], axis=1)


def _name_row_labels(frame: Any) -> list[str]:
    """Return names for the levels of an index, none if it only counts rows from 0."""
    import pandas as pd

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


def run_demo(out: str, method: str = "focused", random_state: int = 0) -> str:
    """Hide three of four labels of a bundled table, rank its rows, and tell what was caught.

    Parameters
    ----------
    out : path
        Folder for `table.csv`, the table as a user would have it, and `ranking.csv`. Only those
        of an earlier demo are written over.
    method : str, default="focused"
        A name of the registry.
    random_state : int, default=0
        Seed of the hiding and the fits.

    Returns
    -------
    str
        What to print.
    """
    import pandas as pd

    check_choice(method, list_methods(), "method")
    data = load("digits-8")
    y = SCAR(hidden=0.75).draw(data.X, data.y_true, random_state)
    folder = Path(out)
    frame = pd.DataFrame(data.X, columns=list(data.feature_names))
    frame.insert(0, "digit", np.arange(len(frame)))
    frame["known"] = y
    for name in ("table.csv", "ranking.csv"):
        _check_demo_file(folder / name, [*data.feature_names, "known"])
    write_table(frame, folder / "table.csv")
    done = rank_table(
        str(folder / "table.csv"),
        label="known",
        id_column="digit",
        method=method,
        prior=None,
        random_state=random_state,
        output=str(folder / "ranking.csv"),
    )
    hidden = data.y_true[done.ranking["id"].to_numpy(int)]
    return _story(data, y, done.ranking, hidden, folder)


def _check_demo_file(file: Path, columns: list[str]) -> None:
    """Raise an error unless a file is new or, having the demo's columns, from a demo."""
    if not check_writable(file).exists():
        return
    with open(file, encoding="utf-8", errors="replace") as lines:
        header = lines.readline(2**16).strip().split(",")
    if not set(columns) <= set(header):
        raise FileExistsError(
            f"{file} must be new or from an earlier demo, got another file. Name another "
            "folder (--out)."
        )


def _story(data: Any, y: Any, ranking: Any, hidden: Any, folder: Path) -> str:
    """Say what the demo found, with the truth that only a demo knows."""
    n_hidden, n_rows = int(hidden.sum()), len(hidden)
    scores = -np.arange(n_rows)
    caught = round(precision_at_k(hidden, scores, n_hidden) * n_hidden)
    lines = [
        f"{data.title}: {data.n_rows} rows, {int(data.y_true.sum())} positives, of which only "
        f"{int(y.sum())} are labeled.",
        "",
        "Look at these first:",
        f"{'rank':>6} {'id':>6} {'score':>8}   in truth",
        *(
            f"{row.rank:>6} {row.id:>6} {row.score:>8.4f}   "
            f"{'a hidden positive' if truth else 'a negative'}"
            for row, truth in zip(ranking.head(10).itertuples(), hidden[:10], strict=True)
        ),
        "",
        f"The first {n_hidden} of {n_rows} rows hold {caught} of the {n_hidden} hidden "
        f"positives; chance would give {n_hidden * n_hidden / n_rows:.0f}.",
        f"Average precision {average_precision(hidden, scores):.3f}; "
        f"chance would give {n_hidden / n_rows:.3f}.",
        f"The whole ranking: {folder / 'ranking.csv'}",
    ]
    return "\n".join(lines)
