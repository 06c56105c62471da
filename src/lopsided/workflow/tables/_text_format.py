"""How a text table is written, so that a list made from it opens where the table does."""

from typing import Any, NamedTuple

from lopsided.workflow.tables._cells import read_cells
from lopsided.workflow.tables._numbers import find_decimal

_N_ROWS = 500  # that the decimal sign is told by


class TextFormat(NamedTuple):
    """What stands between cells and within numbers, and whether a mark says UTF-8.

    Without that mark Excel takes UTF-8 for the encoding of western Windows.

    Attributes
    ----------
    separator : str
        What stands between cells.
    decimal : str
        The decimal sign of numbers.
    mark : bool
        Whether the file begins with a mark of UTF-8.

    Examples
    --------
    >>> import pandas as pd
    >>> from lopsided.workflow.tables import format_csv
    >>> table = pd.DataFrame({"amount": [12.5], "kind": ["fire"]})
    >>> print(format_csv(table, TextFormat(separator=";", decimal=",")), end="")
    amount;kind
    12,5;fire
    """

    separator: str = ","
    decimal: str = "."
    mark: bool = False


def find_format(frame: Any, separator: str, marked: bool) -> TextFormat:
    """Return how a text table of cells that are yet text is written.

    Programs that write semicolons do so since commas stand within numbers: where no cell tells,
    this decides. A file with semicolons is one that Excel opens, and gets the mark.
    """
    votes = {",": 0, ".": 0}
    for _, column in frame.head(_N_ROWS).items():
        decimal = find_decimal(read_cells(column)).decide(None)
        if decimal is not None:
            votes[decimal] += 1
    usual = "," if separator == ";" else "."
    decimal = max(votes, key=lambda sign: (votes[sign], sign == usual))
    return TextFormat(separator, decimal, marked or separator == ";")
