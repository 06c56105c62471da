"""Data frames as learners take them: numbers, with categories as codes."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_unique
from lopsided.methods._category_values import find_levels, order_levels
from lopsided.methods._levels import fit_level_map

__all__ = [
    "as_pandas",
    "category_levels",
    "drop_empty_levels",
    "encode_categories",
    "find_categories",
]


def as_pandas(X: Any) -> Any:
    """Return a pandas frame for any kind of data frame; leave anything else alone."""
    X = X.to_pandas() if hasattr(X, "to_pandas") else X
    if _is_frame(X):
        check_unique(X.columns)
    kinds = X.dtypes if _is_frame(X) else [getattr(X, "dtype", None)]
    if any(getattr(kind, "kind", "") == "c" for kind in kinds):
        raise ValueError("Complex data not supported: X must hold real numbers. Split them.")
    if isinstance(X, np.ndarray) and X.ndim == 1:
        raise ValueError(
            "Expected 2D array, got 1D array instead: X must have rows and columns. Reshape "
            "your data with X.reshape(-1, 1) if it is one column."
        )
    return X


def _is_frame(X: Any) -> bool:
    return hasattr(X, "dtypes") and hasattr(X, "columns") and hasattr(X, "iloc")


def category_levels(X: Any, takes_categories: bool) -> dict[Any, tuple[Any, ...]]:
    """Return the levels of each categorical column, and refuse what no learner can read.

    Levels without an order of their own are sorted: frames may list them as rows bring them up.
    """
    if not _is_frame(X):
        return {}
    import pandas as pd

    levels = {}
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if isinstance(dtype, pd.CategoricalDtype):
            if not takes_categories:
                raise ValueError(
                    f"This method takes numbers only, got the categories of column {name!r}. "
                    "Turn them into numbers, e.g. with pandas.get_dummies."
                )
            declared = dtype.categories
            levels[name] = tuple(declared) if dtype.ordered else order_levels(declared)
        elif getattr(dtype, "kind", "") in "mM":
            raise ValueError(
                f"X must hold numbers and categories, got dates in column {name!r}. "
                "Turn them into numbers, e.g. days since the first."
            )
        elif not (pd.api.types.is_numeric_dtype(dtype) or _reads_as_numbers(X[name])):
            raise ValueError(
                f"X must hold numbers and categories, got text in column {name!r}. "
                f"Make it a category: X[{name!r}] = X[{name!r}].astype('category')."
            )
    return levels


def find_categories(X: Any, levels: dict[Any, Any]) -> tuple[int, ...]:
    """Return the positions of the categorical columns."""
    return tuple(i for i, name in enumerate(X.columns) if name in levels) if levels else ()


def _reads_as_numbers(column: Any) -> bool:
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return False
    return True


def drop_empty_levels(
    X: NDArray[Any], levels: dict[Any, tuple[Any, ...]], weight: Any, positions: tuple[int, ...]
) -> tuple[NDArray[Any], dict[Any, tuple[Any, ...]]]:
    """Return codes and levels without the levels that no row of a weight above 0 has.

    A learner could not tell where they belong: they are as good as missing.
    """
    kept = dict(levels)
    for position, (name, known) in zip(positions, levels.items(), strict=True):
        found = fit_level_map(X[:, position], len(known), weight)
        if found.n_codes < len(known):
            X = np.array(X) if kept == levels else X  # the caller's stays as it is
            X[:, position] = found.transform(X[:, position])
            kept[name] = tuple(known[place] for place in np.flatnonzero(found.seen))
    return X, kept


def encode_categories(X: Any, levels: dict[Any, tuple[Any, ...]]) -> Any:
    """Return the frame with categories as codes; levels unseen in training are missing."""
    if not levels:
        return X
    if not _is_frame(X):
        raise ValueError(
            f"This model was fitted on a data frame with categories in {list(levels)}, got "
            f"{type(X).__name__}. Pass a data frame with the same columns."
        )
    encoded = X.copy()
    for name, known in levels.items():
        if name in encoded.columns:
            encoded[name] = _codes(encoded[name], known)
    return encoded


def _codes(column: Any, known: tuple[Any, ...]) -> NDArray[np.float64]:
    """Return the places of a column's values among the known levels, NaN for all else."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        places, values = column.cat.codes.to_numpy(), list(column.cat.categories)
    else:
        places, uniques = pd.factorize(column)
        values = list(uniques)
    found, ambiguous = find_levels(values, known)
    occurring = np.unique(places[places >= 0])  # -1 is missing
    if unclear := [place for place in occurring if place in ambiguous]:
        value, several = values[unclear[0]], ambiguous[unclear[0]]
        _warn(
            f"Column {column.name!r} holds {value!r}, which might be any of {several} in "
            "training, and counts as missing. Write its categories as they were in training."
        )
    elif len(occurring) and np.isnan(found[occurring]).all():
        _warn(
            f"Column {column.name!r} holds no category of training, and counts as missing in "
            f"all rows: got {values[occurring[0]]!r}, and training had "
            f"{known[0] if known else None!r}. Write its categories as they were in training."
        )
    return np.append(found, np.nan)[places]


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=7)  # at the call of a public method
