"""Parquet and Arrow tables: types and row labels are kept, nested and binary cells are text."""

import json
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from lopsided._validation import check_unique
from lopsided._warnings import warn

_NESTED = (list, tuple, dict, np.ndarray)


def read_parquet(stream: BinaryIO) -> Any:
    """Return a parquet file as a pandas frame; see `_flatten`."""
    check_unique(pq.read_schema(stream).names)
    stream.seek(0)
    return _flatten(pd.read_parquet(stream))


def read_feather(stream: BinaryIO) -> Any:
    """Return an Arrow file, which feather files are, as a pandas frame; see `_flatten`."""
    try:
        table = pa.ipc.open_file(stream).read_all()
    except pa.ArrowInvalid:
        stream.seek(0)
        table = pa.ipc.open_stream(stream).read_all()
    check_unique(table.schema.names)
    return _flatten(table.to_pandas())


def _flatten(frame: Any) -> Any:
    """Return a frame whose cells are single values.

    Row labels with a name become columns, those without one stay the index. Lists, maps and
    structs become JSON and bytes become text, with a warning that names their columns: neither
    a csv file nor pandas' own parquet files can hold them all.
    """
    labels = [name for name in frame.index.names if name is not None]
    check_unique(str(name) for name in (*labels, *frame.columns))
    if labels:
        frame = frame.reset_index()
    texts = {name: _as_text(frame[name]) for name in frame.columns}
    changed = {name: text for name, text in texts.items() if text is not None}
    if changed:
        shown = ", ".join(repr(name) for name in changed)
        warn(
            f"Lists, maps, structs and bytes are read as text, here those of {shown}.",
        )
    for name, text in changed.items():
        frame[name] = text
    return frame


def _as_text(column: Any) -> Any:
    """Return nested or binary cells as text, or None if the column holds no such."""
    cells = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    if cells.dtype != object:
        return None
    kinds = {type(cell) for cell in cells[cells.notna()]}
    if kinds == {bytes}:
        return cells.map(_spell(cells), na_action="ignore")
    if any(issubclass(kind, _NESTED) for kind in kinds):
        return cells.map(_as_json, na_action="ignore")
    return None


def _spell(cells: Any) -> Any:
    """Return how to write a column of bytes: as UTF-8 if all are, else in hex digits."""
    try:
        for cell in cells[cells.notna()]:
            cell.decode()
    except UnicodeDecodeError:
        return bytes.hex
    return bytes.decode


def _as_json(cell: Any) -> str:
    return json.dumps(cell, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return what JSON has no form for as something it has one for."""
    if isinstance(value, np.ndarray):
        return list(value)
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    return value.hex() if isinstance(value, bytes) else str(value)
