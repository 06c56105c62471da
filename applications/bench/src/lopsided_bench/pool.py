"""Worker processes that start fresh, keep to one thread each, and end with their parent."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess
from typing import Any

from lopsided._files import discard_drafts
from lopsided._signals import STOPS

__all__ = ["start_workers"]

_PATIENCE = 2.0  # seconds for a worker to end by itself
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextmanager
def start_workers(n_workers: int) -> Iterator[ProcessPoolExecutor]:
    """Give worker processes for a while; who is stopped does not wait for their work."""
    others = set(active_children())
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        with ProcessPoolExecutor(
            n_workers, mp_context=get_context("spawn"), initializer=_end_on_request
        ) as pool:
            try:
                _await_first(pool)
                yield pool
            except Exception:
                raise
            except BaseException:
                _end(set(active_children()) - others)
                raise
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _await_first(pool: ProcessPoolExecutor) -> None:
    """Wait for one worker to be there: whatever kills it later is the work's own fault."""
    try:
        pool.submit(os.getpid).result()
    except BrokenProcessPool:
        raise OSError(
            "The worker processes die before their first trial. In a script, call this under "
            '`if __name__ == "__main__":`.'
        ) from None


def _end(workers: Iterable[BaseProcess]) -> None:
    """Ask workers to end, and make those that are deep in a fit."""
    asked = list(workers)
    for worker in asked:
        worker.terminate()
    deadline = time.monotonic() + _PATIENCE
    for worker in asked:
        if not wait_for([worker.sentinel], max(deadline - time.monotonic(), 0)):
            worker.kill()


def _end_on_request() -> None:
    """Let a worker end at once with its parent, however that ended, or when it is told to.

    Nothing is unwound: the pool would take that for the end of a task, and go on to the next.
    Handlers run between two steps of the interpreter: the main thread may be deep in compiled
    code, so that another thread waits for signals too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, who tells us
    heard, told = socket.socketpair()
    told.setblocking(False)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    for stop in STOPS:
        if signal.getsignal(stop) == signal.SIG_DFL:
            signal.signal(stop, _leave)
    threading.Thread(target=_leave_when_told, args=(heard, told), daemon=True).start()


def _leave_when_told(heard: socket.socket, told: socket.socket) -> None:
    """Wait for the end of the parent, or for a signal that ends this process.

    `told` is only kept open: the system writes the number of each signal to it.
    """
    parent = parent_process()
    sentinels = [] if parent is None else [parent.sentinel]
    while True:
        ended = set(wait_for([heard, *sentinels])) - {heard}
        number = signal.SIGTERM if ended else heard.recv(1)[0]
        if number in STOPS and signal.getsignal(number) is _leave:
            _leave(number, None)


def _leave(number: int, _: Any) -> None:
    discard_drafts()
    os._exit(128 + number)
