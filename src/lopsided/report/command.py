"""What `lopsided report` runs."""

from pathlib import Path

from lopsided.bench.study import read_study
from lopsided.bench.table import read_result_table
from lopsided.report.page import check_page, write_report

__all__ = ["report"]


def report(folder: str, out: str | None = None) -> Path:
    """Write the report of a study that was run; return where it is.

    The folder holds the table and the study's TOML file. Only a page is written over.
    """
    place = Path(folder)
    page = Path(out) if out else place / "report.html"
    check_page(page)
    table = read_result_table(place)
    studies = sorted(place.glob("*.toml"))
    if len(studies) != 1:
        raise ValueError(
            f"{place} must hold the .toml file of one study, got {len(studies)}. Run "
            "lopsided bench into it, or copy the file there."
        )
    return write_report(table, read_study(studies[0]), page)
