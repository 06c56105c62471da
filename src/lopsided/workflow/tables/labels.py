"""Labels as people write them: 1 and 0, yes and no, words for what was reviewed."""

import difflib
import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._terminal import abbreviate, list_some
from lopsided._validation import check_both_kinds
from lopsided._warnings import warn
from lopsided.workflow.tables._cells import BLANK, is_missing, quote_some, spell

__all__ = [
    "LabelValues",
    "is_blank",
    "is_unreviewed",
    "read_labels",
    "read_names",
    "read_texts",
    "same_value",
]

_LABELS = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0, "-1": -1, "-1.0": -1}
# Words for rows that nobody has looked at, in lower case: such a value is no verdict.
_UNREVIEWED_WORDS = (
    "open pending new unreviewed not_reviewed unlabeled unlabelled unknown undecided todo "
    "to_do offen neu ungeprüft unbekannt"
)
_UNREVIEWED = frozenset(word.replace("_", " ") for word in _UNREVIEWED_WORDS.split())
_MAX_VALUES = 1000  # of a column that is looked through for typos
_ALIKE = 0.75  # of the letters of two words, by which one may be a typo of the other


def read_labels(
    column: Any,
    name: str = "y",
    positive: str | None = None,
    negative: str | None = None,
    need_labeled: bool = True,
) -> NDArray[np.int8]:
    """Return 1 for labeled positives, -1 for reviewed negatives, 0 for the unlabeled rest.

    Parameters
    ----------
    column : series, array or list
        One label per row: numbers, booleans or text. A blank cell is an unlabeled row.
    name : str
        What messages call the column.
    positive : str or None
        The value of labeled positives; None expects 1 and 0, or true and false, and -1 where a
        row was reviewed and found to be negative.
    negative : str or None
        The value of reviewed negatives; None is -1, where rows have it and it does not mark
        the positives.
    need_labeled : bool, default=True
        Whether something is to be learned: some rows must be left unlabeled, and a value that
        was named and that no row has is warned of, or refused where its name seems to be
        wrong: it is much like another value, or rows have values beside both that are named,
        which may be the positives. Words for rows that nobody has looked at, such as "open",
        may not.

    Examples
    --------
    >>> read_labels(["fraud", "", "cleared", None], "status", "fraud", "cleared").tolist()
    [1, 0, -1, 0]
    """
    texts, name = read_texts(column), abbreviate(name)
    if "" in {str(given).strip() for given in (positive, negative) if given is not None}:
        raise ValueError(
            f"Labels of column {name!r} must have a value, got an empty text: blank cells are "
            "unlabeled rows. Name the value of the positives (positive=...), or of the "
            "negatives (negative=...)."
        )
    if (
        positive is not None
        and negative is not None
        and same_value(str(positive), str(negative))
    ):
        raise ValueError(
            f"Positives and negatives must have values of their own, got "
            f"{abbreviate(positive)!r} for both. Name another one."
        )
    if need_labeled:
        _check_named(texts.unique().tolist(), name, positive, negative)
    cleared = np.zeros(len(texts), bool)
    if negative is not None:
        cleared = _equal(texts, str(negative))
    elif positive is not None and not same_value(str(positive), "-1"):
        cleared = _equal(texts, "-1")
    if positive is not None:
        y = np.where(cleared, -1, _equal(texts, str(positive))).astype(np.int8)
        if need_labeled:
            check_both_kinds(y, f"Column {name!r}", repr(abbreviate(positive)), "", least=0)
        return y
    lower = texts.str.lower().where(~cleared, "-1")
    strange = sorted(set(lower) - set(_LABELS) - BLANK)
    if strange:
        raise ValueError(
            f"Column {name!r} must hold 1 (labeled positive), 0 (unlabeled) and, for reviewed "
            f"negatives, -1, got {list_some(strange[:5], 80)}. Name the value of "
            "the positives (positive=...), and that of the negatives (negative=...)."
        )
    y = lower.map({**dict.fromkeys(BLANK, 0), **_LABELS}).to_numpy(np.int8)
    if need_labeled:
        check_both_kinds(y, f"Column {name!r}", least=0)
    return y


def read_texts(column: Any) -> Any:
    """Return cells as stripped text, missing ones as an empty text.

    Parameters
    ----------
    column : series, array or list
        The cells.

    Returns
    -------
    Series of shape (n_rows,)

    Examples
    --------
    >>> read_texts([" fraud ", None, 1]).tolist()
    ['fraud', '', '1']
    """
    if hasattr(column, "to_pandas"):
        column = column.to_pandas()
    cells = pd.Series(column).astype(object)
    texts = ["" if is_missing(cell) else spell(cell).strip() for cell in cells]
    return pd.Series(texts, dtype=object)


