"""One BLAS thread for the linear algebra of fits and scores, with one limit per process."""

from contextlib import ContextDecorator
from functools import cache
from threading import Lock
from typing import Any

__all__ = ["one_blas_thread"]


@cache
def _find_libraries() -> list[Any]:
    """Return the controllers of the BLAS libraries; each search takes milliseconds."""
    import scipy.linalg  # noqa: F401 - its library must be loaded to be listed
    from threadpoolctl import ThreadpoolController

    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


def _set_threads(library: Any, n_threads: int) -> None:
    # Since 3.8 threadpoolctl ignores a thread while another one controls OpenBLAS. The last to
    # leave is often another thread than the first to enter.
    release = getattr(library, "clear_controlling_thread", lambda force: None)
    release(force=True)
    library.set_num_threads(n_threads)
    release(force=True)


class _OneBlasThread(ContextDecorator):
    """A counted limit: the first to enter saves the setting, the last to leave restores it.

    BLAS has one setting for all threads of a process. If each thread saved and restored it,
    overlapping threads would save and restore each other's limits.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        libraries = _find_libraries()
        with self._lock:
            if self._n_inside == 0:
                self._before = [library.get_num_threads() for library in libraries]
            self._n_inside += 1
            # Nested entries set it too: with OpenMP, OpenBLAS has a setting for each thread.
            for library in libraries:
                _set_threads(library, 1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                for library, n_threads in zip(_find_libraries(), self._before, strict=True):
                    _set_threads(library, n_threads)


one_blas_thread = _OneBlasThread()
"""Keeps BLAS to one thread, as a context or a decorator.

Products in fits are small: more threads gain little, and sums would depend on their number.
"""
