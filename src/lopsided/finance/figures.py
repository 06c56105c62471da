"""Figures of the study: what was known when, and how the models stand year by year."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lopsided.bench.drawing import make_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_known", "draw_views", "draw_years"]


def draw_known(known: Any) -> Figure:
    """Draw which share of earlier misstatements is known, by years back and rule.

    Parameters
    ----------
    known : DataFrame
        `rule`, `lag`, `share`.
    """
    figure, ((ax,),) = make_panels(1, 1, (5.5, 3.2))
    rules = list(dict.fromkeys(known["rule"]))
    width = 0.8 / len(rules)
    for number, rule in enumerate(rules):
        rows = known[known["rule"] == rule]
        places = rows["lag"] + (number - (len(rules) - 1) / 2) * width
        ax.bar(places, 100 * rows["share"], width, label=rule)
    lags = sorted(known["lag"].unique())
    ax.set_xticks(lags, [f"{lag} year{'s' if lag > 1 else ''} back" for lag in lags])
    ax.set_ylabel("known misstatements, %")
    ax.set_ylim(0, 100)
    ax.legend(frameon=False, ncols=len(rules), loc="upper left", fontsize=8)
    return figure


def draw_years(years: Any, models: Sequence[str]) -> Figure:
    """Draw R-precision of some models by year.

    Parameters
    ----------
    years : DataFrame
        R-precision by model and year.
    models : sequence of str
        Which to show.
    """
    figure, ((ax,),) = make_panels(1, 1, (6.5, 3.4))
    for name, mark in zip(models, "osD^vP*X", strict=False):
        ax.plot(years.columns, 100 * years.loc[name], marker=mark, markersize=4, label=name)
    ax.set_xlabel("fiscal year ranked")
    ax.set_ylabel("R-precision, %")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def draw_views(standings: Any, views: Sequence[str]) -> Figure:
    """Draw the mean R-precision of models side by side in several views.

    Parameters
    ----------
    standings : mapping of str to sequence of ModelSummary
        By view.
    views : sequence of str
        Which to show, each a panel.
    """
    order = [one.model for one in reversed(standings[views[0]])]
    figure, panels = make_panels(1, len(views), (3.2, 0.24 * len(order) + 0.8))
    for ax, view in zip(panels[0], views, strict=True):
        values = {one.model: 100 * one.means["r_precision"] for one in standings[view]}
        shown = [name for name in order if name in values]
        places = [order.index(name) for name in shown]
        ax.barh(places, [values[name] for name in shown], height=0.7)
        ax.set_yticks(range(len(order)), order if ax is panels[0][0] else [""] * len(order))
        ax.set_title(view, fontsize=9)
        ax.set_xlabel("R-precision, %")
    return figure
