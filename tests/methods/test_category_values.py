from decimal import Decimal

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided.methods._categories import find_levels, order_levels


@pytest.mark.parametrize(
    ("levels", "values"),
    [
        ([1, 2, 10], ["1", "2", "10"]),
        (["1", "2", "10"], [1, 2, 10]),
        (["1", "2", "10"], [1.0, 2.0, 10.0]),
        ([1, 2, 10], ["1.0", "2.0", "10.0"]),
        (["1.0", "2.0", "10.0"], [1, 2, 10]),
        ([1.5, -2, 0], ["1.50", "-2", "0"]),
        (["01234", "7", "x"], [1234, 7, "x"]),
        ([Decimal("1"), Decimal("2.5"), "x"], ["1", 2.5, "x"]),
        ([2**60, 2**60 + 1, 0], [str(2**60), str(2**60 + 1), "0"]),
    ],
    ids=str,
)
def test_numbers_and_their_texts_are_one(levels, values):
    found, ambiguous = find_levels(values, levels)
    assert_array_equal(found, [0, 1, 2])
    assert not ambiguous


@pytest.mark.parametrize(
    ("levels", "value"),
    [
        (["1.1"], "1.10"),  # two texts are two values: versions, chapters
        (["1"], True),
        ([1], "one"),
        ([100000], "1E5"),
        ([1], " 1"),
        ([1], "9" * 5000),
        (["1", "2"], ("1", "2")),
    ],
    ids=lambda value: str(value)[:10],
)
def test_what_only_looks_alike_is_not_matched(levels, value):
    found, ambiguous = find_levels([value], levels)
    assert np.isnan(found).all()
    assert not ambiguous


def test_a_number_that_several_levels_read_as_is_none_of_them():
    found, ambiguous = find_levels([1, "1", 2, "1.0"], ["1", "01", "2"])
    assert_array_equal(found, [np.nan, 0, 2, np.nan])
    assert ambiguous == {0: ("1", "01"), 3: ("1", "01")}


def test_a_value_means_the_same_whatever_else_is_scored():
    levels = [1, "1", 2, "3"]
    values = [1, "1", "2", 3, "1.0", 1.0]
    together = find_levels(values, levels)[0]
    assert_array_equal(together, [find_levels([value], levels)[0][0] for value in values])


def test_levels_are_sorted_also_where_they_cannot_be_compared():
    assert order_levels([10, 9, 1.5]) == (1.5, 9, 10)
    assert order_levels(["b", 2, "a", 1]) == order_levels([1, "a", 2, "b"]) == (1, 2, "a", "b")
