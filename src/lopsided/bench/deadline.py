"""Giving up on a fit that takes too long."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["deadline"]


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after some seconds, where the system and the thread allow it."""
    if (
        not hasattr(signal, "SIGALRM")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    running = True

    def stop(*_: Any) -> None:
        if running:
            raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            # Again and again, since an error in a destructor is overlooked.
            signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
            yield
        finally:
            running = False  # an alarm just before it leaves by the way that stops the timer
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
