"""Files are written whole or not at all, and nothing that is not ours is written over."""

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from lopsided._terminal import abbreviate, quote

fcntl: Any

try:
    import fcntl
except ImportError:  # Windows: nobody can tell who holds a draft, so none is swept
    fcntl = None


# The name of a draft does not hold that of its file, which may be as long as a name can be.
_DRAFT = ".lopsided-draft-"
_MOST = 200  # letters of a path in a sentence
# What a disk may say while a file is written, and what to do.
_FAILURES = {
    errno.EFBIG: "it is larger than files may be here. Raise the limit (ulimit -f)",
    errno.ENOSPC: "no space is left on the disk. Make room",
    getattr(
        errno, "EDQUOT", errno.ENOSPC
    ): "no space is left. Make room, also within your quota",
    errno.EIO: "the disk reports an error. Try again",
}
_drafts: set[Path] = set()  # of this process


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; on success it becomes `path` in one step, else it vanishes.

    The file and its name are on the disk, and not only on their way, when this returns. What a
    killed process left of its own drafts in the folder is removed. Missing folders are made.

    Parameters
    ----------
    path : path
        The file to write.

    Yields
    ------
    Path
        Where to write it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/notes.txt") as draft:
    ...         _ = draft.write_text("whole, or not at all")
    ...     print([file.name for file in Path(folder).iterdir()])
    ['notes.txt']
    """
    target, _ = _find_target(path)
    draft, lock = target.with_name(_name_draft()), None
    _drafts.add(draft)
    try:
        with _naming(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep_drafts(target.parent)
            lock = _open_draft(draft)
        if target.exists():
            shutil.copymode(target, draft)
        with _naming_failures(path):
            yield draft
            with open(draft, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(draft, target)
            _fsync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)
        _drafts.discard(draft)
        if lock is not None:
            os.close(lock)


def _fsync_folder(folder: str | os.PathLike[str]) -> None:
    """Wait until the names in a folder are on the disk, where the system can tell."""
    if os.name == "nt":
        return
    with suppress(PermissionError):  # one may be allowed to write to a folder and not to read
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(handle)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the file that writing to `path` makes or replaces; raise an error if it cannot.

    Links are followed, so that they keep pointing to their file. Some folders, such as those
    of /proc, only tell when a file is made in them: one is, and removed again.
    """
    target, folder = _find_target(path)
    probe = folder / _name_draft()
    _drafts.add(probe)
    try:
        with _naming(path):
            os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            probe.unlink(missing_ok=True)
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
        _drafts.discard(probe)
    return target


def check_new_file(path: str | os.PathLike[str]) -> Path:
    """Return what `check_writable` does; raise an error also if the folder is not there.

    A file that a user names is asked for in a folder that exists: another one is a typo.
    """
    folder = Path(os.path.realpath(path)).parent
    if os.fspath(path) and not os.path.exists(folder):
        raise FileNotFoundError(
            f"There is no folder {abbreviate(folder, _MOST)} to write "
            f"{abbreviate(Path(path).name, _MOST)} to. Make it, or name another file."
        )
    return check_writable(path)


