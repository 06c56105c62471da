"""The page of a study: its table, what the tests say and the figures."""

import os
from pathlib import Path

import pandas as pd

from lopsided.report.page import check_page, render_page, write_page
from lopsided_bench.figures import draw_figures
from lopsided_bench.study import Study, read_study
from lopsided_bench.summary import summarize
from lopsided_bench.table import read_result_table

__all__ = ["report_folder", "write_report"]


def report_folder(folder: str, out: str | None = None) -> Path:
    """Write the page of a study that was run; return its path.

    The folder has the table and the TOML file of the study, as `lopsided-bench run` leaves it.
    """
    place = Path(folder)
    page = Path(out) if out else place / "report.html"
    check_page(page)
    table = read_result_table(place)
    studies = sorted(place.glob("*.toml"))
    if len(studies) != 1:
        raise ValueError(
            f"{place} must contain the .toml file of one study, got {len(studies)}. Copy the "
            "file there."
        )
    return write_report(table, read_study(studies[0]), page)


def write_report(table: pd.DataFrame, study: Study, path: str | os.PathLike[str]) -> Path:
    """Write the summary of a table of results as one page; return its path.

    The same table gives the same bytes, as long as no version changes.

    Parameters
    ----------
    table : DataFrame
        Results, as from `lopsided_bench.table.read_result_table`.
    study : Study
        The protocol they come from.
    path : path
        The HTML file. Missing folders are made.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from lopsided_bench.study import MethodSpec, Setting
    >>> from lopsided_bench.table import Row, make_result_table
    >>> names = ("naive-logistic", "elkan-noto")
    >>> study = Study(
    ...     name="mine",
    ...     title="Two methods on a bundled table",
    ...     datasets=("wine-rare",),
    ...     settings=(Setting("scar", 0.5),),
    ...     methods=tuple(MethodSpec(name, name) for name in names),
    ...     metrics=("roc_auc",),
    ...     repeats=1,
    ... )
    >>> fit = ("wine-rare", "scar", 0.5)
    >>> table = make_result_table(  # as `run_study` returns it
    ...     Row(*fit, name, name, 1.0, 0, "roc_auc", 0.9, 1.0, "ok", "", name, "")
    ...     for name in names
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_report(table, study, f"{folder}/report.html").name)
    report.html
    """
    summary = summarize(table, study)
    figures = [
        draw_figures(table, metric, f"{number}-")
        for number, metric in enumerate(summary.metrics)
    ]
    return write_page(
        path,
        render_page("report.html", study.title, summary, "lopsided_bench", figures=figures),
    )
