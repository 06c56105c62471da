"""Numbers written as text: currencies, separators of thousands, decimal commas, accounting."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided.workflow.tables._cells import Cells, read_cells
from lopsided.workflow.tables._reader import Reading, count_unread

_PANDAS = int(pd.__version__.partition(".")[0])
_MAX_NUMBER = float(np.finfo(np.float32).max)  # most learners work in single precision
_MAX_TYPED = 5_000  # rows of numbers that are no text, by which their digits are counted
_RARELY = 0.05  # share of cells below which a writing is no usual one
_MOSTLY = 0.7  # share of cells that are numbers, where a column is one of numbers
_NEARLY_ALL = 0.9  # share of new cells that could be, where it is
_UNLIKELY = 0.01  # that so many are by chance
_SIGNS = "[$€£¥₹₽₩₺₴₪฿]"
_CODES = (
    "USD EUR GBP CHF JPY CNY RMB SEK NOK DKK ISK PLN CZK HUF RON BGN TRY RUB UAH INR AUD CAD "
    "NZD SGD HKD KRW TWD BRL MXN ARS CLP COP PEN ZAR ILS AED SAR EGP THB IDR MYR PHP VND KR ZŁ "
    "FR RS"
)
_CURRENCY = rf"(?:(?:US|CA|A|R|HK|NZ)?{_SIGNS}|(?:{'|'.join(_CODES.split())})(?![a-z])\.?)"
# Any of the many minus signs and spaces that programs write, as one of each.
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2013\u2012\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u2002\u2003", " "),
        **dict.fromkeys("\u2019\u2018\u00b4", "'"),
    }
)
# What pandas writes to a csv file for a span of time.
_SPAN = re.compile(r"-?\d{1,5} days?(?: [+-]?\d{2}:\d{2}:\d{2}(?:\.\d+)?)?")
_BODY = r"(?P<body>\d[\d.,' ]*|[.,]\d+)"


def _compile(body: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<before>[-+(]?) ?(?P<currency>{_CURRENCY})? ?(?P<inner>[-+(]?) ?{body}"
        rf"(?P<exponent>e[-+]?\d{{1,3}})? ?(?P<close>[-)]?) ?%? ?(?P<behind>{_CURRENCY})? ?"
        r"(?P<after>[-)]?)",
        re.IGNORECASE,
    )


def _body_of(grouping: str, decimal: str) -> str:
    """Return what a number without its sign looks like, for a decimal separator."""
    thousands = (
        rf"\d{{1,3}}(?:{grouping}\d{{3}})+|\d{{1,2}}(?:{grouping}\d{{2}})+{grouping}\d{{3}}"
    )
    spaced = r"\d{1,3}(?: \d{3})+|\d{1,3}(?:'\d{3})+"
    whole = rf"(?:{thousands}|{spaced}|\d+)"
    return rf"(?P<body>{whole}(?:{decimal}\d*)?|{decimal}\d+)"


_FORMS = {".": _compile(_body_of(",", r"\.")), ",": _compile(_body_of(r"\.", ","))}
_EITHER = _compile(_BODY)
_KEPT = {".": str.maketrans("", "", ", '"), ",": str.maketrans(",", ".", ". '")}


class DecimalEvidence(NamedTuple):
    """How many cells show which decimal separator."""

    n_points: int
    n_commas: int

    def decide(self, said: str | None) -> str | None:
        """Return the separator of most cells, None if no cell is clear; doubt is for others."""
        if self.n_points and self.n_commas and said is not None:
            return said
        if self.n_points == self.n_commas == 0:
            return None
        return "," if self.n_commas > self.n_points else "."


def find_decimal(cells: Cells) -> DecimalEvidence:
    """Count the cells that can be read with one decimal separator alone.

    "1,5", "0,125" and "1.234,50" show a comma; "1.5", "1,234,567" and "1,234.50" a point;
    "12,345" could be either.
    """
    found = {".": 0, ",": 0, None: 0}
    for text, count in zip(cells.texts, cells.counts.tolist(), strict=True):
        if "." in text or "," in text:
            match = _EITHER.fullmatch(_simplify(text))
            if match:
                found[_decimal_of(match["body"].rstrip())] += count
    return DecimalEvidence(found["."], found[","])


def _simplify(text: str) -> str:
    return text if text.isascii() else text.translate(_SAME)


def _decimal_of(body: str) -> str | None:
    """Return the only decimal separator that a number can have, None if it tells nothing."""
    points, commas = body.count("."), body.count(",")
    if points and commas:
        return max(".,", key=body.rfind)
    mark, other = (".", ",") if points else (",", ".")
    if points + commas > 1:
        return other  # it groups thousands
    lead, _, tail = body.partition(mark)
    spaced = " " in lead or "'" in lead
    return mark if spaced or len(tail) != 3 or lead in ("", "0") or len(lead) > 3 else None


def is_number(text: str) -> bool:
    """Say whether a text is nothing but a number, whatever its decimal separator.

    Examples
    --------
    >>> [is_number(text) for text in ("-5", "+3,2 %", "-1.234 EUR", "-1-2", "=5", "5 apples")]
    [True, True, True, False, False, False]
    """
    return _EITHER.fullmatch(_simplify(text)) is not None


class Decimals(NamedTuple):
    """How many cells have the decimal separator, and how many could be thousands by it."""

    n_marked: int
    n_like_thousands: int  # three digits behind it, one to three before: 7.853


def count_decimals(cells: Cells, decimal: str) -> Decimals:
    """Count the cells with a decimal separator, and those that others read as thousands.

    Examples
    --------
    >>> cells = read_cells(pd.Series(["7.853 EUR", "0.125", "1.50", "12", "1,234"]))
    >>> count_decimals(cells, ".")
    Decimals(n_marked=3, n_like_thousands=1)
    """
    n_marked = n_like = 0
    for text, count in zip(cells.texts, cells.counts.tolist(), strict=True):
        if decimal in text and (match := _EITHER.fullmatch(_simplify(text))):
            body = match["body"].rstrip()
            if decimal in body:
                n_marked += count
                n_like += count if _decimal_of(body) is None else 0
    return Decimals(n_marked, n_like)


def parse_numbers(texts: tuple[str, ...], decimal: str) -> NDArray[np.float64]:
    """Return texts as numbers, NaN where one is none.

    Examples
    --------
    >>> parse_numbers(("1.234,50 EUR", "(12)", "7 %", "396,31-"), ",").tolist()
    [1234.5, -12.0, 7.0, -396.31]
    """
    cells = np.array(texts, object)
    values = np.array(pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce"), float)
    if _PANDAS < 3:  # which misses the last digit of every third number
        found = ~np.isnan(values)
        values[found] = cells[found].astype(float)
    if decimal == ",":
        values[["." in text for text in texts]] = np.nan
    form, kept = _FORMS[decimal], _KEPT[decimal]
    for place in np.flatnonzero(np.isnan(values)):
        match = form.fullmatch(_simplify(texts[place]))
        if match is not None:
            values[place] = _value_of(match, kept)
        elif match := _SPAN.fullmatch(texts[place]):
            values[place] = pd.Timedelta(match[0]) / pd.Timedelta(days=1)
    return values


def _value_of(match: re.Match[str], kept: dict[int, Any]) -> float:
    marks = "".join(match.group("before", "inner", "close", "after"))
    if marks.count("(") != marks.count(")") or len(marks.replace("(", "")) > 1:
        return np.nan
    size = float(match["body"].translate(kept) + (match["exponent"] or ""))
    return -size if "-" in marks or "(" in marks else size


class Writing(NamedTuple):
    """Cells that are numbers with one decimal separator alone: how many, and some of them."""

    n_cells: int
    examples: tuple[str, ...]


def find_writings(cells: Cells) -> tuple[Writing, Writing] | None:
    """Return the numbers with a decimal point, and with a comma, if a column has many of both.

    "12,345" and "12" are numbers in both writings; names such as 10.0.0.1 in none.
    """
    by_point, by_comma = (~np.isnan(parse_numbers(cells.texts, mark)) for mark in ".,")
    writings = [
        Writing(cells.count(own), tuple(np.array(cells.texts, object)[own][:3]))
        for own in (by_point & ~by_comma, by_comma & ~by_point)
    ]
    n_numbers, n_filled = cells.count(by_point | by_comma), max(cells.n_filled, 1)
    if n_numbers < _MOSTLY * n_filled or min(one.n_cells for one in writings) < (
        _RARELY * n_filled
    ):
        return None
    return writings[0], writings[1]


def find_currencies(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the currencies that the numbers of a column are written in."""
    found = set()
    for text in texts:
        if not text.isascii() or not text[:1].isdigit() or not text[-1:].isdigit():
            match = _EITHER.fullmatch(_simplify(text))
            if match is not None:
                named = match["currency"] or match["behind"]
                found |= {named.upper().rstrip(".")} if named else set()
    return tuple(sorted(found))


