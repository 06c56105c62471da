"""A bar with time left for whatever takes long: on a terminal, after two seconds, once."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

_PATIENCE = 2.0  # seconds before anything is shown


class Bar:
    """Show how far a loop is; silent in a pipe, when quick, and inside another bar.

    A notebook is no pipe: its cells show a line that is written over.
    """

    _outermost: "Bar | None" = None
    _silent = False

    def __init__(self, total: int, label: str) -> None:
        self.total = total
        self.label = label
        self._done = 0
        self._display: Any = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        if Bar._outermost is None and not Bar._silent and _is_watched():
            Bar._outermost = self
            # A timer and not the next step shows the bar: the first step may take minutes.
            self._timer = threading.Timer(_PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def advance(self, steps: int = 1) -> None:
        """Count steps as done."""
        with self._lock:
            self._done += steps
            if self._display is not None:
                self._display.update(self._task, completed=self._done, total=self.total)

    def _show(self) -> None:
        with self._lock:
            if Bar._outermost is not self:
                return
            if _is_notebook():
                self._display, self._task = _NotebookLine(self.label), 0
                self._display.update(0, self._done, self.total)
                return
            from rich import progress
            from rich.console import Console

            self._display = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.TextColumn("{task.completed}/{task.total}"),
                progress.TimeElapsedColumn(),
                progress.TextColumn("left"),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._display.add_task(
                self.label, total=self.total, completed=self._done
            )
            self._display.start()

    def __exit__(self, *_: object) -> None:
        if Bar._outermost is not self:
            return
        self._timer.cancel()
        with self._lock:
            Bar._outermost = None
            if self._display is not None:
                self._display.stop()


class _NotebookLine:
    """What rich shows on a terminal, as plain text: its own way needs widgets."""

    def __init__(self, label: str) -> None:
        self.label, self.start = label, time.monotonic() - _PATIENCE

    def update(self, _: int, completed: int, total: int) -> None:
        """Write the line anew."""
        spent = time.monotonic() - self.start
        left = f", {spent / completed * (total - completed):.0f} s left" if completed else ""
        line = f"{self.label} {completed}/{total}, {spent:.0f} s{left}"
        print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)

    def stop(self) -> None:
        """Write over the line with nothing."""
        print(f"\r{'':<79}\r", end="", file=sys.stderr, flush=True)


@contextmanager
def silenced(quiet: bool) -> Iterator[None]:
    """Let no bar be shown for a while, if that is asked for."""
    before, Bar._silent = Bar._silent, Bar._silent or quiet
    try:
        yield
    finally:
        Bar._silent = before


def _is_watched() -> bool:
    return _is_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _is_notebook() -> bool:
    """Say whether this process is the kernel of a notebook, whose output is a page."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"
