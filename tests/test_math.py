import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided._math import best_first

SCORES = np.random.default_rng(0).normal(size=1000).round(2)  # with ties
NEXT = SCORES * np.where(np.arange(1000) % 2, 1 + 2**-52, 1 - 2**-53)


@pytest.mark.parametrize("scale", [1e-200, 1e-5, 0.3, 1.0, 1e9, 1e200])
def test_the_last_bit_changes_no_order(scale):
    expected = np.argsort(-SCORES, kind="stable")
    assert (np.argsort(-NEXT, kind="stable") != expected).any()
    assert_array_equal(best_first(NEXT * scale), expected)


def test_scores_that_differ_by_eleven_digits_are_no_ties():
    scores = 1 + 1e-11 * np.random.default_rng(0).permutation(100)
    assert_array_equal(best_first(scores), np.argsort(-scores))


def test_what_is_infinite_or_missing_has_its_place():
    assert_array_equal(best_first([0.0, np.nan, -np.inf, np.inf, -0.0]), [3, 0, 4, 2, 1])
    assert best_first([]).tolist() == []
