"""How much each member of a fusion counts, from the training labels alone."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.methods._members import MIN_TO_FOLD
from lopsided.metrics import pu_mean_log_rank

__all__ = ["WEIGHTINGS", "weigh"]

_SHARPNESS = 4.0  # chosen on repeats 100 and 101: see docs/focused.md


def by_log_rank(criteria: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights that fall with the distance of the log-rank from the best one."""
    return np.exp(_SHARPNESS * (criteria - criteria.max()))


def alike(criteria: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return equal weights."""
    return np.ones(len(criteria))


def best_alone(criteria: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all weight on the first of the best."""
    return (np.arange(len(criteria)) == criteria.argmax()).astype(float)


WEIGHTINGS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "log-rank": by_log_rank,
    "equal": alike,
    "best": best_alone,
}


def weigh(
    y: NDArray[np.int8], unseen: Sequence[NDArray[np.float64]], how: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of each member, 1 in sum, and the criterion that it comes from.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The labels.
    unseen : sequence of ndarray of shape (n_rows,)
        Each member's scores of the training rows, by models that have not seen them.
    how : str
        A key of `WEIGHTINGS`.
    """
    criteria: Any = np.array([pu_mean_log_rank(y, scores) for scores in unseen])
    # Labeled rows that cannot be left out tell nothing.
    weights = (WEIGHTINGS[how] if y.sum() >= MIN_TO_FOLD else alike)(criteria)
    return weights / weights.sum(), criteria
