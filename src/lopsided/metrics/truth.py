"""Ranking metrics against the truth.

They take `y_true` (1/0) first, then `scores` (larger = more positive). A cut `k` is a number of
rows, or a share of them if it is a float below 1. Ties count as drawn in random order; only
average precision takes a block of ties as one step, as scikit-learn does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import check_scores, check_truth
from lopsided.metrics._places import cut_rows

__all__ = [
    "average_precision",
    "ndcg_at_k",
    "precision_at_k",
    "r_precision",
    "recall_at_k",
    "roc_auc",
]


def average_precision(y_true: Any, scores: Any) -> float:
    """Return the mean precision at the ranks of the positives, the paper's PR-AUC.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    scores : array of shape (n_rows,)
        Larger = more positive.

    Returns
    -------
    float

    Examples
    --------
    >>> average_precision([1, 0, 1, 0], [4, 3, 2, 1])
    0.8333333333333333
    """
    from sklearn.metrics import average_precision_score

    truth, values = _pair(y_true, scores)
    return float(average_precision_score(truth, _as_ranks(values)))


def roc_auc(y_true: Any, scores: Any) -> float:
    """Return the probability that a positive outranks a negative.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    scores : array of shape (n_rows,)
        Larger = more positive.

    Returns
    -------
    float

    Examples
    --------
    >>> roc_auc([1, 0, 1, 0], [4, 3, 2, 1])
    0.75
    """
    from sklearn.metrics import roc_auc_score

    truth, values = _pair(y_true, scores)
    return float(roc_auc_score(truth, _as_ranks(values)))


def precision_at_k(y_true: Any, scores: Any, k: float) -> float:
    """Return the share of positives among the first k rows.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    scores : array of shape (n_rows,)
        Larger = more positive.
    k : int, or float below 1
        Rows from the top, or a share of all.

    Returns
    -------
    float

    Examples
    --------
    >>> precision_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    0.5
    """
    truth, values = _pair(y_true, scores)
    n = cut_rows(k, len(truth))
    return _caught(truth, values, n) / n


def recall_at_k(y_true: Any, scores: Any, k: float) -> float:
    """Return the share of all positives that are among the first k rows.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    scores : array of shape (n_rows,)
        Larger = more positive.
    k : int, or float below 1
        Rows from the top, or a share of all.

    Returns
    -------
    float

    Examples
    --------
    >>> recall_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=3)
    1.0
    """
    truth, values = _pair(y_true, scores)
    return _caught(truth, values, cut_rows(k, len(truth))) / int(truth.sum())


def r_precision(y_true: Any, scores: Any) -> float:
    """Return precision at k = the number of positives, where precision and recall are equal.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    scores : array of shape (n_rows,)
        Larger = more positive.

    Returns
    -------
    float

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

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    scores : array of shape (n_rows,)
        Larger = more positive.
    k : int, or float below 1
        Rows from the top, or a share of all.

    Returns
    -------
    float

    Examples
    --------
    >>> round(ndcg_at_k([1, 0, 1, 0], [4, 3, 2, 1], k=2), 4)
    0.6131
    """
    from sklearn.metrics import ndcg_score

    truth, values = _pair(y_true, scores)
    return float(ndcg_score(truth[None], _as_ranks(values)[None], k=cut_rows(k, len(truth))))


def _caught(truth: NDArray[np.int8], scores: NDArray[Any], n: int) -> float:
    """Return the expected number of positives in the first n rows, ties in random order."""
    cut = -np.partition(-scores, n - 1)[n - 1]
    above, tied = scores > cut, scores == cut
    slots = n - int(above.sum())
    return float(truth[above].sum() + truth[tied].sum() * slots / tied.sum())


def _as_ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return whole numbers in the order of the scores: differences of huge ones overflow."""
    return np.unique(scores, return_inverse=True)[1]


def _pair(y_true: Any, scores: Any) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    truth = check_truth(y_true)
    return truth, check_scores(scores, truth)
