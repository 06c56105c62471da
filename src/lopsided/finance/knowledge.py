"""What was known when: which misstatements of past years had come to light by a year."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_choice

__all__ = ["RULES", "known", "known_shares", "public_year"]

PAPER_SHARES = (0.5, 0.7, 0.8)  # of the misstatements one, two and three years back
_HEAD_START = 3  # years: a restatement comes about so long before its release


def known(panel: Any, year: int, rule: str = "released") -> NDArray[np.int8]:
    """Return which firm-years were known to be misstated when reports of a year are ranked.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    year : int
        The fiscal year of the reports to be ranked. What becomes public in it is unknown.
    rule : {"released", "strict", "proxy", "paper", "all"}, default="released"
        "released" goes by restatement years and takes misstatements without one for known from
        the start, as the published splits do; "strict" takes those for known after their SEC
        release; "proxy" three years before it, but not before the case has ended; "paper" lets
        50, 70 and 80 % be known one, two and three years later; "all" hides nothing.

    Returns
    -------
    ndarray of shape (n_rows,)
        1 = known to be misstated, 0 = not.
    """
    return ((panel["misstated"].to_numpy() == 1) & (public_year(panel, rule) < year)).astype(
        np.int8
    )


def public_year(panel: Any, rule: str) -> NDArray[np.float64]:
    """Return the year in which each misstatement became public; inf is never.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    rule : str
        See `known`.
    """
    return RULES[check_choice(rule, RULES, "rule")](panel)


def known_shares(
    panel: Any, rule: str, years: Sequence[int], lags: Sequence[int] = (1, 2, 3)
) -> dict[int, float]:
    """Return which share of the misstatements of earlier years is known, by how much earlier.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    rule : str
        See `known`.
    years : sequence of int
        Years that are ranked.
    lags : sequence of int, default=(1, 2, 3)
        Years between a report and the ranking.
    """
    misstated = panel["misstated"].to_numpy() == 1
    fiscal, public = panel["fyear"].to_numpy(), public_year(panel, rule)
    shares = {}
    for lag in lags:
        counted = misstated & np.isin(fiscal + lag, years)
        shares[lag] = float((public < fiscal + lag)[counted].mean())
    return shares


def _released(panel: Any) -> NDArray[np.float64]:
    return panel["restatement_year"].fillna(-np.inf).to_numpy(dtype=float)


def _strict(panel: Any) -> NDArray[np.float64]:
    return _earliest(panel["restatement_year"], _released_by_sec(panel, "aaer_year"))


def _proxy(panel: Any) -> NDArray[np.float64]:
    early = _released_by_sec(panel, "aaer_year") - _HEAD_START
    ended = _released_by_sec(panel, "case_end") + 1
    return _earliest(panel["restatement_year"], np.maximum(early, ended))


def _paper(panel: Any) -> NDArray[np.float64]:
    # One chance for each firm-year, whatever rows are beside it, so that knowledge only grows.
    public = np.full(len(panel), np.inf)
    rows = np.flatnonzero(panel["misstated"] == 1)
    keys = panel[["gvkey", "fyear"]].to_numpy(dtype=np.int64)[rows]
    seeds = keys.view(np.uint64)  # firms may have negative numbers
    chance = np.array([np.random.default_rng(seed).random() for seed in seeds])
    later = np.searchsorted(PAPER_SHARES, chance, side="right")
    come_out = later < len(PAPER_SHARES)
    public[rows[come_out]] = (keys[:, 1] + later)[come_out]
    return public


def _all(panel: Any) -> NDArray[np.float64]:
    return np.full(len(panel), -np.inf)


def _released_by_sec(panel: Any, name: str) -> Any:
    if name not in panel:
        raise ValueError(
            f"This rule needs the column {name}, got a panel without it. Give the SEC cases "
            "(`cases`), or use the rule 'released'."
        )
    return panel[name]


def _earliest(*years: Any) -> NDArray[np.float64]:
    """Return the earliest of some years, inf where none is known."""
    filled = [np.where(np.isnan(year), np.inf, year) for year in years]
    return np.minimum.reduce(filled)


RULES: dict[str, Callable[[Any], NDArray[np.float64]]] = {
    "released": _released,
    "strict": _strict,
    "proxy": _proxy,
    "paper": _paper,
    "all": _all,
}
