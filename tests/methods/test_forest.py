import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from lopsided.exceptions import PriorWarning
from lopsided.labeling import SCAR
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.registry import build, get_method
from lopsided.metrics import average_precision, roc_auc
from lopsided.ranking import rank_unlabeled
from lopsided.trees.grower import LEAF
from lopsided.trees.sampling import Bagging, Bootstrap, StratifiedBootstrap, WholeTable

SCHEMES = [None, Bootstrap(), StratifiedBootstrap(), Bagging(5.0), WholeTable()]
NAMES = ["puhdt", "puhrf", "hellinger-forest", "puet", "pu-bagging", "naive-forest"]


def blobs(n_rows=1500, seed=0):
    """A table with 10 % positives, shifted in two of five columns, half of them labeled."""
    rng = np.random.default_rng(seed)
    truth = (np.arange(n_rows) < n_rows // 10).astype(int)
    X = rng.normal(size=(n_rows, 5))
    X[truth == 1, :2] += 1.6
    return X, truth, SCAR(0.5).draw(X, truth, seed)


X, TRUTH, Y = blobs()
NEW_X, NEW_TRUTH, NEW_Y = blobs(seed=1)


def settings(name, **params):
    return {**params, **({"prior": 0.1} if get_method(name).takes_prior else {})}


@pytest.mark.parametrize("name", NAMES)
def test_every_forest_ranks_new_rows_well(name):
    model = build(name, **settings(name, random_state=0)).fit(X, Y)
    assert roc_auc(NEW_TRUTH, model.decision_function(NEW_X)) > (
        0.75 if name == "puhdt" else 0.85
    )


def test_methods_are_built_as_published():
    wanted = {
        "puhdt": ("pu-hellinger", "best", 1, 5, None, WholeTable()),
        "puhrf": ("pu-hellinger", "best", 100, None, "sqrt", StratifiedBootstrap()),
        "hellinger-forest": ("hellinger", "best", 100, None, "sqrt", StratifiedBootstrap()),
        "puet": ("nnpu", "random", 300, None, "sqrt", None),
        "pu-bagging": ("gini", "random", 300, None, "sqrt", Bagging(20.0)),
        "naive-forest": ("gini", "random", 300, None, "sqrt", None),
    }
    for name, (criterion, splitter, n_estimators, *rest) in wanted.items():
        model = build(name)
        assert isinstance(model, PUForestClassifier)
        assert (model.criterion, model.splitter, model.n_estimators) == (
            criterion,
            splitter,
            n_estimators,
        )
        assert [model.max_depth, model.max_features, model.sampling] == rest, name


def test_a_search_reaches_the_parameters_of_the_sampling():
    model = PUForestClassifier(n_estimators=10, sampling=Bagging(5.0), random_state=0)
    grid = {"sampling__ratio": [0.5, 40.0]}
    search = GridSearchCV(model, grid, scoring="roc_auc", cv=2).fit(X, Y)
    found = search.cv_results_["mean_test_score"]
    assert found[0] != found[1]
    assert search.best_estimator_.sampling.ratio == grid["sampling__ratio"][found.argmax()]
    assert model.sampling == Bagging(5.0)
    few = clone(model).set_params(sampling__ratio=0.5).fit(X, Y)
    expected = PUForestClassifier(n_estimators=10, sampling=Bagging(0.5), random_state=0)
    assert_array_equal(few.forest_.nodes, expected.fit(X, Y).forest_.nodes)
    assert "Bagging(ratio=0.5)" in few._repr_html_()


def test_puhdt_is_one_tree_of_depth_five_on_the_whole_table():
    model = build("puhdt", prior=0.1, random_state=0).fit(X, Y)
    tree = model.forest_.tree(0)
    assert len(model.forest_) == 1
    assert_array_equal(tree.covers[0], [Y.sum(), (Y == 0).sum()])
    depth = np.zeros(len(tree.nodes), int)
    for place in np.flatnonzero(tree.nodes["left"] != LEAF):
        left = tree.nodes["left"][place]
        depth[left : left + 2] = depth[place] + 1
    assert depth.max() == 5


def test_only_criteria_that_correct_for_hidden_positives_estimate_a_prior():
    for criterion in ("gini", "entropy", "hellinger"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = PUForestClassifier(criterion, n_estimators=3).fit(X, Y)
        assert model.prior_ == Y.mean()
    for criterion in ("pu-hellinger", "nnpu"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PriorWarning)
            model = PUForestClassifier(criterion, n_estimators=3, random_state=0).fit(X, Y)
        assert model.prior_ == model.prior_estimate_.value >= Y.mean()


def test_a_prior_of_the_labeled_share_makes_puhrf_a_hellinger_forest():
    pu = build(
        "puhrf", prior=float(Y.mean()), n_estimators=10, min_samples_leaf=2, random_state=0
    )
    plain = build("hellinger-forest", n_estimators=10, min_samples_leaf=2, random_state=0)
    assert_array_equal(pu.fit(X, Y).forest_.nodes, plain.fit(X, Y).forest_.nodes)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_scores_for_any_number_of_threads(name):
    params = settings(name, random_state=3, **get_method(name).quick)
    one, two = (build(name, n_jobs=jobs, oob_score=True, **params).fit(X, Y) for jobs in (1, 2))
    assert_array_equal(one.decision_function(NEW_X), two.decision_function(NEW_X))
    assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)
    other = build(name, **{**params, "random_state": 4}).fit(X, Y)
    if name != "puhdt":
        assert (other.decision_function(NEW_X) != one.decision_function(NEW_X)).any()


FITTED = {}


def out_of_bag_fits(sampling, criterion="gini"):
    """Fit three tables once; return each with its truth, labels and model."""
    key = repr(sampling), criterion
    if key not in FITTED:
        FITTED[key] = []
        for seed in range(3):
            table, truth, y = blobs(seed=seed)
            model = PUForestClassifier(criterion, n_estimators=60, sampling=sampling, n_jobs=2)
            model.set_params(prior=0.1, oob_score=True)
            model.set_params(random_state=seed).fit(table, y)
            FITTED[key].append((table, truth, y, model))
    return FITTED[key]


@pytest.mark.parametrize("criterion", ["gini", "nnpu"])
@pytest.mark.parametrize("sampling", SCHEMES, ids=repr)
def test_out_of_bag_scores_rank_like_those_of_new_rows(sampling, criterion):
    many_x, many_truth, many_y = blobs(6000, seed=99)
    found = []
    for table, truth, y, model in out_of_bag_fits(sampling, criterion):
        unseen, new = model.oob_decision_function_, model.decision_function(many_x)
        assert np.isfinite(unseen).all()
        by_truth = average_precision(truth, unseen), average_precision(many_truth, new)
        by_label = average_precision(y, unseen), average_precision(many_y, new)
        found.append(
            [*by_truth, *by_label, average_precision(y, model.decision_function(table))]
        )
    unseen_truth, new_truth, unseen_label, new_label, seen_label = np.mean(found, axis=0)
    assert abs(unseen_truth - new_truth) < 0.1
    assert abs(unseen_label - new_label) < 0.08
    assert seen_label > unseen_label + 0.5  # trees know the labels of their rows by heart


@pytest.mark.parametrize(
    "sampling",
    [
        Bootstrap(),
        Bagging(5.0),
        WholeTable(),
        StratifiedBootstrap(),
    ],
    ids=repr,
)
def test_out_of_bag_scores_of_labeled_rows_are_those_of_hidden_positives(sampling):
    gaps = []
    for _, truth, y, model in out_of_bag_fits(sampling):
        scores = model.oob_decision_function_
        gaps.append(scores[(truth == 1) & (y == 0)].mean() - scores[y == 1].mean())
    assert abs(np.mean(gaps)) < 0.25


def test_rows_that_every_tree_saw_have_no_out_of_bag_score():
    model = PUForestClassifier(n_estimators=2, oob_score=True, random_state=0).fit(X, Y)
    assert 0.2 < np.isnan(model.oob_decision_function_).mean() < 0.6


@pytest.mark.parametrize("name", NAMES)
def test_importances_sum_to_one_and_find_the_columns_that_matter(name):
    importances = build(name, **settings(name, random_state=0)).fit(X, Y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    assert set(np.argsort(importances)[-2:]) == {0, 1}


@pytest.mark.parametrize(
    ("wanted", "n"),
    [
        ("sqrt", 3),
        ("log2", 3),
        (None, 10),
        (1, 1),
        (4, 4),
        (99, 10),
        (0.5, 5),
        (1.0, 10),
        (0.01, 1),
    ],
)
def test_max_features_is_a_number_a_share_a_rule_or_all(wanted, n):
    wide = np.hstack([X, X])[:400]
    wide[:, 5:] += np.random.default_rng(0).normal(size=(400, 5))
    labels = Y[:400]
    model, plain = (
        PUForestClassifier(n_estimators=3, max_features=value, random_state=0).fit(wide, labels)
        for value in (wanted, n)
    )
    assert_array_equal(model.forest_.nodes, plain.forest_.nodes)
    other = PUForestClassifier(n_estimators=3, max_features=7, random_state=0).fit(wide, labels)
    assert len(other.forest_.nodes) != len(model.forest_.nodes)


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_categories_split_as_sets_and_not_by_their_codes(splitter):
    rng = np.random.default_rng(0)
    kind = rng.choice(list("abcdef"), size=2000)
    high = np.isin(kind, ["b", "e"])
    y = (high & (rng.random(2000) < 0.5)).astype(int)
    y[np.flatnonzero(kind == "d")[:5]] = 1
    frame = pd.DataFrame({"kind": pd.Categorical(kind), "noise": rng.normal(size=2000)})
    model = PUForestClassifier(
        n_estimators=40,
        max_depth=1 if splitter == "best" else 3,
        max_features=None,
        splitter=splitter,
    )
    scores = model.set_params(random_state=0).fit(frame, y).decision_function(frame)
    assert scores[high].min() > scores[~high].max()
    unseen = frame.assign(kind=pd.Categorical(np.full(2000, "z")))
    with pytest.warns(UserWarning, match="'kind'"):
        assert np.isfinite(model.decision_function(unseen)).all()


def test_a_stump_parts_all_categories_without_labeled_rows_from_the_others():
    kind = np.repeat(np.arange(6), 100)
    y = ((kind == 5) & (np.arange(600) % 2 == 0)).astype(int)
    frame = pd.DataFrame({"kind": pd.Categorical(kind)})
    model = PUForestClassifier(n_estimators=1, max_depth=1, sampling=WholeTable()).fit(frame, y)
    scores = model.decision_function(frame)
    assert len(np.unique(scores)) == 2
    assert scores[kind == 5].min() > scores[kind != 5].max()


def test_levels_that_only_new_rows_have_are_no_danger():
    rng = np.random.default_rng(0)
    levels = np.arange(1500)
    codes = rng.integers(0, 10, 300)
    frame, new = (
        pd.DataFrame({"kind": pd.Categorical.from_codes(some, categories=levels)})
        for some in (codes, [500, 1023])
    )
    model = PUForestClassifier(n_estimators=5, random_state=0).fit(frame, codes < 3)
    with pytest.warns(UserWarning, match="'kind'"):
        assert len(set(model.decision_function(new))) == 1


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_unseen_categories_rank_like_others(name):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(800, 3)), columns=list("abc"))
    y = ((X["a"] > 1) & (rng.random(800) < 0.5)).astype(int)
    kind = rng.integers(0, 150, 800)  # tells nothing
    alone = X["a"][y == 0].sort_values().index[5::12][:60]  # as others but for their category
    kind[alone] = 1000 + np.arange(60)  # no model sees the category of a row that it scores
    model = build(name, n_estimators=1 if name == "puhdt" else 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        scores = rank_unlabeled(X.assign(kind=pd.Categorical(kind)), y, model, random_state=0)
    place = pd.Series(scores).rank(pct=True)
    assert 0.3 < place[alone].mean() < 0.55


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_missing_values_are_learned_from(splitter):
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(1000, 3)), (np.arange(1000) % 10 == 0).astype(int)
    table[y == 1, 1] = np.nan
    model = PUForestClassifier(
        n_estimators=20, splitter=splitter, max_features=None, random_state=0
    )
    scores = model.fit(table, y).decision_function(table)
    assert scores[y == 1].min() > scores[y == 0].max()
    assert np.argmax(model.feature_importances_) == 1


