import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.stats import spearmanr
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import lopsided
from lopsided._math import sigmoid
from lopsided._validation import require
from lopsided.calibration import PUCalibratedClassifier
from lopsided.exceptions import MissingExtraError
from lopsided.explain import Explanation, explain
from lopsided.methods._learners import log_odds_of
from lopsided.methods.registry import METHODS, build, get_method

RNG = np.random.default_rng(0)
N_ROWS = 160
X = RNG.normal(size=(N_ROWS, 4)).round(3)
Y = np.zeros(N_ROWS, int)
Y[:16] = 1
X[:30, 0] += 3  # half of the positives are labeled
MEMBERS = [
    *("bagged-trees", "undersampled-trees", "entropy-trees", "extra-trees"),
    *("booster", "logistic", "logistic-standardized", "knn", "outliers"),
]
EXACT = ["focused-fast", "focused-xgb", "naive-forest", "naive-logistic", "sarem", "nnif"]


def make_frame():
    """The table with names, gaps and a category that tells something; a copy, for pandas 2."""
    frame = pd.DataFrame(X.copy(), columns=["size", "age", "rate", "noise"])
    frame.loc[::7, "age"] = np.nan
    kinds = np.where(np.arange(N_ROWS) % 3, "usual", np.where(X[:, 0] > 2, "odd", "rare"))
    frame["kind"] = pd.Categorical(kinds)
    frame.loc[5::11, "kind"] = None
    return frame


def fit(model, table=X, y=Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(table, y)


def quick(name, **params):
    method = get_method(name)
    try:
        for package in method.needs:
            require(package)
    except MissingExtraError as error:
        pytest.skip(str(error))
    return build(name, random_state=0, **{**method.quick, **params})


def fit_members(*names, table=X, y=Y):
    params = {"preset": "fast", "prior": 0.9, "random_state": 0}
    model = lopsided.FocusedClassifier(estimators=names, **params)
    return fit(model, table, y)


def assert_adds_up(model, table, **options):
    found = explain(model, table, **options)
    scores = model.decision_function(table)
    assert found.contributions.shape == table.shape
    assert_allclose(found.scores, scores, rtol=0, atol=1e-12)
    total = found.base + found.contributions.sum(axis=1)
    assert_allclose(total, scores, rtol=1e-12, atol=1e-9)
    return found


@pytest.fixture(scope="module")
def focused():
    return fit_members(*MEMBERS, table=make_frame())


# Sums


@pytest.mark.parametrize("name", [method.name for method in METHODS])
def test_contributions_of_every_method_add_up_to_its_scores(name):
    assert_adds_up(fit(quick(name)), X)


@pytest.mark.parametrize("name", [*EXACT, "elkan-noto", "spy", "ifpu-mlp", "ifpu-tabgmlp"])
def test_categories_and_missing_values_add_up_too(name):
    frame = make_frame()
    found = assert_adds_up(fit(quick(name), frame), frame)
    assert found.feature_names == ("size", "age", "rate", "noise", "kind")
    assert found.contributions[:, 4].any()


def test_focused_adds_up_and_so_does_every_member(focused):
    frame = make_frame()
    found = assert_adds_up(focused, frame)
    assert (found.contributions != 0).any(axis=0).all()
    assert np.ptp(found.base) < 1e-9
    numbers = focused._read(frame)
    for member in focused.estimators_.values():
        own = member.additive_scores(numbers, None, 0)
        assert_allclose(own.scores, member.scores(numbers), atol=1e-12)
        assert_allclose(own.base + own.terms.sum(axis=1), own.scores, atol=1e-9)
        assert np.ptp(own.base) < 1e-9
        assert (own.terms != 0).any(axis=0).all()


@pytest.mark.parametrize("name", ["focused-xgb", "focused-fast"])
@pytest.mark.parametrize("as_trained", [csr_array, np.asarray])
def test_sparse_rows_are_explained_as_dense_ones(name, as_trained):
    table = np.where(np.abs(X) < 0.5, 0.0, X)
    model = fit(quick(name), as_trained(table))
    dense = assert_adds_up(model, table)
    sparse = explain(model, csr_array(table))
    assert_allclose(sparse.contributions, dense.contributions, atol=1e-6)


def test_parameters_that_change_the_scale_add_up_as_well():
    for model in (
        quick("puhrf", prior=0.3),
        quick("naive-logistic", normalize="quantile"),
        quick("elkan-noto", refit=False),
        quick("spy", final_estimator=RandomForestClassifier(10)),
        quick("focused-xgb", target_prior=0.1, prior=0.25),
        lopsided.FocusedClassifier(estimators=["logistic", "knn"], weighting="best"),
    ):
        assert_adds_up(fit(model), X)


@pytest.mark.parametrize("method", ["beta", "isotonic"])
def test_calibration_keeps_sums_and_signs(method):
    forest = build("naive-forest", n_estimators=30, oob_score=True, random_state=0)
    model = fit(PUCalibratedClassifier(forest, method=method, prior=0.2, random_state=0))
    found = assert_adds_up(model, X)
    plain = explain(model.estimator_, X)
    assert (found.contributions * plain.contributions >= 0).all()
    assert_allclose(found.base, model.calibration_.transform(plain.base))


@pytest.mark.parametrize("estimator", [LogisticRegression(), RandomForestClassifier(10)])
def test_calibrated_classifiers_of_scikit_learn_add_up(estimator):
    model = fit(PUCalibratedClassifier(estimator, prior=0.2, random_state=0))
    assert_adds_up(model, X)


def test_several_kinds_are_explained_by_their_ranking():
    y = np.where(Y == 1, 1 + np.arange(N_ROWS) % 2, 0)
    model = fit(lopsided.MultiPositiveClassifier("naive-logistic", random_state=0), y=y)
    found = assert_adds_up(model, X)
    assert_array_equal(found.contributions, explain(model.estimator_, X).contributions)


@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(1, 1), (1, 3), (3, 1)])
def test_tables_of_a_few_rows_add_up(n_labeled, n_unlabeled):
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    model = fit_members(*MEMBERS, table=X[: len(y)], y=y)
    assert_adds_up(model, X)
    for name in MEMBERS:
        model.weights_ = dict.fromkeys(MEMBERS, 0.0) | {name: 1.0}
        assert_adds_up(model, X)


