"""Hidden positives to expect among the rows of a list, with a band, and where to stop."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from lopsided._math import log_odds_of, sigmoid
from lopsided._validation import check_count, check_labels, check_level
from lopsided.calibration.maps import fit_calibration
from lopsided.diagnostics._hidden import (
    as_prior_range,
    check_prior_range,
    count_hidden,
    spread_hidden,
    spread_total,
)
from lopsided.diagnostics._rows import LEVEL, check_cuts, check_rows

__all__ = ["ExpectedFinds", "ReviewCurve", "expected_finds", "review_curve"]

_STEP = 10
_LEAST = 1e-3  # positives, so that log-odds stay finite where nothing is hidden
_MAX_POINTS = 512  # at which the distribution of a long list is computed


@dataclass(frozen=True)
class ExpectedFinds:
    """Hidden positives to expect among k rows of a list.

    Attributes
    ----------
    k : int
        Number of rows, the first ones of the list unless others were asked for.
    value : float
        Expected number of positives: the sum of the probabilities of the rows.
    low, high : int
        Band that covers the real number with probability `level`.
    level : float
        Level of the band.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import expected_finds
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> finds = expected_finds(y, scores, 50, prior=0.08)[0]
    >>> print(f"{finds.value:.0f} ({finds.low} to {finds.high}) of {finds.k}")
    26 (18 to 32) of 50
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
            f"The first {self.k:,} unlabeled rows should hold about {about} hidden "
            f"{positives} ({100 * self.level:.0f} % band {self.low} to {self.high})."
        )


