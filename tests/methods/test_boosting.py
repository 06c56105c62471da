import re

import numpy as np
import pandas as pd
import pytest
import xgboost
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lopsided._rows import TrainingRows
from lopsided.labeling import SCAR
from lopsided.losses import FocalLoss, LogisticLoss
from lopsided.methods.boosting import BoostedRiskClassifier
from lopsided.methods.registry import build
from lopsided.metrics import average_precision, roc_auc
from lopsided.risks import (
    ClipAtZero,
    GradientAscent,
    Risk,
    SignedWeights,
    ifpu,
    imbnnpu,
    naive,
    nnpu,
    upu,
)


def blobs(n_rows=1500, seed=0):
    """A table with 10 % positives, shifted in two of five columns, half of them labeled."""
    rng = np.random.default_rng(seed)
    truth = (np.arange(n_rows) < n_rows // 10).astype(int)
    X = rng.normal(size=(n_rows, 5)).astype(np.float32)
    X[truth == 1, :2] += 1.6
    return X, truth, SCAR(0.5).draw(X, truth, seed)


X, TRUTH, Y = blobs()
NEW_X, NEW_TRUTH, _ = blobs(seed=1)


def test_naive_boosting_equals_xgboost_itself():
    model = build("naive-xgb", n_estimators=30, random_state=0).fit(X, Y)
    params = {"objective": "binary:logistic", "nthread": 1, "base_score": float(Y.mean())}
    plain = xgboost.train(params, xgboost.QuantileDMatrix(X, Y), 30)
    expected = plain.predict(xgboost.DMatrix(NEW_X), output_margin=True)
    assert_allclose(model.decision_function(NEW_X), expected, atol=1e-3)


def test_a_boosted_risk_ranks_new_rows_well():
    for name in ("ifpu-xgb", "focused-xgb", "nnpu-xgb", "imbnnpu-xgb", "upu-xgb"):
        model = build(name, prior=0.1, random_state=0).fit(X, Y)
        assert roc_auc(NEW_TRUTH, model.decision_function(NEW_X)) > 0.85, name


def test_boosting_lowers_the_risk_it_is_given():
    risk = upu()
    few, many = (
        BoostedRiskClassifier(risk, prior=0.1, n_estimators=rounds, random_state=0).fit(X, Y)
        for rounds in (2, 40)
    )
    margins = [
        model.booster_.inplace_predict(X, predict_type="margin") for model in (few, many)
    ]
    assert risk.estimate(margins[1], Y, 0.1) < risk.estimate(margins[0], Y, 0.1)


def test_the_first_tree_is_a_newton_step_from_the_rest_of_the_risk():
    risk = ifpu(clamp=ClipAtZero())
    model = BoostedRiskClassifier(
        risk,
        prior=0.1,
        n_estimators=1,
        learning_rate=1.0,
        max_depth=1,
        gradient_scale=1.0,
        min_child_weight=0.0,
    ).fit(X, Y)
    start = np.full(len(Y), risk.fit_intercept_only(Y, 0.1), dtype=np.float32)
    steps = model.booster_.inplace_predict(X, predict_type="margin") - start
    gradient = len(Y) * risk.gradient(start, Y, 0.1)
    curvature = len(Y) * risk.curvature(start, Y, 0.1)
    assert len(np.unique(steps)) == 2
    for step in np.unique(steps):
        leaf = steps == step
        expected = -gradient[leaf].sum() / (curvature[leaf].sum() + 1.0)  # lambda = 1
        assert_allclose(step, expected, rtol=1e-3)


class HardestFirst(Risk):
    """A risk whose weights depend on the scores: labeled rows weigh by how far off they are."""

    needs_prior = True

    def weights(self, scores, y, prior, weight=None):
        labeled = (y == 1) / (y == 1).sum()
        return SignedWeights(prior * labeled / (1 + np.exp(scores)), (y == 0) / len(y))


def test_a_risk_whose_sides_depend_on_the_scores_equals_xgboost_on_its_formula():
    model = BoostedRiskClassifier(
        HardestFirst(LogisticLoss()), prior=0.1, n_estimators=30, random_state=0
    ).fit(X, Y)

    def formula(scores, _):
        chance = 1 / (1 + np.exp(-scores.astype(float)))
        positive = 0.1 * Y / Y.sum() * (1 - chance)
        negative = (Y == 0) / len(Y)
        gradient = negative * chance - positive * (1 - chance)
        curvature = (positive + negative) * chance * (1 - chance)
        return 0.2 * len(Y) * gradient, 0.2 * len(Y) * curvature + 1e-6

    start = float(np.log((0.1 / 2) / (1 - Y.mean())))  # on the boundary, half the weight
    params = {"base_score": start, "nthread": 1, "disable_default_eval_metric": 1}
    plain = xgboost.train(params, xgboost.QuantileDMatrix(X), 30, obj=formula)
    expected = plain.predict(xgboost.DMatrix(NEW_X), output_margin=True)
    assert np.ptp(expected) > 1
    assert_allclose(model.decision_function(NEW_X), expected, atol=1e-3)


def test_scores_are_log_odds_at_the_given_prior():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(4000, 1)).astype(float)
    # A quarter of the rows with 1 and none with 0 are positive; half of the positives labeled.
    truth = (rng.random(4000) < 0.25 * table[:, 0]).astype(int)
    y = SCAR(0.5).draw(table, truth, 0)
    options = {
        "gradient_scale": 1.0,
        "reg_lambda": 0.0,
        "n_estimators": 60,
        "min_child_weight": 0.0,
    }
    for name in ("ifpu-xgb", "nnpu-xgb", "imbnnpu-xgb", "focused-xgb"):
        model = build(name, prior=truth.mean(), random_state=0, **options).fit(table, y)
        chance = model.predict_proba([[1.0]])[0, 1]
        assert abs(chance - truth[table[:, 0] == 1].mean()) < 0.05, name
        assert not model.predict([[1.0]])[0]


