"""Text tables: cells are read as the text they are, and written so that they come back."""

import csv
from typing import Any, BinaryIO, NamedTuple, TextIO

import pandas as pd

from lopsided._validation import check_unique
from lopsided.workflow.tables._content import TableError
from lopsided.workflow.tables._separator import check_separator, records

_TOKENIZING = "Error tokenizing data. C error: "


def read_csv(stream: BinaryIO, separator: str) -> Any:
    """Return the rows under the first one as a frame of text; the stream is read repeatedly."""
    marks = _count_marks(stream, separator)
    # Pandas loses the separator after a carriage return that no newline follows, and pandas 2
    # the rest of a cell from a null byte on.
    read = _read_slowly if marks.bare_return or marks.null else _read_fast
    try:
        # The header is read as a row: pandas would rename the second of two equal names.
        frame = read(stream, separator)
    except pd.errors.EmptyDataError:
        raise TableError("it is empty. Give a table with a header and rows.") from None
    except pd.errors.ParserError as error:
        check_separator(_header(stream, separator), separator)
        raise TableError(_advise(error, separator)) from None
    header = frame.iloc[0].tolist()
    if len(header) == 1:
        check_separator(header, separator)
    check_unique(name for name in header if name)
    if _may_lack_cells(frame, marks):
        _check_width(stream, separator, len(header), marks.ends_a_line)
    names = [name or f"Unnamed: {place}" for place, name in enumerate(header)]
    return frame.iloc[1:].reset_index(drop=True).set_axis(names, axis=1)


class _Marks(NamedTuple):
    """What the bytes of a text table say without being parsed."""

    bare_return: bool  # a carriage return stands anywhere but before a newline
    null: bool
    quotes: bool
    separators: int  # also those between quotes
    ends_a_line: bool


def _count_marks(stream: BinaryIO, separator: str) -> _Marks:
    stream.seek(0)
    before, last, separators = b"", b"", 0
    bare_return = null = quotes = False
    while block := stream.read(2**20):
        text = before + block
        before, last = b"\r" if text.endswith(b"\r") else b"", text[-1:]
        if b"\r" in text and text.count(b"\r") - len(before) > text.count(b"\r\n"):
            bare_return = True
        null = null or b"\0" in block
        quotes = quotes or b'"' in block
        separators += block.count(separator.encode())
    ends_a_line = last in (b"\r", b"\n")
    return _Marks(bare_return or bool(before), null, quotes, separators, ends_a_line)


def _read_fast(stream: BinaryIO, separator: str) -> Any:
    stream.seek(0)
    return pd.read_csv(stream, sep=separator, header=None, dtype=str, na_filter=False)


def _read_slowly(stream: BinaryIO, separator: str) -> Any:
    """Return what `_read_fast` would, with carriage returns that end a record."""
    with records(stream, separator) as rows:
        kept = [row for row in rows if any(row) or len(row) > 1]
    if not kept:
        raise pd.errors.EmptyDataError
    width = len(kept[0])
    for number, row in enumerate(kept, 1):
        if len(row) > width:
            raise pd.errors.ParserError(
                f"Expected {width} fields in record {number}, saw {len(row)}"
            )
        row += [""] * (width - len(row))  # of which the user is told later
    return pd.DataFrame(kept, dtype=str)


def _header(stream: BinaryIO, separator: str) -> list[str]:
    """Return the cells of the first record, none if not even that can be read."""
    try:
        with records(stream, separator) as rows:
            return next(rows, [])
    except csv.Error:
        return []


def _advise(error: Exception, separator: str) -> str:
    """Return what pandas found wrong, whole, in one line, and what to do about it."""
    found = " ".join(str(error).removeprefix(_TOKENIZING).split()).removesuffix(".")
    if found.startswith("Expected"):
        return f"{found}. Quote cells that hold {separator!r} and end no row with it."
    if "EOF inside string" in found:
        return f"{found}. Close the quotation mark, or copy the whole file."
    return f"{found}. Save it anew as UTF-8 text."


def _may_lack_cells(frame: Any, marks: _Marks) -> bool:
    """Say whether a row may have fewer cells than the header: both readers fill it up."""
    n_rows, n_columns = frame.shape
    if n_columns == 1 or (not marks.quotes and marks.separators == n_rows * (n_columns - 1)):
        return False
    return bool((frame.iloc[:, -1] == "").any())


def _check_width(stream: BinaryIO, separator: str, width: int, ends_a_line: bool) -> None:
    """Raise an error if a row has fewer cells than the header; blank lines are no rows."""
    with records(stream, separator) as rows:
        line = 1
        for row in rows:
            if len(row) < width and (len(row) > 1 or (row and (not row[0] or row[0].strip()))):
                break
            line = rows.line_num + 1
        else:
            return
        is_last = not ends_a_line and next(rows, None) is None
    if is_last:
        raise TableError("it ends in the middle of a row. Copy the whole file.")
    raise TableError(
        f"rows must have {width} cells, as the header has, got {len(row)} in line {line}. "
        "Complete the row, with its separators, or delete it."
    )


class _Lines:
    """Take lines that end in a carriage return and a newline, and pass them on with the latter.

    Python's csv writer quotes a cell with a carriage return for sure only if its own lines end
    in one. It writes one line at a time.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> int:
        return self._stream.write(line.removesuffix("\r\n") + "\n")


def write_csv(frame: Any, stream: TextIO, separator: str = ",", decimal: str = ".") -> None:
    """Write a frame without its index to a stream that keeps line ends (`newline=""`)."""
    lines = _Lines(stream)
    frame.to_csv(lines, index=False, sep=separator, decimal=decimal, lineterminator="\r\n")
