"""Running a command: errors as one sentence, signals without a trace, notes once."""

import argparse
import os
import re
import signal
import warnings
from collections.abc import Sequence
from typing import Any

from lopsided._progress import silenced
from lopsided._signals import Stopped, stops_unwind
from lopsided._terminal import check_streams, is_terminal, print_result, say, show_in_line

__all__ = ["name_options", "run_command"]

# Parameters that messages may name, as in `positive=...`, and what their options are called.
_SAME = ("positive", "negative", "group", "verdict", "prior", "encoding", "sheet", "out")
_OPTIONS = {
    **{name: name for name in _SAME},
    "label_frequency": "label-frequency",
    "separator": "sep",
    "rivals": "rival",
    "types": "type",
}
_PARAMETER = re.compile(rf"\b({'|'.join(_OPTIONS)})=\.\.\.")


def name_options(text: str) -> str:
    """Return a message of the library with options where it names parameters.

    Examples
    --------
    >>> name_options("Name the value of the positives (positive=...).")
    'Name the value of the positives (--positive).'
    """
    return _PARAMETER.sub(lambda found: f"--{_OPTIONS[found[1]]}", text)


def _notes(quiet: bool) -> Any:
    """Return what shows a warning as a note, once: each fold of a ranking may warn alike."""
    said = set()

    def note(message: Any, category: Any, *_: Any, **__: Any) -> None:
        text = name_options(str(message))
        if issubclass(category, UserWarning) and text not in said and not quiet:
            said.add(text)
            say(f"note: {text}")

    return note


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Run what a parser chooses; return 0, 2 for bad input, and 128 + the number of a signal.

    An application with a command of its own gets the manners of this one: an error is one
    sentence, and Ctrl-C, SIGTERM and SIGHUP leave nothing half written.

    Parameters
    ----------
    parser : ArgumentParser
        Its options have a default `run`, a function of the options. What it returns is printed,
        but for a number, which is the exit code.
    arguments : sequence of str, optional
        The words after the command; those of the process by default.
    """
    try:
        options = parser.parse_args(arguments)
    except OSError as error:  # of a disk that has no room for the help
        say(f"{parser.prog}: {error}")
        return 2
    quiet = getattr(options, "quiet", False)
    # Threads that wait must not spin: on a busy machine they take the cores they wait for.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        with stops_unwind(), warnings.catch_warnings(), silenced(quiet):
            warnings.showwarning = _notes(quiet)
            check_streams(results=getattr(options, "output", None) is None)
            result = options.run(options)
            if isinstance(result, int):
                return result
            if isinstance(result, os.PathLike) and is_terminal():
                result = show_in_line(str(result))
            if result is not None:
                print_result(result)
    except (ValueError, OSError, ImportError) as error:
        say(f"{parser.prog}: {name_options(str(error))}")
        return 2
    except KeyboardInterrupt as stop:
        say(f"{parser.prog}: stopped; nothing was left half written.")
        return 128 + (stop.number if isinstance(stop, Stopped) else signal.SIGINT)
    return 0
