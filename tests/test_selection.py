"""Out-of-fold scores, search and comparison."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import loguniform, rankdata, spearmanr
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import lopsided
from lopsided import metrics
from lopsided.exceptions import PriorWarning
from lopsided.labeling import SCAR
from lopsided.methods.base import PUClassifier
from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.metrics import make_pu_scorer, pu_damped_log_rank
from lopsided.metrics.named import OF_ALL_ROWS, bind_prior
from lopsided.model_selection import (
    PUGroupKFold,
    PUSearchCV,
    PUStratifiedKFold,
    PUTimeSplit,
    compare,
    out_of_fold_scores,
    rank_against,
)
from lopsided.model_selection.comparison import LabeledPlaces
from lopsided.model_selection.search import rank_by_complexity
from lopsided.priors import PriorEstimate, estimate_prior
from lopsided.ranking import rank_unlabeled

RNG = np.random.default_rng(0)
TRUTH = np.repeat([1, 0], [60, 440])
X = RNG.normal(size=(500, 4)) + 1.2 * TRUTH[:, None] * [1, 1, 0, 0]
Y = SCAR(0.5).draw(X, TRUTH, 0)
LOGISTIC = LogisticRegression()
SMALL_FOREST = lopsided.build("naive-forest", n_estimators=60)


class Column(ClassifierMixin, BaseEstimator):
    """Scores by a column, moved by a constant of its own in each fit."""

    def __init__(self, column=0, slope=1.0, random_state=None):
        self.column = column
        self.slope = slope
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.shift_ = 100 * np.random.default_rng(self.random_state).random()
        return self

    def decision_function(self, X):
        return self.shift_ + self.slope * np.asarray(X)[:, self.column]

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


class Notes(list):
    """One list for an estimator and all its copies."""

    def __deepcopy__(self, memo):
        return self


class Noted(PUClassifier):
    """Scores by a column, and notes what it is fitted on."""

    def __init__(self, column=0, prior=0.2, seen=None):
        self.column = column
        self.prior = prior
        self.seen = seen

    def _fit(self, rows, rng):
        if self.seen is not None:
            self.seen.append((rows, self.prior_))

    def _scores(self, X):
        return X[:, self.column]


# The criterion


@pytest.mark.parametrize("prior", [0.05, 0.3, None])
def test_the_damped_log_rank_is_0_at_the_end_and_the_log_rank_without_damping(prior):
    y = np.repeat([0, 1], [200, 2])
    scores = -np.arange(202.0)
    assert pu_damped_log_rank(y, scores, prior) == pytest.approx(0, abs=0.01)
    best = pu_damped_log_rank(y, -scores, prior)
    swapped = pu_damped_log_rank(y, np.append(scores[:-2], [1.0, 2.0]), prior)
    assert best == pytest.approx(swapped)
    assert pu_damped_log_rank(y, -scores, 1e-12) == pytest.approx(
        metrics.pu_mean_log_rank(y, -scores)
    )


def test_the_damped_log_rank_of_labeled_rows_is_that_of_all_positives_on_average():
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [40, 760])
    scores = rng.normal(size=800) + 1.5 * truth
    values = [
        pu_damped_log_rank(SCAR(0.5).draw(scores[:, None], truth, draw), scores, 0.05)
        for draw in range(400)
    ]
    error = np.std(values) / np.sqrt(400)
    assert abs(np.mean(values) - pu_damped_log_rank(truth, scores, 0.05)) < 3 * error


# Out-of-fold scores


def test_scores_of_folds_compare_though_each_model_has_a_scale_of_its_own():
    scores = out_of_fold_scores(Column(), X, Y, random_state=0)
    assert spearmanr(scores, X[:, 0]).statistic > 0.999
    assert scores.min() > -0.01
    assert scores.max() < 1.01


def test_each_row_is_scored_by_a_model_of_the_other_folds():
    cv = PUStratifiedKFold(4, shuffle=True, random_state=1)
    scores = out_of_fold_scores(LOGISTIC, X, Y, cv=cv)
    for train, test in cv.split(X, Y):
        model = clone(LOGISTIC).fit(X[train], Y[train])
        placed = rank_against(
            model.decision_function(X[train]), model.decision_function(X[test])
        )
        assert_allclose(scores[test], placed, atol=2 / 500)  # labeled rows are weighted
        assert_array_equal(scores[test].argsort(), placed.argsort())


def test_forests_and_the_flagship_need_a_single_fit():
    scores = out_of_fold_scores(SMALL_FOREST, X, Y, random_state=0)
    seed = int(np.random.default_rng(0).integers(2**31))
    fitted = clone(SMALL_FOREST).set_params(oob_score=True, random_state=seed).fit(X, Y)
    assert_array_equal(scores, fitted.oob_decision_function_)
    folded = out_of_fold_scores(SMALL_FOREST, X, Y, cv=5, random_state=0)
    assert spearmanr(scores, folded).statistic > 0.5
    assert metrics.pu_roc_auc(Y, folded) > 0.7


def test_a_seed_that_an_estimator_has_is_kept_and_one_that_it_lacks_is_drawn():
    splits = list(PUStratifiedKFold(3).split(X, Y))
    few = lopsided.build("naive-forest", n_estimators=5)

    def blind(model, seed):
        return out_of_fold_scores(model, X, Y, cv=splits, random_state=seed)

    def compared(model, seed):
        return compare({"own": model}, X, Y, cv=splits, random_state=seed).scores["own"]

    def ranked(model, seed):
        return rank_unlabeled(X, Y, model, cv=splits, random_state=seed)

    for score in (blind, compared, ranked):
        own = clone(few).set_params(random_state=0)
        assert_array_equal(score(own, 1), score(own, 2))
        assert_array_equal(score(few, 1), score(few, 1))
        assert not np.array_equal(score(few, 1), score(few, 2), equal_nan=True)
    own = clone(SMALL_FOREST).set_params(random_state=0, oob_score=True).fit(X, Y)
    assert_array_equal(out_of_fold_scores(own, X, Y), own.oob_decision_function_)


def test_a_seed_gives_the_same_scores_for_any_number_of_threads_and_kind_of_table():
    model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression())
    wanted = out_of_fold_scores(model, X, Y, random_state=3)
    for table, n_jobs in (
        (X, 2),
        (pd.DataFrame(X), None),
        (csr_array(X), None),
        (X.tolist(), 1),
    ):
        found = out_of_fold_scores(model, table, Y, random_state=3, n_jobs=n_jobs)
        assert_allclose(found, wanted, atol=1e-6)


def test_groups_are_left_out_whole_and_rows_that_are_never_tested_on_have_no_score():
    groups = np.arange(500) % 50
    scores = out_of_fold_scores(LOGISTIC, X, Y, groups=groups, random_state=0)
    assert np.isfinite(scores).all()
    days = RNG.permutation(500)
    scores = out_of_fold_scores(LOGISTIC, X, Y, cv=PUTimeSplit(3, time=days))
    first = days < days[~np.isnan(scores)].min()
    assert_array_equal(np.isnan(scores), first)


def test_the_mean_is_taken_of_rows_that_are_tested_on_twice():
    splits = list(PUStratifiedKFold(3).split(X, Y))
    once = out_of_fold_scores(Column(), X, Y, cv=splits, random_state=0)
    twice = out_of_fold_scores(Column(), X, Y, cv=splits + splits, random_state=0)
    assert_allclose(once, twice, atol=1e-9)


def test_few_labeled_rows_get_fewer_folds():
    y = np.zeros(500, int)
    y[:3] = 1
    assert np.isfinite(out_of_fold_scores(LOGISTIC, X, y, random_state=0)).all()


def test_folds_are_as_many_as_groups_with_labels_at_most():
    groups = np.where(Y == 1, np.arange(500) % 3, np.arange(500))
    assert np.isfinite(out_of_fold_scores(LOGISTIC, X, Y, groups=groups, random_state=0)).all()


def test_constant_scores_are_warned_of_by_name():
    with pytest.warns(UserWarning, match="DummyClassifier"):
        out_of_fold_scores(DummyClassifier(), X, Y, random_state=0)


@pytest.mark.parametrize("prior", [0.12, "auto"])
def test_the_prior_of_parts_is_that_of_the_table(prior):
    model = lopsided.build("ifpu-xgb", n_estimators=5, prior=prior)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = out_of_fold_scores(model, X, Y, random_state=0)
    assert len(caught) <= (prior == "auto")  # said once, where it is but a guess
    assert metrics.pu_roc_auc(Y, scores) > 0.6


# Search


def test_the_search_scores_as_scikit_learns_does_on_the_same_folds():
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    grid = {"C": [0.01, 1.0], "fit_intercept": [True, False]}

    def score(estimator, X, y):
        return metrics.pu_mean_log_rank(y, estimator.decision_function(X))

    scorer = metrics.pu_mean_log_rank_scorer
    ours = PUSearchCV(LOGISTIC, grid, cv=cv, scoring=scorer, n_standard_errors=0).fit(X, Y)
    theirs = GridSearchCV(LOGISTIC, grid, cv=cv, scoring=score).fit(X, Y)
    for name in ("mean_test_score", "std_test_score", "split2_test_score"):
        assert_allclose(ours.cv_results_[name], theirs.cv_results_[name])
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == theirs.best_score_
    assert_allclose(
        ours.cv_results_["std_error_test_score"],
        theirs.cv_results_["std_test_score"] / np.sqrt(3),
    )
    assert_array_equal(ours.decision_function(X), theirs.decision_function(X))
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.score(X, Y) == score(theirs, X, Y)
    assert ours.classes_.tolist() == [0, 1]
    assert ours.n_features_in_ == 4


def test_the_simplest_candidate_within_a_standard_error_is_chosen():
    grid = {"max_depth": [None, 3, 1, 2], "min_samples_leaf": [1, 20]}
    search = PUSearchCV(DecisionTreeClassifier(random_state=0), grid, random_state=0).fit(X, Y)
    found = pd.DataFrame(search.cv_results_)
    top = found["mean_test_score"].idxmax()
    least = found["mean_test_score"][top] - found["std_error_test_score"][top]
    near = found[(found["mean_test_score"] >= least) & ~found["constant"]]
    assert found["within_standard_error"].sum() == len(near) > 1
    chosen = near["complexity"] == near["complexity"].min()
    assert search.best_index_ == near[chosen]["mean_test_score"].idxmax()
    highest = clone(search).set_params(n_standard_errors=0).fit(X, Y)
    assert highest.best_index_ == found["mean_test_score"].where(~found["constant"]).idxmax()


def test_what_is_simple_can_be_said_in_three_ways():
    candidates = [
        {"max_depth": 2, "tree__reg_lambda": 1.0, "kind": "a"},
        {"max_depth": None, "tree__reg_lambda": 10.0, "kind": "b"},
        {"max_depth": 2, "tree__reg_lambda": 10.0, "kind": "a"},
    ]
    assert rank_by_complexity(candidates).tolist() == [1, 1, 0]
    by_name = rank_by_complexity(candidates, ["-tree__reg_lambda", "max_depth"])
    assert by_name.tolist() == [2, 1, 0]
    assert rank_by_complexity(candidates, "max_depth").tolist() == [0, 1, 0]
    by_hand = rank_by_complexity(candidates, lambda params: params["kind"] == "a")
    assert by_hand.tolist() == [1, 0, 1]
    assert rank_by_complexity([{"kind": "a"}, {"kind": "b"}]).tolist() == [0, 0]
    layers = [{"hidden_layer_sizes": (50, 50)}, {"hidden_layer_sizes": (20,)}]
    assert rank_by_complexity(layers).tolist() == [1, 0]


@pytest.mark.parametrize("scoring", [None, *map(make_pu_scorer, OF_ALL_ROWS), "roc_auc"])
def test_a_candidate_with_constant_scores_never_wins(scoring):
    # Against the order of the labels a constant is far better.
    against = Column(column=0, slope=-1.0)
    search = PUSearchCV(against, {"slope": [0.0, -1.0]}, scoring=scoring, random_state=0)
    search.fit(X, Y)
    assert search.best_params_ == {"slope": -1.0}
    assert search.cv_results_["constant"].tolist() == [True, False]
    assert search.cv_results_["mean_test_score"].argmax() == 0
    with pytest.raises(ValueError, match="candidate"):
        PUSearchCV(against, {"slope": [0.0]}).fit(X, Y)


def test_candidates_can_be_drawn_and_a_seed_draws_the_same():
    searches = [
        PUSearchCV(LOGISTIC, {"C": loguniform(0.01, 10)}, n_iter=4, random_state=7).fit(X, Y)
        for _ in range(2)
    ]
    drawn = [search.cv_results_["param_C"].tolist() for search in searches]
    assert len(set(drawn[0])) == 4
    assert drawn[0] == drawn[1]
    assert searches[0].best_params_ == searches[1].best_params_


def test_the_search_keeps_groups_apart_and_two_labeled_rows_in_each_fold():
    groups = np.arange(500) % 25
    search = PUSearchCV(LOGISTIC, {"C": [0.1, 1.0]}, random_state=0)
    assert search.fit(X, Y, groups).n_splits_ == 5
    y = np.zeros(500, int)
    y[:7] = 1
    assert search.fit(X, y).n_splits_ == 3


def same_partition(one, other):
    return len({*zip(one, other, strict=True)}) == len(set(one)) == len(set(other))


def test_a_search_hands_groups_to_the_fit_of_a_method_and_of_what_wraps_one():
    groups = np.arange(500) % 25
    table = np.column_stack([X, groups])
    for wrap, column in (
        (lambda model: model, "column"),
        (lambda model: PUSearchCV(model, {"column": [0]}, cv=2), "estimator__column"),
    ):
        seen = Notes()
        search = PUSearchCV(wrap(Noted(seen=seen)), {column: [0, 1]}, cv=3, random_state=0)
        search.fit(table, Y, groups)
        assert len(seen) >= 7
        for rows, _ in seen:
            assert same_partition(rows.X[:, -1], rows.groups)
    assert PUSearchCV(LOGISTIC, {"C": [1.0]}).fit(table, Y, groups).n_splits_ == 5


def test_a_search_hands_groups_to_a_pipeline_that_asks_for_them():
    groups, weight, seen = np.arange(500) % 25, 1.0 + np.arange(500) % 25, Notes()
    table = np.column_stack([X, groups])
    with config_context(enable_metadata_routing=True):
        asks = Noted(seen=seen).set_fit_request(groups=True, sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asks)
        search = PUSearchCV(pipeline, {"noted__column": [0, 1]}, cv=3, random_state=0)
        search.fit(table, Y, groups, sample_weight=weight)
    assert len(seen) == 7
    for rows, _ in seen:
        assert same_partition(rows.X[:, -1], rows.groups)
        assert same_partition(rows.weight, rows.groups)


@pytest.mark.filterwarnings("ignore:The scoring .* does not support")  # scikit-learn's
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("given", [0.2, PriorEstimate(0.2, 0.1, 0.3, 0.9, True, 1.0, "", "")])
def test_each_part_of_a_search_has_the_prior_of_its_own_rows(given, weighted):
    weight = np.where(np.arange(500) % 3, 1.0, 2.0) if weighted else np.ones(500)
    labels = np.where((Y == 0) & (X[:, 2] > 1), -1, Y)
    splits = list(PUTimeSplit(3, time=np.arange(500)).split(X, Y))  # labels are early
    seen = Notes()
    search = PUSearchCV(Noted(prior=given, seen=seen), {"column": [0, 1]}, cv=splits)
    search.set_params(scoring=lambda model, X, y: 0.0)
    search.fit(X, labels, **({"sample_weight": weight} if weighted else {}))
    share = [weight[labels == kind].sum() / weight.sum() for kind in (1, 0)]
    hidden_rate = (0.2 - share[0]) / share[1]
    *parts, (_, whole) = seen
    assert whole == 0.2
    assert search.best_estimator_.prior is given or search.best_estimator_.prior == given
    for rows, prior in parts:
        positive = np.where(rows.y == 1, 1.0, rows.unlabeled * hidden_rate)
        assert_allclose(prior, np.average(positive, weights=rows.weight))
    assert len({round(prior, 6) for _, prior in parts}) == len(splits)


def test_a_searched_prior_is_that_of_the_whole_table_for_each_candidate():
    seen, splits = Notes(), list(PUTimeSplit(2, time=np.arange(500)).split(X, Y))
    search = PUSearchCV(Noted(seen=seen), {"prior": [0.1, 0.3]}, cv=splits)
    search.set_params(scoring=lambda model, X, y: model.prior).fit(X, Y)
    assert search.best_params_ == {"prior": 0.3}
    assert search.best_estimator_.prior == 0.3
    low, high = (np.array([prior for _, prior in seen[at : at + 2]]) for at in (0, 2))
    assert (low < high).all()


def test_a_search_passes_over_what_has_no_score_in_a_fold():
    def fail_once(model, X, y):
        if X[:, 0].max() < 99:
            return 1.0
        raise ValueError("No score goes that far.")

    rows = np.r_[[[99.0, 0.0]], X[1:60, :2]]
    y = np.repeat([1, 0], [8, 52])
    search = PUSearchCV(LOGISTIC, {"C": [0.1, 1.0]}, scoring=fail_once, random_state=0)
    with (
        pytest.warns(UserWarning, match="No score goes that far"),
        pytest.raises(ValueError, match="2"),
    ):
        search.fit(rows, y)


def test_a_fold_without_unlabeled_rows_is_judged_by_its_reviewed_ones():
    y = np.where(np.arange(60) % 2, -1, 0)
    y[:8] = 1
    all_decided = [(np.r_[:4, 8:60], np.r_[4:8, 9:19:2]), (np.r_[4:60], np.r_[:4, 8:20])]
    search = PUSearchCV(NaiveLogisticClassifier(), {"C": [0.1, 1.0]}, cv=all_decided)
    train, test = all_decided[0]
    model = NaiveLogisticClassifier(C=1.0).fit(X[train], y[train])
    wanted = pu_damped_log_rank(np.maximum(y[test], 0), model.decision_function(X[test]))
    assert search.fit(X[:60], y).cv_results_["split0_test_score"][1] == pytest.approx(wanted)


def test_a_search_is_an_estimator_that_can_be_stored():
    search = PUSearchCV(LOGISTIC, {"C": [0.1, 1.0]}, random_state=0)
    scorer = make_pu_scorer("pu_average_precision", prior=0.12)
    search.set_params(scoring=scorer, cv=3).fit(X, Y)
    copy = pickle.loads(pickle.dumps(search))
    assert_array_equal(copy.decision_function(X), search.decision_function(X))


# Comparison


@pytest.mark.parametrize("prior", [None, 0.3])
@pytest.mark.parametrize("digits", [0, 5])
def test_redrawn_metrics_are_those_of_tables_with_the_drawn_rows(prior, digits):
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [8, 52])
    scores = np.round(rng.normal(size=60) + y, digits)  # with ties and without
    counts = rng.multinomial(8, np.full(8, 1 / 8), size=5)
    for metric in OF_ALL_ROWS:
        found = LabeledPlaces(y, scores).draw(metric, counts, prior)
        for value, count in zip(found, counts, strict=True):
            rows = np.concatenate([np.repeat(np.arange(8), count), np.arange(8, 60)])
            slow = bind_prior(metric, prior)(y[rows], scores[rows])
            assert value == pytest.approx(slow)


def test_the_table_has_the_baseline_and_differences_to_it():
    models = {"good": Column(0), "bad": Column(2), "line": "naive-logistic"}
    found = compare(models, X, Y, cv=3, random_state=0)
    table = found.table
    assert set(table.index) == {"good", "bad", "line", "naive-xgb"}
    assert found.best == table["pu_damped_log_rank"].idxmax() == table.index[0]
    assert table.loc["naive-xgb", ["baseline", "baseline_low", "baseline_high"]].eq(0).all()
    assert table.loc[found.best, ["best", "best_low", "best_high"]].eq(0).all()
    expected = table["pu_damped_log_rank"] - table.loc["naive-xgb", "pu_damped_log_rank"]
    assert_allclose(table["baseline"], expected)
    assert (table["baseline_low"] <= table["baseline"]).all()
    assert table.loc["bad", "best_high"] < 0  # a column of noise is told from the best
    for label, scores in found.scores.items():
        assert metrics.pu_roc_auc(Y, scores) == table.loc[label, "pu_roc_auc"]
    assert "bad" not in found.tied
    assert found.best in str(found)


def test_a_method_has_the_same_scores_whoever_it_is_compared_with():
    one = compare(["naive-logistic"], X, Y, cv=3, random_state=0)
    two = compare({"other": Column(1), "naive-logistic": LOGISTIC}, X, Y, cv=3, random_state=0)
    assert_array_equal(one.scores["naive-xgb"], two.scores["naive-xgb"])


def test_the_prior_reaches_metrics_and_methods():
    found = compare({"a": "ifpu-xgb"}, X, Y, cv=3, prior=0.12, random_state=0)
    for label, scores in found.scores.items():
        wanted = metrics.pu_average_precision(Y, scores, 0.12)
        assert found.table.loc[label, "pu_average_precision"] == wanted


def test_intervals_of_differences_cover_the_difference_of_many_labels():
    """Two fixed scorers, SCAR: the interval is to cover what all positives would say."""
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 0], [150, 1350])
    scores = rng.normal(size=(2, 1500)) + truth * np.array([[1.5], [1.0]])
    outranked = [np.searchsorted(np.sort(one[truth == 0]), one[truth == 1]) for one in scores]
    wanted = np.subtract(*outranked).mean() / 1350
    covered = 0
    for draw in range(150):
        y = SCAR(0.6).draw(scores.T, truth, draw)
        counts = rng.multinomial(60, np.full(60, 1 / 60), size=200)
        counts[0] = 1
        drawn = [LabeledPlaces(y, one).draw("pu_roc_auc", counts, 0.1) for one in scores]
        spread = np.subtract(*drawn)
        low, high = spread[0] + np.quantile(spread[1:] - spread[1:].mean(), [0.05, 0.95])
        covered += low <= wanted <= high
    assert 0.85 <= covered / 150 <= 1.0


def test_a_comparison_takes_an_estimate_and_auto_for_none():
    given = {"cv": 3, "n_draws": 10, "random_state": 0}
    prior = estimate_prior(Y, X[:, 0])
    for one, same in ((prior, prior.value), ("auto", None)):
        left, right = (compare({"line": LOGISTIC}, X, Y, prior=p, **given) for p in (one, same))
        names = list(OF_ALL_ROWS)
        assert_allclose(left.table[names], right.table[names])


def test_groups_are_kept_apart_in_a_comparison():
    groups = np.arange(500) % 25
    found = compare({"line": LOGISTIC}, X, Y, groups=groups, cv=PUGroupKFold(3), random_state=0)
    for train, test in PUGroupKFold(3).split(X, Y, groups):
        scores = clone(LOGISTIC).fit(X[train], Y[train]).decision_function(X[test])
        assert_allclose(found.scores["line"][test], (rankdata(scores) - 0.5) / len(test))


def test_a_search_hands_reviewed_negatives_to_methods_and_two_classes_to_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.where(np.arange(200) % 8 == 0, 1, np.where(np.arange(200) % 8 == 1, -1, 0))
    met = []

    class Method(NaiveLogisticClassifier):
        def fit(self, X, y, sample_weight=None, groups=None):
            met.append(set(np.unique(y)))
            return super().fit(X, y, sample_weight, groups)

    PUSearchCV(Method(), {"C": [0.1, 1.0]}, cv=2, random_state=0).fit(X, y)
    assert met
    assert all(labels == {-1, 0, 1} for labels in met)
    search = PUSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2, random_state=0)
    assert list(search.fit(X, y).classes_) == [0, 1]


def test_a_prior_below_the_labeled_share_is_raised_before_any_fit():
    X = np.random.default_rng(0).normal(size=(120, 2))
    y = (np.arange(120) < 24).astype(int)
    with pytest.warns(PriorWarning, match="prior|share"):
        found = compare(["naive-logistic"], X, y, cv=3, prior=0.05, random_state=0)
    assert np.isfinite(found.table["pu_roc_auc"]).all()


def test_rows_that_are_judged_may_hold_more_labeled_ones_than_the_prior():
    X = np.random.default_rng(0).normal(size=(120, 2))
    X[:6] += 4
    y = np.isin(np.arange(120), [*range(6), *range(60, 120, 3)]).astype(int)
    cv = [(np.arange(60), np.arange(60, 120))]
    found = compare(["naive-logistic"], X, y, cv=cv, prior=0.23, random_state=0)
    assert np.isfinite(found.table["pu_average_precision"]).all()
