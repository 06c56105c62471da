"""Checks of weights and columns that a prior is to be estimated from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._check import as_floats, check_scores

__all__ = ["check_columns", "check_weight"]


def check_weight(weight: Any, labels: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return weights, one per row, that leave something of both kinds of rows."""
    heavy = check_scores(weight, labels, "weight")
    if not np.isfinite(heavy).all() or heavy.min() < 0:
        raise ValueError(
            f"weight must be numbers from 0, got {heavy.min():g} to {heavy.max():g}. Leave "
            "rows out by a weight of 0."
        )
    for label, kind in ((1, "labeled"), (0, "unlabeled")):
        if heavy[labels == label].sum() == 0:
            raise ValueError(
                f"weight must be above 0 for some {kind} row, got 0 for all of them. Give "
                "these rows weight."
            )
    return heavy


def check_columns(X: Any, n_rows: int) -> NDArray[np.float64]:
    """Return columns of numbers for the estimators that work on columns."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    table = as_floats(X, "X of 'tice' and 'km2'")
    if table.ndim != 2 or len(table) != n_rows:
        raise ValueError(
            f"X must be a table of {n_rows} rows, got shape {table.shape}. Pass the rows of y."
        )
    return table
