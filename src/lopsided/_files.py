"""Files are written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

__all__ = ["write_whole"]


@contextmanager
def write_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; on success it becomes `path` in one step, else it vanishes.

    Parameters
    ----------
    path : path
        Where the file is to be. Missing folders are made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_whole(f"{folder}/names.txt") as draft:
    ...         _ = draft.write_text("a b c")
    """
    target = Path(path).resolve()  # a link keeps pointing to its file
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Name a file.")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{uuid4().hex}")
    # Opened this way the file has the rights that the user's umask gives any new file.
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        if target.exists():
            shutil.copymode(target, draft)
        yield draft
        _flush(draft)  # first what is in it, then its name: a crash leaves the old or the new
        os.replace(draft, target)
        _flush(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
