"""Places of labeled rows in a table, and what all metrics check."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lopsided._check import (
    SCENARIOS,
    check_choice,
    check_labels,
    check_scores,
    check_share,
)
from lopsided._math import chance_within, count_rivals, rows_of_share

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
    first, last : arrays of shape (n_rows,)
        The places from and to which the row of each rank is tied.
    """

    n_rows: int
    inside: bool
    ahead: NDArray[np.int64]
    level: NDArray[np.int64]
    above: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def n_labeled(self) -> int:
        """The number of labeled rows."""
        return len(self.ahead)

    def mean(self) -> Floats:
        """Return the mean place of each labeled row over the orders of its ties."""
        return 1 + self.ahead + self.level / 2

    def within(self, k: int) -> Floats:
        """Return the probability of each labeled row to stand among the first k rows."""
        return np.asarray(chance_within(k, self.ahead, self.level))

    def row_within(self, k: int) -> Floats:
        """Return the same of each row of the population, by rank."""
        return np.clip((k + 1 - self.first) / (self.last + 1 - self.first), 0, 1)


def find_places(y: Any, scores: Any, scenario: str) -> Places:
    """Return where the labeled rows stand; the checks of every PU metric are here."""
    check_choice(scenario, SCENARIOS, "scenario")
    labels = check_labels(y)
    values = check_scores(scores, labels)
    inside = scenario == "one-sample"
    rows = np.sort(values if inside else values[labels == 0])
    labeled = values[labels == 1]
    n_rows = len(rows)
    ahead, tied = count_rivals(rows, labeled)
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    sizes = np.diff(np.r_[starts, n_rows])[::-1]  # of the blocks of ties, from the first place
    last = np.cumsum(sizes)
    return Places(
        n_rows=n_rows,
        inside=inside,
        ahead=ahead,
        level=tied - inside,
        above=len(labeled) - 1 - np.searchsorted(np.sort(labeled), labeled, "left"),
        first=np.repeat(last - sizes + 1, sizes),
        last=np.repeat(last, sizes),
    )


def find_listed_places(y: Any, scores: Any) -> Places:
    """Return where labeled rows would stand on the list to review, unlabeled rows alone.

    Who was reviewed (-1) is on it no more.
    """
    labels = check_labels(y, keep_reviewed=True)
    values, listed = check_scores(scores, labels), labels >= 0
    return find_places(labels[listed], values[listed], "two-sample")


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
        return rows_of_share(k, n_rows)
    if not number or not 1 <= k <= n_rows or k % 1 != 0:
        raise ValueError(
            f"k must be from 1 to {n_rows} rows or a share below 1, got {k!r}. Pass for "
            f"example {min(10, n_rows)}."
        )
    return int(k)
