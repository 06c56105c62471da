"""Rows held out to see when to stop training: one way for trees and nets."""

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_choice
from lopsided._math import rows_of_share

_MIN_LABELED = 4  # in each part: fewer cannot tell when to stop


class HoldOut(NamedTuple):
    """Positions of the rows to train on, and of those held out."""

    train: NDArray[np.intp]
    validation: NDArray[np.intp]


def hold_out(
    y: NDArray[np.int8],
    fraction: float,
    seed: int,
    order: Literal["random", "last"] = "random",
) -> HoldOut | None:
    """Return which rows to hold out; None, with a warning, where that would be too few.

    Random rows are stratified by their labels; the last ones are for a table sorted by time.
    """
    from sklearn.model_selection import train_test_split

    rows, n_held_out = np.arange(len(y)), rows_of_share(fraction, len(y))
    found = None
    if order == "last":
        found = HoldOut(rows[: len(y) - n_held_out], rows[len(y) - n_held_out :])
    elif min(y.sum(), (y == 0).sum(), n_held_out, len(y) - n_held_out) >= 2:
        found = HoldOut(
            *train_test_split(rows, test_size=n_held_out, stratify=y, random_state=seed)
        )
    if found is not None and all(_can_tell(y[part]) for part in found):
        return found
    warnings.warn(
        f"Early stopping needs {_MIN_LABELED} labeled rows among those held out and among the "
        f"others, got {int(y.sum())} in all: training runs to its end. Label more rows, or "
        "change validation_fraction.",
        UserWarning,
        stacklevel=5,
    )
    return None


def _can_tell(y: NDArray[np.int8]) -> bool:
    return bool(_MIN_LABELED <= y.sum() < len(y))


def check_hold_out(fraction: Any, order: str = "random") -> None:
    """Refuse a share that leaves no rows, or an order that is none."""
    check_choice(order, ("random", "last"), "validation")
    if not (isinstance(fraction, (float, np.floating)) and 0 < fraction < 1):
        raise ValueError(
            f"validation_fraction must lie between 0 and 1, both excluded, got {fraction!r}. "
            "Pass the share of rows to hold out, such as 0.2."
        )
