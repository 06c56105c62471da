"""A sample that stands for a table in parts: all that is known, some of what is not."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods.base import PUClassifier
from lopsided.methods.table_summary import TableSummary, check_part

__all__ = ["SAMPLE_SIZE", "RowSample", "merge_samples", "sample_part"]

SAMPLE_SIZE = 200_000  # unlabeled rows


@dataclass(frozen=True)
class RowSample:
    """All labeled and reviewed rows of some parts, and some unlabeled ones; parts add up.

    Every unlabeled row draws a number, and the `size` rows with the lowest stay, so that each
    is as likely to stay as any other however the table is cut into parts.
    """

    X: Any
    labels: NDArray[np.int8]
    weight: NDArray[np.float64]
    draws: NDArray[np.float64]  # -1 for rows that stay
    size: int
    unlabeled_weight: float  # of all rows, in the sample or not

    def __add__(self, other: "RowSample") -> "RowSample":
        """Return the sample of the parts of both."""
        return _keep_lowest(
            RowSample(
                _join(self.X, other.X),
                np.concatenate([self.labels, other.labels]),
                np.concatenate([self.weight, other.weight]),
                np.concatenate([self.draws, other.draws]),
                self.size,
                self.unlabeled_weight + other.unlabeled_weight,
            )
        )

    @property
    def sample_weight(self) -> NDArray[np.float64]:
        """Weights that let the unlabeled rows stand for all of them: the prior stays."""
        unlabeled = self.labels == 0
        sampled = float(self.weight[unlabeled].sum())
        factor = self.unlabeled_weight / sampled if sampled > 0 else 1.0
        return np.where(unlabeled, factor * self.weight, self.weight)

    def table(self, summary: TableSummary) -> Any:
        """Return the columns, categories with the levels that they have in the whole table."""
        if not hasattr(self.X, "columns"):
            return self.X
        import pandas as pd

        typed = {}
        for name, levels in summary.category_levels.items():
            ordered = name in summary.orders
            values = self.X[name].astype(object)
            typed[name] = pd.Categorical(values, categories=list(levels), ordered=ordered)
        return self.X.assign(**typed)

    def rows(self, model: PUClassifier, summary: TableSummary) -> TrainingRows:
        """Return the sample as a method reads it that knows the columns."""
        X = model._numbers(self.table(summary), reset=False)
        y, reviewed = np.maximum(self.labels, 0), self.labels == -1
        return TrainingRows(X, y, self.sample_weight, reviewed if reviewed.any() else None)


def merge_samples(samples: list[RowSample]) -> RowSample:
    """Return the sample of all parts, in their order."""
    return reduce(lambda one, other: one + other, samples)


def sample_part(
    X: Any, y: Any, sample_weight: Any = None, *, size: int = SAMPLE_SIZE, seed: Any = 0
) -> RowSample:
    """Return the sample of one part; `seed` must be another one for each part."""
    X, labels, weight = check_part(X, y, sample_weight)
    draws = np.random.default_rng(seed).random(len(labels))
    draws[labels != 0] = -1.0
    draws[(labels == 0) & (weight == 0)] = 2.0  # last, as they stand for nothing
    total = float(weight[labels == 0].sum())
    return _keep_lowest(RowSample(X, labels, weight, draws, size, total))


def _keep_lowest(sample: RowSample) -> RowSample:
    n_kept = int((sample.draws < 0).sum()) + sample.size
    if len(sample.draws) <= n_kept:
        return sample
    kept = np.sort(np.argpartition(sample.draws, n_kept - 1)[:n_kept])
    X = sample.X.iloc[kept] if hasattr(sample.X, "iloc") else sample.X[kept]
    return RowSample(
        X,
        sample.labels[kept],
        sample.weight[kept],
        sample.draws[kept],
        sample.size,
        sample.unlabeled_weight,
    )


def _join(one: Any, other: Any) -> Any:
    if not hasattr(one, "columns"):
        return np.concatenate([one, other])
    import pandas as pd

    # A frame without rows has no say in the kinds of the columns.
    some = [part for part in (one, other) if len(part)]
    return pd.concat(some, ignore_index=True) if some else one
