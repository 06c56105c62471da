"""Small parts of figures: panels, names beside spots, names that are no formulas."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from lopsided._check import require

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["escape_mathtext", "escape_names", "make_panels", "write_beside"]


def make_panels(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Figure, Any]:
    """Return a figure that belongs to no window, and its panels."""
    require("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] * n_columns, size[1] * n_rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def write_beside(ax: Any, spots: Mapping[str, tuple[float, float]]) -> None:
    """Write a name beside each spot, where it covers neither spots nor names, if it can."""
    from matplotlib.transforms import Bbox

    ax.figure.draw_without_rendering()  # places are known only after the layout
    near = 4 * ax.figure.dpi / 72
    centers = [ax.transData.transform(spot) for spot in spots.values()]
    taken = [Bbox([center - near, center + near]) for center in centers]
    places = [*product((0, 7, -7, 12, -12, 18, -18), (1, -1)), (0, 1)]
    for label, spot in spots.items():
        for tried, (up, side) in enumerate(places, start=1):
            note = ax.annotate(
                label,
                spot,
                (side * (6 if abs(up) < 12 else 2), up),
                textcoords="offset points",
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=7,
            )
            box = note.get_window_extent()
            inside = ax.bbox.x0 < box.x0 and box.x1 < ax.bbox.x1
            # Without room anywhere, the last place is the first again.
            if (inside and not box.count_overlaps(taken)) or tried == len(places):
                taken.append(box)
                break
            note.remove()


def escape_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with names that matplotlib writes as they are."""
    return table.assign(
        label=[escape_mathtext(name) for name in table["label"]],
        dataset=[escape_mathtext(name) for name in table["dataset"]],
    )


def escape_mathtext(name: str) -> str:
    """Return a name that matplotlib writes as it is: between two dollars it sees a formula."""
    return name.replace("$", r"\$")
