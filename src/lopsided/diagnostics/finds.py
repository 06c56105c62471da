"""Expected finds: hidden positives among the first k rows, and when to stop reviewing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_count, check_level
from lopsided.diagnostics._hidden import check_prior_range, count_hidden, spread_hidden
from lopsided.diagnostics._rows import (
    LEVEL,
    check_cuts,
    check_rows,
    count_above,
    stands_within,
)

__all__ = ["ExpectedFinds", "ReviewCurve", "expected_finds", "review_curve"]


@dataclass(frozen=True)
class ExpectedFinds:
    """Hidden positives to expect among the first k unlabeled rows.

    Attributes
    ----------
    k : int
        Length of the list.
    value : float
        Their expected number.
    low, high : int
        Band that holds the real number with probability `level`.
    level : float
        Level of the band.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import expected_finds
    >>> y = np.repeat([1, 0], [40, 960])
    >>> scores = np.r_[np.full(20, 3.0), np.full(20, 1.0), np.linspace(2, 0, 960)]
    >>> finds = expected_finds(y, scores, 50, prior=0.08)[0]
    >>> print(f"{finds.value:.0f} ({finds.low} to {finds.high}) of {finds.k}")
    20 (13 to 27) of 50
    """

    k: int
    value: float
    low: int
    high: int
    level: float

    def __str__(self) -> str:
        about = f"{self.value:.0f}"
        positives = "positive" if about == "1" else "positives"
        return (
            f"The first {self.k} unlabeled rows should hold about {about} hidden "
            f"{positives} ({100 * self.level:.0f} % band {self.low} to {self.high})."
        )


def expected_finds(
    y: Any,
    scores: Any,
    k: Any,
    prior: Any,
    *,
    scenario: str = "one-sample",
    level: float = LEVEL,
) -> tuple[ExpectedFinds, ...]:
    r"""Predict how many hidden positives the first k unlabeled rows hold.

    Under SCAR a hidden positive stands in the first k as often as a labeled row that is scored
    blind. With x of L labeled rows there and H hidden positives the real number is about

    .. math:: Binomial(H, r), \quad r \sim Beta(x + 1/2, L - x + 1/2),

    mixed over the interval of the prior, where it has one. So the band holds three doubts: of
    the recall, known from L rows only; of the prior; and which positives happen to be hidden.
    No more than k can be found: the value and the upper end are cut there, and the lower end
    is that of the distribution given so. The value is the mean over the prior's interval, which
    is longer on its upper side: it may pass the positives that the prior's own value means.
    Where easy cases are labeled first (SAR) the number is too high: see `sensitivity`.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which is on no list.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it.
    k : int or sequence of int
        Lengths of the list, each from 1 to the number of unlabeled rows.
    prior : float, pair of floats, or estimate
        P(y_true = 1): a known number, an interval at `level`, or an object with `value`, `low`
        and `high`.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the prior is that of all rows or of the unlabeled ones.
    level : float, default=0.9
        Level of the bands.

    Returns
    -------
    tuple of ExpectedFinds
        One for each k.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [40, 960])
    >>> scores = np.r_[np.full(20, 3.0), np.full(20, 1.0), np.linspace(2, 0, 960)]
    >>> for line in expected_finds(y, scores, [50], prior=0.08):
    ...     print(line)
    The first 50 unlabeled rows should hold about 20 hidden positives (90 % band 13 to 27).
    """
    labels, values = check_rows(y, scores, keep_reviewed=True)
    cuts = check_cuts(k, int((labels == 0).sum()))
    known = check_prior_range(prior, labels, scenario)
    hidden = spread_hidden(known, labels, scenario, check_level(level))
    return tuple(
        _expect(stands_within(labels, values, cut), cut, *hidden, level) for cut in cuts
    )


def _expect(
    inside: NDArray[np.float64],
    k: int,
    hidden: NDArray[np.int64],
    weights: NDArray[np.float64],
    level: float,
) -> ExpectedFinds:
    """Mix the distributions that each number of hidden positives gives."""
    hits, tail = float(inside.sum()), (1 - level) / 2
    free, cut = np.zeros(k + 1), np.zeros(k + 1)
    for count, weight in zip(hidden, weights, strict=True):
        log_mass = _beta_binomial(int(count), k, hits + 0.5, len(inside) - hits + 0.5)
        free += weight * np.exp(log_mass)
        within = np.exp(log_mass - log_mass.max())
        cut += weight * within / within.sum()
    over = max(0.0, 1 - float(free.sum()))  # that more than k are found, which cannot be
    low = int(np.searchsorted(np.cumsum(cut), tail, "right"))
    high = min(k, int(np.searchsorted(np.cumsum(free), 1 - tail)))
    value = float(free @ np.arange(k + 1)) + over * k
    return ExpectedFinds(k, value, min(low, high), high, level)


def _beta_binomial(n: int, k: int, a: float, b: float) -> NDArray[np.float64]:
    """Return the logarithm of the probability of 0 to k finds of n."""
    from scipy.special import betaln, gammaln

    mass = np.full(k + 1, -np.inf)
    finds = np.arange(min(k, n) + 1)
    ways = gammaln(n + 1) - gammaln(finds + 1) - gammaln(n - finds + 1)
    mass[: len(finds)] = ways + betaln(finds + a, n - finds + b) - betaln(a, b)
    return mass


@dataclass(frozen=True)
class ReviewCurve:
    """Expected finds along the list, smoothed so that further rows never promise more.

    Attributes
    ----------
    k : ndarray of shape (n_steps + 1,)
        Rows reviewed, from 0.
    finds, low, high : ndarray of shape (n_steps + 1,)
        Expected finds among them, and at the low and the high end of the prior's interval.
    step : int
        Rows between two points.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import review_curve
    >>> y = np.repeat([1, 0], [40, 960])
    >>> scores = np.r_[np.linspace(2, 1.8, 40), np.linspace(2, 0, 960)]
    >>> curve = review_curve(y, scores, prior=0.08)
    >>> curve.stop_at(rate=1.0)  # rows until ten further ones promise less than one find
    100
    >>> print(f"{curve.finds[curve.k == 50][0]:.0f} finds in the first 50")
    21 finds in the first 50
    """

    k: NDArray[np.int64]
    finds: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    step: int

    @property
    def rate(self) -> NDArray[np.float64]:
        """Expected finds in the `step` rows after each point but the last."""
        return np.diff(self.finds)

    def stop_at(self, rate: float = 1.0) -> int:
        """Return how many rows to review until `step` further ones promise fewer than `rate`.

        Parameters
        ----------
        rate : float, default=1.0
            The least number of finds that `step` rows are worth.
        """
        poor = np.flatnonzero(self.rate < rate)
        return int(self.k[poor[0]] if len(poor) else self.k[-1])

    def describe(self, rate: float = 1.0) -> str:
        """Say where to stop, and what will have been found by then."""
        stop = self.stop_at(rate)
        at = int(np.searchsorted(self.k, stop))
        if stop == 0:
            return f"No {self.step} rows promise {rate:g} or more finds: review none."
        if stop == self.k[-1]:
            return f"All {stop} rows promise {rate:g} or more finds per {self.step}: go on."
        return (
            f"Review {stop} rows, for about {self.finds[at]:.0f} finds; after that "
            f"{self.step} further rows promise fewer than {rate:g}."
        )

    def __str__(self) -> str:
        return self.describe()


def review_curve(
    y: Any, scores: Any, prior: Any, *, step: int = 10, scenario: str = "one-sample"
) -> ReviewCurve:
    r"""Return expected finds along the list, which say when to stop reviewing.

    The labeled rows, scored blind, stand at places :math:`p_1 \le \dots \le p_L` of the list;
    each stands for H / L hidden positives. A row that is tied with others is spread evenly over
    their places. The curve is the least concave majorant of these steps, with at most one find
    a row: no stretch promises more than one above it, which is what a ranking means, and a
    single labeled row makes no peak. It starts a little too steep where few rows are labeled.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which is on no list.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it.
    prior : float, pair of floats, or estimate
        As in `expected_finds`.
    step : int, default=10
        Rows between two points of the curve.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the prior is that of all rows or of the unlabeled ones.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [40, 960])
    >>> scores = np.r_[np.linspace(2, 1.8, 40), np.linspace(2, 0, 960)]
    >>> print(review_curve(y, scores, prior=0.08))
    Review 100 rows, for about 40 finds; after that 10 further rows promise fewer than 1.
    """
    labels, values = check_rows(y, scores, keep_reviewed=True)
    known = check_prior_range(prior, labels, scenario)
    n_unlabeled = int((labels == 0).sum())
    size = min(check_count(step, "step"), n_unlabeled)
    cuts = np.arange(0, n_unlabeled + 1, size)
    recall = np.interp(cuts, *_concave_majorant(*_steps(labels, values)))
    finds, low, high = (
        np.minimum(cuts, count_hidden(end, labels, scenario) * recall) for end in known
    )
    return ReviewCurve(cuts, finds, low, high, size)


def _steps(
    y: NDArray[np.int8], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the share of labeled rows in the first k, the mean over ties.

    Between them it is straight: a labeled row that ties with t unlabeled ones stands in each of
    t + 1 places with the same probability.
    """
    above, tied = count_above(y, scores)
    n_unlabeled, slope = int((y == 0).sum()), 1 / ((tied + 1) * len(above))
    corners = np.r_[0, n_unlabeled, above, above + tied + 1]
    x, place = np.unique(corners, return_inverse=True)
    slopes = np.cumsum(np.bincount(place, weights=np.r_[0, 0, slope, -slope]))
    share = np.r_[0.0, np.cumsum(slopes[:-1] * np.diff(x))]
    inside = x < n_unlabeled
    # A labeled row that stands behind the whole list is counted at its end.
    return np.r_[x[inside], n_unlabeled].astype(float), np.r_[share[inside], 1.0]


def _concave_majorant(
    x: NDArray[np.float64], share: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the least concave curve above the given ones."""
    hull = [0]
    for i in range(1, len(x)):
        while len(hull) > 1:
            a, b = hull[-2:]
            if (share[b] - share[a]) * (x[i] - x[a]) > (share[i] - share[a]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(i)
    return x[hull], share[hull]
