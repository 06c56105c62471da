"""Imbalanced tables with known truth, cut from data that scikit-learn brings along."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import check_choice

__all__ = ["Dataset", "list_datasets", "load"]


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
        The name that `load` knows it by.
    feature_names : tuple of str
        One name per column.
    reference : str
        What to cite, and which rows are positive.

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
    feature_names: tuple[str, ...]
    reference: str

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


class _Recipe(NamedTuple):
    """How a table is cut: all negatives, and every n-th positive in the order of the rows."""

    loader: str
    options: dict[str, Any]
    is_positive: Callable[[Any], Any]  # of the target
    every: int
    reference: str


_RECIPES = {
    "digits-8": _Recipe(
        "load_digits",
        {},
        lambda target: target == 8,
        1,
        "UCI Optical Recognition of Handwritten Digits (80): the eights against the rest",
    ),
    "breast-cancer-rare": _Recipe(
        "load_breast_cancer",
        {},
        lambda target: target == 0,
        6,
        "UCI Breast Cancer Wisconsin (17): every sixth malignant case among the benign",
    ),
    "diabetes-top": _Recipe(
        "load_diabetes",
        {"scaled": False},
        # 265 is the ninth decile of progression; rows equal to it are positive too.
        lambda target: target >= 265,
        1,
        "Efron et al. 2004: the tenth of the patients with the fastest progression",
    ),
    "wine-rare": _Recipe(
        "load_wine",
        {},
        lambda target: target == 2,
        3,
        "UCI Wine (109): every third bottle of the third cultivar among the others",
    ),
}


def list_datasets() -> list[str]:
    """Return the names that `load` knows.

    Examples
    --------
    >>> list_datasets()
    ['digits-8', 'breast-cancer-rare', 'diabetes-top', 'wine-rare']
    """
    return list(_RECIPES)


def load(name: str) -> Dataset:
    """Load a table, which needs no download.

    The tables of the paper and of ADBench are in the package lopsided-bench.

    Parameters
    ----------
    name : {"digits-8", "breast-cancer-rare", "diabetes-top", "wine-rare"}
        Which table.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> load("digits-8")
    Dataset('digits-8', 1797 rows, 64 features, prior 0.0968)
    """
    from sklearn import datasets

    recipe = _RECIPES[check_choice(name, _RECIPES, "bundled dataset")]
    bunch = getattr(datasets, recipe.loader)(**recipe.options)
    positive = recipe.is_positive(bunch.target)
    kept = ~positive
    kept[np.flatnonzero(positive)[:: recipe.every]] = True
    # The files have 7 digits at most; scikit-learn reads their last bits in more than one way.
    X = np.ascontiguousarray(bunch.data[kept].round(7), dtype=np.float64)
    names = tuple(str(feature) for feature in bunch.feature_names)
    return Dataset(X, positive[kept].astype(np.int8), name, names, recipe.reference)
