import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.stats import rankdata, spearmanr
from sklearn.base import clone

import lopsided
from lopsided.calibration import pu_calibration_error
from lopsided.exceptions import PriorWarning
from lopsided.methods._members import can_pay
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.metrics import average_precision, pu_mean_log_rank

FULL = [
    "bagged-trees",
    "undersampled-trees",
    "entropy-trees",
    "booster",
    "logistic",
    "logistic-standardized",
    "knn",
]
LARGE = ["bagged-trees", "extra-trees", "booster", "logistic"]


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
    first, *_ = lines = model.describe().splitlines()
    best = max(model.weights_, key=model.weights_.get)
    assert f"{100 * model.weights_[best]:.0f} %  {best}" in first
    *members, prior, probabilities = lines
    assert len(members) == len(FULL)
    assert prior == model.prior_estimate_.sentence
    assert f"calibration error {model.calibration_error_:.3f}" in probabilities


def test_a_given_prior_moves_probabilities_and_no_row():
    one, two = (
        lopsided.FocusedClassifier(preset="fast", prior=prior, random_state=0).fit(X, Y)
        for prior in (0.05, 0.15)
    )
    assert (one.prior_, two.prior_) == (0.05, 0.15)
    low, high = (model.predict_proba(X)[:, 1] for model in (one, two))
    assert_array_equal(np.argsort(low, kind="stable"), np.argsort(high, kind="stable"))
    assert high.mean() > 1.5 * low.mean()
    assert "0.05" in one.describe()


def test_a_description_is_of_the_fit_whatever_parameters_are_set_after_it():
    for before, after in ((0.05, "auto"), ("auto", 0.05)):
        fitted = fast(prior=before).fit(X, Y)
        said = fitted.describe()
        assert fitted.set_params(prior=after).describe() == said
        assert fitted.fit(X, Y).describe() != said


def test_weights_of_labeled_rows_count_for_the_prior():
    weight = np.where(Y == 1, 10.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PriorWarning)  # none was given, and none is raised
        model = fast().fit(X, Y, sample_weight=weight)
    assert model.prior_ >= np.average(Y, weights=weight)
    assert model.prior_ == model.prior_estimate_.value
    proba = 1 / (1 + np.exp(-model.oob_decision_function_))
    error = pu_calibration_error(Y, proba, model.prior_, sample_weight=weight)
    assert model.calibration_error_ == error


def test_the_prior_of_a_booster_counts_weights():
    weight = np.where(Y == 1, 10.0, 1.0)
    model = lopsided.build("nnpu-xgb", n_estimators=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, Y, sample_weight=weight)
    assert model.prior_ >= np.average(Y, weights=weight)


def test_an_estimate_is_a_prior(model):
    estimate = model.prior_estimate_
    for name in ("focused-fast", "nnpu-xgb"):
        one = clone(lopsided.build(name, prior=estimate, random_state=0))
        assert one.get_params()["prior"] == estimate
        assert one.fit(X, Y).prior_ == estimate.value


def test_too_few_labels_are_said_once_and_measure_nothing():
    few = np.where(np.cumsum(Y) <= 3, Y, 0)
    with pytest.warns(PriorWarning, match="prior") as caught:
        model = fast().fit(X, few)
    assert [one.filename for one in caught] == [__file__]
    assert np.isnan(model.calibration_error_)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PriorWarning)
        fast(prior=0.1).fit(X, few)
        lopsided.rank_unlabeled(X, few, fast(), folds=2, random_state=0)


def test_probabilities_of_rows_not_seen_add_up_to_the_positives():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(3000, 4))
    truth = rng.random(3000) < 1 / (1 + np.exp(5 - 2.5 * table[:, 0]))
    y = (truth & (rng.random(3000) < 0.5)).astype(int)
    settings = {"preset": "fast", "random_state": 0}
    model = lopsided.FocusedClassifier(prior=truth.mean(), **settings).fit(table, y)
    proba = 1 / (1 + np.exp(-model.oob_decision_function_))
    assert proba.sum() == pytest.approx(truth.sum(), rel=0.15)
    top = proba > 0.3
    assert proba[top].mean() == pytest.approx(truth[top].mean(), abs=0.1)


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
    assert set(model.weights_) == {"bagged-trees", "logistic", "outliers"}
    assert model.weights_["outliers"] == pytest.approx(0.05)
    assert model.weights_ == fast().fit(X[::-1], y[::-1]).weights_
    assert np.isfinite(model.oob_decision_function_).all()


