"""What a loader returns: a table, its truth, and where both came from."""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Dataset", "Found", "hash_arrays"]


class Found(NamedTuple):
    """A table as one source gave it."""

    X: NDArray[np.float64]
    y_true: NDArray[np.int8]
    sha256: str
    source: str


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
        A hash of the content: of the csv file where there is one, else of the two arrays.
    source : str
        Where the data came from this time.
    reference : str
        Whom to cite.
    licence : str
        The terms, as far as they are known.
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
        """Name the table and its shape, not its values."""
        return (
            f"Dataset({self.name!r}, {self.n_rows} rows, {self.n_features} features, "
            f"prior {self.prior:.4f})"
        )


def hash_arrays(X: NDArray[np.float64], y_true: NDArray[np.int8]) -> str:
    """Return the sha256 of a table: shape, features and truth, alike on every machine."""
    digest = hashlib.sha256(repr(X.shape).encode())
    digest.update(np.ascontiguousarray(X, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(y_true, dtype=np.int8).tobytes())
    return digest.hexdigest()
