"""A folder of parquet files as a Dask data frame, each file looked at before any is read."""

from pathlib import Path
from typing import Any, NamedTuple

from lopsided._check import require
from lopsided._terminal import quote

__all__ = ["read_folder"]

_MAX_ROWS = 500_000  # of a partition, unless a row group has more


class _Piece(NamedTuple):
    """Neighboring row groups of a file: what becomes a partition."""

    path: str
    groups: tuple[int, ...]


def read_folder(folder: Any, columns: list[str] | None = None) -> Any:
    """Return the parquet files of a folder as one Dask data frame, in the order of their names.

    Parameters
    ----------
    folder : path
        A folder that all workers see, with files that have the same columns; or one file.
    columns : list of str or None, default=None
        Those to read; None is all of the first file.

    Returns
    -------
    Dask data frame
        A partition holds up to 500,000 rows, or one row group.
    """
    paths = _list_files(Path(folder))
    wanted = _look_at(paths[0])[0] if columns is None else list(columns)
    pieces: list[_Piece] = []
    for path in paths:
        names, sizes = _look_at(path)
        missing = [name for name in wanted if name not in names]
        if missing:
            raise ValueError(
                f"All files must have the columns that are read, got {path} without "
                f"{quote(missing[0])}. Write it again, or leave it out."
            )
        pieces += _cut(path, sizes)
    empty = require("pyarrow.parquet").read_schema(paths[0]).empty_table()
    meta = empty.select(wanted).to_pandas()
    return require("dask.dataframe").from_map(_read, pieces, columns=wanted, meta=meta)


def _list_files(folder: Path) -> list[str]:
    """Return the paths of the parquet files, absolute, since workers have other folders."""
    if folder.is_file():
        return [str(folder.resolve())]
    found = sorted(str(path.resolve()) for path in folder.glob("*.parquet"))
    if not found:
        what = "an empty one" if folder.is_dir() else "none"
        raise FileNotFoundError(
            f"{folder} must be a folder with parquet files (*.parquet), got {what}."
        )
    return found


def _look_at(path: str) -> tuple[list[str], list[int]]:
    """Return the columns of a file and the rows of its row groups."""
    arrow = require("pyarrow")
    try:
        with require("pyarrow.parquet").ParquetFile(path) as file:
            sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
            return file.schema_arrow.names, sizes
    except (arrow.ArrowException, OSError):
        raise ValueError(
            f"{path} must be a whole parquet file, got one that is cut or damaged. Write it "
            "again, or leave it out."
        ) from None


def _cut(path: str, sizes: list[int]) -> list[_Piece]:
    """Return the row groups of a file as partitions."""
    pieces: list[_Piece] = []
    group: list[int] = []
    n_rows = 0
    for place, size in enumerate(sizes):
        if group and n_rows + size > _MAX_ROWS:
            pieces.append(_Piece(path, tuple(group)))
            group, n_rows = [], 0
        group.append(place)
        n_rows += size
    return [*pieces, _Piece(path, tuple(group))]


def _read(piece: _Piece, columns: list[str]) -> Any:
    arrow = require("pyarrow")
    path, groups = piece
    try:
        with require("pyarrow.parquet").ParquetFile(path) as file:
            table = file.read_row_groups(list(groups), columns=columns)
    except (arrow.ArrowException, OSError):
        raise ValueError(
            f"{path} must be a whole parquet file, got one that is damaged. Write it again, or "
            "leave it out."
        ) from None
    return table.to_pandas()[columns]
