"""The prior after reviews: what the first labels say, and what reviewers have counted since."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from lopsided._math import best_first
from lopsided._terminal import quote
from lopsided._validation import check_labels, check_outcomes
from lopsided.priors import PriorEstimate, estimate_prior
from lopsided.priors.belief import Beta
from lopsided.review.propensity import stands_in_first

__all__ = ["Audit", "estimate_prior_after_reviews"]

_LEVEL = 0.9
_MAX_GRID = 4000  # numbers of positives that are looked at
_MAX_RATIO = 6.0  # of the ends of an interval that tells the prior
_MIN_FIRST = 3  # labels: fewer tell nothing of the prior, whatever the belief makes of them
_MAX_OPEN = 0.05  # of the rows of a part of the list that counts as reviewed


class Audit(NamedTuple):
    """Rows drawn at random and reviewed.

    Attributes
    ----------
    n_pool : int
        Rows that they were drawn from, none of which was known.
    n_known : int
        Positives that were known, or found at the same time, outside of these.
    n_reviewed, n_positive : int
        Those reviewed, and how many were positive.

    Examples
    --------
    Of 950 rows that nobody had looked at, 60 were drawn at random, and 3 of them are positive:

    >>> audit = Audit(n_pool=950, n_known=20, n_reviewed=60, n_positive=3)
    >>> audit.n_positive / audit.n_reviewed
    0.05
    """

    n_pool: int
    n_known: int
    n_reviewed: int
    n_positive: int


@dataclass(frozen=True)
class _Known:
    """What is counted and not estimated."""

    n_rows: int
    n_first: int  # labeled before any review
    n_positive: int
    n_negative: int


def estimate_prior_after_reviews(
    y_first: Any,
    y: Any,
    scores: Any,
    *,
    audits: Sequence[Audit] = (),
    label_frequency: Beta | None = None,
    level: float = _LEVEL,
) -> PriorEstimate:
    r"""Return the share of positives, from the first labels and from what reviews found.

    Positives that a review found are not labeled at random: the top of the list is labeled
    without gaps, and an estimate that takes all labels alike comes out far too low. So

    1. `estimate_prior` reads the first labels only. Its interval is taken as normal in the
       logarithm of the number of positives N, on either side of the value. One or two labels
       tell nothing: all N are as likely then, in the logarithm.
    2. N is at least the number of known positives, and at most all rows but the known
       negatives.
    3. Down to some row of the first list all rows are decided by now, but for at most one in
       20. Of the L first labeled rows x would have stood there, and of the N - L others F did:
       F is about Binomial(N - L, r), :math:`r \sim Beta(x + 1, L - x + 1)`, much as in
       `expected_finds`.
    4. Each audit, m rows drawn at random of M, found a hypergeometric number of positives.

    The product over a grid of N gives the median, which is the value, and the interval.

    All scores are those before any review. Later ones are blind to a row's own label but not
    to what it led to: a labeled row has helped to find positives like itself, which now speak
    for it, and stands higher than hidden ones do.

    Parameters
    ----------
    y_first : array of shape (n_rows,)
        The labels before any review; those labeled must be so completely at random (SCAR).
    y : array of shape (n_rows,)
        The labels now: 1 = positive, 0 = unlabeled, -1 = reviewed negative.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it, fitted on the first labels.
    audits : sequence of Audit, default=()
        Reviews of rows drawn at random.
    label_frequency : Beta or None, default=None
        The belief on the label frequency, as in `estimate_prior`.
    level : float, default=0.9
        Of the interval.

    Returns
    -------
    PriorEstimate
        `n_hidden` counts positives among rows that are still unlabeled.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y_true = np.repeat([1, 0], [100, 1900])
    >>> y_first = y_true * (rng.random(2000) < 0.3)
    >>> scores = y_true + rng.normal(0, 0.5, 2000)
    >>> listed = (scores > 1.2) & (y_first == 0)
    >>> y = np.where(listed, 2 * y_true - 1, y_first)
    >>> now = estimate_prior_after_reviews(y_first, y, scores)
    >>> before = estimate_prior(y_first, scores)
    >>> now.low < 0.05 < now.high, now.high - now.low < before.high - before.low
    (True, True)
    """
    first, labels = check_labels(y_first), check_outcomes(y, "y")
    check_consistent_length(first, labels)
    _check_audits(audits)
    if (labels != 0).all():
        return _count_all(labels, level)
    base = estimate_prior(first, scores, label_frequency=label_frequency, level=level)
    known = _Known(
        len(labels),
        int(first.sum()),
        int((labels == 1).sum()),
        int((labels == -1).sum()),
    )
    if known.n_positive == known.n_first and known.n_negative == 0:
        return base
    counts = _list_counts(known)
    log_mass = np.log(_widths(counts)) - np.log(counts)
    if known.n_first >= _MIN_FIRST:
        log_mass += _log_normal(counts / known.n_rows, base, level)
    log_mass += _list_likelihood(counts, first, labels, np.asarray(scores, dtype=float))
    for audit in audits:
        log_mass += _audit_likelihood(counts, audit)
    tail = (1 - level) / 2
    value, low, high = _quantiles(counts, log_mass, known.n_rows, (0.5, tail, 1 - tail))
    told = bool(audits) or known.n_first >= _MIN_FIRST  # else a recall of one row, or two
    return _conclude((value, low, high), known, level, told)


def _count_all(y: NDArray[np.int8], level: float) -> PriorEstimate:
    """Return the share of positives where every row is decided."""
    share = float((y == 1).mean())
    sentence = f"A share of {share:.2g} is positive: all {len(y):,} rows are decided."
    return PriorEstimate(share, share, share, level, True, 0.0, "reviews", sentence)


def _list_counts(known: _Known) -> NDArray[np.float64]:
    """Return the numbers of positives that are possible, not all of them if they are many."""
    least, most = known.n_positive, known.n_rows - known.n_negative
    if most - least < _MAX_GRID:
        return np.arange(least, most + 1, dtype=float)
    spread = np.geomspace(1, most - least + 1, _MAX_GRID) - 1
    return least + np.unique(np.round(spread))


def _widths(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many numbers each one of the grid stands for."""
    return np.gradient(counts) if len(counts) > 1 else np.ones(1)


