"""Figures of a result table: each a function from a table to a matplotlib figure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from lopsided_bench.aggregate import blocks, macro, scores, sort_settings
from lopsided_bench.names import MECHANISM_NAMES, name_metric, name_setting
from lopsided_bench.stats import average_ranks, cliques, critical_difference
from lopsided_bench.study import ORACLE

__all__ = [
    "box_plots",
    "critical_difference_diagram",
    "heat_map",
    "prior_sensitivity",
    "quality_and_time",
]

# Okabe and Ito's colors for all kinds of color vision, with marks for print in gray.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = "osD^vP*X"
_LETTER = 0.075  # inches that a letter of 8 points takes, with room to spare
# Words on shades. Black itself is used on the page alone, whose theme may change it.
_DARK, _LIGHT = "#111111", "#ffffff"


def box_plots(
    table: pd.DataFrame, metric: str, datasets: Sequence[str], hidden: float = 0.75
) -> Figure:
    """Draw the spread over repeats of each method, a panel for each data set and mechanism.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.
    datasets : sequence of str
        A row of panels for each.
    hidden : float, default=0.75
        The share of positives that are hidden.

    Returns
    -------
    Figure
        Of matplotlib.

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8), "puhrf": (0.6, 0.9), "naive-xgb": (0.6, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b"), values[name])
    ... )
    >>> figure = box_plots(table, "roc_auc", ["a"])
    >>> len(figure.axes)
    1
    """
    datasets = [_escape(name) for name in datasets]
    chosen = _at_true_prior(_select(table, metric))
    chosen = chosen[np.isclose(chosen["hidden"], hidden) & chosen["dataset"].isin(datasets)]
    mechanisms = [name for name in MECHANISM_NAMES if (chosen["mechanism"] == name).any()]
    labels = list(dict.fromkeys(chosen["label"]))
    # The names are written once, under the last row of panels.
    height = 1.8 + _LETTER * _longest(labels) / max(len(datasets), 1)
    title = _LETTER * (_longest(datasets) + len(", SAR near 25 %"))
    width = max(0.32 * len(labels) + 1.2, title + 0.6)
    figure, axes = _make_panels(len(datasets), max(len(mechanisms), 1), (width, height))
    for (row, dataset), (column, mechanism) in product(
        enumerate(datasets), enumerate(mechanisms)
    ):
        here = chosen[(chosen["dataset"] == dataset) & (chosen["mechanism"] == mechanism)]
        values = [here.loc[here["label"] == label, "value"] for label in labels]
        ax = axes[row, column]
        ax.boxplot(values, medianprops={"color": _COLORS[1]}, flierprops={"markersize": 3})
        below = labels if row == len(datasets) - 1 else [""] * len(labels)
        ax.set_xticks(range(1, len(labels) + 1), below, rotation=90, fontsize=8)
        ax.tick_params(axis="y", labelsize=8)
        ax.set_title(f"{dataset}, {name_setting(mechanism, hidden)}", fontsize=9)
        ax.set_ylabel(name_metric(metric) if column == 0 else "", fontsize=8)
    return figure


def prior_sensitivity(table: pd.DataFrame, metric: str) -> Figure:
    """Draw the macro mean against the factor of the prior, with errors over repeats.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.

    Returns
    -------
    Figure
        Of matplotlib.

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> rest = ("roc_auc", 0.9, 1.0, "ok", "", "", "")
    >>> table = make_result_table(
    ...     Row("a", "scar", 0.75, "ifpu-xgb", "ifpu-xgb", factor, repeat, *rest)
    ...     for factor in (0.5, 1.0, 2.0)
    ...     for repeat in (0, 1)
    ... )
    >>> len(prior_sensitivity(table, "roc_auc").axes)
    1
    """
    chosen = _select(table, metric)
    chosen = chosen[chosen["mechanism"] != ORACLE.mechanism]
    settings = sort_settings(set(zip(chosen["mechanism"], chosen["hidden"], strict=True)))
    # A row for each mechanism, a column for each share; one share makes a single row.
    shares = len({hidden for _, hidden in settings})
    n_columns = max(shares if shares > 1 else len(settings), 1)
    n_rows = max(-(-len(settings) // n_columns), 1)
    labels = list(dict.fromkeys(chosen["label"]))
    # The legend is to the right of the panels, and must not be taller than the panels.
    height = max(3.0, (0.18 * len(labels) + 0.4) / n_rows)
    figure, axes = _make_panels(n_rows, n_columns, (3.4, height))
    for ax in axes.flat[len(settings) :]:
        ax.axis("off")
    lines: dict[str, Any] = {}
    for ax, (mechanism, hidden) in zip(axes.flat, settings, strict=False):
        here = chosen[(chosen["mechanism"] == mechanism) & np.isclose(chosen["hidden"], hidden)]
        for label, rows in here.groupby("label", sort=False):
            lines[str(label)] = _prior_line(ax, rows, labels.index(str(label)))
        ax.set_xscale("log", base=2)
        ax.set_xticks(sorted(set(here["prior_factor"])))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel("given prior / true prior")
        ax.set_title(name_setting(mechanism, hidden), fontsize=9)
    for ax in axes[:, 0]:
        ax.set_ylabel(f"macro {name_metric(metric)}")
    figure.legend(
        list(lines.values()), list(lines), loc="outside right upper", fontsize=8, frameon=False
    )
    return figure


def _prior_line(ax: Any, rows: pd.DataFrame, number: int) -> Any:
    """Draw one method, in the color and mark of its number, and return what a legend shows."""
    by_repeat = rows.pivot_table(index="prior_factor", columns="repeat", values="value")
    mean = by_repeat.mean(axis=1)
    style = {"color": _COLORS[number % len(_COLORS)], "lw": 1.4}
    if len(by_repeat) == 1:  # takes no prior: the same everywhere
        return ax.axhline(float(mean.iloc[0]), ls="--", **style)
    error: Any = by_repeat.std(axis=1, ddof=1) / np.sqrt(by_repeat.count(axis=1))
    marker = _MARKS[number % len(_MARKS)]
    return ax.errorbar(mean.index, mean, error, marker=marker, capsize=2, **style)


def critical_difference_diagram(table: pd.DataFrame, metric: str) -> Figure:
    """Draw average ranks over data sets, with bars over methods that do not differ (Nemenyi).

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.

    Returns
    -------
    Figure
        Of matplotlib.

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8), "puhrf": (0.6, 0.9), "naive-xgb": (0.6, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b"), values[name])
    ... )
    >>> figure = critical_difference_diagram(table, "roc_auc")
    >>> len(figure.axes)
    1
    """
    values = blocks(_select(table, metric), metric)
    ranks = average_ranks(values).sort_values()
    difference = critical_difference(values.shape[1], len(values))
    groups = cliques(ranks, difference)
    half = -(-len(ranks) // 2)
    figure, [[ax]] = _make_panels(1, 1, (7.0, 1.2 + 0.24 * half + 0.12 * len(groups)))
    ax.set_xlim(1 - 0.35 * len(ranks), len(ranks) * 1.35)
    ax.set_ylim(-half - len(groups) * 0.5 - 1, 2)
    ax.axis("off")
    ax.plot([1, len(ranks)], [0, 0], color="black", lw=1)
    for tick in range(1, len(ranks) + 1):
        ax.plot([tick, tick], [0, 0.25], color="black", lw=1)
        ax.text(tick, 0.35, str(tick), ha="center", fontsize=7)
    depth, gap = len(groups) * 0.5, 0.015 * len(ranks)
    for number, (label, rank) in enumerate(ranks.items()):
        left = number < half
        y = -depth - 1 - (number if left else len(ranks) - 1 - number)
        end = 1 - 0.04 * len(ranks) if left else len(ranks) * 1.04
        ax.plot([rank, rank, end], [0, y, y], color="0.5", lw=0.8)
        text = f"{label} {rank:.1f}" if left else f"{rank:.1f} {label}"
        beside = end + (-gap if left else gap)
        ax.text(beside, y, text, ha="right" if left else "left", va="center", fontsize=8)
    for number, group in enumerate(groups):
        y = -0.5 * (number + 1)
        ends = ranks[group[0]] - 0.05, ranks[group[-1]] + 0.05
        ax.plot(ends, [y, y], color=_COLORS[1], lw=3, solid_capstyle="round")
    ax.plot([1, 1 + difference], [1.3, 1.3], color="black", lw=1.5)
    legend = f"critical difference {difference:.2f}"
    ax.text(1 + difference / 2, 1.45, legend, ha="center", fontsize=7)
    return figure


def heat_map(table: pd.DataFrame, metric: str) -> Figure:
    """Draw the mean of each method on each data set, over all settings.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.

    Returns
    -------
    Figure
        Of matplotlib.

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8), "puhrf": (0.6, 0.9), "naive-xgb": (0.6, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b"), values[name])
    ... )
    >>> figure = heat_map(table, "roc_auc")
    >>> len(figure.axes)
    2
    """
    found = _at_true_prior(scores(_select(table, metric), metric))
    wide = found.pivot_table(index="label", columns="dataset", values="value")
    wide = wide.loc[wide.mean(axis=1).sort_values(ascending=False).index]
    width = 0.55 * wide.shape[1] + 1.2 + _LETTER * _longest(wide.index)
    height = max(0.27 * wide.shape[0], 1.5) + 0.3
    height += 0.7 * _LETTER * _longest(wide.columns)  # names on a slope
    figure, [[ax]] = _make_panels(1, 1, (width, height))
    image = ax.imshow(wide, aspect="auto", cmap="cividis", vmin=0, vmax=1)
    ax.set_xticks(range(wide.shape[1]), wide.columns, rotation=45, ha="right", fontsize=8)
    ax.set_yticks(range(wide.shape[0]), wide.index, fontsize=8)
    for (row, column), value in np.ndenumerate(wide.to_numpy(dtype=float)):
        if np.isfinite(value):
            style = {"ha": "center", "va": "center", "fontsize": 7}
            style["color"] = _DARK if value > 0.55 else _LIGHT
            ax.text(column, row, f"{100 * value:.0f}", **style)
    figure.colorbar(image, ax=ax, label=name_metric(metric))
    return figure


def quality_and_time(table: pd.DataFrame, metric: str) -> Figure:
    """Draw the macro mean of each method against the mean seconds of a fit.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.

    Returns
    -------
    Figure
        Of matplotlib.

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8), "puhrf": (0.6, 0.9), "naive-xgb": (0.6, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b"), values[name])
    ... )
    >>> figure = quality_and_time(table, "roc_auc")
    >>> len(figure.axes)
    1
    """
    chosen = _select(table, metric)
    seconds = _at_true_prior(chosen).groupby("label")["seconds"].mean()
    quality = macro(chosen, metric).mean(axis=1)
    figure, [[ax]] = _make_panels(1, 1, (6.4, 4.2))
    spots = {label: (seconds[label], quality[label]) for label in quality.index}
    for number, spot in enumerate(spots.values()):
        marker = _MARKS[number % len(_MARKS)]
        ax.plot(*spot, marker, color=_COLORS[number % len(_COLORS)])
    ax.set_xscale("log")
    wide = seconds.max() > 1000 * seconds.min()
    ax.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("seconds of a fit, one thread")
    ax.set_ylabel(f"macro {name_metric(metric)}, mean over settings")
    _write_beside(ax, spots)
    return figure


def _make_panels(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """Return a figure that belongs to no window, and its panels."""
    figure = Figure(figsize=(size[0] * n_columns, size[1] * n_rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _write_beside(ax: Any, spots: Mapping[str, tuple[float, float]]) -> None:
    """Write a name next to each spot, if possible where it covers neither spots nor names."""
    ax.figure.draw_without_rendering()  # places are known only after the layout
    near = 4 * ax.figure.dpi / 72
    centers = [ax.transData.transform(spot) for spot in spots.values()]
    taken = [Bbox([center - near, center + near]) for center in centers]
    # Without room anywhere, the last place is the first again.
    places = [*product((0, 7, -7, 12, -12, 18, -18), (1, -1)), (0, 1)]
    for label, spot in spots.items():
        for tried, (up, side) in enumerate(places, start=1):
            offset = side * (6 if abs(up) < 12 else 2), up
            style = {"ha": "left" if side > 0 else "right", "va": "center", "fontsize": 7}
            note = ax.annotate(label, spot, offset, textcoords="offset points", **style)
            box = note.get_window_extent()
            inside = ax.bbox.x0 < box.x0 and box.x1 < ax.bbox.x1
            if (inside and not box.count_overlaps(taken)) or tried == len(places):
                taken.append(box)
                break
            note.remove()


def _select(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the results of a metric, with names that matplotlib writes as they are."""
    fine = table[(table["status"] == "ok") & (table["metric"] == metric)]
    return fine.assign(label=fine["label"].map(_escape), dataset=fine["dataset"].map(_escape))


def _at_true_prior(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[np.isclose(rows["prior_factor"], 1.0)]


def _escape(name: str) -> str:
    """Return a name without a formula, which matplotlib sees between two dollars."""
    return name.replace("$", r"\$")


def _longest(names: Iterable[str]) -> int:
    return max(map(len, names), default=0)
