import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_classifiers_train,
    estimator_checks_generator,
)

from lopsided import FocusedClassifier, NaiveLogisticClassifier, build
from lopsided.methods._kinds import fit_mixture
from lopsided.methods.multi_positive import MultiPositiveClassifier
from lopsided.testing import EXPECTED_FAILURES, contract_checks

BASE = NaiveLogisticClassifier()


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr("lopsided.methods._kinds._N_TREES", 8)
    monkeypatch.setattr("lopsided.methods._kinds._N_TREES_IN_FOLD", 4)


def draw(n=600, n_kinds=3, labeled=0.6, seed=0):
    """Positives have a large first column; the next ones tell their kind."""
    rng = np.random.default_rng(seed)
    kinds = np.where(rng.random(n) < 0.2, rng.integers(1, n_kinds + 1, n), 0)
    X = rng.normal(size=(n, 1 + n_kinds))
    X[:, 0] += 3 * (kinds > 0)
    X[np.arange(n), kinds] += 3 * (kinds > 0)
    return X, np.where(rng.random(n) < labeled, kinds, 0), kinds


def fit(X, y, base=BASE, **options):
    return MultiPositiveClassifier(base, random_state=0, **options).fit(X, y)


def some_rows(y, *sizes):
    """Keep the first labels of each kind, as many as given."""
    kept = np.zeros_like(y)
    for kind, size in enumerate(sizes, 1):
        rows = np.flatnonzero(y == kind)[:size]
        kept[rows] = kind
    return kept


@pytest.mark.parametrize("base", [BASE, build("ifpu-xgb", n_estimators=5, random_state=1)])
def test_the_ranking_is_that_of_one_merged_label(base):
    X, y, _ = draw()
    y[-50:] = np.where(y[-50:] == 0, -1, y[-50:])
    model, merged = fit(X, y, base), clone(base).fit(X, np.clip(y, -1, 1))
    assert_array_equal(model.decision_function(X), merged.decision_function(X))
    assert_allclose(1 - model.predict_proba(X)[:, 0], merged.predict_proba(X)[:, 1])
    assert_array_equal(model.predict(X) > 0, merged.predict(X) == 1)


def test_without_an_estimator_focused_ranks_and_keeps_its_out_of_bag_scores():
    X, y, _ = draw(200)
    model = MultiPositiveClassifier(FocusedClassifier(preset="fast"), random_state=0).fit(X, y)
    scores = model.oob_decision_function_
    assert scores.shape == y.shape
    assert scores[y > 0].mean() > scores[y == 0].mean()
    assert isinstance(MultiPositiveClassifier()._base(None), FocusedClassifier)


def test_hidden_positives_are_named_and_probabilities_are_calibrated():
    X, y, kinds = draw(3000)
    hidden = (kinds > 0) & (y == 0)
    model = fit(X, y)
    proba = model.predict_kind_proba(X[hidden])
    right = model.predict_kind(X[hidden]) == kinds[hidden]
    assert right.mean() > 0.9
    assert abs(proba.max(axis=1).mean() - right.mean()) < 0.05


def test_kinds_that_columns_do_not_tell_have_their_frequencies():
    X, y, _ = draw(2000)
    rng = np.random.default_rng(3)
    y = np.where(y > 0, rng.choice([1, 2], len(y), p=[0.8, 0.2]), 0)
    model = fit(X, y)
    share = (y == 1).sum() / (y > 0).sum()
    assert model.kind_weights_["frequency"] > 0.5
    assert abs(model.predict_kind_proba(X[y == 0])[:, 0].mean() - share) < 0.05
    assert (model.predict_kind(X[y == 0]) == 1).mean() > 0.95


def test_answers_are_probabilities_that_agree():
    X, y, _ = draw()
    model = fit(X, y)
    joint, given = model.predict_proba(X), model.predict_kind_proba(X)
    assert_array_equal(model.classes_, [0, 1, 2, 3])
    assert_array_equal(model.kinds_, [1, 2, 3])
    assert joint.shape == (len(X), 4)
    assert given.shape == (len(X), 3)
    assert_allclose(joint.sum(axis=1), 1)
    assert_allclose(given.sum(axis=1), 1)
    assert_allclose(joint[:, 1:], (1 - joint[:, :1]) * given)
    assert (given > 0).all()
    assert_array_equal(model.predict_kind(X), model.kinds_[given.argmax(axis=1)])
    above = model.decision_function(X) > 0
    assert_array_equal(model.predict(X), np.where(above, model.predict_kind(X), 0))