def _log_normal(
    prior: NDArray[np.float64], base: PriorEstimate, level: float
) -> NDArray[np.float64]:
    """Return the log-density of the estimate's logarithm, each side as wide as its end says."""
    from scipy.special import ndtri

    reach = ndtri((1 + level) / 2)
    ends = np.log([base.value / base.low, base.high / base.value])
    down, up = np.maximum(ends, 1e-3) / reach
    away = np.log(np.maximum(prior, 1e-300) / base.value)
    wide = np.where(away < 0, down, up)
    return -0.5 * (away / wide) ** 2


def _list_likelihood(
    counts: NDArray[np.float64],
    first: NDArray[np.int8],
    y: NDArray[np.int8],
    scores: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the log-likelihood of what the reviewed part of the first list held."""
    from scipy.special import betaln, gammaln

    others = np.flatnonzero(first == 0)
    ordered = others[best_first(scores[others])]
    n_open = np.cumsum(y[ordered] == 0)
    places = np.arange(1, len(ordered) + 1)
    k = int(places[n_open <= _MAX_OPEN * places].max(initial=0))
    if k == 0:
        return np.zeros(len(counts))
    finds = int((y[ordered[:k]] == 1).sum())
    n_first = int(first.sum())
    inside = float(stands_in_first(scores, first == 0, k)[first == 1].sum())
    hidden = counts - n_first
    ways = gammaln(hidden + 1) - gammaln(hidden - finds + 1)
    return ways + betaln(finds + inside + 1, hidden - finds + n_first - inside + 1)


def _check_audits(audits: Any) -> None:
    if not isinstance(audits, (list, tuple)) or not all(
        isinstance(one, Audit) for one in audits
    ):
        raise ValueError(
            f"audits must be a list of Audit, got {quote(audits)}. Pass [] where no rows were "
            "drawn at random."
        )


def _audit_likelihood(counts: NDArray[np.float64], audit: Audit) -> NDArray[np.float64]:
    """Return the log-likelihood of an audit: positives drawn without putting back."""
    from scipy.stats import hypergeom

    hidden = np.clip(counts - audit.n_known, 0, audit.n_pool).astype(int)
    found = hypergeom.logpmf(audit.n_positive, audit.n_pool, hidden, audit.n_reviewed)
    # What cannot be is no reason to end without an answer: verdicts may contradict each other.
    return np.maximum(found, -700.0)


def _quantiles(
    counts: NDArray[np.float64],
    log_mass: NDArray[np.float64],
    n_rows: int,
    asked: Sequence[float],
) -> list[float]:
    mass = np.exp(log_mass - log_mass.max())
    upto = np.cumsum(mass / mass.sum())
    places = np.minimum(np.searchsorted(upto, asked), len(counts) - 1)
    return [float(counts[place] / n_rows) for place in places]


def _conclude(found: Sequence[float], known: _Known, level: float, told: bool) -> PriorEstimate:
    """Say it in words."""
    value, low, high = found
    n_left = known.n_rows - known.n_positive - known.n_negative
    hidden, fewest, most = (share * known.n_rows - known.n_positive for share in found)
    identified = told and high <= _MAX_RATIO * low
    sentence = (
        f"A share of {value:.2g} is positive ({level * 100:g} % interval {low:.2g} to "
        f"{high:.2g}): beside {known.n_positive} known ones about {hidden:.0f} positives "
        f"({fewest:.0f} to {most:.0f}) are hidden among {n_left:,} unlabeled rows."
    )
    if not identified:
        sentence += " Reviews have not told the prior yet: anything in the interval fits."
    return PriorEstimate(value, low, high, level, identified, hidden, "reviews", sentence)
