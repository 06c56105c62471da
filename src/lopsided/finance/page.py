"""The report of a run as one HTML page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lopsided.bench.words import name_metric
from lopsided.finance.evaluation import MEASURES, VIEWS
from lopsided.finance.figures import draw_known, draw_views, draw_years
from lopsided.finance.told import Results, list_standings, list_views, pivot_years
from lopsided.report.figures import Drawing, render_svg
from lopsided.report.page import render_page, write_page

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
    views = list_views(results.table)
    page = render_page(
        "misstatement.html",
        "Misstatements ranked",
        {
            "about": dict(results.about),
            "standings": {view: list_standings(results.table, view) for view in views},
        },
        package="lopsided.finance",
        differences=list(results.differences.itertuples()),
        figures=draw_all(results),
        kinds=KINDS,
        measures=list(MEASURES),
        meanings={view.name: view.meaning for view in VIEWS if view.name in views},
        name_metric=name_metric,
        years=pivot_years(results.table, views[0]),
    )
    return write_page(path, page)


def draw_all(results: Results) -> dict[str, Drawing]:
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

    def drawn(title: str, caption: str, draw: Callable[[], Any]) -> Drawing:
        return Drawing(title, caption, render_svg(draw, title, title))

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
