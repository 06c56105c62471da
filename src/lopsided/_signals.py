"""A program that is told to end cleans up first."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["STOPS", "Stopped", "stops_unwind"]

# SIGHUP is a closed terminal, and unknown to Windows.
STOPS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """A signal told the program to end; whoever expects Ctrl-C expects this.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def stops_unwind() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `Stopped` for a while, so that all that is open is closed.

    Only the main thread gets signals. One that is ignored, as under nohup, or that has a
    handler stays as it is.
    """
    changed = []
    if threading.current_thread() is threading.main_thread():
        changed = [stop for stop in STOPS if signal.getsignal(stop) == signal.SIG_DFL]
    try:
        for stop in changed:
            signal.signal(stop, _raise)
        yield
    finally:
        for stop in changed:
            signal.signal(stop, signal.SIG_DFL)


def _raise(number: int, _: Any) -> None:
    raise Stopped(number)
