from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lopsided.tables import prepare

FRAME = pd.DataFrame(
    {
        "claim": [f"c{i}" for i in range(8)],
        "fraud": [1, 0, 0, 1, 0, 0, 0, 0],
        "amount": [1.5, 2.0, np.nan, 4.0, 5.0, 6.0, 7.0, 8.0],
        "city": ["A", "B", "A", None, "B", "B", "A", "A"],
        "day": ["2024-01-01", "2024-01-03", None, *["2024-02-01"] * 5],
        "note": [f"text {i}" for i in range(8)],
        "empty": [None] * 8,
        "new": [True, False] * 4,
    }
)


def test_numbers_text_dates_and_flags_become_features():
    task = prepare(FRAME, "fraud", id_column="claim")
    assert list(task.X.columns) == ["amount", "city", "day", "new"]
    assert task.dropped == ("note", "empty")
    assert list(task.y) == [1, 0, 0, 1, 0, 0, 0, 0]
    assert list(task.ids) == list(FRAME["claim"])
    assert isinstance(task.X["city"].dtype, pd.CategoricalDtype)
    assert list(task.X["day"][:2]) == [0, 2]
    assert np.isnan(task.X["day"][2])
    assert task.X["new"].dtype == float


@pytest.mark.parametrize("unit", ["datetime64[ns]", "datetime64[s]"])
def test_real_dates_become_days_too(unit):
    frame = FRAME.assign(day=pd.to_datetime(FRAME["day"]).astype(unit))
    assert list(prepare(frame, "fraud").X["day"][:2]) == [0, 2]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([Decimal("1.5"), Decimal(2), None] * 4, [1.5, 2, np.nan] * 4),
        (["1.5", " 2 ", None] * 4, [1.5, 2, np.nan] * 4),
        (["12,345", "1,234,567.5", "7"] * 4, [12345, 1234567.5, 7] * 4),
        (["1,5", "12,345", "7"] * 4, [1.5, 12.345, 7] * 4),
        (["$1,500", "-$2", "€ 3"] * 4, [1500, -2, 3] * 4),
        (["1001", "2002", "3003"] * 4, [1001, 2002, 3003] * 4),
        ([*range(11), "unknown"], [*range(11), np.nan]),
        (pd.to_timedelta([1, 2, None] * 4, unit="D"), [1, 2, np.nan] * 4),
    ],
)
def test_numbers_in_disguise_are_numbers(cells, numbers):
    frame = pd.DataFrame({"y": [1, 0, 0] * 4, "amount": cells})
    np.testing.assert_array_equal(prepare(frame, "y").X["amount"].to_numpy(float), numbers)


def test_rows_are_numbered_from_one_without_an_id():
    assert list(prepare(FRAME, "fraud").ids) == list(range(1, 9))


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([1, 0, 0, 1], None),
        ([1.0, np.nan, 0.0, 1.0], None),
        ([True, False, False, True], None),
        (["true", "", None, "True"], None),
        (["yes", "no", None, "yes"], "yes"),
        ([" Yes", "no", None, "yes "], "yes"),
        (["NA", "open", "", "NA"], "NA"),
        ([True, False, False, True], "true"),
        ([3, 2, 1, 3], "3"),
        ([3.0, np.nan, 1.0, 3.0], "3"),
    ],
)
def test_labels_are_read_in_the_forms_they_come_in(labels, positive):
    frame = pd.DataFrame({"y": labels, "x": [1, 2, 3, 4]})
    assert list(prepare(frame, "y", positive).y) == [1, 0, 0, 1]


def test_unclear_labels_are_refused():
    frame = pd.DataFrame({"y": ["yes", "no"], "x": [1, 2]})
    with pytest.raises(ValueError, match=r"got no, yes\. Name the value of the positives"):
        prepare(frame, "y")
    with pytest.raises(ValueError, match=r"No row of column 'y' is 'maybe', got 'yes', 'no'"):
        prepare(frame, "y", "maybe")


def test_a_wrong_column_is_refused_with_the_nearest():
    with pytest.raises(ValueError, match=r"No column is called 'frod'\. Did you mean fraud"):
        prepare(FRAME, "frod")
    with pytest.raises(ValueError, match="'claims'"):
        prepare(FRAME, "fraud", id_column="claims")
    with pytest.raises(ValueError, match="'amont'"):
        prepare(FRAME, "fraud", drop=("amont",))


def test_a_table_without_features_is_refused():
    with pytest.raises(ValueError, match="No column is left to learn from"):
        prepare(FRAME[["fraud", "note"]], "fraud")


def test_infinity_is_refused():
    frame = FRAME.assign(amount=np.inf)
    with pytest.raises(ValueError, match="'amount' must hold finite numbers"):
        prepare(frame, "fraud")


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-01", "2024-01-03", "2024-02-01"],
        ["2024-01-01 12:00", "2024-01-03T12:00", "2024-02-01 12:00:00"],
        ["01/01/2024", "01/03/2024", "02/01/2024"],
        ["01.01.2024", "03.01.2024", "01.02.2024"],
        ["1 Jan 2024", "3 Jan 2024", "1 Feb 2024"],
    ],
)
def test_dates_are_read_in_the_forms_they_come_in(cells):
    frame = pd.DataFrame({"y": [1, 0, 0] * 6, "day": cells * 6})
    frame.loc[17, "day"] = "n.d."
    days = prepare(frame, "y").X["day"]
    assert list(days[:3]) == [0, 2, 31]
    assert np.isnan(days[17])


def test_words_that_a_clock_could_answer_are_words():
    frame = pd.DataFrame({"y": [1, 0, 0] * 4, "when": ["now", "today", "may"] * 4})
    assert isinstance(prepare(frame, "y").X["when"].dtype, pd.CategoricalDtype)


def test_a_column_of_row_numbers_is_named():
    n = 30
    frame = pd.DataFrame({"y": [1, 0, 0] * 10, "no": np.arange(n) + 900, "a": [0.5, 1, 2] * 10})
    assert prepare(frame, "y").suspected_ids == ("no",)


def test_a_label_that_is_also_something_else_is_refused():
    for words in ({"id_column": "fraud"}, {"drop": ("fraud",)}):
        with pytest.raises(ValueError, match="'fraud' is the label"):
            prepare(FRAME, "fraud", **words)


def test_columns_of_one_name_are_refused():
    frame = pd.concat([FRAME, FRAME[["amount"]]], axis=1)
    with pytest.raises(ValueError, match="got 'amount' twice"):
        prepare(frame, "fraud")
