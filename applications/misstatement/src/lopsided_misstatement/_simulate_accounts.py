"""Honest accounts of made-up firms: every year balances, and cash is what is left."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

__all__ = ["PRIVATE_ITEMS", "draw_firms", "recompute_totals", "simulate_accounts"]

Record = SimpleNamespace  # of firms or accounts: arrays of shape (n_firms,) by name

# Not among the 28 items, and needed to see that accounts balance.
PRIVATE_ITEMS = ("aco", "other_assets", "lco", "olt", "dividends")

# The weight; then as shares of sales: cost of sales, overhead, receivables, inventories, plant.
_INDUSTRIES = {
    "7372": (0.12, 0.30, 0.55, 0.22, 0.01, 0.20),
    "2834": (0.11, 0.35, 0.52, 0.16, 0.12, 0.40),
    "3674": (0.09, 0.54, 0.29, 0.15, 0.14, 0.80),
    "3845": (0.08, 0.40, 0.47, 0.18, 0.15, 0.25),
    "7370": (0.07, 0.52, 0.36, 0.18, 0.01, 0.35),
    "1311": (0.07, 0.42, 0.14, 0.17, 0.02, 2.60),
    "3570": (0.06, 0.62, 0.27, 0.18, 0.12, 0.30),
    "5812": (0.06, 0.77, 0.11, 0.02, 0.02, 0.80),
    "4813": (0.06, 0.46, 0.25, 0.14, 0.02, 1.60),
    "3576": (0.06, 0.48, 0.41, 0.18, 0.13, 0.30),
    "4911": (0.05, 0.64, 0.05, 0.13, 0.06, 2.30),
    "8090": (0.05, 0.70, 0.20, 0.17, 0.02, 0.35),
    "2911": (0.04, 0.82, 0.05, 0.09, 0.08, 0.75),
    "5331": (0.04, 0.74, 0.19, 0.02, 0.15, 0.40),
    "3711": (0.04, 0.80, 0.11, 0.12, 0.13, 0.55),
}
_STATES = {"DE": 0.6, "NV": 0.08, "CA": 0.05, "NY": 0.05, "MN": 0.05, "PA": 0.05, "FL": 0.04}
_STATES |= {"OH": 0.03, "TX": 0.03, "NJ": 0.02}
_MACRO = {2001: -0.05, 2009: -0.10}  # what the year does to growth
_TAX, _INTEREST, _WEAR, _FADE = 0.35, 0.065, 0.07, 0.03
_MIN_CASH = 0.05  # of sales
_LOG_SALE = 5.4


def draw_firms(n_firms: int, rng: Generator) -> Record:
    """Return what stays the same in a firm over the years, arrays of shape (n_firms,)."""
    table = np.array(list(_INDUSTRIES.values()))
    kind = rng.choice(len(table), n_firms, p=table[:, 0] / table[:, 0].sum())
    states = np.array(list(_STATES.values()))

    def vary(mean: Any, spread: float) -> NDArray[Any]:
        return mean * rng.lognormal(0, spread, n_firms)

    _, costs, overhead, rect, invt, plant = table[kind].T
    return SimpleNamespace(
        sic=np.array(list(_INDUSTRIES))[kind],
        state=np.array(list(_STATES))[
            rng.choice(len(states), n_firms, p=states / states.sum())
        ],
        costs=np.clip(costs + rng.normal(0, 0.05, n_firms), 0.1, 0.93),
        overhead=vary(overhead, 0.15),
        rect=vary(rect, 0.4),
        invt=vary(invt, 0.5),
        plant=vary(plant, 0.5),
        ap=vary(0.09, 0.5),
        aco=vary(0.03, 0.5),
        lco=vary(0.12, 0.4),
        olt=vary(0.05, 0.8),
        ivao=vary(0.08, 1.0) * (rng.random(n_firms) < 0.4),
        growth=rng.normal(0.05, 0.06, n_firms),
        cash=vary(0.2, 0.8),
        liquid=rng.beta(0.6, 1.2, n_firms),
        pays=rng.random(n_firms) < 0.4,
    )


def simulate_accounts(firms: Record, years: Any, rng: Generator) -> dict[str, Any]:
    """Return items and growth of all firms in all years, by name, shape (n_years, n_firms)."""
    now = _open_accounts(firms, rng)
    history = []
    for year in years:
        now = _close_year(firms, now, _MACRO.get(int(year), 0.0), rng)
        history.append(vars(now))
    accounts = {name: np.array([year[name] for year in history]) for name in history[0]}
    return recompute_totals(accounts)


def recompute_totals(accounts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the accounts with their totals made anew from the single items."""
    b = dict(accounts)
    b["act"] = b["che"] + b["rect"] + b["invt"] + b["aco"]
    b["at"] = b["act"] + b["ppent"] + b["ivao"] + b["other_assets"]
    b["lct"] = b["dlc"] + b["ap"] + b["txp"] + b["lco"]
    b["lt"] = b["lct"] + b["dltt"] + b["olt"]
    b["ceq"] = b["re"] + b["capital"]
    return b