def test_the_step_of_a_mini_batch_does_not_suit_boosting():
    held, climbing = (
        build("ifpu-xgb", clamp=clamp, prior=0.1, random_state=0).fit(X, Y)
        for clamp in (ClipAtZero(), GradientAscent())
    )
    held_ap, climbing_ap = (
        average_precision(NEW_TRUTH, model.decision_function(NEW_X))
        for model in (held, climbing)
    )
    assert held_ap > climbing_ap


def test_early_stopping_finds_fewer_rounds_and_fits_all_rows():
    model = build("naive-xgb", n_estimators=300, early_stopping_rounds=5, random_state=0).fit(
        X, Y
    )
    assert 1 <= model.n_estimators_ < 300
    assert model.booster_.num_boosted_rounds() == model.n_estimators_
    again = build("naive-xgb", n_estimators=model.n_estimators_, random_state=0).fit(X, Y)
    assert_allclose(again.decision_function(X), model.decision_function(X))


def test_early_stopping_takes_weights():
    weight = np.where(Y == 1, 2.0, 1.0)
    model = build("naive-xgb", n_estimators=300, early_stopping_rounds=5, random_state=0)
    # Weights of nothing for all but the rows that the model gets wrong stop it at once.
    wrong = np.where(Y == 1, X[:, 0] < 1, X[:, 0] > 1) & (X[:, 1] > 0)
    plain = model.fit(X, Y, sample_weight=weight).n_estimators_
    assert plain < 300
    odd = model.fit(X, Y, sample_weight=np.where(wrong, 10.0, 0.1)).n_estimators_
    assert odd != plain


def test_early_stopping_without_enough_labels_runs_all_rounds():
    few = np.where(np.cumsum(Y) <= 5, Y, 0)
    model = build("naive-xgb", n_estimators=12, early_stopping_rounds=2, random_state=0)
    with pytest.warns(UserWarning, match="4 labeled"):
        assert model.fit(X, few).n_estimators_ == 12


def test_weights_move_the_model_toward_heavy_rows():
    weight = np.where((Y == 1) & (X[:, 0] > 1.6), 50.0, 1.0)
    light = build("nnpu-xgb", prior=0.6, random_state=0).fit(X, Y)
    heavy = build("nnpu-xgb", prior=0.6, random_state=0).fit(X, Y, sample_weight=weight)
    chosen = weight > 1
    assert heavy.decision_function(X)[chosen].mean() > light.decision_function(X)[chosen].mean()


@pytest.mark.parametrize("name", ["ifpu-xgb", "naive-xgb", "imbnnpu-xgb"])
def test_a_weight_of_two_is_a_row_twice_where_every_value_has_its_bin(name):
    counts = np.random.default_rng(0).integers(1, 4, size=len(Y))
    # A child that weighs exactly 1 would be split or not as rounding has it.
    settings = {"n_estimators": 5, "max_bin": 4096, "min_child_weight": 0.5}
    repeated, weighted = (
        build(name, **settings, **({} if "naive" in name else {"prior": 0.1})) for _ in range(2)
    )
    repeated.fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    weighted.fit(X, Y, sample_weight=counts)
    assert len(np.unique(weighted.decision_function(X))) > 10
    assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=1e-3, atol=1e-3
    )


