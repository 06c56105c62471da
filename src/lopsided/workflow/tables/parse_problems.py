"""Columns that are not read whole: cells that are no numbers, numbers in two writings."""

from typing import Any, NamedTuple

import numpy as np

from lopsided._terminal import abbreviate
from lopsided.workflow.tables._cells import quote_some, read_cells
from lopsided.workflow.tables._frames import as_frame
from lopsided.workflow.tables._numbers import NumberReader, find_writings
from lopsided.workflow.tables._reader import Reading
from lopsided.workflow.tables.cleaner import TableCleaner

__all__ = ["ParseProblem", "find_parse_problems"]

_MANY = 0.05  # share of a column's cells
_READ = ("number", "boolean", "date", "time")  # kinds that may leave cells unread


class ParseProblem(NamedTuple):
    """A column that is not read whole, in a sentence, and whether it holds what is lost.

    Attributes
    ----------
    column : str
        The column.
    text : str
        What is wrong, and what to do about it.
    hurts : bool
        Whether what is lost may matter.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"amount": ["$1,250.00", "12.40", "0.99", "7.5", "1.250,00"] * 9})
    >>> problem = find_parse_problems(TableCleaner().fit(table), table)[0]
    >>> problem.column, problem.hurts
    ('amount', True)
    """

    column: str
    text: str
    hurts: bool


def find_parse_problems(cleaner: TableCleaner, X: Any) -> tuple[ParseProblem, ...]:
    """Return the columns of which many cells are lost, with what to do about it.

    Parameters
    ----------
    cleaner : TableCleaner
        Fitted on the table.
    X : data frame of pandas, polars or pyarrow
        The table.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"amount": ["$1,250.00", "12.40", "0.99", "7.5", "1.250,00"] * 9})
    >>> print(find_parse_problems(TableCleaner().fit(table), table)[0].text)
    9 of 45 cells (20 %) of column 'amount', such as '1.250,00', have a decimal comma and the \
others a point: they count as missing. Write all alike.
    """
    frame = as_frame(X)
    found = []
    for one in cleaner.columns_:
        if one.kind == "mixed" and not one.features:
            found.append(_tell_two_writings(one.name, frame[one.name]))
        elif one.features and one.kind in _READ:
            reader = cleaner.readers_[one.name]
            reading = reader.read(frame[one.name])
            if reading.n_unread > _MANY * reading.n_filled:
                found.append(_tell_unread(one.name, reader, reading))
    return tuple(found)


def _tell_two_writings(name: str, column: Any) -> ParseProblem:
    writings = find_writings(read_cells(column).sample())
    assert writings is not None  # the cleaner has found them in the same cells
    point, comma = writings
    return ParseProblem(
        name,
        f"Column {abbreviate(name)!r} is left out: it holds numbers with a decimal point "
        f"({quote_some(point.examples, 1)}) and others with a decimal comma "
        f"({quote_some(comma.examples, 1)}). Write all alike.",
        hurts=True,
    )


def _tell_unread(name: str, reader: Any, reading: Reading) -> ParseProblem:
    share = f"{100 * reading.n_unread / reading.n_filled:.0f} %"
    lost = f"{reading.n_unread:,} of {reading.n_filled:,} cells ({share}) of column "
    lost += f"{abbreviate(name)!r}"
    some = quote_some(reading.unread)
    if isinstance(reader, NumberReader) and _are_other_numbers(reader, reading):
        signs = ("comma", "point") if reader.decimal == "." else ("point", "comma")
        text = (
            f"{lost}, such as {some}, have a decimal {signs[0]} and the others a {signs[1]}: "
            "they count as missing. Write all alike."
        )
        return ParseProblem(name, text, hurts=True)
    text = (
        f"{lost} cannot be read as {reader.how} and count as missing, such as {some}. Correct "
        "them, or say what the column holds (types=...)."
    )
    # Words such as "none" tell no more than a blank cell; digits that are lost would have.
    return ParseProblem(name, text, hurts=any(map(_has_digit, reading.unread)))


def _are_other_numbers(reader: NumberReader, reading: Reading) -> bool:
    """Say whether the most frequent cells that are lost have the other decimal separator."""
    other = NumberReader("," if reader.decimal == "." else ".")
    numbers = other.read_texts(reading.unread)
    return bool(np.isfinite(numbers).mean() > 0.5)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
