"""Parquet files as one table: what their columns hold, and why one cannot be read."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lopsided._terminal import abbreviate
from lopsided._validation import check_unique
from lopsided.workflow.tables.parquet_folders import list_parquet

__all__ = ["ParquetFiles", "TableFile", "find_parquet", "plain_type"]

_ROW_LABELS = re.compile(r"__index_level_\d+__|__null_dask_index__")  # those without a name
_NUMBERS = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_decimal,
)


@dataclass(frozen=True)
class TableFile:
    """One of the files.

    Parameters
    ----------
    path : Path
        Where it is.
    schema : pyarrow schema
        Its columns: without row labels that have no name, with those of its folders.
    group_sizes : tuple of int
        The rows of its row groups.
    folder_values : dict
        What the names of its folders say of all its rows: year=2024 is a column "year".
    """

    path: Path
    schema: pa.Schema
    group_sizes: tuple[int, ...]
    folder_values: dict[str, Any]

    @property
    def n_rows(self) -> int:
        """Its rows."""
        return sum(self.group_sizes)

    def batches(
        self, names: Sequence[str], n_rows: int, dictionaries: Sequence[str] = ()
    ) -> Iterator[pa.Table]:
        """Give some columns batch by batch, some of them as dictionaries."""
        with (
            _naming(self.path),
            pq.ParquetFile(self.path, read_dictionary=list(dictionaries)) as file,
        ):
            for batch in file.iter_batches(n_rows, columns=self._inside(names)):
                yield self._complete(pa.Table.from_batches([batch]), names)

    def read_groups(self, groups: Sequence[int], names: Sequence[str]) -> pa.Table:
        """Return some columns of some row groups."""
        with _naming(self.path), pq.ParquetFile(self.path) as file:
            found = file.read_row_groups(list(groups), columns=self._inside(names))
        return self._complete(found, names)

    def _inside(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in self.folder_values]

    def _complete(self, rows: pa.Table, names: Sequence[str]) -> pa.Table:
        for name in names:
            if name in self.folder_values:
                value = pa.scalar(self.folder_values[name], self.schema.field(name).type)
                rows = rows.append_column(name, pa.repeat(value, rows.num_rows))
        return rows.select(list(names))


@dataclass(frozen=True)
class ParquetFiles:
    """Parquet files with the same columns, one after the other.

    Parameters
    ----------
    files : tuple of TableFile
        The files, in the order of their rows.
    schema : pyarrow schema
        Columns of types that hold those of all files.
    kinds : dict of str to str
        What each column holds: "number", "category", or another type by its name.
    """

    files: tuple[TableFile, ...]
    schema: pa.Schema
    kinds: dict[str, str]

    @property
    def n_rows(self) -> int:
        """The rows of all files."""
        return sum(file.n_rows for file in self.files)


def find_parquet(source: Any, columns: Iterable[str] | None = None) -> ParquetFiles:
    """Return a file, a folder of them, a list of them or a dataset of Arrow as one table.

    Only footers are read. Files are in the order of their names, those of folders in folders
    too, but none whose name or folder begins with "_" or ".", which engines leave beside
    theirs. Folders such as year=2024 are a column "year". All files must have the same columns,
    or those that are asked for, with numbers where the others have numbers; one where a file
    has no value at all may be of any kind there.
    """
    files = [_look_at(path, values) for path, values in list_parquet(source)]
    names = [*files[0].schema.names] if columns is None else list(columns)
    for file in files:
        check_unique(file.schema.names)
        _check_names(file, files[0], names, all_of_them=columns is None)
    fields = [pa.field(name, _common_type(name, files)) for name in names]
    first = files[0].schema
    same = [one.name for one in fields if one.type == first.field(one.name).type]
    schema = pa.schema(fields, metadata=_pandas_types(first, same))
    return ParquetFiles(tuple(files), schema, {one.name: _kind_of(one.type) for one in fields})


def _look_at(path: Path, values: dict[str, Any]) -> TableFile:
    with _naming(path), pq.ParquetFile(path) as file:
        inside = [one for one in file.schema_arrow if not _ROW_LABELS.fullmatch(one.name)]
        groups = range(file.num_row_groups)
        sizes = tuple(file.metadata.row_group(place).num_rows for place in groups)
        metadata = file.schema_arrow.metadata
    own = {one.name for one in inside}  # which say more than a folder of the same name
    beside = {name: value for name, value in values.items() if name not in own}
    fields = [pa.field(name, pa.scalar(value).type) for name, value in beside.items()]
    return TableFile(path, pa.schema([*inside, *fields], metadata), sizes, beside)


def _check_names(
    file: TableFile, first: TableFile, names: list[str], *, all_of_them: bool
) -> None:
    here = file.schema.names
    lacking = [name for name in names if name not in here]
    added = [name for name in here if name not in names] if all_of_them else []
    if lacking or added:
        name = (lacking or added)[0]
        path = file.path if lacking else first.path
        raise ValueError(
            f"All files must have the same columns, got {path} without {abbreviate(name)!r}, "
            "unlike others. Add it there, or leave one of the files out."
        )


def _common_type(name: str, files: list[TableFile]) -> Any:
    """Return a type that holds a column of all files, or name two that do not go together."""
    found: dict[Any, TableFile] = {}
    for file in files:
        found.setdefault(file.schema.field(name).type, file)
    types = [kind for kind in found if not pa.types.is_null(kind)] or [pa.null()]
    if len(types) == 1:
        return types[0]
    kinds = {_kind_of(kind) for kind in types}
    try:
        plain = [pa.schema([(name, plain_type(kind))]) for kind in types]
        common = pa.unify_schemas(plain, promote_options="permissive").field(0).type
    except pa.ArrowException:
        common = pa.float64() if kinds == {"number"} else None
    if common is None or (len(kinds) > 1 and kinds & {"number", "category"}):
        one, other = types[0], next(t for t in types if _kind_of(t) != _kind_of(types[0]))
        raise ValueError(
            f"Column {abbreviate(name)!r} must be of one kind in all files, got "
            f"{_kind_of(one)} in {found[one].path} and {_kind_of(other)} in "
            f"{found[other].path}. Write it alike in both."
        )
    return common


def _pandas_types(schema: pa.Schema, names: list[str]) -> dict[bytes, bytes] | None:
    """Return what pandas noted of columns, such as whole numbers that may be missing."""
    try:
        noted = json.loads((schema.metadata or {})[b"pandas"])
        columns = [one for one in noted["columns"] if one.get("field_name") in names]
    except (KeyError, ValueError, TypeError):
        return None
    facts = {**noted, "columns": columns, "index_columns": [], "column_indexes": []}
    return {b"pandas": json.dumps(facts).encode()}


def _kind_of(kind: Any) -> str:
    if pa.types.is_dictionary(kind) or _is_text(kind):
        return "category"
    return "number" if any(is_one(kind) for is_one in _NUMBERS) else str(kind)


def plain_type(kind: Any) -> Any:
    """Return what a dictionary stands for, or the type itself."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Say in a sentence why a file cannot be read."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise ValueError(_say_unreadable(path, error)) from None


def _say_unreadable(path: Path, error: Exception) -> str:
    if path.is_file() and os.access(path, os.R_OK):
        with open(path, "rb") as file:
            head = file.read(4)
        if head not in (b"PAR1", b"PARE", b""):
            return (
                f"{path} must be a parquet file, got one of another kind. Write the table as "
                "parquet, or, where it fits into memory, give it to lopsided.fit."
            )
    shown = " ".join(str(error).split()).removesuffix(".") or type(error).__name__
    return (
        f"{path} must be a whole parquet file, got one that cannot be read: "
        f"{abbreviate(shown)}. Write it again, or leave it out."
    )