def test_importances_sum_to_one_and_find_the_columns_that_matter():
    model = build("focused-xgb", prior=0.1, random_state=0).fit(X, Y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert set(np.argsort(importances)[-2:]) == {0, 1}


def test_importances_carry_over_to_named_columns():
    frame = pd.DataFrame(X, columns=["f3", "f0", "b", "c", "a"])
    named = build("naive-xgb", random_state=0).fit(frame, Y)
    plain = build("naive-xgb", random_state=0).fit(X, Y)
    assert_allclose(named.feature_importances_, plain.feature_importances_)


def test_a_monotone_column_never_lowers_the_score():
    signs = [1, 0, 0, 0, 0]
    model = build("ifpu-xgb", prior=0.1, monotone_constraints=signs, random_state=0).fit(X, Y)
    rows = np.repeat(X[:20], 30, axis=0)
    rows[:, 0] = np.tile(np.linspace(-3, 4, 30), 20)
    scores = model.decision_function(rows).reshape(20, 30)
    assert (np.diff(scores, axis=1) >= -1e-6).all()


def test_categories_split_as_sets_and_not_by_their_codes():
    rng = np.random.default_rng(0)
    kind = rng.choice(list("abcdef"), size=2000)
    truth = np.isin(kind, ["b", "e"]) & (rng.random(2000) < 0.5)
    frame = pd.DataFrame({"kind": pd.Categorical(kind), "noise": rng.normal(size=2000)})
    model = build("naive-xgb", n_estimators=5, max_depth=1, random_state=0)
    scores = model.fit(frame, SCAR(0.5).draw(None, truth, 0)).decision_function(frame)
    assert scores[np.isin(kind, ["b", "e"])].min() > scores[~np.isin(kind, ["b", "e"])].max()


def shops(n_levels, seed=0, n_rows=6000):
    """A table with 3 % positives, a third of them labeled, and shops that say nothing."""
    rng = np.random.default_rng(seed)
    truth = (np.arange(n_rows) < 0.03 * n_rows).astype(int)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 5)), columns=list("abcde"))
    frame.loc[truth == 1, ["a", "b"]] += 1.6
    codes = rng.integers(n_levels, size=n_rows)
    frame["shop"] = pd.Categorical.from_codes(codes, [f"shop {i}" for i in range(n_levels)])
    return frame, truth, SCAR(2 / 3).draw(None, truth, seed)


@pytest.mark.parametrize("name", ["focused-xgb", "imbnnpu-xgb"])
def test_labeled_rows_are_not_learned_by_heart_through_a_category_of_many_levels(name):
    (frame, _, y), (new, truth, _) = shops(300), shops(300, seed=1)
    settings = {"prior": 0.03, "n_estimators": 40, "random_state": 0}
    with_shops = build(name, **settings).fit(frame, y).decision_function(new)
    numbers = build(name, **settings).fit(frame.drop(columns="shop"), y)
    without = average_precision(truth, numbers.decision_function(new.drop(columns="shop")))
    assert average_precision(truth, with_shops) > 0.95 * without


@pytest.mark.parametrize(("n_levels", "threshold"), [(32, 64), (33, 4), (400, 4)])
def test_splits_of_categories_are_kept_small_only_where_there_are_many_levels(
    n_levels, threshold
):
    frame, _, y = shops(n_levels, n_rows=1000)
    settings = {"prior": 0.03, "n_estimators": 5, "random_state": 0}
    chosen = build("focused-xgb", **settings).fit(frame, y)
    given = build("focused-xgb", max_cat_threshold=threshold, **settings).fit(frame, y)
    other = build("focused-xgb", max_cat_threshold=68 - threshold, **settings).fit(frame, y)
    scores = chosen.decision_function(frame)
    assert (scores == given.decision_function(frame)).all()
    assert (scores != other.decision_function(frame)).any()


def test_levels_without_rows_and_missing_values_are_not_many_levels():
    frame, _, y = shops(32, n_rows=1000)
    frame.loc[:99, "shop"] = np.nan
    declared = frame.assign(
        shop=frame["shop"].cat.add_categories([f"closed {i}" for i in range(300)])
    )
    settings = {"prior": 0.03, "n_estimators": 5, "random_state": 0}
    few, many = (build("focused-xgb", **settings).fit(X, y) for X in (frame, declared))
    assert (few.decision_function(frame) == many.decision_function(frame)).all()


