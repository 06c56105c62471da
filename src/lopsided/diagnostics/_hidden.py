"""How many positives are hidden, as a prior, a range of it or an estimate has it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from lopsided._terminal import quote
from lopsided._validation import SCENARIOS, check_choice

_QUANTILES = 51  # of an uncertain prior
_NOISE = 11  # quantiles of the noise around a total


class PriorRange(NamedTuple):
    """A prior with its interval; all three are equal if it is known."""

    value: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether there is nothing to vary."""
        return self.low == self.high


def check_prior_range(prior: Any, y: NDArray[np.int8], scenario: str) -> PriorRange:
    """Return a number, a pair or an estimate as a value with an interval that fits labels."""
    check_choice(scenario, SCENARIOS, "scenario")
    found = as_prior_range(prior, int((y == 0).sum()))
    if scenario == "two-sample":
        return found
    least = float((y == 1).mean())
    if found.high * len(y) < (y == 1).sum() - 0.5:
        raise ValueError(
            f"prior must be at least the labeled share {least:.4g}, got {found.high:.4g}. "
            "Count the labeled rows in, or pass scenario='two-sample'."
        )
    return PriorRange(*(max(value, least) for value in found))


def as_prior_range(prior: Any, n_unlabeled: int) -> PriorRange:
    """Return a number, a pair or an estimate as a value with an interval."""
    if all(hasattr(prior, name) for name in ("value", "low", "high")):
        found = _take_estimate(prior, n_unlabeled)
    elif isinstance(prior, (tuple, list)) and len(prior) == 2:
        low, high = map(float, prior)
        found = PriorRange(float(np.sqrt(max(low, 0.0) * max(high, 0.0))), low, high)
    elif isinstance(prior, (int, float, np.number)) and not isinstance(prior, bool):
        found = PriorRange(*[float(prior)] * 3)
    else:
        raise ValueError(
            "prior must be a number, a pair (low, high) or an estimate, got "
            f"{quote(prior)}. Pass the share of positives you expect."
        )
    if not 0 < found.low <= found.value <= found.high < 1:
        raise ValueError(
            f"prior must lie between 0 and 1, its low end first, got {quote(prior)}. Pass "
            "the share of positives you expect."
        )
    return found


def _take_estimate(prior: Any, n_unlabeled: int) -> PriorRange:
    """Return an estimate whose ends, if they touch 0 or 1, lie just inside of them."""
    value, low, high = (float(number) for number in (prior.value, prior.low, prior.high))
    if not 0 < value < 1:
        by = f" by {prior.method!r}" if hasattr(prior, "method") else ""
        raise ValueError(
            "prior must be an estimate between 0 and 1, both excluded, got one of "
            f"{value:.4g}{by}. Estimate it by another method, or pass a number."
        )
    least = min(value, 0.5 / n_unlabeled)  # an end at 0 is less than a row
    return PriorRange(value, max(low, least), min(high, float(np.nextafter(1.0, 0.0))))


def count_hidden(
    prior: Any, y: NDArray[np.int8], scenario: str, y_first: NDArray[np.int8] | None = None
) -> Any:
    """Return the number of hidden positives that a prior, or an array of priors, implies.

    Reviewed negatives (-1) belong to the population of the prior, and hide none. `y_first` has
    the labels before reviews, where there were some: in the two-sample scenario positives that
    reviews found belong to the population, too.
    """
    first = y if y_first is None else y_first
    n_apart = int((first == 1).sum()) if scenario == "two-sample" else 0
    n_known = int((y == 1).sum()) - n_apart
    return np.clip(prior * (len(y) - n_apart) - n_known, 0, int((y == 0).sum()))


def spread_hidden(
    prior: PriorRange,
    y: NDArray[np.int8],
    scenario: str,
    level: float,
    y_first: NDArray[np.int8] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return numbers of hidden positives and the probability of each."""
    values = np.minimum(_spread(*prior, level), 1.0)
    return _split(count_hidden(values, y, scenario, y_first))


def spread_total(
    value: float, low: float, high: float, level: float, *, noise: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the same of a total with an interval, and with normal noise around it."""
    steps: NDArray[np.float64] = np.asarray(ndtri((np.arange(_NOISE) + 0.5) / _NOISE))
    totals = _spread(value, low, high, level)[:, None] + noise * steps
    return _split(np.clip(totals.ravel(), 0, most))


def _spread(value: float, low: float, high: float, level: float) -> NDArray[np.float64]:
    """Return quantiles of an uncertain number.

    Its logarithm is taken as normal on either side of its value, each half as wide as the
    interval's end says.
    """
    n_steps = 1 if low == high else _QUANTILES
    step: NDArray[np.float64] = np.asarray(ndtri((np.arange(n_steps) + 0.5) / n_steps))
    reach = ndtri((1 + level) / 2)
    down, up = np.log(value / low), np.log(high / value)
    return np.asarray(value * np.exp(step / reach * np.where(step < 0, down, up)))


def _split(numbers: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return whole numbers and their weights; a broken number is split between neighbors."""
    numbers = numbers.round(9)
    whole = np.floor(numbers).astype(np.int64)
    counts, place = np.unique(np.r_[whole, whole + 1], return_inverse=True)
    split = np.r_[1 - (numbers - whole), numbers - whole]
    weights = np.bincount(place, weights=split) / len(numbers)
    return counts[weights > 0], weights[weights > 0]
