"""A folder of parquet files as a Dask data frame, each file looked at before any is read."""

from dataclasses import replace
from typing import Any, NamedTuple

from lopsided._validation import require
from lopsided.workflow.tables.parquet_files import TableFile, find_parquet

__all__ = ["read_folder"]

_MAX_ROWS = 500_000  # of a partition, unless a row group has more


class _Piece(NamedTuple):
    """Neighboring row groups of a file: what becomes a partition."""

    file: TableFile
    groups: tuple[int, ...]


def read_folder(folder: Any, columns: list[str] | None = None) -> Any:
    """Return the parquet files of a folder as one Dask data frame, in the order of their names.

    Folders in it are read too, and those such as year=2024 are a column "year"; names that
    begin with "_" or "." are not. A column has one type in all partitions, row labels of
    pandas are columns if they have a name.

    Parameters
    ----------
    folder : path
        A folder that all workers see, with files that have the same columns; or one file.
    columns : list of str or None, default=None
        Those to read, which all files must have; None is all.

    Returns
    -------
    Dask data frame
        A partition holds up to 500,000 rows, or one row group.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> from pathlib import Path
    >>> table = pd.DataFrame({"amount": [7.5, 12.0, 3.2, 8.8]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for year in (2024, 2025):
    ...         Path(folder, f"year={year}").mkdir()
    ...         table.to_parquet(f"{folder}/year={year}/part.parquet")
    ...     claims = read_folder(folder)
    ...     print(claims.columns.tolist(), claims.npartitions, len(claims))
    ['amount', 'year'] 2 8
    """
    found = find_parquet(folder, columns)
    pieces = [piece for file in found.files for piece in _cut(file)]
    return require("dask.dataframe").from_map(
        _read,
        pieces,
        columns=found.schema.names,
        schema=found.schema,
        meta=found.schema.empty_table().to_pandas(),
    )


def _cut(file: TableFile) -> list[_Piece]:
    """Return the row groups of a file as partitions."""
    file = replace(file, path=file.path.absolute())  # workers have other folders
    pieces: list[_Piece] = []
    group: list[int] = []
    n_rows = 0
    for place, size in enumerate(file.group_sizes):
        if group and n_rows + size > _MAX_ROWS:
            pieces.append(_Piece(file, tuple(group)))
            group, n_rows = [], 0
        group.append(place)
        n_rows += size
    return [*pieces, _Piece(file, tuple(group))]


def _read(piece: _Piece, columns: list[str], schema: Any) -> Any:
    arrow = require("pyarrow")
    wanted = arrow.schema([schema.field(name) for name in columns], schema.metadata)
    rows = piece.file.read_groups(piece.groups, columns)
    # Unsafe: a whole number may become a floating one that is only near to it.
    return rows.cast(wanted, safe=False).to_pandas()
