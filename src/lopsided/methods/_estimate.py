"""The risk of rows that are held out, as quick as the objective: boosting asks every round."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.losses import Loss
from lopsided.methods._label_totals import Reduce, check_local, reduced
from lopsided.methods._loss_kernels import loss_shape
from lopsided.methods._loss_pass import LossPass
from lopsided.methods._row_weights import RowWeights, is_plain, risk_weights
from lopsided.risks import Risk, SignedWeights

Estimate = Callable[[NDArray[Any]], float]
_Parts = Callable[[NDArray[Any]], tuple[float, float]]  # positive and negative, of scores


def fused_estimate(
    risk: Risk, rows: TrainingRows, prior: float, reduce: Reduce = None
) -> Estimate:
    """Return a function of the scores of rows: the risk that `Risk.estimate` tells.

    On several workers it is that of all their rows: each calls `reduce` once now, and once for
    each estimate.
    """
    if not is_plain(risk, "estimate"):
        check_local(risk, reduce)
        given = (rows.labels, prior, rows.weight)
        return lambda scores: float(risk.estimate(scores.astype(float), *given))
    weights, shape = risk_weights(risk, rows, prior, reduce=reduce), loss_shape(risk.loss)
    if shape is None:
        parts = _parts_of_own_loss(risk.loss, weights.of_rows(len(rows)))
    else:
        parts = _parts_by_kernel(LossPass(shape), weights)

    def estimate(scores: NDArray[Any]) -> float:
        up, down = map(float, reduced(np.array(parts(scores)), reduce))
        return up + down if risk.clamp is None or down > 0 else up

    return estimate


def _parts_by_kernel(over: LossPass, weights: RowWeights) -> _Parts:
    excess = weights.negative - weights.by_rule()

    def parts(scores: NDArray[Any]) -> tuple[float, float]:
        scores = np.ascontiguousarray(scores, dtype=np.float32)
        apart = scores[weights.apart]
        down = over.bend_and_sum(scores, weights.weight, weights.unit)
        down += over.bend_and_sum(apart, excess)
        return over.bend_and_sum(-apart, weights.positive), down

    return parts


def _parts_of_own_loss(loss: Loss, weights: SignedWeights) -> _Parts:
    def parts(scores: NDArray[Any]) -> tuple[float, float]:
        scores = scores.astype(np.float64)
        up = (weights.positive * loss.value(scores)).sum()
        return up, (weights.negative * loss.value(-scores)).sum()

    return parts
