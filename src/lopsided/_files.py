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
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
