"""Panels side by side: who files, who misstates for how long, what is known when."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided.metrics import roc_auc
from lopsided.workflow.tables import write_table
from lopsided_misstatement.label_delay import public_year
from lopsided_misstatement.ratios import ITEMS, RATIOS

__all__ = ["compare_panels", "describe_panel", "format_comparison", "write_comparison"]

Facts = Iterator[tuple[str, str, float]]

_LAGS = (1, 2, 3, 4, 5, 6)
_SPAN = (1, 2, 3)  # years that models learn from
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MAX_LENGTH = 5  # of a spell, in years; longer ones are counted with it
_N_HONEST = 200  # honest reports of a year that are looked at for their like


def compare_panels(panels: Mapping[str, Any]) -> Any:
    """Return facts of several panels, one column each.

    Parameters
    ----------
    panels : mapping of str to DataFrame
        Panels with ratios, as `Source.load_all` returns them, by name.

    Returns
    -------
    DataFrame
        Columns `topic`, `fact`, and one for each panel; NaN where a panel does not tell.
    """
    described = {name: describe_panel(panel) for name, panel in panels.items()}
    return pd.DataFrame(described).rename_axis(["topic", "fact"]).reset_index()


def describe_panel(panel: Any) -> Any:
    """Return facts of a panel, none of which depends on how many firms it has but the first.

    Parameters
    ----------
    panel : DataFrame
        Firm-years with ratios.

    Returns
    -------
    Series
        Numbers by topic and fact. Likeness is the share of other firms' reports of the year
        before that are closer to a report than the firm's own, in ranks of items and ratios.
    """
    panel = panel.sort_values(["gvkey", "fyear"], ignore_index=True)
    parts = (
        *(_count_reports, _count_misstated, _measure_spells, _measure_delay),
        *(_correlate_years, _measure_likeness, _measure_signal, _measure_own_signal),
        *(_count_gaps, _take_quantiles),
    )
    facts = [fact for part in parts for fact in part(panel)]
    index = pd.MultiIndex.from_tuples([(topic, name) for topic, name, _ in facts])
    return pd.Series([value for _, _, value in facts], index=index, dtype=float)


def format_comparison(table: Any) -> str:
    """Return the facts as lines of text, topic by topic."""
    names = list(table.columns[2:])
    width = max(len(fact) for fact in table["fact"]) + 2
    widths = [max(len(name), 9) + 2 for name in names]
    lines = []
    for topic, rows in table.groupby("topic", sort=False):
        heads = (f"{name:>{w}}" for name, w in zip(names, widths, strict=True))
        lines += ["", f"{topic:<{width}}{''.join(heads)}"]
        for _, fact, *values in rows.itertuples(index=False):
            cells = (f"{_format(v):>{w}}" for v, w in zip(values, widths, strict=True))
            lines.append(f"{fact:<{width}}{''.join(cells)}")
    return "\n".join(lines[1:])


def write_comparison(table: Any, folder: Path) -> Path:
    """Write the facts as `panels.csv` in a folder, over an earlier one of ours at most."""
    file = folder / "panels.csv"
    if file.exists() and list(pd.read_csv(file, nrows=0).columns[:2]) != ["topic", "fact"]:
        raise FileExistsError(
            f"{folder} must not hold a panels.csv of others, and does. Name another folder "
            "(--out)."
        )
    write_table(table, file)
    return file


def _format(value: float) -> str:
    if np.isnan(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3f}"


def _count_reports(panel: Any) -> Facts:
    topic, firms = "reports", panel.groupby("gvkey")["fyear"]
    span = firms.max() - firms.min() + 1
    yield topic, "firm-years", len(panel)
    yield topic, "firms", firms.ngroups
    yield topic, "firms in a year", panel.groupby("fyear").size().median()
    yield topic, "years of a firm", firms.size().mean()
    early = panel["fyear"] < panel["fyear"].max()
    yield topic, "filed again the year after", _follows(panel, 1)[early].mean()
    yield topic, "firms with a gap", (span > firms.size()).mean()
    once = panel.drop_duplicates("gvkey")
    for name in ("sic", "state"):
        shares = once[name].value_counts(normalize=True)
        yield topic, f"two firms share the {name}", (shares**2).sum()


def _count_misstated(panel: Any) -> Facts:
    topic, misstated = "misstated", panel["misstated"] == 1
    yield topic, "reports", misstated.mean()
    yield topic, "firms", panel["gvkey"][misstated].nunique() / panel["gvkey"].nunique()
    sec = _is_sec(panel)
    yield topic, "of these without a date", sec[misstated].mean()
    thirds = pd.qcut(panel["fyear"], 3, labels=["first", "middle", "last"])
    for third in thirds.cat.categories:
        inside = misstated & (thirds == third)
        yield topic, f"without a date, {third} third", sec[inside].mean()
    size = pd.qcut(panel["at"], 5, labels=False)
    yield topic, "reports of the smallest fifth", misstated[size == 0].mean()
    yield topic, "reports of the largest fifth", misstated[size == 4].mean()


def _measure_spells(panel: Any) -> Facts:
    topic, rows = "spells", panel[panel["misstated"] == 1]
    for kind, chosen in (
        ("all", rows),
        ("without a date", rows[_is_sec(rows)]),
        ("dated", rows[~_is_sec(rows)]),
    ):
        spell = ~((chosen["gvkey"].diff() == 0) & (chosen["fyear"].diff() == 1))
        length = spell.cumsum().value_counts()
        yield topic, f"{kind}: years", length.mean()
        for years in range(1, _MAX_LENGTH + 1):
            more = " or more" if years == _MAX_LENGTH else ""
            share = (length.clip(upper=_MAX_LENGTH) == years).mean()
            yield topic, f"{kind}: {years}{more}", share
    spells = ~((rows["gvkey"].diff() == 0) & (rows["fyear"].diff() == 1))
    yield topic, "firms with more than one", (spells.groupby(rows["gvkey"]).sum() > 1).mean()
    for lag in (1, 2, 3):
        before = _lagged(panel, "misstated", lag)
        again = panel["misstated"][before == 1].mean()
        yield topic, f"misstated again {lag} years on", again


def _measure_delay(panel: Any) -> Facts:
    misstated = panel["misstated"] == 1
    for rule in ("released", "strict"):
        topic = f"known after, {rule}"
        dated = rule == "released" or "aaer_year" in panel
        public = public_year(panel, rule) if dated else np.full(len(panel), np.nan)
        known = panel.assign(public=np.where(misstated, public, np.inf))
        for lag in _LAGS:
            share = (known["public"] < known["fyear"] + lag)[misstated].mean()
            yield topic, f"{lag} years", share if dated else np.nan
        before = [_lagged(known, "public", lag) < known["fyear"] for lag in _SPAN]
        late = misstated & (panel["fyear"] >= panel["fyear"].min() + len(_SPAN))
        share = pd.concat(before, axis=1).any(axis=1)[late].mean()
        yield topic, "firm known in the 3 years before", share if dated else np.nan


def _correlate_years(panel: Any) -> Facts:
    for name in RATIOS:
        yield "rank correlation with the year before", name, _autocorrelation(panel, name)
    items = [_autocorrelation(panel, name) for name in ITEMS]
    yield "rank correlation with the year before", "28 items, median", float(np.median(items))


def _autocorrelation(panel: Any, name: str) -> float:
    pairs = pd.DataFrame({"now": panel[name], "before": _lagged(panel, name, 1)}).dropna()
    return float(pairs["now"].corr(pairs["before"], method="spearman"))


def _measure_likeness(panel: Any) -> Facts:
    """Tell how many other firms' reports of the year before are closer than the own one."""
    topic = "closer than the firm's own report of the year before"
    ranks = panel[[*RATIOS, *ITEMS]].rank(pct=True).fillna(0.5).to_numpy(dtype=np.float32)
    year, firm = panel["fyear"].to_numpy(), panel["gvkey"].to_numpy()
    before = _lagged(panel, "misstated", 1).to_numpy()
    now = panel["misstated"].to_numpy()
    rng = np.random.default_rng(0)
    closer, pair = [np.empty(0)], [np.empty((0, 2))]
    for last in np.unique(year)[:-1]:
        there = np.flatnonzero(year == last)
        here = np.flatnonzero((year == last + 1) & ~np.isnan(before))
        honest = (now[here] == 0) & (before[here] == 0)
        here = np.append(rng.permutation(here[honest])[:_N_HONEST], here[~honest])
        own = np.searchsorted(firm[there], firm[here])  # firms are sorted
        # Without the square of the report itself, which is the same for all.
        distance = np.square(ranks[there]).sum(axis=1) - 2 * ranks[here] @ ranks[there].T
        mine = distance[np.arange(len(here)), own]
        closer.append((distance < mine[:, None]).mean(axis=1))
        pair.append(np.column_stack([before[here], now[here]]))
    share, kind = np.concatenate(closer), np.concatenate(pair)
    names = {(0, 0): "honest, honest before", (1, 1): "misstated, misstated before"}
    names |= {(0, 1): "misstated, honest before", (1, 0): "honest, misstated before"}
    for key, name in names.items():
        chosen = share[(kind == key).all(axis=1)]
        yield topic, name, chosen.mean() if len(chosen) else np.nan


