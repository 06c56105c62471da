import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.workflow.tables import TableCleaner

SPACES = (" ", "\u00a0", "\u2009", "\u202f")
GROUPINGS = {".": (",", "'", "\u2019", "", *SPACES), ",": (".", "'", "\u2019", "", *SPACES)}
SIGNS = {
    "before": lambda text: f"-{text}",
    "unicode": lambda text: f"\u2212{text}",
    "behind": lambda text: f"{text}-",
    "accounting": lambda text: f"({text})",
}
UNITS = {
    "none": "{}",
    "dollar": "${}",
    "euro": "{} €",
    "code": "USD {}",
    "close code": "CHF{}",
    "code behind": "{} EUR",
    "per cent": "{} %",
    "close per cent": "{}%",
}


def write(value, decimal, grouping, sign, unit):
    """Return a number as some program would write it."""
    plain = f"{abs(value):,.2f}".translate(str.maketrans({",": grouping, ".": decimal}))
    if sign == "accounting":
        return (
            SIGNS[sign](UNITS[unit].format(plain)) if value < 0 else UNITS[unit].format(plain)
        )
    if value < 0 and UNITS[unit][:2] == "{}":  # units behind the number: its sign stays close
        return UNITS[unit].format(SIGNS[sign](plain))
    text = UNITS[unit].format(plain)
    return SIGNS[sign](text) if value < 0 else text


def read(cells, **options):
    """Return one column as numbers, beside another that never tells anything."""
    frame = pd.DataFrame(
        {"x": cells, "other": ["a", "b"] * (len(cells) // 2) + ["a"] * (len(cells) % 2)}
    )
    return TableCleaner(types={"x": "number"}, **options).fit_transform(frame)["x"].to_numpy()


@settings(max_examples=150, deadline=None)
@given(
    cents=st.lists(st.integers(-(10**11), 10**11), min_size=2, max_size=12),
    decimal=st.sampled_from(".,"),
    place=st.integers(0, 7),
    sign=st.sampled_from(sorted(SIGNS)),
    unit=st.sampled_from(sorted(UNITS)),
)
def test_numbers_come_back_from_every_way_of_writing_them(cents, decimal, place, sign, unit):
    values = [cent / 100 for cent in cents]
    cells = [write(value, decimal, GROUPINGS[decimal][place], sign, unit) for value in values]
    np.testing.assert_array_equal(read(cells), values)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([Decimal("1.5"), Decimal(2), None] * 4, [1.5, 2, np.nan] * 4),
        (["1.5", " 2 ", None] * 4, [1.5, 2, np.nan] * 4),
        (["12,345", "1,234,567.5", "7"] * 4, [12345, 1234567.5, 7] * 4),
        (["1,5", "12,345", "7"] * 4, [1.5, 12.345, 7] * 4),
        (["0,125", "12,345", "7"] * 4, [0.125, 12.345, 7] * 4),
        (["1.234.567", "12.345", "7"] * 4, [1234567, 12345, 7] * 4),
        (["12,345", "7", "8"] * 4, [12345, 7, 8] * 4),
        (["1.250", "7", "8"] * 4, [1.25, 7, 8] * 4),
        (["1,23,456.50", "12,34,567", "8"] * 4, [123456.5, 1234567, 8] * 4),
        (["$1,500", "-$2", "€ 3"] * 4, [1500, -2, 3] * 4),
        (["$-1,500", "($2)", "$(3)"] * 4, [-1500, -2, -3] * 4),
        (["1e3", "2.5E-1", "-.5"] * 4, [1000, 0.25, -0.5] * 4),
        (["1001", "2002", "3003"] * 4, [1001, 2002, 3003] * 4),
        ([*range(11), "unknown"], [*range(11), np.nan]),
        (pd.to_timedelta([1, 2, None] * 4, unit="D"), [1, 2, np.nan] * 4),
        (pd.array([1, None, 3] * 4, dtype="Int64"), [1, np.nan, 3] * 4),
        (pd.array([1.5, None, 3] * 4, dtype="double[pyarrow]"), [1.5, np.nan, 3] * 4),
        (pd.array([True, None, False] * 4, dtype="boolean"), [1, np.nan, 0] * 4),
    ],
    ids=range(18),
)
def test_numbers_in_disguise_are_numbers(cells, numbers):
    frame = pd.DataFrame({"x": cells})
    np.testing.assert_array_equal(TableCleaner().fit_transform(frame)["x"], numbers)


def test_the_decimal_separator_is_that_of_other_columns_or_as_said():
    frame = pd.DataFrame({"x": ["12.345", "7"] * 4, "y": ["1,5", "2,25"] * 4})
    assert TableCleaner().fit_transform(frame)["x"][0] == 12345
    assert TableCleaner().fit_transform(frame[["x"]])["x"][0] == 12.345
    assert TableCleaner(decimal=",").fit_transform(frame[["x"]])["x"][0] == 12345
    assert (
        "could also have a decimal comma" in TableCleaner().fit(frame[["x"]]).columns_[0].note
    )


def test_the_decimal_separator_of_training_is_kept():
    cleaner = TableCleaner().fit(pd.DataFrame({"x": ["1,5", "2,25", "12"] * 4}))
    later = pd.DataFrame({"x": ["12,345", "1.000,5", "3"]})
    assert cleaner.transform(later)["x"].tolist() == [12.345, 1000.5, 3]


