"""Parquet files as one table that is read in batches, its columns the same in all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from lopsided._terminal import abbreviate, list_some
from lopsided._validation import check_choice
from lopsided.methods.batched import TableDigest
from lopsided.workflow.tables.parquet_files import ParquetFiles, find_parquet, plain_type

__all__ = ["ParquetTable", "open_parquet"]

_BATCH_VALUES = 2**23  # of a batch: 32 MB in single precision
_LEAST_ROWS, _MOST_ROWS = 2**10, 2**20
_MAX_LEVELS = 10_000


@dataclass(frozen=True)
class ParquetTable:
    """Parquet files with the same columns, one after the other.

    Parameters
    ----------
    parquet : ParquetFiles
        The files, in the order of their rows.
    single : frozenset of str
        The columns of numbers that single precision holds as they are.
    """

    parquet: ParquetFiles
    single: frozenset[str]

    @property
    def kinds(self) -> dict[str, str]:
        """What each column holds: "number", "category", or another type by its name."""
        return self.parquet.kinds

    @property
    def n_rows(self) -> int:
        """The rows of all files."""
        return self.parquet.n_rows

    def type_of(self, name: str) -> Any:
        """Return the type that holds a column of all files, without dictionaries."""
        return plain_type(self.parquet.schema.field(name).type)

    def check_columns(self, names: str | Iterable[str], what: str = "column") -> list[str]:
        """Return names of columns that there are, one or several, or name the nearest ones."""
        wanted = [names] if isinstance(names, str) else names
        return [check_choice(name, self.kinds, what) for name in wanted]

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
        for file in self.parquet.files:
            for batch in file.batches(names, size, texts):
                for place, name in enumerate(names):
                    if pa.types.is_null(batch.schema.field(place).type):  # in this file alone
                        column = batch.column(place).cast(self.type_of(name))
                        batch = batch.set_column(place, name, column)
                yield batch

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
        self,
        positions: Any,
        names: Sequence[str],
        levels: dict[str, Any] | None = None,
        digest: TableDigest | None = None,
    ) -> Any:
        """Return the rows at rising positions as a data frame.

        With `levels` the values of categories in the whole table are added to it, and are those
        of the frame. A `digest` is updated by all rows of the table.
        """
        parts, start = [], 0
        for batch in self.read(names):
            end = start + batch.num_rows
            low, high = np.searchsorted(positions, (start, end))
            parts.append(batch.take(pa.array(positions[low:high] - start)))
            if levels is not None:
                self._add_levels(batch, levels)
            if digest is not None:
                digest.update(self.to_frame(batch))
            start = end
        texts = [name for name in names if self.kinds[name] == "category"]
        loose = dict.fromkeys(texts, object)  # categories differ from part to part
        frame = pd.concat([self.to_frame(part).astype(loose) for part in _without_empty(parts)])
        for name in texts:
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
    """Return a file, a folder of them, a list of them or a dataset of Arrow as one table."""
    found = find_parquet(source)
    if not found.n_rows:
        raise ValueError(f"{source} must hold rows, got none. Give a table with rows.")
    schemas = [file.schema for file in found.files]
    double = {one.name for schema in schemas for one in schema if not _is_single(one.type)}
    return ParquetTable(found, frozenset(found.kinds) - double)


def _is_single(kind: Any) -> bool:
    """Say whether single precision holds all numbers of a type."""
    floats = pa.types.is_float32(kind) or pa.types.is_float16(kind)
    short = pa.types.is_integer(kind) and kind.bit_width <= 16
    return bool(floats or short or pa.types.is_boolean(kind) or pa.types.is_null(kind))