def test_the_boundary_of_scores_is_an_even_chance():
    # One column of two values: a labeled share of .8 and of .1, half of the positives labeled.
    column = np.repeat([1.0, 0.0], [100, 400])[:, None]
    y = np.zeros(500, int)
    y[:80], y[100:140] = 1, 1
    for criterion, prior, signs in (
        ("gini", None, [1, -1]),
        ("pu-hellinger", 0.5, [1, -1]),  # .1 labeled are .2 positive
        ("nnpu", 0.5, [1, -1]),
    ):
        model = PUForestClassifier(
            criterion, prior, n_estimators=5, sampling=WholeTable(), max_depth=2
        )
        scores = model.fit(column, y).decision_function([[1.0], [0.0]])
        assert_array_equal(np.sign(scores), signs)
    # A labeled share of .3 is above the boundary once each labeled row stands for two.
    y[:80] = np.arange(80) < 30
    plain = PUForestClassifier("gini", n_estimators=5, sampling=WholeTable()).fit(column, y)
    known = PUForestClassifier(
        "nnpu", prior=2 * y.mean(), n_estimators=5, sampling=WholeTable()
    ).fit(column, y)
    assert plain.predict([[1.0]]) == 0
    assert known.predict([[1.0]]) == 1
    assert known.label_frequency_ == pytest.approx(0.5)


