"""The result table: the only bridge between running a study and telling what came out."""

import json
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from lopsided._files import atomic_write

__all__ = [
    "Row",
    "append_rows",
    "as_table",
    "finished_keys",
    "read_parts",
    "read_table",
    "write_table",
]


class Row(NamedTuple):
    """One number of the result table."""

    dataset: str
    mechanism: str
    hidden: float
    method: str
    label: str
    prior_factor: float
    repeat: int
    metric: str
    value: float
    seconds: float
    status: str
    message: str
    key: str
    versions: str


_ORDER = ["dataset", "repeat", "label", "mechanism", "hidden", "prior_factor", "metric"]
_TYPES = {name: (int, float) if t is float else t for name, t in get_type_hints(Row).items()}


def as_table(rows: Iterable[Row]) -> Any:
    """Return rows as a data frame in an order that does not depend on how they came."""
    import pandas as pd

    table = pd.DataFrame(list(rows), columns=list(Row._fields))
    return table.sort_values(_ORDER, kind="stable", ignore_index=True)


def append_rows(path: Path, rows: Iterable[Row]) -> None:
    """Add the rows of one trial to a file, as one line that is whole or will be overlooked.

    Parameters
    ----------
    path : Path
        A file of lines, one for each trial.
    rows : iterable of Row
        The rows.
    """
    line = json.dumps([list(row) for row in rows]) + "\n"
    with _telling_where(path), open(path, "ab+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":  # the last run was cut off in the middle of a line
                file.write(b"\n")
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())


def read_parts(folder: Path) -> list[Row]:
    """Return the rows of every whole line in a folder of such files."""
    rows = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                rows += [_as_row(values) for values in json.loads(line)]
            except (ValueError, TypeError, RecursionError):
                continue  # cut off or damaged: that trial is run again
    return rows


def _as_row(values: Any) -> Row:
    row = Row(*values)
    for (name, kinds), value in zip(_TYPES.items(), row, strict=True):
        if not isinstance(value, kinds):
            raise TypeError(f"{name} must not be {value!r}.")
    return row


def finished_keys(rows: Iterable[Row], metrics: Collection[str]) -> set[str]:
    """Return the keys of the trials that have a row for every metric of their study.

    Parameters
    ----------
    rows : iterable of Row
        Of any trials, in any order.
    metrics : collection of str
        Those of the study.
    """
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row.key, set()).add(row.metric)
    return {key for key, measured in found.items() if measured.issuperset(metrics)}


def write_table(table: Any, path: Path) -> None:
    """Write a table as parquet, whole or not at all."""
    with _telling_where(path), atomic_write(path) as draft:
        table.to_parquet(draft, index=False, compression="zstd")


@contextmanager
def _telling_where(path: Path) -> Iterator[None]:
    """Name the file that could not be written, and say that nothing is lost."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        told = f"{why}; what was finished before is kept"
        raise OSError(error.errno, told, str(path)) from error


def read_table(path: str | Path) -> Any:
    """Read a table from its file, or from the folder of a study.

    Parameters
    ----------
    path : path
        A parquet file with the columns of `Row`, or a folder with `table.parquet`.
    """
    import pandas as pd

    file = Path(path)
    file = file / "table.parquet" if file.is_dir() else file
    if not file.is_file():
        raise FileNotFoundError(
            f"No results are at {file}. Run the study first: lopsided bench."
        )
    wanted, advice = f"{file} must be a table of results", "Remove it and run the study again."
    try:
        table = pd.read_parquet(file)
    except Exception as error:  # damage shows in more ways than pyarrow documents
        why = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{wanted}, and cannot be read: {why}. {advice}") from error
    missing = set(Row._fields) - set(table.columns)
    if missing:
        raise ValueError(f"{wanted}; it lacks {sorted(missing)}. {advice}")
    table = table[list(Row._fields)]
    wrong = [name for name in Row._fields if len(table) and not _has_type(table[name])]
    if wrong:
        raise ValueError(f"{wanted}; {wrong} are of another type. {advice}")
    return table


def _has_type(column: Any) -> bool:
    """Say whether a column holds what its rows are to hold."""
    import pandas as pd

    if _TYPES[str(column.name)] is str:
        return pd.api.types.infer_dtype(column, skipna=False) == "string"
    return pd.api.types.is_numeric_dtype(column)
