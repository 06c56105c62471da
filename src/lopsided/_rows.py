"""The rows that a method learns from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TrainingRows:
    """Checked rows, labels and weights."""

    X: Any  # floats, categories as codes: an array or CSR; a data frame before it is checked
    y: NDArray[np.int8]  # 1 = labeled positive, 0 = unlabeled
    weight: NDArray[np.float64]  # sample weights, 1 where none were given

    def __len__(self) -> int:
        return len(self.y)

    @property
    def labeled_share(self) -> float:
        """The weighted share of labeled rows."""
        return float(np.average(self.y, weights=self.weight))

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """The weights for other libraries: None, which is faster for them, if all are 1."""
        return None if (self.weight == 1).all() else self.weight

    def take(self, kept: NDArray[Any]) -> "TrainingRows":
        """Return some of the rows, by a mask or by their positions."""
        X = self.X.iloc if hasattr(self.X, "iloc") else self.X  # rows of a data frame
        return TrainingRows(X[kept], self.y[kept], self.weight[kept])

    def doubled(
        self, positive: NDArray[np.float64], negative: NDArray[np.float64]
    ) -> "TrainingRows":
        """Return every row twice, its weight times these, without those of weight 0."""
        weight = np.concatenate([self.weight * positive, self.weight * negative])
        kept = np.flatnonzero(weight > 0)
        y = (kept < len(self)).astype(np.int8)
        return TrainingRows(self.X[kept % len(self)], y, weight[kept])
