"""The catalog: what each table is, how large, under which terms, without loading it."""

import json
from dataclasses import dataclass
from importlib.resources import files

from lopsided._check import check_choice

__all__ = ["Entry", "describe", "list_datasets", "list_entries"]

_AUTHORS = "https://raw.githubusercontent.com/CarlosOrtegaV/PU_AnomalyDetection"


@dataclass(frozen=True)
class Entry:
    """One table of the catalog."""

    name: str  # the one that `load` knows it by
    title: str
    group: str  # "paper", used there and fetched, or "bundled", cut from data in scikit-learn
    rows: int
    features: int
    positives: int
    sha256: str  # of the csv file, or of the arrays where there is no file
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
        """Name of the csv file, empty without one."""
        return f"scaled_{self.key}.csv" if self.key else ""

    @property
    def url(self) -> str:
        """Where the csv file can be downloaded, empty without one."""
        return f"{_AUTHORS}/{self.folder}/{self.file}" if self.key else ""


# In the order of the paper's table of datasets, then the bundled ones.
_CATALOG = json.loads(files("lopsided.datasets").joinpath("catalog.json").read_text("utf-8"))
_ENTRIES = tuple(Entry(**fields) for fields in _CATALOG)


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
    group : {"paper", "bundled"} or None, default=None
        Only the paper's fourteen, only those that need no download, or all.

    Examples
    --------
    >>> list_datasets("bundled")
    ['digits-8', 'breast-cancer-rare', 'diabetes-top', 'wine-rare']
    """
    if group is not None:
        check_choice(group, ("paper", "bundled"), "group of datasets")
    return [entry.name for entry in _ENTRIES if group in (None, entry.group)]
