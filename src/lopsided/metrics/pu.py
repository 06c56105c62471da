r"""Ranking metrics against PU labels: what can be said of a ranking without the truth.

They take `y` (1 = labeled positive, 0 = unlabeled) and `scores` of a model that has not seen
the rows. Two scenarios are known, and a metric speaks of the population of its scenario:

- "one-sample": the table is the population. It has N = prior * n positives, L of them labeled.
- "two-sample": the unlabeled rows are the population, with N = prior * n_unlabeled positives;
  the labeled rows are a sample of their own. Each is ranked against the unlabeled rows alone.

Labels that are given completely at random (SCAR) make the labeled rows a fair sample of the
positives, and every expectation below is over that draw: L of the positives, each set of L as
likely as any other. If the propensity depends on the row (SAR), the labeled rows still speak
for themselves, but not for the hidden positives: where positives that look like negatives are
hidden first (`SAR(toward="near")`), the labeled ones are the easy ones and every estimate is
too high; where they are hidden last ("far"), every estimate is too low. No number that is
computed from `y` and `scores` alone can tell by how much.
"""

from typing import Any

import numpy as np

from lopsided._validation import check_share, guess_prior
from lopsided.metrics._places import Places, count_positives, find_places, take_value

__all__ = ["pu_average_precision", "pu_damped_log_rank", "pu_mean_log_rank", "pu_roc_auc"]


def pu_mean_log_rank(
    y: Any, scores: Any, *, scenario: str = "one-sample", sample_weight: Any = None
) -> float:
    r"""Return how far up the labeled rows are: the mean of :math:`-\log(rank / n)` over them.

    It needs no prior, cares for the top of the list, and one lost row costs little: a gentle
    judge where few rows are labeled. A random order has about 1. Under SCAR it is unbiased for
    the same mean over all positives, a mean of one term for each; under SAR it is the mean of
    the labeled ones, too high if the hidden ones look like negatives ("near"), else too low.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; tied rows share their mean rank.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether a labeled row is ranked among all rows, or among the unlabeled ones and itself.
    sample_weight : array of shape (n_rows,), optional
        How many rows each one stands for, where they are a sample or a summary of a table.

    Examples
    --------
    >>> round(pu_mean_log_rank([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.837
    """
    places = find_places(y, scores, scenario, sample_weight)
    share = places.mean() / (places.n_rows + (not places.inside))
    return places.average(-np.log(np.minimum(share, 1)))  # weights may round it above


def pu_damped_log_rank(
    y: Any,
    scores: Any,
    prior: Any = None,
    *,
    scenario: str = "one-sample",
    sample_weight: Any = None,
) -> float:
    r"""Return how far up the labeled rows are, without regard to their order at the very top.

    With :math:`\pi` the prior and n rows it is the mean over labeled rows of

    .. math:: \log \frac{1 + \pi}{rank / n + \pi},

    0 for a last place. Even a perfect ranking spreads the labeled rows evenly over the first
    :math:`\pi n` places, since hidden positives are as good: which of these places they have
    is luck, and `pu_mean_log_rank` is moved by it most. Here these places weigh much alike, and
    a row that is lost far below costs little, where it costs `pu_roc_auc` much. How well models
    are chosen by it is measured in `benchmarks/selection.py`.

    Ranks do not depend on labels, so that with a given prior and labels given completely at
    random it is unbiased for the value of all positives. Under SAR it is that of positives like
    the labeled ones.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; tied rows share their mean rank.
    prior : float, estimate or None, default=None
        P(y_true = 1), roughly; None guesses twice the labeled share.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether a labeled row is ranked among all rows, or among the unlabeled ones and itself.
    sample_weight : array of shape (n_rows,), optional
        How many rows each one stands for, where they are a sample or a summary of a table.

    Examples
    --------
    >>> round(pu_damped_log_rank([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], prior=0.5), 4)
    0.6082
    """
    places = find_places(y, scores, scenario, sample_weight)
    n_outside = places.n_labeled * (not places.inside)
    width = damping(places.n_labeled / (places.n_rows + n_outside), prior)
    share = places.mean() / (places.n_rows + (not places.inside))
    return places.average(damped_log(np.minimum(share, 1), width))


def damping(labeled_share: float, prior: Any) -> float:
    """Return the share of first places that weigh much alike in `pu_damped_log_rank`."""
    if prior is None:
        return guess_prior(labeled_share)
    return check_share(take_value(prior), "prior")


def damped_log(share: Any, width: float) -> Any:
    """Return what a labeled row at a share of the list adds to `pu_damped_log_rank`."""
    return np.log((1 + width) / (share + width))


