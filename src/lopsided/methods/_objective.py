"""A risk as XGBoost's objective: gradient and curvature of every row in one fused pass."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_cached, njit_helper
from lopsided._rows import TrainingRows
from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, SigmoidLoss
from lopsided.methods._label_totals import (
    Reduce,
    check_local,
    label_totals,
    reduced,
    weighs_by_label,
)
from lopsided.risks import Risk, SignedWeights

Objective = Callable[[NDArray[Any], Any], tuple[NDArray[Any], NDArray[Any]]]


class _Shape(NamedTuple):
    """A loss as the kernel knows it: focal with two gammas, or the sigmoid loss."""

    easy: float = 0.0
    hard: float = 0.0
    switch: float = 0.0
    sigmoid: bool = False


def _shape(loss: object) -> _Shape | None:
    """Return what the kernel needs of a loss, or None if it does not know this very class."""
    if type(loss) is LogisticLoss:
        return _Shape()
    if type(loss) is FocalLoss:
        return _Shape(float(loss.gamma), float(loss.gamma))
    if type(loss) is CalibratedFocalLoss:
        return _Shape(float(loss.easy), float(loss.hard), float(loss.switch))
    return _Shape(sigmoid=True) if type(loss) is SigmoidLoss else None


def _is_plain(risk: Risk) -> bool:
    """Say whether a risk leaves everything but its raw weights to the base class."""
    names = ("weights", "gradient", "curvature")
    return all(getattr(type(risk), name) is getattr(Risk, name) for name in names)


@njit_helper
def _power(base, exponent):
    if exponent == 3.0:  # the default, and far cheaper than a general power
        return base * base * base
    return 1.0 if exponent == 0.0 else base**exponent


@njit_helper
def _bend(margin, shape):
    """Return value, gradient and curvature of a loss at one margin."""
    tail = np.exp(-abs(margin))
    small, large = tail / (1.0 + tail), 1.0 / (1.0 + tail)
    p, q = (large, small) if margin >= 0 else (small, large)
    if shape.sigmoid:
        return q, -p * q, p * q
    nll = max(-margin, 0.0) + np.log1p(tail)
    gamma = shape.hard if p < shape.switch else shape.easy
    fade = _power(q, gamma)
    bend = (1.0 + 2.0 * gamma) * q + gamma * nll * (gamma * p - q)
    return fade * nll, -fade * (gamma * p * nll + q), abs(p * fade * bend)


@njit_cached
def _negative_pass(scores, negative, shape, gradient, curvature):
    """Fill both outputs from the negative weights; return the negative part of the risk."""
    part = 0.0
    for row in range(len(scores)):
        value, slope, bound = _bend(-np.float64(scores[row]), shape)
        part += negative[row] * value
        gradient[row] = -negative[row] * slope
        curvature[row] = abs(negative[row]) * bound
    return part


@njit_cached
def _positive_pass(scores, rows, positive, shape, factor, gradient, curvature):
    """Add the positive weights, which few rows have."""
    for row in rows:
        _, slope, bound = _bend(np.float64(scores[row]), shape)
        gradient[row] += factor * positive[row] * slope
        curvature[row] += abs(factor * positive[row]) * bound


def fused_objective(
    risk: Risk,
    rows: TrainingRows,
    prior: float,
    scale: float,
    floor: float,
    reduce: Reduce = None,
) -> Objective:
    """Return the objective of a risk, each row's share of it times `scale`.

    The kernel serves every risk whose weights come from `raw_weights`, which knows no scores,
    and `clamp`, and whose loss is one of this library's; any other risk, such as one whose
    weights depend on the scores, runs on its own NumPy code.

    On several workers, each of which has some of the rows, or none, `reduce` sums an array over
    all of them. Every worker calls it once now and once a round if the risk has a clamp.
    """
    shape = _shape(risk.loss)
    if not _is_plain(risk) or (shape is None and reduce is None):
        check_local(risk, reduce)
        return plain_objective(risk, rows, prior, scale, floor)
    if weighs_by_label(risk):
        units = label_totals(rows, reduce).unit_weights(risk, prior)
        raw = SignedWeights(*(unit[rows.labels] * rows.weight for unit in units))
    else:
        check_local(risk, reduce)
        # By name: none can ask for scores.
        raw = risk.raw_weights(y=rows.labels.astype(float), prior=prior, weight=rows.weight)
    if shape is None:
        return _weighted_objective(risk, raw, scale, floor, reduce)
    positive, negative = scale * raw.positive, scale * raw.negative
    labeled = np.flatnonzero(positive)

    def objective(scores: NDArray[Any], _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        gradient = np.empty(len(scores), np.float32)
        curvature = np.empty(len(scores), np.float32)
        part = _negative_pass(scores, negative, shape, gradient, curvature)
        up, down = _factors(risk, part / scale, reduce)
        if down != 1.0:
            gradient *= down
            curvature *= abs(down)
        if up != 0.0:
            _positive_pass(scores, labeled, positive, shape, up, gradient, curvature)
        curvature += np.float32(floor)
        return gradient, curvature

    return objective


def _factors(risk: Risk, negative_part: float, reduce: Reduce) -> tuple[float, float]:
    """Return what the clamp makes of the negative part, of which this worker has a share."""
    if risk.clamp is None:
        return 1.0, 1.0
    return risk.clamp(float(reduced(np.array([negative_part]), reduce)[0]))


def _weighted_objective(
    risk: Risk, raw: SignedWeights, scale: float, floor: float, reduce: Reduce
) -> Objective:
    """Return the objective for a loss of the user's own and weights that are known."""

    def objective(scores: NDArray[Any], _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        scores, loss = scores.astype(np.float64), risk.loss
        part = float((raw.negative * loss.value(-scores)).sum())
        up, down = _factors(risk, part, reduce)
        positive, negative = scale * up * raw.positive, scale * down * raw.negative
        gradient = positive * loss.gradient(scores) - negative * loss.gradient(-scores)
        curvature = abs(positive) * loss.curvature(scores)
        return gradient, curvature + abs(negative) * loss.curvature(-scores) + floor

    return objective


def plain_objective(
    risk: Risk, rows: TrainingRows, prior: float, scale: float, floor: float
) -> Objective:
    """Return the same objective in NumPy, for risks and losses of the user's own."""

    def objective(scores: NDArray[Any], _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        given = (scores, rows.labels, prior, rows.weight)
        return scale * risk.gradient(*given), scale * risk.curvature(*given) + floor

    return objective
