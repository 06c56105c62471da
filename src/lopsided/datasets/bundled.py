"""Imbalanced tables cut from the data inside scikit-learn: no download, no random numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lopsided.datasets.sources import Found, hash_arrays

__all__ = ["make_bundled"]


# Loader and its options, which targets are positive, every how many-th positive stays.
_RULES: dict[str, tuple[str, dict[str, Any], Callable[[Any], Any], int]] = {
    "digits-8": ("load_digits", {}, lambda target: target == 8, 1),
    "breast-cancer-rare": ("load_breast_cancer", {}, lambda target: target == 0, 6),
    # 265 is the ninth decile of progression; ties at it are positive too.
    "diabetes-top": ("load_diabetes", {"scaled": False}, lambda target: target >= 265, 1),
    "wine-rare": ("load_wine", {}, lambda target: target == 2, 3),
}


def make_bundled(name: str) -> tuple[Found, tuple[str, ...]]:
    """Return a bundled table, its rows in their old order, and its column names."""
    from sklearn import datasets

    loader, options, is_positive, step = _RULES[name]
    bunch = getattr(datasets, loader)(**options)
    positive = is_positive(bunch.target)
    kept = ~positive
    kept[np.flatnonzero(positive)[::step]] = True
    X = np.ascontiguousarray(bunch.data[kept], dtype=np.float64)
    truth = positive[kept].astype(np.int8)
    found = Found(X, truth, hash_arrays(X, truth), "scikit-learn")
    return found, tuple(str(feature) for feature in bunch.feature_names)
