import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

import lopsided
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.metrics import average_precision, pu_mean_log_rank

FULL = ["bagged-trees", "extra-trees", "booster", "logistic", "knn"]


def make_table(n_rows=400, n_labeled=12, seed=0):
    """A table whose positives lie off center, some of them labeled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    truth = (X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n_rows) > 1.8).astype(int)
    y = np.zeros(n_rows, int)
    y[rng.choice(np.flatnonzero(truth), n_labeled, replace=False)] = 1
    return X, y, truth


X, Y, TRUTH = make_table()


@pytest.fixture(scope="module")
def model():
    return lopsided.FocusedClassifier(random_state=0).fit(X, Y)


def fast(**params):
    return lopsided.FocusedClassifier(preset="fast", random_state=0, **params)


@pytest.fixture
def fits(monkeypatch):
    """The members that are fitted from now on, one entry for each model."""
    done = []

    def record(kind, name):
        plain = kind._fit
        monkeypatch.setattr(
            kind, "_fit", lambda self, rows, rng: (done.append(name), plain(self, rows, rng))[1]
        )

    record(NaiveLogisticClassifier, "logistic")
    record(PUForestClassifier, "forest")
    return done


def test_it_is_a_method_of_the_registry_and_the_default_of_the_library():
    assert isinstance(lopsided.build("focused"), lopsided.FocusedClassifier)
    assert lopsided.list_methods()[0] == "focused"


def test_it_finds_the_hidden_positives(model):
    fresh, _, truth = make_table(n_rows=2000, seed=1)
    assert average_precision(truth, model.decision_function(fresh)) > 0.7


def test_members_weights_and_scores_are_visible(model):
    assert list(model.estimators_) == list(model.weights_) == list(model.member_scores_) == FULL
    assert sum(model.weights_.values()) == pytest.approx(1)
    for name, fitted in model.estimators_.items():
        assert model.member_scores_[name] == pytest.approx(
            pu_mean_log_rank(Y, fitted.out_of_fold)
        )
    ranked = sorted(FULL, key=model.member_scores_.get)
    assert ranked == sorted(FULL, key=model.weights_.get)


def test_a_text_says_which_members_carry_the_table(model):
    lines = model.describe().splitlines()
    assert len(lines) == len(FULL)
    best = max(model.weights_, key=model.weights_.get)
    assert f"{100 * model.weights_[best]:.0f} %  {best}" in lines[0]


def test_scores_of_a_row_do_not_depend_on_the_others(model):
    some = np.vstack([X[Y == 1][:4], X[Y == 0][:8]])
    at_once = model.decision_function(some)
    one_by_one = [model.decision_function(row[None])[0] for row in some]
    assert_allclose(one_by_one, at_once, rtol=0, atol=1e-9)
    assert_allclose(model.decision_function(some[::-1])[::-1], at_once, rtol=0, atol=1e-9)
    assert_allclose(model.decision_function(X)[Y == 1][:4], at_once[:4], rtol=0, atol=1e-9)


def test_scores_of_unseen_rows_are_not_those_of_rows_learned_by_heart(model):
    unseen, seen = model.oob_decision_function_, model.decision_function(X)
    assert seen[Y == 1].mean() > unseen[Y == 1].mean()
    assert np.isfinite(unseen).all()


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_threads(model):
    one, two = model, lopsided.FocusedClassifier(n_jobs=2, random_state=0).fit(X, Y)
    assert one.decision_function(X).tobytes() == two.decision_function(X).tobytes()
    assert one.oob_decision_function_.tobytes() == two.oob_decision_function_.tobytes()
    assert one.weights_ == two.weights_


def test_another_seed_gives_other_scores():
    other = lopsided.FocusedClassifier(preset="fast", random_state=1).fit(X, Y)
    assert (other.decision_function(X) != fast().fit(X, Y).decision_function(X)).any()


def test_scores_are_finite_far_from_the_training_rows_and_hardly_ever_tie(model):
    far = np.vstack([X * 1e6, -X * 1e6])
    assert np.isfinite(model.decision_function(far)).all()
    fresh = np.random.default_rng(5).normal(size=(3000, 4))
    assert len(np.unique(model.decision_function(fresh))) > 2990


def test_logistic_regression_alone_rises_within_the_training_range_and_rests_beyond():
    alone = fast(estimators=["logistic"]).fit(X, Y)
    steps = np.zeros((53, 4))
    steps[:, 0] = [*np.linspace(X[:, 0].min(), X[:, 0].max(), 50), 50, 500, 5e5]
    rises = np.diff(alone.decision_function(steps))
    assert (rises[:49] > 0).all()
    assert (rises[50:] == 0).all()  # a quantile-transformed column ends at three deviations


@pytest.mark.parametrize("weighting", ["equal", "best"])
def test_other_ways_to_weigh(weighting):
    model = fast(weighting=weighting).fit(X, Y)
    weights = sorted(model.weights_.values())
    assert weights == ([0.5, 0.5] if weighting == "equal" else [0.0, 1.0])
    if weighting == "best":
        best = max(model.member_scores_, key=model.member_scores_.get)
        assert model.weights_[best] == 1
        raw = model.estimators_[best].scores(X)
        assert (np.argsort(raw) == np.argsort(model.decision_function(X))).all()


def test_two_labeled_rows_are_enough_and_tell_nothing_about_members():
    y = np.zeros(len(X), int)
    y[np.flatnonzero(TRUTH)[:2]] = 1
    model = fast().fit(X, y)
    assert set(model.weights_.values()) == {0.5}
    assert np.isfinite(model.oob_decision_function_).all()
    assert "too few rows are labeled" in model.describe()


def test_one_unlabeled_row_is_enough():
    y = np.ones(len(X), int)
    y[7] = 0
    assert np.isfinite(fast().fit(X, y).decision_function(X)).all()


@pytest.mark.parametrize("name", FULL)
def test_no_member_has_seen_the_rows_that_it_is_judged_by(name):
    rng = np.random.default_rng(1)
    noise, y = rng.normal(size=(600, 5)), (np.arange(600) < 60).astype(int)
    model = lopsided.FocusedClassifier(estimators=[name], random_state=0).fit(noise, y)
    # A random order has a log-rank of 1, with a deviation of one over the root of 60.
    assert model.member_scores_[name] == pytest.approx(1, abs=0.45)
    seen = pu_mean_log_rank(y, model.estimators_[name].scores(noise))
    assert name == "logistic" or seen > 1.5  # what a leak would show


def test_weights_fall_by_the_log_rank(model):
    criteria = np.array(list(model.member_scores_.values()))
    shares = np.exp(4 * (criteria - criteria.max()))
    assert_allclose(list(model.weights_.values()), shares / shares.sum())


def test_scores_are_log_odds_of_a_label_whatever_the_scale_of_the_weights(model):
    chance = 1 / (1 + np.exp(-model.oob_decision_function_))
    assert chance.mean() == pytest.approx(Y.mean(), rel=0.05)
    small = fast().fit(X, Y, sample_weight=np.full(len(Y), 1e-6))
    assert small.slope_ == pytest.approx(fast().fit(X, Y).slope_, rel=0.05)


def test_rows_of_weight_zero_judge_nobody():
    rng = np.random.default_rng(4)
    junk = rng.normal(size=(40, 4)) * 5
    both, labels = np.vstack([X, junk]), np.concatenate([Y, np.ones(40, int)])
    weight = np.repeat([1.0, 0.0], [len(Y), 40])
    model = fast().fit(both, labels, sample_weight=weight)
    plain = fast().fit(X, Y, sample_weight=np.ones(len(Y)))
    assert model.weights_ == plain.weights_
    assert (model.decision_function(X) == plain.decision_function(X)).all()
    assert np.isnan(model.oob_decision_function_[len(Y) :]).all()
    with pytest.raises(ValueError, match="above 0 for at least 2 labeled rows, got 1"):
        fast().fit(X, Y, sample_weight=np.where((Y == 1) & (np.cumsum(Y) > 1), 0.0, 1.0))


def test_a_wide_sparse_table_is_scored_by_small_blocks(monkeypatch):
    from lopsided.methods import focused

    sparse = csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    model = fast(estimators=["logistic"]).fit(sparse, Y)
    whole = model.decision_function(sparse)
    monkeypatch.setattr(focused, "_MAX_DENSE", 40)
    assert (model.decision_function(sparse) == whole).all()
    with pytest.raises(ValueError, match="at most 4e"):
        fast().fit(sparse, Y)


def test_numbers_too_large_get_a_sentence(model):
    far = X[:3].copy()
    far[0, 0] = 1e300
    with pytest.raises(ValueError, match=r"below 3\.4e38 in size, got 1e\+300"):
        model.decision_function(far)


def test_members_know_the_names_of_columns():
    frame = pd.DataFrame(X, columns=list("abcd"))
    part = fast(estimators=["logistic"]).fit(frame, Y).estimators_["logistic"].models[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        part.decision_function(frame)


def test_members_are_not_shared_between_numbers_and_categories(tmp_path, fits):
    kind = np.random.default_rng(2).integers(0, 3, len(Y))
    number = pd.DataFrame({"a": X[:, 0], "k": kind})
    category = number.astype({"k": "category"})
    for frame in (number, category):
        fast(estimators=["logistic"], memory=str(tmp_path)).fit(frame, Y)
    assert fits == ["logistic"] * 6


def test_nearest_neighbors_leave_as_tables_grow_unless_they_are_asked_for():
    team = lopsided.FocusedClassifier()._team
    assert [member.name for member in team(10_000)] == FULL
    assert [member.name for member in team(10_001)] == FULL[:-1]
    asked = lopsided.FocusedClassifier(estimators=["knn"])._team
    assert [member.name for member in asked(10_001)] == ["knn"]


def test_importances_point_at_the_columns_that_matter(model):
    shares = model.feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert shares.argmax() == 0


def test_missing_values_categories_and_a_sparse_table():
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.where(TRUTH == 1, "odd", "even"))
    frame.loc[::5, "b"] = np.nan
    model = fast().fit(frame, Y)
    assert model.feature_importances_.argmax() == 4
    assert np.isfinite(model.decision_function(frame)).all()
    thinned = np.where(np.abs(X) < 0.5, 0.0, X)
    assert_allclose(
        fast().fit(csr_matrix(thinned), Y).decision_function(csr_matrix(thinned)),
        fast().fit(thinned, Y).decision_function(thinned),
    )


def test_a_weight_of_zero_takes_a_row_out_of_logistic_regression():
    weight = np.where(np.arange(len(Y)) % 4 == 0, 0.0, 1.0)
    weight[Y == 1] = 1.0
    model = fast(estimators=["logistic"]).fit(X, Y, sample_weight=weight)
    moved = X.copy()
    moved[weight == 0] += 7
    again = fast(estimators=["logistic"]).fit(moved, Y, sample_weight=weight)
    for one, other in zip(
        model.estimators_["logistic"].models, again.estimators_["logistic"].models, strict=True
    ):
        assert_allclose(one.estimator_.coef_, other.estimator_.coef_, atol=1e-6)


def test_it_survives_a_pickle(model):
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"estimators": ["boster"]}, "Did you mean booster"),
        ({"estimators": []}, "at least one member"),
        ({"weighting": "equals"}, "Did you mean equal"),
        ({"preset": "fats"}, "Did you mean fast"),
        ({"gamma": -1}, "gamma"),
        ({"target_prior": "foo"}, "target_prior"),
        ({"estimators": 5}, "names of members, got 5"),
    ],
)
def test_bad_settings_are_named(params, words):
    with pytest.raises(ValueError, match=words):
        lopsided.FocusedClassifier(**params).fit(X, Y)


def test_members_are_fitted_once_for_all_fits_with_one_memory(tmp_path, fits):
    folder = str(tmp_path)
    first = fast(memory=folder).fit(X, Y)
    assert sorted(fits) == ["forest"] + ["logistic"] * 3
    fits.clear()
    fast(memory=joblib.Memory(folder, verbose=0), weighting="equal", n_jobs=2).fit(X, Y)
    part = fast(memory=folder, estimators=["logistic"]).fit(X, Y)
    again = fast(memory=folder).fit(X, Y)
    assert fits == []
    assert again.decision_function(X).tobytes() == first.decision_function(X).tobytes()
    alone = fast(estimators=["logistic"]).fit(X, Y)
    assert (part.decision_function(X) == alone.decision_function(X)).all()


@pytest.mark.parametrize("change", ["labels", "rows", "weights", "seed", "no memory"])
def test_members_are_fitted_anew_when_anything_else_changes(tmp_path, fits, change):
    params = {"estimators": ["logistic"], "memory": str(tmp_path)}
    fast(**params).fit(X, Y)
    fits.clear()
    moved, weight = X.copy(), np.ones(len(Y))
    moved[0, 0] += change == "rows"
    weight[0] += change == "weights"
    if change == "no memory":
        params["memory"] = None
    model = fast(**params).set_params(random_state=int(change == "seed"))
    model.fit(moved, 1 - Y if change == "labels" else Y, sample_weight=weight)
    assert len(fits) >= 3


def test_members_do_not_advise_on_settings_that_the_flagship_lacks():
    flat = np.zeros((60, 2))
    labels = np.repeat([1, 0], [5, 55])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        lopsided.FocusedClassifier(estimators=["booster", "logistic"]).fit(flat, labels)
    with pytest.warns(UserWarning, match="No split lowered the risk"):
        lopsided.build("focused-xgb", prior=0.2).fit(flat, labels)


def test_a_description_needs_a_fit():
    with pytest.raises(NotFittedError):
        lopsided.FocusedClassifier().describe()
