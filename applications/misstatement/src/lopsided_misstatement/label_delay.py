"""When misstatements became public: rules where the data have no date."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.model_selection import labels_as_of

__all__ = ["RULES", "known_labels", "known_shares", "public_year"]

_LAGS = (1, 2, 3)  # years between a report and the ranking of a later year
_PAPER_SHARES = (0.5, 0.7, 0.8)  # of the misstatements so long ago


def known_labels(panel: Any, year: int, rule: str = "released") -> NDArray[np.int8]:
    """Return which firm-years were known to be misstated when reports of a year are ranked.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    year : int
        The fiscal year of the reports to be ranked. What becomes public in it is unknown.
    rule : {"released", "strict", "paper", "all"}, default="released"
        "released" goes by restatement years and takes misstatements without one for known from
        the start, as the published splits do; "strict" takes those for known after their SEC
        release; "paper" lets 50, 70 and 80 % be known one, two and three years later; "all"
        hides nothing.
    """
    return labels_as_of(panel["misstated"], public_year(panel, rule), year)


def public_year(panel: Any, rule: str) -> NDArray[np.float64]:
    """Return the year in which each misstatement became public; inf is never."""
    if rule not in RULES:
        raise ValueError(f"The rule must be one of {', '.join(RULES)}, got {rule!r}.")
    return RULES[rule](panel)


def known_shares(panel: Any, rule: str, years: Sequence[int]) -> dict[int, float]:
    """Return which share of earlier misstatements is known when years are ranked, by lag."""
    misstated = panel["misstated"].to_numpy() == 1
    fiscal, public = panel["fyear"].to_numpy(), public_year(panel, rule)
    return {
        lag: float((public < fiscal + lag)[misstated & np.isin(fiscal + lag, years)].mean())
        for lag in _LAGS
    }


def _released(panel: Any) -> NDArray[np.float64]:
    return panel["restatement_year"].fillna(-np.inf).to_numpy(dtype=float)


def _strict(panel: Any) -> NDArray[np.float64]:
    if "aaer_year" not in panel:
        raise ValueError(
            "This rule needs the column aaer_year, got a panel without it. Give the SEC cases "
            "(`cases`), or use the rule 'released'."
        )
    return panel[["restatement_year", "aaer_year"]].min(axis=1).fillna(np.inf).to_numpy(float)


def _paper(panel: Any) -> NDArray[np.float64]:
    # One draw for each firm-year, whatever rows are beside it: what is known stays known.
    public = np.full(len(panel), np.inf)
    rows = np.flatnonzero(panel["misstated"] == 1)
    keys = panel[["gvkey", "fyear"]].to_numpy(dtype=np.int64)[rows]
    seeds = keys.view(np.uint64)  # firms may have negative numbers
    chance = np.array([np.random.default_rng(seed).random() for seed in seeds])
    later = np.searchsorted(_PAPER_SHARES, chance, side="right")
    come_out = later < len(_PAPER_SHARES)
    public[rows[come_out]] = (keys[:, 1] + later)[come_out]
    return public


def _all(panel: Any) -> NDArray[np.float64]:
    return np.full(len(panel), -np.inf)


RULES: dict[str, Callable[[Any], NDArray[np.float64]]] = {
    "released": _released,
    "strict": _strict,
    "paper": _paper,
    "all": _all,
}
