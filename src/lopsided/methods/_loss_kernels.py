"""The library's losses in float32, several rows at a time, as boosting asks for every round.

Each loss is taken at a score of which the row counts as a negative: the margin is minus the
score. A row that counts as a positive is one of minus its score.

Without branches, and with an exponential and a logarithm of our own, a compiler handles as many
rows at once as a vector holds. Relative errors stay below 1e-6, but where the bound of the
curvature is near 0 or a row is beyond `_FAR`.
"""

from typing import NamedTuple

import numpy as np

from lopsided._kernel import njit_cached, njit_fastmath, njit_helper
from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, SigmoidLoss

BLOCK = 1 << 14  # rows whose losses are summed up before the sums of blocks are
_TILE = 1024  # rows that stay in the nearest cache from one loop to the next
# Less than e^-80 is nothing to boosting, and arithmetic below e^-87 is slow.
_FAR = np.float32(80.0)
_LOGISTIC, _SIGMOID, _CUBIC, _FOCAL = range(4)

_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_LOG2_E = np.float32(1.4426950408889634)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)  # exact if times k
_ROUND = np.float32(3 << 22)  # what is added to it is rounded, and lies in its last bits
_LN2_WIDE, _ROUND_WIDE = np.log(2.0), float(3 << 51)
_LEAST_LOG = -87.0
_TINY = np.float32(1e-12)  # 1 plus its square is 1
_BIAS, _MANTISSA_BITS = np.int32(127), np.int32(23)
_EXP = tuple(np.float32(1 / n) for n in (5040, 720, 120, 24, 6, 2))  # of a Taylor series
_ATANH = tuple(np.float32(2 / n) for n in (15, 13, 11, 9, 7, 5, 3))


class LossShape(NamedTuple):
    """A loss as the kernels know it: its kind, and the gammas of a focal one."""

    kind: int
    easy: float = 0.0
    hard: float = 0.0
    switch: float = 0.0


def loss_shape(loss: object) -> LossShape | None:
    """Return what the kernels need of a loss, or None if they do not know this very class."""
    if type(loss) is LogisticLoss:
        return LossShape(_LOGISTIC)
    if type(loss) is SigmoidLoss:
        return LossShape(_SIGMOID)
    if type(loss) is FocalLoss:
        gamma = float(loss.gamma)
        kind = {0.0: _LOGISTIC, 3.0: _CUBIC}.get(gamma, _FOCAL)
        return LossShape(kind, gamma, gamma)
    if type(loss) is CalibratedFocalLoss:
        return LossShape(_FOCAL, float(loss.easy), float(loss.hard), float(loss.switch))
    return None


@njit_helper
def _scaled(rest, power):
    """Return exp(rest) times 2 to a power, of which the last bits of a float are given."""
    a, b, c, d, e, f = _EXP
    series = (((((a * rest + b) * rest + c) * rest + d) * rest + e) * rest + f) * rest * rest
    bits = np.int32((np.int32(power) + _BIAS) << _MANTISSA_BITS)
    return (series + rest + _ONE) * bits.view(np.float32)


@njit_helper
def _exp(x):
    """Return the exponential of a float32 between -87 and 0."""
    rounded = np.float32(x * _LOG2_E + _ROUND)
    power = rounded - _ROUND
    return _scaled(x - power * _LN2_HIGH - power * _LN2_LOW, rounded.view(np.int32))


@njit_helper
def _exp_wide(x):
    """Return the exponential of a float64 below 0 as a float32, at least e^-87."""
    x = min(max(x, _LEAST_LOG), -_TINY)
    rounded = np.float64(x / _LN2_WIDE + _ROUND_WIDE)
    rest = np.float32(x - (rounded - _ROUND_WIDE) * _LN2_WIDE)
    return _scaled(rest, rounded.view(np.int64))


@njit_helper
def _log1p(x):
    """Return log(1 + x) of a float32 between 0 and 1: twice the artanh of x / (2 + x)."""
    a, b, c, d, e, f, g = _ATANH
    ratio = x / (_TWO + x)
    root = ratio if ratio > _TINY else _TINY
    w = root * root
    series = ((((((a * w + b) * w + c) * w + d) * w + e) * w + f) * w + g) * w
    return ratio * (_TWO + series)


@njit_helper
def _sides(score, nearest):
    """Return the probabilities of both classes, and e to minus the size of the score."""
    near = score if score > nearest else nearest
    near = near if near < _FAR else _FAR
    tail = _exp(-abs(near))
    large = _ONE / (_ONE + tail)
    small = tail * large
    above = near >= _ZERO
    return small if above else large, large if above else small, tail