def read_names(column: Any) -> NDArray[np.str_]:
    """Return the ids or groups of a column as text, as a csv file would have them.

    Parameters
    ----------
    column : series or array
        The ids or groups, of any type.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> import pandas as pd
    >>> read_names(pd.Series([1001.0, 1002.0, None])).tolist()
    ['1001.0', '1002.0', '']
    """
    if column.dtype == object or isinstance(column.dtype, pd.CategoricalDtype):
        cells = column.astype(object)
        return np.array(["" if is_missing(cell) else spell(cell) for cell in cells], np.str_)
    texts = column.astype(str).to_numpy(object)
    return np.where(column.isna(), "", texts).astype(np.str_)


class LabelValues:
    """The different labels of a table that comes in parts, to find names that no row has.

    Parameters
    ----------
    name : str
        The column.
    positive, negative : str or None
        The values that are named, as in `read_labels`.

    Examples
    --------
    >>> found = LabelValues("status", "fraud", "cleard")
    >>> for part in (["fraud", ""], ["cleared"]):
    ...     found.update(part)
    >>> found.check()
    Traceback (most recent call last):
    ValueError: No row of column 'status' is 'cleard'. Did you mean 'cleared' (negative=...)?
    """

    def __init__(self, name: str, positive: str | None, negative: str | None) -> None:
        self.name, self.positive, self.negative = abbreviate(name), positive, negative
        self.found: dict[str, None] = {}

    def update(self, cells: Any) -> None:
        """Add labels of a part; of very many only those that are named."""
        named = [str(one) for one in (self.positive, self.negative) if one is not None]
        for text in read_texts(cells).unique().tolist() if named else []:
            if len(self.found) < _MAX_VALUES or any(same_value(text, one) for one in named):
                self.found[text] = None

    def check(self, need_labeled: bool = True) -> None:
        """Warn of values that no row has, or refuse them; without need only typos."""
        found, named = list(self.found), (self.positive, self.negative)
        _check_named(found, self.name, *named, need_labeled)


def _check_named(
    found: list[str], name: str, positive: Any, negative: Any, need_labeled: bool = True
) -> None:
    """Warn of named values that no row has, or refuse them where a name seems to be wrong.

    A month without a cleared row, or without a confirmed one, is a month like others. But a
    name with a typo must not pass for it: nothing would be learned from, or too little.
    """
    if all(map(is_blank, found)):  # which says enough
        return
    named = {"positive": positive, "negative": negative}
    marks = ["0", "false", *(str(value) for value in named.values() if value is not None)]
    marks += ["-1"] if negative is None else []
    others = [
        text
        for text in found
        if not (is_blank(text) or is_unreviewed(text))
        and not any(same_value(text, mark) for mark in marks)
    ]
    for role, value in named.items():
        if value is None or any(same_value(text, str(value)) for text in found):
            continue
        missing = f"No row of column {name!r} is {abbreviate(value)!r}"
        near = [text for text in others if _is_typo(str(value), text)]
        if near:
            raise ValueError(f"{missing}. Did you mean {abbreviate(near[0])!r} ({role}=...)?")
        if not need_labeled:
            continue
        if role == "positive" and others:
            raise ValueError(
                f"{missing}, got {quote_some(found, 2)}. Name the value of the positives "
                "(positive=...); if there is none, leave the cells of unlabeled rows blank."
            )
        what = "labeled positive" if role == "positive" else "reviewed negative"
        warn(f"{missing}: there is no {what} to learn from.")


def _is_typo(value: str, text: str) -> bool:
    """Say whether two words are nearly the same; codes that differ in a digit are not."""
    one, other = value.strip().lower(), text.lower()
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    return difflib.SequenceMatcher(None, one, other).ratio() >= _ALIKE


def is_blank(text: str) -> bool:
    """Say whether a cell holds nothing, or a word for it.

    Parameters
    ----------
    text : str
        The cell.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_blank("n/a"), is_blank("0")
    (True, False)
    """
    return text.strip().lower() in BLANK


def is_unreviewed(text: str) -> bool:
    """Say whether a cell holds a word for a row that nobody has looked at, such as "open".

    Parameters
    ----------
    text : str
        The cell.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_unreviewed("pending"), is_unreviewed("fraud")
    (True, False)
    """
    return text.strip().lower().replace("_", " ").replace("-", " ") in _UNREVIEWED


def _equal(texts: Any, wanted: str) -> NDArray[np.bool_]:
    same = {text: same_value(text, wanted) for text in texts.unique()}
    return texts.map(same).to_numpy(bool)


def same_value(text: str, wanted: str) -> bool:
    """Compare a cell with a value that somebody has named: as text, else as a number.

    Parameters
    ----------
    text : str
        The cell.
    wanted : str
        The value that was named.

    Returns
    -------
    bool

    Examples
    --------
    >>> same_value("1.0", "1"), same_value("Fraud", "fraud"), same_value("fraud", "fraud ring")
    (True, True, False)
    """
    text, wanted = text.strip(), wanted.strip()
    if text.lower() == wanted.lower():
        return True
    if "_" in text or "_" in wanted:  # 1_0 is a code, though Python reads it as ten
        return False
    try:
        return float(text) == float(wanted)
    except ValueError:
        return False
