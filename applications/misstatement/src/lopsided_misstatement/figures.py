"""Figures of the study: what was known when, and how the models stand year by year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lopsided_bench.figures import Drawing, render_svg
from lopsided_misstatement.results_io import (
    ModelSummary,
    Results,
    list_views,
    pivot_years,
    summarize_models,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_all"]

_MAX_LINES = 5  # models in a figure by year


def draw_all(results: Results) -> dict[str, Drawing]:
    """Return every figure by name."""
    views = list_views(results.table)
    summaries = {view: summarize_models(results.table, view) for view in views}
    best = [one.model for one in summaries[views[0]]][:_MAX_LINES]
    texts = {
        "known": (
            "Known misstatements",
            "Share of the misstatements of earlier years that is known when a year is ranked.",
            partial(_draw_known, results.known),
        ),
        "views": (
            "R-precision by view",
            "Mean over years and seeds.",
            partial(_draw_views, summaries),
        ),
        "years": (
            "R-precision by year",
            f"The {len(best)} best models of the view {views[0]}.",
            partial(_draw_years, pivot_years(results.table, views[0]), best),
        ),
    }
    return {
        name: Drawing(title, caption, render_svg(draw, title, title))
        for name, (title, caption, draw) in texts.items()
    }


def _make_panels(n_columns: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """Return a figure that belongs to no window, and its panels side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] * n_columns, size[1]), layout="constrained")
    return figure, figure.subplots(1, n_columns, squeeze=False)[0]


def _draw_known(known: Any) -> Figure:
    """Draw which share of earlier misstatements is known, by years back and rule."""
    figure, (ax,) = _make_panels(1, (5.5, 3.2))
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


def _draw_years(years: Any, models: Sequence[str]) -> Figure:
    """Draw R-precision of some models by year."""
    figure, (ax,) = _make_panels(1, (6.5, 3.4))
    for name, mark in zip(models, "osD^vP*X", strict=False):
        ax.plot(years.columns, 100 * years.loc[name], marker=mark, markersize=4, label=name)
    ax.set_xlabel("fiscal year ranked")
    ax.set_ylabel("R-precision, %")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _draw_views(summaries: Mapping[str, Sequence[ModelSummary]]) -> Figure:
    """Draw the mean R-precision of models in several views, each a panel."""
    order = [one.model for one in reversed(next(iter(summaries.values())))]
    figure, panels = _make_panels(len(summaries), (3.2, 0.24 * len(order) + 0.8))
    for ax, (view, rows) in zip(panels, summaries.items(), strict=True):
        values = {one.model: 100 * one.means["r_precision"] for one in rows}
        shown = [name for name in order if name in values]
        places = [order.index(name) for name in shown]
        ax.barh(places, [values[name] for name in shown], height=0.7)
        ax.set_yticks(range(len(order)), order if ax is panels[0] else [""] * len(order))
        ax.set_title(view, fontsize=9)
        ax.set_xlabel("R-precision, %")
    return figure
