from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier

from lopsided.calibration import PUCalibratedClassifier
from lopsided.methods._neighbors import NeighborRatioClassifier, distance_terms, mean_distance
from lopsided.methods._shapley import find_typical_row, sample_table
from lopsided.methods.additive import add_weighted, additive_scores, sample_additive, settle
from lopsided.methods.answers import scores_of
from lopsided.methods.multi_positive import MultiPositiveClassifier

RNG = np.random.default_rng(0)
TERMS = RNG.normal(size=(50, 4))
TERMS[:, 2] = 0
BASE = RNG.normal(size=50)
SUMS = settle(BASE, TERMS, BASE + TERMS.sum(axis=1))
KNOTS = np.linspace(-8, 8, 40)
RISING = [
    np.exp,
    np.tanh,
    lambda s: np.interp(s, KNOTS, np.cumsum(KNOTS**2)),
    lambda s: np.floor(s),  # flat but for jumps
]


def total(sums):
    return sums.base + sums.terms.sum(axis=1)


def test_probabilities_alone_are_the_same_log_odds_wherever_they_are_scores():
    X = RNG.normal(size=(200, 3))
    y = (X[:, 0] > 1).astype(int)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)  # some are 0, some are 1
    found = scores_of(forest, X)
    assert np.isfinite(found).all()
    assert_array_equal(np.argsort(found), np.argsort(forest.predict_proba(X)[:, 1]))
    kinds = MultiPositiveClassifier(RandomForestClassifier(20, random_state=0)).fit(X, y)
    assert_array_equal(kinds.decision_function(X), found)
    assert_array_equal(additive_scores(forest, X[:5]).scores, found[:5])
    calibrated = PUCalibratedClassifier(RandomForestClassifier(20, random_state=0), prior=0.3)
    calibrated.fit(X, y)
    assert_array_equal(
        calibrated.decision_function(X), calibrated.calibration_.transform(found)
    )


@pytest.mark.parametrize("rising", RISING, ids=["exp", "tanh", "bent line", "steps"])
def test_a_rising_map_keeps_sums_signs_and_order(rising):
    found = SUMS.mapped(rising)
    assert_allclose(total(found), rising(SUMS.scores), atol=1e-12)
    assert_array_equal(found.scores, rising(SUMS.scores))
    assert_allclose(found.base, rising(BASE))
    assert (found.terms * TERMS >= 0).all()
    assert_array_equal(found.terms[:, 2], 0)
    factors = found.terms[:, [0, 1, 3]] / TERMS[:, [0, 1, 3]]
    assert_allclose(factors, factors[:, :1].repeat(3, axis=1), rtol=1e-6, atol=1e-12)


def test_a_line_multiplies_all_terms_by_its_slope():
    found = SUMS.mapped(lambda s: 3 * s - 7)
    assert_allclose(found.terms, 3 * TERMS, atol=1e-12)


@pytest.mark.parametrize("gain", [0.0, 1e-16, -1e-13])
def test_terms_that_cancel_take_the_slope_about_the_score(gain):
    terms = np.array([[0.02, -0.02 + gain]])
    found = settle([0.5], terms, [0.5 + gain]).mapped(np.exp)
    assert_allclose(found.terms, np.exp(0.5) * terms, rtol=1e-3)
    assert_allclose(total(found), np.exp(0.5 + gain), rtol=1e-14)


def test_rows_without_any_term_keep_their_score():
    found = settle([0.0, 1e-3], np.zeros((2, 3)), [0.0, 2e-3]).mapped(
        lambda s: np.log(s + 1e-9)
    )
    assert not found.terms.any()
    assert_allclose(found.base, np.log(np.array([0.0, 2e-3]) + 1e-9))


def test_rounding_goes_to_columns_by_their_size():
    found = settle([1.0], [[2.0, 0.0, -1.0]], [2.0 + 3e-7])
    assert_allclose(found.terms, [[2.0 + 2e-7, 0.0, -1.0 + 1e-7]], rtol=0, atol=1e-15)
    assert found.terms[0, 1] == 0


def test_weighted_sums_add_up():
    other = settle(0.0, TERMS**2, (TERMS**2).sum(axis=1))
    found = add_weighted([SUMS, other], [0.25, 0.75])
    assert_allclose(found.scores, 0.25 * SUMS.scores + 0.75 * other.scores)
    assert_allclose(total(found), found.scores)
    assert_allclose(found.terms, 0.25 * TERMS + 0.75 * TERMS**2)


# Sampling


def product_score(X):
    """Pairs of columns act together, no three; the last does nothing."""
    return X[:, 0] * X[:, 1] + np.sin(X[:, 2]) * X[:, 0] + 2 * X[:, 3]


def deep_score(X):
    return np.exp(X.sum(axis=1) / 4) + X[:, 0] * X[:, 1] * X[:, 2]


def shapley(score, row, start):
    """Shapley values by their definition: the mean over every order."""
    values = np.zeros(len(row))
    orders = list(permutations(range(len(row))))
    for order in orders:
        mixed = start.copy()
        for j in order:
            before = score(mixed[None])[0]
            mixed[j] = row[j]
            values[j] += (score(mixed[None])[0] - before) / len(orders)
    return values


