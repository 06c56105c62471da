"""The figures of a report: each inline SVG, or a sentence that says why it is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lopsided.bench import plots
from lopsided.bench.aggregate import blocks, macro
from lopsided.bench.study import ORACLE
from lopsided.datasets import list_entries
from lopsided.report.svg import as_svg

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Shown", "draw_figures", "most_imbalanced"]

_N_DATASETS, _N_METHODS = 3, 8
_ORDER = ["label", "dataset", "mechanism", "hidden", "prior_factor", "repeat"]


class Shown(NamedTuple):
    """A figure of the report: its title, and either an SVG with a caption or a reason."""

    title: str
    caption: str
    svg: str = ""


def draw_figures(table: pd.DataFrame, metric: str, salt: str = "") -> list[Shown]:
    """Return every figure of one metric.

    Parameters
    ----------
    table : DataFrame
        Results under any prior factors.
    metric : str
        What to show; it has results.
    salt : str, default=""
        Keeps the ids inside the drawings apart from those of others on the page.
    """
    fine = table[(table["status"] == "ok") & (table["metric"] == metric)]
    # Sorted, so that neither colors nor the last digit depend on the order of the rows.
    told = fine.sort_values(_ORDER, ignore_index=True)
    kinds = (_box_plots, _rank_diagram, _heat_map, _quality_and_time)
    shown = [kind(told, metric, f"{salt}{kind.__name__}") for kind in kinds]
    if told["prior_factor"].nunique() > 1:
        shown.append(_prior_sensitivity(told, metric, f"{salt}_prior"))
    return shown


def most_imbalanced(datasets: Sequence[str], count: int = _N_DATASETS) -> list[str]:
    """Return the data sets with the smallest share of positives, those not in the catalog last.

    Parameters
    ----------
    datasets : sequence of str
        Names.
    count : int, default=3
        How many to return at most.

    Examples
    --------
    >>> most_imbalanced(["cardio", "thyroid", "mine"], count=2)
    ['thyroid', 'cardio']
    """
    share = {entry.name: entry.positives / entry.rows for entry in list_entries()}
    return sorted(datasets, key=lambda name: (share.get(name, 1.0), name))[:count]


def _box_plots(table: pd.DataFrame, metric: str, salt: str) -> Shown:
    title = "Spread over repeats"
    hidden = table[table["mechanism"] != ORACLE.mechanism]
    if hidden.empty:
        return Shown(title, "Left out: no method was fitted with hidden labels.")
    if hidden["repeat"].nunique() < 2:
        return Shown(title, "Left out: a single repeat has no spread.")
    fewest = float(hidden["hidden"].max())
    here = hidden[np.isclose(hidden["hidden"], fewest)]
    best = macro(here, metric).mean(axis=1).sort_index()
    labels = best.sort_values(ascending=False, kind="stable").index[:_N_METHODS]
    datasets = most_imbalanced(here["dataset"].unique().tolist())
    # The order of rows is the order of boxes: the best on the left.
    place = {label: number for number, label in enumerate(labels)}
    chosen = here[here["label"].isin(labels)]
    chosen = chosen.sort_values("label", key=lambda column: column.map(place), kind="stable")
    caption = (
        f"The {len(datasets)} most imbalanced data sets with {100 * (1 - fewest):g} % of the "
        f"positives labeled; the {len(labels)} best methods there, best on the left."
    )
    return _show(
        title, caption, lambda: plots.box_plots(chosen, metric, datasets, fewest), salt
    )


def _rank_diagram(table: pd.DataFrame, metric: str, salt: str) -> Shown:
    title = "Average ranks"
    hidden = table[table["mechanism"] != ORACLE.mechanism]
    shape = (0, 0) if hidden.empty else blocks(hidden, metric).shape
    if min(shape) < 2:
        why = "Left out: ranks need two data sets and two methods with scores on all of them."
        return Shown(title, why)
    caption = (
        "1 is best; blocks are data sets, each with its mean over settings. Nemenyi's test "
        "cannot tell methods under a common bar apart."
    )
    return _show(title, caption, lambda: plots.critical_difference_diagram(table, metric), salt)


def _heat_map(table: pd.DataFrame, metric: str, salt: str) -> Shown:
    caption = "Mean over repeats and settings, in hundredths; the best method on top."
    return _show("Data sets", caption, lambda: plots.heat_map(table, metric), salt)


def _quality_and_time(table: pd.DataFrame, metric: str, salt: str) -> Shown:
    title = "Quality against time"
    if table["label"].nunique() < 2:
        return Shown(title, "Left out: a single method has nothing to be compared with.")
    caption = "Higher is better, further left is faster; seconds on a logarithmic scale."
    return _show(title, caption, lambda: plots.quality_and_time(table, metric), salt)


def _prior_sensitivity(table: pd.DataFrame, metric: str, salt: str) -> Shown:
    # A single repeat has no error to draw, and pandas gives NaN for it without a word.
    caption = (
        "What a wrong prior costs: the macro mean with its standard error over repeats, if "
        "there are several; dashed lines are methods that take no prior."
    )
    return _show("Wrong priors", caption, lambda: plots.prior_sensitivity(table, metric), salt)


def _show(title: str, caption: str, draw: Callable[[], Figure], salt: str) -> Shown:
    return Shown(title, caption, as_svg(draw, title, salt))
