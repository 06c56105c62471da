r"""Metrics of the first k rows of a ranking, against PU labels.

All of them are functions of one share: of the labeled rows, how many stand among the first k?
Under SCAR that share is unbiased for the recall of all positives, and nothing has to be known
of the prior. What counts rows rather than shares of positives needs their number N = prior * n,
and is proportional to it or nearly so: give `prior` a pair (low, high) to see the values at
both ends.

Under SAR "near" (positives that look like negatives are hidden first) the labeled rows stand
higher than the hidden ones and all of these are too high, under "far" too low; see
`lopsided.metrics.pu`, which also says what the two scenarios are.

A cut `k` is a number of rows, or a share of them if it is a float below 1. Tied rows count as
drawn in random order.
"""

from collections.abc import Callable
from typing import Any

from lopsided._terminal import quote
from lopsided.metrics._places import (
    Places,
    count_positives,
    cut_rows,
    find_places,
    take_value,
)
from lopsided.metrics.pu import clipped, need_prior

__all__ = [
    "pu_f1_at_k",
    "pu_lift_at_k",
    "pu_precision_at_k",
    "pu_recall_at_k",
]


def pu_recall_at_k(
    y: Any, scores: Any, k: float, *, scenario: str = "one-sample", sample_weight: Any = None
) -> float:
    r"""Return the share of all positives among the first k rows, from PU labels.

    It is the share of the labeled rows there. No prior is needed: under SCAR the labeled rows
    are a fair sample of the positives, and the mean over all ways to label L of them is the
    recall. (In the two-sample scenario a labeled row comes to the unlabeled ones, so that it is
    the recall of a table with one positive more.) Under SAR it is the recall of the labeled
    rows alone: too high if positives that look like negatives are hidden first ("near"), else
    too low.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; of rows that are tied across the cut, each is in with the same
        probability.
    k : int, or float below 1
        Rows of the population, or a share of them.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the population is all rows or the unlabeled ones.
    sample_weight : array of shape (n_rows,), optional
        How many rows each one stands for, where they are a sample or a summary of a table.

    Examples
    --------
    >>> pu_recall_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    """
    places = find_places(y, scores, scenario, sample_weight)
    return _recall(places, cut_rows(k, places.n_rows))


def pu_lift_at_k(
    y: Any, scores: Any, k: float, *, scenario: str = "one-sample", sample_weight: Any = None
) -> float:
    r"""Return how many times as dense positives are in the first k rows as in all.

    Precision over prior is :math:`(N r / k) / (N / n) = r\, n / k` with the recall r: the
    number of positives cancels out, and no prior is needed. Unbiased under SCAR as
    `pu_recall_at_k` is.

    Parameters
    ----------
    y, scores, k, scenario, sample_weight
        As in `pu_recall_at_k`.

    Examples
    --------
    >>> pu_lift_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=1)
    2.0
    """
    places = find_places(y, scores, scenario, sample_weight)
    n = cut_rows(k, places.n_rows)
    return _recall(places, n) * places.n_rows / n


def pu_precision_at_k(
    y: Any,
    scores: Any,
    k: float,
    prior: Any = None,
    *,
    scenario: str = "one-sample",
    clip: bool = False,
    sample_weight: Any = None,
) -> Any:
    r"""Return the share of positives among the first k rows, estimated from PU labels.

    With the recall r of `pu_recall_at_k` and N positives it is :math:`N r / k`. For the right
    prior it is unbiased under SCAR; a single one may lie above 1. It is off by the factor by
    which the prior is.

    Parameters
    ----------
    y, scores, k, scenario, sample_weight
        As in `pu_recall_at_k`.
    prior : float, pair of floats, estimate or None, default=None
        P(y_true = 1) in the population: among all rows, at least the labeled share, or among
        the unlabeled ones. None takes the labeled share, so that only labeled rows count as
        positives, and is refused in the two-sample scenario. A pair asks for both ends; of an
        estimate (`lopsided.priors.estimate_prior`) the value is taken.
    clip : bool, default=False
        Whether an estimate above 1 is moved to 1, which makes it too low on average.

    Returns
    -------
    float, or a pair of them if `prior` is one

    Examples
    --------
    >>> pu_precision_at_k([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], k=3, prior=0.5)
    1.0
    >>> pu_precision_at_k([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], k=2, prior=(1 / 3, 1 / 2))
    (0.5, 0.75)
    """
    places = find_places(y, scores, scenario, sample_weight)
    n = cut_rows(k, places.n_rows)
    recall = _recall(places, n)
    return _at_each_end(places, prior, lambda count: clipped(count * recall / n, clip))


def pu_f1_at_k(
    y: Any,
    scores: Any,
    k: float,
    prior: Any = None,
    *,
    scenario: str = "one-sample",
    clip: bool = False,
    sample_weight: Any = None,
) -> Any:
    r"""Return the harmonic mean of precision and recall at k, estimated from PU labels.

    With N positives, of which a share r is among the first k rows, it is
    :math:`2 N r / (k + N)`: linear in r, and so unbiased under SCAR for the right prior. It may
    pass 1.

    Parameters
    ----------
    y, scores, k, prior, scenario, clip, sample_weight
        As in `pu_precision_at_k`.

    Returns
    -------
    float, or a pair of them if `prior` is one

    Examples
    --------
    >>> pu_f1_at_k([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], k=3, prior=0.5)
    1.0
    """
    places = find_places(y, scores, scenario, sample_weight)
    n = cut_rows(k, places.n_rows)
    twice = 2 * _recall(places, n)
    return _at_each_end(places, prior, lambda count: clipped(count * twice / (n + count), clip))


def _recall(places: Places, n: int) -> float:
    return places.average(places.within(n))


def _at_each_end(places: Places, prior: Any, value_of: Callable[[float], float]) -> Any:
    """Return a function of the number of positives, for a prior or for both ends of a range."""
    need_prior(places, prior)
    prior = take_value(prior)
    if isinstance(prior, (tuple, list)):
        low, high = ordered_pair(prior)
        return value_of(count_positives(places, low)), value_of(count_positives(places, high))
    return value_of(count_positives(places, prior))


def ordered_pair(prior: Any) -> tuple[float, float]:
    """Return a range of priors, or say what is wrong with it."""
    if len(prior) != 2 or not prior[0] <= prior[1]:
        raise ValueError(
            "prior must be a number or a pair of them, the lower one first, got "
            f"{quote(prior)}."
        )
    return prior[0], prior[1]