def test_rows_that_are_all_alike_have_no_contributions():
    for name in ("focused-fast", "naive-xgb", "naive-logistic", "ifpu-mlp"):
        found = assert_adds_up(fit(quick(name), np.ones((30, 2)), Y[:30]), np.ones((3, 2)))
        assert_allclose(found.contributions, 0, atol=1e-12)


def test_a_search_is_explained_by_its_best_model():
    search = GridSearchCV(quick("naive-logistic"), {"C": [0.1, 1.0]}, cv=2, scoring="roc_auc")
    found = assert_adds_up(fit(search), X)
    assert_array_equal(found.contributions, explain(search.best_estimator_, X).contributions)


# Independent checks


def test_logistic_contributions_are_coefficients_times_distances_to_the_mean():
    model = fit(quick("naive-logistic"))
    coefficients = model.estimator_.coef_[0] / X.std(axis=0)
    found = explain(model, X)
    assert_allclose(found.contributions, coefficients * (X - X.mean(axis=0)), atol=1e-12)
    assert_allclose(found.base, model.decision_function(X).mean())


def test_the_base_of_logistic_regression_is_the_mean_score_with_weights_and_categories():
    frame, weight = make_frame(), RNG.integers(1, 4, N_ROWS)
    model = quick("naive-logistic").fit(frame, Y, sample_weight=weight)
    expected = np.average(model.decision_function(frame), weights=weight)
    assert_allclose(explain(model, frame).base, expected)
    contributions = explain(model, frame).contributions
    assert_allclose(np.average(contributions, axis=0, weights=weight), 0, atol=1e-12)


def test_a_category_is_given_all_that_its_levels_and_a_column_what_its_gaps_add():
    frame = make_frame()
    model = fit(quick("naive-logistic"), frame)
    found = explain(model, frame)
    for name in ("kind", "age"):
        changed = frame.assign(**{name: frame[name].iloc[[5]].repeat(N_ROWS).to_numpy()})
        assert changed[name].nunique() <= 1
        moved = model.decision_function(frame) - model.decision_function(changed)
        j = frame.columns.get_loc(name)
        expected = found.contributions[:, j] - found.contributions[5, j]
        assert_allclose(moved, expected, atol=1e-12)


def test_two_step_methods_are_explained_by_their_final_regression():
    for name in ("elkan-noto", "spy", "sarem"):
        model = fit(quick(name))
        coefficients = model.estimator_.coef_[0] / X.std(axis=0)
        expected = coefficients * (X - X.mean(axis=0))
        assert_allclose(explain(model, X).contributions, expected, atol=1e-10)


def test_booster_contributions_are_those_of_xgboost_about_their_means():
    xgboost = require("xgboost")
    model = fit(quick("naive-xgb"))
    raw = model.booster_.predict(xgboost.DMatrix(X), pred_contribs=True)
    mean = raw[::3, :-1].mean(axis=0)  # 64 rows at most
    found = explain(model, X)
    assert_allclose(found.contributions, raw[:, :-1] - mean, atol=2e-6)
    assert_allclose(found.base, raw[:, -1] + mean.sum(), atol=2e-6)
    assert_allclose(found.base, model.decision_function(X[::3]).mean(), atol=2e-6)


