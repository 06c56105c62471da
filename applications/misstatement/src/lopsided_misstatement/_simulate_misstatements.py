"""Misstatements in honest accounts: who starts, for how long, by how much."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lopsided_misstatement._simulate_accounts import recompute_totals

__all__ = ["Cases", "draw_cases", "overstate"]

# Shares of SEC cases that last 1, 2, ... years; restatements are of one year.
_LENGTHS = (0.34, 0.19, 0.15, 0.12, 0.09, 0.06, 0.03, 0.02)
_MAX_LENGTH = len(_LENGTHS)
_MEAN_LENGTH = 2.7
# SEC cases among misstated reports in the first and in the last year: they have become rare.
_SEC_SHARES = (0.62, 0.0)
_SIZE, _SOFT, _GROWTH = 1.0, 1.2, 1.3  # what draws firms to misstate, on the scale of log-odds
_SCHEMES = (0.45, 0.20, 0.20, 0.15)  # receivables, inventories, capitalised costs, liabilities
_RECEIVABLES, _INVENTORIES, _CAPITALISED, _LIABILITIES = range(4)
_YEARLY, _SPREAD, _TAX = 0.05, 0.6, 0.35
_ERROR = 0.1  # how much a restatement is beside a year of an SEC case
_MILD = 0.35  # how much motives count for a restatement beside an SEC case


@dataclass(frozen=True)
class Cases:
    """Spells of misstated years, each of one firm; years count from the first simulated one."""

    firm: NDArray[np.intp]
    start: NDArray[np.intp]
    end: NDArray[np.intp]  # the last misstated year
    sec: NDArray[np.bool_]  # of the SEC, or else a restatement
    scheme: NDArray[np.intp]
    sizes: NDArray[np.float64]  # (n_cases, 8): what each year adds, as a share of assets

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


def draw_cases(
    accounts: Mapping[str, Any],
    temptation: NDArray[Any],
    exists: NDArray[np.bool_],
    n_early: int,
    prevalence: float,
    serial: float,
    rng: Generator,
) -> Cases:
    """Draw spells so that the wanted share of the rows after `n_early` years is misstated.

    Large firms with soft assets start more often, for SEC cases also those that grow, and so
    do some firms by nature and those of some industries (`temptation`).
    """
    n_years = len(exists)
    motive = _weigh_motives(accounts, temptation)
    growth = _GROWTH * np.tanh((accounts["growth"] - 0.05) / 0.2)
    nature = serial * rng.normal(size=exists.shape[1])
    sec = rng.random(exists.shape) < _share_of_starts(n_years, n_early)[:, None]
    chance = np.where(
        sec,
        _normalize(motive + growth + nature, exists),
        _normalize(_MILD * motive + nature, exists),
    )
    draws = np.where(exists, rng.random(exists.shape) / chance, np.inf)
    shares = np.divide(_LENGTHS, sum(_LENGTHS))
    lengths = np.where(sec, rng.choice(_MAX_LENGTH, size=exists.shape, p=shares) + 1, 1)
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
    leaves = np.where(exists[-1], n_years + _MAX_LENGTH - 1, leaves)
    end = np.minimum(lasts[start, firm], leaves[firm])
    sizes = _YEARLY * rng.lognormal(0, _SPREAD, (len(start), _MAX_LENGTH))
    sizes *= np.where(sec[start, firm], 1, _ERROR)[:, None]
    sizes[np.arange(_MAX_LENGTH) > (end - start)[:, None]] = 0
    scheme = rng.choice(4, size=len(start), p=_SCHEMES)
    kept = end >= n_early
    start, firm, end = start[kept], firm[kept], end[kept]
    return Cases(firm, start, end, sec[start, firm], scheme[kept], sizes[kept])


def _share_of_starts(n_years: int, n_early: int) -> NDArray[np.float64]:
    """Return by year how many of the cases that start are of the SEC, which last longer."""
    rows = np.linspace(*_SEC_SHARES, max(n_years - n_early, 1))
    rows = np.append(np.full(n_years - len(rows), rows[0]), rows)
    return rows / (rows + _MEAN_LENGTH * (1 - rows))


def _weigh_motives(
    accounts: Mapping[str, Any], temptation: NDArray[Any]
) -> NDArray[np.float64]:
    """Return how much draws each firm to misstate in each year, as a logarithm."""
    assets = accounts["at"]
    soft = (assets - accounts["ppent"] - accounts["che"]) / assets
    size = np.tanh((np.log(assets) - 5.5) / 3)
    return np.asarray(np.log(temptation) + _SIZE * size + _SOFT * soft)


def _normalize(motive: NDArray[Any], exists: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how much likelier than usual each firm is to start in each year."""
    chance = np.exp(motive - motive.max())
    return np.asarray(chance / chance[exists].mean())


def _start_spells(
    wills: NDArray[np.bool_], lengths: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return where cases start, and by year the last year of a firm's latest case."""
    starts, lasts = np.zeros_like(wills), np.empty_like(lengths)
    last = np.full(wills.shape[1], -1)
    for year, will in enumerate(wills):
        starts[year] = will & (year > last)
        last = np.where(starts[year], year + lengths[year] - 1, last)
        lasts[year] = last
    return starts, lasts


def overstate(accounts: Mapping[str, Any], cases: Cases, strength: float) -> dict[str, Any]:
    """Return the accounts as filed: overstated in the years of a case, set right after it.

    The stock of overstatement is an asset too much or a debt too little. Deferred taxes take
    up 35 % of it and retained earnings 65 %, the income statement its change: accounts balance.
    """
    n_years = len(accounts["at"])
    shape = (4, *accounts["at"].shape)
    stock = np.zeros(shape)
    for step in range(_MAX_LENGTH):
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
    filed["olt"] = accounts["olt"] + _TAX * total
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
