"""The 28 items of a firm's books and the 14 ratios made of them, raw or winsorised.

References
----------
Dechow, Ge, Larson, Sloan: Predicting material accounting misstatements. Contemporary Accounting
Research 2011.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ITEMS", "RATIOS", "Winsor", "add_ratios", "compute_ratios", "fit_limits"]

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
_NEED_PPENT = ("soft_assets", "dpi")
# What is winsorised: `issue` is 0 or 1, and `ch_fcf` is built from `ch_ib` and `ch_rsst` after.
_LIMITED = (*(name for name in RATIOS if name not in ("issue", "ch_fcf")), "ch_ib")


@dataclass(frozen=True)
class Winsor:
    """The least and the largest value that each column may have.

    Parameters
    ----------
    limits : mapping of str to (float, float)
        By column; NaN on a side leaves it open.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"bm": [0.0, 1.0, 2.0, 3.0, 400.0]})
    >>> Winsor.fit(frame, lower=0.0, upper=0.75).apply(frame)["bm"].tolist()
    [0.0, 1.0, 2.0, 3.0, 3.0]
    """

    limits: Mapping[str, tuple[float, float]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", MappingProxyType(dict(self.limits)))

    @classmethod
    def fit(cls, frame: Any, lower: float = 0.01, upper: float = 0.99) -> "Winsor":
        """Take the quantiles of each column as its limits; a column without values gets none.

        Parameters
        ----------
        frame : DataFrame
            Columns of numbers; missing values do not count.
        lower, upper : float
            The quantiles, 0 <= lower < upper <= 1.
        """
        if not 0 <= lower < upper <= 1:
            raise ValueError(
                f"Quantiles must obey 0 <= lower < upper <= 1, got {lower!r} and {upper!r}. "
                "Pass for example 0.01 and 0.99."
            )
        low, high = frame.quantile(lower), frame.quantile(upper)
        return cls({name: (float(low[name]), float(high[name])) for name in frame.columns})

    def apply(self, frame: Any) -> Any:
        """Return the frame with the columns that have limits moved inside them."""
        found = {
            name: frame[name].clip(low, high)
            for name, (low, high) in self.limits.items()
            if name in frame.columns
        }
        return frame.assign(**found)


def compute_ratios(panel: Any) -> Any:
    r"""Return the 14 ratios of each firm-year, not winsorised.

    A change :math:`\Delta x = x_t - x_{t-1}` needs the firm's row of the fiscal year before and
    is missing without it; so is a ratio over 0. Missing `txp`, `ivao`, `ivst` and `pstk` count
    as 0. `soft_assets` and `dpi` need net plant, `ppent`, and are missing without it.

    Parameters
    ----------
    panel : DataFrame
        One row per firm-year: `gvkey`, `fyear`, the 28 `ITEMS` and, if known, `ppent`.

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
    return _build(_compute_parts(panel))


def fit_limits(panel: Any, rows: Any = None) -> Winsor:
    """Return the limits, 1 % and 99 %, that some rows of a panel give the ratios.

    Besides the ratios there is `ch_ib`, the change of income over mean assets: `ch_fcf` is
    built from its parts once they are winsorised.

    Parameters
    ----------
    panel : DataFrame
        As `compute_ratios` takes it.
    rows : boolean array of shape (n_rows,) or None, default=None
        The rows to count, as a rule those of the training years; None counts all.

    Examples
    --------
    >>> from lopsided.finance.generator import make_misstatement_panel
    >>> panel = make_misstatement_panel(n_firms=50)
    >>> limits = fit_limits(panel, panel["fyear"] < 2005)
    >>> limits.limits["bm"][0] < limits.limits["bm"][1]
    True
    """
    parts = _complete_parts(panel)[list(_LIMITED)]
    return Winsor.fit(parts if rows is None else parts[_as_mask(rows, len(parts))])


def add_ratios(panel: Any, fit_on: Any = None) -> Any:
    """Return the panel with its 14 ratios, winsorised.

    Limits of all rows are what the published data have; they let later years speak about
    earlier ones, so give the training rows where a result is to stand for the future. `issue`
    is never winsorised. Ratios that the panel already holds are replaced, so keep the years
    before the first one of interest in it: changes need them. Only `soft_assets` and `dpi` are
    kept, within the limits, if there is no `ppent`. To limit ratios as they are, fit and apply
    a `Winsor` on them.

    Parameters
    ----------
    panel : DataFrame
        As `compute_ratios` takes it.
    fit_on : boolean array of shape (n_rows,), Winsor or None, default=None
        The rows whose values set the limits, the limits themselves, or None for all rows.

    Examples
    --------
    >>> from lopsided.finance.generator import make_misstatement_panel
    >>> panel = make_misstatement_panel(n_firms=50)
    >>> ready = add_ratios(panel, fit_on=panel["fyear"] < 2005)
    >>> bool(ready["reoa"].min() > panel["reoa"].min())
    True
    """
    winsor = fit_on if isinstance(fit_on, Winsor) else fit_limits(panel, fit_on)
    parts = winsor.apply(_complete_parts(panel))
    return panel.assign(**_build(parts))


