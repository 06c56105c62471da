"""Misstatements in honest accounts: who starts, by how much, when it becomes known."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lopsided_misstatement._simulate_accounts import recompute_totals

__all__ = ["Cases", "Detection", "draw_cases", "overstate", "simulate_detection"]

_LENGTHS = (0.43, 0.25, 0.18, 0.14)  # shares of cases that last 1, 2, 3, 4 years
_SCHEMES = (0.45, 0.20, 0.20, 0.15)  # receivables, inventories, capitalised costs, liabilities
_RECEIVABLES, _INVENTORIES, _CAPITALISED, _LIABILITIES = range(4)
_YEARLY, _SPREAD, _TAX = 0.05, 0.6, 0.35


@dataclass(frozen=True)
class Cases:
    """Spells of misstated years, each of one firm; years count from the first simulated one."""

    firm: NDArray[np.intp]
    start: NDArray[np.intp]
    end: NDArray[np.intp]  # the last misstated year
    scheme: NDArray[np.intp]
    sizes: NDArray[np.float64]  # (n_cases, 4): what each year adds, as a share of assets

    @property
    def severity(self) -> NDArray[np.float64]:
        """Return the whole overstatement as a share of assets, at strength 1."""
        return self.sizes.sum(axis=1)

    def place(self, shape: tuple[int, int]) -> NDArray[np.intp]:
        """Return the case of each firm and year, counted from 1, or 0; (n_years, n_firms)."""
        placed = np.zeros(shape, dtype=np.intp)
        for year in range(shape[0]):
            on = np.flatnonzero((self.start <= year) & (year <= self.end))
            placed[year, self.firm[on]] = on + 1
        return placed


class Detection(NamedTuple):
    """When each case comes out, inf = never."""

    lag: NDArray[np.float64]  # years until it is known
    release: NDArray[np.float64]  # years from then until the SEC announces it


def draw_cases(
    accounts: Mapping[str, Any],
    exists: NDArray[np.bool_],
    n_early: int,
    prevalence: float,
    serial: float,
    rng: Generator,
) -> Cases:
    """Draw spells so that the wanted share of the rows after `n_early` years is misstated.

    Firms that grow, owe much or are large start more often, and so do some firms by nature.
    """
    n_years = len(exists)
    chance = _weigh_motives(accounts, exists, serial, rng)
    draws = np.where(exists, rng.random(exists.shape) / chance, np.inf)
    lengths = rng.choice(4, size=exists.shape, p=_LENGTHS) + 1
    rates = np.append(np.sort(draws[exists]), np.inf)  # at rates[k], k firm-years would start

    def count(k: int) -> int:
        lasts = _start_spells(draws < rates[k], lengths)[1][n_early:]
        return int((exists[n_early:] & (lasts >= np.arange(n_early, n_years)[:, None])).sum())

    # Prevalence is held in each panel, not only on average: few cases would vary a lot.
    target = prevalence * int(exists[n_early:].sum())
    chosen = bisect_left(range(len(rates) - 1), target, key=count)
    starts, lasts = _start_spells(draws < rates[chosen], lengths)
    start, firm = np.nonzero(starts)
    # A firm that leaves takes its case along; one that stays may cheat beyond the last year.
    leaves = n_years - np.argmax(exists[::-1], axis=0) - 1
    leaves = np.where(exists[-1], n_years + 3, leaves)
    end = np.minimum(lasts[start, firm], leaves[firm])
    sizes = _YEARLY * rng.lognormal(0, _SPREAD, (len(start), 4))
    sizes[np.arange(4) > (end - start)[:, None]] = 0
    scheme = rng.choice(4, size=len(start), p=_SCHEMES)
    kept = end >= n_early
    return Cases(firm[kept], start[kept], end[kept], scheme[kept], sizes[kept])


def _weigh_motives(
    accounts: Mapping[str, Any],
    exists: NDArray[np.bool_],
    serial: float,
    rng: Generator,
) -> NDArray[np.float64]:
    """Return how much likelier than usual each firm is to start in each year."""
    leverage = (accounts["dltt"] + accounts["dlc"]) / accounts["at"]
    motive = 0.8 * np.tanh((accounts["growth"] - 0.05) / 0.2) + 0.5 * np.tanh(leverage - 0.2)
    motive = (
        motive + 0.125 * np.log(accounts["sale"]) + serial * rng.normal(size=exists.shape[1])
    )
    chance = np.exp(motive - motive.max())
    return chance / chance[exists].mean()


def _start_spells(
    wills: NDArray[np.bool_], lengths: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return where cases start, and by year the last year of a firm's latest case."""
    starts, lasts = np.zeros_like(wills), np.empty_like(lengths)
    last = np.full(wills.shape[1], -2)
    for year, will in enumerate(wills):
        # The year after a case is the one that reverses it: no other case starts.
        starts[year] = will & (year > last + 1)
        last = np.where(starts[year], year + lengths[year] - 1, last)
        lasts[year] = last
    return starts, lasts


