import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from small_study import BOOSTERS, QUICK, STUDY

from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.methods.registry import get_method
from lopsided_bench import runner
from lopsided_bench.datasets import describe
from lopsided_bench.parallel import run_parallel
from lopsided_bench.runner import plan, run_study
from lopsided_bench.study import MethodSpec
from lopsided_bench.table import name_versions, read_result_table, write_result_table
from lopsided_bench.trial import deadline, run_group, run_trial, seed_of, split_dataset, trials

SCAR = STUDY.settings[:1]
HASHES = {name: describe(name).sha256 for name in STUDY.datasets}
SMALL = replace(
    STUDY, datasets=("wine-rare",), methods=STUDY.methods[:1], settings=SCAR, repeats=1
)
ONE = next(trials(SMALL, HASHES))


def numbers(table):
    return table.drop(columns="seconds")


def without_tree(table):
    """Return the numbers of the boosters alone."""
    return numbers(table[table["label"] != "tree"].reset_index(drop=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The table of a run without any break, and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    return run_study(STUDY, folder), folder


def test_trials_are_enumerated_and_their_keys_are_their_own():
    found = list(trials(STUDY, HASHES))
    # 2 sets: naive and focused 2 repeats x 2 settings, tree 1 x 2, the oracle once a split
    assert len(found) == 2 * (2 * 2 * 2 + 2 + 2)
    assert len({trial.key for trial in found}) == len(found)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"test_share": 0.4},
        {"metrics": ("roc_auc",)},
        {"methods": (MethodSpec("naive", "naive-xgb", {"n_estimators": 6}),)},
        {"methods": (MethodSpec("other", "naive-xgb", QUICK),)},
    ],
)
def test_whatever_changes_the_numbers_changes_the_key(change):
    old = {trial.key for trial in trials(STUDY, HASHES)}
    assert not old & {trial.key for trial in trials(replace(STUDY, **change), HASHES)}


def test_other_data_change_the_key():
    old = {trial.key for trial in trials(STUDY, HASHES)}
    others = dict.fromkeys(HASHES, "0" * 64)
    assert not old & {trial.key for trial in trials(STUDY, others)}


def test_a_new_method_leaves_the_keys_of_the_others():
    more = replace(STUDY, methods=(*STUDY.methods, MethodSpec("bag", "pu-bagging")), repeats=3)
    keys = {trial.key for trial in trials(more, HASHES)}
    assert {trial.key for trial in trials(STUDY, HASHES)} <= keys


def test_a_class_that_moves_to_another_module_leaves_the_keys(monkeypatch):
    before = [trial.key for trial in trials(SMALL, HASHES)]
    entry = get_method("naive-xgb")._replace(target="lopsided:BoostedRiskClassifier")
    monkeypatch.setattr("lopsided_bench.trial.get_method", lambda _: entry)
    assert [trial.key for trial in trials(SMALL, HASHES)] == before


def test_a_method_with_the_seeds_of_another_has_its_numbers_and_a_key_of_its_own():
    methods = (STUDY.methods[0], MethodSpec("twin", "naive-xgb", QUICK, seed_from="naive"))
    study = replace(SMALL, methods=methods)
    split = split_dataset(study, "wine-rare", 0)
    one, two = trials(study, HASHES)
    assert one.key != two.key
    found = [[row.value for row in run_trial(trial, study, split)] for trial in (one, two)]
    assert found[0] == found[1]


def test_variants_with_one_memory_fit_what_they_share_once(tmp_path, monkeypatch):
    fits, plain = [], NaiveLogisticClassifier._fit

    def count(self, rows, rng):
        fits.append(self)
        plain(self, rows, rng)

    monkeypatch.setattr(NaiveLogisticClassifier, "_fit", count)
    alone = {"estimators": ["logistic"]}
    methods = (
        MethodSpec("whole", "focused-fast", alone),
        MethodSpec("equal", "focused-fast", {**alone, "weighting": "equal"}, seed_from="whole"),
    )
    study = replace(SMALL, methods=methods)
    split = split_dataset(study, "wine-rare", 0)
    for trial in trials(study, HASHES):
        assert run_trial(trial, study, split, str(tmp_path))[0].status == "ok"
    assert len(fits) == 3  # of three folds


def test_the_table_is_complete_and_depends_on_the_labels(whole):
    table, _ = whole
    assert (table["status"] == "ok").all()
    assert len(table) == 2 * len(list(trials(STUDY, HASHES)))
    assert table["value"].between(0, 1).all()
    assert set(table.loc[table["label"] == "oracle", "mechanism"]) == {"none"}
    settings = table[table["label"] == "naive"].groupby(["mechanism", "hidden"])["value"]
    assert settings.mean().nunique() == 2  # other labels, other numbers


