"""What every diagnostic starts from: labels and blind scores, and where labeled rows stand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import chance_within, count_rivals
from lopsided._terminal import quote
from lopsided._validation import check_labels, check_scores

LEVEL = 0.9  # of every interval that is printed


def check_rows(
    y: Any, scores: Any, *, keep_reviewed: bool = False
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return labels and scores of the same length.

    What counts rows of the list keeps reviewed negatives (-1), which are on no list any more.
    """
    labels = check_labels(y, keep_reviewed=keep_reviewed)
    return labels, check_scores(scores, labels)


def check_cuts(k: Any, n_unlabeled: int) -> tuple[int, ...]:
    """Return one or several numbers of rows, each from 1 to the number of unlabeled rows."""
    cuts = np.atleast_1d(np.asarray(k))
    numbers = cuts.ndim == 1 and len(cuts) > 0 and cuts.dtype.kind in "iuf"
    if not numbers or (cuts % 1 != 0).any():
        raise ValueError(
            f"k must be whole numbers of rows, got {quote(k)}. Pass for example 100 or "
            "[50, 100]."
        )
    if cuts.min() < 1 or cuts.max() > n_unlabeled:
        raise ValueError(
            f"k must be from 1 to the {n_unlabeled} unlabeled rows, got {quote(k)}. Leave "
            "out cuts beyond the end of the list."
        )
    return tuple(int(cut) for cut in cuts)


def stands_within(
    y: NDArray[np.int8], scores: NDArray[np.float64], k: int
) -> NDArray[np.float64]:
    """Return for each labeled row the probability to stand in the first k, as if unlabeled.

    Its rivals are the unlabeled rows alone: the list that a reviewer gets holds no labeled row.
    Tied rows come in random order.
    """
    return chance_within(k, *count_above(y, scores))


def blind_places(y: NDArray[np.int8], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the place of each labeled row among the unlabeled ones, ties in the middle."""
    above, tied = count_above(y, scores)
    return 1 + above + tied / 2


def count_above(
    y: NDArray[np.int8], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many unlabeled rows outrank each labeled row, and how many tie with it."""
    return count_rivals(scores[y == 0], scores[y == 1])
