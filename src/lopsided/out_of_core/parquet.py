"""Parquet files as one table that is read in batches, its columns the same in all of them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from lopsided._check import check_choice, check_unique
from lopsided._terminal import abbreviate, list_some

__all__ = ["ParquetTable", "open_parquet"]

_BATCH_VALUES = 2**23  # of a batch: 32 MB in single precision
_LEAST_ROWS, _MOST_ROWS = 2**10, 2**20
_MAX_LEVELS = 10_000


@dataclass(frozen=True)
class ParquetTable:
    """Parquet files with the same columns, one after the other.

    Parameters
    ----------
    files : tuple of Path
        The files, in the order of their rows.
    kinds : dict of str to str
        What each column holds: "number", "category", or another type by its name.
    n_rows_of : tuple of int
        The rows of each file.
    single : frozenset of str
        The columns of numbers that single precision holds as they are.
    types : dict of str to pyarrow type
        The type that holds a column of all files, dictionaries as what they stand for.
    """

    files: tuple[Path, ...]
    kinds: dict[str, str]
    n_rows_of: tuple[int, ...]
    single: frozenset[str]
    types: dict[str, Any]

    @property
    def n_rows(self) -> int:
        """The rows of all files."""
        return sum(self.n_rows_of)

    def check_columns(self, names: Iterable[str], what: str = "column") -> list[str]:
        """Return names of columns that there are, or name the nearest ones."""
        return [check_choice(name, self.kinds, what) for name in names]

    def features(self, left_out: Iterable[str]) -> list[str]:
        """Return the columns to learn from, or say which cannot be read."""
        gone = set(left_out)
        names = [name for name in self.kinds if name not in gone]
        odd = [name for name in names if self.kinds[name] not in ("number", "category")]
        if odd:
            raise ValueError(
                f"Columns to learn from must hold numbers, texts or categories, got "
                f"{self.kinds[odd[0]]} in {list_some(odd, 80)}. Turn them into numbers, or "
                "leave them out (drop)."
            )
        if not names:
            raise ValueError("The table must have columns to learn from, got none.")
        return names

    def read(self, names: Sequence[str], n_rows: int | None = None) -> Iterator[pa.Table]:
        """Give some columns batch by batch, texts as dictionaries."""
        size = n_rows or int(
            np.clip(_BATCH_VALUES // max(len(names), 1), _LEAST_ROWS, _MOST_ROWS)
        )
        texts = [name for name in names if self.kinds[name] == "category"]
        for path in self.files:
            try:
                with pq.ParquetFile(path, read_dictionary=texts) as file:
                    for batch in file.iter_batches(size, columns=list(names)):
                        yield pa.Table.from_batches([batch]).select(list(names))
            except (pa.ArrowException, OSError) as error:
                raise ValueError(_say_unreadable(path, error)) from None

    def frames(self, names: Sequence[str], n_rows: int | None = None) -> Iterator[Any]:
        """Give some columns as data frames: numbers as floats, texts as categories."""
        for batch in self.read(names, n_rows):
            yield self.to_frame(batch)

    def to_frame(self, batch: pa.Table) -> Any:
        """Return a batch as a data frame."""
        names = batch.column_names
        numbers = {name for name in names if self.kinds[name] == "number"}
        dtype = np.float32 if numbers <= self.single else np.float64
        if len(numbers) == len(names):
            values = np.empty((batch.num_rows, len(names)), dtype, order="F")
            for place, name in enumerate(names):
                values[:, place] = _as_floats(batch.column(name), dtype)
            return pd.DataFrame(values, columns=names, copy=False)
        columns = {
            name: _as_floats(batch.column(name), dtype)
            if name in numbers
            else batch.column(name).to_pandas().astype("category")
            for name in names
        }
        return pd.DataFrame(columns)

    def gather(
        self, positions: Any, names: Sequence[str], levels: dict[str, Any] | None = None
    ) -> Any:
        """Return the rows at rising positions as a data frame.

        With `levels` the values of categories in the whole table are added to it, and are those
        of the frame.
        """
        parts, start = [], 0
        for batch in self.read(names):
            end = start + batch.num_rows
            low, high = np.searchsorted(positions, (start, end))
            parts.append(batch.take(pa.array(positions[low:high] - start)))
            if levels is not None:
                self._add_levels(batch, levels)
            start = end
        frame = pd.concat([self.to_frame(part) for part in _without_empty(parts)])
        for name in names:
            if self.kinds[name] == "category":
                known = frame[name].unique() if levels is None else levels[name]
                kind = pd.CategoricalDtype([value for value in known if not pd.isna(value)])
                frame[name] = frame[name].astype(kind)
        return frame.reset_index(drop=True)

    def _add_levels(self, batch: pa.Table, levels: dict[str, Any]) -> None:
        for name in batch.column_names:
            if self.kinds[name] == "category":
                own = levels.setdefault(name, {})
                own.update(dict.fromkeys(batch.column(name).unique().to_pylist()))
                own.pop(None, None)
                if len(own) > _MAX_LEVELS:
                    raise ValueError(
                        f"A category must have at most {_MAX_LEVELS:,} different values, got "
                        f"more in column {abbreviate(name)!r}. Leave it out (drop), or turn it "
                        "into numbers."
                    )


def _without_empty(parts: list[pa.Table]) -> list[pa.Table]:
    return [part for part in parts if part.num_rows] or parts[:1]


def _as_floats(column: pa.ChunkedArray, dtype: Any) -> Any:
    """Return numbers as floats, missing ones as NaN."""
    if pa.types.is_boolean(column.type) or pa.types.is_decimal(column.type):
        column = column.cast(pa.uint8() if pa.types.is_boolean(column.type) else pa.float64())
    return column.to_numpy().astype(dtype, copy=False)


def open_parquet(source: Any) -> ParquetTable:
    """Return a file, a folder of them, a list of them or a dataset of Arrow as one table.

    Files are read in the order of their names, folders in folders too. All must have the same
    columns, with numbers where the others have numbers.
    """
    files = _list_files(source)
    schemas, counts = [], []
    for path in files:
        try:
            with pq.ParquetFile(path) as file:
                schemas.append(file.schema_arrow)
                counts.append(file.metadata.num_rows)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(_say_unreadable(path, error)) from None
    first = schemas[0]
    check_unique(first.names)
    kinds = {one.name: _kind_of(one.type) for one in first}
    for path, schema in zip(files[1:], schemas[1:], strict=True):
        _check_alike(path, schema, files[0], kinds)
    if not sum(counts):
        raise ValueError(f"{source} must hold rows, got none. Give a table with rows.")
    double = {one.name for schema in schemas for one in schema if not _is_single(one.type)}
    plain = [pa.schema([(one.name, _plain(one.type)) for one in schema]) for schema in schemas]
    types = pa.unify_schemas(plain, promote_options="permissive")
    return ParquetTable(
        tuple(files),
        kinds,
        tuple(counts),
        frozenset(kinds) - double,
        {one.name: one.type for one in types},
    )


def _list_files(source: Any) -> list[Path]:
    if hasattr(source, "files") and hasattr(source, "to_batches"):  # a dataset of Arrow
        return [Path(path) for path in source.files]
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if not path.exists():
            raise FileNotFoundError(
                f"There is no file or folder {path}. Give a parquet file or a folder of them."
            )
        if path.is_file():
            return [path]
        hidden = ("_", ".")  # what engines leave beside their files
        files = sorted(
            one
            for one in path.rglob("*")
            if one.suffix in (".parquet", ".pq") and not one.name.startswith(hidden)
        )
    else:
        files = [Path(one) for one in source]
    if not files:
        raise FileNotFoundError(f"{source} must hold parquet files, got none.")
    return files


def _check_alike(path: Path, schema: Any, first: Path, kinds: dict[str, str]) -> None:
    for name in {**kinds, **dict.fromkeys(schema.names)}:
        here, there = name in schema.names, name in kinds
        if not (here and there):
            having, lacking = (path, first) if here else (first, path)
            raise ValueError(
                f"All files must have the same columns, got {abbreviate(name)!r} in {having} "
                f"and not in {lacking}. Add it there, or leave one of the files out."
            )
        kind = _kind_of(schema.field(name).type)
        if kind != kinds[name]:
            raise ValueError(
                f"Column {abbreviate(name)!r} must be of one kind in all files, got "
                f"{kinds[name]} in {first} and {kind} in {path}. Write it alike in both."
            )


def _kind_of(kind: Any) -> str:
    if pa.types.is_dictionary(kind) or _is_text(kind):
        return "category"
    numbers = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_decimal,
    )
    return "number" if any(is_one(kind) for is_one in numbers) else str(kind)


def _plain(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_single(kind: Any) -> bool:
    """Say whether single precision holds all numbers of a type."""
    floats = pa.types.is_float32(kind) or pa.types.is_float16(kind)
    short = pa.types.is_integer(kind) and kind.bit_width <= 16
    return bool(floats or short or pa.types.is_boolean(kind))


def _say_unreadable(path: Path, error: Exception) -> str:
    shown = " ".join(str(error).split()).removesuffix(".") or type(error).__name__
    return (
        f"{path} could not be read as a parquet file: {abbreviate(shown)}. Copy the whole file "
        "again, or leave it out."
    )
