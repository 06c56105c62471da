"""Columns that only name rows: keys that count up, codes that never come back."""

import re
from collections import Counter
from typing import Any

import numpy as np

from lopsided.workflow.tables._cells import Cells

_NEARLY_ALL = 0.95  # of the rows with a cell of their own
_MIN_ROWS = 20  # fewer rows differ by chance
_DENSE = 2  # keys of rows fill at least every so manieth place of their range
_SPARSE = 10  # keys that grow from row to row may leave out more
_COMMON = 0.9  # a word in so many rows, such as INV in INV-0017, tells none of them apart
_SHARED = 0.5  # share of the rows that have words in common where text is more than names
_KEY_WORDS = (
    "id ids no nr num number key keys uuid guid ref reference index idx rowid row identifier "
    "nummer kennung schlüssel numero numéro"
)
_KEYS = frozenset(_KEY_WORDS.split())
_TOKEN = re.compile(r"[^\W_]+")
_LAST_HUMP = re.compile(r"(?<=[a-zäöüß])(?=[A-Z])")


def is_named_like_key(name: str) -> bool:
    """Say whether a column is called something like an id.

    Examples
    --------
    >>> [is_named_like_key(name) for name in ("claim_no", "policyId", "Unnamed: 0", "amount")]
    [True, True, True, False]
    """
    words = [word.lower() for word in _TOKEN.findall(_LAST_HUMP.sub(" ", name))]
    if not words or words[0] == "unnamed":
        return bool(words)
    return words[-1] in _KEYS or words[0] in ("id", "uuid", "guid") or name.endswith("#")


def find_key(name: str, values: Any) -> str:
    """Return why numbers only name rows, nothing if they may mean more.

    An amount in cents may differ from row to row as well: it takes a name like a key's, or
    numbers that fill their range, which chance never brings about.
    """
    known = values[~np.isnan(values)]
    if len(known) < _MIN_ROWS or (known % 1 != 0).any():
        return ""
    distinct = np.unique(known)
    if len(distinct) < _NEARLY_ALL * len(known):
        return ""
    span = distinct[-1] - distinct[0] + 1
    if len(distinct) == len(known) and span <= _DENSE * len(known):
        return "whole numbers that count the rows, each once"
    steps = np.diff(known)
    if len(distinct) == len(known) and span <= _SPARSE * len(known) and (steps > 0).all():
        return "whole numbers that grow from row to row"
    if is_named_like_key(name):
        return "whole numbers under the name of a key, another in nearly every row"
    return ""


def is_nearly_unique(cells: Cells) -> bool:
    """Say whether nearly every row has a text of its own."""
    return len(cells.texts) >= _NEARLY_ALL * cells.n_filled


def has_words(cells: Cells) -> bool:
    """Say whether rows share words: text with something to learn from, not names of rows."""
    texts = cells.texts
    words = [
        {word.lower() for word in _TOKEN.findall(text) if len(word) > 2 and word.isalpha()}
        for text in texts
    ]
    counts = Counter(word for found in words for word in found)
    shared = {word for word, count in counts.items() if 1 < count <= _COMMON * len(texts)}
    n_sharing = sum(not shared.isdisjoint(found) for found in words)
    return n_sharing >= max(_SHARED * len(texts), 1)


def is_code(cells: Cells) -> bool:
    """Say whether digits are names: all of one width of 3 or more, some with zeros in front."""
    widths = {len(text) for text in cells.texts}
    return (
        len(widths) == 1
        and widths.pop() >= 3
        and all(text.isdigit() for text in cells.texts)
        and any(text[0] == "0" for text in cells.texts)
    )
