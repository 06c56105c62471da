"""Columns by the words of a command line, and names for them beside those of a ranking."""

from collections.abc import Iterable

from lopsided._validation import check_choice

__all__ = ["find_columns", "names_beside"]


def find_columns(words: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that words name: each word is a name or, with commas, several.

    Parameters
    ----------
    words : iterable of str
        Names of columns, or several with commas between.
    names : iterable of str
        The columns that there are.

    Returns
    -------
    tuple of str

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


def names_beside(names: Iterable[str], head: Iterable[str]) -> list[str]:
    """Return names with an underscore or more where those at the head would hide them.

    Examples
    --------
    >>> names_beside(["city", "rank", "rank_"], ["rank", "score"])
    ['city', 'rank__', 'rank_']
    """
    known, first = list(names), set(head)
    taken, renamed = {*first, *known}, []
    for name in known:
        if name in first:
            while name in taken:
                name += "_"
            taken.add(name)
        renamed.append(name)
    return renamed
