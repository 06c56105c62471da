import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.methods._tokens import fit_tokens

X = np.array([[0.0, 1, 10], [2, 2, np.nan], [2, 3, 30], [np.nan, 6, 20]])


def test_numbers_come_first_then_flags_then_ids():
    tokens = fit_tokens(X, {0: 4})
    assert tokens.n_numbers == 2 + 1
    found = tokens.transform(X)
    assert found.shape == (4, 4)
    assert_allclose(found[:, 2], [0, 1, 0, 0])  # the flag of the last column
    assert_allclose(found[:, 3], [0, 1, 1, 2])


def test_levels_without_rows_in_training_are_as_good_as_missing():
    tokens = fit_tokens(X, {0: 4})
    assert tokens.levels == [2]  # codes 0 and 2; 1 and 3 are listed, and have no rows
    codes = np.array([[0.0], [1], [2], [3], [np.nan]])
    rows = np.hstack([codes, np.ones((5, 2))])
    assert tokens.transform(rows)[:, 3].tolist() == [0, 2, 1, 2, 2]


def test_rows_of_weight_zero_are_not_seen():
    tokens = fit_tokens(X, {0: 4}, np.array([0.0, 1, 1, 1]))
    assert tokens.levels == [1]
    assert tokens.transform(X)[:, -1].tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("levels", [{}, {0: 4, 1: 7, 2: 31}])
def test_tables_of_one_kind_of_column(levels):
    tokens = fit_tokens(X, levels)
    assert tokens.transform(X).shape == (4, tokens.n_numbers + len(levels))
    assert tokens.n_numbers == (0 if levels else 3 + 2)