def test_boosters_on_another_scale_have_the_secant_of_xgboosts_contributions():
    xgboost = require("xgboost")
    model = fit(quick("focused-xgb", prior=0.2))
    raw = model.booster_.predict(xgboost.DMatrix(X), pred_contribs=True).astype(float)
    mean = raw[::3, :-1].mean(axis=0)

    def as_log_odds(margins):
        return model.risk_.log_odds(margins, model.prior_)

    base, scores = raw[:, -1] + mean.sum(), raw.sum(axis=1)
    slope = (as_log_odds(scores) - as_log_odds(base)) / (scores - base)
    found = explain(model, X)
    expected = (raw[:, :-1] - mean) * slope[:, None]
    assert_allclose(found.contributions, expected, rtol=1e-3, atol=1e-4)
    assert_allclose(found.base, as_log_odds(base), atol=1e-5)


def test_nnif_is_explained_by_the_trees_that_it_ends_in():
    xgboost = require("xgboost")
    model = fit(quick("nnif"))
    encoded = model.encoder_.transform(X.astype(np.float32))
    matrix = xgboost.DMatrix(encoded)
    raw = model.estimator_.get_booster().predict(matrix, pred_contribs=True)
    assert_allclose(explain(model, X).contributions, raw[:, :-1], atol=1e-4)
    assert_allclose(model.decision_function(X), raw.sum(axis=1), atol=1e-4)


def test_forest_contributions_are_the_secant_of_changes_of_the_labeled_share():
    model = fit(quick("naive-forest"))
    forest = model.forest_
    roots = forest.covers[forest.starts[:-1]]
    base, shares = (roots[:, 0] / roots.sum(axis=1)).mean(), forest.mean_value(X)
    found = explain(model, X)
    assert_allclose(found.base, model._log_odds(np.array([base]))[0])
    slope = (found.scores - found.base) / (shares - base)
    assert_allclose((found.contributions / slope[:, None]).sum(axis=1), shares - base)
    assert (slope > 0).all()


def test_focused_adds_up_its_members_by_weight_through_both_maps():
    model = fit_members("logistic", "knn")
    fused = base = terms = 0.0
    for name, member in model.estimators_.items():
        own = [each.additive_scores(X) for each in member.models]
        start, raw, parts = (
            np.mean([getattr(one, part) for one in own], axis=0)
            for part in ("base", "scores", "terms")
        )
        normal = model.normal_scores_[name].transform
        slope = (normal(raw) - normal(start)) / (raw - start)
        fused = fused + model.weights_[name] * normal(raw)
        base = base + model.weights_[name] * normal(start)
        terms = terms + model.weights_[name] * parts * slope[:, None]
    calibrate = model.calibration_.transform
    slope = (calibrate(fused) - calibrate(base)) / (fused - base)
    found = explain(model, X)
    assert_allclose(found.contributions, terms * slope[:, None], rtol=1e-9, atol=1e-9)
    assert_allclose(found.base, calibrate(base))


@pytest.mark.parametrize("name", ["naive-forest", "naive-xgb", "focused-fast"])
def test_a_column_that_never_varies_is_given_exactly_nothing(name):
    table = np.column_stack([X, np.ones(N_ROWS)])
    found = explain(fit(quick(name), table), table)
    assert_array_equal(found.contributions[:, 4], 0)


# Behaviour


def planted_table(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(400, 6))
    return table, (table[:, 0] > 1.4).astype(int)


@pytest.mark.parametrize("name", ["focused", *EXACT])
def test_the_one_column_that_matters_is_the_first_reason(name):
    table, y = planted_table(0)
    model = fit(quick(name), table, y & (np.arange(400) % 3 > 0))
    fresh, _ = planted_table(1)
    sure = fresh[fresh[:, 0] > 1.7]
    found = explain(model, sure)
    assert len(sure) > 10
    assert {reasons[0][0] for reasons in found.top(1)} == {"x0"}
    assert found.mean_absolute().argmax() == 0
    assert explain(model, fresh).direction(fresh)[0] > 0.2


@pytest.mark.parametrize("name", ["naive-forest", "focused-xgb", "ifpu-mlp"])
def test_a_row_is_explained_alike_alone_in_any_order_and_twice(name):
    model = fit(quick(name))
    found = explain(model, X).contributions
    order = RNG.permutation(N_ROWS)
    assert_allclose(explain(model, X[order]).contributions, found[order], atol=1e-9)
    assert_allclose(explain(model, X[[3, 3, 7]]).contributions, found[[3, 3, 7]], atol=1e-9)
    assert_allclose(explain(model, X[[3]]).contributions, found[[3]], atol=1e-9)