def is_number_column(column: Any) -> bool:
    """Say whether a pandas column holds numbers or spans of time already."""
    return pd.api.types.is_numeric_dtype(column.dtype) or column.dtype.kind == "m"


def is_typed(column: Any) -> bool:
    """Say whether the type of a pandas column tells what it holds."""
    known = (pd.CategoricalDtype, pd.PeriodDtype)
    return (
        is_number_column(column) or column.dtype.kind == "M" or isinstance(column.dtype, known)
    )


def bound(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Return numbers with those no learner takes as missing, and how many these are."""
    endless = np.abs(values) > _MAX_NUMBER
    return (
        (np.where(endless, np.nan, values), int(endless.sum()))
        if endless.any()
        else (values, 0)
    )


@dataclass(frozen=True)
class NumberReader:
    """Reads a column as one feature of numbers, with one decimal separator.

    It knows how many cells of training had that separator, and how many of them could also have
    been thousands: where they nearly never could, and those of a new table nearly all can,
    these are written otherwise. None is of a model file from before that was counted.
    """

    decimal: str
    n_marked: int | None = None
    n_like_thousands: int = 0
    kind = "number"

    @classmethod
    def learn(cls, decimal: str, one: Any) -> "NumberReader":
        """Return a reader that remembers how the cells of an examined column are written."""
        column = one.column
        if column.dtype.kind == "m":
            return cls(decimal)
        if not is_number_column(column):
            return cls(decimal, *count_decimals(one.cells.sample(), decimal))
        # Numbers that are no text would be written with a point.
        some = read_cells(column.iloc[:: max(1, len(column) // _MAX_TYPED)])
        return cls(decimal, *count_decimals(some, "."))

    @property
    def how(self) -> str:
        """What the column is read as, in words."""
        return "numbers, decimal comma" if self.decimal == "," else "numbers"

    @property
    def parts(self) -> tuple[str, ...]:
        """What the features are called, after the column's name."""
        return ("",)

    def read(self, column: Any) -> Reading:
        """Return the column's numbers."""
        if column.dtype.kind == "m":
            return Reading((np.asarray(column / pd.Timedelta(days=1), np.float64),))
        if is_number_column(column):
            return Reading((bound(column.to_numpy(np.float64, na_value=np.nan))[0],))
        cells = read_cells(column)
        numbers = self.read_texts(cells.texts)
        values = cells.spread(bound(numbers)[0])
        suspect = self._count_suspect(cells)
        return Reading((values,), *count_unread(cells, np.isnan(numbers)), *suspect)

    def read_texts(self, texts: tuple[str, ...]) -> NDArray[np.float64]:
        """Return cells as numbers, NaN where one is none."""
        return parse_numbers(texts, self.decimal)

    def _count_suspect(self, cells: Cells) -> tuple[int, int]:
        """Return how many cells may be thousands by the decimal separator, of all with it."""
        if self.n_marked is None or not self._is_suspect(
            count_decimals(cells.sample(), self.decimal)
        ):
            return 0, 0
        n_marked, n_like = count_decimals(cells, self.decimal)
        return n_like, n_marked

    def _is_suspect(self, new: Decimals) -> bool:
        """Say whether nearly all new cells have what those of training nearly never had."""
        n_marked = self.n_marked or 0
        if self.n_like_thousands > _RARELY * n_marked or not new.n_like_thousands:
            return False
        by_chance = ((self.n_like_thousands + 1) / (n_marked + 2)) ** new.n_like_thousands
        return new.n_like_thousands >= _NEARLY_ALL * new.n_marked and by_chance <= _UNLIKELY
