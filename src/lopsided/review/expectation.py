"""What rows that are left promise: finds of the next batch, and of all that may follow."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.diagnostics import ExpectedFinds, ReviewCurve, expected_finds, review_curve
from lopsided.priors import PriorEstimate

__all__ = ["Remaining"]


class _Share(NamedTuple):
    """Positives among unlabeled rows, as `expected_finds` takes them."""

    value: float
    low: float
    high: float


class Remaining(NamedTuple):
    """Unlabeled rows, and labeled ones that stand for the positives hidden among them.

    Those are the rows labeled before any review that no review would have reached: positives
    like the others have been found.
    """

    y: NDArray[np.int8]  # 1 for those that stand for hidden ones, 0 = unlabeled
    scores: NDArray[np.float64]
    share: _Share

    @classmethod
    def of(
        cls,
        first: NDArray[np.int8],
        y: NDArray[np.int8],
        scores: NDArray[np.float64],
        reached: NDArray[np.float64],
        prior: PriorEstimate,
    ) -> "Remaining":
        """Return what is left of a table."""
        labeled = np.flatnonzero(first == 1)
        far = labeled[reached[labeled] < 0.5]
        if not len(far):  # the hardest one is the nearest to what is left
            far = labeled[[np.argmin(scores[labeled])]]
        left = np.flatnonzero(y == 0)
        rows = np.r_[far, left]
        known = int((y == 1).sum())
        hidden = [one * len(y) - known for one in (prior.value, prior.low, prior.high)]
        value, low, high = np.clip(np.array(hidden) / len(left), 1e-9, 1 - 1e-9)
        kinds = np.repeat([1, 0], [len(far), len(left)]).astype(np.int8)
        share = _Share(float(value), float(low), float(max(high, value)))
        return cls(kinds, scores[rows], share)

    def expect(
        self, why: NDArray[Any], probability: NDArray[np.float64], level: float
    ) -> ExpectedFinds:
        """Return the finds to expect of a batch: of its top by rank, of others by chance."""
        from scipy.stats import binom

        n_top, others = int((why == "top").sum()), why != "top"
        value, low, high = 0.0, 0, 0
        if n_top:
            (top,) = expected_finds(
                self.y, self.scores, n_top, self.share, scenario="two-sample", level=level
            )
            value, low, high = top.value, top.low, top.high
        n_other = int(others.sum())
        if n_other:
            n_rest = max(int((self.y == 0).sum()) - n_top, 1)
            most = float(np.clip(self.share.high * (n_rest + n_top) / n_rest, 0, 1))
            if (why == "audit").any():
                rate = max(self.share.value * (n_rest + n_top) - value, 0.0) / n_rest
            else:
                rate = float(probability[others].mean())
                most = max(rate, most)
            tail = (1 - level) / 2
            value += n_other * min(rate, 1.0)
            high += int(binom.ppf(1 - tail, n_other, most))
        return ExpectedFinds(len(why), value, low, high, level)

    def curve(self, step: int) -> ReviewCurve:
        """Return the finds to expect along the rest of the list."""
        return review_curve(self.y, self.scores, self.share, step=step, scenario="two-sample")
