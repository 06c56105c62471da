"""The made-up panels of docs/finance.in.md beside the published one: facts, and orders."""

from pathlib import Path

import pandas as pd
from render_tables import render_markdown

from lopsided_misstatement.models import get_model, list_models
from lopsided_misstatement.results_io import read_results, summarize_models

_FOLDER = Path(__file__).parents[1] / "studies" / "results" / "finance"
_AUC, _OWN = "AUC of misstated reports, all", "AUC beside the firm's own honest reports"
_SEC, _DATED = "AUC of misstated reports, without a date", "AUC of misstated reports, dated"
_YEARS = "rank correlation with the year before"
_CLOSER = "closer than the firm's own report of the year before"
# What the text shows: topic, fact, and how it is called there.
_FACTS = (
    ("reports", "firm-years", "reports"),
    ("reports", "firms", "firms"),
    ("reports", "firms with a gap", "firms with a gap"),
    ("reports", "two firms share the sic", "two firms share their SIC code"),
    ("missing", "any item or ratio", "reports with a missing item or ratio"),
    ("misstated", "reports", "misstated reports"),
    ("misstated", "of these without a date", "of these, SEC cases without a date"),
    ("spells", "all: 1", "spells of one year"),
    ("spells", "without a date: years", "mean years of a spell, SEC cases"),
    ("spells", "dated: years", "mean years of a spell, restatements"),
    ("spells", "misstated again 1 years on", "misstated again a year later"),
    ("spells", "misstated again 3 years on", "misstated again three years later"),
    *(
        (f"known after, {rule}", f"{lag} years", f"known after {lag}, {rule}")
        for rule in ("released", "strict")
        for lag in (1, 2, 3, 6)
    ),
    (
        "known after, released",
        "firm known in the 3 years before",
        "misstated reports of firms already known",
    ),
    (_YEARS, "dch_wc", "rank correlation with the year before, `dch_wc`"),
    (_YEARS, "issue", "the same, `issue`"),
    (_YEARS, "EBIT", "the same, `EBIT`"),
    (_YEARS, "28 items, median", "the same, median of the items"),
    (_CLOSER, "honest, honest before", "others' reports closer than the own before, honest"),
    (_CLOSER, "misstated, honest before", "the same, misstated after an honest year"),
    (_AUC, "at", "AUC of `at`"),
    (_AUC, "soft_assets", "AUC of `soft_assets`"),
    (_AUC, "ch_rsst", "AUC of `ch_rsst`"),
    (_AUC, "txp", "AUC of `txp`"),
    (_SEC, "dch_rec", "AUC of `dch_rec`, SEC cases"),
    (_DATED, "dch_rec", "AUC of `dch_rec`, restatements"),
    (_OWN, "ch_rsst", "AUC of `ch_rsst` beside the firm's own honest reports"),
    (_OWN, "txp", "AUC of `txp` beside the firm's own honest reports"),
    ("quantiles of EBIT", "5%", "5 % quantile of `EBIT`"),
    ("quantiles of ch_rsst", "95%", "95 % quantile of `ch_rsst`"),
)
_PANELS = ("published", "synthetic", "synthetic before")


def render_synthetic(published) -> dict[str, str]:
    """Return what the text says of synthetic panels.

    Parameters
    ----------
    published : Results
        The committed run on the published panel.
    """
    facts = _read_facts()
    runs = {
        "published": published,
        "synthetic": read_results(_FOLDER / "synthetic"),
        "synthetic before": read_results(_FOLDER / "synthetic-before"),
    }
    places = {panel: _place(run.table) for panel, run in runs.items()}
    short = {"published": "real", "synthetic": "synthetic", "synthetic before": "before"}
    numbers = {}
    for panel, name in short.items():
        counts = runs[panel].about["misstated_of_year"]
        numbers[f"{name}_rate"] = f"{sum(counts) / len(counts):.0f}"
        numbers[f"{name}_noise"] = f"{_noise(places[panel], counts):.1f}"
    return {
        "n_facts": f"{len(facts)}",
        "panel_facts": _tabulate_facts(facts),
        "panel_gaps": _tell_gaps(facts),
        "orders": _tabulate_orders(places),
        "orders_text": _tell_orders(places, float(numbers["synthetic_noise"])),
        **numbers,
    }


