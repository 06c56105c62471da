"""A pass of a loss over rows, in blocks that threads share out."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.methods._loss_kernels import BLOCK, LossShape, bend_as_negatives

Slopes = tuple[NDArray[np.float32], NDArray[np.float32]]  # gradient and curvature


class LossPass:
    """Gradients, curvatures and losses of rows that count as negatives.

    Blocks and the order of their sums are the same on any number of threads, and so are results
    to the bit.
    """

    def __init__(self, shape: LossShape, n_threads: int = 1) -> None:
        self.shape, self.n_threads = shape, n_threads
        self.pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def bend(
        self,
        scores: NDArray[np.float32],
        weight: NDArray[np.float64],
        unit: float = 1.0,
        floor: float = 0.0,
        out: Slopes | None = None,
    ) -> Slopes:
        """Return gradient and curvature of rows that weigh `unit`, times `weight` if given."""
        return self._run(scores, weight, unit, floor, np.empty(0), out)

    def bend_and_sum(
        self,
        scores: NDArray[np.float32],
        weight: NDArray[np.float64],
        unit: float = 1.0,
        floor: float = 0.0,
        out: Slopes | None = None,
    ) -> float:
        """Do the same into `out`, and return the weighted sum of the losses."""
        sums = np.zeros(_count_blocks(scores))
        self._run(scores, weight, unit, floor, sums, out)
        return float(sums.sum())

    def _run(
        self,
        scores: NDArray[np.float32],
        weight: NDArray[np.float64],
        unit: float,
        floor: float,
        sums: NDArray[np.float64],
        out: Slopes | None,
    ) -> Slopes:
        out = (np.empty_like(scores), np.empty_like(scores)) if out is None else out
        given: Any = (scores, weight, float(unit), self.shape, np.float32(floor), sums, out)
        n_blocks = _count_blocks(scores)
        if self.pool is None or n_blocks < 2:
            bend_as_negatives(0, n_blocks, *given)
            return out
        cuts = np.linspace(0, n_blocks, min(self.n_threads, n_blocks) + 1).astype(int)
        tasks = [
            self.pool.submit(bend_as_negatives, int(first), int(last), *given)
            for first, last in pairwise(cuts)
        ]
        for task in tasks:
            task.result()
        return out


def _count_blocks(scores: NDArray[np.float32]) -> int:
    return -(-len(scores) // BLOCK)
