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
from lopsided_misstatement._simulate_detection import Detection, simulate_detection
from lopsided_misstatement._simulate_misstatements import Cases, draw_cases, overstate
from lopsided_misstatement.ratios import ITEMS, compute_ratios

__all__ = ["make_misstatement_panel"]

_EARLY = 5  # years simulated before the first, so that its rows have lags and cases go on
_AT_START, _EXIT = 0.5, 0.085
_GAP, _RETURN = 0.065, 0.65  # chances that a firm stays away for a year, and comes back
_NO_STATE = 0.055  # of firms
# Chances that a newcomer lacks what needs earlier years, in its first, second, later reports.
_CHANGES = ("dch_wc", "ch_rsst", "dch_rec", "dch_inv", "ch_fcf")
_LACKING = {**dict.fromkeys(_CHANGES, (0.07, 0.0, 0.0)), "dpi": (0.09, 0.03, 0.01)}
_LACKING |= {"ch_cs": (0.2, 0.1, 0.04), "ch_cm": (0.2, 0.12, 0.06)}
_LACKING |= {"ch_roa": (0.12, 0.06, 0.0)}
_MAX_PREVALENCE = 0.2  # above, firms would cheat nearly all the time
_FIRST_GVKEY = 1001


def make_misstatement_panel(
    n_firms: int = 1500,
    years: tuple[int, int] = (2000, 2014),
    prevalence: float = 0.027,
    strength: float = 0.15,
    serial: float = 0.7,
    known_at_lag: Sequence[float] = (0.09, 0.63, 0.98, 0.995, 1.0),
    severity_bias: float = 0.5,
    random_state: Any = 0,
) -> Any:
    """Make up a panel of annual reports, some misstated, of which some become known later.

    Accounts balance in every row, also in misstated ones. Two kinds of misstatement are as they
    are in the panel of the paper, by `lopsided-misstatement --compare-panels`. Two thirds are
    restatements: one year, hardly to be seen in the accounts, known after a year or two. One
    third belongs to SEC cases: one to eight years, with one of four schemes (fictitious
    receivables, inflated inventories, costs as assets, accrued liabilities left out), announced
    years after their end and without a date of restatement; they become rarer over time. The
    year after a case sets its accounts right. Large firms with many soft assets misstate more
    often, and takeovers make honest firms look alike.

    Parameters
    ----------
    n_firms : int, default=1500
        Six or seven rows each in 15 years, some of them with gaps.
    years : (int, int), default=(2000, 2014)
        The first and the last fiscal year.
    prevalence : float, default=0.027
        Share of misstated rows.
    strength : float, default=0.15
        How much is misstated: a year of an SEC case adds about 5 % of assets times this, a
        restatement is a tenth of it. At 0 the accounts are the honest ones, and only the
        motives tell cheats from others.
    serial : float, default=0.7
        How much firms differ in their will to cheat, 0 to 10.
    known_at_lag : sequence of float, default=(0.09, 0.63, 0.98, 0.995, 1.0)
        Share of restated rows known 1, 2, ... years after their fiscal year; others never are.
    severity_bias : float, default=0.5
        From 0, each restatement is as likely to come soon, to 1, the most severe come first.
    random_state : int, Generator or None, default=0
        Source of randomness. Honest accounts depend on nothing else but `n_firms` and `years`.

    Returns
    -------
    DataFrame
        One row per firm-year, sorted: `gvkey`, `fyear`, `sic`, `state`, the 28 items, `ppent`,
        what else accounts need to balance (`aco`, `other_assets`, `lco`, `olt`, `dividends`),
        the 14 ratios, not winsorized, `misstated`, `restatement_year` (a row is known in years
        after it; inf = never, NaN = an SEC case), `aaer_year` (inf = a restatement), `case_end`
        (these three NaN in honest rows), `case` (0 = none) and `severity` (overstatement over
        assets at strength 1).

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
    cases = draw_cases(honest, firms.temptation, exists, _EARLY, prevalence, serial, for_cases)
    filed = overstate(honest, cases, strength)
    inside = cases.place(exists.shape) * exists
    size = np.bincount(inside[_EARLY:].ravel(), minlength=len(cases.firm) + 1)[1:]
    detected = simulate_detection(cases, size, shares, severity_bias, for_detection)

    panel = _tabulate(firms, filed, span)
    panel = panel.assign(**_date(panel["fyear"].to_numpy(), inside.T.ravel(), cases, detected))
    panel = panel[exists.T.ravel() & (panel["fyear"] >= first).to_numpy()]
    return _blank(panel.reset_index(drop=True), for_gaps)


def _draw_lives(n_firms: int, n_years: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return when firms file: many from the start, with gaps, until they leave for good."""
    early = rng.random(n_firms) < _AT_START
    later = rng.integers(min(_EARLY + 1, n_years - 1), n_years, n_firms)
    entry = np.where(early, 0, later)
    leaves = np.maximum(entry, _EARLY) + rng.geometric(_EXIT, n_firms)
    year = np.arange(n_years)[:, None]
    alive = (entry <= year) & (year < leaves)
    away, draws = np.zeros_like(alive), rng.random(alive.shape)
    for now in range(1, n_years):
        comes = np.where(away[now - 1], draws[now] >= _RETURN, draws[now] < _GAP)
        away[now] = comes & alive[now - 1]
    return alive & ~away