def test_two_workers_and_another_order_give_the_same_numbers(whole, tmp_path):
    other = replace(STUDY, datasets=STUDY.datasets[::-1], methods=STUDY.methods[::-1])
    table = run_study(other, tmp_path, n_workers=2)
    assert_frame_equal(numbers(table), numbers(whole[0]))


def test_nothing_is_left_to_run_after_a_run(whole):
    assert plan(STUDY, whole[1]).left == []
    assert read_result_table(whole[1]).equals(whole[0])
    assert not list(whole[1].rglob(".*"))  # drafts
    assert sorted(path.name for path in whole[1].rglob("*") if path.is_file()) == [
        "fingerprint.json",
        "table.parquet",
    ]


def test_a_changed_method_and_one_to_redo_are_run_again_and_nothing_else(whole):
    changed = replace(
        STUDY,
        methods=(MethodSpec("naive", "naive-xgb", {"n_estimators": 6}), *STUDY.methods[1:]),
    )
    assert {trial.method.label for trial in plan(changed, whole[1]).left} == {"naive"}
    assert {t.method.label for t in plan(STUDY, whole[1], redo=["tree"]).left} == {"tree"}


def test_a_committed_table_seeds_a_run(whole, tmp_path):
    committed = whole[1] / "table.parquet"
    assert plan(STUDY, tmp_path, committed=[committed]).left == []
    table = run_study(STUDY, tmp_path, committed=[committed])
    assert_frame_equal(table, whole[0])


def test_running_a_part_keeps_the_rest(whole, tmp_path):
    part = run_study(STUDY, tmp_path, only=["tree"])
    assert set(part["label"]) == {"tree"}
    both = run_study(STUDY, tmp_path, only=["wine-rare"])
    assert set(both["dataset"]) == set(STUDY.datasets)
    rest = run_study(STUDY, tmp_path)
    assert_frame_equal(numbers(rest), numbers(whole[0]))


def test_results_of_an_earlier_form_of_a_method_come_back_with_it(tmp_path):
    first = run_study(SMALL, tmp_path)
    run_study(replace(SMALL, methods=(MethodSpec("naive", "naive-xgb"),)), tmp_path)
    assert plan(SMALL, tmp_path).left == []
    assert_frame_equal(run_study(SMALL, tmp_path), first)


def test_a_failed_trial_is_a_row_and_is_tried_again(tmp_path):
    bad = MethodSpec("bad", "naive-xgb", {"n_estimators": -1})
    study = replace(STUDY, datasets=("wine-rare",), methods=(bad, STUDY.methods[0]), repeats=1)
    table = run_study(study, tmp_path)
    failed = table[table["label"] == "bad"]
    assert (failed["status"] == "failed").all()
    assert failed["message"].str.contains("n_estimators").all()
    assert failed["value"].isna().all()
    assert (table.loc[table["label"] == "naive", "status"] == "ok").all()
    assert {trial.method.label for trial in plan(study, tmp_path).left} == {"bad"}
    later = run_study(study, tmp_path, only=["naive"])  # does not hide what failed before
    assert_frame_equal(later, table)


def test_a_late_trial_is_a_row(tmp_path):
    slow = MethodSpec("slow", "naive-xgb", {"n_estimators": 100_000})
    table = run_study(replace(SMALL, methods=(slow,), timeout=0.3), tmp_path)
    assert set(table["status"]) == {"timeout"}
    assert (table["seconds"] < 20).all()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_that_becomes_another_error_is_still_a_timeout(monkeypatch):
    def fit(*_):
        try:
            time.sleep(60)
        except TimeoutError as error:
            raise ImportError("a name of the module is missing") from error

    monkeypatch.setattr("lopsided_bench.trial._fit_and_score", fit)
    late = replace(SMALL, timeout=0.01)
    rows = run_trial(ONE, late, split_dataset(SMALL, "wine-rare", 0))
    assert {row.status for row in rows} == {"timeout"}


def test_an_error_before_the_deadline_stays_what_it_is():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(KeyError), deadline(60.0):
        raise KeyError
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_a_file_that_is_cut_or_no_trial_is_overlooked_and_made_again(whole, tmp_path):
    store = runner._open_store(SMALL, tmp_path)
    run_group([ONE], SMALL, store, os.getpid())
    assert plan(SMALL, tmp_path).left == []
    path = store.path(ONE.stored_as)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert plan(SMALL, tmp_path).left == [ONE]
    store.write(ONE.stored_as, pd.DataFrame({"key": [ONE.key]}))
    assert plan(SMALL, tmp_path).left == [ONE]
    made = numbers(run_study(SMALL, tmp_path))
    there = numbers(whole[0][whole[0]["key"] == ONE.key]).reset_index(drop=True)
    assert_frame_equal(made, there)


