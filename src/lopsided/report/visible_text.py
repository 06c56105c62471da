"""Text from anywhere as text on a page: what a reader would not see is spelled out."""

import re
from typing import NamedTuple

__all__ = ["Excerpt", "excerpt", "make_visible", "shorten"]

# Controls but tab and newline, lone surrogates, marks that let text run backwards, characters
# without a width (but for the joiners, which scripts and emoji need), and noncharacters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)


class Excerpt(NamedTuple):
    """The beginning of a text, and more of it if it is long.

    Attributes
    ----------
    short : str
        The text, or its beginning with an ellipsis.
    whole : str
        All of it, or as much as a page can hold; blank if `short` is all.
    n_more : int
        Characters that are in neither.
    """

    short: str
    whole: str = ""
    n_more: int = 0


def make_visible(text: str) -> str:
    r"""Return text in which every unseen character is written out as Python would.

    Examples
    --------
    >>> print(make_visible("invoice\u202efdp.exe" + chr(0)))
    invoice\u202efdp.exe\x00
    """
    return _UNSEEN.sub(
        lambda found: found[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n")
    )


def shorten(text: str, most: int) -> str:
    """Return visible text of at most so many characters, the last one an ellipsis if it is cut.

    Examples
    --------
    >>> shorten("a very long name", 7)
    'a very…'
    """
    # What is cut off anyway is not looked at; spelled out, a text gets no shorter.
    seen = make_visible(text[: most + 1])
    return seen if len(seen) <= most else seen[: most - 1].rstrip() + "…"


def excerpt(text: str, most: int, most_whole: int) -> Excerpt:
    """Return the beginning of a text, and more of it behind that if it is long.

    Examples
    --------
    >>> excerpt("abcdefghij", 4, 8)
    Excerpt(short='abc…', whole='abcdefgh', n_more=2)
    """
    short = shorten(text, most)
    seen = make_visible(text[:most_whole])
    if short == seen and len(text) <= most_whole:
        return Excerpt(short)
    return Excerpt(short, seen, max(0, len(text) - most_whole))
