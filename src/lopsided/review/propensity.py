"""Whom a review looks at: propensities of rows, and weights that undo them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import chance_within, count_rivals
from lopsided._terminal import quote
from lopsided._validation import as_floats, check_count, check_labels, check_share, is_real

__all__ = ["review_propensity", "review_weights"]

_MAX_WEIGHT = 10.0  # of the lightest row of its kind


def review_propensity(
    y: Any, past_scores: Any, *, reviewed_top: int | None = None, audit: float = 0.0
) -> NDArray[np.float64]:
    r"""Return the probability of each row to have been reviewed, by where it stood then.

    With `reviewed_top` the first k rows of the past list were reviewed, labeled ones left out,
    and every other row with probability `audit`: a row has 1 where fewer than k rows outrank
    it, and `audit` elsewhere. A labeled row has what it would have had without its label.

    Without it the propensity is estimated: the share of reviewed negatives among rows that are
    not positive, as a rising step function of the past score (isotonic regression).

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative: before the review where
        `reviewed_top` is given, else after it.
    past_scores : array of shape (n_rows,)
        The scores that the list was sorted by, of labeled rows too, blind.
    reviewed_top : int or None, default=None
        Length of the list that was reviewed.
    audit : float, default=0.0
        The share of other rows that were reviewed, drawn at random.

    Examples
    --------
    >>> y = [1, 0, 0, 0, 1, 0]
    >>> review_propensity(y, [5, 4, 3, 2, 1, 0], reviewed_top=2).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    >>> after = [1, 1, -1, 0, 1, 0]
    >>> review_propensity(after, [5, 4, 3, 2, 1, 0]).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    labels, scores = check_labels(y, keep_reviewed=True), as_floats(past_scores, "past_scores")
    if scores.shape != labels.shape or np.isnan(scores).any():
        raise ValueError(
            f"past_scores must be one number for each of {len(labels)} rows, got shape "
            f"{scores.shape} or NaN. Score every row, labeled ones too."
        )
    check_share(audit, "audit")
    if reviewed_top is not None:
        top = stands_in_first(scores, labels == 0, check_count(reviewed_top, "reviewed_top"))
        return np.maximum(top, audit)
    if not (labels == -1).any():
        raise ValueError(
            "y must hold reviewed negatives (-1) to tell who was reviewed, got none. Pass "
            "reviewed_top, the length of the list."
        )
    from sklearn.isotonic import IsotonicRegression

    rest, largest = labels != 1, np.abs(scores).max()
    if np.isfinite(largest):  # else refused; differences of huge scores would overflow
        scores = scores / max(largest, 1.0)
    curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    curve.fit(scores[rest], labels[rest] == -1)
    return np.maximum(curve.predict(scores), audit)


def stands_in_first(
    scores: NDArray[np.float64], listed: NDArray[np.bool_], k: int
) -> NDArray[np.float64]:
    """Return the chance of each row to stand in the first k of the listed rows.

    A row that is not listed is put among them; tied rows come in random order.
    """
    ahead, tied = count_rivals(scores[listed], scores)
    return np.asarray(chance_within(k, ahead, tied - listed))  # no row is its own rival


def review_weights(
    y: Any,
    propensity: Any,
    *,
    label_frequency: float = 0.5,
    max_weight: float = _MAX_WEIGHT,
) -> NDArray[np.float64]:
    r"""Return sample weights that undo the choice of the rows to review.

    Reviewers see the top of a list. There every positive is known by now, elsewhere only those
    that were labeled before: a positive with the propensity :math:`e` of being reviewed is
    labeled with probability :math:`e + (1 - e) c`, where c is the label frequency before. A
    labeled positive counts by the inverse of that, a reviewed negative by the inverse of e,
    so that both stand for all of their kind; each kind is scaled to a mean of 1. Inverses are
    clipped.

    Rows that no review could reach are represented by no reviewed negative, whatever the
    weights: the unlabeled rows stand for them, as in a PU risk without reviews. Only an audit,
    some rows drawn at random, reaches everywhere. Without one, all reviewed negatives have the
    same weight.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
    propensity : array of shape (n_rows,)
        The probability of each row to have been reviewed: see `review_propensity`.
    label_frequency : float, default=0.5
        The share of positives that were labeled before the review.
    max_weight : float, default=10.0
        The largest inverse, in units of the smallest of its kind.

    References
    ----------
    Hsieh, Niu, Sugiyama: Classification from positive, unlabeled and biased negative data. ICML
    2019. Bekker, Robberechts, Davis: Beyond the selected completely at random assumption for
    learning from positive and unlabeled data. ECML PKDD 2019.

    Examples
    --------
    >>> y = [1, 1, -1, 0, 1, 0]
    >>> review_weights(y, [1, 1, 1, 0, 0, 0], label_frequency=0.5).tolist()
    [0.75, 0.75, 1.0, 1.0, 1.5, 1.0]
    """
    labels = check_labels(y, keep_reviewed=True)
    reached = as_floats(propensity, "propensity")
    if reached.shape != labels.shape or not ((reached >= 0) & (reached <= 1)).all():
        raise ValueError(
            f"propensity must be a number from 0 to 1 for each of {len(labels)} rows, got "
            f"shape {reached.shape} or numbers beyond. See review_propensity."
        )
    if not (is_real(label_frequency) and 0 < float(label_frequency) <= 1):
        raise ValueError(
            f"label_frequency must be above 0 and at most 1, got {quote(label_frequency)}."
        )
    if not (is_real(max_weight) and float(max_weight) >= 1):
        raise ValueError(f"max_weight must be at least 1, got {quote(max_weight)}.")
    weights = np.ones(len(labels))
    for kind, known in (
        (labels == 1, reached + (1 - reached) * label_frequency),
        (labels == -1, reached),
    ):
        if kind.any():
            inverse = 1 / np.maximum(known[kind], known[kind].max() / max_weight or 1.0)
            weights[kind] = inverse / inverse.mean()
    return weights
