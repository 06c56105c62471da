"""The report of a run as one HTML page."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lopsided.bench.display_names import name_metric
from lopsided.finance.evaluation import MEASURES, VIEWS
from lopsided.finance.figures import draw_known, draw_views, draw_years
from lopsided.finance.told import ModelSummary, Results, list_standings, list_views, pivot_years
from lopsided.report.markup import Cell, as_figure, as_list, as_paragraph, as_table
from lopsided.report.page import write_page
from lopsided.report.svg import as_svg

__all__ = ["KINDS", "draw_all", "write_report"]

KINDS = {
    "pu": "positive and unlabeled",
    "negative": "unlabeled as negative",
    "rule": "rule",
    "truth": "sees later labels",
}
_MAX_LINES = 5  # models in a figure by year


def write_report(results: Results, path: Path) -> Path:
    """Write what a run found as one page; return its path.

    Parameters
    ----------
    results : Results
        What was found.
    path : Path
        The HTML file.
    """
    standings = {
        view: list_standings(results.table, view) for view in list_views(results.table)
    }
    figures = draw_all(results)
    parts = [
        ("short", "In short", _show_short(results, standings)),
        ("panel", "Panel", _show_panel(results) + as_figure(*figures["known"])),
        ("views", "Views", as_figure(*figures["views"])),
    ]
    for number, (view, rows) in enumerate(standings.items()):
        in_print = view == "released" and not results.about["synthetic"]
        shown = _show_view(view, rows, in_print)
        parts.append((f"view-{number}", view[0].upper() + view[1:], shown))
    parts += [
        ("differences", "PU against negatives", _show_differences(results.differences)),
        ("years", "Year by year", as_figure(*figures["years"]) + _show_years(results)),
        ("failed", "Failed or left out", _show_failed(results.about["failed"])),
        ("versions", "Versions", as_paragraph(f"{results.about['versions']}.")),
    ]
    data = {
        "about": dict(results.about),
        "standings": {view: [_plain(one) for one in rows] for view, rows in standings.items()},
    }
    return write_page(path, "Misstatements ranked", parts, data)


def draw_all(results: Results) -> dict[str, tuple[str, str, str]]:
    """Return every figure by name: its title, caption and SVG.

    Parameters
    ----------
    results : Results
        What was found.
    """
    views = list_views(results.table)
    standings = {view: list_standings(results.table, view) for view in views}
    years = pivot_years(results.table, views[0])
    best = [one.model for one in standings[views[0]]][:_MAX_LINES]

    def drawn(title: str, caption: str, draw: Callable[[], Any]) -> tuple[str, str, str]:
        return title, caption, as_svg(draw, title, title)

    return {
        "known": drawn(
            "Known misstatements",
            "Share of the misstatements of earlier years that is known when a year is ranked.",
            lambda: draw_known(results.known),
        ),
        "views": drawn(
            "R-precision by view",
            "Mean over years and seeds.",
            lambda: draw_views(standings, views),
        ),
        "years": drawn(
            "R-precision by year",
            f"The {len(best)} best models of the view {views[0]}.",
            lambda: draw_years(years, best),
        ),
    }


def _show_short(results: Results, standings: dict[str, list[ModelSummary]]) -> str:
    about = results.about
    told = [
        f"{about['rows']} reports of {about['firms']} firms, {about['misstated']} misstated; "
        f"{len(about['years'])} years from {about['years'][0]} to {about['years'][-1]} are "
        "ranked one by one."
    ]
    if about["synthetic"]:
        told.append(
            "The panel is synthetic: it shows how the study runs and says nothing about real "
            "reports."
        )
    if about["undated"]:
        told.append(
            f"{about['undated']} misstated reports have no date of restatement: the view "
            "released takes them for known from the start."
        )
    for view, rows in standings.items():
        best = next((one for one in rows if one.kind != "truth"), rows[0])
        told.append(
            f"{view}: {best.model} is first with an R-precision of "
            f"{100 * best.means['r_precision']:.1f} %."
        )
    return "\n".join(map(as_paragraph, told))


def _show_panel(results: Results) -> str:
    shown = {
        view.name: view.meaning for view in VIEWS if view.name in set(results.table["view"])
    }
    return as_list(shown)


def _show_view(view: str, rows: Sequence[ModelSummary], in_print: bool) -> str:
    measures = [name for name in MEASURES if name in rows[0].means]
    body = [
        [
            Cell(one.model, note=one.title),
            Cell(KINDS[one.kind]),
            *(_percent(one.means[name], one.deviations[name]) for name in measures),
            *([_printed(one)] if in_print else []),
            Cell(f"{one.n_seeds}", one.n_seeds),
            Cell(f"{one.seconds:.2f}", one.seconds),
        ]
        for one in rows
    ]
    printed = ["R-precision in print"] if in_print else []
    headers = ["Model", "Kind", *map(name_metric, measures), *printed, "Seeds", "Seconds"]
    return as_table(f"{view}: means over years, in percent", headers, body)


def _printed(one: ModelSummary) -> Cell:
    return Cell() if one.printed is None else Cell(f"{one.printed:.2f}", one.printed)


def _show_differences(differences: Any) -> str:
    rows = [
        [
            Cell(one.view),
            Cell(one.first),
            Cell(one.second),
            Cell(name_metric(one.measure)),
            Cell(f"{100 * one.mean:+.2f}", one.mean),
            Cell(f"{100 * one.low:+.2f} to {100 * one.high:+.2f}"),
        ]
        for one in differences.itertuples()
    ]
    headers = ["View", "First", "Second", "Measure", "Difference", "95 % interval"]
    caption = "Points by which the first is ahead of the second; intervals by drawing firms"
    return as_table(caption, headers, rows)


def _show_years(results: Results) -> str:
    view = list_views(results.table)[0]
    years = pivot_years(results.table, view)
    rows = [
        [Cell(str(name)), *(_percent(value) for value in values)]
        for name, values in zip(years.index, years.to_numpy(), strict=True)
    ]
    headers = ["Model", *map(str, years.columns)]
    return as_table(f"R-precision by year, view {view}, in percent", headers, rows)


def _show_failed(failed: Sequence[str]) -> str:
    return "\n".join(map(as_paragraph, failed or ["None."]))


def _percent(value: float, deviation: float = float("nan")) -> Cell:
    if value != value:
        return Cell()
    spread = "" if deviation != deviation else f"± {100 * deviation:.2f}"
    return Cell(f"{100 * value:.2f}", value, note=spread)


def _plain(one: ModelSummary) -> dict[str, Any]:
    """Return a standing as numbers that JSON knows."""
    return {"model": one.model, "kind": one.kind, "means": dict(one.means)}
