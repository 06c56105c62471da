"""When misstatements become known: restatements soon and with a date, SEC cases years later."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lopsided_misstatement._simulate_misstatements import Cases

__all__ = ["Detection", "simulate_detection"]

_RELEASED = (0.04, 0.10, 0.20, 0.31, 0.18, 0.14, 0.03)  # 1, 2, ... years after a case ends


class Detection(NamedTuple):
    """When each case comes out, in years: inf = never, NaN = nobody wrote it down."""

    lag: NDArray[np.float64]  # from a misstated report until its restatement is known
    release: NDArray[np.float64]  # from the end of a case until the SEC announces it


def simulate_detection(
    cases: Cases,
    weight: NDArray[Any],
    known_at_lag: NDArray[np.float64],
    severity_bias: float,
    rng: Generator,
) -> Detection:
    """Draw when restatements are known, and when the SEC announces its cases.

    Restatements stand in a line, severe ones further in front the larger the bias; each takes
    a place as wide as its weight, and the line is cut at the shares known by year.
    """
    n_cases = len(weight)
    lag = np.full(n_cases, np.nan)
    restated = np.flatnonzero(~cases.sec)
    lag[restated] = _stand_in_line(
        cases.severity[restated], weight[restated], known_at_lag, severity_bias, rng
    )
    release = np.full(n_cases, np.inf)
    years = np.arange(1, len(_RELEASED) + 1)
    drawn = rng.choice(years, n_cases, p=np.divide(_RELEASED, sum(_RELEASED)))
    release[cases.sec] = drawn[cases.sec]
    return Detection(lag, release)


def _stand_in_line(
    severity: NDArray[np.float64],
    weight: NDArray[Any],
    known_at_lag: NDArray[np.float64],
    severity_bias: float,
    rng: Generator,
) -> NDArray[np.float64]:
    n_cases = len(weight)
    luck = rng.random(n_cases)
    mildness = 1 - (np.argsort(np.argsort(severity)) + 0.5) / max(n_cases, 1)
    line = np.argsort(severity_bias * mildness + (1 - severity_bias) * luck)
    place = np.empty(n_cases)
    place[line] = (np.cumsum(weight[line]) - weight[line] / 2) / max(weight.sum(), 1)
    lag = np.searchsorted(known_at_lag, place, side="right").astype(float) + 1
    lag[lag > len(known_at_lag)] = np.inf
    return lag
