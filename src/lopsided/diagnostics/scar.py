"""Could the labels be completely at random: do labeled rows crowd at the top of the list."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import as_generator, check_level
from lopsided.diagnostics._hidden import check_prior_range, count_hidden
from lopsided.diagnostics._rows import blind_places, check_rows
from lopsided.priors import PriorEstimate

__all__ = ["ScarCheck", "check_scar"]

_DRAWS = 499
_POINTS = 60  # places where the crowd is counted


@dataclass(frozen=True)
class ScarCheck:
    """Whether labeled rows may be a random choice from the positives.

    Attributes
    ----------
    p_value : float
        Probability of so dense a crowd at the top if they are, at most.
    level : float
        The p-value up to which SCAR is not plausible.
    place, n_crowd, n_expected : float
        Where the crowd is densest: labeled rows among the first `place` rows, and how many a
        random choice has there at most, on average.
    testable : bool
        Whether the prior is from elsewhere. One that is estimated from the same scores takes
        SCAR for granted: the test has next to no power then, and finding nothing means nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import check_scar
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [100, 900])
    >>> scores = 2 * y_true + rng.normal(size=1000)
    >>> easy = y_true * (scores > 2)  # only clear cases were ever labeled
    >>> found = check_scar(easy, scores, prior=0.1)
    >>> found.plausible, found.testable
    (False, True)
    """

    p_value: float
    level: float
    place: int
    n_crowd: int
    n_expected: float
    testable: bool = True

    @property
    def plausible(self) -> bool:
        """Whether nothing speaks against labels at random."""
        return self.p_value > self.level

    def __str__(self) -> str:
        if self.plausible and not self.testable:
            return (
                "Whether labels are given at random cannot be tested here: the prior is "
                "estimated from the same scores, which takes it for granted. A prior from "
                "elsewhere, such as an audit of random rows, lets it be tested."
            )
        if self.plausible:
            return (
                "Nothing here speaks against labels given at random "
                f"(p = {self.p_value:.2g}); that hard cases are labeled first cannot be seen."
            )
        return (
            f"Easy cases seem to be labeled first: {self.n_crowd} labeled rows stand among the "
            f"first {self.place}, where a random choice would have {self.n_expected:.0f} at "
            f"most (p = {self.p_value:.2g}). Finds and recall are likely too high."
        )


def check_scar(
    y: Any,
    scores: Any,
    prior: Any,
    *,
    scenario: str = "one-sample",
    level: float = 0.1,
    random_state: Any = 0,
) -> ScarCheck:
    r"""Test whether labeled rows could be a random choice from the positives.

    Without negatives only one consequence of SCAR can be tested, and only against a prior that
    is known from elsewhere: labeled rows cannot stand more densely at the top than in a perfect
    ranking. The first m rows, all placed blind, hold at most :math:`\min(m, N)` of the N
    positives, so that the labeled ones among them number at most a hypergeometric draw of L.
    The statistic is the smallest such tail probability along the list; its distribution is
    simulated for a perfect ranking, the worst case. The test is honest at any quality of the
    ranking and has power where the ranking is good and *easy* cases are labeled first. That
    hard cases are labeled first looks just like a weak ranking, and no test can tell.

    Comparing labeled rows with the highest unlabeled ones (Kolmogorov-Smirnov) is no such test:
    the latter are chosen for their scores, and it rejects most tables that are SCAR.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it.
    prior : float, pair of floats, or estimate
        P(y_true = 1). Of an interval the low end is taken, which is the milder. An estimate
        that itself assumes SCAR, as a `PriorEstimate`, leaves little to test, which the result
        says (`testable`).
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the prior is that of all rows or of the unlabeled ones.
    level : float, default=0.1
        The p-value up to which SCAR is not plausible.
    random_state : int, Generator or None, default=0
        Source of the simulation.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [20, 480])
    >>> check_scar(y, np.linspace(1, 0, 500), prior=0.16).plausible
    False
    >>> y = np.tile([1, 0, 0, 0, 0], 100) * (np.arange(500) < 80)
    >>> check_scar(y, np.linspace(1, 0, 500), prior=0.16).plausible
    True
    """
    from scipy.stats import hypergeom

    labels, values = check_rows(y, scores)
    check_level(level)
    known = check_prior_range(prior, labels, scenario)
    n_labeled = int(labels.sum())
    hidden = float(count_hidden(known.low, labels, scenario))
    n_positives = n_labeled + round(hidden)
    rng = as_generator(random_state)
    ahead = np.floor(np.sort(blind_places(labels, values))) - 1  # unlabeled rows
    real = ahead + np.arange(1, n_labeled + 1)  # places among all rows
    at = np.unique(np.geomspace(1, n_labeled, _POINTS).round().astype(int))
    drawn = np.sort(
        [rng.choice(n_positives, n_labeled, replace=False) + 1 for _ in range(_DRAWS)]
    )
    places = np.minimum(np.vstack([real, drawn]), n_positives)[:, at - 1].astype(int)
    tails: NDArray[np.float64] = hypergeom.sf(at - 1, n_positives, places, n_labeled)
    least = tails.min(axis=1)
    densest = int(tails[0].argmin())
    place = int(places[0, densest])
    p_value = (1 + (least[1:] <= least[0] * (1 + 1e-9)).sum()) / (_DRAWS + 1)
    expected = n_labeled * place / n_positives
    testable = not isinstance(prior, PriorEstimate)
    return ScarCheck(float(p_value), level, place, int(at[densest]), expected, testable)
