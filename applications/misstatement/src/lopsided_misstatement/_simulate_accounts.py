"""Honest accounts of made-up firms: every year balances, and cash is what is left."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lopsided_misstatement._industries import draw_codes, draw_industries, draw_states

__all__ = ["PRIVATE_ITEMS", "draw_firms", "recompute_totals", "simulate_accounts"]

Record = SimpleNamespace  # of firms or accounts: arrays of shape (n_firms,) by name

# Not among the 28 items, and needed to see that accounts balance.
PRIVATE_ITEMS = ("aco", "other_assets", "lco", "olt", "dividends")

_MACRO = {2001: -0.05, 2009: -0.10}  # what the year does to growth
_TAX, _INTEREST, _WEAR, _FADE = 0.35, 0.065, 0.07, 0.03
_MIN_CASH = 0.02  # of sales
_LOG_SALE = 4.7
_FEW_INVENTORIES = 0.05  # of sales: in such an industry half of the firms have none
# How much a year changes what follows sales, on the scale of logarithms, and what is left
# of it a year later: most, or the changes of two years would cancel out.
_SPREAD = {"rect": 0.11, "invt": 0.13, "ap": 0.16, "aco": 0.16, "lco": 0.12}
_SPREAD |= {"olt": 0.2, "ivao": 0.2}
_KEPT, _MAX_DRIFT = 0.8, 2.0


def draw_firms(n_firms: int, rng: Generator) -> Record:
    """Return what stays the same in a firm over the years, arrays of shape (n_firms,)."""
    kind, table = draw_industries(n_firms, rng)
    costs, overhead, rect, invt, plant, temptation = table.T

    def vary(mean: Any, spread: float) -> NDArray[Any]:
        return mean * rng.lognormal(0, spread, n_firms)

    def some(share: Any) -> NDArray[np.bool_]:
        return rng.random(n_firms) < share

    size = rng.normal(0, 2.1, n_firms)  # beside that of the usual firm, a logarithm
    risk = np.clip(vary(np.exp(-0.35 * size), 0.6), 0.4, 8.0)  # the small have wilder years
    welcoming = some(0.92)  # to new owners and lenders, without need
    return SimpleNamespace(
        sic=draw_codes(kind, rng),
        state=draw_states(n_firms, rng),
        temptation=temptation,
        size=size,
        risk=risk,
        costs=np.clip(costs + rng.normal(0, 0.05, n_firms), 0.1, 0.93),
        overhead=vary(0.93 * overhead, 0.15)
        + rng.exponential(2.0, n_firms) * some(0.045 * risk),
        rect=vary(rect, 0.4),
        invt=vary(invt, 0.5) * some(np.where(invt < _FEW_INVENTORIES, 0.5, 0.94)),
        plant=vary(plant, 0.5),
        ap=vary(0.09, 0.5),
        aco=vary(0.03, 0.5),
        lco=vary(0.12, 0.4),
        olt=vary(0.05, 0.8),
        ivao=vary(0.08, 1.0) * some(0.35),
        growth=rng.normal(0.07, 0.04, n_firms),
        cash=vary(0.08 * risk, 0.8),
        liquid=rng.beta(0.8, 1.0, n_firms) * some(0.45),
        pays=some(0.4),
        shows_taxes=some(0.75),
        borrows=rng.beta(0.5, 0.4, n_firms) * welcoming,
        grants=rng.beta(1.5, 0.2, n_firms) * welcoming,
    )


def simulate_accounts(firms: Record, years: Any, rng: Generator) -> dict[str, Any]:
    """Return items and growth of all firms in all years, by name, shape (n_years, n_firms)."""
    now = _open_accounts(firms, rng)
    history = []
    for year in years:
        now = _close_year(firms, now, _MACRO.get(int(year), 0.0), rng)
        history.append(vars(now))
    names = [name for name in history[0] if name != "drift"]
    accounts = {name: np.array([year[name] for year in history]) for name in names}
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
    sale = np.exp(_LOG_SALE + firms.size)
    ppegt = firms.plant * sale
    now = SimpleNamespace(
        sale=sale,
        growth=firms.growth,
        lean=np.zeros(n),
        slack=np.zeros(n),
        ppegt=ppegt,
        ppent=ppegt * rng.uniform(0.4, 0.7, n),
        other_assets=sale * rng.lognormal(-0.8, 1.2, n),
        txp=0.01 * sale,
        che=np.maximum(firms.cash, _MIN_CASH) * sale,
        pstk=sale * rng.uniform(0, 0.2, n) * (rng.random(n) < 0.08),
        worth=rng.lognormal(0.7, 0.5, n),
    )
    _draw_current(firms, SimpleNamespace(drift=dict.fromkeys(_SPREAD, 0.0)), now, rng)
    assets = now.che + now.rect + now.invt + now.aco
    assets = assets + now.ppent + now.ivao + now.other_assets
    debt = assets * rng.beta(1.2, 4.0, n)
    now.dlc, now.dltt = 0.1 * debt, 0.9 * debt
    now.re = assets * np.minimum(rng.normal(0.1, 0.5, n) - (sale < 50) * 0.8, 0.5)
    owed = debt + now.ap + now.lco + now.olt + now.txp + now.pstk
    now.capital = assets - owed - now.re
    now.prcc_f = rng.lognormal(2.2 + 0.35 * firms.size, 0.8)
    now.csho = now.worth * (0.3 * assets + 0.2 * sale) / now.prcc_f
    return now


def _draw_current(firms: Record, old: Record, now: Record, rng: Generator) -> None:
    """Set what follows sales, at a distance that changes slowly."""
    now.drift = {}
    for name, spread in _SPREAD.items():
        news = spread * np.sqrt(firms.risk) * rng.standard_t(3, len(now.sale))
        drift = np.clip(_KEPT * old.drift[name] + news, -_MAX_DRIFT, _MAX_DRIFT)
        now.drift[name] = drift
        setattr(now, name, getattr(firms, name) * now.sale * np.exp(drift))


def _close_year(firms: Record, old: Record, macro: float, rng: Generator) -> Record:
    """Return the accounts one year on; what came in and did not go out is cash."""
    n = len(old.sale)
    bought = rng.exponential(0.3, n) * (rng.random(n) < 0.08)
    drift = firms.growth + 0.1 * (old.growth - firms.growth) + macro
    drift = drift - 0.01 * (np.log(old.sale) - _LOG_SALE)  # the large grow slower
    growth = np.clip(drift + 0.13 * firms.risk * rng.standard_t(3, n), -0.8, 3.0)
    sale = old.sale * np.maximum(1 + growth + bought, 0.2)
    # The price of a takeover is goodwill: an honest firm then looks like one that inflates.
    now = SimpleNamespace(sale=sale, growth=sale / old.sale - 1, pstk=old.pstk)
    _draw_current(firms, old, now, rng)
    _wear_plant(firms, old, now, rng)
    now.lost = old.other_assets * rng.uniform(0.1, 0.9, n) * (rng.random(n) < 0.05)
    kept = (1 - _FADE) * (old.other_assets - now.lost)
    now.other_assets = kept + 0.9 * bought * old.sale
    now.dp = now.dp + old.other_assets - now.lost - kept
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
    worn = _WEAR * old.ppegt * rng.lognormal(0, 0.12 * np.sqrt(firms.risk))
    wish = 0.3 * (firms.plant * now.sale - old.ppegt) + worn
    capex = np.maximum(wish, 0.015 * old.ppegt) * rng.lognormal(0, 0.3, len(worn))
    now.dp = np.minimum(worn, 0.9 * (old.ppent + capex))
    now.ppent = old.ppent + capex - now.dp
    used_up = old.ppegt + capex - now.ppent
    now.ppegt = now.ppent + 0.9 * used_up


def _earn(firms: Record, old: Record, now: Record, rng: Generator) -> None:
    """Close the income statement and pay dividends."""
    n = len(now.sale)
    # Good and bad years come in rows.
    now.lean = np.clip(0.8 * old.lean + 0.025 * firms.risk * rng.standard_t(4, n), -0.5, 0.5)
    now.slack = np.clip(0.6 * old.slack + 0.06 * firms.risk * rng.standard_t(4, n), -1, 3)
    now.cogs = np.clip(firms.costs + now.lean, 0.05, 0.97) * now.sale
    small = 0.16 * np.clip(1 - np.log(now.sale) / 4, 0, 2)  # overhead hardly shrinks with sales
    share = np.maximum(firms.overhead + small + now.slack, 0.3 * firms.overhead)
    overhead = share * now.sale * rng.lognormal(0, 0.05, n)
    now.xint = _INTEREST * (old.dlc + old.dltt)
    pretax = now.sale - now.cogs - overhead - now.dp - now.lost - now.xint
    refund = 0.5 * _TAX * np.minimum(pretax, 0) * (rng.random(n) < 0.5)
    now.txt = _TAX * np.maximum(pretax, 0) + refund
    now.txp = 0.2 * np.maximum(now.txt, 0) * firms.shows_taxes
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
    sound = now.re + old.capital > 0
    lends = sound & (rng.random(n) < 0.55) & (debt + need < 0.6 * (now.sale + now.ppent))
    over = np.maximum(cash - 2 * _wanted_cash(firms, now), 0)
    repaid = np.minimum(0.25 * over, debt)
    bought_back = 0.2 * (over - repaid)
    # An old loan for a new one, and shares for those who work there: a matter of habit.
    rolled = debt * rng.uniform(0, 0.3, n) * (rng.random(n) < firms.borrows)
    options = 0.01 * now.sale * rng.random(n) * (rng.random(n) < firms.grants)
    # Now and then a firm takes what the market gives, and looks for its use afterwards.
    chance, wealth = rng.random(n), now.sale + now.ppegt
    floated = 0.7 * rng.exponential(wealth) * (chance < 0.03 * firms.risk)
    borrowed = 0.25 * rng.exponential(wealth) * (chance > 0.94) * sound
    now.dltis = need * lends + rolled + borrowed
    now.sstk = need * ~lends + options + floated
    debt = debt + need * lends + borrowed - repaid
    now.dlc = debt * rng.beta(1.5, 9.0, n)
    now.dltt = debt - now.dlc
    now.capital = old.capital + now.sstk - bought_back
    now.che = cash + need + options + floated + borrowed - repaid - bought_back
    liquid = np.clip(firms.liquid + rng.normal(0, 0.2, n), 0, 0.9) * (firms.liquid > 0)
    now.ivst = now.che * liquid

    now.worth = np.exp(0.14 + 0.8 * np.log(old.worth) + rng.normal(0, 0.4, n))
    equity = np.maximum(now.re + now.capital, 0.1 * (now.sale + now.ppegt))
    now.csho = old.csho + (now.sstk - bought_back) / old.prcc_f
    now.csho = np.maximum(now.csho, 0.5 * old.csho)
    now.prcc_f = now.worth * equity / now.csho
    merged = np.where(now.prcc_f < 0.1, 10.0, 1.0)  # a reverse split keeps the share listed
    now.csho, now.prcc_f = now.csho / merged, now.prcc_f * merged