def overstate(accounts: Mapping[str, Any], cases: Cases, strength: float) -> dict[str, Any]:
    """Return the accounts as filed: overstated in the years of a case, set right after it.

    The stock of overstatement is an asset too much or a debt too little. Taxes owed take up
    35 % of it and retained earnings 65 %, the income statement its change: accounts balance.
    """
    n_years = len(accounts["at"])
    shape = (4, *accounts["at"].shape)
    stock = np.zeros(shape)
    for step in range(4):
        on = np.flatnonzero((cases.start + step <= cases.end) & (cases.start + step < n_years))
        year, firm, scheme = cases.start[on] + step, cases.firm[on], cases.scheme[on]
        added = strength * cases.sizes[on, step] * accounts["at"][year, firm]
        before = stock[scheme, year - 1, firm] if step else 0.0
        limit = _limit(accounts, year, firm, scheme)
        stock[scheme, year, firm] = np.minimum(before + added, limit)
    moved = np.diff(stock, axis=1, prepend=0.0)
    total, change = stock.sum(axis=0), moved.sum(axis=0)

    filed = dict(accounts)
    filed["rect"] = accounts["rect"] + stock[_RECEIVABLES]
    filed["sale"] = accounts["sale"] + moved[_RECEIVABLES]
    filed["invt"] = accounts["invt"] + stock[_INVENTORIES]
    filed["cogs"] = accounts["cogs"] - moved[_INVENTORIES]
    filed["other_assets"] = accounts["other_assets"] + stock[_CAPITALISED]
    filed["lco"] = accounts["lco"] - stock[_LIABILITIES]
    filed["txp"] = accounts["txp"] + _TAX * total
    filed["txt"] = accounts["txt"] + _TAX * change
    filed["re"] = accounts["re"] + (1 - _TAX) * total
    filed["ib"] = accounts["ib"] + (1 - _TAX) * change
    filed["ni"] = accounts["ni"] + (1 - _TAX) * change
    return recompute_totals(filed)


def _limit(
    accounts: Mapping[str, Any], year: NDArray[Any], firm: NDArray[Any], scheme: NDArray[Any]
) -> NDArray[Any]:
    """Return how much can be hidden: sales, costs and debts as filed must stay above zero."""
    after = np.minimum(year + 1, len(accounts["at"]) - 1)
    sale = 0.5 * np.minimum(accounts["sale"][year, firm], accounts["sale"][after, firm])
    roomy = {_RECEIVABLES: sale, _INVENTORIES: 0.5 * accounts["cogs"][year, firm]}
    roomy |= {_LIABILITIES: 0.8 * accounts["lco"][year, firm]}
    return np.select([scheme == kind for kind in roomy], list(roomy.values()), np.inf)


def simulate_detection(
    cases: Cases,
    weight: NDArray[Any],
    known_at_lag: NDArray[np.float64],
    severity_bias: float,
    rng: Generator,
) -> Detection:
    """Draw when cases are detected; the SEC releases the more severe half of them.

    Cases stand in a line, severe ones further in front the larger the bias; each takes a place
    as wide as its weight, and the line is cut at the shares known after 1, 2, ... years.
    """
    n_cases = len(weight)
    luck = rng.random(n_cases)
    mildness = 1 - (np.argsort(np.argsort(cases.severity)) + 0.5) / max(n_cases, 1)
    line = np.argsort(severity_bias * mildness + (1 - severity_bias) * luck)
    place = np.empty(n_cases)
    place[line] = (np.cumsum(weight[line]) - weight[line] / 2) / max(weight.sum(), 1)
    lag = np.searchsorted(known_at_lag, place, side="right").astype(float) + 1
    lag[lag > len(known_at_lag)] = np.inf
    release = rng.integers(2, 5, n_cases).astype(float)
    release[mildness >= 0.5] = np.inf
    return Detection(lag, release)
