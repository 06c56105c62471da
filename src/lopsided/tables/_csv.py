"""Text tables: cells are read as the text they are, and written so that they come back."""

import csv
import io
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO

import pandas as pd

from lopsided._check import check_unique

_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_TOKENIZING = "Error tokenizing data. C error: "
_LONGEST_CELL = 2**31 - 1  # what csv takes everywhere; its own limit is 128 KB


def read_csv(stream: BinaryIO, separator: str) -> Any:
    """Return the rows under the first one as a frame of text; the stream is read repeatedly."""
    # Pandas loses the separator after a carriage return that no newline follows.
    read = _read_slowly if _has_bare_return(stream) else _read_fast
    try:
        # The header is read as a row: pandas would rename the second of two equal names.
        frame = read(stream, separator)
    except pd.errors.EmptyDataError:
        raise ValueError("it is empty. Give a table with a header and rows.") from None
    except pd.errors.ParserError as error:
        _check_separator(_header(stream, separator), separator)
        raise ValueError(_advise(error, separator)) from None
    header = frame.iloc[0].tolist()
    if len(header) == 1:
        _check_separator(header, separator)
    check_unique(name for name in header if name)
    if _is_cut_off(stream, separator, len(header)):
        raise ValueError("it ends in the middle of a row. Copy the whole file.")
    names = [name or f"Unnamed: {place}" for place, name in enumerate(header)]
    return frame.iloc[1:].reset_index(drop=True).set_axis(names, axis=1)


def _has_bare_return(stream: BinaryIO) -> bool:
    """Say whether a carriage return stands anywhere but before a newline."""
    stream.seek(0)
    before = b""
    while block := stream.read(2**20):
        text = before + block
        before = b"\r" if text.endswith(b"\r") else b""
        if b"\r" in text and text.count(b"\r") - len(before) > text.count(b"\r\n"):
            return True
    return bool(before)


def _read_fast(stream: BinaryIO, separator: str) -> Any:
    stream.seek(0)
    return pd.read_csv(stream, sep=separator, header=None, dtype=str, na_filter=False)


def _read_slowly(stream: BinaryIO, separator: str) -> Any:
    """Return what `_read_fast` would, with carriage returns that end a record."""
    with _records(stream, separator) as records:
        rows = [row for row in records if any(row) or len(row) > 1]
    if not rows:
        raise pd.errors.EmptyDataError
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) > width:
            raise pd.errors.ParserError(
                f"Expected {width} fields in record {number}, saw {len(row)}"
            )
        row += [""] * (width - len(row))
    return pd.DataFrame(rows, dtype=str)


def _header(stream: BinaryIO, separator: str) -> list[str]:
    """Return the cells of the first record, none if not even that can be read."""
    try:
        with _records(stream, separator) as records:
            return next(records, [])
    except csv.Error:
        return []


@contextmanager
def _records(stream: BinaryIO, separator: str) -> Iterator[Iterator[list[str]]]:
    """Give the records of a stream as Python's own reader finds them."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield csv.reader(text, delimiter=separator)
    finally:
        csv.field_size_limit(limit)
        text.detach()


def _check_separator(header: list[str], separator: str) -> None:
    """Raise an error if something else stands between the names more often."""
    others = {mark: sum(name.count(mark) for name in header) for mark in _MARKS}
    others[separator] = len(header) - 1
    likely = max(others, key=lambda mark: (others[mark], mark == separator))
    if likely != separator:
        raise ValueError(
            f"its columns are separated by {_MARKS[likely]}, not by {_MARKS[separator]}. Save "
            f"it with {_MARKS[separator]}, and quotes around cells that hold them."
        )


def _advise(error: Exception, separator: str) -> str:
    """Return what pandas found wrong, whole, in one line, and what to do about it."""
    found = " ".join(str(error).removeprefix(_TOKENIZING).split()).removesuffix(".")
    if found.startswith("Expected"):
        return f"{found}. Quote cells that hold {separator!r} and end no row with it."
    if "EOF inside string" in found:
        return f"{found}. Close the quotation mark, or copy the whole file."
    return f"{found}. Save it anew as UTF-8 text."


def _is_cut_off(stream: BinaryIO, separator: str, n_columns: int) -> bool:
    """Say whether the last record lacks both fields and the mark of its end."""
    stream.seek(0, io.SEEK_END)
    if not stream.tell():
        return False
    stream.seek(-1, io.SEEK_END)
    if stream.read(1) in b"\r\n":
        return False
    # Only from the beginning can quoted line ends be told from those that end a record.
    with _records(stream, separator) as records:
        last = deque(records, maxlen=1).pop()
    return any(cell.strip() for cell in last) and len(last) < n_columns


class _Lines:
    """Take lines that end in a carriage return and a newline, and pass them on with the latter.

    Python's csv writer quotes a cell with a carriage return for sure only if its own lines end
    in one. It writes one line at a time.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> int:
        return self._stream.write(line.removesuffix("\r\n") + "\n")


def write_csv(frame: Any, stream: TextIO, separator: str = ",") -> None:
    """Write a frame without its index to a stream that keeps line ends (`newline=""`)."""
    frame.to_csv(_Lines(stream), index=False, sep=separator, lineterminator="\r\n")