@pytest.mark.parametrize("name", [*FULL, "extra-trees"])
def test_no_member_has_seen_the_rows_that_it_is_judged_by(name):
    rng = np.random.default_rng(1)
    noise, y = rng.normal(size=(600, 5)), (np.arange(600) < 60).astype(int)
    model = lopsided.FocusedClassifier(estimators=[name], random_state=0).fit(noise, y)
    # A random order has a log-rank of 1, with a deviation of one over the root of 60.
    assert model.member_scores_[name] == pytest.approx(1, abs=0.45)
    seen = pu_mean_log_rank(y, model._score_members(noise)[name])
    assert name.startswith("logistic") or seen > 1.5  # what a leak would show


def test_linear_models_fade_as_labels_grow():
    from lopsided.methods._members import log_prior_weights

    names = ["bagged-trees", "logistic", "logistic-standardized", "knn"]
    assert_allclose(log_prior_weights(names, 20, 0.0), [0, 0, 0, -1])
    assert_allclose(np.exp(log_prior_weights(names, 80, 0.0)), [1, 0.5, 0.5, np.exp(-1)])
    assert_allclose(log_prior_weights(names, 2, 1.0), [1.5, 0, 0, -1])


def test_weights_fall_by_the_log_rank(model):
    criteria = np.array(list(model.member_scores_.values()))
    handicap = np.array([name == "knn" for name in model.weights_])
    fading = np.array([name.startswith("logistic") for name in model.weights_])
    shares = np.exp(4 * (criteria - criteria.max()) - handicap)
    shares *= np.sqrt(20 / max(Y.sum(), 20)) ** fading
    assert_allclose(list(model.weights_.values()), shares / shares.sum())


def test_scores_are_log_odds_of_a_positive_whatever_the_scale_of_the_weights(model):
    chance = 1 / (1 + np.exp(-model.oob_decision_function_))
    assert chance.mean() == pytest.approx(model.prior_, rel=0.25)
    small = fast().fit(X, Y, sample_weight=np.full(len(Y), 1e-6))
    plain = fast().fit(X, Y)
    assert small.prior_ == pytest.approx(plain.prior_, rel=0.05)
    found, expected = (model.predict_proba(X)[:, 1] for model in (small, plain))
    assert found.mean() == pytest.approx(expected.mean(), rel=0.05)


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


def test_a_wide_sparse_table_is_scored_by_small_blocks(monkeypatch):
    from lopsided.methods import focused

    sparse = csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    model = fast(estimators=["logistic"]).fit(sparse, Y)
    whole = model.decision_function(sparse)
    monkeypatch.setattr(focused, "_MAX_DENSE", 40)
    assert (model.decision_function(sparse) == whole).all()
    with pytest.raises(ValueError, match="4e"):
        fast().fit(sparse, Y)


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


def test_who_looks_for_neighbors_leaves_as_tables_grow_unless_asked_for():
    team = lopsided.FocusedClassifier()._team
    assert [member.name for member in team(10_000, 4, 7)] == FULL
    assert [member.name for member in team(10_001, 4, 7)] == LARGE
    assert [member.name for member in team(10_000, 4, 50)] == [*FULL, "extra-trees"]
    assert [member.name for member in team(10_001, 4, 50)] == LARGE
    assert [member.name for member in team(10_000, 4, 6)] == [*FULL, "outliers"]
    asked = lopsided.FocusedClassifier(estimators=["knn"])._team
    assert [member.name for member in asked(10_001, 4, 10)] == ["knn"]