def pu_roc_auc(
    y: Any,
    scores: Any,
    prior: Any = None,
    *,
    scenario: str = "one-sample",
    clip: bool = False,
    sample_weight: Any = None,
) -> float:
    r"""Return the probability that a positive outranks a negative, from PU labels.

    Among the unlabeled rows a share :math:`\alpha` are positives. A labeled row outranks these
    half of the time under SCAR, for either of two positives is as likely to be the labeled one.
    So it outranks an unlabeled row with probability :math:`A = \alpha / 2 + (1 - \alpha) R`.
    The answer is R, in both scenarios; they differ in what the prior says of :math:`\alpha`. It
    is unbiased, and so a single one may lie above 1 or below 0, where no truth is; `clip`
    brings it in. Under SAR "near", A is too high and so is R, by 1 / (1 - alpha) of the error
    of A; under "far" both are too low.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; tied rows outrank each other half of the time.
    prior : float, estimate or None, default=None
        P(y_true = 1) in the population: among all rows, at least the labeled share, or among
        the unlabeled ones. None takes no unlabeled row for a positive and returns A. Of an
        estimate (`lopsided.priors.estimate_prior`) the value is taken.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows belong to the population.
    clip : bool, default=False
        Whether an estimate outside of [0, 1] is moved to the end of it: never farther from the
        truth then, but biased. Leave it out where estimates are averaged.
    sample_weight : array of shape (n_rows,), optional
        How many rows each one stands for, where they are a sample or a summary of a table.

    References
    ----------
    Jain, White, Radivojac: Recovering true classifier performance in positive-unlabeled
    learning. AAAI 2017.

    Examples
    --------
    >>> pu_roc_auc([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    >>> pu_roc_auc([1, 1, 0, 0], [4, 3, 2, 1], prior=0.75)
    1.5
    >>> pu_roc_auc([1, 1, 0, 0], [4, 3, 2, 1], prior=0.75, clip=True)
    1.0
    """
    places = find_places(y, scores, scenario, sample_weight)
    n_positives = count_positives(places, prior)
    joins = 0 if places.inside else 0.5  # a row that comes to others has half a place above it
    mean_place = places.average(places.mean()) - joins
    return clipped(auc_of_place(mean_place, n_positives, places.n_rows), clip)


def auc_of_place(mean_place: Any, n_positives: float, n_rows: int) -> Any:
    """Return the AUC of N positives in n rows by the mean of their places."""
    # They have (N - 1) / 2 positives above them on average, and themselves; the rest are
    # negatives.
    return 1 - (mean_place - (n_positives + 1) / 2) / (n_rows - n_positives)


def pu_average_precision(
    y: Any,
    scores: Any,
    prior: Any = None,
    *,
    scenario: str = "one-sample",
    clip: bool = False,
    sample_weight: Any = None,
) -> float:
    r"""Return the average precision against the truth, estimated from PU labels.

    With N positives among the rows, of which L are labeled completely at random, a labeled row
    in place k with j other labeled rows above it has about :math:`j (N - 1) / (L - 1)` other
    positives above it, so that

    .. math:: \frac{1}{L} \sum_i \frac{1 + j_i (N - 1) / (L - 1)}{k_i}

    is unbiased: average precision is a mean over positives and ordered pairs of them, each
    labeled row and each pair of labeled rows is as likely as any other, and so the mean over
    all ways to label L of the N positives is the average precision. It is an average precision
    of its own only if the prior is right: an N that is too large by some factor raises it by
    nearly that factor, but hardly changes the order of two rankings.

    In the two-sample scenario two labeled rows i and j come to the unlabeled ones, of which
    :math:`m_i` are above i. The mean over ordered pairs of
    :math:`(1 + (N + 1) [j > i]) / (1 + m_i + [j > i])` is unbiased for the unlabeled rows with
    two more positives; it differs from theirs by a share of about 1 / N.

    A single estimate may lie above 1, where no average precision is, the more so the fewer rows
    are labeled: others then lie too low. It is never below 0. `clip` brings it in. Under SAR
    "near" both parts, the places and the labeled rows above, are too good and the estimate is
    too high; under "far" it is too low.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; a block of ties is one step, as in `average_precision`.
    prior : float, estimate or None, default=None
        P(y_true = 1) in the population: among all rows, at least the labeled share, or among
        the unlabeled ones. None takes the labeled share, and is refused in the two-sample
        scenario. Of an estimate the value is taken.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows belong to the population.
    clip : bool, default=False
        Whether an estimate above 1 is moved to 1: never farther from the truth then, but
        too low on average. Leave it out where estimates are averaged.
    sample_weight : array of shape (n_rows,), optional
        How many rows each one stands for, where they are a sample or a summary of a table.

    Examples
    --------
    >>> pu_average_precision([1, 0, 1, 0], [4, 3, 2, 1])
    0.8333333333333333
    >>> pu_average_precision([1, 1, 0, 0], [4, 3, 2, 1], prior=0.75)
    1.25
    >>> pu_average_precision([1, 1, 0, 0], [4, 3, 2, 1], prior=0.75, clip=True)
    1.0
    """
    places = find_places(y, scores, scenario, sample_weight)
    need_prior(places, prior)
    n_positives = count_positives(places, prior)
    if places.n_labeled < 2:
        raise ValueError(
            "pu_average_precision needs two labeled rows, for it counts pairs of them, got "
            "one. Label more rows, or take pu_roc_auc or pu_damped_log_rank."
        )
    above = places.above / (places.n_labeled - 1)
    if places.inside:
        terms = (1 + above * (n_positives - 1)) / (1 + places.ahead + places.level)
    else:
        rows = 1 + places.ahead + places.level
        terms = above * (n_positives + 2) / (rows + 1) + (1 - above) / rows
    return clipped(places.average(terms), clip)


def need_prior(places: Places, prior: Any) -> None:
    """Refuse a two-sample table without a prior where its number of positives matters."""
    if prior is None and not places.inside:
        raise ValueError(
            "prior must be given in the two-sample scenario, got None. Pass the share of "
            "positives among the unlabeled rows."
        )


def clipped(estimate: Any, clip: bool) -> Any:
    """Return an estimate, moved into [0, 1] if it shall be."""
    return min(max(float(estimate), 0.0), 1.0) if clip else float(estimate)
