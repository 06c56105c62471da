"""What options of the command line turn their text into, or refuse it."""

import argparse
from typing import NoReturn

from lopsided._terminal import escape_controls

__all__ = ["Parser", "as_count", "as_jobs", "as_seed", "as_words"]


class Parser(argparse.ArgumentParser):
    """A parser whose errors show the control characters of a word, and do not send them on."""

    def error(self, message: str) -> NoReturn:
        """Show how the command is used and what is wrong, and exit with code 2."""
        super().error(escape_controls(message))


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
