"""A program that is told to end cleans up first."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# SIGHUP is a closed terminal, and unknown to Windows.
STOPS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

_PAUSE = 0.02  # seconds until a signal is sent again: outside of what dropped it, with luck


class Stopped(KeyboardInterrupt):
    """The signal of this number told the program to end; to others it is a Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def stops_unwind() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `Stopped` for a while, so that all that is open is closed.

    Only the main thread gets signals. One that is ignored, as under nohup, or that has a
    handler stays as it is. A destructor or a callback from C drops what is raised in it: the
    signal is then sent once more, and so is that of Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = [stop for stop in STOPS if signal.getsignal(stop) == signal.SIG_DFL]
    show = sys.unraisablehook

    def send_again(dropped: Any) -> None:
        if not isinstance(dropped.exc_value, KeyboardInterrupt):
            return show(dropped)
        number = getattr(dropped.exc_value, "number", signal.SIGINT)
        threading.Timer(_PAUSE, os.kill, (os.getpid(), number)).start()

    try:
        sys.unraisablehook = send_again
        for stop in changed:
            signal.signal(stop, _raise)
        yield
    except Exception as error:
        raise_stop_behind(error)
        raise
    finally:
        for stop in changed:
            signal.signal(stop, signal.SIG_DFL)
        sys.unraisablehook = show


def raise_stop_behind(error: BaseException | None) -> None:
    """Raise the Ctrl-C or signal that an error comes from: compiled code hides it in one."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            raise error from None
        error = error.__cause__ or error.__context__


def _raise(number: int, _: Any) -> None:
    raise Stopped(number)
