"""Bad input gets one sentence: what was wanted, what came, what to do."""

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided._check import as_generator, require
from lopsided.exceptions import MissingExtraError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.repeat([1, 0], [8, 32])


def fit(table=X, labels=Y, **params):
    return lopsided.build("ifpu-xgb", n_estimators=2, **{"prior": 0.3, **params}).fit(
        table, labels
    )


@pytest.mark.parametrize(
    ("table", "labels", "message"),
    [
        (np.empty((0, 3)), np.empty(0), "0 sample"),
        (pd.DataFrame({"a": []}), [], "0 sample"),
        (np.empty((40, 0)), Y, "0 feature"),
        (pd.DataFrame({"city": ["x", "y"] * 20}), Y, "text in column 'city'.*astype"),
        (pd.DataFrame({"day": pd.date_range("2024", periods=40)}), Y, "dates in column 'day'"),
        (np.array([["x"], ["y"]] * 20), Y, "could not convert string to float|text"),
        (np.where(X > 2, np.inf, X), Y, "infinity"),
        (np.where(X > 2, 1e39, X), Y, "below 3.4e38"),
        (X, np.where(Y == 1, 2, 0), r"y must hold 1 \(labeled positive\) and 0.*got \[0, 2\]"),
        (X, np.where(Y == 1, 1, -1), r"got \[-1, 1\]\. Write unknown rows as 0"),
        (X, np.where(Y == 1, 1, np.nan), r"got NaN\. Write unknown rows as 0"),
        (X, np.where(Y == 1, "yes", "no"), r"\['no', 'yes'\]\. Map your labels"),
        (X, np.zeros(40), "at least two labeled positives.*got none"),
        (X, np.arange(40) == 0, "at least two labeled positives.*got one"),
        (X, np.ones(40), "unlabeled rows.*Add the unlabeled rows"),
        (X, Y[:-1], "same number of rows, got 40 and 39"),
        (X, np.column_stack([Y, Y]), "one column"),
        (X, Y.astype(complex), "Unknown label type"),
        (np.arange(40.0), Y, r"X must have rows and columns\. Reshape your data"),
        (X.astype(complex), Y, "Complex data not supported: X must hold real numbers"),
        (pd.DataFrame(X.astype(complex)), Y, "Complex data not supported: X must hold real"),
        (X, ["x" * 10**5, "y"] * 20, r"\['x{57}\.\.\.', 'y'\]"),
        (pd.DataFrame(X, columns=["a", "b", "a"]), Y, "names of their own, got 'a' twice"),
        (X, None, "y"),
    ],
)
def test_bad_tables_and_labels_are_refused_in_one_sentence(table, labels, message):
    with pytest.raises(ValueError, match=message):
        fit(table, labels)


@pytest.mark.parametrize("prior", [0, 1, -0.5, 1.5])
def test_a_prior_outside_zero_and_one_is_refused(prior):
    with pytest.raises(ValueError, match="prior must lie between 0 and 1, both excluded"):
        fit(prior=prior)


@pytest.mark.parametrize("prior", ["high", True, [0.1]])
def test_a_prior_that_is_no_number_is_refused(prior):
    with pytest.raises(ValueError, match="prior must be a number between 0 and 1 or None"):
        fit(prior=prior)


def test_columns_must_be_those_of_the_fit():
    frame = pd.DataFrame(X, columns=list("abc"))
    model = fit(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.decision_function(frame[["a", "b"]])
    with pytest.raises(ValueError, match="expecting 3 features"):
        fit().decision_function(X[:, :2])


def test_a_model_of_categories_wants_a_frame():
    frame = pd.DataFrame({"kind": pd.Categorical(["x", "y"] * 20), "a": X[:, 0]})
    with pytest.raises(ValueError, match="Pass a data frame"):
        fit(frame).decision_function(X[:, :2])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(39), "sample_weight"),
        (-np.ones(40), "[Nn]egative"),
        (np.where(Y == 1, 0, 1), "some labeled rows"),
        (np.where(Y == 0, 0, 1), "some unlabeled rows"),
        (np.full(40, np.nan), "NaN"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        lopsided.build("naive-xgb").fit(X, Y, sample_weight=weight)


def test_unknown_data_sets_are_refused_with_the_nearest_names():
    with pytest.raises(ValueError, match="Did you mean cardio"):
        lopsided.datasets.load("cardioo")


def test_a_missing_extra_names_the_line_to_type(monkeypatch):
    with pytest.raises(MissingExtraError, match="pip install 'no_such_package'"):
        require("no_such_package.part")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lopsided\[nets\]'"):
        require("torch")


@pytest.mark.parametrize("state", [None, 0, np.random.RandomState(0), np.random.default_rng(0)])
def test_every_kind_of_seed_becomes_a_generator(state):
    assert isinstance(as_generator(state), np.random.Generator)


def test_new_rows_with_a_name_twice_are_refused():
    model = fit(pd.DataFrame(X, columns=list("abc")))
    with pytest.raises(ValueError, match="names of their own, got 'a' twice"):
        model.decision_function(pd.DataFrame(X, columns=["a", "b", "a"]))


@pytest.mark.parametrize("method", ["naive-xgb", "naive-forest", "naive-logistic", "spy"])
@pytest.mark.parametrize("weight", [1e300, 1e-300, np.where(Y == 1, 1e-200, 1e200)])
def test_weights_beyond_all_sums_are_refused(method, weight):
    with pytest.raises(ValueError, match=r"between 1e-30 and 1e30, got .*Rescale them"):
        lopsided.build(method).fit(X, Y, sample_weight=np.broadcast_to(weight, 40))


@pytest.mark.parametrize("method", ["naive-xgb", "naive-forest", "naive-logistic", "spy"])
def test_weights_that_fade_to_nothing_count_as_nothing(method):
    faded = np.exp(-np.arange(40.0)[::-1] * 5)
    faded[Y == 1] = 1
    scores = [
        lopsided.build(method, random_state=0).fit(X, Y, weight).decision_function(X)
        for weight in (faded, np.where(faded < 1e-30, 0, faded))
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("table", [None, {"a": 1}, [[1, 2], [3]], 7])
def test_what_is_no_table_is_not_ranked(table):
    with pytest.raises(ValueError, match="X must be a table of rows and columns, got"):
        lopsided.rank_unlabeled(table, Y, "naive-logistic")


def test_columns_without_names_of_text_must_keep_their_order():
    frame = pd.DataFrame({0: pd.Categorical(list("abcd") * 10), 1: X[:, 0]})
    model = fit(frame)
    with pytest.raises(ValueError, match=r"categories in the columns \(0,\).*another order"):
        model.decision_function(frame[[1, 0]])


def test_the_largest_numbers_are_checked_without_a_warning():
    huge = np.where(X > 0, 1.7e308, -1.7e308)
    lopsided.build("puet", n_estimators=2, prior=0.3).fit(huge, Y)
