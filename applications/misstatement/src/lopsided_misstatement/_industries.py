"""Industries and states of made-up firms, about as many firms sharing one as in real panels."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

__all__ = ["draw_codes", "draw_industries", "draw_states"]

# Of an industry by its largest SIC code: the weight; then as shares of sales cost of sales,
# overhead, receivables, inventories, plant; then how often its reports are misstated, beside
# those of all industries.
_INDUSTRIES = {
    "7372": (0.12, 0.30, 0.55, 0.22, 0.01, 0.20, 1.1),
    "2834": (0.11, 0.35, 0.52, 0.16, 0.12, 0.40, 0.6),
    "3674": (0.09, 0.54, 0.29, 0.15, 0.14, 0.80, 1.1),
    "3845": (0.08, 0.40, 0.47, 0.18, 0.15, 0.25, 0.8),
    "7370": (0.07, 0.52, 0.36, 0.18, 0.01, 0.35, 1.1),
    "1311": (0.07, 0.42, 0.14, 0.17, 0.02, 2.60, 0.7),
    "3570": (0.06, 0.62, 0.27, 0.18, 0.12, 0.30, 1.3),
    "5812": (0.06, 0.77, 0.11, 0.02, 0.02, 0.80, 1.1),
    "4813": (0.06, 0.46, 0.25, 0.14, 0.02, 1.60, 0.6),
    "3576": (0.06, 0.48, 0.41, 0.18, 0.13, 0.30, 1.3),
    "4911": (0.05, 0.64, 0.05, 0.13, 0.06, 2.30, 0.7),
    "8090": (0.05, 0.70, 0.20, 0.17, 0.02, 0.35, 0.9),
    "2911": (0.04, 0.82, 0.05, 0.09, 0.08, 0.75, 1.0),
    "5331": (0.04, 0.74, 0.19, 0.02, 0.15, 0.40, 1.1),
    "3711": (0.04, 0.80, 0.11, 0.12, 0.13, 0.55, 0.9),
}
_N_CODES, _ZIPF = 25, 1.2  # of an industry; firms with its k-th code go with k^-1.2
_STATES = {"DE": 0.62, "NV": 0.04, "CA": 0.03, "NY": 0.03}
_STATES |= dict.fromkeys(["MN", "PA", "FL", "OH", "TX", "MA", "NJ", "WA", "VA", "MD"], 0.015)
_STATES |= dict.fromkeys(["WI", "CO", "GA", "MI", "OR", "IN", "NC", "UT", "TN", "CT"], 0.008)
_STATES |= dict.fromkeys(["MO", "AZ", "IL", "IA", "LA", "KY", "SC", "AL", "OK", "KS"], 0.005)


def draw_industries(
    n_firms: int, rng: Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the number of each firm's industry, and its line of the table without weight."""
    table = np.array(list(_INDUSTRIES.values()))
    kind = rng.choice(len(table), n_firms, p=table[:, 0] / table[:, 0].sum())
    return kind, table[kind, 1:]


def draw_codes(kind: NDArray[np.intp], rng: Generator) -> NDArray[np.str_]:
    """Return a SIC code of each firm's industry."""
    shares = np.arange(1.0, _N_CODES + 1) ** -_ZIPF
    step = rng.choice(_N_CODES, len(kind), p=shares / shares.sum())
    largest = np.array(list(_INDUSTRIES)).astype(int)[kind]
    # Steps of 4 stay inside the two-digit group and apart from its other industry.
    code = largest // 100 * 100 + (largest % 100 + 4 * step) % 100
    return code.astype(str)


def draw_states(n_firms: int, rng: Generator) -> NDArray[np.str_]:
    """Return the state in which each firm is incorporated."""
    shares = np.array(list(_STATES.values()))
    return np.array(list(_STATES))[rng.choice(len(shares), n_firms, p=shares / shares.sum())]
