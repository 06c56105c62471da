"""One labeled row, and reviewed negatives, in ways of use that the contract does not reach."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

import lopsided
from lopsided.calibration import PUCalibratedClassifier
from lopsided.priors import estimate_prior, list_priors

RNG = np.random.default_rng(2)
TRUTH = np.arange(120) < 24
X = RNG.normal(size=(120, 3)) + 2.0 * TRUTH[:, None] * [1, 0, 0]
ONE = (np.arange(120) == 0).astype(int)
Y = (np.arange(120) < 12).astype(int)
REVIEWED = np.where(np.arange(120) % 4 == 3, np.where(TRUTH, Y, -1), Y)
VARIANTS = {
    "focused": {"estimators": ["bagged-trees", "booster", "knn"]},
    "focused-fast": {"weighting": "best", "prior": 0.2},
    "ifpu-xgb": {"prior": "twice-labeled"},
    "nnpu-xgb": {"prior": 0.3, "n_estimators": 5},
    "elkan-noto": {"frequency": "max", "refit": False},
    "nnif": {"treatment": "relabel", "n_estimators": 20},
    "puet": {"oob_score": True, "n_estimators": 20},
    "pu-bagging": {"oob_score": True, "n_estimators": 20},
}


@pytest.mark.parametrize("method", VARIANTS)
def test_one_labeled_row_and_weights_of_zero_are_no_matter(method):
    y = np.where(REVIEWED == -1, -1, ONE)
    weight = np.where(np.arange(120) % 3 == 1, 0.0, 1.0)
    for options in ({}, {"sample_weight": weight}):
        model = lopsided.build(method, random_state=0, **VARIANTS[method])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(X, y, **options)
        assert np.isfinite(model.decision_function(X)).all()


def test_early_stopping_with_one_labeled_row_runs_to_its_end():
    model = lopsided.build("ifpu-xgb", early_stopping_rounds=2, n_estimators=4, prior=0.2)
    with pytest.warns(UserWarning, match=r"4 labeled.*1"):
        model.fit(X, ONE)
    assert model.n_estimators_ == 4


def test_spies_take_reviewed_rows_for_reliable_negatives():
    model = lopsided.build("spy", random_state=0).fit(X, REVIEWED)
    assert set(np.flatnonzero(REVIEWED == -1)) <= set(model.reliable_)
    assert not set(np.flatnonzero(REVIEWED == 1)) & set(model.reliable_)


def test_no_reviewed_row_is_flagged_as_a_hidden_positive():
    model = lopsided.build("nnif", prior=0.5, random_state=0).fit(X, REVIEWED)
    assert len(model.flagged_)
    assert (REVIEWED[model.flagged_] == 0).all()


# Priors


@pytest.mark.parametrize("how", list_priors())
def test_one_labeled_row_gives_a_prior_or_a_sentence(how):
    scores, options = RNG.normal(size=120), {"method": how, "X": X, "random_state": 0}
    if how in ("auto", "twice-labeled"):
        assert ONE.mean() <= estimate_prior(ONE, scores, **options).value < 1
        return
    with pytest.raises(ValueError, match=f"{how}.*1"):
        estimate_prior(ONE, scores, **options)


@pytest.mark.parametrize("how", list_priors())
def test_a_reviewed_negative_is_one_of_the_population_to_a_prior(how):
    scores = X[:, 0]
    found, expected = (
        estimate_prior(y, scores, method=how, X=X, n_draws=3, random_state=0)
        for y in (REVIEWED, Y)
    )
    # The sentence alone counts the rows that are left to review.
    assert replace(found, sentence="") == replace(expected, sentence="")


# Calibration


def test_a_calibrated_method_learns_from_reviewed_negatives():
    method = lopsided.build("ifpu-xgb", prior=0.2, n_estimators=10, random_state=0)
    model = PUCalibratedClassifier(method, prior=0.2, random_state=0).fit(X, REVIEWED)
    alone = method.fit(X, REVIEWED).decision_function(X)
    assert_array_equal(model.estimator_.decision_function(X), alone)
    other = PUCalibratedClassifier(LogisticRegression(), prior=0.2, random_state=0)
    assert_array_equal(
        other.fit(X, REVIEWED).predict_proba(X), other.fit(X, Y).predict_proba(X)
    )
