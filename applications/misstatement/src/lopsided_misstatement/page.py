"""The report of a run as one HTML page."""

from pathlib import Path

from lopsided.report.page import render_page, write_page
from lopsided_misstatement.evaluation import MEASURES, VIEWS
from lopsided_misstatement.figures import draw_all
from lopsided_misstatement.models import KINDS
from lopsided_misstatement.results_io import Results, list_views, pivot_years, summarize_models

__all__ = ["write_results_page"]


def write_results_page(results: Results, path: Path) -> Path:
    """Write what a run found as one page; return its path."""
    views = list_views(results.table)
    summaries = {view: summarize_models(results.table, view) for view in views}
    page = render_page(
        "misstatement.html",
        "Misstatements ranked",
        {"about": dict(results.about), "summaries": summaries},
        package="lopsided_misstatement",
        differences=list(results.differences.itertuples()),
        figures=draw_all(results),
        kinds=KINDS,
        measures=MEASURES,
        meanings={view.name: view.meaning for view in VIEWS if view.name in views},
        years=pivot_years(results.table, views[0]),
    )
    return write_page(path, page)
