from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.workflow.tables import TableCleaner

FORMS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m-%dT%H:%MZ",
    "%Y-%m-%dT%H:%M:%S+01:00",
    "%Y%m%d",
    "%d-%b-%y",
    "%d %B %Y",
    "%d-%b-%Y %H:%M",
    "%b %d, %Y",
    "%B %d, %Y %I:%M %p",
    "%a, %d %b %Y %H:%M:%S",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d.%m.%Y %H:%M",
    "%d-%m-%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%m/%d/%y",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %I:%M:%S %p",
    "%Y-%m",
    "%b %Y",
)
DATES = [datetime(2024, 1, 1) + timedelta(days=7 * i, minutes=613 * i) for i in range(30)]


def clean(cells, **options):
    """Return the features of one column of dates, and what became of it."""
    cleaner = TableCleaner(**options)
    return cleaner.fit_transform(pd.DataFrame({"on": cells})), cleaner.columns_[0]


def days_between(texts, form):
    """Return whole days and their fractions since the first date, as Python reads them."""
    read = [datetime.strptime(text, form).replace(tzinfo=None) for text in texts]
    first = min(read).replace(hour=0, minute=0, second=0, microsecond=0)
    return [(one - first).total_seconds() / 86400 for one in read]


@pytest.mark.parametrize("form", FORMS)
def test_dates_are_read_in_every_form(form):
    texts = [date.strftime(form) for date in DATES]
    found, column = clean(texts)
    assert column.kind == "date", column
    assert column.note == ""
    np.testing.assert_allclose(found["on: days"], days_between(texts, form), atol=2e-5)


@settings(max_examples=60, deadline=None)
@given(
    dates=st.lists(st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31)), min_size=3),
    form=st.sampled_from([form for form in FORMS if "%y" not in form and form != "%Y%m%d"]),
)
def test_days_between_dates_come_back(dates, form):
    # Two dates of known order tell days from months in every form.
    texts = [date.strftime(form) for date in [datetime(2000, 5, 31), *dates]]
    found, _ = clean(texts, types={"on": "date"}, day_first="%d/" in form)
    np.testing.assert_allclose(found["on: days"], days_between(texts, form), atol=2e-5)


def test_parts_are_those_of_the_calendar():
    found, _ = clean(pd.Series(pd.date_range("2023-01-01 05:30", periods=500, freq="31h")))
    dates = pd.Series(pd.date_range("2023-01-01 05:30", periods=500, freq="31h"))
    np.testing.assert_array_equal(found["on: weekday"], dates.dt.day_of_week)
    np.testing.assert_array_equal(found["on: day of month"], dates.dt.day)
    np.testing.assert_array_equal(found["on: month"], dates.dt.month)
    np.testing.assert_array_equal(found["on: hour"], dates.dt.hour)


def test_parts_that_say_no_more_than_the_days_are_left_out():
    year = [str(date) for date in pd.date_range("2023-01-01", periods=60).date]
    assert clean(year)[1].features == ("on: days", "on: weekday", "on: day of month")
    months = ["2024-01", "2024-02", "2024-03"] * 9
    assert clean(months)[1].features == ("on: days",)
    births = [str(date) for date in pd.date_range("1940-01-01", "2000-01-01", periods=60).date]
    assert clean(births)[1].features == ("on: days",)


@pytest.mark.parametrize("typed", [False, True])
def test_a_second_month_is_not_moved_to_the_place_of_the_first(typed):
    month = pd.Series(pd.date_range("2025-01-01", periods=31))
    next_month = pd.Series(pd.date_range("2025-02-01", periods=28))
    frames = [
        pd.DataFrame({"on": one if typed else one.dt.strftime("%d.%m.%Y")})
        for one in (month, next_month)
    ]
    cleaner = TableCleaner().fit(frames[0])
    assert cleaner.transform(frames[1])["on: days"].tolist() == list(range(31, 59))


def test_dates_and_text_of_dates_are_the_same():
    typed = pd.DataFrame({"on": pd.date_range("2024-03-01 10:00", periods=40, freq="7h")})
    text = typed.astype(str)
    pd.testing.assert_frame_equal(
        TableCleaner().fit(typed).transform(text), TableCleaner().fit(text).transform(text)
    )


DAYS = pd.Series(pd.to_datetime(["2024-01-01", "2024-01-03", None]))