def test_a_member_far_behind_is_dropped_after_a_first_fold_unless_it_is_asked_for():
    rng = np.random.default_rng(0)
    ring = rng.normal(size=(3000, 2))
    inside = (ring**2).sum(axis=1) < 0.15  # which no linear model can tell
    y = (inside & (rng.random(3000) < 0.7)).astype(int)
    names = ["bagged-trees", "logistic"]
    whole = fast(estimators=names).fit(ring, y)
    assert whole.weights_["logistic"] < 0.02
    assert whole.dropped_ == []
    dropping = fast().fit(ring, y)
    assert dropping.dropped_ == ["logistic"]
    assert dropping.weights_ == {"bagged-trees": 1.0}
    assert "0 %  logistic" in dropping.describe()
    scores = [one.decision_function(ring) for one in (whole, dropping)]
    assert spearmanr(*scores).statistic > 0.99


def test_a_member_that_may_count_is_kept():
    y = np.repeat([1, 0], [40, 160])
    good = y + np.linspace(0, 1e-3, 200)
    noise = np.random.default_rng(0).permutation(200).astype(float)
    assert can_pay(y, good, good)
    assert not can_pay(y, noise, good)
    assert can_pay(y[36:], noise[36:], good[36:])  # four labeled rows tell little


def test_boosters_of_wide_tables_have_few_bins():
    team = lopsided.FocusedClassifier()._team
    boosters = ({one.name: one for one in team(300, n, 20)}["booster"] for n in (300, 301))
    bins = [booster.estimator.max_bin for booster in boosters]
    assert bins == [256, 32]


def test_importances_point_at_the_columns_that_matter(model):
    shares = model.feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert shares.argmax() == 0


def test_missing_values_categories_and_a_sparse_table():
    frame = pd.DataFrame(X.copy(), columns=list("abcd"))
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


def test_what_is_known_of_members_grows_with_the_labels():
    heads, shares = [], []
    for n_labeled in (1, 3, 5, 7):
        y = np.zeros(len(X), int)
        y[np.flatnonzero(TRUTH)[:n_labeled]] = 1
        model = fast().fit(X, y)
        shares.append(model.weights_.get("outliers", 0.0))
        scores = np.array([model.member_scores_[name] for name in ("bagged-trees", "logistic")])
        weights = np.array([model.weights_[name] for name in ("bagged-trees", "logistic")])
        judged = np.exp(4 * (scores - scores.max()))
        heads.append(abs(np.log(weights[0] / weights[1]) - np.log(judged[0] / judged[1])))
        assert np.isfinite(model.decision_function(X)).all()
    assert_allclose(shares, [0.05, 0.05 * 4 / 7, 0.05 * 2 / 7, 0.0])
    assert heads[0] > 0.1
    assert heads[-1] == pytest.approx(0, abs=1e-9)


def test_outliers_read_no_labels_and_stand_apart():
    from lopsided.methods._outliers import OutlierClassifier

    far = np.vstack([X, X[:5] * 20])
    y = np.zeros(len(far), int)
    one = OutlierClassifier(random_state=0).fit(far, y).decision_function(far)
    y[3:40] = 1
    other = OutlierClassifier(random_state=0).fit(far, y).decision_function(far)
    assert (one == other).all()
    assert one[-5:].min() > np.quantile(one, 0.97)


def test_a_reviewed_negative_pulls_rows_like_it_down():
    y = Y.copy()
    model = fast().fit(X, y)
    unlabeled = np.flatnonzero((Y == 0) & (TRUTH == 0))
    top = unlabeled[np.argsort(-model.oob_decision_function_[unlabeled])[:10]]
    y[top] = -1
    told = fast().fit(X, y)
    before = rankdata(model.oob_decision_function_)[top].mean()
    assert rankdata(told.oob_decision_function_)[top].mean() < before
    ignored = fast(reviewed_weight=1.0).fit(X, y)
    assert (
        rankdata(told.oob_decision_function_)[top].mean()
        < rankdata(ignored.oob_decision_function_)[top].mean()
    )


def test_positives_hide_in_unlabeled_rows_only_and_not_in_reviewed_ones():
    y = np.where((TRUTH == 0) & (np.arange(400) < 200), -1, Y)
    said = f"hidden among {(y == 0).sum()} unlabeled rows"
    assert said in fast(estimators="logistic").fit(X, y).describe()
    boosted = lopsided.build("nnpu-xgb", prior="auto", n_estimators=2, random_state=0)
    assert said in str(boosted.fit(X, y).prior_estimate_)
