"""Scores on one scale: where a row stands among the training rows, as a normal quantile."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

MIN_SCALE = 1e-269  # a number of single precision, divided by it, is below the largest double
_MAX_KNOTS = 8192
_FARTHEST = 5.5  # normal quantile up to which knots are spread: one row of fifty million


@dataclass(frozen=True)
class NormalScores:
    """A rising map from raw scores to normal ones, learned from reference rows.

    The reference's own scores become standard normal. Between them the map is a straight line,
    beyond their ends it goes on rising by the logarithm, so that no two scores become equal and
    no row depends on the others that are scored with it.
    """

    knots: NDArray[np.float64]  # raw scores in rising order
    values: NDArray[np.float64]  # what becomes of them
    unit: float  # the step of raw scores by which the logarithm beyond the ends is taken

    def transform(self, scores: Any) -> NDArray[np.float64]:
        """Return the normal scores of raw ones."""
        raw = np.asarray(scores, np.float64)
        above = np.maximum(raw - self.knots[-1], 0) / self.unit
        below = np.maximum(self.knots[0] - raw, 0) / self.unit
        return np.interp(raw, self.knots, self.values) + np.log1p(above) - np.log1p(below)


def fit_normal_scores(reference: Any, weight: Any, max_knots: int = _MAX_KNOTS) -> NormalScores:
    """Learn the map from scores of reference rows, NaN left out, each counted by its weight."""
    raw = np.asarray(reference, np.float64)
    times = np.asarray(weight, np.float64)
    known = ~np.isnan(raw) & (times > 0)
    knots, places = np.unique(raw[known], return_inverse=True)
    counts = np.bincount(places, times[known])
    shares = (np.cumsum(counts) - counts / 2) / counts.sum()
    if len(knots) > max_knots:
        # Even steps of the normal quantile: all of both ends, where order matters, and some
        # of the crowd between them.
        steps = ndtr(np.linspace(-_FARTHEST, _FARTHEST, max_knots))
        kept = np.unique(np.searchsorted(shares, steps).clip(max=len(knots) - 1))
        knots, shares = knots[kept], shares[kept]
    spread = float(knots[-1] - knots[0])
    return NormalScores(knots, ndtri(shares), max(spread, MIN_SCALE) if spread > 0 else 1.0)
