"""Histogram matching: how much of the labeled histogram fits under that of all rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._validation import Params, check_count
from lopsided.priors.protocol import rank_labels

__all__ = ["PULSCARPrior"]


@dataclass
class PULSCARPrior(Params):
    r"""The scale at which the labeled histogram breaks through that of the unlabeled rows.

    With the histograms :math:`f_U, f_P` of unlabeled and labeled scores,

    .. math:: e(\alpha) = \log\left(\left|\min_b f_U(b) - \alpha f_P(b)\right| + \epsilon\right)

    is flat while the scaled labeled histogram fits below, and rises steeply once it does not;
    the share of positives among the unlabeled rows is where its slope grows most. Bins hold
    equal numbers of labeled rows, as many bins as the cube root of these, so that any
    increasing map of the scores gives the same prior.

    Parameters
    ----------
    n_steps : int, default=400
        Steps of :math:`\alpha`, evenly on a log scale.

    References
    ----------
    Kumar, Lambert: Positive unlabeled learning selected not at random (PULSNAR). PeerJ Computer
    Science 2024.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [400, 3600])
    >>> y = y_true * (rng.random(4000) < 0.5)
    >>> prior = PULSCARPrior().estimate(y_true + rng.normal(0, 0.1, 4000), y, rng)
    >>> 0.07 < prior < 0.13
    True
    """

    n_steps: int = 400

    def check(self) -> None:
        """Refuse settings that are none."""
        check_count(self.n_steps, "n_steps", 3)

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
        n_unlabeled = ranked.n_rows - ranked.n_labeled
        n_bins = max(int(np.cbrt(ranked.n_labeled)), 2)
        labeled = np.append(0.0, ranked.labeled)
        rows = np.append(0.0, ranked.rows)
        counts = np.linspace(0, ranked.n_labeled, n_bins + 1)[1:-1]
        cuts = np.searchsorted(labeled, counts - 1e-9)  # first block that reaches the count
        ends = np.unique(np.concatenate([[0], cuts, [len(rows) - 1]]))
        inside = np.diff(labeled[ends])
        outside = np.diff((rows - labeled)[ends]) / n_unlabeled
        share = inside / ranked.n_labeled
        scale = np.geomspace(1e-4, 1.0, self.n_steps)
        gap = (outside - scale[:, None] * share).min(axis=1)
        error = np.log(np.abs(np.minimum(gap, 0)) + max(outside.min(), 1e-6))
        slope = np.gradient(error, np.log(scale))
        hidden = float(scale[np.argmax(np.gradient(slope, np.log(scale)))])
        return float((ranked.n_labeled + hidden * n_unlabeled) / ranked.n_rows)
