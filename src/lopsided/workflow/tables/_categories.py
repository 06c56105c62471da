"""Words that come back from row to row, as categories with the levels of training."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lopsided.workflow.tables._cells import Cells, read_cells
from lopsided.workflow.tables._reader import Reading, count_unread


@dataclass(frozen=True)
class CategoryReader:
    """Reads a column as a category; what training had not is missing."""

    levels: tuple[str, ...]
    ordered: bool = False
    kind = "category"

    @property
    def how(self) -> str:
        """What the column is read as, in words."""
        return f"{len(self.levels)} categor{'y' if len(self.levels) == 1 else 'ies'}"

    @property
    def parts(self) -> tuple[str, ...]:
        """What the features are called, after the column's name."""
        return ("",)

    def read(self, column: Any) -> Reading:
        """Return the column's categories."""
        cells = read_cells(column)
        place_of = {level: place for place, level in enumerate(self.levels)}
        places = np.array([place_of.get(text, -1) for text in cells.texts] + [-1], np.intp)
        categories = pd.Index(list(self.levels), dtype=object)
        values = pd.Categorical.from_codes(places[cells.codes], categories, self.ordered)
        return Reading((values,), *count_unread(cells, places[:-1] < 0))


def fit_categories(column: Any, cells: Cells) -> CategoryReader:
    """Return a column's levels in their order, that of the text where they have none."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.ordered:
        ordered = read_cells(pd.Series(dtype.categories))
        levels = tuple(ordered.texts[place] for place in ordered.codes if place >= 0)
        return CategoryReader(tuple(dict.fromkeys(levels)), ordered=True)
    return CategoryReader(cells.texts)