@pytest.mark.filterwarnings("ignore:X holds the same values in every row")
def test_a_share_of_half_scores_zero():
    column, y = np.zeros((20, 1)), np.repeat([1, 0], 10)
    model = PUForestClassifier(n_estimators=3, sampling=WholeTable()).fit(column, y)
    assert_allclose(model.decision_function(column), 0, atol=1e-12)
    quarter = np.repeat([1, 0], [5, 15])
    model = PUForestClassifier("nnpu", prior=0.5, n_estimators=3, sampling=WholeTable())
    # A quarter is labeled, half is positive, and no column tells rows apart.
    assert_allclose(model.fit(column, quarter).decision_function(column), 0, atol=1e-12)


def test_scores_are_finite_and_grow_with_the_labeled_share():
    model = PUForestClassifier(n_estimators=25, random_state=0).fit(X, Y)
    shares, scores = model.forest_.mean_value(X), model.decision_function(X)
    assert np.isfinite(scores).all()
    order = np.argsort(shares)
    assert (np.diff(scores[order]) >= 0).all()
    assert len(np.unique(scores)) == len(np.unique(shares))


def test_weights_move_the_forest_toward_heavy_rows():
    weight = np.where((Y == 1) & (X[:, 0] > 1.6), 50.0, 1.0)
    model = PUForestClassifier(max_depth=4, n_estimators=20, random_state=0)
    light, heavy = clone(model).fit(X, Y), clone(model).fit(X, Y, sample_weight=weight)
    chosen = weight > 1
    assert heavy.decision_function(X)[chosen].mean() > light.decision_function(X)[chosen].mean()
