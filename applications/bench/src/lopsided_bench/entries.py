"""The catalog: what each table is, how large, under which terms, without loading it."""

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from lopsided._check import check_choice

__all__ = ["Entry", "describe", "list_datasets", "list_entries"]

_RAW = "https://raw.githubusercontent.com"


class _Files(NamedTuple):
    """Where the files of a group are, and what the one of a key is called."""

    repository: str
    name: str
    place: str  # the folder of LOPSIDED_DATA that holds them


_FILES = {
    "paper": _Files("CarlosOrtegaV/PU_AnomalyDetection", "scaled_{}.csv", "datasets"),
    "adbench": _Files("Minqi824/ADBench", "{}.npz", "adbench"),
}


@dataclass(frozen=True)
class Entry:
    """One table of the catalog.

    Attributes
    ----------
    name : str
        The one that `load` knows it by.
    title : str
        The name to print.
    group : {"paper", "adbench", "bundled"}
        The studies that use it; a bundled one is cut from data in scikit-learn.
    rows, features, positives : int
        Its size, and how many rows are positive.
    sha256 : str
        Of the file, or of the arrays where there is no file.
    licence : str
        The terms, as far as they are known.
    reference : str
        Whom to cite.
    key : str
        The name of its authors' file, an alias; empty without a file.
    folder : str
        The commit and folder of the file in its authors' repository.
    repeated : int
        Rows that are equal to an earlier one, labels aside.
    columns : str
        Their names, with blanks between, where the file's origin settles them.

    Examples
    --------
    >>> entry = describe("poker")
    >>> entry.rows, entry.features, round(entry.prior, 4)
    (2075, 10, 0.012)
    """

    name: str  # the one that `load` knows it by
    title: str
    # "paper" and "adbench", used there and fetched; "bundled", cut from data in scikit-learn
    group: str
    rows: int
    features: int
    positives: int
    sha256: str  # of the file, or of the arrays where there is no file
    licence: str  # the terms, as far as they are known
    reference: str
    key: str = ""  # the name of its authors' file, an alias; empty without a file
    folder: str = ""  # the commit and folder of the file in its authors' repository
    repeated: int = 0  # rows that are equal to an earlier one, labels aside
    # Their names, with blanks between, where the file's origin settles them. The third of
    # climate is not UCI's vconst_corr but nearly a copy of vconst_2.
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
        """The folder of LOPSIDED_DATA that the file lies in, if not in LOPSIDED_DATA itself."""
        return _FILES[self.group].place if self.key else ""

    @property
    def url(self) -> str:
        """Where the file can be downloaded, empty without one."""
        if not self.key:
            return ""
        return f"{_RAW}/{_FILES[self.group].repository}/{self.folder}/{self.file}"


def _read_entries() -> tuple[Entry, ...]:
    """Return those of the paper in the order of its table, the bundled ones, ADBench's."""
    folder = files("lopsided_bench")
    listed = json.loads(folder.joinpath("catalog.json").read_text("utf-8"))
    adbench = json.loads(folder.joinpath("adbench.json").read_text("utf-8"))
    listed += [adbench["shared"] | fields for fields in adbench["tables"]]
    return tuple(Entry(**fields) for fields in listed)


_ENTRIES = _read_entries()


def list_entries() -> tuple[Entry, ...]:
    """Return what is known of every table without loading it, the paper's first.

    Examples
    --------
    >>> sum(entry.group == "paper" for entry in list_entries())
    14
    """
    return _ENTRIES


def describe(name: str) -> Entry:
    """Return what is known of a table, by its name or that of the authors' file.

    Parameters
    ----------
    name : str
        One of `list_datasets()`, or the name of the authors' file.

    Returns
    -------
    Entry

    Examples
    --------
    >>> describe("poker").positives
    25
    """
    known = {entry.name: entry for entry in _ENTRIES}
    known |= {entry.key: entry for entry in _ENTRIES if entry.key}
    return known[check_choice(name, known, "dataset")]


def list_datasets(group: str | None = None) -> list[str]:
    """Return the names for `load`, the paper's tables first and in the paper's order.

    Parameters
    ----------
    group : {"paper", "bundled", "adbench"} or None, default=None
        Only the paper's fourteen, only those that need no download, only the 22 of ADBench
        that `docs/arena.md` tells of, or all.

    Examples
    --------
    >>> list_datasets("bundled")
    ['digits-8', 'breast-cancer-rare', 'diabetes-top', 'wine-rare']
    """
    if group is not None:
        check_choice(
            group, dict.fromkeys(entry.group for entry in _ENTRIES), "group of datasets"
        )
    return [entry.name for entry in _ENTRIES if group in (None, entry.group)]
