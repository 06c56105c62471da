"""Bad input gets one sentence: what was wanted, what came, what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import lopsided
from lopsided._validation import as_generator, require
from lopsided.calibration import fit_calibration, pu_log_loss
from lopsided.datasets import make_claims
from lopsided.diagnostics import find_leaks
from lopsided.exceptions import MissingExtraError
from lopsided.explain import explain
from lopsided.metrics import make_pu_scorer, pu_recall_at_k, pu_roc_auc, roc_auc
from lopsided.model_selection import (
    DelayedLabelClassifier,
    GroupTimeSeriesSplit,
    PUSearchCV,
    PUTimeSplit,
    compare,
    labels_as_of,
    out_of_fold_scores,
    rank_against,
)
from lopsided.priors import BBEPrior, Beta, estimate_prior
from lopsided.review import estimate_prior_after_reviews, review_propensity, review_weights
from lopsided.testing import contract_checks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.repeat([1, 0], [8, 32])
TEXT = pd.DataFrame({"city": pd.Categorical(["x", "y"] * 20)})


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
        (X, np.where(Y == 1, 1, -2), r"got \[-2, 1\]\. Write unknown rows as 0, and rev"),
        (X, np.where(Y == 1, 1, -1), r"unlabeled rows \(0\) too, got 8 lab.* 32 reviewed neg"),
        (X, np.where(Y == 1, 1, np.nan), r"got NaN\. Write unknown rows as 0"),
        (X, np.where(Y == 1, "yes", "no"), r"\['no', 'yes'\]\. Map your labels"),
        (X, np.zeros(40), r"at least one labeled positive \(1\), got none"),
        (X, np.ones(40), "unlabeled rows.*Add the unlabeled rows"),
        (X, Y[:-1], "same number of rows, got 40 and 39"),
        (X, np.column_stack([Y, Y]), "one column"),
        (X, Y.astype(complex), "Unknown label type"),
        (np.arange(40.0), Y, r"X must have rows and columns, got a 1D array\. Reshape your"),
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


@pytest.mark.parametrize("prior", [None, True, [0.1]])
def test_a_prior_that_is_no_number_is_refused(prior):
    model = lopsided.build("ifpu-xgb", n_estimators=2).set_params(prior=prior)
    with pytest.raises(ValueError, match="prior must be a number between 0 and 1 or 'auto'"):
        model.fit(X, Y)


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
    with pytest.raises(ValueError, match="wine-rare"):
        lopsided.datasets.load("wine-rarer")


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
@pytest.mark.filterwarnings("ignore:No split lowered the risk")
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


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, object])
def test_masked_cells_count_as_missing(kind):
    table = (10 * X).astype(kind)
    masked = np.ma.masked_where(np.abs(X) > 1, table)
    holes = np.where(np.abs(X) > 1, np.nan, table.astype(float))
    scores = [fit(cells).decision_function(cells) for cells in (masked, holes)]
    np.testing.assert_array_equal(*scores)
    ranks = [
        lopsided.rank_unlabeled(cells, Y, "naive-logistic", random_state=0)
        for cells in (masked, holes)
    ]
    np.testing.assert_array_equal(*ranks)
    assert (fit(table).decision_function(table) != scores[0]).any()
    unmasked = np.ma.masked_array(table)
    np.testing.assert_array_equal(
        *[fit(one).decision_function(one) for one in (unmasked, table)]
    )


def test_masked_labels_and_weights_are_refused():
    with pytest.raises(ValueError, match=r"got NaN\. Write unknown rows as 0"):
        fit(X, np.ma.masked_where(np.arange(40) % 9 == 0, Y))
    with pytest.raises(ValueError, match="NaN"):
        fit().fit(X, Y, sample_weight=np.ma.masked_where(Y == 1, np.ones(40)))


@pytest.mark.parametrize("folds", [float("nan"), 2.5, "5", True, 0])
def test_folds_are_a_whole_number(folds):
    with pytest.raises(ValueError, match="folds must be a whole number from 1, got"):
        lopsided.rank_unlabeled(X, Y, "naive-logistic", folds=folds)


@pytest.mark.parametrize("seed", [-1, 1.5, "a"])
def test_a_seed_is_a_whole_number(seed):
    message = r"random_state must be a whole number from 0.*got .*Pass a seed such as 0"
    for method in ("naive-forest", "naive-logistic", "ifpu-xgb"):
        with pytest.raises(ValueError, match=message):
            lopsided.build(method, random_state=seed).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        lopsided.rank_unlabeled(X, Y, "naive-logistic", random_state=seed)


@pytest.mark.parametrize("n_jobs", [0, "a", 1.5, True])
def test_a_number_of_threads_is_a_whole_number(n_jobs):
    message = r"n_jobs must be a whole number of threads.*got"
    for method in ("naive-forest", "naive-logistic", "spy", "focused-fast"):
        with pytest.raises(ValueError, match=message):
            lopsided.build(method, n_jobs=n_jobs).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        lopsided.rank_unlabeled(X, Y, "naive-logistic", n_jobs=n_jobs)


@pytest.mark.parametrize("method", [None, 3, Ridge(), LogisticRegression, ["focused"]])
def test_a_method_is_a_name_or_a_classifier(method):
    with pytest.raises(ValueError, match=r"method must be a name or a classifier.*got"):
        lopsided.rank_unlabeled(X, Y, method)


SCORES = X[:, 0]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"weight": [1, 2]}, r"weight must be one number per label \(40,\), got \(2,\)"),
        ({"weight": np.where(Y == 1, -1.0, 1.0)}, "weight must be numbers from 0, got -1"),
        ({"weight": 1 - Y}, "above 0 for some labeled row"),
        ({"weight": Y}, "above 0 for some unlabeled row"),
        ({"method": BBEPrior}, r"got the class BBEPrior\. Write BBEPrior\(\)"),
        ({"method": 3}, "must be a name or have estimate"),
        ({"method": "tice", "X": TEXT}, "must be numbers, got 'x'"),
        ({"method": "km2", "X": TEXT}, "must be numbers, got 'x'"),
        ({"method": "km2", "X": X[:-1]}, "X must be a table of 40 rows"),
        ({"scores": ["high"] * 40}, "scores must be numbers, got 'high'"),
    ],
)
def test_what_no_prior_can_be_estimated_from_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        estimate_prior(**{"y": Y, "scores": SCORES, "n_draws": 2, **params})


SCORES = np.arange(40.0)
TIMES = pd.DataFrame({"a": X[:, 0], "time": np.repeat([1, 2], 20), "known_since": 1})


def explained():
    return explain(lopsided.build("naive-logistic").fit(X, Y), X)


def search(grid):
    return PUSearchCV(lopsided.build("naive-logistic"), grid).fit(X, Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: roc_auc([[1], [0, 1]], [1, 2]),
            "y_true must be one column, got values of sev",
        ),
        (lambda: pu_roc_auc([10**400, 1], [1, 2]), "got Unknown label type"),
        (lambda: pu_roc_auc(np.where(Y, np.inf, 0), SCORES), r"got \[0, inf\]"),
        (lambda: pu_roc_auc(Y, SCORES + 1j), "scores must be numbers, got 1j"),
        (lambda: pu_roc_auc(Y, [10**400] * 40), "scores must be numbers, got 1000"),
        (
            lambda: pu_roc_auc(Y, SCORES, pd.Series([1.0, 2.0])),
            r"got Series\(\[1.0, 2.0\]\)",
        ),
        (
            lambda: pu_recall_at_k(Y, SCORES, np.eye(2)),
            r"k must be .*got ndarray\(\[\[1.0, 0.0\], ",
        ),
        (lambda: make_pu_scorer(3), "metric must be a function of y and scores or the name"),
        (lambda: pu_log_loss(Y, ["a"] * 40, 0.3), "proba must be numbers, got 'a'"),
        (
            lambda: pu_log_loss(Y, SCORES / 40, 0.3, sample_weight="a"),
            "sample_weight must be nu",
        ),
        (lambda: fit_calibration(["a"] * 40, Y, 0.3), "scores must be numbers, got 'a'"),
        (lambda: fit_calibration(SCORES, Y, 0.3, n_rows={}), "n_rows must be a number of rows"),
        (
            lambda: fit_calibration(SCORES, Y, 0.3, sample_weight=b"a"),
            "sample_weight must be nu",
        ),
        (lambda: find_leaks(3, Y), "X must be a table of rows and columns, got 3"),
        (lambda: Beta("a", [1]).log_density(0.5), "needs two positive numbers, got Beta"),
        (
            lambda: review_propensity(Y, ["a"] * 40, reviewed_top=3),
            "past_scores must be numbers",
        ),
        (lambda: review_weights(Y, "a"), "propensity must be numbers, got 'a'"),
        (
            lambda: review_weights(Y, SCORES / 40, label_frequency="a"),
            "label_frequency must be",
        ),
        (
            lambda: review_weights(Y, SCORES / 40, max_weight=[]),
            "max_weight must be at least 1",
        ),
        (
            lambda: estimate_prior_after_reviews(Y, 300 * Y, SCORES),
            r"y must hold 1.*got \[0, 300",
        ),
        (lambda: estimate_prior_after_reviews(Y, Y[1:], SCORES), "inconsistent numbers"),
        (lambda: labels_as_of(["a"], [1], 2), "y_true must hold 1"),
        (lambda: labels_as_of([1, 0], [1, 2], {}), "date be a number, or both dates, got list"),
        (lambda: labels_as_of([1, 0], [1, 2], np.nan), "date be a number.*and nan. Pass times"),
        (
            lambda: labels_as_of([1, 0], ["a", "b"], 2),
            "known_since must hold a number for each",
        ),
        (
            lambda: DelayedLabelClassifier(3).fit(TIMES, Y),
            "estimator must be a classifier, got 3",
        ),
        (
            lambda: DelayedLabelClassifier(LogisticRegression(), horizon="a").fit(TIMES, Y),
            "horizon must be a time to add to those of 'time', got 'a'",
        ),
        (
            lambda: next(GroupTimeSeriesSplit(3).split(Y, groups=Y)),
            "test_groups must be a list",
        ),
        (lambda: next(PUTimeSplit(2).split(Y[1:], Y)), "inconsistent numbers of samples"),
        (
            lambda: pu_roc_auc(Y, SCORES, scenario=np.array([1, 2])),
            r"No scenario is called ndarray\(\[1, 2",
        ),
        (lambda: out_of_fold_scores(0.5, X, Y), "estimator must be a classifier, got 0.5"),
        (
            lambda: compare(3, X, Y),
            "estimators must be names of methods .*got 3. Pass",
        ),
        (lambda: compare({"a": 1}, X, Y), "The estimator 'a' must be a classifier, got 1"),
        (lambda: next(contract_checks(None)), "method must be a classifier, got None"),
        (lambda: search(3), r"param_grid must be a dict .*got 3. Pass for example \{'C': "),
        (lambda: search({"D": [1]}), "No parameter of NaiveLogisticClassifier is called 'D'"),
        (lambda: search({"C": 1}), "must hold a list of values of C, got 1. Pass for example"),
        (lambda: search({"C": ["a"]}), "must hold a candidate that can be fitted, got none: "),
        (lambda: make_claims(60, first_day="soon"), "first_day must be a day .*got 'soon'"),
        (lambda: explained().grouped(None), "sources must name one column for each of 3 feat"),
        (lambda: explained().centered([1]), r"typical must be one number .*got shape \(1,\)"),
        (
            lambda: lopsided.losses.FocalLoss(1e308).check(),
            "gamma must be .* at most 1e.06, got",
        ),
        (lambda: lopsided.risks.nnpu(clamp=TEXT).check(), r"clamp must be ClipAtZero\(\), Gra"),
        (lambda: rank_against([], [1]), r"reference must be a row of scores, got shape \(0,\)"),
        (lambda: rank_against([1], ["a"]), "scores must be numbers, got 'a'"),
        (
            lambda: rank_against([1, 2], [1], [1]),
            r"weights must be .* of 2 .* got shape \(1,\)",
        ),
        (
            lambda: rank_against([1, 2], [1], [0, 0]),
            "weights must be numbers from 0.*a sum of 0",
        ),
        (lambda: lopsided.risks.ifpu(target_prior={}).check(), "target_prior must lie between"),
        (
            lambda: lopsided.risks.PURisk(
                lopsided.losses.FocalLoss(), reviewed_weight="a"
            ).check(),
            "reviewed_weight must be at least 1, got 'a'",
        ),
    ],
)
def test_what_no_number_can_be_made_of_is_refused_in_one_sentence(call, message):
    with pytest.raises(ValueError, match=message) as refusal:
        call()
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400