def _open_accounts(firms: Record, rng: Generator) -> Record:
    """Return the accounts at the end of the year before the first."""
    n = len(firms.costs)
    sale = rng.lognormal(_LOG_SALE, 1.9, n)
    ppegt = firms.plant * sale
    now = SimpleNamespace(
        sale=sale,
        growth=firms.growth,
        lean=np.zeros(n),
        ppegt=ppegt,
        ppent=ppegt * rng.uniform(0.4, 0.7, n),
        other_assets=sale * rng.lognormal(-1.6, 1.0, n),
        txp=0.01 * sale,
        che=np.maximum(firms.cash, _MIN_CASH) * sale,
        pstk=sale * rng.uniform(0, 0.2, n) * (rng.random(n) < 0.08),
        worth=rng.lognormal(0.7, 0.5, n),
        **_draw_current(firms, sale, rng),
    )
    assets = now.che + now.rect + now.invt + now.aco
    assets = assets + now.ppent + now.ivao + now.other_assets
    debt = assets * rng.beta(1.2, 4.0, n)
    now.dlc, now.dltt = 0.1 * debt, 0.9 * debt
    now.re = assets * np.minimum(rng.normal(0.1, 0.5, n) - (sale < 50) * 0.8, 0.5)
    owed = debt + now.ap + now.lco + now.olt + now.txp + now.pstk
    now.capital = assets - owed - now.re
    now.prcc_f = rng.lognormal(2.5, 0.8, n)
    now.csho = now.worth * (0.3 * assets + 0.2 * sale) / now.prcc_f
    return now


def _draw_current(firms: Record, sale: NDArray[Any], rng: Generator) -> dict[str, NDArray[Any]]:
    """Return what follows sales closely, with noise."""
    spread = {"rect": 0.15, "invt": 0.18, "ap": 0.2, "aco": 0.2, "lco": 0.15}
    spread |= {"olt": 0.1, "ivao": 0.1}
    return {
        name: getattr(firms, name) * sale * rng.lognormal(0, noise, len(sale))
        for name, noise in spread.items()
    }


def _close_year(firms: Record, old: Record, macro: float, rng: Generator) -> Record:
    """Return the accounts one year on; what came in and did not go out is cash."""
    n = len(old.sale)
    bought = rng.exponential(0.25, n) * (rng.random(n) < 0.05)
    drift = firms.growth + 0.35 * (old.growth - firms.growth) + macro
    drift = drift - 0.01 * (np.log(old.sale) - _LOG_SALE)  # the large grow slower
    growth = np.clip(drift + 0.11 * rng.standard_t(4, n), -0.6, 1.0)
    sale = old.sale * np.maximum(1 + growth + bought, 0.3)
    # The price of a takeover is goodwill: an honest firm then looks like one that inflates.
    now = SimpleNamespace(sale=sale, growth=sale / old.sale - 1, pstk=old.pstk)
    vars(now).update(_draw_current(firms, sale, rng))
    _wear_plant(firms, old, now, rng)
    now.other_assets = (1 - _FADE) * old.other_assets + 0.9 * bought * old.sale
    now.dp = now.dp + _FADE * old.other_assets
    _earn(firms, old, now, rng)

    assets = ("rect", "invt", "aco", "ppent", "ivao", "other_assets")
    debts = ("ap", "lco", "olt", "txp")
    cash = old.che + now.ni - now.dividends
    cash = cash - sum(getattr(now, name) - getattr(old, name) for name in assets)
    cash = cash + sum(getattr(now, name) - getattr(old, name) for name in debts)
    _raise_cash(firms, old, now, cash, rng)
    return now


