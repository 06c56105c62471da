r"""How well probabilities of being positive fit PU labels.

With a share :math:`\pi` of positives, labeled completely at random, the mean of anything over
the positives is that over the labeled rows, and what negatives cost is what all rows cost
without it:

.. math:: (1 - \pi)\,E_N[l] = E[l] - \pi\,E_P[l].

In two samples the mean over all rows is that over the unlabeled ones. If positives with high
scores are labeled more often than others (SAR), too many positives are counted among rows of
high probability and too few among the rest; the metrics then ask for probabilities that are too
steep.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import (
    as_floats,
    check_choice,
    check_count,
    check_labels,
    check_prior,
    check_share,
)
from lopsided.calibration.maps import Scenario

__all__ = ["ReliabilityCurve", "pu_calibration_error", "pu_log_loss", "pu_reliability_curve"]

Strategy = Literal["uniform", "quantile"]
Column = NDArray[np.float64]

_EPS = float(np.finfo(np.float64).eps)


class ReliabilityCurve(NamedTuple):
    """Probabilities that were given, and shares of positives that there are, bin by bin.

    Attributes
    ----------
    prob_pred : ndarray of shape (n_bins,)
        Mean probability of the bin's rows.
    prob_true : ndarray of shape (n_bins,)
        Estimated share of positives among them.
    low, high : ndarray of shape (n_bins,)
        Its band.
    n_rows, n_labeled : ndarray of shape (n_bins,)
        Rows of the bin, and those of them that are labeled.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.calibration import pu_reliability_curve
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.random(2000)
    >>> y = ((rng.random(2000) < proba) & (rng.random(2000) < 0.3)).astype(int)
    >>> curve = pu_reliability_curve(y, proba, prior=0.5, n_bins=4)
    >>> curve.prob_pred.round(2)
    array([0.12, 0.38, 0.62, 0.87])
    >>> curve.prob_true.round(2)
    array([0.07, 0.39, 0.61, 0.93])
    """

    prob_pred: Column  # mean probability of the bin's rows
    prob_true: Column  # estimated share of positives among them
    low: Column  # its band
    high: Column
    n_rows: Column
    n_labeled: Column


class _Bins(NamedTuple):
    """Sums over the rows of each bin, and the prior."""

    mass: Column  # share of all rows, or of the unlabeled ones in two samples
    proba: Column  # what the probabilities of its rows add to the mean over all bins
    known: Column  # share of all rows that are labeled and in the bin; 0 in two samples
    n_rows: Column
    n_labeled: Column
    prior: float


def pu_log_loss(
    y: Any,
    proba: Any,
    prior: Any,
    *,
    sample_weight: Any = None,
    scenario: Scenario = "one-sample",
) -> float:
    r"""Return the log-loss of probabilities of being positive, estimated from PU labels.

    Positives cost :math:`-\log p`, negatives :math:`-\log(1 - p)`. With
    :math:`f = \log p / (1 - p)` the difference is :math:`-f`, and

    .. math:: -E[\log(1 - p)] - \pi\,E_P[f]

    is the log-loss against the truth. It is unbiased under SCAR, and so a single one may lie
    below 0, the more so the fewer rows are labeled. Compare two models by it, on the same rows.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    proba : array of shape (n_rows,)
        Probabilities of being positive; 0 and 1 count as the nearest numbers between.
    prior : float or PriorEstimate
        P(y_true = 1) among all rows; among the unlabeled ones if there are two samples.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows are some of the positives of one table, or a sample of their
        own.

    Examples
    --------
    >>> round(pu_log_loss([1, 1, 0, 0, 0, 0], [0.9, 0.7, 0.8, 0.1, 0.2, 0.1], prior=0.5), 4)
    0.1638
    """
    labeled, proba, weight = _read(y, proba, sample_weight)
    pool = weight if scenario == "one-sample" else weight * ~labeled
    prior = _read_prior(prior, labeled, weight, scenario)
    inside = proba.clip(_EPS, 1 - _EPS)
    as_negatives = float(np.average(-np.log1p(-inside), weights=pool))
    log_odds = np.log(inside) - np.log1p(-inside)
    return as_negatives - prior * float(np.average(log_odds, weights=weight * labeled))


def pu_calibration_error(
    y: Any,
    proba: Any,
    prior: Any,
    n_bins: int = 10,
    *,
    strategy: Strategy = "uniform",
    sample_weight: Any = None,
    scenario: Scenario = "one-sample",
) -> float:
    r"""Return the expected calibration error, estimated from PU labels.

    A bin that holds a share :math:`q` of the labeled rows holds that share of the positives, so
    that

    .. math:: \sum_{bins} |m \bar p - \pi q|,

    with :math:`m` the share of all rows in the bin and :math:`\bar p` their mean probability,
    compares what was promised with what is there. Under SCAR each difference is unbiased; their
    absolute values are not, and come to about :math:`2 \pi / \sqrt L` over ten bins even where
    probabilities are right. Much above that, they are not.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    proba : array of shape (n_rows,)
        Probabilities of being positive.
    prior : float or PriorEstimate
        P(y_true = 1) among all rows; among the unlabeled ones if there are two samples.
    n_bins : int, default=10
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of the same width, or of about the same number of rows.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows are some of the positives of one table, or a sample of their
        own.

    Examples
    --------
    >>> proba = [0.9, 0.8, 0.8, 0.1, 0.2, 0.2]
    >>> round(pu_calibration_error([1, 1, 0, 0, 0, 0], proba, prior=0.5, n_bins=2), 4)
    0.1667
    """
    bins = _sum_bins(y, proba, prior, n_bins, strategy, sample_weight, scenario)
    found = bins.prior * bins.n_labeled / bins.n_labeled.sum()
    return float(np.abs(bins.proba - found).sum())


def pu_reliability_curve(
    y: Any,
    proba: Any,
    prior: Any,
    n_bins: int = 10,
    *,
    strategy: Strategy = "uniform",
    level: float = 0.9,
    sample_weight: Any = None,
    scenario: Scenario = "one-sample",
) -> ReliabilityCurve:
    r"""Return the share of positives among rows of like probability, with a band.

    A bin with a share :math:`m` of all rows and :math:`q` of the labeled ones has about
    :math:`\pi q / m` positives among its rows: unbiased under SCAR, but for values above 1,
    which become 1. The band is that of the binomial share q (Clopper and Pearson), for each bin
    on its own, with the prior taken for granted; in one sample a bin's own labeled rows are a
    lower bound.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    proba : array of shape (n_rows,)
        Probabilities of being positive.
    prior : float or PriorEstimate
        P(y_true = 1) among all rows; among the unlabeled ones if there are two samples.
    n_bins : int, default=10
        Number of bins; empty ones are left out.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of the same width, or of about the same number of rows.
    level : float, default=0.9
        How often the band of a bin holds the truth, at least.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows. The band takes labeled rows for as many as their weights are worth.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows are some of the positives of one table, or a sample of their
        own.

    Returns
    -------
    ReliabilityCurve
        Columns of one length: `prob_pred`, `prob_true`, `low`, `high`, `n_rows`, `n_labeled`.

    Examples
    --------
    >>> proba = [0.9, 0.8, 0.8, 0.1, 0.2, 0.2]
    >>> curve = pu_reliability_curve([1, 1, 0, 0, 0, 0], proba, prior=0.5, n_bins=2)
    >>> curve.prob_true.tolist(), curve.n_rows.tolist()
    ([0.0, 1.0], [3.0, 3.0])
    """
    from scipy.stats import beta

    check_share(level, "level")
    bins = _sum_bins(y, proba, prior, n_bins, strategy, sample_weight, scenario)
    kept = bins.mass > 0
    mass, inside = bins.mass[kept], bins.n_labeled[kept]
    total = bins.n_labeled.sum()
    outside, tail = np.maximum(total - inside, 0), (1 - level) / 2
    # A Beta law without a first or a second part lies at 0 or at 1.
    low = np.where(inside > 0, beta.ppf(tail, np.maximum(inside, _EPS), outside + 1), 0.0)
    high = np.where(outside > 0, beta.ppf(1 - tail, inside + 1, np.maximum(outside, _EPS)), 1.0)
    least = bins.known[kept] / mass
    found, low, high = (
        np.clip(bins.prior * share / mass, least, 1) for share in (inside / total, low, high)
    )
    return ReliabilityCurve(
        bins.proba[kept] / mass, found, low, high, bins.n_rows[kept], inside
    )


def _sum_bins(
    y: Any,
    proba: Any,
    prior: Any,
    n_bins: int,
    strategy: str,
    sample_weight: Any,
    scenario: str,
) -> _Bins:
    """Return what the metrics need of each bin."""
    labeled, proba, weight = _read(y, proba, sample_weight)
    check_count(n_bins, "n_bins")
    check_choice(strategy, ("uniform", "quantile"), "strategy")
    prior = _read_prior(prior, labeled, weight, scenario)
    pool = weight if scenario == "one-sample" else weight * ~labeled
    if strategy == "uniform":
        bin_of = np.minimum((proba * n_bins).astype(int), n_bins - 1)
    else:
        inner = np.arange(1, n_bins) / n_bins
        edges = np.quantile(proba, inner, weights=pool, method="inverted_cdf")
        bin_of = np.searchsorted(edges, proba, side="left")
    rows = pool / pool.sum()

    def add_up(column: Column) -> Column:
        return np.bincount(bin_of, column, n_bins).astype(np.float64)

    return _Bins(
        mass=add_up(rows),
        proba=add_up(rows * proba),
        known=add_up(rows * labeled),
        n_rows=add_up(_effective(pool)),
        n_labeled=add_up(_effective(weight * labeled)),
        prior=prior,
    )


def _effective(weight: Column) -> Column:
    """Return weights scaled to add up to the number of rows that they are worth (Kish)."""
    return weight * weight.sum() / (weight**2).sum()


def _read(y: Any, proba: Any, sample_weight: Any) -> tuple[NDArray[np.bool_], Column, Column]:
    """Return labels, probabilities and weights, checked; the largest weight is 1."""
    labels, values = check_labels(y), as_floats(proba, "proba")
    weight = np.ones(len(labels))
    if sample_weight is not None:
        weight = as_floats(sample_weight, "sample_weight")
    for name, column in (("proba", values), ("sample_weight", weight)):
        if column.shape != labels.shape:
            raise ValueError(
                f"{name} must be one number per label {labels.shape}, got {column.shape}."
            )
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            "proba must hold probabilities from 0 to 1, got others. Pass the second column of "
            "predict_proba."
        )
    if not (weight >= 0).all() or not np.isfinite(weight).all():
        raise ValueError("sample_weight must hold finite numbers from 0 on, got others.")
    labeled = labels == 1
    if not (weight[labeled].any() and weight[~labeled].any()):
        raise ValueError(
            "sample_weight must be above 0 for some labeled and some unlabeled rows, got 0 for "
            "all of one kind."
        )
    return labeled, values, weight / weight.max()


def _read_prior(prior: Any, labeled: NDArray[np.bool_], weight: Column, scenario: str) -> float:
    """Return the prior, raised to the labeled share where there is one sample."""
    check_choice(scenario, ("one-sample", "two-sample"), "scenario")
    share = float(np.average(labeled, weights=weight))
    return check_prior(prior, share if scenario == "one-sample" else 0.0)
