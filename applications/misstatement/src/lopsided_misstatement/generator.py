"""Made-up panels of firm-years for tests and demonstrations; no evidence about real filings."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from lopsided_misstatement._simulate_accounts import (
    PRIVATE_ITEMS,
    draw_firms,
    simulate_accounts,
)
from lopsided_misstatement._simulate_misstatements import (
    Cases,
    Detection,
    draw_cases,
    overstate,
    simulate_detection,
)
from lopsided_misstatement.ratios import ITEMS, compute_ratios

__all__ = ["make_misstatement_panel"]

_EARLY = 2  # years simulated before the first, so that its rows have lags
_AT_START, _EXIT, _NO_STATE = 0.55, 0.07, 0.03
_MAX_PREVALENCE = 0.2  # above, firms would cheat nearly all the time
_FIRST_GVKEY = 1001


def make_misstatement_panel(
    n_firms: int = 1500,
    years: tuple[int, int] = (2000, 2014),
    prevalence: float = 0.008,
    strength: float = 0.4,
    serial: float = 1.0,
    known_at_lag: Sequence[float] = (0.5, 0.7, 0.8, 0.88, 0.93),
    severity_bias: float = 0.5,
    random_state: Any = 0,
) -> Any:
    """Make up a panel of annual reports, some misstated, of which some become known later.

    Accounts balance in every row, also in misstated ones. A case lasts one to four years and
    has one of four schemes: fictitious receivables, inflated inventories, costs as assets,
    accrued liabilities left out. The year after a case sets its accounts right. Firms that grow
    fast, owe much or are large cheat more often, and takeovers make honest firms look alike.

    Parameters
    ----------
    n_firms : int, default=1500
        Seven or eight rows each, in 15 years.
    years : (int, int), default=(2000, 2014)
        The first and the last fiscal year.
    prevalence : float, default=0.008
        Share of misstated rows.
    strength : float, default=0.4
        How much is misstated: a year of a case adds about 5 % of assets times this. At 0 the
        accounts are the honest ones, and only the motives tell cheats from others.
    serial : float, default=1.0
        How much firms differ in their will to cheat, 0 to 10.
    known_at_lag : sequence of float, default=(0.5, 0.7, 0.8, 0.88, 0.93)
        Share of misstated rows known 1, 2, ... years after their fiscal year; others never are.
    severity_bias : float, default=0.5
        From 0, each case is as likely to be caught, to 1, the most severe come first.
    random_state : int, Generator or None, default=0
        Source of randomness. Honest accounts depend on nothing else but `n_firms` and `years`.

    Returns
    -------
    DataFrame
        One row per firm-year, sorted: `gvkey`, `fyear`, `sic`, `state`, the 28 items, `ppent`,
        what else accounts need to balance (`aco`, `other_assets`, `lco`, `olt`, `dividends`),
        the 14 ratios, not winsorized, `misstated`, `restatement_year` (a row is known in years
        after it; inf = never), `aaer_year` (inf = none), `case_end` (these three NaN in honest
        rows), `case` (0 = none) and `severity` (overstatement over assets at strength 1).

    Examples
    --------
    >>> panel = make_misstatement_panel(n_firms=200, prevalence=0.02)
    >>> float(round(panel["misstated"].mean(), 2))
    0.02
    >>> known = panel["restatement_year"] < 2010
    >>> bool(known.sum() < panel["misstated"].sum())
    True
    """
    n_firms = check_scalar(n_firms, "n_firms", Integral, min_val=1)
    first, last = (check_scalar(year, "a year", Integral, min_val=1) for year in years)
    if first > last:
        raise ValueError(f"years must not run backwards, got {years!r}. Swap them.")
    limits = {
        "prevalence": (prevalence, _MAX_PREVALENCE),
        "strength": (strength, 100),
        "serial": (serial, 10),
        "severity_bias": (severity_bias, 1),
    }
    for name, (value, most) in limits.items():
        if not 0 <= value <= most:
            raise ValueError(f"{name} must be a number from 0 to {most:g}, got {value!r}.")
    shares = _check_shares(known_at_lag)

    # Streams of their own: what one part draws does not change another.
    rng = np.random.default_rng(random_state)
    for_accounts, for_cases, for_detection, for_gaps = rng.spawn(4)
    span = np.arange(first - _EARLY, last + 1)
    firms = draw_firms(n_firms, for_accounts)
    exists = _draw_lives(n_firms, len(span), for_accounts)
    honest = simulate_accounts(firms, span, for_accounts)
    cases = draw_cases(honest, exists, _EARLY, prevalence, serial, for_cases)
    filed = overstate(honest, cases, strength)
    inside = cases.place(exists.shape) * exists
    size = np.bincount(inside[_EARLY:].ravel(), minlength=len(cases.firm) + 1)[1:]
    detected = simulate_detection(cases, size, shares, severity_bias, for_detection)

    panel = _tabulate(firms, filed, exists, span)
    year, case = panel["fyear"].to_numpy(), inside.T[exists.T]
    panel = panel.assign(**_date(year, case, cases, int(span[0]), detected))
    panel = panel[panel["fyear"] >= first].reset_index(drop=True)
    panel["state"] = panel["state"].mask(for_gaps.random(len(panel)) < _NO_STATE)
    return panel


def _draw_lives(n_firms: int, n_years: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return when firms exist: many from the start, each leaves after a geometric time."""
    early = rng.random(n_firms) < _AT_START
    later = rng.integers(min(_EARLY + 1, n_years - 1), n_years, n_firms)
    entry = np.where(early, 0, later)
    leaves = np.maximum(entry, _EARLY) + rng.geometric(_EXIT, n_firms)
    year = np.arange(n_years)[:, None]
    return (entry <= year) & (year < leaves)


def _tabulate(
    firms: Any, accounts: Mapping[str, Any], exists: NDArray[np.bool_], span: NDArray[np.intp]
) -> Any:
    """Return a row for each year of each firm, with ratios."""
    firm, year = np.nonzero(exists.T)
    columns = {
        "gvkey": firm + _FIRST_GVKEY,
        "fyear": span[year],
        "sic": pd.Categorical(firms.sic[firm]),
        "state": pd.Categorical(firms.state[firm]),
        **{name: accounts[name][year, firm] for name in (*ITEMS, "ppent", *PRIVATE_ITEMS)},
    }
    panel = pd.DataFrame(columns)
    return pd.concat([panel, compute_ratios(panel)], axis=1)


def _date(
    year: NDArray[Any],
    case: NDArray[np.intp],
    cases: Cases,
    origin: int,
    detected: Detection,
) -> dict[str, NDArray[Any]]:
    """Return truth and dates of each row, from its year and its case, 0 = honest."""

    def spread(values: NDArray[Any], honest: float) -> NDArray[Any]:
        return np.append(honest, values)[case]

    end = spread(cases.end + origin, np.nan)
    lag = spread(detected.lag, np.nan)
    return {
        "misstated": (case > 0).astype(int),
        "restatement_year": year + lag - 1,  # known in the years after it
        "aaer_year": end + lag - 1 + spread(detected.release, np.nan),
        "case_end": end,
        "case": case,
        "severity": spread(cases.severity, 0.0),
    }


def _check_shares(known_at_lag: Any) -> NDArray[np.float64]:
    shares = np.asarray(known_at_lag, dtype=float)
    if not len(shares) or (np.diff(shares, prepend=0, append=1) < 0).any():
        raise ValueError(
            "known_at_lag must be shares from 0 to 1 that never fall, one for each year of "
            f"delay, got {known_at_lag!r}. Pass for example (0.5, 0.7, 0.8)."
        )
    return shares