def _wear_plant(firms: Record, old: Record, now: Record, rng: Generator) -> None:
    """Buy plant towards what sales need, wear it, and write off some of what is worn out."""
    worn = _WEAR * old.ppegt
    wish = 0.3 * (firms.plant * now.sale - old.ppegt) + worn
    capex = np.maximum(wish, 0.015 * old.ppegt) * rng.lognormal(0, 0.3, len(worn))
    now.dp = np.minimum(worn, 0.9 * (old.ppent + capex))
    now.ppent = old.ppent + capex - now.dp
    used_up = old.ppegt + capex - now.ppent
    now.ppegt = now.ppent + 0.9 * used_up


def _earn(firms: Record, old: Record, now: Record, rng: Generator) -> None:
    """Close the income statement and pay dividends."""
    n = len(now.sale)
    now.lean = np.clip(0.6 * old.lean + rng.normal(0, 0.04, n), -0.3, 0.3)
    now.cogs = np.clip(firms.costs + now.lean, 0.05, 0.97) * now.sale
    small = 0.16 * np.clip(1 - np.log(now.sale) / 4, 0, 2)  # overhead hardly shrinks with sales
    overhead = (firms.overhead + small) * now.sale * rng.lognormal(0, 0.08, n)
    now.xint = _INTEREST * (old.dlc + old.dltt)
    pretax = now.sale - now.cogs - overhead - now.dp - now.xint
    now.txt = _TAX * np.maximum(pretax, 0)
    now.txp = 0.2 * now.txt
    now.ib = pretax - now.txt
    now.ni = now.ib + now.sale * rng.normal(0, 0.05, n) * (rng.random(n) < 0.08)
    plenty = 0.5 * np.maximum(old.che - 2 * _wanted_cash(firms, now), 0)
    now.dividends = (0.3 * np.maximum(now.ni, 0) * firms.pays + plenty) * (old.re > 0)
    now.re = old.re + now.ni - now.dividends


def _wanted_cash(firms: Record, now: Record) -> NDArray[Any]:
    return np.maximum(firms.cash, 2 * _MIN_CASH) * now.sale


def _raise_cash(
    firms: Record,
    old: Record,
    now: Record,
    cash: NDArray[Any],
    rng: Generator,
) -> None:
    """Raise what is short of cash, return what is too much, and let the market set a price."""
    n = len(cash)
    debt = old.dlc + old.dltt
    short = cash < _MIN_CASH * now.sale
    need = np.where(short, _wanted_cash(firms, now) - cash, 0)
    lends = (rng.random(n) < 0.55) & (debt + need < 0.6 * (now.sale + now.ppent))
    over = np.maximum(cash - 2 * _wanted_cash(firms, now), 0)
    repaid = np.minimum(0.5 * over, debt)
    bought_back = 0.2 * (over - repaid)
    rolled = debt * rng.uniform(0, 0.3, n) * (rng.random(n) < 0.5)  # an old loan for a new one
    options = 0.01 * now.sale * rng.random(n) * (rng.random(n) < 0.8)
    now.dltis = need * lends + rolled
    now.sstk = need * ~lends + options
    debt = debt + need * lends - repaid
    now.dlc = debt * rng.beta(1.5, 9.0, n)
    now.dltt = debt - now.dlc
    now.capital = old.capital + now.sstk - bought_back
    now.che = cash + need + options - repaid - bought_back
    now.ivst = now.che * np.clip(firms.liquid + rng.normal(0, 0.1, n), 0, 0.9)

    now.worth = np.exp(0.14 + 0.8 * np.log(old.worth) + rng.normal(0, 0.3, n))
    equity = np.maximum(now.re + now.capital, 0.1 * (now.sale + now.ppegt))
    now.csho = old.csho + (now.sstk - bought_back) / old.prcc_f
    now.csho = np.maximum(now.csho, 0.5 * old.csho)
    now.prcc_f = now.worth * equity / now.csho
    merged = np.where(now.prcc_f < 1, 10.0, 1.0)  # a reverse split keeps the share listed
    now.csho, now.prcc_f = now.csho / merged, now.prcc_f * merged
