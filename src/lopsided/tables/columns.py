"""Columns by the words of a command line."""

from collections.abc import Iterable

from lopsided._check import check_choice

__all__ = ["find_columns"]


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
