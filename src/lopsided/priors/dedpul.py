"""Density ratios of labeled and all scores, and the largest prior that fits under them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import Params, check_share
from lopsided.priors.protocol import RankedLabels, rank_labels

__all__ = ["DEDPULPrior"]

_EDGE = 5.0  # of the grid, in standard deviations
_BINS = 400


@dataclass
class DEDPULPrior(Params):
    r"""The largest prior whose posterior, from a smoothed density ratio, stays below 1.

    With the ratio r of the density of labeled scores to that of all scores, the posterior of a
    row is :math:`\min(\alpha r, 1)` and

    .. math:: D(\alpha) = \alpha - E \min(\alpha r, 1) = E \max(\alpha r - 1, 0)

    is 0 up to :math:`\alpha = 1 / \max r`, where EM from above would stop, and grows beyond.
    As the maximum of a noisy ratio is too large, the estimate is the largest :math:`\alpha`
    with :math:`D(\alpha) \le tolerance \cdot \alpha`.

    Scores are replaced by their normal scores, so that the density of all is known and any
    increasing map of the scores gives the same prior; labeled ones are smoothed by a Gaussian
    kernel with Silverman's width.

    Parameters
    ----------
    tolerance : float, default=0.02
        The share of the positives that may be cut off.

    References
    ----------
    Ivanov: DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning. ICMLA
    2020.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [200, 1800])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> prior = DEDPULPrior().estimate(y_true + rng.normal(0, 0.1, 2000), y, rng)
    >>> 0.07 < prior < 0.13
    True
    """

    tolerance: float = 0.02

    def check(self) -> None:
        """Refuse settings that are none."""
        check_share(self.tolerance, "tolerance")

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
        ratio = _density_ratio(ranked)
        priors = np.geomspace(ranked.labeled_share, 1.0, 200)
        cut = np.maximum(priors[:, None] * ratio.values - 1, 0) @ ratio.shares
        within = np.flatnonzero(cut <= self.tolerance * priors)
        return float(priors[within[-1]]) if len(within) else ranked.labeled_share


class _Ratio(NamedTuple):
    """A density ratio on a grid, and the share of all rows in each of its cells."""

    values: NDArray[np.float64]
    shares: NDArray[np.float64]


def _density_ratio(ranked: RankedLabels) -> _Ratio:
    from scipy.ndimage import gaussian_filter1d
    from scipy.special import ndtr

    edges = np.linspace(-_EDGE, _EDGE, _BINS + 1)
    places = ranked.n_rows * ndtr(-edges)  # from the top: the best rows have the largest scores
    labeled = -np.diff(ranked.labeled_among(places)) / ranked.n_labeled
    everyone = -np.diff(places) / ranked.n_rows
    centers = (edges[1:] + edges[:-1]) / 2
    mean = labeled @ centers / labeled.sum()
    deviation = np.sqrt(labeled @ (centers - mean) ** 2 / labeled.sum())
    width = 0.9 * max(deviation, 0.05) * ranked.n_labeled**-0.2 / (edges[1] - edges[0])
    smooth = [gaussian_filter1d(one, width, mode="constant") for one in (labeled, everyone)]
    return _Ratio(smooth[0] / np.maximum(smooth[1], 1e-12), everyone)