def test_sampled_terms_are_exact_where_no_three_columns_act_together():
    X, start = RNG.normal(size=(6, 5)), RNG.normal(size=5)
    found = sample_additive(product_score, X, start[None], seed=3)
    assert_allclose(found.terms, [shapley(product_score, row, start) for row in X], atol=1e-12)
    assert_allclose(found.base, product_score(start[None])[0])
    assert_allclose(found.terms[:, 4], 0, atol=1e-15)


def test_sampled_terms_telescope_whatever_the_score_and_are_near_their_definition():
    X, start = RNG.normal(size=(30, 5)), np.zeros(5)
    found = sample_additive(deep_score, X, start[None], seed=0)
    assert_allclose(total(found), deep_score(X), atol=1e-12)
    expected = np.array([shapley(deep_score, row, start) for row in X])
    assert np.corrcoef(found.terms.ravel(), expected.ravel())[0, 1] > 0.95


def test_the_seed_decides_the_sample():
    X, start = RNG.normal(size=(5, 8)), np.zeros((1, 8))
    first, again, other = (
        sample_additive(deep_score, X, start, seed).terms for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert (first != other).any()


def test_the_base_is_the_mean_score_of_the_background():
    X, others = RNG.normal(size=(5, 5)), RNG.normal(size=(7, 5))
    found = sample_additive(deep_score, X, others, seed=0)
    assert_allclose(found.base, deep_score(others).mean())
    assert_allclose(total(found), deep_score(X), atol=1e-12)


def test_many_columns_are_walked_in_parts(monkeypatch):
    monkeypatch.setattr("lopsided.methods._shapley._MAX_CELLS", 64)
    X, start = RNG.normal(size=(6, 5)), RNG.normal(size=5)
    found = sample_additive(product_score, X, start[None], seed=3)
    assert_allclose(found.terms, [shapley(product_score, row, start) for row in X], atol=1e-12)


def frame_score(frame):
    assert frame["kind"].dtype == "category"
    known = frame["kind"].map({"a": 1.0, "b": 4.0, "c": 9.0}).astype(float).fillna(-3.0)
    late = (frame["day"] > pd.Timestamp("2020-06-01")).astype(float)
    return (known * frame["x"] + late + frame["text"].str.len()).to_numpy()


def make_frame():
    return pd.DataFrame(
        {
            "x": [1.0, 2.0, 3.0, 10.0, 2.0],
            "kind": pd.Categorical(["a", "b", "b", None, "b"]),
            "day": pd.to_datetime(["2020-01-01"] * 3 + ["2020-12-01"] * 2),
            "text": ["one", "one", "three", "four", "one"],
        },
        index=[7, 7, 3, 1, 0],
    )


def test_frames_of_any_kind_are_compared_with_their_typical_row():
    frame = make_frame()
    base, terms = sample_table(frame_score, frame, None, seed=0)
    assert_allclose(base, 4.0 * 2 + 0 + 3)  # the median, and the commonest of the others
    assert_allclose(base + terms.sum(axis=1), frame_score(frame))
    assert_allclose(terms[4], [0, 0, 1, 0])


def test_a_background_may_have_levels_of_its_own():
    frame = make_frame()
    others = frame.iloc[[0]].assign(kind=pd.Categorical(["c"]))
    base, terms = sample_table(frame_score, frame, others, seed=0)
    assert_allclose(base, 9.0 * 1 + 0 + 3)
    assert_allclose(base + terms.sum(axis=1), frame_score(frame))


def test_a_row_alone_needs_a_background():
    with pytest.raises(ValueError, match="background"):
        sample_table(product_score, RNG.normal(size=(1, 4)), None, seed=0)
    with pytest.raises(ValueError, match=r"4 columns.*\(2, 3\)"):
        sample_table(product_score, RNG.normal(size=(1, 4)), np.zeros((2, 3)), seed=0)


def test_the_typical_row_has_medians_and_commonest_levels():
    X = np.array([[1, 0, 5], [2, 2, np.nan], [3, 2, np.nan], [400, 1, np.nan], [-9, np.nan, 1]])
    weight = np.ones(5)
    assert_array_equal(find_typical_row(X, weight, (1,)), [2, 2, np.nan])
    assert_array_equal(find_typical_row(X, np.array([1, 0, 0, 1, 1]), ()), [1, 0, 1])


# Nearest neighbors


def neighbors():
    X = RNG.normal(size=(120, 3))
    y = (np.arange(120) % 10 == 0).astype(int)
    X[y == 1, 0] += 3
    X[::9, 1] = np.nan
    return NeighborRatioClassifier().fit(X, y), X


def test_distances_are_sums_over_columns():
    model, X = neighbors()
    encoded = model.encoder_.transform(X)
    for index in (model.labeled_, model.unlabeled_):
        terms = distance_terms(index, encoded)
        assert (terms >= 0).all()
        assert_allclose(terms.sum(axis=1), mean_distance(index, encoded), atol=1e-12)


def test_terms_of_neighbors_add_up_before_anything_is_settled():
    model, X = neighbors()
    terms = model._terms(model.encoder_.transform(X))
    assert_allclose(terms.sum(axis=1), model.decision_function(X), atol=1e-9)
    assert_allclose(model.mean_terms_.sum(), model.additive_scores(X).base)


def test_neighbors_name_the_column_in_which_labeled_rows_are_near():
    model, _ = neighbors()
    found = model.additive_scores([[3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    assert found.terms[0].argmax() == 0
    assert found.terms[1].argmin() == 0