CODE = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from small_study import BOOSTERS
from lopsided_bench.runner import run_study
run_study(BOOSTERS, Path({folder!r}), n_workers={n_workers})
"""


def start(folder, n_workers):
    script = Path(folder) / "run.py"
    script.parent.mkdir(exist_ok=True)
    here = str(Path(__file__).parent)
    script.write_text(CODE.format(here=here, folder=str(folder), n_workers=n_workers))
    return subprocess.Popen([sys.executable, script], start_new_session=True)


def count_parts(folder):
    return len(list((folder / "parts").glob("[!.]*.parquet")))


def wait_for_parts(run, folder, n_more):
    """Wait until a run has finished some more trials, or is done."""
    deadline = time.monotonic() + 60
    target = count_parts(folder) + n_more
    while time.monotonic() < deadline and run.poll() is None:
        if count_parts(folder) >= target:
            break
        time.sleep(0.02)


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_killed_study_goes_on_where_it_was(whole, tmp_path, n_workers):
    run = start(tmp_path, n_workers)
    wait_for_parts(run, tmp_path, 2)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    left = len(plan(BOOSTERS, tmp_path).left)
    assert 0 < left < len(list(trials(BOOSTERS, HASHES)))
    table = run_study(BOOSTERS, tmp_path)
    assert_frame_equal(numbers(table), without_tree(whole[0]))


def test_workers_end_with_the_process_that_started_them(tmp_path):
    run = start(tmp_path, n_workers=2)
    wait_for_parts(run, tmp_path, 1)
    run.kill()  # the parent alone
    run.wait()
    before = -1
    while before != count_parts(tmp_path):  # each worker may end the trial it is at
        before = count_parts(tmp_path)
        time.sleep(2.0)
    assert before < len(list(trials(BOOSTERS, HASHES)))


def test_a_folder_of_another_study_is_refused(whole):
    other = replace(STUDY, name="other")
    for refuse in (plan, run_study):
        with pytest.raises(ValueError, match=r"study try.*study other"):
            refuse(other, whole[1])


def test_a_full_disk_keeps_what_was_finished(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    run_study(STUDY, tmp_path, only=["tree"])
    monkeypatch.setattr(runner, "write_result_table", full)
    with pytest.raises(OSError, match="No space left"):
        run_study(STUDY, tmp_path, only=["naive"])
    monkeypatch.undo()
    left = {trial.method.label for trial in plan(STUDY, tmp_path).left}
    assert left == {"focused", "oracle"}


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NotADirectoryError, match="file"):
        run_study(STUDY, tmp_path / "file")


def test_a_row_names_the_versions_that_made_it_and_a_resumed_table_keeps_them(whole, tmp_path):
    assert set(read_result_table(whole[1])["versions"]) == {name_versions()}
    naive = whole[0][whole[0]["label"] == "naive"].assign(versions="older ones")
    write_result_table(naive, tmp_path / "committed.parquet")
    table = run_study(
        STUDY, tmp_path / "out", only=["tree"], committed=[tmp_path / "committed.parquet"]
    )
    found = table.groupby("label")["versions"].unique().str.join(";").to_dict()
    assert found == {"naive": "older ones", "tree": name_versions()}


def test_redoing_a_part_keeps_the_rest(whole, tmp_path):
    run_study(STUDY, tmp_path, committed=[whole[1] / "table.parquet"])
    for only in (["wine-rare"], ["focused"]):
        table = run_study(STUDY, tmp_path, only=only, redo=["naive"])
        assert_frame_equal(numbers(table), numbers(whole[0]))


def test_a_redo_that_was_stopped_is_finished_by_the_next_run(whole, tmp_path, monkeypatch):
    committed = tmp_path / "committed.parquet"
    write_result_table(whole[0].assign(versions="older ones"), committed)

    def stop_after_one(function, tasks, n_workers):
        group, *rest = tasks[0]
        function(group[:1], *rest)
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run_parallel", stop_after_one)
    with pytest.raises(KeyboardInterrupt):
        run_study(STUDY, tmp_path, redo=["naive"], committed=[committed])
    monkeypatch.undo()
    left = plan(STUDY, tmp_path, committed=[committed]).left  # without being told again
    assert [trial.method.label for trial in left] == ["naive"] * 7  # of 8
    table = run_study(STUDY, tmp_path, committed=[committed])
    assert_frame_equal(
        numbers(table).drop(columns="versions"), numbers(whole[0]).drop(columns="versions")
    )
    assert set(table.loc[table["label"] == "naive", "versions"]) == {name_versions()}
    assert set(table.loc[table["label"] != "naive", "versions"]) == {"older ones"}
    assert not plan(STUDY, tmp_path).left


def test_a_dead_worker_is_an_error_and_keeps_what_was_finished():
    with pytest.raises(OSError, match="--jobs"):
        list(run_parallel(os._exit, [(9,)] * 4, 2))


def test_seeds_depend_on_every_word_and_nothing_else():
    assert seed_of(0, "wine-rare", 1) == seed_of(0, "wine-rare", 1)
    assert len({seed_of(a, b) for a in range(30) for b in ("x", "y")}) == 60
    assert 0 <= seed_of("a") < 2**32
