"""Best bin estimation: the tail ratio where its confidence bound is least."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._validation import Params
from lopsided.priors._inputs import check_from_zero, check_setting
from lopsided.priors.protocol import rank_labels

__all__ = ["BBEPrior"]


@dataclass
class BBEPrior(Params):
    r"""Best bin estimation: the tail ratio at the cut with the least upper confidence bound.

    With the shares :math:`q_U, q_P` of the unlabeled and of the labeled rows above a cut, the
    share of positives among the unlabeled rows is :math:`q_U / q_P` at the cut that minimizes

    .. math:: \frac{q_U}{q_P} + \frac{1 + \gamma}{q_P}
        \left(\sqrt{\frac{\log(4 / \delta)}{2 n_U}} + \sqrt{\frac{\log(4 / \delta)}{2 n_P}}
        \right).

    With few labeled rows the bound prefers low cuts, so that the estimate is too high.

    Parameters
    ----------
    delta : float, default=0.1
        One minus the confidence.
    gamma : float, default=0.01
        Slack of the bound.

    References
    ----------
    Garg, Wu, Smola, Balakrishnan, Lipton: Mixture proportion estimation and PU learning: a
    modern approach. NeurIPS 2021.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [2000, 8000])
    >>> y = y_true * (rng.random(10_000) < 0.5)
    >>> round(BBEPrior().estimate(y_true + rng.normal(0, 0.1, 10_000), y, rng), 2)
    0.2
    """

    delta: float = 0.1
    gamma: float = 0.01

    def check(self) -> None:
        """Refuse settings that are none."""
        check_setting(self.delta, "delta", below=1)
        check_from_zero(self.gamma, "gamma")

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
        n_labeled = ranked.n_labeled
        n_unlabeled = ranked.n_rows - n_labeled
        open_ = ranked.labeled > 0
        labeled = ranked.labeled[open_] / n_labeled
        unlabeled = (ranked.rows - ranked.labeled)[open_] / n_unlabeled
        slack = np.sqrt(np.log(4 / self.delta) / 2) * (n_unlabeled**-0.5 + n_labeled**-0.5)
        best = np.argmin((unlabeled + (1 + self.gamma) * slack) / labeled)
        hidden = min(unlabeled[best] / labeled[best], 1.0)
        return float((n_labeled + hidden * n_unlabeled) / ranked.n_rows)
