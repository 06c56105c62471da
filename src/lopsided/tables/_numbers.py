"""Numbers written as text: currencies, separators of thousands, decimal commas, accounting."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided.tables._cells import Cells, read_cells
from lopsided.tables._reader import Reading, count_unread

_MAX_NUMBER = float(np.finfo(np.float32).max)  # most learners work in single precision
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


def parse_numbers(texts: tuple[str, ...], decimal: str) -> NDArray[np.float64]:
    """Return texts as numbers, NaN where one is none.

    Examples
    --------
    >>> parse_numbers(("1.234,50 EUR", "(12)", "7 %", "396,31-"), ",").tolist()
    [1234.5, -12.0, 7.0, -396.31]
    """
    cells = np.array(texts, object)
    values = np.array(pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce"), float)
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
    """Reads a column as one feature of numbers, with one decimal separator."""

    decimal: str
    kind = "number"

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
        numbers = parse_numbers(cells.texts, self.decimal)
        values = cells.spread(bound(numbers)[0])
        return Reading((values,), *count_unread(cells, np.isnan(numbers)))