def check_readable(
    path: str | os.PathLike[str],
    what: str = "file",
    advice: str = "Give the path of a csv or parquet file.",
) -> None:
    """Raise an error if there is no file or pipe to read at a path; `advice` ends it."""
    if not os.fspath(path):
        raise FileNotFoundError(f"The name of the {what} is empty. {advice}")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{abbreviate(path, _MOST)} is a folder. {advice}")
    if not os.path.exists(path):
        raise FileNotFoundError(f"There is no {what} {abbreviate(path, _MOST)}. {advice}")


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the system name the file that a user gave, and not a draft of it."""
    try:
        yield
    except OSError as error:
        raise type(error)(
            f"{path} cannot be written to: {error.strerror}. Choose another folder."
        ) from error


@contextmanager
def _naming_failures(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of a full or broken disk name the file that a user gave, and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FAILURES:
            raise
        failure = OSError(
            f"{path} cannot be written: {_FAILURES[error.errno]}, or name a file elsewhere. "
            "Nothing was left half written."
        )
        failure.errno = error.errno
        raise failure from error


def _find_target(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Return the file to write, links followed, and the folder of its path that exists."""
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"The file to write must be a path, got {quote(path)}. Pass its name.")
    if not os.fspath(path):
        raise FileNotFoundError("The name of the file to write is empty. Give one.")
    target = Path(os.path.realpath(path))
    if os.path.isdir(target):
        raise IsADirectoryError(f"{path} is a folder. Give the name of a file to write.")
    folder = target.parent
    while not os.path.exists(folder):
        folder = folder.parent
    missing = [folder / part for part in target.relative_to(folder).parts]
    # All links are followed by now: one that is left leads back to itself.
    if os.path.islink(missing[0]):
        raise OSError(f"{path} is a loop of links. Choose another name.")
    if any(map(_is_too_long, [*missing, target.with_name(_name_draft())])):
        raise OSError(
            f"The name {abbreviate(path)} is longer than the file system takes. Choose a "
            "shorter one."
        )
    if os.path.exists(target) and not (target.is_file() and os.access(target, os.W_OK)):
        raise PermissionError(f"{path} cannot be written to. Choose another name.")
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise PermissionError(
            f"{path} cannot be written to: {folder} takes no new files. Choose another folder."
        )
    return target, folder


def check_no_file(folder: str | os.PathLike[str], advice: str) -> None:
    """Raise an error if what must be a folder, or new, is a file; `advice` ends it."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise NotADirectoryError(f"{folder} is a file. Name a folder{advice}.")


def check_folder(
    folder: str | os.PathLike[str], marks: Iterable[str], names: Iterable[str]
) -> None:
    """Raise an error if writing `names` to a folder replaced files that are not ours.

    A folder of ours holds at least one of the names in `marks`.
    """
    if any(os.path.lexists(os.path.join(folder, mark)) for mark in marks):
        return
    for name in names:
        if os.path.lexists(os.path.join(folder, name)):
            raise FileExistsError(
                f"{folder} must be new or hold results of this command, got a folder with "
                f"another {name}. Name another folder (out=...)."
            )


@contextmanager
def hold_folder(folder: str | os.PathLike[str], wait: bool = True) -> Iterator[None]:
    """Let no two runs that hold a folder write to it at once, where folders can be locked.

    It is made if it is not there.

    Parameters
    ----------
    folder : path
        The folder; nothing is written to it.
    wait : bool, default=True
        Whether to wait while another run holds it; that is an error otherwise.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, hold_folder(folder):
    ...     os.listdir(folder)
    []
    """
    with _naming(folder):
        os.makedirs(folder, exist_ok=True)
        handle = None if fcntl is None else os.open(folder, os.O_RDONLY)
    if handle is None:
        yield
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise BlockingIOError(
                f"Another run is writing to {folder}. Wait for its end, or name another folder "
                "(out=...)."
            ) from None
        except OSError:  # not every file system has locks
            pass
        yield
    finally:
        os.close(handle)


def discard_drafts() -> None:
    """Remove what this process has half written, as it is about to end without a word."""
    for draft in list(_drafts):
        with suppress(OSError):
            draft.unlink()


def _open_draft(draft: Path) -> int | None:
    """Make a draft and lock it for as long as this process lives, or until it is closed."""
    while True:
        # Opened this way the file has the rights that the user's umask gives any new file.
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        if fcntl is None:
            os.close(handle)  # an open file cannot be renamed there
            return None
        with suppress(OSError):  # without locks there are no sweeps either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)  # swept away before it was locked


def _sweep_drafts(folder: Path) -> None:
    """Remove the drafts in a folder whose processes have died."""
    if fcntl is None:
        return
    for draft in folder.glob(f"{_DRAFT}*"):
        with suppress(OSError):  # locked by a living process, gone by now, or another user's
            handle = os.open(draft, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()
            finally:
                os.close(handle)


def _name_draft() -> str:
    return f"{_DRAFT}{uuid4().hex}"


def _is_too_long(path: Path) -> bool:
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    return False
