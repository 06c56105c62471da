"""Dates as features: days since the first date of training, and parts that come back."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided.workflow.tables._cells import read_cells
from lopsided.workflow.tables._dates import parse_dates, parse_times
from lopsided.workflow.tables._reader import Reading, count_unread

_EPOCH = date(1970, 1, 1).toordinal()
_DAYS_OF_YEAR = 366
# Beyond so many years dates are birthdays and the like, of which no weekday means anything.
_MAX_YEARS = 15

Days = NDArray[np.float64]


@dataclass(frozen=True)
class DateReader:
    """Reads a column as days since the first date of training, weekdays and so on.

    The origin is that of training whatever rows come later: a second month is not moved to
    the place of the first.
    """

    shapes: tuple[str, ...]  # none for a column that holds dates, not text
    day_first: bool
    origin: float  # a whole day since the year 1
    kept: tuple[str, ...]  # the parts that vary in training
    kind = "date"

    @property
    def how(self) -> str:
        """What the column is read as, in words."""
        order = {True: ", day first", False: ", month first"}
        open_ = any(shape.startswith("with ") for shape in self.shapes)
        start = date.fromordinal(int(self.origin))
        form = f"dates {' or '.join(self.shapes)}".strip() + (
            order[self.day_first] if open_ else ""
        )
        return f"{form}, counted from {start}"

    @property
    def parts(self) -> tuple[str, ...]:
        """What the features are called, after the column's name."""
        return self.kept

    def read(self, column: Any) -> Reading:
        """Return the parts of the column's dates."""
        days, counts = read_days(column, self.shapes, self.day_first)
        values = {"days": days - self.origin, **split_days(days)}
        return Reading(tuple(values[part] for part in self.kept), *counts)


@dataclass(frozen=True)
class TimeReader:
    """Reads times of day as hours since midnight."""

    kind = "time"
    how = "times of day, in hours"
    parts: Any = ("hour",)

    def read(self, column: Any) -> Reading:
        """Return the column's hours."""
        cells = read_cells(column)
        hours = parse_times(cells.texts)
        return Reading((cells.spread(hours),), *count_unread(cells, np.isnan(hours)))


def read_days(column: Any, shapes: tuple[str, ...], day_first: bool) -> tuple[Days, Any]:
    """Return days since the year 1, one per row, and what could not be read."""
    if column.dtype.kind == "M" or isinstance(column.dtype, pd.PeriodDtype):
        return _typed_days(column), ()
    cells = read_cells(column)
    # A column of dates comes as text where it was saved as csv in between.
    days = parse_dates(cells.texts, shapes or ("year-month-day",), day_first)
    return cells.spread(days), count_unread(cells, np.isnan(days))


def _typed_days(column: Any) -> Days:
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    if isinstance(column.dtype, pd.ArrowDtype):
        column = pd.Series(pd.to_datetime(column.astype(object)))
    if getattr(column.dt, "tz", None) is not None:
        column = column.dt.tz_localize(None)  # the time on the wall
    times = column.to_numpy("datetime64[us]")
    days = (times - np.datetime64(0, "us")) / np.timedelta64(1, "D") + _EPOCH
    return np.where(np.isnat(times), np.nan, days)


def split_days(days: Days) -> dict[str, Days]:
    """Return the parts of dates that come back: weekday from 0, Monday, and so on."""
    known = ~np.isnan(days)
    whole = np.floor(np.where(known, days, _EPOCH))
    dates = (whole - _EPOCH).astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    parts = {
        "weekday": (whole + 6) % 7,
        "day of month": (dates - months).astype(np.float64) + 1,
        "month": months.astype(np.int64) % 12 + 1,
        "hour": np.floor(np.round((days - whole) * 86400) / 3600),
    }
    return {part: np.where(known, values, np.nan) for part, values in parts.items()}


def choose_parts(days: Days) -> tuple[str, ...]:
    """Return the parts of a column's dates that say more than the days themselves."""
    known = days[~np.isnan(days)]
    span = float(np.ptp(known))
    parts = ["days"]
    found = split_days(known)
    if (found["day of month"] == 1).all():
        del found["weekday"]  # months, whose first days are no news
    for part, values in found.items():
        varies = len(np.unique(values)) > 1
        # A month of a single year is known from the days.
        useful = span >= _DAYS_OF_YEAR if part == "month" else True
        lived = span <= _MAX_YEARS * _DAYS_OF_YEAR or part == "hour"
        if varies and useful and lived:
            parts.append(part)
    return tuple(parts)
