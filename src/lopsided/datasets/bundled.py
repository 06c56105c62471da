"""Imbalanced tables cut from the data inside scikit-learn: no download, no random numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets.dataset import Found, hash_arrays

__all__ = ["make_bundled"]


def make_bundled(name: str) -> tuple[Found, tuple[str, ...]]:
    """Return a bundled table and its column names."""
    bunch, y_true, rows = _RULES[name]()
    X = np.ascontiguousarray(bunch.data[rows], dtype=np.float64)
    truth = y_true[rows].astype(np.int8)
    found = Found(X, truth, hash_arrays(X, truth), "scikit-learn")
    return found, tuple(str(feature) for feature in bunch.feature_names)


def _thin(y_true: NDArray[np.bool_], step: int) -> NDArray[np.intp]:
    """Return the rows left when only every `step`-th positive stays, in their old order."""
    kept = np.flatnonzero(y_true)[::step]
    return np.sort(np.concatenate([np.flatnonzero(~y_true), kept]))


def _digits() -> tuple[Any, NDArray[np.bool_], Any]:
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return bunch, bunch.target == 8, slice(None)


def _breast_cancer() -> tuple[Any, NDArray[np.bool_], Any]:
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    malignant = bunch.target == 0
    return bunch, malignant, _thin(malignant, step=6)


def _diabetes() -> tuple[Any, NDArray[np.bool_], Any]:
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(scaled=False)
    # 265 is the ninth decile of progression; ties at it are positive too.
    return bunch, bunch.target >= 265, slice(None)


def _wine() -> tuple[Any, NDArray[np.bool_], Any]:
    from sklearn.datasets import load_wine

    bunch = load_wine()
    third = bunch.target == 2
    return bunch, third, _thin(third, step=3)


_RULES = {
    "digits-8": _digits,
    "breast-cancer-rare": _breast_cancer,
    "diabetes-top": _diabetes,
    "wine-rare": _wine,
}
