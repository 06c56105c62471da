"""Plain processes, each with some of the rows, fit the model of one that has all."""

import json
import subprocess
import sys
import weakref

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lopsided
from lopsided.collective import _sample, as_boosted, fit_part, start_tracker
from lopsided.methods.row_sample import sample_part
from lopsided.methods.table_summary import summarize_part
from lopsided.priors import AutoPrior, Beta

# What a worker does: a file of rows for each of several fits, and the scores of all rows.
WORKER = """
import json, sys
import numpy as np, pandas as pd
import lopsided
from lopsided.collective import fit_part
from lopsided.priors import AutoPrior, Beta

worker, cases = int(sys.argv[1]), json.loads(sys.argv[2])
for case in cases:
    part = pd.read_parquet(f"{case['folder']}/rows-{worker}.parquet")
    params = case["params"]
    if isinstance(params.get("prior"), list):
        params["prior"] = AutoPrior(Beta(*params["prior"]))
    model = lopsided.build("ifpu-xgb", n_estimators=12, random_state=0, **params)
    weight = part.pop("w")
    try:
        fitted = fit_part(
            model, part.drop(columns="y"), part["y"], weight,
            tracker=case["tracker"], worker=worker, **case["options"],
        )
    except ValueError as error:
        found = {"error": str(error)}
    else:
        whole = pd.read_parquet(f"{case['folder']}/whole.parquet")
        found = {"scores": fitted.decision_function(whole).tolist()}
    with open(f"{case['folder']}/found-{worker}.json", "w") as file:
        json.dump(found, file)
"""


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 40, size=(1500, 3)).astype(float), columns=list("abc"))
    X["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], len(X)))
    y = (X["a"] + 8 * (X["kind"] == "x") + 4 * rng.normal(size=len(X)) > 41).to_numpy()
    y = (y & (rng.random(len(X)) < 0.5)).astype(int)
    order = np.argsort(-y, kind="stable")
    y = y[order]
    y[-30:] = -1
    return X.iloc[order].reset_index(drop=True), y, 1.0 + np.arange(len(y)) % 2


CASES = {  # where the rows are cut; parameters; options of fit_part
    "labeled rows on one": (700, {"prior": 0.1}, {}),
    "no row on one": (1500, {"prior": 0.1}, {}),
    "an estimated prior": (700, {}, {}),
    "a belief": (700, {"prior": [2.0, 38.0]}, {}),
    "segments": (700, {"prior": 0.1, "subsample": 0.5}, {"checkpoint_every": 5}),
    "segments again": (700, {"prior": 0.1, "subsample": 0.5}, {"checkpoint_every": 5}),
    "odd labels on one": (700, {"prior": 0.1}, {}),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory, table):
    """What each of two workers found in each case, by fits one after the other."""
    root = tmp_path_factory.mktemp("collective")
    X, y, weight = table
    cases, trackers = [], []
    for name, (cut, params, options) in CASES.items():
        folder = root / name
        folder.mkdir()
        X.to_parquet(folder / "whole.parquet")
        rows = X.assign(y=y, w=weight)
        if name.startswith("odd"):
            rows.loc[cut + 5, "y"] = 7
        rows[:cut].to_parquet(folder / "rows-0.parquet")
        rows[cut:].to_parquet(folder / "rows-1.parquet")
        if name.startswith("segments"):
            options = {**options, "checkpoint": str(root / "trees")}
        trackers.append(start_tracker(2))
        case = {"folder": str(folder), "params": params, "options": options}
        cases.append({**case, "tracker": trackers[-1].__enter__()})
    command = [sys.executable, "-c", WORKER]
    workers = [
        subprocess.Popen([*command, str(worker), json.dumps(cases)]) for worker in (0, 1)
    ]
    try:
        assert [worker.wait(timeout=240) for worker in workers] == [0, 0]
    finally:
        for worker in workers:
            worker.kill()
        for tracker in trackers:
            tracker.__exit__(None, None, None)
    return {
        name: [json.loads((root / name / f"found-{i}.json").read_text()) for i in (0, 1)]
        for name in CASES
    }


@pytest.mark.parametrize(
    "name", ["labeled rows on one", "no row on one", "an estimated prior", "a belief"]
)
def test_workers_fit_the_model_of_one_machine(name, found, table):
    X, y, weight = table
    _, params, _ = CASES[name]
    if name == "a belief":
        params = {"prior": AutoPrior(Beta(*params["prior"]))}
    local = lopsided.build("ifpu-xgb", n_estimators=12, random_state=0, **params)
    scores = local.fit(X, y, weight).decision_function(X)
    assert np.ptp(scores) > 1
    for one in found[name]:
        assert_allclose(one["scores"], scores, atol=1e-6)


def test_a_fit_from_its_last_checkpoint_is_the_same(found):
    first, again = found["segments"], found["segments again"]
    assert first[0] == first[1] == again[0] == again[1]


def test_all_workers_say_what_one_of_them_has_met(found):
    for one in found["odd labels on one"]:
        assert one["error"].startswith("Worker 1: y must hold 1")


def test_an_error_of_the_body_is_not_replaced_by_the_trackers():
    with pytest.raises(KeyError, match="mine"), start_tracker(2, timeout=1):
        raise KeyError("mine")


@pytest.mark.parametrize("timeout", ["soon", 0, None])
def test_a_time_to_wait_is_a_number_of_seconds(timeout):
    with pytest.raises(ValueError, match="timeout must be"), start_tracker(1, timeout=timeout):
        pass
    with pytest.raises(ValueError, match="timeout must be"):
        fit_part("ifpu-xgb", [[1.0]], [1], tracker={}, worker=0, timeout=timeout)


def test_a_worker_that_never_comes_is_told_in_a_sentence():
    with (
        pytest.raises(RuntimeError, match=r"^All 2 workers must come .* within 1 seconds, got"),
        start_tracker(2, timeout=1) as tracker,
        pytest.raises(RuntimeError, match=r"^All workers must take part until the end, got"),
    ):
        fit_part("ifpu-xgb", [[1.0]], [1], tracker=tracker, worker=0, timeout=1)


def test_samples_are_merged_as_they_come_and_drawn_by_the_seed(table, monkeypatch):
    X, y, _ = table
    collective = pytest.importorskip("xgboost").collective
    alive: list[weakref.ref] = []

    def broadcast(own, place):
        if place == 0:
            return own
        seed = [place, place]
        sent = sample_part(X, np.zeros(len(y)), size=100, seed=seed)
        alive.append(weakref.ref(sent))
        assert sum(one() is not None for one in alive) <= 2  # the last one, and this
        return sent, None

    monkeypatch.setattr(collective, "get_rank", lambda: 0)
    monkeypatch.setattr(collective, "get_world_size", lambda: 8)
    monkeypatch.setattr(collective, "broadcast", broadcast)
    summary = summarize_part(X, y)

    def draw(seed):
        model = lopsided.build("ifpu-xgb", random_state=seed)
        return _sample(model, summary, (X, y, None), 100)

    first, again, other = draw(0), draw(0), draw(1)
    assert len(alive) == 21
    assert (first.labels == 0).sum() == 100
    assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)


def test_only_boosted_methods_are_fitted_by_several_workers():
    with pytest.raises(ValueError, match="must be a boosted one such as focused-xgb"):
        as_boosted(lopsided.build("naive-forest"))