def test_words_between_numbers_are_missing_and_told():
    rng = np.random.default_rng(0)
    cells = np.where(rng.random(500) < 0.14, "see file", rng.integers(0, 900, 500).astype(str))
    cleaner = TableCleaner().fit(pd.DataFrame({"x": cells}))
    (column,) = cleaner.columns_
    n_words = int((cells == "see file").sum())
    assert column.kind == "number"
    assert column.note == f"{n_words} of 500 cells are no numbers ('see file'): missing"
    assert cleaner.transform(pd.DataFrame({"x": cells}))["x"].isna().sum() == n_words


def test_words_with_a_few_numbers_between_them_are_categories():
    frame = pd.DataFrame({"x": ["low", "high", "3", "low"] * 10})
    assert TableCleaner().fit(frame).columns_[0].kind == "category"


@pytest.mark.parametrize(
    "cells", [[np.inf, 1.0, 2.0] * 4, ["inf", "1", "2"] * 4, [1e300, 1.0, 2.0] * 4]
)
def test_infinite_numbers_are_missing_and_told(cells):
    cleaner = TableCleaner()
    found = cleaner.fit_transform(pd.DataFrame({"x": cells}))["x"]
    np.testing.assert_array_equal(found[:3], [np.nan, 1, 2])
    assert cleaner.columns_[0].note == "4 infinite numbers: missing"


def test_several_currencies_are_told():
    frame = pd.DataFrame({"x": ["12 EUR", "13 USD", "14 EUR"] * 4})
    assert "EUR and USD are not converted" in TableCleaner().fit(frame).columns_[0].note


def test_digits_with_zeros_in_front_that_come_back_are_categories():
    frame = pd.DataFrame(
        {"branch": ["007", "012", "115"] * 10, "share": ["0.5", "01", "2"] * 10}
    )
    kinds = [column.kind for column in TableCleaner().fit(frame).columns_]
    assert kinds == ["category", "number"]


def test_cells_that_can_be_read_in_one_way_only_are_read_so_whatever_is_said():
    frame = pd.DataFrame({"x": ["1.5", "2.25"] * 4, "y": ["1.5", "2,5"] * 4})
    found = TableCleaner(decimal=",", types={"y": "number"}).fit_transform(frame)
    assert found["x"][:2].tolist() == [1.5, 2.25]
    np.testing.assert_array_equal(found["y"][:2], [np.nan, 2.5])


AMOUNTS = np.round(np.random.default_rng(0).lognormal(8, 0.6, 60), 2)
AMERICAN = [f"${amount:,.2f}" for amount in AMOUNTS]
GERMAN = [f"{text[1:]} €".translate(str.maketrans(",.", ".,")) for text in AMERICAN]
WHOLE_GERMAN = [f"{amount:,.0f} €".replace(",", ".") for amount in AMOUNTS]
WHOLE_AMERICAN = [f"${amount:,.0f}" for amount in AMOUNTS]


def learn(cells):
    """Return a cleaner that has read one column, beside another."""
    return TableCleaner().fit(pd.DataFrame({"amount": cells, "other": ["a", "b"] * 30}))


def notes(cleaner, cells):
    """Return what is told of a new table."""
    frame = pd.DataFrame({"amount": cells, "other": (["a", "b"] * 30)[: len(cells)]})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        cleaner.transform(frame)
    return [str(one.message) for one in told]


@pytest.mark.parametrize(
    ("training", "new", "mark"),
    [
        (AMERICAN, WHOLE_GERMAN, "point"),
        (GERMAN, WHOLE_AMERICAN, "comma"),
        (WHOLE_AMERICAN, WHOLE_GERMAN, "point"),
        (AMOUNTS, WHOLE_GERMAN, "point"),
        ([int(100 * amount) for amount in AMOUNTS], WHOLE_GERMAN, "point"),
    ],
    ids=["American", "German", "whole", "floats", "integers"],
)
def test_thousands_that_are_read_as_decimals_unlike_those_of_training_are_told(
    training, new, mark
):
    n_marked = sum("." in text or "," in text for text in new)
    (note,) = notes(learn(training), new)
    assert note.startswith(f"{n_marked} of {n_marked} cells of column 'amount' with a {mark} ")
    assert note.endswith(f"write them without the {mark}.")


def test_two_amounts_are_enough_to_doubt_where_training_had_many_of_another_kind():
    assert notes(learn(AMERICAN), ["7.853 €"] * 2)
    assert not notes(learn(AMERICAN), ["7.85 €", "7.853 €"])


@pytest.mark.parametrize(
    ("training", "new"),
    [
        (AMERICAN, AMERICAN),
        (AMERICAN, WHOLE_AMERICAN),
        (GERMAN, WHOLE_GERMAN),
        (WHOLE_GERMAN + ["0,5 €"] * 60, WHOLE_GERMAN),
        ([f"{amount / 1000:.3f}" for amount in AMOUNTS], [f"{x / 1e3:.3f}" for x in AMOUNTS]),
        (AMOUNTS / 7, AMOUNTS / 7),
    ],
    ids=["same", "whole", "German", "German whole", "three digits", "floats"],
)
def test_numbers_written_as_in_training_are_not_doubted(training, new):
    training = list(training)
    cleaner = TableCleaner().fit(
        pd.DataFrame({"amount": training, "other": ["a", "b"] * (len(training) // 2)})
    )
    assert notes(cleaner, new) == []


def test_a_reader_of_an_older_model_file_reads_as_ever_and_doubts_nothing():
    cleaner = learn(AMERICAN)
    for name in ("n_marked", "n_like_thousands"):  # which such a file does not hold
        object.__delattr__(cleaner.readers_["amount"], name)
    assert notes(cleaner, WHOLE_GERMAN) == []
    assert (
        cleaner.transform(pd.DataFrame({"amount": ["$1,234.50"], "other": "a"})).iat[0, 0]
        == 1234.5
    )