@njit_helper
def _nll(score, tail):
    return (score if score > _ZERO else _ZERO) + _log1p(tail)


@njit_helper
def _focal(fade, gamma, p, q, nll):
    slope = fade * (gamma * p * nll + q)
    bend = q * (_ONE + _TWO * gamma - gamma * nll) + gamma * gamma * nll * p
    return fade * nll, slope, abs(p * fade * bend)


@njit_helper
def _bend_logistic(scores, values, slopes, bounds):
    if len(values) == 0:  # nobody asks, and the logarithm is half of the time
        for row in range(len(scores)):
            p, q, _ = _sides(scores[row], -_FAR)
            slopes[row], bounds[row] = q, p * q
        return
    for row in range(len(scores)):
        p, q, tail = _sides(scores[row], -_FAR)
        values[row], slopes[row], bounds[row] = _nll(scores[row], tail), q, p * q


@njit_helper
def _bend_cubic(scores, values, slopes, bounds):
    nearest, gamma = np.float32(-_FAR / 4), np.float32(3.0)
    for row in range(len(scores)):
        p, q, tail = _sides(scores[row], nearest)
        nll = _nll(scores[row], tail)
        value, slopes[row], bounds[row] = _focal(q * q * q, gamma, p, q, nll)
        if len(values):
            values[row] = value


@njit_helper
def _bend_focal(scores, shape, values, slopes, bounds):
    nearest = np.float32(-_FAR / (1.0 + shape.easy))
    for row in range(len(scores)):
        p, q, tail = _sides(scores[row], nearest)
        nll = _nll(scores[row], tail)
        gamma = shape.hard if p < shape.switch else shape.easy
        log_q = np.float64(max(nearest, min(scores[row], _ZERO))) - np.float64(_log1p(tail))
        fade = _exp_wide(gamma * log_q)
        value, slopes[row], bounds[row] = _focal(fade, np.float32(gamma), p, q, nll)
        if len(values):
            values[row] = value


@njit_helper
def _bend(scores, shape, values, slopes, bounds):
    """Fill in value, slope and bound of the curvature; no values where there is no room."""
    if shape.kind == _LOGISTIC:
        _bend_logistic(scores, values, slopes, bounds)
    elif shape.kind == _CUBIC:
        _bend_cubic(scores, values, slopes, bounds)
    elif shape.kind == _FOCAL:
        _bend_focal(scores, shape, values, slopes, bounds)
    else:
        for row in range(len(scores)):
            p, q, _ = _sides(scores[row], -_FAR)
            slopes[row] = bounds[row] = p * q
            if len(values):
                values[row] = q


@njit_fastmath
def _sum(values):
    total = 0.0
    for row in range(len(values)):
        total += values[row]
    return total


@njit_fastmath
def _weighted_sum(values, weight):
    total = 0.0
    for row in range(len(values)):
        total += weight[row] * values[row]
    return total


@njit_helper
def _weigh(weight, unit, floor, gradient, curvature):
    if len(weight) == 0:
        slope_unit, bound_unit = np.float32(unit), np.float32(abs(unit))
        for row in range(len(gradient)):
            gradient[row] *= slope_unit
            curvature[row] = curvature[row] * bound_unit + floor
        return
    for row in range(len(gradient)):
        by = weight[row] * unit
        gradient[row] = by * gradient[row]
        curvature[row] = abs(by) * curvature[row] + floor


@njit_cached
def bend_as_negatives(first, last, scores, weight, unit, shape, floor, sums, out):
    """Fill gradient and curvature of some blocks; sum up the losses if there is room for it.

    Every row weighs `unit` as a negative, times its `weight` if there are any.
    """
    gradient, curvature = out
    values = np.empty(_TILE if len(sums) else 0, np.float32)
    for block in range(first, last):
        end = min((block + 1) * BLOCK, len(scores))
        total = 0.0
        for start in range(block * BLOCK, end, _TILE):
            stop = min(start + _TILE, end)
            slopes, bounds = gradient[start:stop], curvature[start:stop]
            _bend(scores[start:stop], shape, values, slopes, bounds)
            given = weight[start:stop]  # none, if there are none
            _weigh(given, unit, floor, slopes, bounds)
            if len(sums):
                found = values[: stop - start]
                total += _weighted_sum(found, given) if len(given) else _sum(found)
        if len(sums):
            sums[block] = unit * total
