"""Cells and names in messages: the beginning of long ones, control characters spelled out."""

import re

__all__ = ["abbreviate", "escape_controls"]

# All but tab and newline; and the marks that let text run backwards.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def escape_controls(text: str) -> str:
    r"""Return text with control characters written out as Python would.

    Parameters
    ----------
    text : str
        What may hold cells, names or paths of a user's files.

    Examples
    --------
    >>> print(escape_controls("red: \x1b[31m"))
    red: \x1b[31m
    """
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def abbreviate(text: object, length: int = 60) -> str:
    """Return what a message quotes of a cell or a name: its beginning, if it is long.

    Examples
    --------
    >>> abbreviate("a" * 100, 10)
    'aaaaaaa...'
    """
    whole = str(text)
    return whole if len(whole) <= length else whole[: length - 3] + "..."
