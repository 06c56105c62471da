"""Pieces of a page: every text that comes in is escaped on its way out."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Literal, NamedTuple

__all__ = ["Cell", "as_data", "as_figure", "as_list", "as_paragraph", "as_section", "as_table"]

_MANY = 40  # rows; a longer table scrolls in a frame of its own
_NOTHING = "–"  # noqa: RUF001, a dash where a number would be


class Cell(NamedTuple):
    """A cell of a table: what is shown, what it is sorted by, and how it stands out."""

    text: str = _NOTHING
    value: float | None = None
    mark: Literal["", "best", "second"] = ""
    note: str = ""


def as_paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{_words(text)}</p>"


def as_section(anchor: str, heading: str, *parts: str) -> str:
    """Return a section with a heading that links can point to."""
    inside = "\n".join(part for part in parts if part)
    name = escape(anchor)
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading">\n'
        f'<h2 id="{name}-heading">{escape(heading)}</h2>\n{inside}\n</section>'
    )


def as_list(entries: Mapping[str, str]) -> str:
    """Return words and what is said of each."""
    lines = (f"<dt>{_words(k)}</dt><dd>{_words(v)}</dd>" for k, v in entries.items())
    return "<dl>\n" + "\n".join(lines) + "\n</dl>"


def as_table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table that a click on a header sorts; the first cell of a row names it.

    Parameters
    ----------
    caption : str
        What it shows.
    headers : sequence of str
        One for each column.
    rows : iterable of sequences of Cell
        The body.
    """
    cells = list(rows)
    numeric = {i for row in cells for i, cell in enumerate(row) if cell.value is not None}
    head = "".join(
        f'<th scope="col"{_side(number in numeric)} aria-sort="none">'
        f'<button type="button">{_words(name)}</button></th>'
        for number, name in enumerate(headers)
    )
    body = "\n".join(f"<tr>{_row(row, numeric)}</tr>" for row in cells)
    kind = "wide tall" if len(cells) > _MANY else "wide"
    # The caption is no part of what scrolls: it would be cut off with it.
    return (
        f"<figure>\n<figcaption>{_words(caption)}</figcaption>\n"
        f'<div class="{kind}" tabindex="0" role="region" aria-label="{escape(caption)}">\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        "</div>\n</figure>"
    )


def as_figure(title: str, caption: str, svg: str) -> str:
    """Return a figure, or only its title and a sentence if there is nothing to see.

    Parameters
    ----------
    title, caption : str
        Words over and under it.
    svg : str
        A drawing, escaped already, or nothing.
    """
    if not svg:
        return f"<h3>{escape(title)}</h3>\n{as_paragraph(caption)}"
    return (
        f"<h3>{escape(title)}</h3>\n"
        f'<figure><div class="wide" tabindex="0" role="region" aria-label="{escape(title)}">'
        f"{svg}</div>\n<figcaption>{_words(caption)}</figcaption></figure>"
    )


def as_data(value: Any) -> str:
    r"""Return JSON that no browser can take for markup.

    Examples
    --------
    >>> print(as_data("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(value, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _words(text: str) -> str:
    """Return escaped text in which a number and its percent sign stay on one line."""
    return escape(text).replace(" %", "&nbsp;%")


def _row(cells: Sequence[Cell], numeric: Container[int]) -> str:
    first, *rest = cells
    return f'<th scope="row">{_inside(first)}</th>' + "".join(
        f"<td{_side(number in numeric)}{_sorted_by(cell)}>{_inside(cell)}</td>"
        for number, cell in enumerate(rest, start=1)
    )


def _side(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _sorted_by(cell: Cell) -> str:
    return "" if cell.value is None else f' data-value="{cell.value!r}"'


def _inside(cell: Cell) -> str:
    text = escape(cell.text)
    text = {"best": f"<b>{text}</b>", "second": f"<u>{text}</u>"}.get(cell.mark, text)
    return f"{text} <small>{escape(cell.note)}</small>" if cell.note else text
