"""The prior of a table, and of parts that have other shares of its labeled rows."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods._learners import seeded_copy
from lopsided.methods.base import PUClassifier


@dataclass(frozen=True)
class LabelSums:
    """How many rows are labeled, unlabeled, and there at all, or what they weigh."""

    labeled: float
    unlabeled: float
    total: float

    @classmethod
    def of(cls, labels: NDArray[np.int8], weight: Any = None) -> Self:
        """Return those of labels: 1, 0, and -1 for reviewed negatives."""
        each = np.broadcast_to(np.float64(1) if weight is None else weight, len(labels))
        labeled, unlabeled = (float(each[labels == label].sum()) for label in (1, 0))
        return cls(labeled, unlabeled, float(each.sum()))

    def hidden_rate(self, prior: float) -> float:
        """Return the share of positives among the unlabeled rows that a prior means."""
        hidden = prior * self.total - self.labeled
        return float(np.clip(hidden / self.unlabeled, 0, 1)) if self.unlabeled > 0 else 0.0

    def prior(self, hidden_rate: float) -> float:
        """Return the share of positives, labeled or hidden."""
        return float((self.labeled + hidden_rate * self.unlabeled) / self.total)


@dataclass(frozen=True)
class PriorOfParts:
    """The prior of a table, and of parts that have other shares of its labeled rows."""

    prior: float
    hidden_rate: float | None  # of positives among unlabeled rows; None: every part has `prior`

    @classmethod
    def settle(cls, model: Any, rows: TrainingRows, rng: np.random.Generator) -> Self | None:
        """Return the prior that a method takes for the table; None if it needs none.

        With two samples it is that of the unlabeled rows, which is the same in each part.
        """
        if not needs_prior(model):
            return None
        # An estimate draws a forest; the numbers of the fits stay the same.
        model = seeded_copy(model, rng.spawn(1)[0])
        prior = model.resolve_prior(rows.X, rows.labels, rows.sample_weight)
        if is_two_sample(model):
            return cls(prior, None)
        return cls(prior, LabelSums.of(rows.labels, rows.weight).hidden_rate(prior))

    def of(self, rows: TrainingRows) -> float:
        """Return the prior of a part: its labeled rows, and its share of the hidden ones."""
        if self.hidden_rate is None:
            return self.prior
        return LabelSums.of(rows.labels, rows.weight).prior(self.hidden_rate)


def needs_prior(model: Any) -> bool:
    """Say whether a model is a method whose ranking depends on a prior."""
    return isinstance(model, PUClassifier) and model.needs_prior()


def is_two_sample(model: Any) -> bool:
    """Say whether labeled rows are a sample of their own to a method."""
    return getattr(getattr(model, "risk", None), "scenario", "") == "two-sample"
