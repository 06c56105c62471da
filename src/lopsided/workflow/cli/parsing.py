"""Words of the command line: a parser, and types of options."""

import argparse
import sys
from typing import Any, NoReturn

from lopsided._terminal import escape_controls, write_result

__all__ = [
    "Parser",
    "as_assignment",
    "as_count",
    "as_jobs",
    "as_seed",
    "as_words",
    "as_yes_or_no",
    "read_belief",
]


class Parser(argparse.ArgumentParser):
    """A parser whose errors show the control characters of a word, and do not send them on."""

    def error(self, message: str) -> NoReturn:
        """Show how the command is used and what is wrong, and exit with code 2."""
        super().error(escape_controls(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Send help and the version off at once, as results are; argparse would do it later."""
        if message and file is not None and file is sys.stdout:
            write_result(message)
        else:
            super()._print_message(message, file)


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


def as_yes_or_no(text: str) -> bool:
    """Return whether a word says yes."""
    if text not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"yes or no is wanted, got {text!r}")
    return text == "yes"


def as_assignment(text: str) -> tuple[str, str]:
    """Return the two sides of COL=KIND; a column's name may hold the sign too."""
    name, sign, kind = text.rpartition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"COL=KIND is wanted, got {text!r}")
    return name, kind


def add_seed(command: Any) -> None:
    """Add the option of a seed."""
    command.add_argument("--seed", type=as_seed, default=0, metavar="N", help="(%(default)s)")


def add_quiet(command: Any) -> None:
    """Add the option that leaves out notes and progress."""
    command.add_argument("-q", "--quiet", action="store_true", help="no notes, no progress")


def read_belief(options: argparse.Namespace) -> Any:
    """Return what is believed of the label frequency, or nothing."""
    if options.label_frequency is None:
        return None
    from lopsided.priors import Beta

    return Beta.around(options.label_frequency)
