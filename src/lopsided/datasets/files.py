"""Read one of the authors' csv files, and only if it is the right one."""

import hashlib
import io
from pathlib import Path

import numpy as np

from lopsided._check import check_truth
from lopsided.datasets.dataset import Found
from lopsided.datasets.entries import Entry

__all__ = ["ChecksumError", "read_file"]


class ChecksumError(ValueError):
    """A file is not the one the catalog means."""


def read_file(path: Path, entry: Entry, source: str) -> Found:
    """Read a headerless csv file whose last column is the truth.

    Parameters
    ----------
    path : Path
        The file.
    entry : Entry
        The table it should hold.
    source : str
        Where the file came from, in words.

    Returns
    -------
    Found
        The table.

    Raises
    ------
    ChecksumError
        If the file is not the one the catalog means.
    """
    content = path.read_bytes()
    came = hashlib.sha256(content).hexdigest()
    if came != entry.sha256:
        raise ChecksumError(
            f"{path} must be the file {entry.file} with sha256 {entry.sha256}, got a file with "
            f"sha256 {came}. Replace it by the authors' file, or remove it."
        )
    # Not pandas: its default reader may miss the last digit. Some files write the truth
    # as 0 and 1, others as 0.0 and 1.0; both are read as floats first.
    table = np.loadtxt(io.BytesIO(content), delimiter=",", dtype=np.float64, ndmin=2)
    X = np.ascontiguousarray(table[:, :-1])
    return Found(X, check_truth(table[:, -1]), came, source)
