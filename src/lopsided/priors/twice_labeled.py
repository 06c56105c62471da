"""The guess that half of the positives are labeled."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._validation import Params, guess_prior

__all__ = ["TwiceLabeledPrior"]


@dataclass
class TwiceLabeledPrior(Params):
    """Twice the labeled share: a constant guess that looks at no score.

    It is here to be beaten. Benchmarks that hide a quarter, half and three quarters of the
    labels are centered on it, and so flatter it.

    Examples
    --------
    >>> import numpy as np
    >>> TwiceLabeledPrior().estimate(np.zeros(10), np.repeat([1, 0], [2, 8]), None)
    0.4
    """

    def estimate(
        self,
        scores: Any,
        y: Any,
        rng: np.random.Generator | None = None,
        X: Any = None,
        weight: Any = None,
    ) -> float:
        """Return the prior; see `PriorEstimator`."""
        return guess_prior(float(np.average(np.asarray(y), weights=weight)))