def test_models_work_in_pipelines_and_grid_searches():
    pipeline = make_pipeline(StandardScaler(), build("ifpu-xgb", prior=0.1, n_estimators=5))
    search = GridSearchCV(
        pipeline,
        {
            "boostedriskclassifier__max_depth": [1, 3],
            "boostedriskclassifier__risk": [ifpu(clamp=ClipAtZero()), naive(FocalLoss())],
        },
        scoring="average_precision",
        cv=2,
    ).fit(X, Y)
    assert search.best_score_ > 0.2


def test_settings_reach_xgboost_under_its_names():
    settings = {
        "learning_rate": 0.11,
        "max_depth": 4,
        "n_parallel_trees": 3,
        "min_child_weight": 0.7,
        "min_split_loss": 0.01,
        "reg_lambda": 2.5,
        "reg_alpha": 0.02,
        "max_delta_step": 0.9,
        "max_leaves": 9,
        "max_bin": 77,
        "grow_policy": "lossguide",
        "max_cat_threshold": 7,
        "subsample": 0.6,
        "colsample_bytree": 0.81,
        "colsample_bylevel": 0.82,
        "colsample_bynode": 0.83,
    }
    names = {
        "learning_rate": "eta",
        "n_parallel_trees": "num_parallel_tree",
        "min_split_loss": "gamma",
        "reg_lambda": "lambda",
        "reg_alpha": "alpha",
    }
    model = build("ifpu-xgb", prior=0.1, n_estimators=4, random_state=0, **settings).fit(X, Y)
    config = model.booster_.save_config()
    for setting, value in settings.items():
        found = re.search(rf'"{names.get(setting, setting)}":"([^"]*)"', config)
        assert found is not None, setting
        if isinstance(value, str):
            assert found[1] in ("1", value), setting
        else:
            assert float(found[1]) == pytest.approx(value), setting
    assert len(model.booster_.get_dump()) == 4 * 3


@pytest.mark.parametrize(
    "risk", [upu(), nnpu(clamp=ClipAtZero()), imbnnpu(clamp=ClipAtZero())], ids=repr
)
def test_the_sigmoid_loss_can_be_boosted(risk):
    model = BoostedRiskClassifier(risk, prior=0.1, random_state=0).fit(X, Y)
    assert roc_auc(NEW_TRUTH, model.decision_function(NEW_X)) > 0.8


def test_a_model_that_tells_no_rows_apart_says_so():
    with pytest.warns(UserWarning, match="score"):
        build("naive-xgb", n_estimators=2, min_split_loss=1e9).fit(X, Y)


def test_two_samples_keep_a_prior_below_the_labeled_share():
    model = build("ifpu-xgb", scenario="two-sample", prior=0.01, n_estimators=3).fit(X, Y)
    assert model.prior_ == 0.01
    estimated = build("ifpu-xgb", scenario="two-sample", n_estimators=3).fit(X, Y)
    assert estimated.prior_ == estimated.prior_estimate_.value > 0


def test_two_threads_and_one_give_the_same_scores():
    one, two = (
        build("focused-xgb", prior=0.1, n_jobs=jobs, random_state=0).fit(X, Y)
        for jobs in (1, 2)
    )
    assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-4)


def test_a_level_that_a_part_of_the_rows_lacks_is_missing_to_its_booster():
    rng = np.random.default_rng(0)
    y = (np.arange(600) < 60).astype(np.int8)
    level = np.where(rng.random(600) < 0.3, 7 * y, rng.integers(0, 8, 600)).astype(float)
    level[(rng.random(600) < 0.5) & (y == 1)] = np.nan  # missing values go the labeled way
    frame = pd.DataFrame({"kind": pd.Categorical(level), "size": rng.normal(size=600)})
    whole = build("focused-xgb", n_estimators=1, prior=0.3).fit(frame, y)
    codes = np.column_stack([level, frame["size"]])
    for absent in range(8):
        kept = level != absent
        part = build("focused-xgb", n_estimators=10, prior=0.3)
        part._fit_part(TrainingRows(codes, y, np.ones(600)).take(kept), 0, whole._schema())
        unknown, missing = codes.copy(), codes.copy()
        unknown[:, 0], missing[:, 0] = absent, np.nan
        assert_allclose(part._scores(unknown), part._scores(missing))