def _tabulate(firms: Any, accounts: Mapping[str, Any], span: NDArray[np.intp]) -> Any:
    """Return a row for each year of each firm, filed or not, with ratios."""
    n_firms, n_years = len(firms.sic), len(span)
    firm = np.repeat(np.arange(n_firms), n_years)
    names = (*ITEMS, "ppent", *PRIVATE_ITEMS)
    columns = {
        "gvkey": firm + _FIRST_GVKEY,
        "fyear": np.tile(span, n_firms),
        "sic": pd.Categorical(firms.sic[firm]),
        "state": pd.Categorical(firms.state[firm]),
        **{name: accounts[name].T.ravel() for name in names},
    }
    panel = pd.DataFrame(columns)
    return pd.concat([panel, compute_ratios(panel)], axis=1)


def _date(
    year: NDArray[Any], case: NDArray[np.intp], cases: Cases, detected: Detection
) -> dict[str, NDArray[Any]]:
    """Return truth and dates of each row, from its year and its case, 0 = honest."""

    def spread(values: NDArray[Any], honest: float) -> NDArray[Any]:
        return np.append(honest, values)[case]

    end = spread(cases.end + year.min(), np.nan)
    return {
        "misstated": (case > 0).astype(int),
        "restatement_year": year + spread(detected.lag, np.nan) - 1,  # known in the years after
        "aaer_year": end + spread(detected.release, np.nan),
        "case_end": end,
        "case": case,
        "severity": spread(cases.severity, 0.0),
    }


def _blank(panel: Any, rng: np.random.Generator) -> Any:
    """Return a panel without some states, and some newcomers without what needs earlier years.

    Real panels have the years before a firm's first report from elsewhere, of most firms.
    """
    firm = panel["gvkey"].to_numpy() - _FIRST_GVKEY
    stateless, careless = rng.random((2, firm.max(initial=0) + 1))[:, firm]
    age = np.minimum(panel.groupby("gvkey").cumcount().to_numpy(), 2)
    new = (panel.groupby("gvkey")["fyear"].transform("min") > panel["fyear"].min()).to_numpy()
    blanked = {
        name: panel[name].mask(new & (careless < np.array(chances)[age]))
        for name, chances in _LACKING.items()
    }
    return panel.assign(**blanked, state=panel["state"].mask(stateless < _NO_STATE))


def _check_shares(known_at_lag: Any) -> NDArray[np.float64]:
    shares = np.asarray(known_at_lag, dtype=float)
    if not len(shares) or (np.diff(shares, prepend=0, append=1) < 0).any():
        raise ValueError(
            "known_at_lag must be shares from 0 to 1 that never fall, one for each year of "
            f"delay, got {known_at_lag!r}. Pass for example (0.5, 0.7, 0.8)."
        )
    return shares
