import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided.trees.binning import MAX_LEVELS, MISSING, bin_columns

RNG = np.random.default_rng(0)


def bin_column(column, categorical=False):
    return bin_columns(np.asarray(column, float)[:, None], np.array([categorical]))


def test_codes_number_the_distinct_values_in_their_order():
    for column in (RNG.normal(size=500), RNG.integers(-5, 5, 500), np.full(9, 2.5)):
        bins = bin_column(column)
        values, expected = np.unique(np.asarray(column, float), return_inverse=True)
        assert bins.codes.dtype == np.uint16
        assert_array_equal(bins.codes[0], expected)
        assert_array_equal(bins.low, values)
        assert_array_equal(bins.high, values)


def test_a_missing_value_has_a_code_of_its_own():
    column = RNG.normal(size=300)
    column[::7] = np.nan
    bins = bin_column(column)
    assert_array_equal(bins.codes[0] == MISSING, np.isnan(column))
    assert_array_equal(bins.low[bins.codes[0][~np.isnan(column)]], column[~np.isnan(column)])


def test_a_column_of_missing_values_has_no_values():
    for categorical in (False, True):
        bins = bin_column(np.full(5, np.nan), categorical)
        assert (bins.codes == MISSING).all()
        assert len(bins.low) == 0


def test_both_zeros_are_one_value():
    assert_array_equal(bin_column([0.0, -0.0, 1.0]).codes[0], [0, 0, 1])


@pytest.mark.parametrize("n", [65534, 65535, 150_000])
def test_more_values_than_codes_share_them_evenly(n):
    column = RNG.permutation(n).astype(float)
    column[0] = np.nan if n > 65535 else column[0]
    bins = bin_column(column)
    codes, present = bins.codes[0].astype(int), ~np.isnan(column)
    counts = np.bincount(codes[present])
    assert len(counts) == len(bins.low) == len(bins.high) <= 65534
    assert counts.min() >= 1
    assert counts.max() == -(-present.sum() // 65534)
    assert (bins.high[:-1] < bins.low[1:]).all()
    assert (bins.low[codes[present]] <= column[present]).all()
    assert (column[present] <= bins.high[codes[present]]).all()


def test_a_run_of_one_value_is_never_torn_apart():
    column = np.concatenate([np.arange(70_000.0), np.full(5000, 123.0)])
    bins = bin_column(RNG.permutation(column))
    assert len(bins.low) <= 65534
    assert (bins.high[:-1] < bins.low[1:]).all()


def test_columns_follow_one_another():
    X = np.column_stack([RNG.normal(size=50), RNG.integers(0, 3, 50), RNG.integers(0, 6, 50)])
    X[:3, 2] = 5, 4, 0
    categorical = np.array([False, False, True])
    bins = bin_columns(X, categorical)
    assert_array_equal(bins.first, [0, 50, 53, 59])
    for feature in range(3):
        values = bins.low[bins.first[feature] : bins.first[feature + 1]]
        assert_array_equal(values[bins.codes[feature]], X[:, feature])


def test_categories_keep_their_codes():
    column = np.array([3.0, 7.0, np.nan, 3.0])
    bins = bin_column(column, categorical=True)
    assert_array_equal(bins.codes[0], [3, 7, MISSING, 3])
    assert_array_equal(bins.low, np.arange(8))


def test_a_column_may_have_as_many_levels_as_a_split_has_bits():
    assert len(bin_column([0, MAX_LEVELS - 1], categorical=True).low) == MAX_LEVELS
    with pytest.raises(ValueError, match=r"1024.*1025"):
        bin_column([0, MAX_LEVELS], categorical=True)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layout_and_threads_change_no_code(order, dtype):
    X = RNG.normal(size=(400, 6)).astype(dtype)
    expected = bin_columns(X.astype(float), np.zeros(6, bool))
    bins = bin_columns(np.asarray(X, order=order), np.zeros(6, bool), n_threads=2)
    for part, wanted in zip(bins, expected, strict=True):
        assert_array_equal(part, wanted)
