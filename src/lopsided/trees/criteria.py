"""Split criteria: how much better two children are than one node.

Each takes the labeled and unlabeled weight of the left and of the right child, and the weight
of a labeled row as positives (1 / label frequency) where it corrects for hidden positives.
Larger is better; minus infinity refuses the split.
"""

from typing import NamedTuple

import numpy as np

from lopsided._kernel import njit_helper, njit_inline

__all__ = ["CRITERIA", "Criterion", "gain", "hellinger_parts", "positives_of"]


class Criterion(NamedTuple):
    """A criterion's number for the kernels, and what they may assume of it."""

    code: int
    takes_prior: bool = False
    # Convex in one child's weight of either label: no cut inside a run of rows of one label can
    # be best, so that only the ends of runs need a look.
    convex: bool = True
    gain_ignores_size: bool = False  # the gain does not grow with the node


CRITERIA = {
    "gini": Criterion(0),
    "entropy": Criterion(1),
    "hellinger": Criterion(2, gain_ignores_size=True),
    "pu-hellinger": Criterion(3, takes_prior=True, convex=False, gain_ignores_size=True),
    "nnpu": Criterion(4, takes_prior=True, convex=False),
}


@njit_helper
def gain(code, ll, ul, lr, ur, inverse_label_frequency):
    """Return the gain of a split by the criterion with this code."""
    if code == 0:
        return _gini(ll, ul, lr, ur)
    if code == 1:
        return _entropy(ll, ul, lr, ur)
    if code == 2 or code == 3:
        return _hellinger(code, ll, ul, lr, ur, inverse_label_frequency)
    return _nnpu(ll, ul, lr, ur, inverse_label_frequency)


@njit_inline
def _gini(ll, ul, lr, ur):
    labeled, unlabeled = ll + lr, ul + ur
    return (
        (ll * ll + ul * ul) / (ll + ul)
        + (lr * lr + ur * ur) / (lr + ur)
        - (labeled * labeled + unlabeled * unlabeled) / (labeled + unlabeled)
    )


@njit_helper
def _xlogx(x):
    return x * np.log(x) if x > 0 else 0.0


@njit_inline
def _entropy(ll, ul, lr, ur):
    children = _xlogx(ll) + _xlogx(ul) - _xlogx(ll + ul)
    children += _xlogx(lr) + _xlogx(ur) - _xlogx(lr + ur)
    labeled, unlabeled = ll + lr, ul + ur
    return children - (_xlogx(labeled) + _xlogx(unlabeled) - _xlogx(labeled + unlabeled))


@njit_inline
def hellinger_parts(pl, nl, pr, nr):
    """Return the left and right part of the squared Hellinger distance of a split.

    P and N are the positives and negatives of the children. Without negatives the distance is
    that to nothing; without positives no split is allowed.
    """
    positives, negatives = pl + pr, nl + nr
    if positives <= 0:
        return -np.inf, 0.0
    if negatives <= 0:
        negatives = 1.0
    left = np.sqrt(nl / negatives) - np.sqrt(pl / positives)
    right = np.sqrt(nr / negatives) - np.sqrt(pr / positives)
    return left * left, right * right


@njit_inline
def positives_of(code, ll, ul, lr, ur, inverse_label_frequency):
    """Return the positives of both children as a Hellinger criterion counts them.

    The PU criterion estimates and clips them in each child, and the parent's totals are the
    sums of the clipped estimates (Ortega Vazquez et al.).
    """
    if code == 2:
        return ll, lr
    return min(inverse_label_frequency * ll, ll + ul), min(
        inverse_label_frequency * lr, lr + ur
    )


@njit_inline
def _hellinger(code, ll, ul, lr, ur, inverse_label_frequency):
    pl, pr = positives_of(code, ll, ul, lr, ur, inverse_label_frequency)
    left, right = hellinger_parts(pl, ll + ul - pl, pr, lr + ur - pr)
    return left + right


@njit_inline
def _squared_risk(labeled, total, inverse_label_frequency):
    positives = inverse_label_frequency * labeled
    negatives = max(total - positives, 0.0)
    both = positives + negatives
    return positives * negatives / both if both > 0 else 0.0


@njit_inline
def _nnpu(ll, ul, lr, ur, inverse_label_frequency):
    # Wilton et al.: the fall of the non-negative PU risk under the squared loss.
    tl, tr = ll + ul, lr + ur
    return (
        _squared_risk(ll + lr, tl + tr, inverse_label_frequency)
        - _squared_risk(ll, tl, inverse_label_frequency)
        - _squared_risk(lr, tr, inverse_label_frequency)
    )
