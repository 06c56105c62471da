import json

import numpy as np
import pytest
from sklearn.base import clone

from lopsided import build
from lopsided._validation import require
from lopsided.methods.checkpoint import Checkpoint, list_facts

X = np.random.default_rng(0).normal(size=(300, 4))
Y = (X[:, 0] > 1).astype(float)
SAMPLED = {"subsample": 0.5, "colsample_bytree": 0.5, "colsample_bynode": 0.5}


class Stop(Exception):
    """What ends a fit between two steps."""


def make_train(n_steps=None, **params):
    """Return what trains, and stops after some steps."""
    xgboost = require("xgboost")
    matrix = xgboost.QuantileDMatrix(X, Y)
    settings = {"nthread": 1, "seed": 3, "seed_per_iteration": 1, "max_depth": 3, **params}
    steps = []

    def train(n, booster):
        if n_steps is not None and len(steps) == n_steps:
            raise Stop
        steps.append(n)
        return xgboost.train(settings, matrix, n, xgb_model=booster)

    return train, steps


def trees_of(booster):
    return bytes(booster.save_raw(raw_format="ubj"))


@pytest.mark.parametrize("params", [{}, SAMPLED], ids=["all rows", "samples"])
@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_a_stopped_fit_goes_on_to_the_same_trees(tmp_path, params, n_steps):
    whole = Checkpoint(tmp_path / "whole", every=4).boost(make_train(**params)[0], 14, {})
    stopped = Checkpoint(tmp_path / "stopped", every=4)
    with pytest.raises(Stop):
        stopped.boost(make_train(n_steps, **params)[0], 14, {})
    train, steps = make_train(**params)
    again = stopped.boost(train, 14, {})
    assert trees_of(again) == trees_of(whole)
    assert steps == [4, 4, 4, 2][n_steps:]


def test_a_fit_that_is_done_takes_no_round(tmp_path):
    checkpoint = Checkpoint(tmp_path, every=5)
    first = checkpoint.boost(make_train()[0], 10, {})
    train, steps = make_train()
    assert trees_of(checkpoint.boost(train, 10, {})) == trees_of(first)
    assert steps == [0]


def test_threads_and_kinds_of_numbers_make_no_other_fit_and_settings_are_told_by_name():
    model = build("ifpu-xgb", prior=0.1, random_state=0, n_estimators=1).fit(X, Y)
    params = {"max_depth": 3, "nthread": 1}
    facts = list_facts(model, params, "rows")
    assert list_facts(model, {"max_depth": np.int64(3), "nthread": 2}, "rows") == facts
    others = {
        "rows": list_facts(model, params, "others"),
        "max_depth": list_facts(model, {**params, "max_depth": 4}, "rows"),
        "prior": list_facts(clone(model).set_params(prior=0.2).fit(X, Y), params, "rows"),
        "risk": list_facts(build("ifpu-xgb", prior=0.1, gamma=1).fit(X, Y), params, "rows"),
        "columns": list_facts(clone(model).fit(X[:, :2], Y), params, "rows"),
    }
    for name, other in others.items():
        assert {key for key in facts if facts[key] != other[key]} == {name}


@pytest.mark.parametrize(
    ("facts", "n_rounds", "every", "named"),
    [
        ({"rows": "b", "max_depth": 3}, 10, 5, "rows"),
        ({"rows": "a", "max_depth": 4}, 10, 5, "max_depth"),
        ({"rows": "a", "max_depth": 3}, 20, 5, "n_rounds"),
        ({"rows": "a", "max_depth": 3}, 10, 2, "every"),
    ],
)
def test_a_checkpoint_of_another_fit_is_refused_by_name(
    tmp_path, facts, n_rounds, every, named
):
    Checkpoint(tmp_path, 5).boost(make_train()[0], 10, {"rows": "a", "max_depth": 3})
    with pytest.raises(ValueError, match=named):
        Checkpoint(tmp_path, every).boost(make_train()[0], n_rounds, facts)


@pytest.mark.parametrize("harm", ["cut", "changed", "another file"])
def test_a_damaged_checkpoint_is_refused(tmp_path, harm):
    checkpoint = Checkpoint(tmp_path, every=5)
    checkpoint.boost(make_train()[0], 5, {})
    data = bytearray(checkpoint.path.read_bytes())
    if harm == "changed":
        data[-20] ^= 1
    written = {"cut": data[:-10], "changed": data, "another file": json.dumps([1]).encode()}
    checkpoint.path.write_bytes(written[harm])
    with pytest.raises(ValueError, match="damaged"):
        checkpoint.boost(make_train()[0], 5, {})


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(NotADirectoryError, match="taken"):
        Checkpoint(tmp_path / "taken").boost(make_train()[0], 5, {})
