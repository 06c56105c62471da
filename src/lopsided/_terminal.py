"""What a command prints: results to standard output, all else to standard error.

Long cells and names are cut short in messages, and control characters are spelled out.
"""

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

# All but tab and newline; marks that turn the direction of text, and other ends of a line; and
# halves of letters, such as bytes of a file's name that are no UTF-8, which nobody can print.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)

_BREAKS = re.compile(r"[^\S ]+")  # whitespace but for the space itself


def escape_controls(text: str) -> str:
    r"""Return text with control characters written out as Python would: the bell as \x07."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def show_in_line(text: str) -> str:
    r"""Return text that takes one line of a terminal: a tab as \t, the end of a line as \n."""
    return escape_controls(text.replace("\t", "\\t").replace("\n", "\\n"))


def abbreviate(text: object, most: int = 60) -> str:
    """Return what a message quotes of a cell or a name: one line, cut if it is long."""
    whole = escape_controls(_BREAKS.sub(" ", str(text)))
    return whole if len(whole) <= most else whole[: most - 3] + "..."


def quote(value: Any) -> str:
    """Return a value as Python writes it, its beginning if it is long."""
    if isinstance(value, str):
        return repr(abbreviate(value))
    if isinstance(value, type):  # which may have the attributes of an array
        return abbreviate(repr(value))
    if getattr(value, "ndim", None) and hasattr(value, "tolist"):  # an array by its values
        first = getattr(value, "iloc", value)[:60].tolist()  # more than are shown
        return f"{type(value).__name__}({abbreviate(repr(first))})"
    return abbreviate(repr(value))


def show_name(name: object) -> str:
    """Return a name as a list has it: in quotes where blanks at its ends would not be seen."""
    shown = abbreviate(name)
    return shown if shown and shown == shown.strip() else repr(shown)


def list_some(names: Iterable[object], most: int = 240) -> str:
    """Return names with commas between them, as many as a message has room for."""
    shown: list[str] = []
    for name in names:
        if shown and sum(map(len, shown)) + 2 * len(shown) > most:
            return ", ".join([*shown, "..."])
        shown.append(show_name(name))
    return ", ".join(shown)


def check_streams(results: bool) -> None:
    """Raise an error now if results would be printed later to a stream that is closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The next file that is opened would get the number, and all that a library prints.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if results and sys.stdout is None:
        raise OSError("Standard output is closed, and results go there. Send it to a file.")


def is_terminal() -> bool:
    """Say whether results go to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def print_result(result: object, end: str = "\n", exact: bool = False) -> None:
    """Print to standard output at once.

    Control characters are spelled out. With `exact`, files and pipes get every character as it
    is: the cells of a list are data.
    """
    text = str(result) + end
    write_result(text if exact and not is_terminal() else escape_controls(text), exact)


def write_result(text: str, exact: bool = False) -> None:
    """Write text to standard output at once, while one can still say that it did not work."""
    if sys.stdout is None:  # closed, which `check_streams` has found bearable
        return
    try:
        _write(text, exact)
    except OSError as error:
        # What could not be written would be tried again, with a traceback, at the very end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a reader (`head`, say) who has had enough
            raise OSError(
                f"Standard output cannot be written to: {error.strerror}. Send it elsewhere."
            ) from None


def _write(text: str, exact: bool) -> None:
    try:
        print(text, end="", flush=True)
    except UnicodeEncodeError as error:
        if exact:
            raise ValueError(
                f"Standard output takes {error.encoding} text, got "
                f"{error.object[error.start]!a}. Set PYTHONIOENCODING=utf-8 or name a file."
            ) from None
        shown = text.encode(error.encoding, "backslashreplace").decode(error.encoding)
        print(shown, end="", flush=True)


def say(message: str) -> None:
    """Print to standard error, if anybody listens."""
    if sys.stderr is not None:  # None would be taken for standard output
        with suppress(OSError):
            print(escape_controls(message), file=sys.stderr, flush=True)
