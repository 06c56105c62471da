"""The job store: a file for each key that is done, so that work can be stopped at any time."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lopsided._files import atomic_write
from lopsided._warnings import warn

__all__ = ["DamagedFileError", "ResultStore", "naming_the_file"]

_SUFFIX, _FINGERPRINT = ".parquet", "fingerprint.json"
_KEY = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)*")


class DamagedFileError(ValueError):
    """A file does not hold what was written to it."""


class ResultStore:
    """A folder with a parquet file for each key: what is there, and whole, is done.

    Files are written in one step and are on the disk when `write` returns, so that processes
    may write side by side and be killed at any time. A file that is cut, changed or fails the
    `check` counts as not there.

    Parameters
    ----------
    folder : path
        Where the files are; made when the first is written.
    fingerprint : str, default=""
        What the results belong to. A folder with another fingerprint, or with files and none,
        is refused.
    check : callable, optional
        Is given the key and the frame of each file that is read, and raises ValueError if the
        frame cannot be the result of that key.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = ResultStore(folder)
    ...     store.write("wine/1", pd.DataFrame({"value": [0.5]}))
    ...     "wine/1" in store, "wine/2" in store, store.keys()
    (True, False, ['wine/1'])
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        fingerprint: str = "",
        check: Callable[[str, Any], None] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.fingerprint = fingerprint
        self.check = check
        self._claimed = self._is_ours()

    def path(self, key: str) -> Path:
        """Return the file of a key, which is words of letters, digits, dots and dashes."""
        if not _KEY.fullmatch(key):
            raise ValueError(f"A key must be words, with slashes between them, got {key!r}.")
        return self.folder / f"{key}{_SUFFIX}"

    def __contains__(self, key: str) -> bool:
        try:
            self.read(key)
        except (KeyError, DamagedFileError):
            return False
        return True

    def keys(self) -> list[str]:
        """Return the keys that are done, in order."""
        return [key for key, _ in self._items()]

    def claim(self) -> None:
        """Leave our fingerprint in the folder now, and not with the first result."""
        if not self._claimed:
            with atomic_write(self.folder / _FINGERPRINT) as draft:
                draft.write_text(json.dumps({"fingerprint": self.fingerprint}) + "\n")
            self._claimed = True

    def write(self, key: str, frame: Any) -> None:
        """Write a frame, without its index, as the result of a key: whole or not at all."""
        path = self.path(key)
        self.claim()
        with naming_the_file(path):
            try:
                _write(path, frame)
            except FileNotFoundError:  # `remove` of another process saw the folder empty
                _write(path, frame)

    def read(self, key: str) -> Any:
        """Return the frame of a key.

        Raises KeyError if there is none, and DamagedFileError if it is not as it was written or
        fails the check.
        """
        from pyarrow.parquet import ParquetFile

        path = self.path(key)
        try:  # without threads, which cost more than these small files take
            with ParquetFile(path, page_checksum_verification=True) as file:
                frame = file.read(use_threads=False).to_pandas(use_threads=False)
        except FileNotFoundError:
            raise KeyError(key) from None
        except Exception as error:  # damage shows in more ways than pyarrow documents
            if getattr(error, "errno", None):  # but not in those of a disk or of permissions
                raise
            raise DamagedFileError(f"{path} cannot be read") from error
        if self.check is not None:
            try:
                self.check(key, frame)
            except ValueError as error:
                raise DamagedFileError(f"{path} {error}") from error
        return frame

    def read_all(self) -> Any:
        """Return the frames of all keys that are done, one below the other."""
        import pandas as pd

        frames = [frame for _, frame in self._items()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the results of keys, if they are there, and folders that are empty then."""
        paths = [self.path(key) for key in keys]
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in {path.parent for path in paths} - {self.folder}:
            with suppress(OSError):  # not empty
                folder.rmdir()

    def _items(self) -> Iterator[tuple[str, Any]]:
        # Unlike rglob this does not mind a folder that another process removes meanwhile.
        files = [
            Path(where, name) for where, _, names in os.walk(self.folder) for name in names
        ]
        for path in sorted(files):
            key = path.relative_to(self.folder).with_suffix("").as_posix()
            if path.suffix == _SUFFIX and _KEY.fullmatch(key):
                with suppress(KeyError, DamagedFileError):
                    yield key, self.read(key)

    def _is_ours(self) -> bool:
        """Say whether the folder bears our fingerprint; refuse one that is somebody else's."""
        if self.folder.is_file():
            raise NotADirectoryError(f"{self.folder} is a file. Name a folder for the results.")
        file = self.folder / _FINGERPRINT
        if not file.is_file():
            files = os.listdir(self.folder) if self.folder.is_dir() else []
            others = [name for name in files if not name.startswith(".")]  # but for drafts
            if others:
                raise FileExistsError(
                    f"{self.folder} must be new or hold results of this command, got a folder "
                    f"with another {others[0]}. Name another folder (out=...)."
                )
            return False
        try:
            found = json.loads(file.read_text(encoding="utf-8"))["fingerprint"]
        except (ValueError, TypeError, KeyError, RecursionError):
            warn(f"{file} is damaged and is written again.")
            return False
        if found != self.fingerprint:
            raise ValueError(
                f"{self.folder} holds results of {found}, not of {self.fingerprint}. Name "
                "another folder (out=...)."
            )
        return True


@contextmanager
def naming_the_file(path: Path) -> Iterator[None]:
    """Name the file that could not be written, and say that nothing is lost."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        why += "; what was finished before is kept"
        raise OSError(error.errno, why, str(path)) from error


def _write(path: Path, frame: Any) -> None:
    with atomic_write(path) as draft:
        settings = {"write_page_checksum": True, "write_statistics": False}
        frame.to_parquet(draft, index=False, compression="zstd", **settings)
