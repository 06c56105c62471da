"""The rows that a method learns from."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Splits = tuple[tuple[NDArray[np.bool_], NDArray[np.bool_]], ...]  # rows to fit on, to score


@dataclass(frozen=True)
class TrainingRows:
    """Checked rows, labels and weights."""

    X: Any  # floats, categories as codes: an array or CSR; a data frame before it is checked
    y: NDArray[np.int8]  # 1 = labeled positive, 0 = not labeled
    weight: NDArray[np.float64]  # sample weights, 1 where none were given
    reviewed: NDArray[np.bool_] | None = None  # which rows of y = 0 are negatives for sure
    groups: NDArray[np.intp] | None = None  # numbers from 0 on: rows that stay together
    splits: Splits | None = None  # how to leave rows out, where a splitter says so

    def __len__(self) -> int:
        return len(self.y)

    @property
    def labels(self) -> NDArray[np.int8]:
        """The labels as they came: 1 = labeled positive, 0 = unlabeled, -1 = reviewed."""
        return self.y if self.reviewed is None else np.where(self.reviewed, np.int8(-1), self.y)

    @property
    def counted_labels(self) -> NDArray[np.int8]:
        """The labels as they came, or without -1 where that leaves no unlabeled row."""
        return self.labels if self.unlabeled.any() else self.y

    @property
    def unlabeled(self) -> NDArray[np.bool_]:
        """Whether a row may be a hidden positive: neither labeled nor reviewed."""
        return np.asarray(self.labels == 0)

    @property
    def labeled_share(self) -> float:
        """The weighted share of labeled rows."""
        return float(np.average(self.y, weights=self.weight))

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """The weights for other libraries: None, which is faster for them, if all are 1."""
        return None if (self.weight == 1).all() else self.weight

    def weigh_reviewed(self, factor: float) -> "TrainingRows":
        """Return the rows with the weight of reviewed negatives multiplied."""
        if self.reviewed is None:
            return self
        return replace(self, weight=self.weight * np.where(self.reviewed, factor, 1.0))

    def take(self, kept: NDArray[Any]) -> "TrainingRows":
        """Return some of the rows, by a mask or by their positions."""
        X = self.X.iloc if hasattr(self.X, "iloc") else self.X  # rows of a data frame
        reviewed = None if self.reviewed is None else self.reviewed[kept]
        groups = None if self.groups is None else self.groups[kept]
        splits = self.splits and tuple((train[kept], test[kept]) for train, test in self.splits)
        return TrainingRows(X[kept], self.y[kept], self.weight[kept], reviewed, groups, splits)

    def doubled(
        self, positive: NDArray[np.float64], negative: NDArray[np.float64]
    ) -> "TrainingRows":
        """Return every row twice, its weight times these, without those of weight 0."""
        weight = np.concatenate([self.weight * positive, self.weight * negative])
        kept = np.flatnonzero(weight > 0)
        y = (kept < len(self)).astype(np.int8)
        return TrainingRows(self.X[kept % len(self)], y, weight[kept])
