import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.methods._inputs import fit_inputs

X = np.array([[1.0, 10, 0, 5], [2, np.nan, 1, 5], [3, 30, np.nan, 5], [6, 20, 2, 5]])


def test_columns_are_standardized_flagged_and_spread():
    inputs = fit_inputs(X, {2: 3})
    found = inputs.transform(X)
    assert found.shape == (4, inputs.n_columns) == (4, 3 + 1 + 3)
    assert_allclose(found[:, 0], (X[:, 0] - 3) / X[:, 0].std())
    assert_allclose(found[[0, 2, 3], 1], (X[[0, 2, 3], 1] - 20) / X[[0, 2, 3], 1].std())
    assert_allclose(found[1, 1], 0)  # missing: the mean
    assert_allclose(found[:, 2], 0)  # constant
    assert_allclose(found[:, 3], [0, 1, 0, 0])  # the flag of the second column
    assert_allclose(found[:, 4:], [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]])


def test_a_weight_of_two_counts_a_row_twice():
    weighted = fit_inputs(X, {2: 3}, np.array([2.0, 1, 1, 1]))
    repeated = fit_inputs(np.vstack([X[:1], X]), {2: 3})
    assert_allclose(weighted.transform(X), repeated.transform(X))


def test_a_huge_constant_column_does_not_blow_up():
    table = np.full((5, 1), 1e15) + np.array([[0.0], [0.0], [0.125], [0.0], [0.0]])
    assert np.abs(fit_inputs(table).transform(table + 1)).max() <= 1


@pytest.mark.parametrize("size", [1e-260, 1e-170, 1e-5, 1e30])
def test_the_size_of_a_column_does_not_matter(size):
    table = np.random.default_rng(0).normal(size=(50, 1))
    expected = fit_inputs(table).transform(table)
    assert_allclose(fit_inputs(table * size).transform(table * size), expected)


@pytest.mark.parametrize("step", [5e-324, 1e-310, 1e-300])
@pytest.mark.parametrize("tails", [None, 0.01])
def test_steps_too_small_to_divide_by_are_no_steps(step, tails):
    table = np.array([[0.0], [step], [0.0], [step]])
    assert np.abs(fit_inputs(table, tails=tails).transform(table)).max() < 1e-6


def test_a_new_row_beyond_all_measure_stays_within_bounds():
    table = np.random.default_rng(0).normal(size=(50, 1)) * 1e-200
    far = np.array([[1.0], [-3e38], [np.nan]])
    with np.errstate(all="raise"):
        found = fit_inputs(table).transform(far)
    assert_allclose(found[:, 0], [1e6, -1e6, 0])


def test_numbers_beyond_measure_are_refused():
    table = np.array([[1.0], [1e200], [2.0]])
    with pytest.raises(ValueError, match=r"below 3\.4e38 in size, got 1e\+200"):
        fit_inputs(table)
    with pytest.raises(ValueError, match="Rescale"):
        fit_inputs(table[:1]).transform(table)


def test_a_column_without_any_value_is_all_zero():
    table = np.full((3, 1), np.nan)
    assert_allclose(fit_inputs(table).transform(table), [[0, 1]] * 3)


def test_ends_are_brought_in_and_missing_values_become_the_median():
    column = np.append(np.arange(1.0, 101), np.nan)
    column[99] = 1e9
    inputs = fit_inputs(column[:, None], tails=0.02)
    found = inputs.transform(np.array([[-50.0], [2], [50], [98], [1e12], [np.nan]]))
    assert_allclose(found[0, 0], found[1, 0])
    assert_allclose(found[3, 0], found[4, 0])
    assert_allclose(found[5], [found[2, 0], 1])  # the median, with its flag
    brought_in = np.where(np.isnan(column), 50, column.clip(2, 98))
    assert_allclose(found[3, 0], (98 - brought_in.mean()) / brought_in.std())


def test_a_rare_flag_keeps_its_values():
    column = (np.arange(1000) == 0).astype(float)[:, None]
    assert np.ptp(fit_inputs(column, tails=0.01).transform(column)) > 1


def test_a_weight_of_two_counts_a_row_twice_for_the_ends_too():
    table = np.random.default_rng(0).normal(size=(80, 2))
    weight = np.tile([2.0, 1, 1, 0], 20)
    repeated = np.repeat(table, weight.astype(int), axis=0)
    weighted = fit_inputs(table, weight=weight, tails=0.1)
    assert_allclose(weighted.transform(table), fit_inputs(repeated, tails=0.1).transform(table))


def test_a_column_without_any_value_has_ends_too():
    table = np.full((3, 1), np.nan)
    assert_allclose(fit_inputs(table, tails=0.1).transform(table), [[0, 1]] * 3)