def _build(parts: Any) -> Any:
    """Return the ratios from their parts."""
    return parts.assign(ch_fcf=parts["ch_ib"] - parts["ch_rsst"])[list(RATIOS)]


def _compute_parts(panel: Any) -> Any:
    """Return all ratios but `ch_fcf`, and `ch_ib`, its other part."""
    import pandas as pd

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
    parts = {
        "dch_wc": _over(change(working), assets),
        "ch_rsst": _over(change(working) + change(lasting) + change(financial), assets),
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
        "ch_ib": _over(change(x["ib"]), assets),
    }
    return pd.DataFrame(parts, index=panel.index)


def _complete_parts(panel: Any) -> Any:
    """Return the parts, with the panel's own values of what cannot be made without `ppent`."""
    own = [name for name in _NEED_PPENT if name in panel.columns]
    kept = {} if "ppent" in panel.columns else {name: panel[name] for name in own}
    return _compute_parts(panel).assign(**kept)


def _over(top: NDArray[Any], bottom: NDArray[Any]) -> NDArray[Any]:
    """Divide; what is over 0 is missing."""
    return top / np.where(bottom == 0, np.nan, bottom)


def _read_items(panel: Any) -> dict[str, NDArray[Any]]:
    """Return items and net plant as arrays of numbers, blanks filled where they mean 0."""
    missing = [name for name in ITEMS if name not in panel.columns]
    if missing:
        raise ValueError(
            f"A panel must hold the 28 items as columns, got none named {', '.join(missing)}. "
            "Add them under their Compustat names, in millions."
        )
    values = {name: _read_numbers(panel, name) for name in ITEMS}
    values |= {name: np.nan_to_num(values[name], nan=0.0) for name in _ZERO_IF_MISSING}
    known = "ppent" in panel.columns
    values["ppent"] = _read_numbers(panel, "ppent") if known else np.full(len(panel), np.nan)
    return values


def _read_numbers(panel: Any, name: str) -> NDArray[Any]:
    try:
        return panel[name].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        raise ValueError(
            f"Column {name!r} must hold numbers, got other values. Leave unknown cells blank."
        ) from None


def _find_year_before(panel: Any) -> NDArray[np.intp]:
    """Return for each row where the firm's row of the fiscal year before is, or -1."""
    import pandas as pd

    absent = [name for name in ("gvkey", "fyear") if name not in panel.columns]
    if absent:
        raise ValueError(
            f"A panel must name each row by gvkey and fyear, got no {' and no '.join(absent)}. "
            "Add the firm and the fiscal year as columns."
        )
    years, (firms, _) = _read_numbers(panel, "fyear"), pd.factorize(panel["gvkey"])
    if np.isnan(years).any() or (firms < 0).any():
        raise ValueError(
            "Each row of a panel must have a gvkey and a fyear, got rows without. Drop them."
        )
    order = np.lexsort((years, firms))
    same = np.diff(firms[order]) == 0
    step = np.diff(years[order])
    twice = np.flatnonzero(same & (step == 0))
    if len(twice):
        row = panel.iloc[order[twice[0]]]
        raise ValueError(
            f"A panel must hold one row per firm and fiscal year, got gvkey {row['gvkey']} in "
            f"{row['fyear']:.0f} more than once ({len(twice)} rows too many). Keep one of them."
        )
    before = np.full(len(panel), -1)
    follows = same & (step == 1)
    before[order[1:][follows]] = order[:-1][follows]
    return before


def _as_mask(rows: Any, n_rows: int) -> NDArray[np.bool_]:
    mask = np.asarray(rows)
    if mask.shape != (n_rows,) or mask.dtype != bool:
        raise ValueError(
            f"Rows to fit on must be a mask of {n_rows} booleans, one per row, got "
            f"{mask.dtype} of shape {mask.shape}. Pass for example panel['fyear'] < 2010."
        )
    if not mask.any():
        raise ValueError("Rows to fit on must hold at least one, got none. Choose more years.")
    return mask
