"""Text that a spreadsheet would take for a formula: made safe for it, and made as it was."""

import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from lopsided.workflow.tables._numbers import is_number

__all__ = [
    "escape_formula",
    "escape_formulas",
    "map_texts",
    "unescape_formula",
    "unescape_formulas",
]

# Blanks, controls and characters without a width, which programs may pass over.
_LEAD = r"[\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*"
# Apostrophes in front count too: `unescape_formula` could not tell them from ours otherwise.
_FORMULA = re.compile(rf"'*(?:[\t\r\n]|{_LEAD}[=+\-@\uff1d\uff0b\uff0d\uff20])")
_SIGNS = re.compile(r"[+-]+")  # a mark for yes, no or missing: nothing to compute


def escape_formula(text: str) -> str:
    """Return text that no spreadsheet takes for a formula: with an apostrophe, if it might be.

    Examples
    --------
    >>> [escape_formula(text) for text in ("=1+1", "@home", "-5", "+3,20 €", "-", "a=b")]
    ["'=1+1", "'@home", '-5', '+3,20 €', '-', 'a=b']
    """
    return f"'{text}" if _is_formula(text) else text


def unescape_formula(text: str) -> str:
    """Return the text that `escape_formula` had.

    Examples
    --------
    >>> [unescape_formula(text) for text in ("'=1+1", "'quoted'", "-5")]
    ['=1+1', "'quoted'", '-5']
    """
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not (is_number(text) or _SIGNS.fullmatch(text))


def escape_formulas(frame: Any) -> Any:
    """Return a frame whose texts, cells and names of columns, are safe for spreadsheets.

    Texts that begin with =, +, -, @, a tab or the end of a line get an apostrophe in front;
    those that are numbers get none.

    Parameters
    ----------
    frame : DataFrame
        The table; it stays as it is.

    Returns
    -------
    DataFrame
        Of the same class.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["=1+1", "A7"], "amount": ["-5", "+3.2"]})
    >>> escape_formulas(frame)["id"].tolist()
    ["'=1+1", 'A7']
    >>> escape_formulas(frame)["amount"].tolist()
    ['-5', '+3.2']
    """
    return map_texts(frame, escape_formula)


def unescape_formulas(frame: Any) -> Any:
    """Return the frame that `escape_formulas` had; any other may lose an apostrophe.

    Parameters
    ----------
    frame : DataFrame
        What `escape_formulas` gave, also after a way through a file.

    Returns
    -------
    DataFrame
        Of the same class.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["=1+1", "A7"]})
    >>> unescape_formulas(escape_formulas(frame)).equals(frame)
    True
    """
    return map_texts(frame, unescape_formula)


def map_texts(frame: Any, change: Callable[[str], str]) -> Any:
    """Return a frame of the same class with all texts changed: cells, and names of columns.

    A column of which no cell changes stays as it is, also if its name does.

    Parameters
    ----------
    frame : DataFrame
        The table.
    change : function
        What becomes of a text.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"kind": ["fire", "water"], "n": [1, 2]})
    >>> map_texts(table, str.upper).to_dict("list")
    {'KIND': ['FIRE', 'WATER'], 'N': [1, 2]}
    """
    changed = type(frame)(pd.DataFrame(frame).copy(deep=False))
    for name, column in frame.items():
        if not _may_hold_text(column.dtype):
            continue
        cells = list(column.astype(object))
        texts = [change(cell) if isinstance(cell, str) else cell for cell in cells]
        if any(after is not before for after, before in zip(texts, cells, strict=True)):
            dtype = object if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
            changed[name] = pd.Series(texts, index=frame.index, dtype=dtype)
    # `set_axis` would forget the class.
    changed.columns = [change(one) if isinstance(one, str) else one for one in frame.columns]
    return changed


def _may_hold_text(dtype: Any) -> bool:
    return isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_string_dtype(dtype)
