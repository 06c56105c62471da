"""Every column of the page: its heading, and the cell that it makes of a row."""

from collections.abc import Sequence
from typing import Any

from lopsided.report.columns import Cell, Column, number, number_cell, text

from lopsided_misstatement.evaluation import MEASURES
from lopsided_misstatement.models import KINDS
from lopsided_misstatement.results_io import ModelSummary

__all__ = ["DIFFERENCES", "summary_columns", "year_columns"]

DIFFERENCES = (
    text("View", "view"),
    text("First", "first"),
    text("Second", "second"),
    Column("Measure", lambda row: Cell(MEASURES[row.measure].title), numeric=False),
    Column("Difference", lambda row: number_cell(100 * row.mean, "{:+.2f}")),
    Column(
        "95 % interval",
        lambda row: Cell(f"{100 * row.low:+.2f} to {100 * row.high:+.2f}"),
        numeric=False,
    ),
)


def summary_columns(rows: Sequence[ModelSummary], beside_print: bool) -> list[Column]:
    """Return the columns of the table of a view: one for each measure."""
    return [
        Column("Model", lambda row: Cell(row.model, note=row.title), numeric=False),
        Column("Kind", lambda row: Cell(KINDS[row.kind]), numeric=False),
        *(_measure_column(name) for name in MEASURES if name in rows[0].means),
        *([number("R-precision in print", "printed", "{:.2f}")] if beside_print else []),
        number("Seeds", "n_seeds", "{}"),
        number("Seconds", "seconds", "{:.2f}"),
    ]


def year_columns(years: Any) -> list[Column]:
    """Return the columns of the table of R-precision by year; rows are plain tuples."""
    by_year = [
        Column(str(year), lambda row, place=place: number_cell(100 * row[place], "{:.2f}"))
        for place, year in enumerate(years.columns, start=1)
    ]
    return [Column("Model", lambda row: Cell(row[0]), numeric=False), *by_year]


def _measure_column(name: str) -> Column:
    def cell(row: ModelSummary) -> Cell:
        deviation = row.deviations[name]
        spread = "" if deviation != deviation else f"± {100 * deviation:.2f}"
        return number_cell(100 * row.means[name], "{:.2f}", note=spread)

    return Column(MEASURES[name].title, cell)
