from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from lopsided.tables import prepare, read_table, write_table

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
    assert task.left_out == ("note", "empty")
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
    with pytest.raises(ValueError, match=r"No row of column 'y' is 'maybe', got yes, no"):
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


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "deep/er/t.csv"])
def test_tables_are_written_and_read_back(tmp_path, name):
    frame = FRAME[["fraud", "amount", "city"]]
    write_table(frame, tmp_path / name)
    pd.testing.assert_frame_equal(read_table(tmp_path / name), frame, check_dtype=False)


def test_files_that_are_no_tables_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    strange = tmp_path / "t.xlsx"
    strange.write_text("")
    with pytest.raises(ValueError, match=r"must end in \.csv"):
        read_table(strange)
    for name, content in [
        ("empty.csv", b""),
        ("cut.parquet", b"PAR1 and no more"),
        ("cut.csv.gz", b"\x1f\x8b\x08\x00"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="could not be read"):
            read_table(tmp_path / name)
    (tmp_path / "header.csv").write_text("a,b\n")
    with pytest.raises(ValueError, match="must hold rows"):
        read_table(tmp_path / "header.csv")
