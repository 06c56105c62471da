"""Data frames as learners take them: numbers, with categories as codes."""

from typing import Any

import numpy as np

__all__ = ["as_pandas", "category_levels", "encode_categories", "find_categories"]


def as_pandas(X: Any) -> Any:
    """Return a pandas frame for any kind of data frame; leave anything else alone."""
    return X.to_pandas() if hasattr(X, "to_pandas") else X


def _is_frame(X: Any) -> bool:
    return hasattr(X, "dtypes") and hasattr(X, "columns") and hasattr(X, "iloc")


def category_levels(X: Any, takes_categories: bool) -> dict[Any, Any]:
    """Return the levels of each categorical column, and refuse what no learner can read."""
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
            levels[name] = dtype.categories
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


def encode_categories(X: Any, levels: dict[Any, Any]) -> Any:
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
            codes = known.get_indexer(encoded[name].astype(object)).astype(float)
            encoded[name] = np.where(codes < 0, np.nan, codes)
    return encoded