@dataclass(frozen=True, eq=False, repr=False)
class ReviewCurve:
    r"""Hidden positives to expect along a list of rows, the most probable ones first.

    The expected number among any rows is the sum of their probabilities, so that all rows
    together are expected to hold the hidden positives that the prior implies. For the band, the
    share :math:`r` of the hidden positives that are among these rows counts as known from L
    labeled rows: of H hidden positives the real number is about

    .. math:: Binomial(H, \rho), \quad \rho \sim Beta(r L + 1/2, (1 - r) L + 1/2),

    mixed over the numbers H that the interval of the prior allows. It is at most the number of
    rows.

    Attributes
    ----------
    log_odds : ndarray of shape (n_rows,)
        Log-odds of each row of the list to be a hidden positive, in the order of the table.
    counts, weights : ndarray of shape (n_counts,)
        Numbers of hidden positives that the prior allows, and the probability of each.
    n_labeled : int
        Labeled rows by which the log-odds were calibrated.
    level : float
        Level of the bands.
    step : int
        Rows by which the list is reviewed.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import review_curve
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> curve = review_curve(y, scores, prior=0.08)
    >>> curve.stop_at(rate=1.0)  # rows until ten more rows promise less than one positive
    80
    >>> print(curve.expect(50))
    The first 50 unlabeled rows should hold about 26 hidden positives (90 % band 18 to 32).
    """

    log_odds: NDArray[np.float64]
    counts: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_labeled: int
    level: float = LEVEL
    step: int = _STEP

    @classmethod
    def from_log_odds(
        cls, log_odds: Any, prior: Any, n_labeled: int, *, level: float = LEVEL
    ) -> "ReviewCurve":
        """Return the curve of a table without labels, by log-odds that are calibrated.

        The number of hidden positives is what their probabilities add up to. It is uncertain
        for three reasons: the prior, at whose ends all odds are others; which rows of this
        table happen to be positive; and the level of the probabilities, which L labeled rows
        determine up to a relative variance of 1 / (3 L), as simulated tables showed.

        Parameters
        ----------
        log_odds : array of shape (n_rows,)
            Log-odds of being positive, by a model that was calibrated with the prior.
        prior : float, pair of floats, or estimate
            That prior, as in `expected_finds`.
        n_labeled : int
            Labeled rows by which the model was calibrated.
        level : float, default=0.9
            Level of the bands.

        Examples
        --------
        >>> curve = ReviewCurve.from_log_odds([0.0, 0.0, -2.2], prior=0.1, n_labeled=20)
        >>> print(f"{curve.expect(2).value:.1f} of {curve.n_hidden:.1f}")
        1.0 of 1.1
        """
        values = np.asarray(log_odds, dtype=float)
        known = as_prior_range(prior, len(values))
        moved = log_odds_of(np.array(known)) - log_odds_of(known.value)
        value, low, high = (float(sigmoid(values + one).sum()) for one in moved)
        proba = sigmoid(values)
        noise = float(np.sqrt((proba * (1 - proba)).sum() + value**2 / (3 * n_labeled)))
        counts, weights = spread_total(value, low, high, level, noise=noise, most=len(values))
        return cls(values, counts, weights, n_labeled, level)

    @cached_property
    def finds(self) -> NDArray[np.float64]:
        """Expected positives in the first k rows, for k from 0 to the length of the list."""
        best_first = np.sort(sigmoid(self.log_odds))[::-1]
        return np.r_[0.0, np.cumsum(best_first)]

    @property
    def n_hidden(self) -> float:
        """Expected positives in the whole list."""
        return float(self.finds[-1])

    def __len__(self) -> int:
        return len(self.log_odds)

    def expect(self, k: int) -> ExpectedFinds:
        """Return the positives to expect among the first k rows.

        Parameters
        ----------
        k : int
            From 1 to the length of the list.
        """
        return self._band(float(self.finds[k]), k)

    def expect_rows(self, rows: NDArray[np.intp]) -> ExpectedFinds:
        """Return the positives to expect among any rows of the list.

        Parameters
        ----------
        rows : array of int
            Their positions in `log_odds`.
        """
        return self._band(float(sigmoid(self.log_odds[rows]).sum()), len(rows))

    def _band(self, value: float, k: int) -> ExpectedFinds:
        """Mix the distributions that each number of hidden positives gives."""
        share, tail = min(value / self.n_hidden, 1.0), (1 - self.level) / 2
        a = share * self.n_labeled + 0.5
        b = (1 - share) * self.n_labeled + 0.5
        most = min(k, int(self.counts.max()))
        points = np.unique(np.linspace(0, most, min(most, _MAX_POINTS) + 1).round())
        log_mass = _beta_binomial(self.counts[:, None], points, a, b)
        widths = np.diff(points, prepend=-1.0)
        # No more than k positives can be among k rows. The upper end is cut there; the lower
        # end is that of the distribution given that there are no more.
        within = np.exp(log_mass - log_mass.max(axis=1, keepdims=True)) * widths
        within /= within.sum(axis=1, keepdims=True)
        below = np.cumsum(self.weights @ within) <= tail
        upto = np.cumsum(self.weights @ (np.exp(log_mass) * widths)) < 1 - tail
        low = int(points[min(below.sum(), len(points) - 1)])
        high = int(points[min(upto.sum(), len(points) - 1)])
        low, high = min(low, int(value)), max(high, int(np.ceil(value - _LEAST)))
        return ExpectedFinds(k, value, low, high, self.level)

    def stop_at(self, rate: float = 1.0) -> int:
        """Return how many rows to review until `step` more rows promise fewer than `rate`.

        Parameters
        ----------
        rate : float, default=1.0
            The least number of positives for which `step` rows are reviewed.
        """
        starts = np.arange(0, len(self), self.step)
        sizes = np.diff(starts, append=len(self))
        promised = np.diff(self.finds[np.append(starts, len(self))]) * self.step / sizes
        poor = np.flatnonzero(promised < rate)
        return int(starts[poor[0]]) if len(poor) else len(self)

    def describe(self, rate: float = 1.0) -> str:
        """Say where to stop, and how many positives to expect by then."""
        stop = self.stop_at(rate)
        if stop == 0:
            return f"No {self.step} rows promise {rate:g} or more finds: review none."
        if stop == len(self):
            return f"All {stop} rows promise {rate:g} or more finds per {self.step}: go on."
        return (
            f"Review {stop} rows, for about {self.finds[stop]:.0f} finds; after that "
            f"{self.step} further rows promise fewer than {rate:g}."
        )

    def __str__(self) -> str:
        return self.describe()