def test_focused_explains_a_row_alike_alone_and_in_any_order(focused):
    frame, order = make_frame(), RNG.permutation(N_ROWS)
    found = explain(focused, frame).contributions
    assert_allclose(explain(focused, frame.iloc[order]).contributions, found[order], atol=1e-9)
    assert_allclose(explain(focused, frame.iloc[[3]]).contributions, found[[3]], atol=1e-9)


def test_the_seed_decides_what_is_sampled():
    model = fit(quick("ifpu-mlp"))
    first, again = (explain(model, X, random_state=3).contributions for _ in range(2))
    assert_array_equal(first, again)


def test_a_background_is_the_base_of_what_is_sampled():
    model = fit(quick("ifpu-mlp"))
    found = assert_adds_up(model, X, background=X[40:50])
    assert_allclose(found.base, model.decision_function(X[40:50]).mean())
    assert_allclose(explain(model, X).base, model.decision_function([model.typical_row_])[0])


def test_a_pipeline_of_text_and_numbers_is_explained_by_its_raw_columns():
    frame = make_frame().drop(columns="age")
    frame["kind"] = frame["kind"].astype(object).fillna("none")
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]), remainder="passthrough"
    )
    model = fit(make_pipeline(encode, LogisticRegression()), frame)
    found = assert_adds_up(model, frame)
    assert found.feature_names == ("size", "rate", "noise", "kind")
    slope = model[-1].coef_[0][-3]  # of the first column that passed through
    median = np.sort(frame["size"])[(N_ROWS - 1) // 2]
    assert_allclose(found.contributions[:, 0], slope * (frame["size"] - median))
    alone = explain(model, frame.iloc[[0]], background=frame.iloc[20:30])
    assert_allclose(alone.base, model.decision_function(frame.iloc[20:30]).mean())


def test_classifiers_with_probabilities_alone_are_explained_as_log_odds():
    model = RandomForestClassifier(20, random_state=0).fit(X, Y)
    found = explain(model, X)
    assert_allclose(found.scores, log_odds_of(model.predict_proba(X)[:, 1]))
    assert_allclose(found.base + found.contributions.sum(axis=1), found.scores, atol=1e-9)
    assert found.mean_absolute().argmax() == 0


# The explanation itself


def small():
    return Explanation(
        ("day_month", "day_year", "size"),
        np.array([1.0, 1.0]),
        np.array([[0.5, -1.0, 2.0], [-0.5, -0.25, 0.0]]),
        np.array([2.5, 0.25]),
    )


def test_grouped_adds_up_features_of_one_source():
    found = small().grouped(["day", "day", "size"])
    assert found.feature_names == ("day", "size")
    assert_array_equal(found.contributions, [[-0.5, 2.0], [-0.75, 0.0]])
    assert_array_equal(found.scores, found.base + found.contributions.sum(axis=1))


def test_top_has_the_largest_positive_contributions_first():
    assert small().top(2) == [[("size", 2.0), ("day_month", 0.5)], []]
    assert small().top(1) == [[("size", 2.0)], []]


def test_mean_absolute_is_the_mean_size():
    assert_array_equal(small().mean_absolute(), [0.5, 0.625, 1.0])


def test_direction_is_the_rank_correlation_of_values_and_contributions():
    frame = make_frame()
    model = fit(quick("naive-logistic"), frame)
    found = explain(model, frame)
    direction = found.direction(frame)
    signs = np.sign(model.estimator_.coef_[0][[0, 2, 3]])
    assert_allclose(direction[[0, 2, 3]], signs, atol=1e-4)  # ties part by rounding
    known = frame["age"].notna()
    expected = spearmanr(frame["age"][known], found.contributions[known, 1]).statistic
    assert_allclose(direction[1], expected)
    assert np.isnan(direction[4])


def test_direction_of_what_does_not_vary_is_0():
    found = small()
    table = np.array([[1.0, np.nan, 3.0], [1.0, np.nan, 4.0]])
    assert_allclose(found.direction(table), [0.0, 0.0, -1.0])
    assert_array_equal(found.direction(csr_array(np.ones((2, 3)))), 0)


def test_probabilities_follow_from_the_sums(focused):
    found = explain(focused, make_frame())
    expected = focused.predict_proba(make_frame())[:, 1]
    assert_allclose(sigmoid(found.base + found.contributions.sum(axis=1)), expected, atol=1e-9)
