"""A user's table as learners take it: labels found, and every column a feature that can be."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._check import check_choice, check_unique
from lopsided._terminal import abbreviate

__all__ = ["TableTask", "find_columns", "prepare"]

_MOSTLY = 0.9  # a text column is one of numbers or dates if so many of its cells are
_FEW = 0.5  # a text column with more distinct values per row than this names rows
_BLANK = {"", "na", "n/a", "nan", "none", "null", "nat", "-", "?"}
_LABELS = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0}
_DATES = ("%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d %b %Y", "%b %d, %Y")


class TableTask(NamedTuple):
    """What a table asks: which rows are labeled, and the features of all."""

    X: Any  # data frame of numbers and categories
    y: NDArray[np.int8]
    ids: Any  # series
    dropped: tuple[str, ...]  # columns that could not serve as features
    suspected_ids: tuple[str, ...]  # features with another whole number in every row


def find_columns(words: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that words name: each word is a name or, with commas, several.

    Examples
    --------
    >>> find_columns(["notes, city", "Smith, J."], ["city", "notes", "Smith, J."])
    ('notes', 'city', 'Smith, J.')
    """
    known = list(names)
    found: list[str] = []
    for word in words:
        parts = [word] if word in known else filter(None, map(str.strip, word.split(",")))
        found += [check_choice(part, known, "column") for part in parts]
    return tuple(found)


def prepare(
    frame: Any,
    label: str,
    positive: str | None = None,
    id_column: str | None = None,
    drop: tuple[str, ...] = (),
) -> TableTask:
    """Split a table into labels, ids and features.

    Numbers stay, also where they are written as text with a few words between them; dates
    become days since the first one, other text becomes categories. Columns that cannot help,
    such as text that differs from row to row, are left out and named.

    Parameters
    ----------
    frame : DataFrame
        One row per case, columns named by text.
    label : str
        The column that marks labeled positives.
    positive : str or None
        The value that marks them; None expects 1 and 0, true and false, with blanks as 0.
    id_column : str or None
        The column that names rows; None numbers them from 1.
    drop : tuple of str
        Columns to leave out.
    """
    names = list(frame.columns)
    for name in (label, *drop, *([id_column] if id_column else [])):
        check_choice(name, names, "column")
    if label == id_column or label in drop:
        raise ValueError(f"{label!r} is the label and cannot be the id or dropped as well.")
    check_unique(names)
    y = _labels(frame[label], label, positive)
    ids = frame[id_column] if id_column else pd.Series(np.arange(1, len(frame) + 1))
    features = {
        name: _feature(frame[name]) for name in names if name not in (label, id_column, *drop)
    }
    kept = {name: feature for name, feature in features.items() if feature is not None}
    if not kept:
        raise ValueError(
            f"No column is left to learn from, got only {', '.join(names)}. Add columns of "
            "numbers, categories or dates."
        )
    return TableTask(
        pd.DataFrame(kept, index=frame.index),
        y,
        ids,
        dropped=tuple(name for name, feature in features.items() if feature is None),
        suspected_ids=tuple(name for name, feature in kept.items() if _counts_rows(feature)),
    )


def _labels(column: Any, name: str, positive: str | None) -> NDArray[np.int8]:
    """Return 1 for labeled positives, 0 for the rest."""
    texts = _texts(column)
    if positive is not None:
        y = np.array([_same(text, positive.strip()) for text in texts], dtype=np.int8)
        if not y.any():
            shown = ", ".join(repr(abbreviate(text)) for text in texts.unique()[:5])
            raise ValueError(
                f"No row of column {name!r} is {positive!r}, got {shown}. "
                "Name the value that marks labeled positives."
            )
        return y
    lower = texts.str.lower()
    strange = sorted(set(lower) - set(_LABELS) - _BLANK)
    if strange:
        raise ValueError(
            f"Column {name!r} must hold 1 (labeled positive) and 0 (unlabeled), got "
            f"{', '.join(map(abbreviate, strange[:5]))}. Name the value of the positives with "
            "--positive."
        )
    return lower.map({**dict.fromkeys(_BLANK, 0), **_LABELS}).to_numpy(np.int8)


def _texts(column: Any) -> Any:
    """Return cells as stripped text, missing ones as an empty text."""
    return column.astype(object).where(column.notna(), "").astype(str).str.strip()


def _same(text: str, wanted: str) -> bool:
    """Compare a cell with a word of the command line: as text, else as a number."""
    if text.lower() == wanted.lower():
        return True
    try:
        return float(text) == float(wanted)
    except ValueError:
        return False


def _feature(column: Any) -> Any:
    """Return a column as numbers or categories, or None if it says nothing about rows."""
    kind = getattr(column.dtype, "kind", "O")
    if column.isna().all():
        return None
    if kind == "M":
        return _days(column)
    if kind == "m":
        return column / pd.Timedelta(days=1)
    if pd.api.types.is_numeric_dtype(column.dtype):  # booleans are
        return _finite(column.astype(float))
    texts = _texts(column)
    texts = texts.where(~texts.str.lower().isin(_BLANK))
    if texts.isna().all():
        return None
    for read in (_as_numbers, _as_dates):
        if (values := read(texts)) is not None:
            return values
    if texts.nunique() > max(_FEW * texts.notna().sum(), 1):
        return None
    return texts.astype("category")


def _finite(numbers: Any) -> Any:
    if np.isinf(numbers.to_numpy()).any():
        raise ValueError(
            f"Column {numbers.name!r} must hold finite numbers, got infinity. "
            "Leave such cells blank."
        )
    return numbers


def _as_numbers(texts: Any) -> Any:
    """Return text as numbers if nearly all of it is; currency signs and commas are allowed."""
    plain = texts.str.replace(r"^([-+]?)\s*[$€£¥]\s*|\s*[$€£¥%]$", r"\1", regex=True)
    thousands = plain.str.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", na=False)
    decimals = plain.str.fullmatch(r"[-+]?\d*,\d+", na=False) & ~thousands
    # "12,345" is twelve thousand unless other cells of the column show a decimal comma.
    comma = "." if decimals.any() else ""
    plain = plain.where(~(thousands | decimals), plain.str.replace(",", comma))
    numbers = pd.to_numeric(plain, errors="coerce")
    return _finite(numbers.astype(float)) if _mostly(numbers, texts) else None


def _as_dates(texts: Any) -> Any:
    """Return text as days if nearly all of it is dates of one form."""
    if not _mostly(texts.where(texts.str.contains(r"\d", na=False)), texts):
        return None
    iso = re.compile(r"\d{4}-\d{2}(-\d{2}.*)?$")
    likely = texts.where(texts.str.match(iso, na=False))
    if _mostly(likely, texts):
        return _days(pd.to_datetime(likely, errors="coerce", format="ISO8601", utc=True))
    forms = (pd.to_datetime(texts, errors="coerce", format=form) for form in _DATES)
    best = max(forms, key=lambda dates: dates.notna().sum())
    return _days(best) if _mostly(best, texts) else None


def _mostly(found: Any, texts: Any) -> bool:
    """Say whether nearly all cells that hold text are among those found."""
    return bool(found.notna().sum() >= _MOSTLY * texts.notna().sum())


def _days(dates: Any) -> Any:
    return (dates - dates.min()) / pd.Timedelta(days=1)


def _counts_rows(feature: Any) -> bool:
    """Say whether a column holds whole numbers, another one in each row."""
    if isinstance(feature.dtype, np.dtype) and len(feature) > 20:
        values = feature.to_numpy(float)
        return bool((values % 1 == 0).all() and feature.nunique() == len(feature))
    return False
