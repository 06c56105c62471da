"""A posterior of the label frequency: the default estimate of the prior, and its interval."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import Params
from lopsided.priors._inputs import check_from_zero
from lopsided.priors.belief import Beta
from lopsided.priors.protocol import RankedLabels, rank_labels

__all__ = ["AutoPrior", "LabelFrequencyPosterior"]

# The grid of the label frequency, evenly spaced as log-odds: from 1 in 8,000 to all but those.
_EDGES = 1 / (1 + np.exp(-np.linspace(-9, 9, 73)))
_CELLS = 1 / (1 + np.exp(-np.linspace(-8.875, 8.875, 72)))
_STEEPNESS = np.geomspace(0.6, 10, 12)
_N_HALVES, _N_BLOCKS = 20, 48
_ODDS_SCALE = 3.0  # of the error model, chosen together with `noise`


class LabelFrequencyPosterior(NamedTuple):
    """What a table and a belief say about the label frequency.

    Attributes
    ----------
    cumulative : ndarray
        The posterior's cumulative distribution at the upper edges of the grid's cells.
    labeled_share : float
        Share of all rows that are labeled.
    n_labeled : float
        Labeled rows.
    auc : float
        Of positives against negatives, at the median label frequency.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [200, 1800])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> posterior = AutoPrior().posterior(y_true + rng.normal(0, 0.2, 2000), y)
    >>> print(f"{posterior.label_frequency(0.5):.2f} of the positives are labeled")
    0.47 of the positives are labeled
    >>> print(f"{posterior.prior(0.05):.3f} to {posterior.prior(0.95):.3f} of all are positive")
    0.068 to 0.141 of all are positive
    """

    cumulative: NDArray[np.float64]  # at the upper edges of the grid's cells
    labeled_share: float
    n_labeled: float
    auc: float  # of positives against negatives, at the median label frequency

    def label_frequency(self, quantile: float) -> float:
        """Return a quantile of the label frequency."""
        from scipy.special import expit, logit

        cumulative = np.append(0.0, self.cumulative)
        odds = np.interp(quantile, cumulative, logit(_EDGES))
        return max(float(expit(odds)), self.labeled_share)

    def prior(self, quantile: float) -> float:
        """Return a quantile of the prior."""
        return min(self.labeled_share / self.label_frequency(1 - quantile), 1.0)


@dataclass
class AutoPrior(Params):
    r"""The default: a posterior of the label frequency, from the labels down the ranking.

    Down the ranking the chance to be positive falls like a Hill curve, and the row in place k
    is labeled with probability

    .. math:: d \, m(k), \quad m(k) = \frac{1}{1 + (k / k_0)^p}.

    Where the top of the ranking is pure, the labels stand there in a plateau of height d, the
    label frequency c. The likelihood of the labels, a Bernoulli each, is averaged over
    :math:`k_0` and p, both uniform on a log scale. How the height of the plateau comes from c
    is an error model:

    .. math:: d = q\, c', \quad \mathrm{logit}\, c' = \mathrm{logit}\, c + \tau t_4, \quad
        q \sim \mathrm{Beta}(\mathrm{odds}(R) / 3,\, 1).

    q is the purity of the top, the nearer to 1 the better positives are told from negatives: R
    is the chance that one outranks the other, which the labels tell for each c. The noise,
    Student's t, stands for labels that are not given completely at random: where sure
    positives are labeled first, the plateau is higher than c, and nothing in the table shows
    it. With a belief on c the posterior follows on a grid, and the prior is
    :math:`P(y = 1) / c`. The value is its median; its quantiles are the interval.

    The numbers of the error model were chosen on 14 data sets with a quarter, half and three
    quarters of the positives labeled, so that intervals cover both under SCAR and where
    positives near negatives are labeled last; results hardly depend on them. **These shares
    are centered on 1/2, and so is the default belief**: where only a tenth of the positives
    are labeled, the value is too low by a factor of 3 to 4 and most intervals miss the
    truth (`benchmarks/priors.py` measures it). If you know that few positives are ever labeled,
    say so, as in `Beta.around(0.1)`. The more labeled rows and the purer the top, the less it
    matters; `estimate_prior` says where a table does not identify the prior.

    Only the order of the scores counts. The noise does not vanish with more rows.

    Parameters
    ----------
    belief : Beta, default=Beta(2, 2)
        The belief on the label frequency.
    noise : float, default=0.3
        The scale :math:`\tau` of the error of the plateau's height, in log-odds.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [200, 1800])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> posterior = AutoPrior().posterior(y_true + rng.normal(0, 0.2, 2000), y)
    >>> posterior.prior(0.05) < 0.1 < posterior.prior(0.95)
    True
    """

    belief: Beta = field(default_factory=Beta)
    noise: float = 0.3

    def estimate(
        self,
        scores: Any,
        y: Any,
        rng: np.random.Generator | None = None,
        X: Any = None,
        weight: Any = None,
    ) -> float:
        """Return the prior; see `PriorEstimator`."""
        return self.posterior(scores, y, weight).prior(0.5)

    def posterior(self, scores: Any, y: Any, weight: Any = None) -> LabelFrequencyPosterior:
        """Return what the table says about the label frequency."""
        self.check()
        ranked = rank_labels(scores, y, weight)
        auc = _true_auc(ranked)
        purity = np.clip(auc / (1 - auc), 1, 400) / _ODDS_SCALE
        density = self._heights_given_frequency(purity) @ _height_likelihood(ranked)
        log_belief = self.belief.log_density(_CELLS) + np.log(_CELLS * (1 - _CELLS))
        possible = _EDGES[1:] > ranked.labeled_share  # the prior is at most 1
        possible[-1] = True  # also where nearly all rows are labeled
        log_belief[~possible] = -np.inf
        mass = density * np.exp(log_belief - log_belief.max())
        if mass.sum() == 0:  # the labels and the belief have nothing in common
            mass = np.exp(log_belief - log_belief.max())
        cumulative = np.cumsum(mass / mass.sum())
        middle = float(auc[np.searchsorted(cumulative, 0.5)])
        return LabelFrequencyPosterior(
            cumulative, ranked.labeled_share, ranked.n_labeled, middle
        )

    def check(self) -> None:
        """Refuse settings that are none."""
        if not isinstance(self.belief, Beta):
            raise ValueError(
                "belief must be one on the share of the positives that are labeled, such as "
                f"Beta.around(0.05), got {quote(self.belief)}."
            )
        check_from_zero(self.noise, "noise")

    def _heights_given_frequency(self, purity: NDArray[Any]) -> NDArray[np.float64]:
        """Return the chance of each height of the plateau (columns) given c (rows)."""
        from scipy.special import logit, stdtr

        shifts = (logit(_EDGES)[None] - logit(_CELLS)[:, None]) / max(self.noise, 1e-3)
        noisy = np.diff(stdtr(4, shifts), axis=1)
        noisy /= noisy.sum(axis=1, keepdims=True)
        below = np.minimum(_EDGES[None] / _CELLS[:, None], 1) ** purity[:, None]
        return noisy @ np.diff(below, axis=1)


def _true_auc(ranked: RankedLabels) -> NDArray[np.float64]:
    """Return the chance that a positive outranks a negative, for each label frequency.

    A labeled row outranks a hidden positive half of the time.
    """
    n_unlabeled = ranked.n_rows - ranked.n_labeled
    pairs = ranked.n_labeled * n_unlabeled
    found = (ranked.auc() * pairs + 0.5) / (pairs + 1)
    hidden = np.minimum(ranked.n_labeled * (1 / _CELLS - 1) / n_unlabeled, 0.99)
    return np.minimum((found - hidden / 2) / (1 - hidden), 1 - 0.5 / (pairs + 1))


def _height_likelihood(ranked: RankedLabels) -> NDArray[np.float64]:
    """Return the likelihood of each height of the plateau, averaged over curves."""
    n_rows, n_labeled = ranked.n_rows, ranked.n_labeled
    first = min(16.0, n_rows / 2)  # each of the top rows is a block of its own
    wide = np.geomspace(first, n_rows, _N_BLOCKS - 15)
    edges = np.unique(np.concatenate([np.arange(first), np.round(wide[:-1]), [n_rows]]))
    labeled = np.diff(ranked.labeled_among(edges))
    unlabeled = np.maximum(np.diff(edges) - labeled, 0)
    halves = np.geomspace(max(0.3 * n_labeled, 1), max(0.7 * n_rows, 2), _N_HALVES)
    places = np.log((edges[1:] + edges[:-1]) / 2)
    odds = _STEEPNESS[:, None] * (np.log(halves)[:, None, None] - places)
    falling = 1 / (1 + np.exp(-odds)).reshape(-1, len(places))
    log_labeled = -np.logaddexp(0, -odds).reshape(-1, len(places)) @ labeled
    log_likelihood = n_labeled * np.log(_CELLS)[:, None] + log_labeled
    for cell, height in enumerate(_CELLS):
        log_likelihood[cell] += np.log1p(-height * falling) @ unlabeled
    return np.exp(log_likelihood - log_likelihood.max()).sum(axis=1)
