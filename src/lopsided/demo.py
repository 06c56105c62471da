"""A demonstration: hide labels of a bundled table, rank it, and see what was caught."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lopsided._check import check_choice
from lopsided._files import check_writable
from lopsided.datasets import load
from lopsided.labeling import SCAR
from lopsided.methods.registry import list_methods
from lopsided.metrics import average_precision, precision_at_k
from lopsided.table_ranking import rank_table
from lopsided.tables import write_table

__all__ = ["run_demo"]


def run_demo(out: str, method: str = "focused", random_state: int = 0) -> str:
    """Hide three of four labels of a bundled table, rank its rows, and tell what was caught.

    The folder gets `table.csv`, the table as a user would have it, and `ranking.csv`. Only
    those of an earlier demo are written over.
    """
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
        random_state=random_state,
        output=str(folder / "ranking.csv"),
    )
    return _demo_text(data, y, done.ranking, folder)


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


def _demo_text(data: Any, y: Any, ranking: Any, folder: Path) -> str:
    """Say what the demo found, with the truth that only a demo knows."""
    hidden = data.y_true[ranking["id"].to_numpy(int)]
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
