"""Split criteria: how much better two children are than one node.

Each takes the labeled and the unlabeled weight of the left child, `ll` and `ul`, and of the
right one, `lr` and `ur`, and, where it corrects for hidden positives, the positives that a
labeled row stands for (1 / label frequency). Larger is better; minus infinity is no split.
"""

from typing import NamedTuple

import numpy as np

from lopsided._kernel import njit_helper, njit_inline

_GINI, _ENTROPY, _HELLINGER, _PU_HELLINGER, _NNPU = range(5)


class Criterion(NamedTuple):
    """A criterion's number in compiled code, and what that code may assume of it."""

    code: int
    needs_prior: bool = False
    # Convex in one child's weight of either label: no cut inside a run of rows of one label can
    # be best, so that only the ends of runs need a look.
    convex: bool = True
    gain_ignores_size: bool = False  # the gain does not grow with the node


CRITERIA = {
    "gini": Criterion(_GINI),
    "entropy": Criterion(_ENTROPY),
    "hellinger": Criterion(_HELLINGER, gain_ignores_size=True),
    "pu-hellinger": Criterion(
        _PU_HELLINGER, needs_prior=True, convex=False, gain_ignores_size=True
    ),
    "nnpu": Criterion(_NNPU, needs_prior=True, convex=False),
}


@njit_helper
def gain(code, ll, ul, lr, ur, inverse_label_frequency):
    """Return the gain of a split by the criterion with this code."""
    if code == _GINI:
        return _gini(ll, ul, lr, ur)
    if code == _ENTROPY:
        return _entropy(ll, ul, lr, ur)
    if code == _NNPU:
        return _nnpu(ll, ul, lr, ur, inverse_label_frequency)
    left, right = _hellinger(code, ll, ul, lr, ur, inverse_label_frequency)
    return left + right


@njit_helper
def may_split(code, ll, ul, lr, ur, inverse_label_frequency):
    """Say which children may be split: by Hellinger none that adds nothing to the distance."""
    if code != _HELLINGER and code != _PU_HELLINGER:
        return True, True
    left, right = _hellinger(code, ll, ul, lr, ur, inverse_label_frequency)
    return left > 0, right > 0


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
def _hellinger(code, ll, ul, lr, ur, inverse_label_frequency):
    """Return what each child adds to the squared Hellinger distance of a split.

    Without negatives the distance is that to nothing; without positives no split is allowed.
    """
    pl, pr = ll, lr
    if code == _PU_HELLINGER:
        # Ortega Vazquez et al.: positives are estimated and clipped in each child, and the
        # parent's totals are the sums of the clipped estimates.
        pl = min(inverse_label_frequency * ll, ll + ul)
        pr = min(inverse_label_frequency * lr, lr + ur)
    nl, nr = ll + ul - pl, lr + ur - pr
    positives, negatives = pl + pr, nl + nr
    if positives <= 0:
        return -np.inf, 0.0
    if negatives <= 0:
        negatives = 1.0
    left = np.sqrt(nl / negatives) - np.sqrt(pl / positives)
    right = np.sqrt(nr / negatives) - np.sqrt(pr / positives)
    return left * left, right * right


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
