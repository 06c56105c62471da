"""A matplotlib figure as SVG inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_svg"]

_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def as_svg(draw: Callable[[], Figure], title: str, salt: str) -> str:
    """Return a figure as SVG that is part of a page: no header, no date, ids of its own.

    Parameters
    ----------
    draw : callable
        Makes the figure.
    title : str
        What a reader who cannot see it is told.
    salt : str
        Keeps its ids apart from those of other figures on the page.
    """
    import matplotlib as mpl

    # Text stays text: it can be searched and read out. The salt makes ids repeatable.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        file = io.StringIO()
        draw().savefig(file, format="svg", transparent=True, metadata=_NO_METADATA)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL)
    # Groups are numbered from 1 in every figure, and nothing points to them.
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    # Black is the color of words, whatever the theme makes of it.
    text = text.replace("#000000", "currentColor")
    box = re.search(r'viewBox="([0-9. ]+)"', text)
    assert box is not None
    _, _, width, height = box[1].split()
    head = (
        f'<svg viewBox="{box[1]}" width="{width}pt" height="{height}pt" role="img" '
        f'aria-label="{escape(title)}">'
    )
    return head + text[text.index(">") + 1 :]
