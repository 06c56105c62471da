"""Boosted trees of another package as plain arrays, which score rows without the package."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["TreeArrays"]


@dataclass(frozen=True)
class TreeArrays:
    """Trees of numbers alone, their nodes one after the other, and the sum of their leaves.

    A row goes left where its value is at most the threshold. A leaf is its own left and right
    child, and all children come after their parents, so that every way ends.
    """

    columns: NDArray[np.int64]  # of each node; 0 for a leaf
    thresholds: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    values: NDArray[np.float64]  # of a leaf; 0 for an inner node
    roots: NDArray[np.int64]
    depths: NDArray[np.int64]
    n_features: int
    start: float  # the score before the first tree
    rounds: bool  # whether rows are compared in single precision

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of each row."""
        if self.rounds:
            X = X.astype(np.float32).astype(np.float64)
        scores, rows = np.zeros(len(X)), np.arange(len(X))
        for root, depth in zip(self.roots, self.depths, strict=True):
            nodes = np.full(len(X), root)
            for _ in range(depth):
                right = X[rows, self.columns[nodes]] > self.thresholds[nodes]
                nodes = np.where(right, self.right[nodes], self.left[nodes])
            scores += self.values[nodes]
        return scores + self.start

    def is_sound(self) -> bool:
        """Say whether every index leads to a place, and every way to a leaf."""
        n_nodes = len(self.columns)
        arrays: list[Any] = [self.thresholds, self.left, self.right, self.values]
        if any(part.shape != (n_nodes,) for part in arrays):
            return False
        own = np.arange(n_nodes)
        leaf = self.left == own
        for child in (self.left, self.right):
            if not (((child > own) | leaf) & (child < n_nodes)).all():
                return False
        known = (self.columns >= 0) & (self.columns < self.n_features)
        placed = (self.roots >= 0) & (self.roots < n_nodes)
        deep = (self.depths >= 0) & (self.depths <= n_nodes)
        return bool(
            (leaf == (self.right == own)).all() and known.all() and placed.all() and deep.all()
        )
