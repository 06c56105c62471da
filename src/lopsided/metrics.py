"""Ranking metrics, against the truth and against PU labels.

Those against the truth take `y_true` (1/0) first, then `scores` (larger = more positive). A cut
`k` is a number of rows, or a share of them if it is a float below 1. Ties count as drawn in
random order; only average precision takes a block of ties as one step, as scikit-learn does.

Those named `pu_` take `y` (1 = labeled positive, 0 = unlabeled) instead, and say what can be
said without the truth. Score the rows by a model that has not seen them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_labels, check_share, check_truth
from lopsided._math import rows_of_share

__all__ = [
    "average_precision",
    "ndcg_at_k",
    "precision_at_k",
    "pu_average_precision",
    "pu_mean_log_rank",
    "pu_roc_auc",
    "r_precision",
    "recall_at_k",
    "roc_auc",
]


def average_precision(y_true: Any, scores: Any) -> float:
    """Return the mean precision at the ranks of the positives, the paper's PR-AUC.

    Examples
    --------
    >>> average_precision([1, 0, 1, 0], [4, 3, 2, 1])
    0.8333333333333333
    """
    from sklearn.metrics import average_precision_score

    truth, values = _pair(y_true, scores)
    return float(average_precision_score(truth, values))


def roc_auc(y_true: Any, scores: Any) -> float:
    """Return the probability that a positive outranks a negative.

    Examples
    --------
    >>> roc_auc([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    """
    from sklearn.metrics import roc_auc_score

    truth, values = _pair(y_true, scores)
    return float(roc_auc_score(truth, values))


def precision_at_k(y_true: Any, scores: Any, k: float) -> float:
    """Return the share of positives among the first k rows.

    Examples
    --------
    >>> precision_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    """
    truth, values = _pair(y_true, scores)
    n = _rows(k, len(truth))
    return _caught(truth, values, n) / n


def recall_at_k(y_true: Any, scores: Any, k: float) -> float:
    """Return the share of all positives that are among the first k rows.

    Examples
    --------
    >>> recall_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=3)
    1.0
    """
    truth, values = _pair(y_true, scores)
    return _caught(truth, values, _rows(k, len(truth))) / int(truth.sum())


def r_precision(y_true: Any, scores: Any) -> float:
    """Return precision at k = the number of positives, where precision and recall are equal.

    Examples
    --------
    >>> r_precision([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """
    truth, values = _pair(y_true, scores)
    n = int(truth.sum())
    return _caught(truth, values, n) / n


def ndcg_at_k(y_true: Any, scores: Any, k: float) -> float:
    """Return the discounted gain of the first k rows over that of a perfect order.

    Examples
    --------
    >>> round(ndcg_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=2), 4)
    0.6131
    """
    from sklearn.metrics import ndcg_score

    truth, values = _pair(y_true, scores)
    return float(ndcg_score(truth[None], values[None], k=_rows(k, len(truth))))


def pu_mean_log_rank(y: Any, scores: Any) -> float:
    r"""Return how far up the labeled rows are: the mean of :math:`-\log(rank / n)` over them.

    It needs no prior, cares for the top of the list, and one lost row costs little: a gentle
    judge where few rows are labeled. A random order has about 1.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; tied rows share their mean rank.

    Examples
    --------
    >>> round(pu_mean_log_rank([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.837
    """
    from scipy.stats import rankdata

    labels, values = _pair(y, scores, check_labels)
    ranks = rankdata(-values)[labels == 1]
    return float(-np.log(ranks / len(labels)).mean())


def pu_roc_auc(y: Any, scores: Any, prior: float | None = None, *, clip: bool = False) -> float:
    r"""Return the probability that a positive outranks a negative, from PU labels.

    A labeled row outranks an unlabeled one with probability
    :math:`A = \alpha / 2 + (1 - \alpha) R` if labels are given completely at random: among the
    unlabeled rows a share :math:`\alpha` are positives, which it outranks half of the time. The
    answer is R. It is unbiased, and so a single one may lie above 1 or below 0, where no truth
    is; `clip` brings it in.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive.
    prior : float or None, default=None
        P(y_true = 1) among all rows, at least the labeled share; None takes that, so that no
        unlabeled row is a positive, and returns A.
    clip : bool, default=False
        Whether an estimate outside of [0, 1] is moved to the end of it: never farther from the
        truth then, but biased. Leave it out where estimates are averaged.

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
    labels, values = _pair(y, scores, check_labels)
    found = roc_auc(labels, values)
    n_unlabeled = int((labels == 0).sum())
    hidden = (_n_positives(labels, prior) - int(labels.sum())) / n_unlabeled
    return _clipped((found - hidden / 2) / (1 - hidden), clip)


def pu_average_precision(
    y: Any, scores: Any, prior: float | None = None, *, clip: bool = False
) -> float:
    r"""Return the average precision against the truth, estimated from PU labels.

    With N positives among the rows, of which L are labeled completely at random, a labeled row
    in place k with j other labeled rows above it has about :math:`j (N - 1) / (L - 1)` other
    positives above it, so that

    .. math:: \frac{1}{L} \sum_i \frac{1 + j_i (N - 1) / (L - 1)}{k_i}

    is unbiased: its mean over all ways to label L of the N positives is the average precision.
    A single estimate may lie above 1, where no average precision is, the more so the fewer rows
    are labeled: others then lie too low. It is never below 0. `clip` brings it in.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Larger = more positive; a block of ties is one step, as in `average_precision`.
    prior : float or None, default=None
        P(y_true = 1) among all rows, at least the labeled share; None takes that. The order of
        two rankings hardly depends on it.
    clip : bool, default=False
        Whether an estimate above 1 is moved to 1: never farther from the truth then, but
        too low on average. Leave it out where estimates are averaged.

    Examples
    --------
    >>> pu_average_precision([1, 0, 1, 0], [4, 3, 2, 1])
    0.8333333333333333
    >>> pu_average_precision([1, 1, 0, 0], [4, 3, 2, 1], prior=0.75)
    1.25
    >>> pu_average_precision([1, 1, 0, 0], [4, 3, 2, 1], prior=0.75, clip=True)
    1.0
    """
    from scipy.stats import rankdata

    labels, values = _pair(y, scores, check_labels)
    n_labeled = int(labels.sum())
    places = rankdata(-values, method="max")[labels == 1]
    above = rankdata(-values[labels == 1], method="max") - 1
    scale = (_n_positives(labels, prior) - 1) / (n_labeled - 1)
    return _clipped(float(((1 + above * scale) / places).mean()), clip)


def _clipped(estimate: float, clip: bool) -> float:
    return min(max(estimate, 0.0), 1.0) if clip else estimate


def _n_positives(labels: NDArray[np.int8], prior: float | None) -> float:
    """Return the number of positives that a prior means, at least the labeled ones."""
    n_labeled = float(labels.sum())
    if prior is None:
        return n_labeled
    count = float(check_share(prior, "prior")) * len(labels)
    if count < n_labeled - 0.5:
        raise ValueError(
            f"prior must be at least the labeled share {n_labeled / len(labels):.4g}, got "
            f"{prior!r}."
        )
    return max(count, n_labeled)


def _caught(truth: NDArray[np.int8], scores: NDArray[Any], n: int) -> float:
    """Return the expected number of positives in the first n rows, ties in random order."""
    cut = -np.partition(-scores, n - 1)[n - 1]
    above, tied = scores > cut, scores == cut
    slots = n - int(above.sum())
    return float(truth[above].sum() + truth[tied].sum() * slots / tied.sum())


def _pair(
    labels: Any, scores: Any, check: Callable[[Any], NDArray[np.int8]] = check_truth
) -> tuple[NDArray[np.int8], NDArray[Any]]:
    known, values = check(labels), np.asarray(scores, dtype=float)
    if values.shape != known.shape:
        raise ValueError(
            f"scores must be one number per label {known.shape}, got {values.shape}."
        )
    if np.isnan(values).any():
        raise ValueError("scores must be numbers, got NaN. Score every row.")
    return known, values


def _rows(k: float, n_rows: int) -> int:
    """Turn a count or a share into a number of rows from 1 to n_rows."""
    n = rows_of_share(k, n_rows) if 0 < k < 1 else int(k)
    if not 1 <= n <= n_rows or (k >= 1 and n != k):
        raise ValueError(f"k must be from 1 to {n_rows} rows or a share below 1, got {k!r}.")
    return n
