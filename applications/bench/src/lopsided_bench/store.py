"""The results of trials as files: what is there, and whole, is done."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow.parquet import ParquetFile

__all__ = ["DamagedFileError", "ResultStore", "write_whole"]

_SUFFIX, _FINGERPRINT = ".parquet", "fingerprint.json"


class DamagedFileError(ValueError):
    """A file does not hold what was written to it."""


@contextmanager
def write_whole(path: Path) -> Iterator[Path]:
    """Give a path to write to; on success it replaces `path`, on an error it is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield draft
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


class ResultStore:
    """A folder with a parquet file for each key.

    Processes may write side by side and be killed at any time: a file is there whole or not
    at all. A file that cannot be read, or that fails the `check`, counts as missing.

    Parameters
    ----------
    folder : path
        Folder of the files; made when the first is written.
    fingerprint : str, default=""
        What the results belong to. A folder with another fingerprint, or with files and no
        fingerprint, is refused.
    check : callable, optional
        Gets the key and the frame of each file that is read, and raises ValueError if the
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
        self._check_folder()

    def path(self, key: str) -> Path:
        """Return the file of a key."""
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
        """Write the fingerprint into the folder."""
        with write_whole(self.folder / _FINGERPRINT) as draft:
            draft.write_text(json.dumps({"fingerprint": self.fingerprint}) + "\n")

    def write(self, key: str, frame: Any) -> None:
        """Write a frame, without its index, as the result of a key."""
        if not (self.folder / _FINGERPRINT).is_file():
            self.claim()
        with write_whole(self.path(key)) as draft:
            frame.to_parquet(draft, index=False, compression="zstd")

    def read(self, key: str) -> Any:
        """Return the frame of a key.

        Raises KeyError if there is none, and DamagedFileError if it cannot be read or fails
        the check.
        """
        path = self.path(key)
        try:  # without threads, which cost more than these small files take
            with ParquetFile(path) as file:
                frame = file.read(use_threads=False).to_pandas(use_threads=False)
        except FileNotFoundError:
            raise KeyError(key) from None
        except Exception as error:  # damage shows in more ways than pyarrow documents
            raise DamagedFileError(f"{path} cannot be read") from error
        if self.check is not None:
            try:
                self.check(key, frame)
            except ValueError as error:
                raise DamagedFileError(f"{path} {error}") from error
        return frame

    def read_all(self) -> Any:
        """Return the frames of all keys that are done, one below the other."""
        frames = [frame for _, frame in self._items()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the results of keys, if they are there."""
        for key in keys:
            self.path(key).unlink(missing_ok=True)

    def _items(self) -> Iterator[tuple[str, Any]]:
        for path in sorted(self.folder.rglob(f"[!.]*{_SUFFIX}")):
            key = path.relative_to(self.folder).with_suffix("").as_posix()
            with suppress(KeyError, DamagedFileError):
                yield key, self.read(key)

    def _check_folder(self) -> None:
        """Refuse a folder with results of something else, or with files of others."""
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is a file. Name a folder for the results.")
        try:
            text = (self.folder / _FINGERPRINT).read_text(encoding="utf-8")
        except FileNotFoundError:
            if self.folder.is_dir() and any(self.folder.iterdir()):
                raise FileExistsError(
                    f"{self.folder} must be new or hold results of this command, got a folder "
                    "with other files. Name another folder."
                ) from None
            return
        found = json.loads(text)["fingerprint"]
        if found != self.fingerprint:
            raise ValueError(
                f"{self.folder} holds results of {found}, not of {self.fingerprint}. Name "
                "another folder."
            )
