"""How many positives a review of the first rows will find, by their scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import sigmoid
from lopsided.report.diagnosis_parts import choose_cuts
from lopsided.report.ranking_summary import FindsCurve, PriorFact

__all__ = ["expect_by_scores"]

_TAIL = 1.645  # standard deviations of a normal number to either side that hold 90 %
_STEP = 10  # rows that must promise a find to be worth a review


def expect_by_scores(scores: Any, prior: PriorFact, n_labeled: int) -> FindsCurve:
    r"""Return what the scores of ranked rows, log-odds with the best first, let expect.

    Finds in the first k rows are the sum of their probabilities. The band adds up, as
    independent, three doubts:

    1. which rows happen to be positive, with the variance :math:`\sum p (1 - p)`;
    2. the prior, at either end of whose interval all odds are others;
    3. the level of the probabilities, known from `n_labeled` rows only. Relative to the finds,
       a count of n has the variance :math:`1 / n`; a third of it is what simulated tables show.
    """
    log_odds = np.asarray(scores, dtype=float)
    proba = sigmoid(log_odds)
    stop = _find_stop(proba)
    cuts = choose_cuts(stop, len(proba))
    expected = np.cumsum(proba)[cuts - 1]
    spread = np.cumsum(proba * (1 - proba))[cuts - 1] + expected**2 / (3 * max(n_labeled, 1))
    ends = []
    for end in (prior.low, prior.high):
        moved = np.cumsum(sigmoid(log_odds + _log_odds(end) - _log_odds(prior.value)))
        ends.append(np.sqrt((moved[cuts - 1] - expected) ** 2 + _TAIL**2 * spread))
    low, high = np.maximum(expected - ends[0], 0), np.minimum(expected + ends[1], cuts)
    return FindsCurve(
        k=(0, *map(int, cuts)),
        expected=(0.0, *map(float, expected)),
        low=(0.0, *map(float, low)),
        high=(0.0, *map(float, high)),
        chance=(0.0, *(float(proba.mean() * cut) for cut in cuts)),
        stop_at=stop or None,
        sentence=_describe(stop, len(proba), cuts, expected, low, high),
    )


def _describe(
    stop: int, n_rows: int, cuts: NDArray[Any], expected: Any, low: Any, high: Any
) -> str:
    if not stop:
        return f"No {_STEP} rows promise a find or more: review none."
    at = int(np.searchsorted(cuts, stop))
    said = (
        f"The first {stop:,} rows should hold about {expected[at]:.0f} hidden positives (90 % "
        f"band {low[at]:.0f} to {high[at]:.0f})."
    )
    return said if stop == n_rows else f"{said} After that, {_STEP} rows promise fewer than 1."


def _find_stop(proba: Any) -> int:
    """Return after how many rows, in steps, a step promises less than one find."""
    starts = np.arange(0, len(proba), _STEP)
    poor = np.flatnonzero(np.add.reduceat(proba, starts) < 1)
    return int(starts[poor[0]]) if len(poor) else len(proba)


def _log_odds(prior: float) -> float:
    inside = float(np.clip(prior, 1e-9, 1 - 1e-9))
    return float(np.log(inside) - np.log1p(-inside))
