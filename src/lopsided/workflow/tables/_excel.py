"""Sheets of Excel workbooks: cells as the numbers, dates and texts that they hold."""

from typing import Any, BinaryIO

import pandas as pd

from lopsided._validation import check_choice, check_unique, require
from lopsided._warnings import warn
from lopsided.workflow.tables._content import TableError


def read_excel(stream: BinaryIO, sheet: str | int | None) -> Any:
    """Return a sheet as a pandas frame, the first row that is not blank as its header."""
    require("openpyxl")
    with pd.ExcelFile(stream, engine="openpyxl") as book:
        names = [str(name) for name in book.sheet_names]
        chosen = _choose(sheet, names)
        cells = pd.read_excel(
            book, sheet_name=chosen, header=None, dtype=object, na_filter=False
        )
    filled = cells.map(lambda cell: cell is not None and str(cell).strip() != "")
    cells = cells.loc[filled.any(axis=1), filled.any(axis=0)]
    if not len(cells):
        raise TableError(f"its sheet {chosen!r} is empty. Give a table with a header and rows.")
    if sheet is None and len(names) > 1:
        warn(
            f"The first of {len(names)} sheets, {chosen!r}, was read. Name another one "
            "(sheet=...)."
        )
    header = [str(cell).strip() for cell in cells.iloc[0]]
    check_unique(name for name in header if name)
    names = [name or f"Unnamed: {place}" for place, name in enumerate(header)]
    frame = cells.iloc[1:].reset_index(drop=True).set_axis(names, axis=1)
    return frame.where(
        filled.iloc[1:].reindex_like(cells.iloc[1:]).to_numpy(), None
    ).infer_objects()


def _choose(sheet: str | int | None, names: list[str]) -> str:
    """Return the name of a sheet that is given by name or by its number from 0."""
    if sheet is None:
        return names[0]
    if isinstance(sheet, int) and not isinstance(sheet, bool):
        if not 0 <= sheet < len(names):
            raise TableError(
                f"it has {len(names)} sheets, got number {sheet}. Count from 0, or name one of "
                f"{', '.join(names)}."
            )
        return names[sheet]
    try:
        return check_choice(str(sheet), names, "sheet")
    except ValueError as error:
        raise TableError(str(error)) from None
