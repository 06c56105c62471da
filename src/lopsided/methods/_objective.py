"""A risk as XGBoost's objective: gradient and curvature of every row in one fused pass."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.losses import Loss
from lopsided.methods._label_totals import (
    Reduce,
    check_local,
    label_totals,
    reduced,
    weighs_by_label,
)
from lopsided.methods._loss_kernels import (
    BLOCK,
    LossShape,
    bend_as_negatives,
    bend_some,
    loss_shape,
    sum_some,
)
from lopsided.risks import Clamp, Risk, SignedWeights

Objective = Callable[[NDArray[Any], Any], tuple[NDArray[Any], NDArray[Any]]]


class _RowWeights(NamedTuple):
    """The signed weights of all rows: a rule for most of them, and rows it does not fit."""

    unit: float  # of every row as a negative,
    weight: NDArray[np.float64]  # times these, if there are any
    apart: NDArray[np.intp]  # rows that weigh otherwise, such as labeled ones:
    positive: NDArray[np.float64]  # so much as positives
    negative: NDArray[np.float64]  # and so much as negatives

    def by_rule(self) -> Any:
        """Return what the rule gives the rows apart."""
        return self.unit * (self.weight[self.apart] if len(self.weight) else 1.0)

    def of_rows(self, n_rows: int) -> SignedWeights:
        """Return the weights one by one."""
        positive, negative = np.zeros(n_rows), np.full(n_rows, self.unit)
        if len(self.weight):
            negative *= self.weight
        positive[self.apart], negative[self.apart] = self.positive, self.negative
        return SignedWeights(positive, negative)


def _weights_by_label(units: SignedWeights, rows: TrainingRows) -> _RowWeights:
    """Return the weights of a risk that has two constants for each label."""
    labels, weight = rows.labels, rows.sample_weight
    apart = np.flatnonzero(labels)
    positive, negative = (unit[labels[apart]] * rows.weight[apart] for unit in units)
    given = np.empty(0) if weight is None else weight
    return _RowWeights(units.negative[0], given, apart, positive, negative)


def _weights_by_row(raw: SignedWeights) -> _RowWeights:
    """Return the weights of a risk that may give each row its own."""
    positive, negative = (np.asarray(weights, dtype=np.float64) for weights in raw)
    apart = np.flatnonzero(positive)
    return _RowWeights(1.0, negative, apart, positive[apart], negative[apart])


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
    by_label = weighs_by_label(risk)
    if not (by_label and _is_plain(risk)):
        check_local(risk, reduce)
    if not _is_plain(risk):
        return plain_objective(risk, rows, prior, scale, floor)
    if by_label:
        units = label_totals(rows, reduce).unit_weights(risk, prior)
        weights = _weights_by_label(SignedWeights(*(scale * unit for unit in units)), rows)
    else:
        # By name: none can ask for scores.
        raw = risk.raw_weights(y=rows.labels.astype(float), prior=prior, weight=rows.weight)
        weights = _weights_by_row(SignedWeights(*(scale * given for given in raw)))
    decide = _Decision(risk.clamp, scale, reduce)
    shape = loss_shape(risk.loss)
    if shape is None:
        return _own_loss_objective(risk.loss, weights.of_rows(len(rows)), floor, decide)
    return _KernelObjective(shape, weights, floor, decide, n_threads)


def _is_plain(risk: Risk) -> bool:
    """Say whether a risk leaves everything but its raw weights to the base class."""
    names = ("weights", "gradient", "curvature")
    return all(getattr(type(risk), name) is getattr(Risk, name) for name in names)


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
    """All rows as if unlabeled, in blocks shared out to threads; then the rows apart."""

    def __init__(
        self,
        shape: LossShape,
        weights: _RowWeights,
        floor: float,
        decide: _Decision,
        n_threads: int,
    ) -> None:
        self.shape, self.weights, self.decide = shape, weights, decide
        self.floor = np.float32(floor)
        self.excess = weights.negative - weights.by_rule()
        self.out: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        self.n_threads = n_threads
        self.pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __call__(
        self, scores: NDArray[Any], _: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        scores = np.ascontiguousarray(scores, dtype=np.float32)
        if self.out is None:
            self.out = (np.empty_like(scores), np.empty_like(scores))
        up, down = self.decide(self._bend_all(scores))
        self._rescale(down)
        apart, positive, negative = self.weights[2:]
        given = (scores, apart, up * positive, down * negative, self.shape, self.floor)
        self._share_out(bend_some, len(apart), *given, self.out)
        return self.out

    def _bend_all(self, scores: NDArray[np.float32]) -> float:
        """Fill in what all rows are as negatives; return the negative part if one asks."""
        n_blocks = -(-len(scores) // BLOCK)
        sums = np.empty(0 if self.decide.clamp is None else n_blocks)
        unit, weight, apart = self.weights[:3]
        given = (scores, weight, unit, self.shape, self.floor, sums)
        self._share_out(bend_as_negatives, len(scores), *given, self.out)
        if self.decide.clamp is None:
            return 0.0
        return float(sums.sum() + sum_some(scores, apart, self.excess, self.shape))

    def _rescale(self, down: float) -> None:
        """Multiply what negatives weigh, once the clamp has spoken."""
        assert self.out is not None
        gradient, curvature = self.out
        if down == 0.0:
            gradient.fill(0.0)
            curvature.fill(self.floor)
        elif down != 1.0:
            gradient *= np.float32(down)
            if abs(down) != 1.0:
                curvature -= self.floor
                curvature *= np.float32(abs(down))
                curvature += self.floor

    def _share_out(self, kernel: Any, n_rows: int, *given: Any) -> None:
        """Run a kernel on blocks of rows, which are the same on any number of threads."""
        n_blocks = -(-n_rows // BLOCK)
        if self.pool is None or n_blocks < 2:
            kernel(0, n_blocks, *given)
            return
        cuts = np.linspace(0, n_blocks, min(self.n_threads, n_blocks) + 1).astype(int)
        parts = pairwise(cuts)
        tasks = [self.pool.submit(kernel, first, last, *given) for first, last in parts]
        for task in tasks:
            task.result()


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
