"""Trees of CatBoost and LightGBM score in a model file as they do in their packages."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided.store import load, save
from lopsided.store.container import Refused
from lopsided.store.other_trees import take_catboost, take_lightgbm
from lopsided.store.stand_ins import Parts

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
X[:, 4] = 1.0
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 1.3).astype(int)
OTHER = RNG.normal(size=(3000, 5))


def fit_catboost(**params):
    catboost = pytest.importorskip("catboost")
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    return catboost.CatBoostClassifier(**{"iterations": 60, **params}, **quiet).fit(X, Y)


def fit_lightgbm(**params):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(verbosity=-1, n_jobs=1, **params)
    return model.fit(X, Y).booster_


@pytest.mark.parametrize("params", [{}, {"depth": 1}, {"iterations": 1, "depth": 8}], ids=str)
def test_trees_of_catboost_score_to_the_last_bit(params):
    model = fit_catboost(**params)
    wanted = model.predict(OTHER, prediction_type="RawFormulaVal", thread_count=1)
    trees = take_catboost(model)
    assert trees.is_sound()
    assert_array_equal(trees.predict(OTHER), wanted)


@pytest.mark.parametrize("params", [{}, {"num_leaves": 2}, {"min_child_samples": 300}], ids=str)
def test_trees_of_lightgbm_score_to_the_last_bit(params):
    booster = fit_lightgbm(**params)
    trees = take_lightgbm(booster)
    assert trees.is_sound()
    assert_array_equal(trees.predict(OTHER), booster.predict(OTHER, raw_score=True))


def test_trees_of_other_kinds_are_refused():
    with pytest.raises(Refused, match="symmetric trees"):
        take_catboost(fit_catboost(grow_policy="Lossguide"))
    with pytest.raises(Refused, match="constant leaves"):
        take_lightgbm(fit_lightgbm(linear_tree=True))
    forest = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}
    with pytest.raises(Refused, match="one score"):
        take_lightgbm(fit_lightgbm(**forest))


@pytest.mark.parametrize(
    "forged",
    [
        lambda trees: replace(trees, left=trees.left * 0),  # a way in a circle
        lambda trees: replace(trees, right=trees.right + len(trees.right)),
        lambda trees: replace(trees, columns=trees.columns - 1),
        lambda trees: replace(trees, roots=trees.roots - 1),
        lambda trees: replace(trees, depths=trees.depths + 10**9),
        lambda trees: replace(trees, values=trees.values[1:]),
    ],
)
def test_arrays_that_lead_nowhere_are_refused(forged):
    trees = take_lightgbm(fit_lightgbm(n_estimators=3))
    with pytest.raises(Refused, match="lead to leaves"):
        Parts().put_together(forged(trees))


def test_a_loaded_model_needs_its_package_no_more(tmp_path, monkeypatch):
    import sys

    pytest.importorskip("lightgbm")
    from lopsided import build

    model = build("lightgbm", random_state=0).fit(X, Y)
    wanted = model.decision_function(OTHER)
    save(model, tmp_path / "model.lop")
    for name in [one for one in sys.modules if one.partition(".")[0] == "lightgbm"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert_array_equal(load(tmp_path / "model.lop").decision_function(OTHER), wanted)