def _measure_signal(panel: Any) -> Facts:
    misstated, sec = panel["misstated"] == 1, _is_sec(panel)
    kinds = {"all": misstated, "without a date": sec, "dated": misstated & ~sec}
    for kind, chosen in kinds.items():
        for name in (*RATIOS, "at", "rect", "txp"):
            value = _auc(panel[name], chosen, chosen | ~misstated)
            yield f"AUC of misstated reports, {kind}", name, value


def _measure_own_signal(panel: Any) -> Facts:
    """Tell misstated reports from honest ones of the same firm."""
    topic, misstated = "AUC beside the firm's own honest reports", panel["misstated"] == 1
    firms = panel["gvkey"]
    for name in (*RATIOS, "at", "rect", "txp"):
        usual = panel[name].where(~misstated).groupby(firms).transform("median")
        mixed = misstated.groupby(firms).transform("max") & usual.notna()
        yield topic, name, _auc(panel[name] - usual, misstated, mixed)


def _count_gaps(panel: Any) -> Facts:
    columns = [*ITEMS, *RATIOS]
    yield "missing", "any item or ratio", panel[columns].isna().any(axis=1).mean()
    for name in ("state", *RATIOS):
        yield "missing", name, panel[name].isna().mean()
    for name in ("invt", "ivst", "ivao", "dltt", "dltis", "sstk", "txp", "issue"):
        yield "zero", name, (panel[name] == 0).mean()
    for name in ("ni", "ceq", "re"):
        yield "below zero", name, (panel[name] < 0).mean()


