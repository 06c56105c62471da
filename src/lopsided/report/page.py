"""The report: one HTML file that needs nothing else, neither other files nor a network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from lopsided._files import atomic_write, check_writable
from lopsided.report import sections
from lopsided.report.figures import draw_figures
from lopsided.report.markup import as_data, as_section
from lopsided.report.summary import summarize

if TYPE_CHECKING:
    import pandas as pd

    from lopsided.bench.study import Study

__all__ = ["check_page", "write_page", "write_report"]


def write_report(table: pd.DataFrame, study: Study, path: str | os.PathLike[str]) -> Path:
    """Write what a table of results says as one page, and return its path.

    The same table gives the same bytes, as long as no version changes.

    Parameters
    ----------
    table : DataFrame
        Results, as from `lopsided.bench.table.read_result_table`.
    study : Study
        The protocol they come from.
    path : path
        The HTML file. Missing folders are made.
    """
    summary = summarize(table, study)
    parts: list[tuple[str, str, str]] = [
        ("short", "In short", sections.show_short(summary)),
        ("protocol", "Protocol", sections.show_protocol(summary)),
    ]
    for number, (metric, found) in enumerate(summary["metrics"].items()):
        figures = draw_figures(table, metric, f"{number}-")
        shown = sections.show_metric(metric, found, figures)
        parts.append((f"metric-{number}", sections.head_metric(metric), shown))
    parts += [
        ("time", "Time", sections.show_time(summary)),
        ("failed", "Failed trials", sections.show_failed(summary)),
        ("versions", "Versions", sections.show_versions(summary)),
    ]
    return write_page(path, summary["title"], parts, summary)


def write_page(
    path: str | os.PathLike[str],
    title: str,
    parts: Sequence[tuple[str, str, str]],
    data: Mapping[str, Any],
) -> Path:
    """Write a page of sections and return its path.

    Parameters
    ----------
    path : path
        The HTML file, see `check_page`. Missing folders are made.
    title : str
        Its title.
    parts : sequence of (anchor, heading, markup)
        Its sections.
    data : mapping
        The numbers behind it, for machines.
    """
    check_page(path)
    script = _template("script.js")
    page = Template(_template("page.html")).substitute(
        title=escape(title),
        policy=_policy(script),
        style=_template("style.css"),
        script=script,
        contents="\n".join(
            f'<li><a href="#{anchor}">{escape(heading)}</a></li>'
            for anchor, heading, _ in parts
        ),
        body="\n".join(as_section(*part) for part in parts),
        data=as_data(data),
    )
    with atomic_write(path) as draft:
        # A lone surrogate in an error message must not cost the report.
        draft.write_bytes(page.encode("utf-8", errors="replace"))
    return Path(path)


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise an error unless a page can be written to a path: to a new one, or over a page.

    Parameters
    ----------
    path : path
        Ends in .html or .htm. What is there already, under whatever name, is a page or empty.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{path} must end in .html. Name another file.")
    target = check_writable(path)
    if target.exists():
        with open(target, "rb") as file:
            head = file.read(1024)
        if head and b"<html" not in head.lower():
            raise ValueError(
                f"{path} must be new or an HTML page, got another file. Name another."
            )


def _template(name: str) -> str:
    return (files("lopsided.report") / "templates" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return what a browser may load and run: our own script by its hash, nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; "
        "style-src 'unsafe-inline'; img-src data:"
    )
