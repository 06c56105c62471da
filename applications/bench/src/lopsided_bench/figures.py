"""The figures of a report: each inline SVG, or a sentence that says why it is left out."""

import io
import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lopsided_bench import plots
from lopsided_bench.aggregate import blocks, macro
from lopsided_bench.datasets import list_entries
from lopsided_bench.study import ORACLE

__all__ = ["Drawing", "draw_figures", "render_svg"]

_MAX_DATASETS, _MAX_METHODS = 3, 8  # in box plots
_ORDER = ["label", "dataset", "mechanism", "hidden", "prior_factor", "repeat"]
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


class Drawing(NamedTuple):
    """A figure of a page: its title, and either an SVG with a caption or a reason."""

    title: str
    caption: str
    svg: str = ""


def draw_figures(table: pd.DataFrame, metric: str, salt: str = "") -> list[Drawing]:
    """Return every figure of a metric that has results, under any prior factors.

    The salt makes the ids inside these drawings differ from other ids on the page.
    """
    fine = table[(table["status"] == "ok") & (table["metric"] == metric)]
    # Sorted, so that neither colors nor the last digit depend on the order of the rows.
    fine = fine.sort_values(_ORDER, ignore_index=True)
    hidden = fine[fine["mechanism"] != ORACLE.mechanism]

    def draw(title: str, caption: str, plot: Callable[..., Figure], name: str) -> Drawing:
        return Drawing(
            title, caption, render_svg(partial(plot, fine, metric), title, salt + name)
        )

    figures = [_draw_box_plots(hidden, metric, salt)]
    if hidden.empty or min(blocks(hidden, metric).shape) < 2:
        why = "Left out: ranks need two data sets and two methods with scores on all of them."
        figures.append(Drawing("Average ranks", why))
    else:
        caption = (
            "1 is best; blocks are data sets, each with its mean over settings. Nemenyi's test "
            "cannot tell methods under a common bar apart."
        )
        plot = plots.critical_difference_diagram
        figures.append(draw("Average ranks", caption, plot, "_rank_diagram"))
    caption = "Mean over repeats and settings, in hundredths; the best method on top."
    figures.append(draw("Data sets", caption, plots.heat_map, "_heat_map"))
    title = "Quality against time"
    if fine["label"].nunique() < 2:
        why = "Left out: a single method has nothing to be compared with."
        figures.append(Drawing(title, why))
    else:
        caption = "Higher is better, further left is faster; seconds on a logarithmic scale."
        figures.append(draw(title, caption, plots.quality_and_time, "_quality_and_time"))
    if fine["prior_factor"].nunique() > 1:
        # A single repeat has no error to draw, and pandas gives NaN for it without a word.
        caption = (
            "What a wrong prior costs: the macro mean with its standard error over repeats, if "
            "there are several; dashed lines are methods that take no prior."
        )
        figures.append(draw("Wrong priors", caption, plots.prior_sensitivity, "_prior"))
    return figures


def render_svg(draw: Callable[[], Figure], title: str, salt: str) -> str:
    """Return a figure as SVG for a page: without header and date, with ids unique to it.

    Parameters
    ----------
    draw : callable
        Makes the figure.
    title : str
        Title for screen readers.
    salt : str
        Makes its ids differ from the ids of other figures on the page.
    """
    # Text stays text: it can be searched and read out. The salt makes ids repeatable.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        file = io.StringIO()
        draw().savefig(file, format="svg", transparent=True, metadata=_NO_METADATA)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL)
    # Groups are numbered from 1 in every figure, and nothing points to them.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    # Black is the color of words, which depends on the theme.
    text = text.replace("#000000", "currentColor")
    box = re.search(r'viewBox="([0-9. ]+)"', text)
    assert box is not None
    _, _, width, height = box[1].split()
    head = (
        f'<svg viewBox="{box[1]}" width="{width}pt" height="{height}pt" role="img" '
        f'aria-label="{escape(title)}">'
    )
    return head + text[text.index(">") + 1 :]


def _draw_box_plots(hidden: pd.DataFrame, metric: str, salt: str) -> Drawing:
    """Draw the best methods on the most imbalanced data sets with the fewest labels."""
    title = "Spread over repeats"
    if hidden.empty:
        return Drawing(title, "Left out: no method was fitted with hidden labels.")
    if hidden["repeat"].nunique() < 2:
        return Drawing(title, "Left out: a single repeat has no spread.")
    most_hidden = float(hidden["hidden"].max())
    here = hidden[np.isclose(hidden["hidden"], most_hidden)]
    best = macro(here, metric).mean(axis=1).sort_index()
    labels = best.sort_values(ascending=False, kind="stable").index[:_MAX_METHODS]
    priors = {entry.name: entry.prior for entry in list_entries()}
    names = sorted(here["dataset"].unique(), key=lambda name: (priors.get(name, 1.0), name))
    datasets = names[:_MAX_DATASETS]
    # The order of rows is the order of boxes: the best on the left.
    chosen = pd.concat([here[here["label"] == label] for label in labels])
    caption = (
        f"The {len(datasets)} most imbalanced data sets with {100 * (1 - most_hidden):g} % of "
        f"the positives labeled; the {len(labels)} best methods there, best on the left."
    )
    draw = partial(plots.box_plots, chosen, metric, datasets, most_hidden)
    return Drawing(title, caption, render_svg(draw, title, f"{salt}_box_plots"))
