"""KM2: how much of the labeled rows' kernel mean can be taken out of that of all rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import Params, check_count
from lopsided.priors._inputs import check_setting

__all__ = ["KM2Prior"]


@dataclass
class KM2Prior(Params):
    r"""Mixture proportion by kernel mean embedding, with gradient thresholding.

    With the kernel means :math:`\phi_U` of the unlabeled and :math:`\phi_P` of the labeled
    rows, the negatives' mean would be :math:`\lambda \phi_U + (1 - \lambda) \phi_P` for
    :math:`\lambda = 1 / (1 - \alpha)`. Its distance to the nearest mixture of rows,
    :math:`d(\lambda)`, is 0 up to there and grows beyond. The estimate is the point where the
    slope of d passes `threshold` times its slope at the end.

    The distance is a quadratic program over the simplex, solved by accelerated projected
    gradients on at most `max_rows` rows. With a share of positives of a few percent
    :math:`\lambda` hardly differs from 1, and the estimate is coarse.

    Parameters
    ----------
    max_rows : int, default=300
        Rows of each side that are drawn at most.
    threshold : float, default=0.25
        The slope at which d counts as grown, as a share of its largest slope.

    References
    ----------
    Ramaswamy, Scott, Tewari: Mixture proportion estimation via kernel embeddings of
    distributions. ICML 2016.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [1000, 1000])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> prior = KM2Prior().estimate(y_true + rng.normal(0, 0.1, 2000), y, rng)
    >>> 0.4 < prior < 0.6
    True
    """

    max_rows: int = 300
    threshold: float = 0.25

    def check(self) -> None:
        """Refuse settings that are none."""
        check_count(self.max_rows, "max_rows", 2)
        check_setting(self.threshold, "threshold", below=1)

    def estimate(
        self,
        scores: Any,
        y: Any,
        rng: np.random.Generator,
        X: Any = None,
        weight: Any = None,
    ) -> float:
        """Return the prior; see `PriorEstimator`. Weights are not used."""
        self.check()
        labels = np.asarray(y)
        table = _standardize(np.asarray(scores, float)[:, None] if X is None else X)
        labeled, unlabeled = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
        draws = [
            side if len(side) <= self.max_rows else rng.choice(side, self.max_rows, False)
            for side in (unlabeled, labeled)
        ]
        gram = _gaussian_gram(table[np.concatenate(draws)])
        hidden = self._hidden_share(gram, len(draws[0]))
        return float((len(labeled) + hidden * len(unlabeled)) / len(labels))

    def _hidden_share(self, gram: NDArray[np.float64], n_unlabeled: int) -> float:
        shares = np.concatenate([[0.0], np.geomspace(0.005, 0.9, 20)])
        factors = 1 / (1 - shares)
        n_labeled = len(gram) - n_unlabeled
        step = 1 / float(np.linalg.eigvalsh(gram)[-1])
        weights = np.repeat([1 / n_unlabeled, 0.0], [n_unlabeled, n_labeled])
        distances = []
        for factor in factors:
            sides = [factor / n_unlabeled, (1 - factor) / n_labeled]
            target = np.repeat(sides, [n_unlabeled, n_labeled])
            weights = _nearest_mixture(gram, target, weights, step)
            gap = weights - target
            distances.append(float(np.sqrt(max(gap @ gram @ gap, 0))))
        slopes = np.maximum.accumulate(np.diff(distances) / np.diff(factors))  # d is convex
        grown = np.flatnonzero(slopes >= self.threshold * slopes[-1])
        return float(shares[grown[0]])


def _standardize(X: Any) -> NDArray[np.float64]:
    """Return the ranks of each column from -1 to 1, so that outliers rule no distance."""
    from scipy.stats import rankdata

    table = np.nan_to_num(np.asarray(X, float))
    return np.asarray(2 * rankdata(table, axis=0) / len(table) - 1)


def _gaussian_gram(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Gaussian kernel between rows, as wide as half of their median distance."""
    from scipy.spatial.distance import cdist

    squares = cdist(table, table, "sqeuclidean")
    width = np.median(squares) / 4
    return np.exp(-squares / (2 * max(float(width), 1e-12)))


def _nearest_mixture(
    gram: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
    step: float,
    n_steps: int = 60,
) -> NDArray[np.float64]:
    """Return the weights on the simplex whose kernel mean is nearest to that of `target`."""
    ahead, momentum = weights, 1.0
    for _ in range(n_steps):
        moved = _project(ahead - step * (gram @ (ahead - target)))
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / faster * (moved - weights)
        weights, momentum = moved, faster
    return weights


def _project(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest point on the simplex."""
    ordered = np.sort(values)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(values) + 1)
    last = np.flatnonzero(ordered > excess)[-1]
    return np.maximum(values - excess[last], 0)