@pytest.mark.parametrize("n_kinds", [2, 3])
def test_other_names_of_kinds_permute_the_columns(n_kinds):
    X, y, _ = draw(n_kinds=n_kinds)
    names = np.array([0, 7, 2, 40])[: n_kinds + 1]
    model, renamed = fit(X, y), fit(X, names[y])
    assert_array_equal(renamed.kinds_, np.sort(names[1:]))
    order = np.argsort(names[1:])
    assert_array_equal(renamed.predict_kind_proba(X), model.predict_kind_proba(X)[:, order])
    assert_array_equal(renamed.predict(X), names[model.predict(X)])


@pytest.mark.parametrize(
    "sizes", [(30, 2, 30), (30, 1, 1), (1, 1, 1), (2, 1), (2, 2, 2), (1, 9)]
)
def test_kinds_of_a_row_or_two_are_no_trouble(sizes):
    X, y, _ = draw()
    y = some_rows(y, *sizes)
    model = fit(X, y)
    given = model.predict_kind_proba(X)
    assert_allclose(given.sum(axis=1), 1)
    assert (given > 0).all()
    if min(sizes) > 1:  # a kind with two rows is still found where it is
        center = np.r_[3, 0, 3, 0][None]
        assert (
            model.predict_kind_proba(center)[0, 1] > 1.3 * model.kind_model_.frequencies.min()
        )


def test_one_labeled_row_of_each_kind_leaves_half_to_the_frequencies():
    X, y, _ = draw()
    assert_allclose(fit(X, some_rows(y, 1, 1)).kind_weights_["frequency"], 0.5)


def test_a_single_kind_has_probability_1():
    X, y, _ = draw(n_kinds=1)
    model, base = fit(X, y), clone(BASE).fit(X, y)
    assert_array_equal(model.predict_kind_proba(X), np.ones((len(X), 1)))
    assert_allclose(model.predict_proba(X), base.predict_proba(X))
    assert_array_equal(model.predict(X), base.predict(X))


def test_reviewed_negatives_reach_the_estimator_and_are_no_kind():
    X, y, _ = draw()
    reviewed = np.flatnonzero(y == 0)[:100]
    cleared = y.copy()
    cleared[reviewed] = -1
    model = fit(X, cleared)
    assert_array_equal(model.classes_, [0, 1, 2, 3])
    # Kinds are learned from labeled rows alone, whatever is known of the others.
    assert_array_equal(model.predict_kind_proba(X), fit(X, y).predict_kind_proba(X))
    booster = build("ifpu-xgb", n_estimators=30, random_state=0)
    assert fit(X, cleared, booster).decision_function(X)[reviewed].mean() < (
        fit(X, y, booster).decision_function(X)[reviewed].mean()
    )


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        RandomForestClassifier(20, random_state=0),
        LinearSVC(random_state=0),
    ],
)
def test_other_classifiers_take_reviewed_rows_for_negatives(base):
    X, y, _ = draw()
    y[:40] = np.where(y[:40] == 0, -1, y[:40])
    model, plain = fit(X, y, base), clone(base).fit(X, (y > 0).astype(int))
    assert_array_equal(model.predict(X) > 0, plain.predict(X) == 1)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1)
    assert (np.diff(proba[np.argsort(model.decision_function(X)), 0]) <= 1e-12).all()


def test_a_seed_decides_and_a_pickle_keeps_all_answers():
    X, y, _ = draw(300)
    forest = RandomForestClassifier(10)
    first, second = fit(X, y, forest), fit(X, y, forest)
    again = pickle.loads(pickle.dumps(first))
    for other in (second, again):
        assert_array_equal(first.predict_proba(X), other.predict_proba(X))
        assert_array_equal(first.decision_function(X), other.decision_function(X))
    named = fit(X, y, "naive-xgb")
    assert named.estimator_.random_state is not None


