"""A bar with time left for what takes long, on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """Give a function that counts steps as done."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda steps: None  # rich 13 ends a bar that is disabled with an empty line
        return
    with Progress(
        *Progress.get_default_columns(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        line = progress.add_task(label, total=total)
        yield lambda steps: progress.advance(line, steps)
