"""The page on a ranking: what to review first, why, and how sure that is."""

import os
from pathlib import Path

from lopsided.report.page import render_page, write_page
from lopsided.report.ranking_drawings import draw_finds, draw_prior, draw_reliability
from lopsided.report.ranking_excerpt import take_excerpt
from lopsided.report.ranking_summary import RankingSummary

__all__ = ["render_ranking", "write_ranking_report"]


def write_ranking_report(summary: RankingSummary, path: str | os.PathLike[str]) -> Path:
    """Write the page on a ranking, and return its path.

    Parameters
    ----------
    summary : RankingSummary
        What it shows.
    path : path
        The HTML file, see `lopsided.report.page.check_page`. Missing folders are made.
    """
    return write_page(path, render_ranking(summary))


def render_ranking(summary: RankingSummary) -> str:
    """Return the page on a ranking: one HTML file of less than 3 MB that needs nothing else.

    It shows the first 1,000 rows, fewer if their cells are long, and says how many there are
    and where. Texts are shown as text, whatever they hold: long ones are abbreviated, with more
    of them behind a click, and characters that cannot be seen are spelled out.

    Parameters
    ----------
    summary : RankingSummary
        What it shows.
    """
    ranked = take_excerpt(summary)
    data = ranked.summary
    drawings = {
        "finds": draw_finds(data.finds) if data.finds else None,
        "prior": draw_prior(data.prior) if data.prior else None,
        "calibration": draw_reliability(data.calibration) if data.calibration else None,
    }
    return render_page("ranking.html", data.title, data, ranked=ranked, drawings=drawings)
