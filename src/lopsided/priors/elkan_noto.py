"""Elkan and Noto's label frequency, from out-of-fold scores and by a robust maximum."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import Params, check_choice
from lopsided.priors.protocol import RankedLabels, rank_labels

__all__ = ["ElkanNotoPrior"]


@dataclass
class ElkanNotoPrior(Params):
    r"""The label frequency as the largest chance of a label, the prior from it.

    Under SCAR :math:`P(y = 1 | x) = c\, P(y_{true} = 1 | x)`, so that the largest chance of a
    label is c where some rows are surely positive, and :math:`\pi = P(y = 1) / c`. The chance
    g is an isotonic regression of the labels on the scores. Its very maximum is noise: the
    first rows are labeled by luck. "max" takes the mean of g over as many top rows as hold a
    quarter of the labeled ones.

    "mean" is the paper's estimator e1, the mean of g over the labeled rows. It is below c by as
    much as positives and negatives overlap, the prior above the truth by the same factor.

    Parameters
    ----------
    statistic : {"max", "mean"}, default="max"
        What of g is the label frequency.

    References
    ----------
    Elkan, Noto: Learning classifiers from only positive and unlabeled data. KDD 2008.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [200, 1800])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> prior = ElkanNotoPrior().estimate(y_true + rng.normal(0, 0.1, 2000), y, rng)
    >>> 0.08 < prior < 0.12
    True
    """

    statistic: Literal["max", "mean"] = "max"

    def check(self) -> None:
        """Refuse settings that are none."""
        check_choice(self.statistic, ("max", "mean"), "statistic of Elkan and Noto")

    def estimate(
        self,
        scores: Any,
        y: Any,
        rng: np.random.Generator | None = None,
        X: Any = None,
        weight: Any = None,
    ) -> float:
        """Return the prior; see `PriorEstimator`."""
        self.check()
        ranked = rank_labels(scores, y, weight)
        chance = _isotonic(ranked)
        rows = np.diff(ranked.rows, prepend=0.0)
        if self.statistic == "mean":
            labeled = np.diff(ranked.labeled, prepend=0.0)
            return ranked.to_prior(float(labeled @ chance / labeled.sum()))
        top = np.maximum(np.cumsum(rows * chance) - rows * chance, 0) < ranked.n_labeled / 4
        return ranked.to_prior(float(rows[top] @ chance[top] / rows[top].sum()))


def _isotonic(ranked: RankedLabels) -> NDArray[np.float64]:
    """Return the chance of a label in each block of ties, falling down the ranking."""
    from scipy.optimize import isotonic_regression

    rows = np.diff(ranked.rows, prepend=0.0)
    labeled = np.diff(ranked.labeled, prepend=0.0)
    seen = np.maximum(rows, 1e-12)
    return np.asarray(isotonic_regression(labeled / seen, weights=seen, increasing=False).x)
