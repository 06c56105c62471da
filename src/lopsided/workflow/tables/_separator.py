"""Which mark stands between the cells of a text table."""

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

from lopsided.workflow.tables._content import TableError

MARKS = {",": "commas", "|": "vertical bars", ";": "semicolons", "\t": "tabs"}
_MAX_RECORDS = 100  # that a separator is told by
_LONGEST_CELL = 2**31 - 1  # what csv takes everywhere; its own limit is 128 KB


@contextmanager
def records(stream: BinaryIO, separator: str) -> Iterator[Any]:
    """Give the records of a stream as Python's own reader finds them."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield csv.reader(text, delimiter=separator)
    finally:
        csv.field_size_limit(limit)
        text.detach()


def find_separator(stream: BinaryIO, usual: str) -> str:
    """Return the mark that cuts the first rows into most cells, alike in all of them.

    Marks between quotes do not count. Of two that do equally well it is the one that text
    holds less often: commas also stand within numbers and names.
    """
    found = {mark: _judge(stream, mark) for mark in MARKS}
    best = max(MARKS, key=lambda mark: (found[mark], list(MARKS).index(mark)))
    return best if found[best][1] > 1 else usual


def _judge(stream: BinaryIO, mark: str) -> tuple[bool, int]:
    """Return whether a mark cuts all rows alike, and into how many cells the first one."""
    widths: list[int] = []
    with records(stream, mark) as rows:
        try:
            widths.extend(len(row) for row in islice(rows, _MAX_RECORDS) if any(row))
        except csv.Error:
            widths.append(0)
    width = widths[0] if widths else 0
    # The last row may be cut off, of which the user is told when it is read.
    return width > 1 and all(other == width for other in widths[1:-1]), width


def check_separator(header: list[str], separator: str) -> None:
    """Raise an error if something else than what was named stands between the names."""
    others = {mark: sum(name.count(mark) for name in header) for mark in MARKS}
    others[separator] = len(header) - 1
    likely = max(others, key=lambda mark: (others[mark], mark == separator))
    if likely != separator:
        named = MARKS.get(separator, repr(separator))
        raise TableError(
            f"its columns are separated by {MARKS[likely]}, not by {named}. Name no separator, "
            "and it is found."
        )
