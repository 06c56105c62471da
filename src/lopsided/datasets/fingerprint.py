"""A few numbers that tell whether a rebuilt table is the right one, row order included."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["fingerprint", "matches"]


def fingerprint(X: NDArray[np.float64], y_true: NDArray[np.int8]) -> dict[str, Any]:
    r"""Sum a table up in numbers that float noise leaves alone.

    Two per column: the mean of :math:`x_i\,i/n`, which sees the order of the rows, and the
    mean of :math:`x_i^3`, which does not; and the first of them for the truth.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The features.
    y_true : ndarray of shape (n_rows,)
        The truth.

    Returns
    -------
    dict
        `ordered` and `moment3`, one number per column, and `y_ordered`.
    """
    place = np.arange(1, len(X) + 1) / len(X)
    return {
        "ordered": place @ X / len(X),
        "moment3": (X**3).mean(axis=0),
        "y_ordered": place @ y_true / len(X),
    }


def matches(
    X: NDArray[np.float64], y_true: NDArray[np.int8], wanted: Mapping[str, Any]
) -> bool:
    """Tell whether a table has the wanted fingerprint, up to the digits it was kept with."""
    found = fingerprint(X, y_true)
    return all(
        np.shape(found[key]) == np.shape(wanted[key])
        and np.allclose(found[key], wanted[key], rtol=1e-4, atol=1e-5)
        for key in found
    )
