"""The list that comes out: rank, id, score, probability, reasons and the row's own columns."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._math import best_first
from lopsided._terminal import abbreviate, list_some
from lopsided.workflow.roles import ROW_NUMBER, Roles
from lopsided.workflow.tables import escape_formulas
from lopsided.workflow.tables.columns import names_beside

__all__ = ["RankedTable", "Scored", "make_ranking", "name_row_labels", "undo_ranking"]

_HEAD = ("rank", "id", "score", "probability", "reasons")
_FIGURES = ("score", "probability")
_ENGINE = ("engine", "engine_kwargs", "storage_options")  # what opens a workbook
_SHOWN = 20  # rows in a notebook, or printed


class Scored(NamedTuple):
    """Clean rows of a table with their labels, scores and probabilities."""

    X: Any
    ids: Any  # series
    y: NDArray[np.int8]
    scores: NDArray[np.float64]
    probability: NDArray[np.float64]
    trained_on: NDArray[np.bool_]
    shift: NDArray[np.float64]  # what scores lose since a row is known to be unlabeled

    @property
    def order(self) -> NDArray[np.intp]:
        """The places of the unlabeled rows, best first; of equal ones the first."""
        unlabeled = np.flatnonzero(self.y == 0)
        return unlabeled[best_first(self.scores[unlabeled])]


class RankedTable(pd.DataFrame):
    """Ranked rows: a data frame that knows how it was made; parts of it are plain frames.

    Attributes
    ----------
    summary : str
        A sentence on what was ranked.
    model : TableModel or None
        What ranked it, where `lopsided.rank` made both.
    """

    _metadata: ClassVar[list[str]] = ["summary", "model"]
    summary: str
    model: Any

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def to_csv(self, *args: Any, spreadsheet_safe: bool = False, **options: Any) -> Any:
        """Write it as csv, as pandas does, but scores and probabilities with six digits.

        Rows keep the order, and the ranks, that 12 digits gave them. For `spreadsheet_safe`
        see `lopsided.workflow.tables.write_table`.
        """
        plain = pd.DataFrame(escape_formulas(self) if spreadsheet_safe else self)
        figures = [name for name in _FIGURES if name in plain and plain[name].dtype.kind == "f"]
        rounded = {name: [float(f"{one:.6g}") for one in plain[name]] for name in figures}
        return plain.assign(**rounded).to_csv(*args, **options)

    def to_excel(  # type: ignore[misc]  # final to pandas' types
        self, excel_writer: Any, *args: Any, **options: Any
    ) -> None:
        """Write it to a workbook, as pandas does, but no text becomes a formula.

        Pandas makes one of each text that begins with "=", which came in as text here.
        """
        if not isinstance(excel_writer, pd.ExcelWriter):
            engine = {name: options.pop(name) for name in _ENGINE if name in options}
            with pd.ExcelWriter(excel_writer, **engine) as writer:
                self.to_excel(writer, *args, **options)
            return
        with _texts_are_no_formulas(excel_writer):
            pd.DataFrame(self).to_excel(excel_writer, *args, **options)

    def __repr__(self) -> str:
        names = [name for name in _HEAD if name in self.columns]
        if not names:
            return super().__repr__()
        shown = pd.DataFrame(self)[names].head(_SHOWN)
        columns = [[name, *map(_show_cell, shown[name])] for name in names]
        widths = [max(map(len, column)) for column in columns]
        texts = [name == "reasons" for name in names]
        most = shutil.get_terminal_size().columns
        lines = []
        for row in zip(*columns, strict=True):
            cells = zip(row, widths, texts, strict=True)
            line = "  ".join(
                cell if is_text else cell.rjust(width) for cell, width, is_text in cells
            )
            lines.append(line if len(line) <= most else line[: most - 3] + "...")
        own = [name for name in self.columns if name not in names]
        beside = f" Beside these columns: {list_some(own, most)}." if own else ""
        return "\n".join([*lines, f"{len(shown)} of {len(self)} rows.{beside}"])

    def _repr_html_(self) -> str:
        shown = pd.DataFrame(self).head(_SHOWN)
        table = shown.style.format(precision=3, na_rep="", escape="html").hide(axis="index")
        more = f" The first {_SHOWN} rows:" if len(self) > _SHOWN else ""
        return f"<p>{escape(self.summary + more)}</p>{table.to_html()}"


@contextmanager
def _texts_are_no_formulas(writer: Any) -> Iterator[None]:
    """Keep texts that are written to a workbook meanwhile from becoming formulas."""
    if writer.engine == "xlsxwriter":
        writer.book.strings_to_formulas = False  # for sheets that are made from here on
        yield
        return
    before = {(cell.parent.title, cell.coordinate) for cell in _formulas(writer)}
    yield
    for cell in _formulas(writer):
        if (cell.parent.title, cell.coordinate) not in before:
            cell.data_type = "s"


def _formulas(writer: Any) -> list[Any]:
    rows = [row for sheet in writer.sheets.values() for row in sheet.iter_rows()]
    return [cell for row in rows for cell in row if cell.data_type == "f"]


def _show_cell(cell: Any) -> str:
    if isinstance(cell, float):
        return "" if np.isnan(cell) else f"{cell:.3f}"
    return abbreviate(cell, 400)


def make_ranking(frame: Any, scored: Scored, roles: Roles, top: int) -> RankedTable:
    """Return the first unlabeled rows in order, reasons yet blank."""
    order = scored.order[:top]
    row_labels = name_row_labels(frame)
    own = frame.reset_index(names=row_labels) if row_labels else frame
    if roles.id is not None and roles.id in own.columns:
        own = own.drop(columns=[roles.id])
    own = own.set_axis(names_beside(own.columns, _HEAD), axis=1)
    # In text, numbers of less than double precision would lose what rows are known again by.
    narrow = own.select_dtypes(["float16", "float32"]).columns
    own = own.astype(dict.fromkeys(narrow, np.float64))
    head = pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "id": scored.ids.iloc[order].reset_index(drop=True),
            "score": scored.scores[order],
            "probability": scored.probability[order],
            "reasons": np.full(len(order), "", dtype=object),
        }
    )
    ranking = RankedTable(pd.concat([head, own.iloc[order].reset_index(drop=True)], axis=1))
    ranking.summary, ranking.model = "", None
    return ranking


def undo_ranking(frame: Any, roles: Roles, features: Iterable[str]) -> Any:
    """Return a ranking that came back from a file with the columns that its table had.

    Somebody may have deleted some of the ranking's own columns. A table that has none of them,
    but those that it had in training, stays as it is.
    """
    own = {*features, roles.label, *filter(None, [roles.id, roles.group]), *roles.drop}
    renamed = dict(zip(names_beside(sorted(own), _HEAD), sorted(own), strict=True))
    moved = {name: before for name, before in renamed.items() if name != before}
    columns = set(frame.columns)
    if not (columns & set(_HEAD)) - own and not columns & set(moved):
        return frame
    name = roles.id or ROW_NUMBER
    if "id" in columns and name not in columns:
        frame = frame.rename(columns={"id": name})
    kept = [one for one in frame.columns if one == name or one not in _HEAD]
    return frame[kept].rename(columns=moved)


def name_row_labels(frame: Any) -> list[str]:
    """Return names for the levels of an index, none if it only counts rows from 0."""
    if frame.index.equals(pd.RangeIndex(len(frame))):
        return []
    names: list[str] = []
    for level in range(frame.index.nlevels):
        name = f"row_label_{level + 1}" if frame.index.nlevels > 1 else "row_label"
        while name in frame:
            name += "_"
        names.append(name)
    return names