def review_curve(
    y: Any,
    scores: Any,
    prior: Any,
    *,
    y_first: Any = None,
    scenario: str = "one-sample",
    level: float = LEVEL,
    step: int = _STEP,
) -> ReviewCurve:
    r"""Return the hidden positives to expect along the list of unlabeled rows.

    Labels are assumed to be given completely at random (SCAR): out-of-fold scores of labeled
    rows are distributed as those of hidden positives. A beta calibration turns scores into
    log-odds of being a hidden positive by comparing labeled with unlabeled rows. One constant
    is added, so that the probabilities add up to the hidden positives that the prior implies.
    Reviewed negatives (-1) are in no list and are left out. If easy cases are labeled first
    (SAR), the numbers are too high for the top of the list: see `sensitivity`.

    After reviews the labels from before still are a random sample of the positives, and labels
    that reviews gave are not: pass the former as `y_first`.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative. The list holds the
        unlabeled rows.
    scores : array of shape (n_rows,)
        Out-of-fold scores of all rows.
    prior : float, pair of floats, or estimate
        P(y_true = 1): a known number, an interval at `level`, or an object with `value`, `low`
        and `high`.
    y_first : array of shape (n_rows,) or None, default=None
        The labels before any review; None is `y`.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the prior is that of all rows or of the unlabeled ones.
    level : float, default=0.9
        Level of the bands.
    step : int, default=10
        Rows by which the list is reviewed.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> print(review_curve(y, scores, prior=0.08))
    Review 80 rows, for about 30 finds; after that 10 further rows promise fewer than 1.
    """
    first = check_labels(y if y_first is None else y_first, keep_reviewed=True)
    first, values = check_rows(first, scores, keep_reviewed=True)
    now = first if y_first is None else np.asarray(y)
    check_consistent_length(now, first)
    check_level(level)
    known = check_prior_range(prior, first, scenario)
    log_odds = calibrate_hidden(
        first,
        values,
        n_hidden=float(count_hidden(known.value, first, scenario)),
        listed=now == 0,
        n_left=float(count_hidden(known.value, now, scenario, first)),
    )
    counts, weights = spread_hidden(known, now, scenario, level, first)
    n_labeled = int((first == 1).sum())
    return ReviewCurve(log_odds, counts, weights, n_labeled, level, check_count(step, "step"))


def expected_finds(
    y: Any,
    scores: Any,
    k: Any,
    prior: Any,
    *,
    scenario: str = "one-sample",
    level: float = LEVEL,
) -> tuple[ExpectedFinds, ...]:
    """Return how many hidden positives to expect in the first k unlabeled rows.

    These are points of `review_curve`, which explains how they are estimated.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which is on no list.
    scores : array of shape (n_rows,)
        Out-of-fold scores of all rows.
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
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> for line in expected_finds(y, scores, [50], prior=0.08):
    ...     print(line)
    The first 50 unlabeled rows should hold about 26 hidden positives (90 % band 18 to 32).
    """
    labels = check_labels(y, keep_reviewed=True)
    cuts = check_cuts(k, int((labels == 0).sum()))
    curve = review_curve(labels, scores, prior, scenario=scenario, level=level)
    return tuple(curve.expect(cut) for cut in cuts)


def calibrate_hidden(
    y: NDArray[np.int8],
    scores: NDArray[np.float64],
    *,
    n_hidden: float,
    listed: NDArray[np.bool_] | None = None,
    n_left: float | None = None,
    stands_for: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the log-odds of unlabeled rows to be hidden positives.

    Parameters
    ----------
    y, scores : array of shape (n_rows,)
        Labels that are a random sample of the positives, and out-of-fold scores.
    n_hidden : float
        Positives among the unlabeled rows.
    listed : array of bool or None, default=None
        Unlabeled rows that are left by now; None is all of them.
    n_left : float or None, default=None
        Positives among these; None is `n_hidden`.
    stands_for : array of shape (n_labeled,) or None, default=None
        How many hidden positives each labeled row stands for, up to a factor; None is the same
        number for all.
    """
    kept, n_unlabeled = y >= 0, int((y == 0).sum())
    weight = np.ones(len(y))
    if stands_for is not None:
        weight[y == 1] = stands_for / stands_for.max()
        weight[y == 1] *= len(stands_for) / weight[y == 1].sum()
    found = fit_calibration(
        scores[kept],
        y[kept],
        float(np.clip(n_hidden, _LEAST, n_unlabeled - _LEAST) / n_unlabeled),
        sample_weight=weight[kept],
        scenario="two-sample",
    )
    log_odds = found.transform(scores[y == 0 if listed is None else listed])
    return _move_to_total(log_odds, n_hidden if n_left is None else n_left)


def _move_to_total(log_odds: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return log-odds plus the constant by which their probabilities add up to a total."""
    from scipy.optimize import brentq

    if not len(log_odds):
        return log_odds
    bounded = log_odds.clip(-1e3, 1e3)  # beyond, probabilities are 0 or 1 either way
    wanted = float(np.clip(total, _LEAST, len(log_odds) - _LEAST))
    ends = -bounded.max() - 50, 50 - bounded.min()
    return log_odds + brentq(lambda shift: sigmoid(bounded + shift).sum() - wanted, *ends)


def _beta_binomial(
    n: NDArray[np.int64], finds: NDArray[np.float64], a: float, b: float
) -> NDArray[np.float64]:
    """Return the logarithm of the probability of each number of finds of n."""
    from scipy.special import betaln, gammaln

    missed = np.maximum(n - finds, 0)
    ways = gammaln(n + 1) - gammaln(finds + 1) - gammaln(missed + 1)
    mass = ways + betaln(finds + a, missed + b) - betaln(a, b)
    return np.where(finds <= n, mass, -np.inf)
