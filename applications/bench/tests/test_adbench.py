"""ADBench's protocol gives its own rows and labels, and so its printed numbers."""

from dataclasses import replace
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from lopsided_bench.adbench import ADBenchProtocol, LabeledShare
from lopsided_bench.datasets import describe, list_datasets, load
from lopsided_bench.published import read_published
from lopsided_bench.runner import run_study
from lopsided_bench.study import MethodSpec, Setting, Study, read_study
from lopsided_bench.summary import describe_protocol, summarize
from lopsided_bench.trial import run_trial, split_dataset, trials

STUDIES = Path(__file__).parents[3] / "studies"
PROTOCOL = ADBenchProtocol()
SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
HIDDEN = (0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0)
STUDY = Study(
    name="try",
    title="A try",
    datasets=("digits-8",),
    settings=tuple(Setting("adbench", hidden) for hidden in HIDDEN),
    methods=(
        MethodSpec("naive", "naive-xgb", {"n_estimators": 5}),
        MethodSpec("ifpu", "ifpu-xgb", {"n_estimators": 5}),
        MethodSpec("oracle", "xgb", {"n_estimators": 5}),
    ),
    repeats=1,
    first=1,
    protocol=PROTOCOL,
)


@pytest.fixture
def kept_state():
    """Give back NumPy's global generator as it was."""
    state = np.random.get_state()  # noqa: NPY002
    yield
    np.random.set_state(state)  # noqa: NPY002


def make_table(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_rows) < 0.03).astype(np.int8)
    return rng.normal(size=(n_rows, 4)) + 2 * y_true[:, None], y_true


def draw_globally(X, y_true, seed, share):
    """Draw rows and labels as the published procedure does, by NumPy's global generator."""
    np.random.seed(seed)  # noqa: NPY002
    if len(X) > 10_000:
        np.random.seed(seed)  # noqa: NPY002
        kept = np.random.choice(np.arange(len(X)), 10_000, replace=False)  # noqa: NPY002
        X, y_true = X[kept], y_true[kept]
    X, X_test, y_true, y_test = train_test_split(
        X, y_true, test_size=0.3, shuffle=True, stratify=y_true
    )
    scaler = MinMaxScaler().fit(X)
    positives = np.where(y_true == 1)[0]
    labeled = np.random.choice(  # noqa: NPY002
        positives, ceil(share * len(positives)), replace=False
    )
    y = np.zeros(len(y_true))
    y[labeled] = 1
    return scaler.transform(X), y, scaler.transform(X_test), y_test


@pytest.mark.usefixtures("kept_state")
@pytest.mark.parametrize("n_rows", [1_500, 10_000, 12_000])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rows_and_labels_are_those_of_the_global_generator_to_the_last_bit(n_rows, seed):
    X, y_true = make_table(n_rows)
    split = PROTOCOL.split_rows(X, y_true, seed)
    for share, hidden in zip(SHARES, HIDDEN, strict=True):
        setting = Setting("adbench", hidden)
        y = PROTOCOL.draw_labels(STUDY, "made up", seed, setting, split)
        expected = draw_globally(X, y_true, seed, share)
        for ours, theirs in zip((split.X, y, *split[2:4]), expected, strict=True):
            assert_array_equal(ours, theirs)


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()  # noqa: NPY002
    split = split_dataset(STUDY, "digits-8", 1)
    PROTOCOL.draw_labels(STUDY, "digits-8", 1, STUDY.settings[0], split)
    after = np.random.get_state()  # noqa: NPY002
    assert_array_equal(before[1], after[1])
    assert before[2:] == after[2:]


@pytest.mark.parametrize(("share", "hidden"), [*zip(SHARES, HIDDEN, strict=True)])
def test_as_many_are_labeled_as_the_share_itself_gives_in_floats(share, hidden):
    mechanism = LabeledShare(hidden)
    assert all(mechanism.count(n) == ceil(share * n) for n in range(1, 3001))


def test_labels_of_a_split_are_nested_do_not_depend_on_order_and_end_with_all():
    split = split_dataset(STUDY, "digits-8", 1)
    there = [PROTOCOL.draw_labels(STUDY, "", 1, one, split) for one in STUDY.settings]
    back = [PROTOCOL.draw_labels(STUDY, "", 1, one, split) for one in STUDY.settings[::-1]]
    for fewer, more in pairwise(there):
        assert (fewer <= more).all()
    assert_array_equal(there, back[::-1])
    assert there[0].sum() == ceil(0.01 * split.y_true.sum())
    assert_array_equal(there[-1], split.y_true)


def test_a_study_runs_under_the_protocol_and_its_page_tells_of_it(tmp_path):
    study = replace(STUDY, settings=STUDY.settings[::3])  # 1, 25 and 100 % are labeled
    table = run_study(study, tmp_path)
    assert set(table["status"]) == {"ok"}
    assert table["key"].nunique() == 7
    found = summarize(table, study)
    columns = found.metrics["average_precision"].columns
    assert columns == ["ADBench 1 %", "ADBench 25 %", "ADBench 100 %"]
    assert "ADBench's, for its seeds 1 to 1: at most 10,000 rows" in found.protocol["Splits"]
    assert list(describe_protocol(replace(STUDY, protocol=Study.protocol))) == list(
        found.protocol
    )


