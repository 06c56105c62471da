"""A risk as XGBoost's objective: gradient and curvature of every row in one fused pass."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.losses import Loss
from lopsided.methods._label_totals import Reduce, check_local, reduced
from lopsided.methods._loss_kernels import loss_shape
from lopsided.methods._loss_pass import LossPass, Slopes
from lopsided.methods._row_weights import RowWeights, is_plain, risk_weights
from lopsided.risks import Clamp, Risk, SignedWeights

Objective = Callable[[NDArray[Any], Any], tuple[NDArray[Any], NDArray[Any]]]


def fused_objective(
    risk: Risk,
    rows: TrainingRows,
    prior: float,
    scale: float,
    floor: float,
    reduce: Reduce = None,
    n_threads: int = 1,
) -> Objective:
    """Return the objective of a risk, each row's share of it times `scale`.

    Kernels serve every risk whose weights come from `raw_weights`, which knows no scores, and
    `clamp`, and whose loss is one of this library's; any other risk, such as one whose weights
    depend on the scores, runs on its own NumPy code. Kernels write to the same two arrays in
    every round, which XGBoost copies, and give the same bits on any number of threads.

    On several workers, each of which has some of the rows, or none, `reduce` sums an array over
    all of them. Every worker calls it once now, and once a round if the risk has a clamp.
    """
    if not is_plain(risk, "gradient", "curvature"):
        check_local(risk, reduce)
        return plain_objective(risk, rows, prior, scale, floor)
    weights = risk_weights(risk, rows, prior, scale, reduce)
    decide = _Decision(risk.clamp, scale, reduce)
    shape = loss_shape(risk.loss)
    if shape is None:
        return _own_loss_objective(risk.loss, weights.of_rows(len(rows)), floor, decide)
    return _KernelObjective(LossPass(shape, n_threads), weights, floor, decide)


class _Decision(NamedTuple):
    """What the clamp makes of the negative part, of which each worker has a share."""

    clamp: Clamp | None
    scale: float
    reduce: Reduce

    def __call__(self, share: float) -> tuple[float, float]:
        if self.clamp is None:
            return 1.0, 1.0
        part = reduced(np.array([share / self.scale]), self.reduce)
        return self.clamp(float(part[0]))


class _KernelObjective:
    """All rows as if unlabeled; then those apart, by weights of their own."""

    def __init__(
        self, over: LossPass, weights: RowWeights, floor: float, decide: _Decision
    ) -> None:
        self.over, self.weights, self.decide = over, weights, decide
        self.floor = floor
        self.excess = weights.negative - weights.by_rule()
        self.out: Slopes | None = None

    def __call__(self, scores: NDArray[Any], _: Any) -> Slopes:
        scores = np.ascontiguousarray(scores, dtype=np.float32)
        if self.out is None:
            self.out = (np.empty_like(scores), np.empty_like(scores))
        apart = scores[self.weights.apart]
        up, down = self.decide(self._bend_all(scores, apart, self.out))
        self._rescale(down, *self.out)
        self._bend_apart(apart, up, down, *self.out)
        return self.out

    def _bend_all(
        self, scores: NDArray[np.float32], apart: NDArray[np.float32], out: Slopes
    ) -> float:
        """Fill in what all rows are as negatives; return the negative part if one asks."""
        given = (scores, self.weights.weight, self.weights.unit, self.floor, out)
        if self.decide.clamp is None:
            self.over.bend(*given)
            return 0.0
        return self.over.bend_and_sum(*given) + self.over.bend_and_sum(apart, self.excess)

    def _rescale(
        self, down: float, gradient: NDArray[np.float32], curvature: NDArray[np.float32]
    ) -> None:
        """Multiply what negatives weigh, once the clamp has spoken."""
        if down == 0.0:
            gradient.fill(0.0)
            curvature.fill(self.floor)
        elif down != 1.0:
            gradient *= np.float32(down)
            if abs(down) != 1.0:
                curvature -= np.float32(self.floor)
                curvature *= np.float32(abs(down))
                curvature += np.float32(self.floor)

    def _bend_apart(
        self,
        scores: NDArray[np.float32],
        up: float,
        down: float,
        gradient: NDArray[np.float32],
        curvature: NDArray[np.float32],
    ) -> None:
        """Write over the rows apart."""
        slope, bound = self.over.bend(scores, self.weights.negative, down, self.floor)
        # A positive is a negative of minus its score.
        rise, more = self.over.bend(-scores, self.weights.positive, up)
        slope -= rise
        bound += more
        gradient[self.weights.apart], curvature[self.weights.apart] = slope, bound


def _own_loss_objective(
    loss: Loss, weights: SignedWeights, floor: float, decide: _Decision
) -> Objective:
    """Return the objective in NumPy, for a loss of the user's own."""

    def objective(scores: NDArray[Any], _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        scores = scores.astype(np.float64)
        up, down = decide(float((weights.negative * loss.value(-scores)).sum()))
        positive, negative = up * weights.positive, down * weights.negative
        gradient = positive * loss.gradient(scores) - negative * loss.gradient(-scores)
        curvature = abs(positive) * loss.curvature(scores)
        return gradient, curvature + abs(negative) * loss.curvature(-scores) + floor

    return objective


def plain_objective(
    risk: Risk, rows: TrainingRows, prior: float, scale: float, floor: float
) -> Objective:
    """Return the same objective in NumPy, for a risk of the user's own."""

    def objective(scores: NDArray[Any], _: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        given = (scores, rows.labels, prior, rows.weight)
        return scale * risk.gradient(*given), scale * risk.curvature(*given) + floor

    return objective
