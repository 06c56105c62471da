"""The 28 items of a firm's accounts and the 14 ratios made of them.

References
----------
Dechow, Ge, Larson, Sloan: Predicting material accounting misstatements. Contemporary Accounting
Research 2011.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["ITEMS", "RATIOS", "compute_ratios"]

ITEMS = (
    *("act", "ap", "at", "ceq", "che", "cogs", "csho", "dlc", "dltis", "dltt", "dp", "ib"),
    *("invt", "ivao", "ivst", "lct", "lt", "ni", "ppegt", "pstk", "re", "rect", "sale", "sstk"),
    *("txp", "txt", "xint", "prcc_f"),
)
RATIOS = (
    *("dch_wc", "ch_rsst", "dch_rec", "dch_inv", "soft_assets", "ch_cs", "ch_cm", "ch_roa"),
    *("issue", "bm", "dpi", "reoa", "EBIT", "ch_fcf"),
)
_ZERO_IF_MISSING = ("txp", "ivao", "ivst", "pstk")


def compute_ratios(panel: Any) -> Any:
    r"""Return the 14 ratios of each firm-year, not winsorized.

    A change :math:`\Delta x = x_t - x_{t-1}` needs the firm's row of the fiscal year before and
    is missing without it; so is a ratio over 0. Missing `txp`, `ivao`, `ivst` and `pstk` count
    as 0. `soft_assets` and `dpi` need net plant, `ppent`, and are missing without it.

    Parameters
    ----------
    panel : DataFrame
        One row per firm-year, checked: `gvkey`, `fyear`, the 28 `ITEMS` and, if known, `ppent`.

    Returns
    -------
    DataFrame
        Columns `RATIOS`, the rows and the index of the panel.

    Examples
    --------
    >>> import pandas as pd
    >>> panel = pd.DataFrame({"gvkey": 7, "fyear": [2001, 2002], **dict.fromkeys(ITEMS, 1.0)})
    >>> panel["rect"] = [1.0, 1.5]
    >>> compute_ratios(panel)["dch_rec"].tolist()
    [nan, 0.5]
    """
    before = _find_year_before(panel)
    x = _read_items(panel)

    def lag(values: NDArray[Any]) -> NDArray[Any]:
        return np.append(values, np.nan)[before]  # position -1, the NaN, where there is none

    def change(values: NDArray[Any]) -> NDArray[Any]:
        return values - lag(values)

    assets = (x["at"] + lag(x["at"])) / 2
    working = (x["act"] - x["che"]) - (x["lct"] - x["dlc"] - x["txp"])
    lasting = (x["at"] - x["act"] - x["ivao"]) - (x["lt"] - x["lct"] - x["dltt"])
    financial = (x["ivst"] + x["ivao"]) - (x["dltt"] + x["dlc"] + x["pstk"])
    cash_sales = x["sale"] - change(x["rect"])
    cash_costs = x["cogs"] - change(x["invt"]) + change(x["ap"])
    cash_margin = 1 - _over(cash_costs, cash_sales)
    wear = _over(x["dp"], x["dp"] + x["ppent"])
    issued = ((x["sstk"] > 0) | (x["dltis"] > 0)).astype(float)
    issued[np.isnan(x["sstk"]) & np.isnan(x["dltis"])] = np.nan
    accruals = _over(change(working) + change(lasting) + change(financial), assets)
    ratios = {
        "dch_wc": _over(change(working), assets),
        "ch_rsst": accruals,
        "dch_rec": _over(change(x["rect"]), assets),
        "dch_inv": _over(change(x["invt"]), assets),
        "soft_assets": _over(x["at"] - x["ppent"] - x["che"], x["at"]),
        "ch_cs": _over(change(cash_sales), lag(cash_sales)),
        "ch_cm": _over(change(cash_margin), lag(cash_margin)),
        "ch_roa": change(_over(x["ni"], assets)),
        "issue": issued,
        "bm": _over(x["ceq"], x["prcc_f"] * x["csho"]),
        "dpi": _over(lag(wear), wear),
        "reoa": _over(x["re"], x["at"]),
        "EBIT": _over(x["ni"] + x["xint"] + x["txt"], x["at"]),
        "ch_fcf": _over(change(x["ib"]), assets) - accruals,
    }
    return pd.DataFrame(ratios, index=panel.index)


def _over(top: NDArray[Any], bottom: NDArray[Any]) -> NDArray[Any]:
    """Divide; what is over 0 is missing."""
    return top / np.where(bottom == 0, np.nan, bottom)


def _read_items(panel: Any) -> dict[str, NDArray[Any]]:
    """Return items and net plant as arrays, blanks filled where they mean 0."""
    names = [*ITEMS, *(["ppent"] if "ppent" in panel else [])]
    values = {name: panel[name].to_numpy(dtype=float, na_value=np.nan) for name in names}
    values |= {name: np.nan_to_num(values[name], nan=0.0) for name in _ZERO_IF_MISSING}
    return {"ppent": np.full(len(panel), np.nan), **values}


def _find_year_before(panel: Any) -> NDArray[np.intp]:
    """Return for each row where the firm's row of the fiscal year before is, or -1."""
    years, firms = panel["fyear"].to_numpy(), panel["gvkey"].to_numpy()
    order = np.lexsort((years, firms))
    follows = (np.diff(firms[order]) == 0) & (np.diff(years[order]) == 1)
    before = np.full(len(panel), -1)
    before[order[1:][follows]] = order[:-1][follows]
    return before
