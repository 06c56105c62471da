import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from lopsided import rank_unlabeled
from lopsided.methods._categories import fit_level_map
from lopsided.methods._encoders import fit_numeric_encoder
from lopsided.methods.registry import build
from lopsided.metrics import average_precision

COLUMN = np.array([4.0, 4, 4, 0, 0, 2, 3, 3, 6, np.nan])


def codes(found):
    return found.codes[:-1].tolist()


def test_levels_with_rows_keep_codes_in_their_order():
    found = fit_level_map(COLUMN, n_levels=8)
    assert_array_equal(codes(found), [0, np.nan, 1, 2, 3, np.nan, 4, np.nan])
    assert found.n_codes == 5
    assert_array_equal(found.seen, [True, False, True, True, True, False, True, False])
    assert_array_equal(found.transform(np.array([6, 1, np.nan, 0])), [4, np.nan, np.nan, 0])


def test_the_rarest_levels_share_the_last_code_and_stay_known():
    found = fit_level_map(COLUMN, n_levels=8, max_codes=3)
    assert_array_equal(codes(found), [0, np.nan, 2, 2, 1, np.nan, 2, np.nan])
    assert found.n_codes == 3


def test_as_many_levels_as_codes_are_not_merged():
    merged = fit_level_map(COLUMN, n_levels=8, max_codes=5)
    assert_array_equal(codes(merged), codes(fit_level_map(COLUMN, n_levels=8)))


def test_rows_may_come_in_any_order():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 40, 200).astype(float)
    first = fit_level_map(column, 40, max_codes=7)
    for _ in range(5):
        again = fit_level_map(rng.permutation(column), 40, max_codes=7)
        assert_array_equal(codes(again), codes(first))


def test_weights_count_rows_and_zero_leaves_them_out():
    weight = np.array([0.0, 0, 0, 1, 1, 5, 1, 1, 0, 1])
    found = fit_level_map(COLUMN, 8, weight, max_codes=2)
    assert_array_equal(codes(found), [1, *[np.nan], 0, 1, *[np.nan] * 4])


def test_a_column_without_values_has_no_codes():
    found = fit_level_map(np.full(3, np.nan), n_levels=0, max_codes=5)
    assert found.n_codes == 0
    assert np.isnan(found.transform(np.full(2, np.nan))).all()


@pytest.mark.parametrize("n_levels", [50, 51, 5000])
def test_a_category_becomes_no_more_than_fifty_columns(n_levels):
    column = np.append(np.arange(n_levels), [7.0, np.nan])[:, None]
    encoder = fit_numeric_encoder(column, {0: n_levels}, np.ones(len(column)))
    assert encoder.n_columns == 50
    assert_array_equal(
        encoder.transform(column).sum(axis=1), np.append(np.ones(len(column) - 1), 0)
    )
    assert encoder.by_column(np.ones(50), 1).tolist() == [50]


def merchants(n_rows, n_levels, seed=0):
    """Claims of merchants, few of whom are bad; every merchant has a claim."""
    rng = np.random.default_rng(seed)
    merchant = np.append(np.arange(n_levels), rng.integers(0, n_levels, n_rows - n_levels))
    X = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["amount", "age"])
    truth = (X["amount"] + 2 * (merchant % 10 == 0) > 2.2).to_numpy()
    y = (truth & (rng.random(n_rows) < 0.5)).astype(int)
    return X.assign(merchant=pd.Categorical(merchant)), y, truth


@pytest.mark.parametrize("n_levels", [1261, 5000])
@pytest.mark.parametrize("name", ["focused", "hellinger-forest", "naive-logistic"])
def test_a_table_of_more_levels_than_a_split_has_bits_is_ranked(name, n_levels):
    X, y, truth = merchants(n_levels + 700, n_levels)
    model = build(name, **({"preset": "fast"} if name == "focused" else {}))
    scores = rank_unlabeled(X, y, model, folds=2, random_state=0)
    rest = y == 0
    assert average_precision(truth[rest], scores[rest]) > 3 * truth[rest].mean()


def test_a_frequent_category_keeps_its_place_among_thousands_of_rare_ones():
    rng = np.random.default_rng(0)
    kind = np.append(np.arange(3000), np.repeat([3000, 3001], 300))
    y = ((kind == 3001) & (rng.random(3600) < 0.4)).astype(int)
    frame = pd.DataFrame({"kind": pd.Categorical(kind), "noise": rng.normal(size=3600)})
    for name in ("naive-forest", "puhdt", "naive-logistic"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = build(name, random_state=0).fit(frame, y)
        scores = model.decision_function(frame.assign(noise=0.0))
        assert scores[kind == 3001].min() > scores[kind != 3001].max()


def test_sarem_is_done_with_hundreds_of_merchants_in_few_columns():
    X, y, truth = merchants(2150, 400)
    model = build("sarem", random_state=0, max_iter=15).fit(X, y)
    assert model.encoder_.n_columns == model.propensity_encoder_.n_columns == 52
    assert average_precision(truth, model.decision_function(X)) > 2 * truth.mean()
