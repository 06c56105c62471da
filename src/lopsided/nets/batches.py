"""Mini-batches that always hold labeled rows."""

from collections.abc import Iterator
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "draw_batches"]

_MIN_LABELED = 16  # in a batch, some of them more than once in an epoch if need be


class Batch(NamedTuple):
    """Rows, and weights that make labeled and unlabeled ones stand for their shares of all."""

    rows: NDArray[np.intp]
    weight: NDArray[np.float64]


def draw_batches(
    y: NDArray[Any], size: int, rng: np.random.Generator, weight: NDArray[np.float64]
) -> Iterator[Batch]:
    """Yield the batches of one epoch: every row once, labeled ones again where they are few.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    size : int
        Rows of a batch, about.
    rng : Generator
        Source of the order.
    weight : ndarray of shape (n_rows,)
        Sample weights.
    """
    labeled, unlabeled = (rng.permutation(np.flatnonzero(y == label)) for label in (1, 0))
    n_batches = max(1, ceil(len(y) / size))
    wanted = n_batches * min(len(labeled), _MIN_LABELED, max(size // 2, 1))
    while len(labeled) < wanted:  # whole rounds, so that every row comes up as often
        labeled = np.concatenate([labeled, rng.permutation(np.flatnonzero(y == 1))])
    shares = [weight[y == label].sum() / weight.sum() for label in (1, 0)]
    parts = np.array_split(labeled, n_batches), np.array_split(unlabeled, n_batches)
    for groups in zip(*parts, strict=True):
        weights = [
            share * weight[rows] / max(weight[rows].sum(), 1e-300)
            for share, rows in zip(shares, groups, strict=True)
        ]
        yield Batch(np.concatenate(groups), np.concatenate(weights))
