"""Dates and times written as text: which forms there are, and how each is read."""

import re
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.workflow.tables._cells import Cells

_PIVOT = 69  # two digits of a year from here on are of the last century, as in POSIX
_NAMES = (
    "january janvier januar jänner enero janv jan ene",
    "february février februar febrero févr fév feb",
    "march mars märz marzo mar mär mrz",
    "april avril abril avr apr abr",
    "may mai mayo",
    "june juin juni junio jun",
    "july juillet juli julio juil jul",
    "august août agosto aout aug ago",
    "september septembre septiembre sept sep",
    "october octobre oktober octubre oct okt",
    "november novembre noviembre nov",
    "december décembre dezember diciembre déc dec dez dic",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_NAME = rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_WEEKDAY = r"(?:[^\W\d_]{2,10}[.,]{0,2} )?"
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?"
)
_ZONE = r"(?: ?(?:z|utc|gmt|[+-]\d{2}(?::?\d{2})?)(?: ?\[[^\]]*\])?| [a-z]{3,4})?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_DATES = {
    "year-month-day": (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    ),
    "year-month": r"(?P<year>\d{4})[-/](?P<month>\d{1,2})",
    "yyyymmdd": r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
    "day, month name, year": rf"{_WEEKDAY}(?P<day>\d{{1,2}})\.?[-/ ]?{_NAME}[-/, ]*{_YEAR}",
    "month name, day, year": (
        rf"{_WEEKDAY}{_NAME}[- ](?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? ?(?P<year>\d{{4}})"
    ),
    "month name, year": rf"{_NAME}[-/, ]*(?P<year>\d{{4}})",
    "with slashes": rf"(?P<first>\d{{1,2}})/(?P<second_part>\d{{1,2}})/{_YEAR}",
    "with points": rf"(?P<first>\d{{1,2}})\. ?(?P<second_part>\d{{1,2}})\. ?{_YEAR}",
    "with dashes": rf"(?P<first>\d{{1,2}})-(?P<second_part>\d{{1,2}})-{_YEAR}",
}
_PATTERNS = {
    shape: re.compile(rf"{pattern}(?:(?:,? |t){_CLOCK}{_ZONE})?", re.IGNORECASE)
    for shape, pattern in _DATES.items()
}
_TIME = re.compile(_CLOCK, re.IGNORECASE)
# Points and dashes between numbers stand for the day first nearly everywhere, slashes do not.
_DAY_FIRST = {"with slashes": False, "with points": True, "with dashes": True}
_FIRST_YEAR, _LAST_YEAR = 1900, 2100  # of eight digits that are taken for dates


class DateForm(NamedTuple):
    """How the dates of a column are written."""

    shapes: tuple[str, ...]
    n_day_first: int  # cells that only make sense with the day first
    n_month_first: int

    @property
    def is_open(self) -> bool:
        """Whether the order of days and months matters."""
        return any(shape in _DAY_FIRST for shape in self.shapes)

    def decide(self, said: bool | None) -> bool | None:
        """Return whether the day comes first, None if no cell shows it; doubt is for others."""
        if self.n_day_first and self.n_month_first and said is not None:
            return said
        if self.n_day_first == self.n_month_first:
            return None
        return self.n_day_first > self.n_month_first

    @property
    def usual_order(self) -> bool:
        """Whether dates of this form usually have the day first."""
        return all(_DAY_FIRST.get(shape, True) for shape in self.shapes)


def find_form(cells: Cells, share: float) -> DateForm | None:
    """Return the forms of dates in a column, None if fewer cells than a share are dates.

    With a share of 0, where somebody has said that there are dates, one is enough.
    """
    n_filled = cells.n_filled
    found: dict[str, int] = {}
    orders = [0, 0]
    left = n_filled
    for text, count in zip(cells.texts, cells.counts.tolist(), strict=True):
        shape, match = _match(text, tuple(found) or ("year-month-day",))
        if match is None:
            left -= count
            if left < share * n_filled:
                return None
            continue
        found[shape] = found.get(shape, 0) + count
        if shape in _DAY_FIRST:
            first, second = int(match["first"]), int(match["second_part"])
            orders[0] += count if second <= 12 < first <= 31 else 0
            orders[1] += count if first <= 12 < second <= 31 else 0
    if not found or (share and "yyyymmdd" in found and not _are_clear(cells.texts)):
        return None
    return DateForm(tuple(sorted(found)), *orders)


def _match(text: str, likely: tuple[str, ...]) -> tuple[str, re.Match[str] | None]:
    for shape in dict.fromkeys((*likely, *_PATTERNS)):
        if match := _PATTERNS[shape].fullmatch(text):
            return shape, match
    return "", None


def _are_clear(texts: tuple[str, ...]) -> bool:
    """Say whether eight digits can be nothing but dates: all of several are, of our time."""
    days = parse_dates(texts, ("yyyymmdd",), True)
    low, high = (date(year, 1, 1).toordinal() for year in (_FIRST_YEAR, _LAST_YEAR))
    return len(texts) >= 5 and bool(((days >= low) & (days < high)).all())


def parse_dates(
    texts: tuple[str, ...], shapes: tuple[str, ...], day_first: bool
) -> NDArray[np.float64]:
    """Return days since the year 1 with the time as their fraction, NaN where a text is none.

    Times are those that are written, whatever their zone.
    """
    days = np.full(len(texts), np.nan)
    patterns = [_PATTERNS[shape] for shape in shapes]
    for place, text in enumerate(texts):
        for pattern in patterns:
            if match := pattern.fullmatch(text):
                days[place] = _day_of(match.groupdict(), day_first)
                break
    return days


def parse_times(texts: tuple[str, ...]) -> NDArray[np.float64]:
    """Return times of day as hours since midnight, NaN where a text is none."""
    matches = (_TIME.fullmatch(text) for text in texts)
    return np.array([24 * _clock(match.groupdict()) if match else np.nan for match in matches])


def _day_of(parts: dict[str, str | None], day_first: bool) -> float:
    if (first := parts.get("first")) is not None:
        second = parts["second_part"]
        day, month = (first, second) if day_first else (second, first)
    else:
        name = parts.get("name")
        month = parts["month"] if name is None else str(_MONTHS[name.lower()])
        day = parts.get("day", "1")
    year = int(parts["year"] or 0)
    if len(parts["year"] or "") == 2:
        year += 1900 if year >= _PIVOT else 2000
    try:
        whole = date(year, int(month or 0), int(day or 0)).toordinal()
    except ValueError:
        return np.nan
    return whole + (_clock(parts) if parts["hour"] is not None else 0.0)


def _clock(parts: dict[str, str | None]) -> float:
    """Return a time as the share of a day that has passed, NaN for an hour that is none."""
    hour, minute, second = (int(parts[unit] or 0) for unit in ("hour", "minute", "second"))
    half = parts["half"]
    if hour > (23 if half is None else 12) or minute > 59 or second > 60:
        return np.nan
    if half is not None:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return (hour * 3600 + minute * 60 + second) / 86400
