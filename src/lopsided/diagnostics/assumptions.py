"""How far the answers move with the prior, and if labels are not given at random."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import sigmoid
from lopsided._terminal import quote
from lopsided.diagnostics._hidden import PriorRange, check_prior_range, count_hidden
from lopsided.diagnostics._rows import blind_places, check_cuts, check_rows, stands_within
from lopsided.diagnostics.finds import calibrate_hidden

__all__ = ["Outcome", "Sensitivity", "sensitivity"]
_MAX_TILT = 1e100


@dataclass(frozen=True)
class Outcome:
    """Prior and metrics under one assumption.

    Attributes
    ----------
    assumption : str
        Which, in words.
    prior : float
        P(y_true = 1), of all rows or, in the two-sample scenario, of the unlabeled ones.
    recall : float
        Share of all positives in the first k, each placed among the unlabeled rows.
    average_precision : float
        Of all positives, against the truth; at most 1.
    finds : float
        Hidden positives to expect among the first k unlabeled rows, as in `expected_finds`.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import sensitivity
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> usual = sensitivity(y, scores, 50, prior=0.08).outcomes[0]
    >>> print(f"{usual.assumption}: {usual.finds:.0f} finds")
    labels at random: 26 finds
    """

    assumption: str
    prior: float
    recall: float
    average_precision: float
    finds: float


@dataclass(frozen=True)
class Sensitivity:
    """Outcomes under several assumptions, the first of them the usual one.

    Attributes
    ----------
    k : int
        Length of the list.
    tilt : float
        How many times as often easy or hard cases are labeled, where labels are not random.
    outcomes : tuple of Outcome
        One for each assumption, the usual one first.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import sensitivity
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> for outcome in sensitivity(y, scores, 50, prior=0.08).outcomes:
    ...     print(f"{outcome.assumption}: {outcome.finds:.0f} finds")
    labels at random: 26 finds
    easy cases labeled first: 19 finds
    hard cases labeled first: 31 finds
    """

    k: int
    tilt: float
    outcomes: tuple[Outcome, ...]

    def __str__(self) -> str:
        wide = max(len(one.assumption) for one in self.outcomes)
        lines = [
            f"{'':{wide}}   prior  recall at {self.k}  average precision  finds in {self.k}"
        ]
        digits = len(str(self.k))
        lines += [
            f"{one.assumption:{wide}}  {one.prior:6.3f}  {one.recall:{10 + digits}.2f}"
            f"  {one.average_precision:17.2f}  {one.finds:{9 + digits}.0f}"
            for one in self.outcomes
        ]
        return "\n".join(lines)


def sensitivity(
    y: Any,
    scores: Any,
    k: int,
    prior: Any,
    *,
    tilt: float = 3.0,
    scenario: str = "one-sample",
) -> Sensitivity:
    r"""Return prior, recall, average precision and finds under several assumptions.

    With propensity :math:`e_i` each labeled row stands for :math:`1 / e_i` positives, of which
    :math:`1 / e_i - 1` are hidden. SCAR takes one e for all. If labels are selective, e rises
    or falls along the list by a factor of `tilt` from the labeled row that stands highest to
    the one that stands lowest, at most 1. A known prior says how many positives there are, so
    that only their places move. A prior with an interval is taken for one estimated from the
    labels, where the top of the list shows e: the prior then moves too, as far as it can. An
    estimate that leans on a belief moves less.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which is on no list.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it.
    k : int
        Length of the list, from 1 to the number of unlabeled rows.
    prior : float, pair of floats, or estimate
        P(y_true = 1), as in `expected_finds`.
    tilt : float, default=3.0
        How much likelier one end of the list is to be labeled than the other; above 1.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the prior is that of all rows or of the unlabeled ones.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [80, 920])
    >>> scores = rng.normal(size=1000) + 2 * y_true
    >>> y = y_true * (np.arange(1000) % 2)
    >>> print(sensitivity(y, scores, 50, prior=(0.06, 0.1)))
                               prior  recall at 50  average precision  finds in 50
    labels at random           0.077          0.62               0.73           24
    prior at its low end       0.060          0.62               0.58           14
    prior at its high end      0.100          0.62               0.93           34
    easy cases labeled first   0.141          0.49               0.86           42
    hard cases labeled first   0.050          0.70               0.66           10
    """
    labels, values = check_rows(y, scores, keep_reviewed=True)
    (cut,) = check_cuts(k, int((labels == 0).sum()))
    if not isinstance(tilt, (int, float, np.number)) or not 1 < tilt <= _MAX_TILT:
        raise ValueError(
            f"tilt must be a number above 1, up to {_MAX_TILT:g}, got {quote(tilt)}."
        )
    known = check_prior_range(prior, labels, scenario)
    rows = _LabeledRows.place(labels, values, cut)
    n_labeled = len(rows.inside)

    def judge(assumption: str, share: NDArray[np.float64]) -> Outcome:
        return _judge(assumption, share, rows, labels, values, cut, scenario)

    def at_random(value: float) -> NDArray[np.float64]:
        hidden = float(count_hidden(value, labels, scenario))
        return np.full(n_labeled, n_labeled / (n_labeled + hidden))

    outcomes = [judge("labels at random", at_random(known.value))]
    if not known.is_known:
        outcomes.append(judge("prior at its low end", at_random(known.low)))
        outcomes.append(judge("prior at its high end", at_random(known.high)))
    for words, sign in (("easy", -1), ("hard", 1)):
        slope = tilt ** (sign * rows.depth)
        share = _tilt_propensity(at_random(known.value)[0], slope, known)
        outcomes.append(judge(f"{words} cases labeled first", share))
    return Sensitivity(cut, float(tilt), tuple(outcomes))


@dataclass(frozen=True)
class _LabeledRows:
    """Where the labeled rows stand, the highest first."""

    order: NDArray[np.intp]  # as they come in the table
    inside: NDArray[np.float64]  # whether in the first k
    places: NDArray[np.float64]  # among the rows that are not labeled
    depth: NDArray[np.float64]  # 0 for the highest, 1 for the lowest

    @classmethod
    def place(cls, y: Any, scores: Any, k: int) -> "_LabeledRows":
        places = blind_places(np.maximum(y, 0), scores)
        order = np.argsort(places, kind="stable")
        depth = np.linspace(0, 1, len(places))
        return cls(order, stands_within(y, scores, k)[order], places[order], depth)


def _tilt_propensity(
    level: float, slope: NDArray[np.float64], known: PriorRange
) -> NDArray[np.float64]:
    """Return propensities along a slope: anchored at the top, or keeping the known count."""
    if not known.is_known:
        return np.minimum(1.0, level * slope)
    from scipy.optimize import brentq

    wanted = len(slope) / level  # positives

    def excess(log_scale: float) -> float:
        return float((1 / np.minimum(1.0, np.exp(log_scale) * slope)).sum() - wanted)

    top = -float(np.log(slope.min()))  # every propensity is 1
    if excess(top) >= 0:
        return np.ones(len(slope))
    return np.minimum(1.0, np.exp(brentq(excess, top - 40, top)) * slope)


def _judge(
    assumption: str,
    propensity: NDArray[np.float64],
    rows: _LabeledRows,
    y: NDArray[np.int8],
    scores: NDArray[np.float64],
    k: int,
    scenario: str,
) -> Outcome:
    """Return prior and metrics if each labeled row stands for 1 / propensity positives."""
    weight = 1 / propensity
    n_labeled, total = len(weight), float(weight.sum())
    total = min(total, float(len(y)))
    above = np.r_[0.0, np.cumsum(weight)[:-1]]
    # With one weight for all this is the unbiased average precision of `pu_average_precision`.
    above *= (total - 1) / max(n_labeled - 1, 1) * n_labeled / total
    places = rows.places + np.arange(n_labeled)  # among all rows
    hidden_share = (total - n_labeled) / (len(y) - n_labeled)
    prior = hidden_share if scenario == "two-sample" else total / len(y)
    return Outcome(
        assumption,
        float(prior),
        float((weight * rows.inside).sum() / weight.sum()),
        float(min(1.0, (weight * (1 + above) / places).sum() / weight.sum())),
        _expect(weight - 1, rows, y, scores, k),
    )


def _expect(
    hidden: NDArray[np.float64],
    rows: _LabeledRows,
    y: NDArray[np.int8],
    scores: NDArray[np.float64],
    k: int,
) -> float:
    """Return the finds in the first k rows, by how many each labeled row stands for."""
    total = float(min(hidden.sum(), (y == 0).sum()))
    if total == 0:
        return 0.0
    log_odds = calibrate_hidden(
        y, scores, n_hidden=total, stands_for=hidden[np.argsort(rows.order)]
    )
    return float(np.sort(sigmoid(log_odds))[::-1][:k].sum())
