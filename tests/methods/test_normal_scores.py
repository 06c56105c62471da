import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, rankdata

from lopsided.methods import _normal_scores

RNG = np.random.default_rng(0)
SKEWED = RNG.exponential(size=500) ** 3


def fit_normal_scores(reference, weight=None):
    weight = np.ones(len(reference)) if weight is None else weight
    return _normal_scores.fit_normal_scores(reference, weight)


def test_the_reference_becomes_standard_normal():
    expected = norm.ppf((rankdata(SKEWED) - 0.5) / len(SKEWED))
    assert_allclose(fit_normal_scores(SKEWED).transform(SKEWED), expected, atol=1e-12)


def test_only_the_order_of_the_reference_matters_for_its_own_rows():
    twin = np.log(SKEWED)
    assert_allclose(
        fit_normal_scores(SKEWED).transform(SKEWED), fit_normal_scores(twin).transform(twin)
    )


@pytest.mark.parametrize("n_reference", [2, 500, 50_000])
def test_the_map_rises_everywhere_and_beyond_its_ends(n_reference):
    reference = RNG.normal(size=n_reference)
    scores = np.linspace(-1e3, 1e3, 20_001)
    assert (np.diff(fit_normal_scores(reference).transform(scores)) > 0).all()


def test_a_row_does_not_depend_on_the_others():
    found, scores = fit_normal_scores(SKEWED), RNG.normal(size=200)
    one_by_one = np.concatenate([found.transform(scores[[i]]) for i in range(200)])
    assert (one_by_one == found.transform(scores)).all()


def test_equal_scores_share_a_place_and_a_constant_is_no_problem():
    assert_allclose(fit_normal_scores([1, 2, 2, 3]).transform([2.0]), [0.0], atol=1e-12)
    flat = fit_normal_scores([5.0, 5.0, 5.0])
    assert_allclose(flat.transform([5.0]), [0.0])
    assert flat.transform([6.0])[0] > 0 > flat.transform([4.0])[0]


def test_a_large_reference_is_thinned_without_harm():
    reference = RNG.exponential(size=100_000)
    found = fit_normal_scores(reference)
    assert len(found.knots) <= 8192
    assert found.knots[0] == reference.min()
    assert found.knots[-1] == reference.max()
    expected = norm.ppf((rankdata(reference) - 0.5) / len(reference))
    assert_allclose(found.transform(reference), expected, atol=5e-3)


def test_missing_values_stay_missing_and_teach_nothing():
    with_holes = np.where(np.arange(500) % 5 == 0, np.nan, SKEWED)
    found = fit_normal_scores(with_holes)
    assert_allclose(found.knots, np.sort(SKEWED[np.arange(500) % 5 != 0]))
    assert np.isnan(found.transform([np.nan])).all()


def test_a_weight_of_two_is_a_score_twice_and_one_of_zero_is_none():
    weight = np.arange(500) % 3
    weighted = fit_normal_scores(SKEWED, weight)
    repeated = fit_normal_scores(np.repeat(SKEWED, weight))
    assert_allclose(weighted.transform(SKEWED), repeated.transform(SKEWED), atol=1e-12)
