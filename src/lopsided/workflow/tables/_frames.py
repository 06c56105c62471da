"""Tables of any library as pandas frames."""

from typing import Any

import numpy as np
import pandas as pd

from lopsided._validation import check_unique


def as_frame(X: Any) -> Any:
    """Return a table as a pandas frame with columns named by text, each name once."""
    if hasattr(X, "collect") and not hasattr(X, "to_pandas"):  # a lazy frame of polars
        X = X.collect()
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    elif hasattr(X, "__arrow_c_stream__") and not isinstance(X, (pd.DataFrame, pd.Series)):
        import pyarrow as pa

        X = pa.table(X).to_pandas()
    elif is_nameless(X):
        X = _name_columns(np.asarray(X))
    if not isinstance(X, pd.DataFrame):
        raise ValueError(
            f"X must be a table with named columns, got {type(X).__name__}. Pass a data frame."
        )
    if any(getattr(dtype, "kind", "") == "c" for dtype in X.dtypes):
        raise ValueError("Complex data not supported: X must hold real numbers. Split them.")
    names = [str(name) for name in X.columns]
    check_unique(names)
    return X.set_axis(names, axis=1)


def is_nameless(X: Any) -> bool:
    """Say whether the columns of a table have places only: an array, or rows in a list."""
    named = ("to_pandas", "collect", "__arrow_c_stream__", "iloc")
    return isinstance(X, (list, tuple)) or (
        hasattr(X, "__array__") and not any(hasattr(X, name) for name in named)
    )


def _name_columns(values: Any) -> Any:
    if values.ndim != 2:
        raise ValueError(
            f"X must have rows and columns, got shape {values.shape}. Reshape your data with "
            "X.reshape(-1, 1) if it is one column."
        )
    return pd.DataFrame(values, columns=[f"x{place}" for place in range(values.shape[1])])
