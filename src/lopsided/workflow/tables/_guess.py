"""Which reader a column gets: guessed once from its cells, or as somebody has said."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lopsided._terminal import abbreviate
from lopsided.workflow.tables._booleans import BooleanReader, find_booleans
from lopsided.workflow.tables._categories import fit_categories
from lopsided.workflow.tables._cells import Cells, quote_some, read_cells
from lopsided.workflow.tables._date_reader import (
    DateReader,
    TimeReader,
    choose_parts,
    read_days,
)
from lopsided.workflow.tables._dates import DateForm, find_form, parse_times
from lopsided.workflow.tables._ids import (
    find_key,
    has_words,
    is_code,
    is_named_like_key,
    is_nearly_unique,
)
from lopsided.workflow.tables._numbers import (
    NumberReader,
    bound,
    find_currencies,
    find_decimal,
    find_writings,
    is_number_column,
    is_typed,
    parse_numbers,
)
from lopsided.workflow.tables._reader import Reader, count_unread
from lopsided.workflow.tables._texts import PIP_LINE, can_encode, fit_text

KINDS = ("number", "boolean", "category", "date", "text", "id", "drop")
_MOSTLY = 0.7  # share of the filled cells that must be numbers or dates where others are words
_FIRST_DAY, _LAST_DAY = 19000101, 21001231  # of dates written as eight digits
_FEW = 0.5  # distinct texts per row; with more of them, few levels come back
_MAX_LEVELS = 100  # of a category whose levels share words; beyond, letters rank better


class Guess(NamedTuple):
    """How to read a column, or why it is left out."""

    reader: Reader | None
    kind: str
    note: str = ""
    spare: Reader | None = None  # to read it by where no other column is left


class Settings(NamedTuple):
    """What holds for all columns."""

    decimal: str | None  # None: unknown
    day_first: bool | None
    said_day_first: bool | None  # None: nobody has said so
    text: str  # "auto", "encode" or "drop"


@dataclass
class Examined:
    """A column, and what its texts show by themselves."""

    column: Any
    decimal: str | None = None  # of numbers, where it can be told
    is_number: bool = False
    form: DateForm | None = None  # of dates

    @cached_property
    def cells(self) -> Cells:
        """The cells as text, which takes a while for many numbers."""
        return read_cells(self.column)

    @property
    def is_blank(self) -> bool:
        """Whether no row holds anything."""
        return bool(self.column.isna().all()) if is_typed(self.column) else not self.cells.texts

    @property
    def is_constant(self) -> bool:
        """Whether all rows are the same, none of them blank."""
        if is_typed(self.column):
            return not self.column.isna().any() and self.column.nunique() == 1
        return len(self.cells.texts) == 1 and self.cells.n_filled == len(self.column)


def examine(column: Any, decimal: str) -> Examined:
    """Find out whether the cells of a column are numbers or dates."""
    one = Examined(column)
    if one.is_blank:
        return one
    if is_typed(column):
        if (
            column.dtype.kind in "iuf"
            and _FIRST_DAY <= float(column.min()) <= float(column.max()) <= _LAST_DAY
        ):
            one.form = find_form(one.cells.sample(), _MOSTLY)
        return one
    some = one.cells.sample()
    one.decimal = find_decimal(some).decide(None if decimal == "auto" else decimal)
    numbers = parse_numbers(some.texts, one.decimal or ".")
    one.is_number = _share(some, ~np.isnan(numbers)) >= _MOSTLY
    one.form = find_form(some, _MOSTLY)
    return one


def settle(
    examined: Mapping[str, Examined], decimal: str, day_first: Any, text: str
) -> Settings:
    """Return what holds for columns that do not show it themselves: what the others show."""
    if decimal == "auto":
        commas = [
            one.decimal == "," for one in examined.values() if one.is_number and one.decimal
        ]
        found = ("," if sum(commas) > len(commas) / 2 else ".") if commas else None
    else:
        found = decimal
    if isinstance(day_first, str):
        forms = (one.form for one in examined.values())
        found_orders = (form.decide(None) for form in forms if form is not None)
        orders = [order for order in found_orders if order is not None]
        # Decimal commas are written where days come first.
        order = sum(orders) > len(orders) / 2 if orders else (True if found == "," else None)
    else:
        order = bool(day_first)
    said = None if isinstance(day_first, str) else bool(day_first)
    return Settings(found, order, said, text)


def guess(name: str, one: Examined, settings: Settings) -> Guess:
    """Decide how a column is read."""
    column = one.column
    if one.is_blank:
        return Guess(None, "blank", "left out: blank in every row")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _as_category(one)
    if pd.api.types.is_bool_dtype(column.dtype):
        return Guess(BooleanReader(blank_is_no=False), "boolean")
    if column.dtype.kind == "M" or isinstance(column.dtype, pd.PeriodDtype):
        return _as_date(name, one, settings)
    if one.form is not None:
        return _as_date(name, one, settings)
    if is_number_column(column) or (one.is_number and not _is_level(one.cells)):
        return _as_number(name, one, settings)
    cells = one.cells
    if (booleans := find_booleans(cells)) is not None:
        return Guess(booleans, "boolean")
    some = cells.sample()
    if _share(some, ~np.isnan(parse_times(some.texts))) >= _MOSTLY:
        return _with_unread(TimeReader(), one)
    return _as_words(one, settings)


def declare(name: str, kind: str, one: Examined, settings: Settings) -> Guess:
    """Read a column as somebody has said."""
    if kind in ("id", "drop"):
        return Guess(None, kind, "left out: you said so")
    if one.is_blank:
        return Guess(None, "blank", "left out: blank in every row")
    if kind == "number":
        found = _as_number(name, one, settings, certain=True)
    elif kind == "boolean":
        found = _with_unread(find_booleans(one.cells) or BooleanReader(blank_is_no=False), one)
    elif kind == "date":
        found = _as_date(name, replace(one, form=find_form(one.cells.sample(), 0.0)), settings)
    elif kind == "text":
        found = Guess(fit_text(one.cells), "text")
    else:
        found = _as_category(one)
    return found


def _share(cells: Cells, found: Any) -> float:
    return cells.count(found) / max(cells.n_filled, 1)


def _is_level(cells: Cells) -> bool:
    """Say whether digits are the names of a few things, such as 007 or the code of a town."""
    return is_code(cells) and len(cells.texts) <= _FEW * cells.n_filled


def _as_category(one: Examined) -> Guess:
    return Guess(fit_categories(one.column, one.cells), "category")


def _as_number(name: str, one: Examined, settings: Settings, certain: bool = False) -> Guess:
    column = one.column
    decimal = one.decimal or settings.decimal or "."
    reader = NumberReader.learn(decimal, one)
    if is_number_column(column):
        values = reader.read(column).features[0]
        raw = (
            column.to_numpy(np.float64, na_value=np.nan) if column.dtype.kind != "m" else values
        )
        notes = _note_endless(bound(raw)[1])
    else:
        cells = one.cells
        numbers = parse_numbers(cells.texts, decimal)
        values = cells.spread(bound(numbers)[0])
        notes = _note_words(cells, np.isnan(numbers))
        notes += _note_endless(bound(cells.spread(numbers))[1])
        notes += _note_writing(one, settings)
    if np.isnan(values).all():
        if certain:
            raise ValueError(
                f"Column {abbreviate(name)!r} must hold numbers, as types says, got "
                f"{quote_some(one.cells.texts)}. Leave it out of types, or call it a category."
            )
        return Guess(None, "blank", "left out: no cell holds a finite number")
    key = "" if certain else find_key(name, values)
    if key:
        return Guess(None, "id", f"left out: {key}", spare=reader)
    whole = (values[~np.isnan(values)] % 1 == 0).all()
    if is_named_like_key(name) and whole and not certain:
        notes.append("if its numbers are codes, call it a category")
    return Guess(reader, "number", "; ".join(notes))


def _note_words(cells: Cells, unread: Any) -> list[str]:
    n_filled, n_unread, some = count_unread(cells, unread)
    if not n_unread:
        return []
    return [f"{n_unread:,} of {n_filled:,} cells are no numbers ({quote_some(some)}): missing"]


def _note_endless(n_endless: int) -> list[str]:
    if not n_endless:
        return []
    return [f"{n_endless:,} infinite number{'s' if n_endless > 1 else ''}: missing"]


def _note_writing(one: Examined, settings: Settings) -> list[str]:
    notes = []
    unclear = [text for text in one.cells.texts if "," in text or "." in text]
    if one.decimal is None and unclear:
        other = "decimal point" if settings.decimal == "," else "decimal comma"
        notes.append(f"{abbreviate(unclear[0])!r} could also have a {other}")
    currencies = find_currencies(one.cells.sample().texts)
    if len(currencies) > 1:
        notes.append(f"amounts in {' and '.join(currencies)} are not converted")
    return notes


def _as_date(name: str, one: Examined, settings: Settings) -> Guess:
    form = one.form
    typed = one.column.dtype.kind == "M" or isinstance(one.column.dtype, pd.PeriodDtype)
    if form is None and not typed:
        if not np.isnan(parse_times(one.cells.texts)).all():
            return _with_unread(TimeReader(), one)
        raise ValueError(
            f"Column {abbreviate(name)!r} must hold dates or times, as types says, got "
            f"{quote_some(one.cells.texts)}. Leave it out of types."
        )
    notes = []
    order = True
    if form is not None and form.is_open:
        shown = form.decide(settings.said_day_first)
        found = settings.day_first if shown is None else shown
        order = form.usual_order if found is None else found
        if found is None:
            notes.append(
                f"days and months cannot be told apart, {'day' if order else 'month'} first "
                f"was taken: say day_first={not order} if not"
            )
    shapes = form.shapes if form is not None else ()
    days, counts = read_days(one.column, shapes, order)
    if np.isnan(days).all():
        return Guess(None, "blank", "left out: no cell holds a date")
    reader = DateReader(shapes, order, float(np.floor(np.nanmin(days))), choose_parts(days))
    if counts and counts[1]:
        n_filled, n_unread, some = counts
        notes.append(
            f"{n_unread:,} of {n_filled:,} cells are no dates ({quote_some(some)}): missing"
        )
    return Guess(reader, "date", "; ".join(notes))


def _with_unread(reader: Reader, one: Examined) -> Guess:
    _, n_filled, n_unread, some, *_ = reader.read(one.column)
    note = f"{n_unread:,} of {n_filled:,} cells could not be read ({quote_some(some)}): missing"
    return Guess(reader, reader.kind, note if n_unread else "")


def _as_words(one: Examined, settings: Settings) -> Guess:
    """Read a column that is neither numbers nor dates: categories, free text, or names."""
    cells = one.cells
    recurs = len(cells.texts) <= max(_FEW * cells.n_filled, 1)
    if recurs and len(cells.texts) <= _MAX_LEVELS:
        return _as_category(one)
    if find_writings(cells.sample()) is not None:
        return Guess(None, "mixed", "left out: numbers with decimal points and with commas")
    if not has_words(cells.sample()):
        if recurs:
            return _as_category(one)
        how = "nearly every row" if is_nearly_unique(cells) else "most rows"
        return Guess(None, "id", f"left out: another text in {how}, no words in common")
    if settings.text == "drop":
        return Guess(None, "text", "left out: free text, as text='drop' says")
    if settings.text == "encode" or can_encode():
        return Guess(fit_text(cells), "text")
    if recurs:
        return _as_category(one)._replace(
            note=f"read better by its letters, with skrub. Type: {PIP_LINE}"
        )
    return Guess(None, "text", f"left out: free text needs skrub. Type: {PIP_LINE}")
