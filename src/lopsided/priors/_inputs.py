"""Checks of what a prior is estimated from and by: weights, columns, settings, answers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import as_floats, check_scores, is_real

__all__ = [
    "check_answer",
    "check_columns",
    "check_from_zero",
    "check_rows",
    "check_setting",
    "check_weight",
]


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


def check_rows(X: Any, n_rows: int) -> Any:
    """Return columns for an estimator that may look at them, a row for each label."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    table = np.asarray(X)
    if table.shape[:1] != (n_rows,):
        raise ValueError(
            f"X must be a table of {n_rows} rows, got {quote(X)}. Pass the rows of y."
        )
    return table


def check_setting(value: Any, name: str, below: float = np.inf) -> float:
    """Return a number above 0 and below another one."""
    if not is_real(value) or not 0 < value < below:
        end = "" if below == np.inf else f" and below {below:g}"
        raise ValueError(f"{name} must be a number above 0{end}, got {quote(value)}.")
    return float(value)


def check_from_zero(value: Any, name: str) -> float:
    """Return a number that is not below 0."""
    if not is_real(value) or not 0 <= value < np.inf:
        raise ValueError(f"{name} must be a number from 0, got {quote(value)}.")
    return float(value)


def check_answer(value: Any, name: str) -> float:
    """Return what an estimator answers if it can be a share of rows."""
    if not is_real(value) or not 0 <= value <= 1:
        raise ValueError(
            f"{name} must estimate a share of all rows, from that of the labeled ones to 1, "
            f"got {quote(value)}. Take another estimator."
        )
    return float(value)
