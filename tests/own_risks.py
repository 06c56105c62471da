"""A risk as a user writes one."""

from dataclasses import dataclass

import numpy as np

from lopsided.risks import Risk, SignedWeights


@dataclass
class Heavy(Risk):
    """Labeled rows count some times as much as others, which are taken for negatives."""

    times: float = 3.0
    needs_prior = False

    def raw_weights(self, y, prior, weight=None):
        rows = np.where(y == 1, self.times, 1.0) * (1 if weight is None else weight)
        rows = rows / rows.sum()
        return SignedWeights(rows * (y == 1), rows * (y != 1))
