"""Worker processes that start fresh, keep to one thread each, and end with their parent."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for

__all__ = ["start_workers"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextmanager
def start_workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give worker processes for a while.

    Parameters
    ----------
    jobs : int
        How many.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        with ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_end_with_parent
        ) as pool:
            yield pool
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _end_with_parent() -> None:
    """Let a worker end as soon as the process that started it has, however that ended."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
