"""A bar with time left for whatever takes long: on a terminal, after two seconds, once."""

import sys
import threading
from typing import Any, Self

_PATIENCE = 2.0  # seconds before anything is shown


class Bar:
    """Show how far a loop is; silent in a pipe, when quick, and inside another bar."""

    _outermost: "Bar | None" = None

    def __init__(self, total: int, label: str) -> None:
        self.total = total
        self.label = label
        self._done = 0
        self._display: Any = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        if Bar._outermost is None and sys.stderr is not None and sys.stderr.isatty():
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
        from rich import progress
        from rich.console import Console

        with self._lock:
            if Bar._outermost is not self:
                return
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
