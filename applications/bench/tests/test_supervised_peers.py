import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import StandardScaler

import lopsided
from lopsided_bench.peers import SupervisedPeerClassifier

N_ROWS, SEED = 400, 3
NAMES = ["catboost", "lightgbm", "easy-ensemble", "balanced-forest"]
FEW = {"catboost": {"iterations": 30}, "easy-ensemble": {"n_estimators": 2}}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    truth = np.arange(N_ROWS) < 60
    X = 1000 + 50 * (rng.normal(size=(N_ROWS, 4)) + 1.5 * truth[:, None])
    return X, (np.arange(N_ROWS) < 30).astype(int)


def make(name):
    """Return the estimator of a package as one would call it without this library."""
    if name == "catboost":
        package = pytest.importorskip("catboost")
        quiet = {"verbose": False, "allow_writing_files": False}
        return package.CatBoostClassifier(random_state=SEED, **quiet, **FEW[name])
    if name == "lightgbm":
        package = pytest.importorskip("lightgbm")
        return package.LGBMClassifier(random_state=SEED, verbosity=-1)
    package = pytest.importorskip("imblearn.ensemble")
    if name == "easy-ensemble":
        return package.EasyEnsembleClassifier(random_state=SEED, **FEW[name])
    return package.BalancedRandomForestClassifier(random_state=SEED)


def build(name, **settings):
    settings = {"random_state": SEED, **FEW.get(name, {}), **settings}
    return lopsided.build(name, settings=settings, random_state=0)


# LightGBM before 4.7 names columns of arrays, and scikit-learn misses them when it predicts.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", NAMES)
def test_an_adapter_scores_as_the_estimator_does_by_hand(table, name):
    X, y = table
    theirs = make(name)
    Z = StandardScaler().fit_transform(X)
    proba = theirs.fit(Z, y).predict_proba(Z)[:, 1]
    found = build(name).fit(X, y).predict_proba(X)[:, 1]
    assert_allclose(found, proba, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_an_adapter_changes_no_default_but_seed_threads_and_noise(table, name):
    ours, plain = build(name).fit(*table).model_, make(name).fit(*table)
    if name == "lightgbm":
        ours, plain = ours.params, plain.booster_.params
    else:
        ours, plain = ours.get_params(), plain.get_params()
    quiet = {"n_jobs", "thread_count", "num_threads"}
    differ = {key for key in {*ours, *plain} if ours.get(key) != plain.get(key)}
    assert differ <= quiet


@pytest.mark.parametrize("name", NAMES)
def test_a_fit_is_silent_writes_nothing_and_depends_on_the_seed_alone(
    table, name, tmp_path, monkeypatch, capfd
):
    make(name)  # or skip
    X, y = table
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = [
            lopsided.build(name, settings=FEW.get(name), random_state=seed)
            .fit(X, y)
            .decision_function(X)
            for seed in (1, 1, 2)
        ]
    assert_array_equal(scores[0], scores[1])
    if name != "lightgbm":  # which draws nothing by default
        assert np.abs(scores[0] - scores[2]).max() > 0
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", NAMES)
def test_missing_values_and_categories_are_encoded(table, name):
    make(name)
    X, y = table
    frame = pd.DataFrame(X.copy(), columns=list("abcd"))
    frame.loc[::7, "b"] = np.nan
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 1050, "high", "low"))
    model = build(name).fit(frame, y)
    assert model.encoder_.n_columns == 7  # four numbers, a flag, two levels
    assert np.isfinite(model.decision_function(frame)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_without_any_difference_gives_every_row_the_labeled_share(name):
    make(name)
    X, y = np.ones((40, 2)), (np.arange(40) < 4).astype(int)
    with pytest.warns(UserWarning, match="X"):
        model = build(name).fit(X, y)
    assert_allclose(model.predict_proba(X)[:, 1], 0.1)


@pytest.mark.parametrize("name", NAMES)
def test_labeled_and_hidden_positives_rank_first(table, name):
    make(name)
    X, y = table
    scores = build(name).fit(X, y).decision_function(X)
    hidden, others = scores[30:60], scores[60:]
    assert (hidden[:, None] > others).mean() > 0.8


def test_the_easy_ensemble_repeats_rows_instead_of_weights(table):
    make("easy-ensemble")
    X, y = table
    with pytest.raises(ValueError, match=r"sample_weight.*EasyEnsembleClassifier"):
        build("easy-ensemble").fit(X, y, sample_weight=np.linspace(1, 2, N_ROWS))
    counts = 1 + np.arange(N_ROWS) % 2
    weighted = build("easy-ensemble").fit(X, y, sample_weight=counts)
    repeated = build("easy-ensemble").fit(X.repeat(counts, 0), y.repeat(counts))
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X))


def test_unknown_algorithms_are_refused_with_the_nearest(table):
    with pytest.raises(ValueError, match="catboost"):
        SupervisedPeerClassifier("cat-boost").fit(*table)
