"""What options of the command line turn their text into, or refuse it."""

import argparse
from typing import NoReturn

from lopsided._terminal import abbreviate, escape_controls

__all__ = ["Parser", "as_count", "as_jobs", "as_renamings", "as_seed", "as_words", "as_years"]


class Parser(argparse.ArgumentParser):
    """A parser whose errors show the control characters of a word, and do not send them on."""

    def error(self, message: str) -> NoReturn:
        """Show how the command is used and what is wrong, and exit with code 2."""
        super().error(escape_controls(message))


_MAX_DIGITS = 4  # of a year


def as_count(text: str) -> int:
    """Return a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 is wanted, got {text!r}")
    return int(text)


def as_seed(text: str) -> int:
    """Return a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number from 0 is wanted, got {text!r}")
    return int(text)


def as_jobs(text: str) -> int:
    """Return a number of workers; -1 is all."""
    return -1 if text == "-1" else as_count(text)


def as_words(text: str) -> tuple[str, ...]:
    """Return words that commas separate."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def as_renamings(text: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of names, OLD=NEW, that commas separate."""
    pairs = [tuple(word.split("=")) for word in as_words(text)]
    if any(len(pair) != 2 or not all(pair) for pair in pairs):
        raise argparse.ArgumentTypeError(f"OLD=NEW,OLD=NEW is wanted, got {text!r}")
    return tuple((pair[0], pair[1]) for pair in pairs)


def as_years(text: str) -> tuple[int, ...]:
    """Return years from spans and single ones, 2003-2005,2007."""
    found: list[int] = []
    for part in as_words(text):
        first, dash, last = part.partition("-")
        years = (first, last) if dash else (first,)
        if not all(year.isdecimal() and len(year) <= _MAX_DIGITS for year in years):
            raise argparse.ArgumentTypeError(
                f"years as 2003-2005,2007 are wanted, got {abbreviate(text)!r}"
            )
        if dash and int(last) < int(first):
            raise argparse.ArgumentTypeError(f"the earlier year must come first, got {part!r}")
        found += range(int(first), int(last or first) + 1)
    return tuple(sorted(set(found)))
