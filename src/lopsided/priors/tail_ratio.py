"""The least ratio of the tails of all scores and of the labeled ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._validation import Params, check_share
from lopsided.priors.protocol import rank_labels

__all__ = ["TailRatioPrior"]


@dataclass
class TailRatioPrior(Params):
    r"""The least ratio, over cuts, of the share of rows above to that of labeled rows above.

    Under SCAR a share :math:`F_P(t)` of the positives lies above a cut t, so that of all rows
    at least :math:`\pi F_P(t)` do, and

    .. math:: \pi \le \min_t \frac{F(t)}{F_P(t)},

    with equality where only positives are above. Cuts with few labeled rows above them are left
    out, as the least of many noisy ratios is too low.

    Parameters
    ----------
    min_recall : float, default=0.2
        The share of the labeled rows that must lie above a cut.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.tile([1, 0], 5)  # half of the ten first rows are labeled
    >>> y = np.append(y, np.zeros(90, int))
    >>> TailRatioPrior().estimate(-np.arange(100), y, None)
    0.1
    """

    min_recall: float = 0.2

    def check(self) -> None:
        """Refuse settings that are none."""
        check_share(self.min_recall, "min_recall")

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
        labeled_row = ranked.n_labeled / max(np.sum(np.asarray(y) == 1), 1)
        least = max(self.min_recall * ranked.n_labeled, 2 * labeled_row)
        open_ = ranked.labeled >= least - 1e-9
        # Half a row more keeps a cut right behind a labeled row from being taken at its best.
        share = (ranked.labeled[open_] - 0.5 * labeled_row) / ranked.rows[open_]
        return ranked.to_prior(float(share.max()))
