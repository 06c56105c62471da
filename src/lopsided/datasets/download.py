"""Download a file whole or not at all, with a progress bar on a terminal."""

import logging
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from lopsided._check import require
from lopsided.datasets.entries import Entry

__all__ = ["download"]

# Seconds to wait for a connection, and for the next bytes.
_PATIENCE = (5, 30)


def download(entry: Entry, folder: Path) -> Path:
    """Fetch the file of an entry into a folder, replacing a damaged one.

    Parameters
    ----------
    entry : Entry
        The table.
    folder : Path
        Where to put its file.

    Returns
    -------
    Path
        The file, its sha256 checked.

    Raises
    ------
    OSError
        If the file cannot be fetched or written.
    ValueError
        If another file came than was wanted.
    """
    pooch = require("pooch")
    with _quiet(pooch.get_logger()), _bar(entry.title) as bar:
        path = pooch.retrieve(
            entry.url,
            known_hash=f"sha256:{entry.sha256}",
            fname=entry.file,
            path=folder,
            downloader=pooch.HTTPDownloader(progressbar=bar, timeout=_PATIENCE),
        )
    return Path(path)


@contextmanager
def _quiet(logger: logging.Logger) -> Any:
    """Keep pooch from telling what the bar tells."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def _bar(title: str) -> Any:
    """Return a progress bar on a terminal, nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    return _Bar(title, console) if console.is_terminal else nullcontext(False)


class _Bar:
    """A rich progress bar with the few methods that pooch calls."""

    def __init__(self, title: str, console: Any) -> None:
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        self._progress = Progress(*columns, console=console)
        self._task = self._progress.add_task(title, total=None)
        self.total = 0  # set by pooch; stays 0 when the server does not say

    def __enter__(self) -> Any:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, n_bytes: int) -> None:
        self._progress.update(self._task, total=self.total or None, advance=n_bytes)

    def reset(self) -> None:
        self._progress.reset(self._task)

    def close(self) -> None:
        self._progress.stop()
