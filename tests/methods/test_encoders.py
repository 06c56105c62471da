import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.methods._encoders import (
    QuantileNormalizer,
    Winsorizer,
    fit_numeric_encoder,
    fit_ordinal_encoder,
)

X = np.array([[1.0, 10, 0, 5], [2, np.nan, 1, 5], [3, 30, np.nan, 5], [6, 20, 2, 5]])
KINDS = np.array([[0.0, 1, 10], [2, 2, np.nan], [2, 3, 30], [np.nan, 6, 20]])


def fit(X, levels=None, weight=None, fit_map=None):
    weight = np.ones(len(X)) if weight is None else weight
    return fit_numeric_encoder(X, levels or {}, weight, fit_map)


def winsorize(tail):
    return lambda column, weight: Winsorizer.fit(column, weight, tail)


def test_columns_are_standardized_flagged_and_one_hot():
    encoder = fit(X, {2: 3})
    found = encoder.transform(X)
    assert found.shape == (4, encoder.n_columns) == (4, 3 + 1 + 3)
    assert_allclose(found[:, 0], (X[:, 0] - 3) / X[:, 0].std())
    assert_allclose(found[[0, 2, 3], 1], (X[[0, 2, 3], 1] - 20) / X[[0, 2, 3], 1].std())
    assert_allclose(found[1, 1], 0)  # missing: the mean
    assert_allclose(found[:, 2], 0)  # constant
    assert_allclose(found[:, 3], [0, 1, 0, 0])  # the flag of the second column
    assert_allclose(found[:, 4:], [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]])


def test_a_weight_of_two_counts_a_row_twice():
    weighted = fit(X, {2: 3}, np.array([2.0, 1, 1, 1]))
    repeated = fit(np.vstack([X[:1], X]), {2: 3})
    assert_allclose(weighted.transform(X), repeated.transform(X))


def test_a_huge_constant_column_does_not_blow_up():
    table = np.full((5, 1), 1e15) + np.array([[0.0], [0.0], [0.125], [0.0], [0.0]])
    assert np.abs(fit(table).transform(table + 1)).max() <= 1


@pytest.mark.parametrize("size", [1e-260, 1e-170, 1e-5, 1e30])
def test_the_size_of_a_column_does_not_matter(size):
    table = np.random.default_rng(0).normal(size=(50, 1))
    expected = fit(table).transform(table)
    assert_allclose(fit(table * size).transform(table * size), expected)


def test_a_new_row_beyond_all_measure_stays_within_bounds():
    table = np.random.default_rng(0).normal(size=(50, 1)) * 1e-200
    far = np.array([[1.0], [-3e38], [np.nan]])
    with np.errstate(all="raise"):
        found = fit(table).transform(far)
    assert_allclose(found[:, 0], [1e6, -1e6, 0])


def test_a_column_without_any_value_is_all_zero():
    table = np.full((3, 1), np.nan)
    assert_allclose(fit(table).transform(table), [[0, 1]] * 3)


def test_winsorized_columns_have_ends_brought_in_and_the_median_for_missing_values():
    column = np.append(np.arange(1.0, 101), np.nan)
    column[99] = 1e9
    encoder = fit(column[:, None], fit_map=winsorize(0.02))
    found = encoder.transform(np.array([[-50.0], [2], [50], [98], [1e12], [np.nan]]))
    assert_allclose(found[0, 0], found[1, 0])
    assert_allclose(found[3, 0], found[4, 0])
    assert_allclose(found[5], [found[2, 0], 1])  # the median, with its flag
    brought_in = np.where(np.isnan(column), 50, column.clip(2, 98))
    assert_allclose(found[3, 0], (98 - brought_in.mean()) / brought_in.std())


def test_a_rare_flag_keeps_its_values():
    column = (np.arange(1000) == 0).astype(float)[:, None]
    assert np.ptp(fit(column, fit_map=winsorize(0.01)).transform(column)) > 1


def test_a_weight_of_two_counts_a_row_twice_for_the_winsorizer_too():
    table = np.random.default_rng(0).normal(size=(80, 2))
    weight = np.tile([2.0, 1, 1, 0], 20)
    repeated = np.repeat(table, weight.astype(int), axis=0)
    weighted = fit(table, weight=weight, fit_map=winsorize(0.1))
    assert_allclose(
        weighted.transform(table), fit(repeated, fit_map=winsorize(0.1)).transform(table)
    )


def test_a_column_without_any_value_goes_through_every_map():
    table = np.full((3, 1), np.nan)
    for fit_map in (Winsorizer.fit, QuantileNormalizer.fit):
        assert_allclose(fit(table, fit_map=fit_map).transform(table), [[0, 1]] * 3)


def test_quantile_transformed_columns_know_no_outlier():
    column = np.append(np.arange(1.0, 100), 1e9)[:, None]
    found = fit(column, fit_map=QuantileNormalizer.fit).transform(column)[:, 0]
    assert_allclose(found, -found[::-1], atol=1e-12)
    assert found.max() < 3


def test_numbers_come_first_then_flags_then_ids():
    encoder = fit_ordinal_encoder(KINDS, {0: 4}, np.ones(4))
    assert encoder.n_numbers == 2 + 1
    found = encoder.transform(KINDS)
    assert found.shape == (4, 4)
    assert_allclose(found[:, 2], [0, 1, 0, 0])  # the flag of the last column
    assert_allclose(found[:, 3], [0, 1, 1, 2])


def test_levels_without_rows_in_training_are_as_good_as_missing():
    encoder = fit_ordinal_encoder(KINDS, {0: 4}, np.ones(4))
    assert encoder.levels == [2]  # codes 0 and 2; 1 and 3 are listed, and have no rows
    codes = np.array([[0.0], [1], [2], [3], [np.nan]])
    rows = np.hstack([codes, np.ones((5, 2))])
    assert encoder.transform(rows)[:, 3].tolist() == [0, 2, 1, 2, 2]


def test_rows_of_weight_zero_are_not_seen():
    encoder = fit_ordinal_encoder(KINDS, {0: 4}, np.array([0.0, 1, 1, 1]))
    assert encoder.levels == [1]
    assert encoder.transform(KINDS)[:, -1].tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("levels", [{}, {0: 4, 1: 7, 2: 31}])
def test_tables_of_one_kind_of_column(levels):
    encoder = fit_ordinal_encoder(KINDS, levels, np.ones(4))
    assert encoder.transform(KINDS).shape == (4, encoder.n_numbers + len(levels))
    assert encoder.n_numbers == (0 if levels else 3 + 2)
