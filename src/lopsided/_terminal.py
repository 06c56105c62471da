"""Text on a terminal: control characters of cells and names are shown, not obeyed."""

import re
from typing import Any, TextIO

__all__ = ["escape_controls", "escaped_on_terminal"]

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


def escaped_on_terminal(stream: TextIO) -> Any:
    """Return a stream that escapes what is written if a terminal shows it; else itself.

    Files and pipes get every character as it is.

    Parameters
    ----------
    stream : text stream
        Standard output, say.
    """
    return _Escaped(stream) if stream is not None and stream.isatty() else stream


class _Escaped:
    """A stream that escapes control characters and is otherwise the one it wraps."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(escape_controls(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
