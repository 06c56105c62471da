import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

import lopsided
from lopsided.methods._members import sharing_members
from lopsided.metrics import average_precision, pu_log_rank

FULL = ["bagged-trees", "extra-trees", "booster", "line", "neighbors"]


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


def test_it_is_a_method_of_the_registry_and_the_default_of_the_library():
    assert isinstance(lopsided.build("focused"), lopsided.FocusedClassifier)
    assert lopsided.list_methods()[0] == "focused"


def test_it_finds_the_hidden_positives(model):
    fresh, _, truth = make_table(n_rows=2000, seed=1)
    assert average_precision(truth, model.decision_function(fresh)) > 0.7


def test_members_weights_and_criteria_are_visible(model):
    assert list(model.members_) == list(model.weights_) == list(model.criterion_) == FULL
    assert sum(model.weights_.values()) == pytest.approx(1)
    for name, fitted in model.members_.items():
        assert model.criterion_[name] == pytest.approx(pu_log_rank(Y, fitted.unseen))
    ranked = sorted(FULL, key=model.criterion_.get)
    assert ranked == sorted(FULL, key=model.weights_.get)


def test_a_text_says_which_members_carry_the_table(model):
    lines = model.describe().splitlines()
    assert len(lines) == len(FULL)
    best = max(model.weights_, key=model.weights_.get)
    assert f"{100 * model.weights_[best]:.0f} %  {best}" in lines[0]


def test_scores_of_a_row_do_not_depend_on_the_others(model):
    at_once = model.decision_function(X[:60])
    one_by_one = [model.decision_function(X[[i]])[0] for i in range(60)]
    assert_allclose(one_by_one, at_once, rtol=0, atol=1e-9)
    assert_allclose(model.decision_function(X[:60][::-1])[::-1], at_once, rtol=0, atol=1e-9)


def test_scores_of_unseen_rows_are_not_those_of_rows_learned_by_heart(model):
    unseen, seen = model.oob_decision_function_, model.decision_function(X)
    assert seen[Y == 1].mean() > unseen[Y == 1].mean()
    assert np.isfinite(unseen).all()


def test_the_same_seed_gives_the_same_bytes_for_any_number_of_threads():
    one, two = (
        lopsided.FocusedClassifier(n_jobs=n_jobs, random_state=3).fit(X, Y) for n_jobs in (1, 2)
    )
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


def test_the_line_alone_goes_on_rising_beyond_the_training_range():
    # Bent columns end at three deviations; up to there the order is that of the line.
    alone = fast(members=["line"]).fit(X, Y)
    steps = np.zeros((50, 4))
    steps[:, 0] = np.linspace(-2.5, 2.5, 50)
    assert (np.diff(alone.decision_function(steps)) >= 0).all()


@pytest.mark.parametrize("weighing", ["equal", "best"])
def test_other_ways_to_weigh(weighing):
    model = fast(weighing=weighing).fit(X, Y)
    weights = sorted(model.weights_.values())
    assert weights == ([0.5, 0.5] if weighing == "equal" else [0.0, 1.0])
    if weighing == "best":
        best = max(model.criterion_, key=model.criterion_.get)
        assert model.weights_[best] == 1
        raw = model.members_[best].scores(X)
        assert (np.argsort(raw) == np.argsort(model.decision_function(X))).all()


def test_two_labeled_rows_are_enough_and_tell_nothing_about_members():
    y = np.zeros(len(X), int)
    y[np.flatnonzero(TRUTH)[:2]] = 1
    model = fast().fit(X, y)
    assert set(model.weights_.values()) == {0.5}
    assert np.isfinite(model.oob_decision_function_).all()


def test_neighbors_leave_as_tables_grow():
    roster = lopsided.FocusedClassifier()._roster
    assert [member.name for member in roster(10_000)] == FULL
    assert [member.name for member in roster(10_001)] == FULL[:-1]


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


def test_a_weight_of_zero_takes_a_row_out_of_the_line():
    weight = np.where(np.arange(len(Y)) % 4 == 0, 0.0, 1.0)
    weight[Y == 1] = 1.0
    model = fast(members=["line"]).fit(X, Y, sample_weight=weight)
    moved = X.copy()
    moved[weight == 0] += 7
    again = fast(members=["line"]).fit(moved, Y, sample_weight=weight)
    for one, other in zip(
        model.members_["line"].models, again.members_["line"].models, strict=True
    ):
        assert_allclose(one.classifier_.coef_, other.classifier_.coef_, atol=1e-6)


def test_it_survives_a_pickle(model):
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"members": ["boster"]}, "Did you mean booster"),
        ({"members": []}, "at least one member"),
        ({"weighing": "equals"}, "Did you mean equal"),
        ({"preset": "fats"}, "Did you mean fast"),
        ({"gamma": -1}, "gamma"),
    ],
)
def test_bad_settings_are_named(params, words):
    with pytest.raises(ValueError, match=words):
        lopsided.FocusedClassifier(**params).fit(X, Y)


def test_members_are_fitted_once_for_all_that_share_them():
    with sharing_members():
        first = fast().fit(X, Y)
        equal = fast(weighing="equal").fit(X, Y)
        part = fast(members=["line"]).fit(X, Y)
        other = fast().fit(X, 1 - Y)
    assert equal.members_["line"] is first.members_["line"] is part.members_["line"]
    assert other.members_["line"] is not first.members_["line"]
    assert fast().fit(X, Y).members_["line"] is not first.members_["line"]
    assert (
        part.decision_function(X) == fast(members=["line"]).fit(X, Y).decision_function(X)
    ).all()


def test_members_do_not_advise_on_settings_that_the_flagship_lacks():
    flat = np.zeros((60, 2))
    labels = np.repeat([1, 0], [5, 55])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        lopsided.FocusedClassifier(members=["booster", "line"]).fit(flat, labels)
    with pytest.warns(UserWarning, match="No split lowered the risk"):
        lopsided.build("focused-xgb", prior=0.2).fit(flat, labels)


def test_a_description_needs_a_fit():
    with pytest.raises(NotFittedError):
        lopsided.FocusedClassifier().describe()
