from pathlib import Path

import pandas as pd
import pytest

from lopsided.methods.registry import get_method
from lopsided_bench.datasets import describe
from lopsided_bench.study import (
    MethodSpec,
    Setting,
    Study,
    find_study,
    list_studies,
    read_study,
)
from lopsided_bench.trial import trials

FOLDER = Path(__file__).parents[3] / "studies"
COMMITTED = sorted(FOLDER.glob("*.toml"))
STUDIES = [*COMMITTED, *map(find_study, list_studies())]
RESULTS = sorted((FOLDER / "results").glob("*.parquet"))


def enumerate_trials(study):
    return list(trials(study, dict.fromkeys(study.datasets, "")))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_committed_study_reads_and_each_of_its_trials_has_a_key_of_its_own(path):
    keys = [trial.key for trial in enumerate_trials(read_study(path))]
    assert len(keys) == len(set(keys)) > 0


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_has_the_naive_baseline_and_the_oracle(path):
    assert {"naive-xgb", "xgb"} <= {method.name for method in read_study(path).methods}


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_committed_results_answer_every_trial_of_their_study(path):
    study = read_study(FOLDER / f"{path.stem}.toml")
    hashes = {name: describe(name).sha256 for name in study.datasets}
    known = set(pd.read_parquet(path, columns=["key"])["key"])
    assert {trial.key for trial in trials(study, hashes)} <= known


def test_a_registered_preset_and_the_variant_of_a_study_have_one_key():
    compared = (
        MethodSpec("focused-fast", "focused", {"preset": "fast"}),
        MethodSpec("focused-fast", "focused-fast"),
    )
    study = Study("s", "S", ("digits-8",), (Setting("scar", 0.5),), compared, repeats=1)
    variant, registered = enumerate_trials(study)
    assert variant.key == registered.key


@pytest.mark.skipif(not COMMITTED, reason="studies are not part of a source package")
def test_peers_meet_our_baselines_and_the_oracle_on_the_same_labels():
    study = read_study(next(path for path in COMMITTED if path.stem == "peers"))
    kinds = {method.label: get_method(method.name).kind for method in study.methods}
    assert {"naive-xgb", "naive-forest", "xgb"} < set(kinds)
    conditions = {}
    for trial in enumerate_trials(study):
        where = trial.dataset, trial.repeat, trial.setting, trial.prior_factor
        conditions.setdefault(trial.method.label, set()).add(where)
    compared = [conditions[label] for label, kind in kinds.items() if kind != "true"]
    assert all(one == compared[0] for one in compared)
    assert len(compared[0]) == 14 * 5 * 6
