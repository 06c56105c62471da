"""Places of labeled rows in a table, and what all metrics check."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lopsided._math import chance_within, count_rivals, rows_of_share, weigh_rivals
from lopsided._terminal import quote
from lopsided._validation import (
    SCENARIOS,
    check_both_kinds,
    check_choice,
    check_labels,
    check_scores,
    check_share,
)

# Weights that add up to 1, say, are no numbers of rows, and places among them mean nothing.
_MIN_MEAN_WEIGHT = 0.5

Scenario = Literal["one-sample", "two-sample"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """Where labeled rows stand among the rows of a population, from the first one down.

    The population of the one-sample scenario is the whole table. That of the two-sample
    scenario is the unlabeled rows: a labeled row is scored as if it came to them, alone.

    Attributes
    ----------
    n_rows : int
        Rows of the population.
    inside : bool
        Whether the labeled rows are among them.
    ahead, level : arrays of shape (n_labeled,)
        Rows of the population with larger and with equal scores, the row itself not counted.
    above : array of shape (n_labeled,)
        Other labeled rows with at least the score of each one.
    sizes : array of shape (n_scores,)
        Rows of the population with each score, from the highest down.
    weight : array of shape (n_labeled,) or None
        How many rows each labeled one stands for, where rows have weights: all numbers above
        are then sums of weights.
    """

    n_rows: int
    inside: bool
    ahead: NDArray[Any]
    level: NDArray[Any]
    above: NDArray[Any]
    sizes: NDArray[Any]
    weight: Floats | None = None

    @property
    def n_labeled(self) -> Any:
        """The number of labeled rows."""
        return len(self.ahead) if self.weight is None else float(self.weight.sum())

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The places from which the row of each rank is tied, where rows have no weights."""
        return np.repeat(np.cumsum(self.sizes) - self.sizes + 1, self.sizes)

    @cached_property
    def last(self) -> NDArray[np.int64]:
        """The places to which the row of each rank is tied, where rows have no weights."""
        return np.repeat(np.cumsum(self.sizes), self.sizes)

    def average(self, values: Any) -> float:
        """Return the mean of a value over the labeled rows."""
        return float(np.average(values, weights=self.weight))

    def mean(self) -> Floats:
        """Return the mean place of each labeled row over the orders of its ties."""
        return 1 + self.ahead + self.level / 2

    def within(self, k: int) -> Floats:
        """Return the probability of each labeled row to stand among the first k rows."""
        return np.asarray(chance_within(k, self.ahead, self.level))

    def row_within(self, k: int) -> Floats:
        """Return the same of each row of the population, by rank."""
        return np.clip((k + 1 - self.first) / (self.last + 1 - self.first), 0, 1)


def find_places(y: Any, scores: Any, scenario: str, sample_weight: Any = None) -> Places:
    """Return where the labeled rows stand; the checks of every PU metric are here."""
    check_choice(scenario, SCENARIOS, "scenario")
    labels = check_labels(y)
    values = check_scores(scores, labels)
    inside = scenario == "one-sample"
    if sample_weight is not None:
        return _weigh_places(labels, values, inside, sample_weight)
    rows = np.sort(values if inside else values[labels == 0])
    labeled = values[labels == 1]
    ahead, tied = count_rivals(rows, labeled)
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    return Places(
        n_rows=len(rows),
        inside=inside,
        ahead=ahead,
        level=tied - inside,
        above=len(labeled) - 1 - np.searchsorted(np.sort(labeled), labeled, "left"),
        sizes=np.diff(np.r_[starts, len(rows)])[::-1],
    )


def _weigh_places(
    labels: NDArray[np.int8], values: Floats, inside: bool, sample_weight: Any
) -> Places:
    """Return the same places where each row stands for as many as its weight says."""
    heavy = check_scores(sample_weight, labels, "sample_weight")
    if not np.isfinite(heavy).all() or heavy.min() < 0:
        raise ValueError(
            f"sample_weight must be finite numbers from 0, got {heavy.min():g} to "
            f"{heavy.max():g}. Leave rows out by a weight of 0."
        )
    kept = heavy > 0
    check_both_kinds(labels[kept], "y of rows with a sample_weight above 0")
    total, n_kept = heavy.sum(), int(kept.sum())
    if total < _MIN_MEAN_WEIGHT * n_kept:
        raise ValueError(
            "sample_weight must say how many rows each one stands for, got weights that add up "
            f"to {total:.3g} for {n_kept} rows. Multiply them by the number of rows over that."
        )
    labels, values, heavy = labels[kept], values[kept], heavy[kept]
    own = labels == 1
    rows = slice(None) if inside else ~own
    ahead, tied = weigh_rivals(values[rows], heavy[rows], values[own])
    more, level = weigh_rivals(values[own], heavy[own], values[own])
    order = np.argsort(-values[rows], kind="stable")
    _, starts = np.unique(-values[rows][order], return_index=True)
    return Places(
        n_rows=round(heavy[rows].sum()),
        inside=inside,
        ahead=ahead,
        level=np.maximum(tied - inside, 0.0),
        above=np.maximum(more + level - 1, 0.0),
        sizes=np.add.reduceat(heavy[rows][order], starts),
        weight=heavy[own],
    )


def take_value(prior: Any) -> Any:
    """Return the value of an estimated prior; leave a number, a pair and None alone."""
    return getattr(prior, "value", prior)


def count_positives(places: Places, prior: Any) -> float:
    """Return the number of positives in the population that a prior means.

    Without a prior they are the labeled rows, as far as these are in the population.
    """
    n_inside, prior = places.n_labeled * places.inside, take_value(prior)
    if prior is None:
        return float(n_inside)
    count = check_share(prior, "prior") * places.n_rows
    if count < n_inside - 0.5:
        raise ValueError(
            f"prior must be at least the labeled share {n_inside / places.n_rows:.4g}, got "
            f"{prior:.4g}. Count the labeled rows in, or pass scenario='two-sample'."
        )
    return max(count, float(n_inside))


def cut_rows(k: float, n_rows: int) -> int:
    """Turn a count or a share into a number of rows from 1 to n_rows."""
    number = isinstance(k, (int, float, np.number)) and not isinstance(k, bool)
    if number and 0 < k < 1:
        return max(rows_of_share(k, n_rows), 1)
    if not number or not 1 <= k <= n_rows or k % 1 != 0:
        raise ValueError(
            f"k must be from 1 to {n_rows} rows or a share below 1, got {quote(k)}. Pass for "
            f"example {min(10, n_rows)}."
        )
    return int(k)
