"""The cells of a column as text, each distinct one once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._terminal import abbreviate

_BLANK_WORDS = (
    "na n/a nan none null nat n.a. #n/a #na #n/v #value! #null! <na> - -- . ? (blank)"
)
_MAX_SAMPLE = 5_000  # distinct texts that a decision is made by
BLANK = frozenset(("", *_BLANK_WORDS.split()))  # in lower case


@dataclass(frozen=True)
class Cells:
    """Distinct texts, and where each row finds its own."""

    texts: tuple[str, ...]  # stripped, in order, none blank
    codes: NDArray[np.intp]  # (n_rows,): the place of a row's text, -1 if its cell is blank

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many rows have each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    @property
    def n_filled(self) -> int:
        """How many rows are not blank."""
        return int((self.codes >= 0).sum())

    def sample(self) -> "Cells":
        """Return all rows of some texts, whatever their order, to decide by."""
        step = -(-len(self.texts) // _MAX_SAMPLE)
        if step <= 1:
            return self
        codes = self.codes[(self.codes >= 0) & (self.codes % step == 0)] // step
        return Cells(self.texts[::step], codes)

    def spread(self, values: Any) -> NDArray[np.float64]:
        """Return one number per row from one per text, NaN where a cell is blank."""
        return np.append(np.asarray(values, np.float64), np.nan)[self.codes]

    def count(self, found: Any) -> int:
        """Return how many rows have one of the texts that are marked."""
        return int(self.counts[np.asarray(found, bool)].sum())


def read_cells(column: Any) -> Cells:
    """Return the cells of a pandas column as text, whole numbers without a point."""
    try:
        codes, uniques = pd.factorize(column)
    except (TypeError, ArithmeticError):  # lists and the like, numbers that cannot be compared
        cells = column.astype(object)
        texts = [None if is_missing(cell) else spell(cell) for cell in cells]
        codes, uniques = pd.factorize(np.array(texts, object))
    spelled = [_spell(value) for value in _plain(uniques)]
    known = sorted({text for text in spelled if text.lower() not in BLANK})
    place_of = {text: place for place, text in enumerate(known)}
    places = np.array([place_of.get(text, -1) for text in spelled] + [-1], np.intp)
    return Cells(tuple(known), places[codes])


def quote_some(texts: Sequence[str], n_shown: int = 3) -> str:
    """Return the first of some texts as a message quotes them."""
    shown = ", ".join(repr(abbreviate(text)) for text in texts[:n_shown])
    return f"{shown}, ..." if len(texts) > n_shown else shown


def _plain(values: Any) -> list[Any]:
    return list(values.astype(object)) if hasattr(values, "astype") else list(values)


def _spell(value: Any) -> str:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))  # a gap turns whole numbers into floats in pandas
    return spell(value).strip()


def spell(value: Any) -> str:
    """Return a cell as text that files can hold: bytes decoded, halves of letters marked.

    Parameters
    ----------
    value : object
        The cell.

    Returns
    -------
    str

    Examples
    --------
    >>> spell("café".encode()), spell(12.5)
    ('café', '12.5')
    """
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def is_missing(cell: Any) -> bool:
    """Say whether a cell of any kind holds nothing.

    Parameters
    ----------
    cell : object
        The cell.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_missing(float("nan")), is_missing(None), is_missing("")
    (True, True, False)
    """
    try:
        return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))
    except ArithmeticError:  # a signaling NaN
        return True