def test_frames_with_gaps_and_categories_are_taken():
    X, y, _ = draw()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[::9, "d"] = np.nan
    frame["kind of shop"] = pd.Categorical(np.where(X[:, 1] > 1.5, "high", "low"))
    model = fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == 5
    expected = model.predict_kind_proba(frame)
    shuffled = frame["kind of shop"].cat.set_categories(["unseen", "low", "high"])
    assert_array_equal(
        model.predict_kind_proba(frame.assign(**{"kind of shop": shuffled})), expected
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict_kind_proba(frame[frame.columns[::-1]])


def test_sparse_equals_dense():
    X, y, _ = draw()
    X[np.abs(X) < 0.5] = 0
    booster = build("ifpu-xgb", n_estimators=5, random_state=0)
    dense, sparse = fit(X, y, booster), fit(csr_array(X), y, booster)
    assert_array_equal(dense.predict_kind_proba(X), sparse.predict_kind_proba(csr_array(X)))


def test_large_tables_are_read_in_blocks(monkeypatch):
    X, y, _ = draw()
    model = fit(X, y)
    expected = model.predict_kind_proba(X)
    monkeypatch.setattr("lopsided.methods.multi_positive._MAX_BLOCK", 4 * 7)
    assert_allclose(model.predict_kind_proba(X), expected, rtol=1e-12)


def test_weights_count_rows_and_rows_of_weight_0_teach_nothing():
    X, y, _ = draw()
    weight = np.where((y == 2) | (y == 1), np.where(X[:, 0] > 3, 0.0, 1.0), 1.0)
    kept = weight > 0
    model = MultiPositiveClassifier(BASE, random_state=0).fit(X, y, sample_weight=weight)
    without = fit(X[kept], y[kept])
    assert_allclose(model.predict_kind_proba(X), without.predict_kind_proba(X))
    heavy = MultiPositiveClassifier(BASE).fit(X, y, sample_weight=np.where(y == 1, 5.0, 1.0))
    frequencies = heavy.kind_model_.frequencies[heavy.kind_model_.places]
    counts = np.bincount(y)[1:] * [5, 1, 1] + 0.5
    assert_allclose(frequencies, counts / counts.sum())


def test_kinds_that_are_labeled_more_often_count_less():
    X, y, _ = draw(n_kinds=2)
    plain = fit(X, y).predict_kind_proba(X)
    model = fit(X, y, label_frequency={1: 0.6, 2: 0.2})
    odds = model.predict_kind_proba(X)
    assert_allclose(odds[:, 1] / odds[:, 0], 3 * plain[:, 1] / plain[:, 0])
    assert_array_equal(model.decision_function(X), fit(X, y).decision_function(X))


def test_a_mixture_is_no_less_likely_than_any_other():
    rng = np.random.default_rng(0)
    likelihood, weight = rng.random((40, 3)), rng.random(40)
    prior = np.array([0.5, 0.2, 0.1])

    def objective(mixture):
        return weight @ np.log(likelihood @ mixture) + prior @ np.log(mixture)

    found = fit_mixture(likelihood, weight, prior)
    assert_allclose(found.sum(), 1)
    assert objective(found) >= max(map(objective, rng.dirichlet(np.ones(3), 2000))) - 1e-9
    assert_allclose(fit_mixture(np.empty((0, 3)), np.empty(0), prior), prior / 0.8)


def test_parameters_reach_the_estimator():
    model = MultiPositiveClassifier(NaiveLogisticClassifier()).set_params(estimator__C=0.1)
    assert clone(model).get_params()["estimator__C"] == 0.1
    X, y, _ = draw(100)
    assert model.fit(X, y).estimator_.C == 0.1
    assert model.estimator is not model.estimator_
    with pytest.raises(NotFittedError):
        MultiPositiveClassifier().predict_kind(X)


def test_tags_are_those_of_the_estimator():
    assert not get_tags(MultiPositiveClassifier(BASE)).input_tags.sparse
    assert get_tags(MultiPositiveClassifier()).input_tags.sparse
    X, y, _ = draw(60)
    with pytest.raises(TypeError, match="parse"):
        fit(csr_array(X), y)


CONTRACT = [
    pytest.param(check, id=name)
    for name, check in contract_checks(MultiPositiveClassifier(BASE, random_state=0))
    if "scikit-learn" not in name and name != "many categories"
]


@pytest.mark.parametrize("check", CONTRACT)
def test_with_one_kind_the_contract_of_methods_is_kept(check):
    check()


class BinaryOnly(MultiPositiveClassifier):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@pytest.mark.filterwarnings("ignore")
def test_checks_of_scikit_learn_pass_but_for_a_score_for_each_class():
    tested = MultiPositiveClassifier(BASE, random_state=0)
    expected = {*EXPECTED_FAILURES, "check_classifiers_train", "check_array_api_input"}
    for estimator, check in estimator_checks_generator(tested):
        if getattr(check, "func", check).__name__ not in expected:
            check(estimator)
    # There is one score for any kind; with one kind, that is what scikit-learn wants.
    check_classifiers_train("binary", BinaryOnly(BASE, random_state=0))