def _read_facts():
    now, before = (
        pd.read_csv(_FOLDER / folder / "panels.csv").set_index(["topic", "fact"])
        for folder in ("", "synthetic-before")
    )
    names = {"panel": "published", "synthetic": "synthetic"}
    return now.rename(columns=names).assign(**{"synthetic before": before["synthetic"]})


def _tabulate_facts(facts) -> str:
    body = [
        [title, *(_format(facts.loc[(topic, fact), panel]) for panel in _PANELS)]
        for topic, fact, title in _FACTS
    ]
    return render_markdown(["", *_PANELS], body)


def _format(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.0f}" if value >= 100 else f"{value:.3f}"


def _tell_gaps(facts) -> str:
    """Return in words where the synthetic panel is still unlike the published one."""
    tail, wide = (
        [f"{facts.loc[(f'quantiles of {name}', share), panel]:.2f}" for panel in _PANELS[:2]]
        for name, share in (("EBIT", "5%"), ("ch_rsst", "95%"))
    )
    assert float(tail[1]) > float(tail[0]), "the text says that tails are shorter"
    assert float(wide[1]) < float(wide[0])
    firms = [f"{facts.loc[('reports', 'firms'), panel]:.0f}" for panel in _PANELS[:2]]
    return (
        f"it is smaller ({firms[1]} firms, not {firms[0]}), its ratios have shorter tails (5 % "
        f"quantile of `EBIT` {tail[1]}, not {tail[0]}; 95 % quantile of `ch_rsst` {wide[1]}, "
        f"not {wide[0]}), and a panel of this size misses shares by a few points by chance."
    )


def _place(table) -> dict[str, tuple[int, float]]:
    """Return place and mean R-precision of the models that every panel was ranked by."""
    common = [name for name in list_models("main") if get_model(name).kind != "truth"]
    rows = [one for one in summarize_models(table, "released") if one.model in common]
    return {
        one.model: (place, one.means["r_precision"]) for place, one in enumerate(rows, start=1)
    }


def _noise(places, counts) -> float:
    """Return the standard error, in points, of the best mean over years."""
    share = max(rate for _, rate in places.values())
    return 100 * sum(share * (1 - share) / n for n in counts) ** 0.5 / len(counts)


def _tabulate_orders(places) -> str:
    body = [
        [f"`{model}`", *(_cell(places[panel].get(model)) for panel in _PANELS)]
        for model in places["published"]
    ]
    return render_markdown(["", *_PANELS], body)


def _cell(placed) -> str:
    return "" if placed is None else f"{placed[0]}. {100 * placed[1]:.1f}"


def _tell_orders(places, noise: float) -> str:
    """Return in words where the flagship is, and how alike the orders are."""
    of = len(places["published"])
    now, before, real = (
        places[panel]["focused"][0] for panel in ("synthetic", "synthetic before", "published")
    )
    rates = pd.DataFrame(
        {
            panel: {name: rate for name, (_, rate) in one.items()}
            for panel, one in places.items()
        }
    )
    alike = rates.corr(method="spearman")["published"]
    percent = 100 * rates["synthetic"]
    best = percent.idxmax()
    near = int((percent > percent[best] - 2 * noise).sum()) - 1
    return (
        f"`focused` is number {real} of {of} on the published panel, number {now} on the "
        f"synthetic one, and was number {before} on the earlier one. The rank correlation with "
        f"the order on the published panel is {alike['synthetic']:.2f} now and was "
        f"{alike['synthetic before']:.2f}. On the synthetic panel `focused` has "
        f"{percent['focused']:.1f} %, the first, `{best}`, {percent[best]:.1f} %, and the rule "
        f"`firm-memory` {percent['firm-memory']:.1f} %; {near} others are closer to the first "
        f"than two standard errors, so that their order there is mostly chance."
    )
