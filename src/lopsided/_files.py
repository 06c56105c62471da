"""Files are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
    >>> with write_whole("/tmp/lopsided-example/names.txt") as draft:
    ...     _ = draft.write_text("a b c")
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        os.chmod(draft, 0o666 & ~_umask())
        yield Path(draft)
        os.replace(draft, target)
    finally:
        Path(draft).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