def test_a_protocol_has_keys_of_its_own_and_needs_no_share_of_test_rows_in_them():
    hashes = {"digits-8": ""}
    ours = replace(STUDY, protocol=Study.protocol)
    keys = [{trial.key for trial in trials(study, hashes)} for study in (STUDY, ours)]
    assert keys[0].isdisjoint(keys[1])


def test_draws_that_lost_their_positives_fail_as_rows_and_do_not_end_the_study(
    tmp_path, monkeypatch
):
    X, y_true = make_table(1_200)
    y_true[:] = 0
    with pytest.raises(ValueError, match="must hold 2 positives, got 0"):
        PROTOCOL.split_rows(X, y_true, 1)
    data = replace(load("digits-8"), X=X, y_true=y_true)
    monkeypatch.setattr("lopsided_bench.adbench.load", lambda _: data)
    table = run_study(STUDY, tmp_path)
    assert set(table["status"]) == {"failed"}
    assert table["message"].iloc[0].startswith("digits-8, seed 1: the rows drawn must hold")


HEAD = """
title = "A try"
datasets = ["digits-8"]
mechanisms = "adbench"
methods = ["naive-xgb"]
protocol = "adbench"
"""


def test_a_study_file_names_the_protocol_and_gets_its_seven_shares(tmp_path):
    file = tmp_path / "try.toml"
    file.write_text(HEAD)
    study = read_study(file)
    assert study.protocol == PROTOCOL
    assert [setting.hidden for setting in study.settings] == list(HIDDEN)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('protocol = "adbench"', "", "stratified.*'adbench'"),
        ('protocol = "adbench"', 'protocol = "adbnch"', "adbench"),
        ('protocol = "adbench"', "protocol = 5", "protocol.* 5"),
        ('"adbench"\nm', '"scar"\nm', "adbench.*'scar'"),
        ('methods = ["', 'test_share = 0.2\nmethods = ["', r"test_share.* 0\.2"),
        ('"digits-8"', '"wine-rare"', "1,000.*wine-rare.*146"),
    ],
)
def test_what_does_not_fit_the_protocol_is_refused(tmp_path, old, new, words):
    file = tmp_path / "try.toml"
    file.write_text(HEAD.replace(old, new))
    with pytest.raises(ValueError, match=words):
        read_study(file)


@pytest.mark.skipif(not STUDIES.exists(), reason="studies are not part of a source package")
def test_the_committed_study_has_22_sets_seven_shares_and_the_three_printed_seeds():
    study = read_study(STUDIES / "adbench.toml")
    assert study.datasets == tuple(list_datasets("adbench"))
    assert [setting.hidden for setting in study.settings] == list(HIDDEN)
    assert (study.first, study.repeats) == (1, 3)


@pytest.mark.data("adbench")
def test_smtp_keeps_three_training_positives_and_a_fit_on_one_of_them_succeeds():
    name, study = "adbench-smtp", replace(STUDY, datasets=("adbench-smtp",))
    PROTOCOL.check(study)
    splits = [split_dataset(study, name, seed) for seed in (1, 2, 3)]
    sizes = {len(split.X) + len(split.X_test) for split in splits}
    assert sizes == {PROTOCOL.count_rows(name)} == {10_000}
    assert [split.y_true.sum() for split in splits] == [3, 3, 3]
    assert [split.y_true_test.sum() for split in splits] == [1, 1, 2]
    few = next(iter(trials(study, {name: describe(name).sha256})))
    assert run_trial(few, study, splits[0])[0].status == "ok"


@pytest.mark.data("adbench")
def test_at_one_percent_nine_sets_have_a_single_labeled_row():
    single, one_percent = set(), Setting("adbench", 0.99)
    for name in list_datasets("adbench"):
        split = split_dataset(STUDY, name, 1)
        if PROTOCOL.draw_labels(STUDY, name, 1, one_percent, split).sum() == 1:
            single.add(describe(name).title)
    few = "cover http letter musk satimage-2 smtp thyroid vowels Waveform"
    assert single == set(few.split())


@pytest.mark.data("adbench")
@pytest.mark.parametrize(
    ("name", "share"),
    [("donors", 0.8), ("mammography", 0.3), ("celeba", 1 / 7), ("http", 0.1), ("cover", 0)],
)
def test_test_rows_have_twins_in_training_as_the_text_says(name, share):
    split = split_dataset(STUDY, f"adbench-{name}", 1)
    known = set(map(bytes, split.X))
    assert np.mean([bytes(row) in known for row in split.X_test]) == pytest.approx(
        share, abs=0.02
    )


@pytest.mark.data("adbench")
@pytest.mark.skipif(not STUDIES.exists(), reason="studies are not part of a source package")
@pytest.mark.parametrize("name", ["adbench-cardio", "adbench-vowels", "adbench-shuttle"])
def test_a_random_forest_has_the_printed_average_precision(name):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import average_precision_score

    found, setting, data = [], Setting("adbench", 0.9), load(name)
    for seed in (1, 2, 3):
        split = PROTOCOL.split_rows(data.X, data.y_true, seed)
        y = PROTOCOL.draw_labels(STUDY, name, seed, setting, split)
        forest = RandomForestClassifier(random_state=seed).fit(split.X, y)
        chances = forest.predict_proba(split.X_test)[:, 1]
        found.append(average_precision_score(split.y_true_test, chances))
    printed = read_published(STUDIES / "published" / "adbench.csv").find(
        "random-forest", "average_precision", setting, [name]
    )
    assert np.mean(found) == pytest.approx(printed.mean, abs=0.01)