@pytest.mark.parametrize(
    "dates",
    [
        DAYS.astype("datetime64[ns]"),
        DAYS.astype("datetime64[s]"),
        DAYS.astype("period[D]"),
        DAYS.dt.tz_localize("Europe/Berlin"),
        DAYS.astype("timestamp[us][pyarrow]"),
        DAYS.dt.date,
    ],
    ids=str,
)
def test_real_dates_become_days_too(dates):
    np.testing.assert_array_equal(clean(dates)[0]["on: days"], [0, 2, np.nan])


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["13/01/2025", "01/02/2025"], [0, 19]),
        (["01/13/2025", "01/02/2025"], [11, 0]),
        (["01/03/2025", "01/02/2025"], [1, 0]),
        (["01.03.2025", "01.02.2025"], [28, 0]),
        (["1/2/25", "1/13/25"], [0, 11]),
    ],
)
def test_days_and_months_are_told_apart_by_the_cells(cells, days):
    assert clean(cells * 10)[0]["on: days"][:2].tolist() == days


def test_what_cannot_be_told_apart_is_said_and_can_be_decided():
    cells = ["01/03/2025", "01/02/2025"] * 10
    assert "month first was taken: say day_first=True if not" in clean(cells)[1].note
    found, column = clean(cells, day_first=True)
    assert found["on: days"][:2].tolist() == [28, 0]
    assert column.note == ""


def test_other_columns_tell_days_from_months():
    frame = pd.DataFrame(
        {"on": ["01/03/2025", "01/02/2025"] * 9, "due": ["28/02/2025", "1/2/2025"] * 9}
    )
    assert TableCleaner().fit_transform(frame)["on: days"][:2].tolist() == [28, 0]


def test_times_of_day_are_hours():
    found, column = clean(["13:45", "00:30", "7:15 pm", "9:00:36"] * 5)
    assert column.kind == "time"
    np.testing.assert_allclose(found["on: hour"][:4], [13.75, 0.5, 19.25, 9.01])


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-01", "2024-01-03", "2024-02-01"],
        ["2024-01-01 12:00", "2024-01-03T12:00", "2024-02-01 12:00:00"],
        ["01/01/2024", "01/03/2024", "02/01/2024"],
        ["01.01.2024", "03.01.2024", "01.02.2024"],
        ["1 Jan 2024", "3 Jan 2024", "1 Feb 2024"],
        ["1. Januar 2024", "3. Januar 2024", "1. Februar 2024"],
    ],
    ids=range(6),
)
def test_cells_that_are_no_dates_are_missing_and_told(cells):
    found, column = clean([*cells * 6, "n.d.", "99.99.9999"])
    np.testing.assert_array_equal(np.floor(found["on: days"][:3]), [0, 2, 31])
    assert found["on: days"][18:].isna().all()
    assert "2 of 20 cells are no dates" in column.note


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["now", "today", "may"] * 8, "category"),
        ([20250101 + 97 * i for i in range(30)][::-1], "number"),
        ([str(date.year) for date in DATES] + ["2025"], "number"),
        (["1.2", "3.4"] * 9, "number"),
        (["10-20", "20-30"] * 9, "category"),
    ],
    ids=range(5),
)
def test_what_only_looks_like_a_date_is_none(cells, kind):
    assert clean(cells)[1].kind == kind


def test_whole_numbers_that_can_be_nothing_but_dates_are_dates():
    found, column = clean([int(date.strftime("%Y%m%d")) for date in DATES])
    assert column.kind == "date"
    np.testing.assert_array_equal(
        found["on: days"], days_between([f"{d:%Y%m%d}" for d in DATES], "%Y%m%d")
    )


@pytest.mark.parametrize(
    ("day_first", "missing"),
    [
        ("auto", [True, False, False]),
        (False, [True, False, False]),
        (True, [False, True, True]),
    ],
)
@pytest.mark.filterwarnings("ignore:20 of 30 cells")
def test_columns_of_both_orders_are_read_as_said_or_as_most_cells_are(day_first, missing):
    cells = ["13/01/2025", "01/14/2025", "01/15/2025"] * 10
    found, column = clean(cells, day_first=day_first, types={"on": "date"})
    assert found["on: days"].isna()[:3].tolist() == missing
    assert f"{10 * sum(missing)} of 30 cells are no dates" in column.note