def _take_quantiles(panel: Any) -> Facts:
    for name in RATIOS:
        if name != "issue":
            for share in _QUANTILES:
                yield f"quantiles of {name}", f"{share:.0%}", panel[name].quantile(share)
    for share in _QUANTILES:
        yield "quantiles of at", f"{share:.0%}", panel["at"].quantile(share)


def _is_sec(panel: Any) -> Any:
    """Return which reports are misstated and have no date: those of SEC cases."""
    return (panel["misstated"] == 1) & panel["restatement_year"].isna()


def _auc(values: Any, positive: Any, rows: Any) -> float:
    chosen = rows & values.notna()
    truth = positive[chosen].to_numpy(dtype=int)
    if truth.min(initial=1) == truth.max(initial=0):
        return float("nan")
    return float(roc_auc(truth, values[chosen].to_numpy(dtype=float)))


def _lagged(panel: Any, name: str, lag: int) -> Any:
    """Return what a column was in the firm's report of some years before, else NaN."""
    keys = pd.MultiIndex.from_frame(panel[["gvkey", "fyear"]])
    earlier = pd.MultiIndex.from_arrays([panel["gvkey"], panel["fyear"] - lag])
    values = panel[name].to_numpy(dtype=float, na_value=np.nan)
    return pd.Series(np.append(values, np.nan)[keys.get_indexer(earlier)], index=panel.index)


def _follows(panel: Any, lag: int) -> NDArray[np.bool_]:
    """Return whether there is a report of the firm so many years later."""
    keys = pd.MultiIndex.from_frame(panel[["gvkey", "fyear"]])
    later = pd.MultiIndex.from_arrays([panel["gvkey"], panel["fyear"] + lag])
    return np.asarray(keys.get_indexer(later) >= 0)
