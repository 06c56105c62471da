import os
import random
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from small_study import BOOSTERS, QUICK, STUDY

from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided_bench import trial as module
from lopsided_bench.command import estimate_seconds
from lopsided_bench.datasets import describe
from lopsided_bench.runner import open_store, plan, run_study
from lopsided_bench.study import MethodSpec
from lopsided_bench.table import (
    finished_keys,
    make_result_table,
    name_versions,
    read_result_table,
    write_result_table,
)
from lopsided_bench.trial import run_trial, seed_of, split_dataset, trials

SCAR = STUDY.settings[:1]
HASHES = {name: describe(name).sha256 for name in STUDY.datasets}


def numbers(table):
    return table.drop(columns="seconds")


def without_tree(table):
    """The numbers of the boosters alone."""
    return numbers(table[table["label"] != "tree"].reset_index(drop=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory, in_process):
    """The table of a run without any break, and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    with in_process():
        return run_study(STUDY, folder, n_workers=1), folder


@pytest.fixture(autouse=True)
def one_process(request, in_process):
    """Let a test run its studies in this process, but for those that ask for workers."""
    with nullcontext() if "workers" in request.fixturenames else in_process():
        yield


@pytest.fixture
def workers():
    """The real ones."""


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


def test_a_method_with_the_seeds_of_another_has_its_numbers_and_a_key_of_its_own():
    methods = (STUDY.methods[0], MethodSpec("twin", "naive-xgb", QUICK, seed_from="naive"))
    study = replace(STUDY, methods=methods, datasets=("wine-rare",), repeats=1, settings=SCAR)
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
    study = replace(STUDY, methods=methods, datasets=("wine-rare",), repeats=1, settings=SCAR)
    split = split_dataset(study, "wine-rare", 0)
    for trial in trials(study, HASHES):
        assert run_trial(trial, study, split, str(tmp_path))[0].status == "ok"
    assert len(fits) == 3  # of three folds


def test_other_data_change_the_key():
    old = {trial.key for trial in trials(STUDY, HASHES)}
    others = dict.fromkeys(HASHES, "0" * 64)
    assert not old & {trial.key for trial in trials(STUDY, others)}


def test_a_new_method_leaves_the_keys_of_the_others():
    more = replace(STUDY, methods=(*STUDY.methods, MethodSpec("bag", "pu-bagging")), repeats=3)
    keys = {trial.key for trial in trials(more, HASHES)}
    assert {trial.key for trial in trials(STUDY, HASHES)} <= keys


def test_the_table_is_complete_and_depends_on_the_labels(whole):
    table, _ = whole
    assert (table["status"] == "ok").all()
    assert len(table) == 2 * len(list(trials(STUDY, HASHES)))
    assert table["value"].between(0, 1).all()
    assert set(table.loc[table["label"] == "oracle", "mechanism"]) == {"none"}
    settings = table[table["label"] == "naive"].groupby(["mechanism", "hidden"])["value"]
    assert settings.mean().nunique() == 2  # other labels, other numbers


def test_two_workers_and_another_order_give_the_same_numbers(whole, tmp_path, workers):
    other = replace(STUDY, datasets=STUDY.datasets[::-1], methods=STUDY.methods[::-1])
    table = run_study(other, tmp_path, n_workers=2)
    assert_frame_equal(numbers(table), numbers(whole[0]))


def test_nothing_is_left_to_run_after_a_run(whole):
    assert plan(STUDY, whole[1]).left == []
    assert read_result_table(whole[1]).equals(whole[0])
    assert sorted(path.name for path in whole[1].iterdir()) == [
        "parts",
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
    small = replace(STUDY, datasets=("wine-rare",), methods=STUDY.methods[:1], repeats=1)
    first = run_study(small, tmp_path)
    other = replace(small, methods=(MethodSpec("naive", "naive-xgb", {"n_estimators": 6}),))
    run_study(other, tmp_path)
    assert plan(small, tmp_path).left == []
    assert_frame_equal(run_study(small, tmp_path), first)


def test_a_failed_trial_is_a_row_and_is_tried_again(tmp_path):
    bad = MethodSpec("bad", "naive-xgb", {"n_estimators": -1})
    study = replace(STUDY, datasets=("wine-rare",), methods=(bad, STUDY.methods[0]), repeats=1)
    table = run_study(study, tmp_path)
    failed = table[table["label"] == "bad"]
    assert (failed["status"] == "failed").all()
    assert failed["message"].str.contains("n_estimators must be a whole number from 1").all()
    assert failed["value"].isna().all()
    assert (table.loc[table["label"] == "naive", "status"] == "ok").all()
    assert {trial.method.label for trial in plan(study, tmp_path).left} == {"bad"}
    later = run_study(study, tmp_path, only=["naive"])  # does not hide what failed before
    assert_frame_equal(later, table)


def test_a_late_trial_is_a_row(tmp_path, workers):
    slow = MethodSpec("slow", "naive-xgb", {"n_estimators": 100_000})
    late = replace(
        STUDY, datasets=("wine-rare",), methods=(slow,), repeats=1, timeout=0.3, settings=SCAR
    )
    table = run_study(late, tmp_path)
    assert set(table["status"]) == {"timeout"}
    assert (table["seconds"] < 20).all()


def test_a_stop_that_a_trial_takes_for_an_error_is_no_result(monkeypatch):
    def fit(*_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(module, "_fit_and_score", fit)
    with pytest.raises(KeyboardInterrupt):
        run_trial(ONE, SMALL, split_dataset(SMALL, "wine-rare", 0))


SMALL = replace(
    STUDY, datasets=("wine-rare",), methods=STUDY.methods[:1], settings=SCAR, repeats=1
)


ONE = next(trials(SMALL, HASHES))


@pytest.fixture(scope="module")
def rows():
    """What the only trial of a small study finds, by metric."""
    return run_trial(ONE, SMALL, split_dataset(SMALL, "wine-rare", 0))


def write_part(folder, trial, rows):
    """Write the file of a trial as a worker does; return its path."""
    store = open_store(SMALL, folder)
    store.write(trial.stored_as, make_result_table(rows))
    return store.path(trial.stored_as)


def test_a_trial_that_lacks_a_metric_is_not_finished(rows, tmp_path):
    for some, done in ((rows[:1], False), (rows[1:], False), (rows, True)):
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        write_part(folder, ONE, some)
        found = plan(SMALL, folder)
        assert (not found.left, len(found.known)) == (done, 2 * done)
        finished = finished_keys(make_result_table(some), SMALL.metrics)
        assert finished == ({rows[0].key} if done else set())


def test_a_metric_that_the_table_lost_is_measured_again(rows, tmp_path):
    whole = run_study(SMALL, tmp_path)
    write_result_table(whole[:1], tmp_path / "table.parquet")
    assert len(plan(SMALL, tmp_path).left) == 1
    other = run_study(SMALL, tmp_path, only=["breast-cancer-rare"])
    assert other.empty  # half a trial is none
    assert_frame_equal(numbers(run_study(SMALL, tmp_path)), numbers(whole))


def test_a_part_that_is_cut_anywhere_costs_its_trial_and_nothing_else(rows, tmp_path):
    path = write_part(tmp_path, ONE, rows)
    whole = path.read_bytes()
    for size in range(0, len(whole), 199):
        path.write_bytes(whole[:size])
        assert len(plan(SMALL, tmp_path).left) == 1
    path.write_bytes(whole)
    assert not plan(SMALL, tmp_path).left


@pytest.mark.parametrize(
    "change",
    [
        {"key": "another"},
        {"key": 1},
        {"value": "0.5"},
        {"status": None},
        {"repeat": "0"},
        {"metric": 5},
    ],
    ids=str,
)
def test_a_file_that_is_no_trial_is_overlooked_and_made_again(rows, change, tmp_path):
    wrong = make_result_table(rows).assign(**change)
    open_store(SMALL, tmp_path).write(ONE.stored_as, wrong)
    open_store(SMALL, tmp_path).write("wine-rare-0000/another", wrong[["value"]])
    assert plan(SMALL, tmp_path).left == [ONE]
    table = run_study(SMALL, tmp_path)
    assert_frame_equal(numbers(table), numbers(make_result_table(rows)))


def test_the_table_is_on_the_disk_before_its_parts_are_deleted(rows, tmp_path, monkeypatch):
    part = write_part(tmp_path, ONE, rows)
    events = []
    flush, rename, unlink = os.fsync, os.replace, Path.unlink

    def note_flush(handle):
        events.append(("flush", os.fstat(handle).st_ino))
        flush(handle)

    def note_rename(old, new):
        events.append(("rename", os.stat(old).st_ino, Path(new).name))
        rename(old, new)

    def note_unlink(path, **options):
        events.append(("unlink", path.name))
        unlink(path, **options)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(os, "replace", note_rename)
    monkeypatch.setattr(Path, "unlink", note_unlink)
    run_study(SMALL, tmp_path)
    table, folder = (os.stat(path).st_ino for path in (tmp_path / "table.parquet", tmp_path))
    wanted = [("flush", table), ("rename", table, "table.parquet"), ("flush", folder)]
    wanted.append(("unlink", part.name))
    assert [event for event in events if event in wanted] == wanted


def test_a_table_of_other_types_is_refused_by_name(rows, tmp_path):
    table = make_result_table(rows)
    for name in ("key", "value", "repeat"):
        path = tmp_path / f"{name}.parquet"
        write_result_table(table.assign(**{name: [["x"]] * len(table)}), path)
        with pytest.raises(ValueError, match=rf"{name}.parquet must .* '{name}' is of"):
            read_result_table(path)


CODE = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
from small_study import BOOSTERS
from lopsided_bench.runner import run_study
if __name__ == "__main__":
    run_study(BOOSTERS, Path({folder!r}), n_workers={n_workers})
"""


def start(folder, number=0, n_workers=2):
    script = Path(folder) / f"run{number}.py"
    script.parent.mkdir(exist_ok=True)
    here = str(Path(__file__).parent)
    script.write_text(CODE.format(here=here, folder=str(folder), n_workers=n_workers))
    return subprocess.Popen([sys.executable, script], start_new_session=True)


def count_parts(folder):
    return len(list((folder / "parts").rglob("*.parquet")))


def wait_for_parts(run, folder, n_more):
    """Wait until a run has finished some more trials, or is done."""
    deadline = time.monotonic() + 60
    target = count_parts(folder) + n_more
    while time.monotonic() < deadline and run.poll() is None:
        if count_parts(folder) >= target:
            break
        time.sleep(0.02)


def test_a_killed_study_goes_on_where_it_was(whole, tmp_path):
    chance = random.Random(0)
    for _ in range(3):
        run = start(tmp_path)
        wait_for_parts(run, tmp_path, 1)
        time.sleep(0.2 * chance.random())
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    left = len(plan(BOOSTERS, tmp_path).left)
    assert left < len(list(trials(BOOSTERS, HASHES)))
    table = run_study(BOOSTERS, tmp_path, n_workers=1)
    assert_frame_equal(numbers(table), without_tree(whole[0]))


def test_two_runs_into_one_folder_keep_each_others_work_and_share_it(whole, tmp_path):
    both = [start(tmp_path, n, n_workers=1) for n in range(2)]
    assert [run.wait(timeout=120) for run in both] == [0, 0]
    assert_frame_equal(numbers(read_result_table(tmp_path)), without_tree(whole[0]))
    assert not count_parts(tmp_path)


def test_a_run_that_ends_keeps_what_others_write_meanwhile(whole, tmp_path, monkeypatch):
    """Another run finishes a trial, and a third one ends, while this one is at its trials."""
    later = next(t for t in trials(STUDY, HASHES) if t.method.label == "naive")
    split = split_dataset(STUDY, later.dataset, later.repeat)

    def run_others(groups, study, store, n_workers, advance):
        monkeypatch.undo()
        run_study(STUDY, tmp_path, only=["tree"])
        store.write(later.stored_as, make_result_table(run_trial(later, STUDY, split)))

    monkeypatch.setattr("lopsided_bench.runner.run_trials", run_others)
    table = run_study(STUDY, tmp_path, only=["oracle"])
    expected = whole[0][(whole[0]["label"] == "tree") | (whole[0]["key"] == later.key)]
    assert_frame_equal(numbers(table), numbers(expected.reset_index(drop=True)))


def test_what_another_run_has_finished_is_not_run_again(rows, tmp_path, monkeypatch):
    def fail(*_):
        raise AssertionError

    store = open_store(SMALL, tmp_path)
    write_part(tmp_path, ONE, rows)
    monkeypatch.setattr(module, "run_trial", fail)
    module.run_group([ONE], SMALL, store)
    assert store.keys() == [ONE.stored_as]


def test_a_folder_of_another_study_is_refused(rows, tmp_path):
    write_part(tmp_path, ONE, rows)
    other = replace(SMALL, name="other")
    for refuse in (plan, run_study):
        with pytest.raises(
            ValueError, match="results of the study try, not of the study other"
        ):
            refuse(other, tmp_path)
    assert not plan(SMALL, tmp_path).left


def test_a_folder_that_cannot_be_written_to_is_an_error_and_keeps_what_was_finished(
    whole, tmp_path, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    run_study(STUDY, tmp_path, only=["tree"])
    monkeypatch.setattr("lopsided_bench.runner.write_result_table", full)
    with pytest.raises(OSError, match="No space left"):
        run_study(STUDY, tmp_path, only=["naive"])
    monkeypatch.undo()
    left = {trial.method.label for trial in plan(STUDY, tmp_path).left}
    assert left == {"focused", "oracle"}


_UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from small_study import STUDY
from lopsided_bench import trial as module
from lopsided_bench.runner import run_study
kept = module.run_trial
def run_trial(trial, study, split, *rest):
    if trial.repeat:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    return kept(trial, study, split, *rest)
module.run_trial = run_trial  # in the workers too: they import this file
if __name__ == "__main__":
    try:
        run_study(STUDY, Path(sys.argv[1]), n_workers=2, only=["naive", "focused"])
    except OSError as error:
        print(error)
        sys.exit(2)
"""


def run_script(tmp_path, text):
    script = tmp_path / "script.py"
    script.write_text(text)
    words = [sys.executable, str(script), str(tmp_path / "out"), str(Path(__file__).parent)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120)


def test_a_disk_that_is_full_for_the_workers_keeps_what_was_finished(whole, tmp_path):
    done = run_script(tmp_path, _UNDER_A_LIMIT)
    assert done.returncode == 2, done.stderr
    assert "File too large; what was finished before is kept" in done.stdout
    folder = tmp_path / "out"
    known = plan(STUDY, folder).known
    assert 0 < known["key"].nunique() < 16
    assert_frame_equal(numbers(run_study(STUDY, folder, n_workers=1)), numbers(whole[0]))


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        run_study(STUDY, tmp_path / "file" / "out")
    with pytest.raises(NotADirectoryError, match=r"file is a file. Name a folder"):
        run_study(STUDY, tmp_path / "file")


def test_a_row_tells_what_it_was_made_with_and_a_resumed_table_keeps_it(whole, tmp_path):
    assert set(read_result_table(whole[1])["versions"]) == {name_versions()}
    naive = whole[0][whole[0]["label"] == "naive"].assign(versions="older ones")
    write_result_table(naive, tmp_path / "committed.parquet")
    table = run_study(
        STUDY, tmp_path / "out", only=["tree"], committed=[tmp_path / "committed.parquet"]
    )
    found = table.groupby("label")["versions"].unique().str.join(";").to_dict()
    assert found == {"naive": "older ones", "tree": name_versions()}


def test_an_estimate_interpolates_between_table_sizes(whole, tmp_path):
    again = plan(STUDY, tmp_path, redo=["naive"], committed=[whole[1] / "table.parquet"])
    assert estimate_seconds(again._replace(known=again.known[:0]), STUDY, n_workers=1) > 0
    small, large = sorted(STUDY.datasets, key=lambda name: describe(name).rows)
    told = {small: 1.0, large: 3.0}
    known = whole[0].assign(seconds=whole[0]["dataset"].map(told))
    measured = again._replace(known=known)
    # 4 trials on each set, and a fifth more for what is beside the fits
    assert estimate_seconds(measured, STUDY, n_workers=1) == pytest.approx(
        1.2 * (4 * 1 + 4 * 3)
    )
    assert estimate_seconds(measured, STUDY, n_workers=2) == pytest.approx(
        0.6 * (4 * 1 + 4 * 3)
    )
    middle = [trial._replace(dataset="diabetes-top") for trial in again.left[:1]]
    sizes = [describe(name).rows for name in (small, "diabetes-top", large)]
    expected = 1 + 2 * (sizes[1] - sizes[0]) / (sizes[2] - sizes[0])
    found = estimate_seconds(measured._replace(left=middle), STUDY, n_workers=1)
    assert found == pytest.approx(1.2 * min(max(expected, 1), 3))


_DEADLY = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from small_study import STUDY
from lopsided_bench import trial as module
from lopsided_bench.runner import run_study
kept = module.run_trial
def run_trial(trial, study, *rest):
    if trial.method.label == "focused" and trial.dataset == "wine-rare" and not trial.repeat:
        if trial.setting.mechanism == "scar":
            os._exit(9)
    return kept(trial, study, *rest)
module.run_trial = run_trial  # in the workers too: they import this file
if __name__ == "__main__":
    run_study(STUDY, Path(sys.argv[1]), n_workers=2, only=["naive", "focused"])
"""


def test_a_dead_worker_costs_its_own_trial_and_no_other(whole, tmp_path):
    done = run_script(tmp_path, _DEADLY)
    assert done.returncode == 0, done.stderr
    table = read_result_table(tmp_path / "out")
    bad = table[table["status"] != "ok"]
    assert len(bad) == 2  # a row for each metric
    assert set(zip(bad["label"], bad["dataset"], bad["mechanism"], strict=True)) == {
        ("focused", "wine-rare", "scar")
    }
    assert bad["message"].str.contains("died").all()
    healed = run_study(STUDY, tmp_path / "out")
    assert_frame_equal(numbers(healed), numbers(whole[0]))


_UNGUARDED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from small_study import STUDY
from lopsided_bench.runner import run_study
run_study(STUDY, Path(sys.argv[1]), n_workers=1, only=["naive"])
"""


def test_workers_that_cannot_start_are_an_error_and_not_an_endless_loop(tmp_path):
    done = run_script(tmp_path, _UNGUARDED)
    assert done.returncode != 0
    assert "die before their first trial" in done.stderr


def test_workers_end_with_the_process_that_started_them(tmp_path):
    run = start(tmp_path)
    wait_for_parts(run, tmp_path, 1)
    run.kill()  # the parent alone
    run.wait()
    time.sleep(1.0)
    before = count_parts(tmp_path)
    time.sleep(1.0)
    assert count_parts(tmp_path) == before


def test_redoing_a_part_keeps_the_rest(whole, tmp_path):
    run_study(STUDY, tmp_path, committed=[whole[1] / "table.parquet"])
    for only in (["wine-rare"], ["focused"]):
        table = run_study(STUDY, tmp_path, only=only, redo=["naive"])
        assert_frame_equal(numbers(table), numbers(whole[0]))


def test_a_redo_that_was_stopped_is_finished_by_the_next_run(whole, tmp_path, monkeypatch):
    marked = whole[0].assign(versions="older ones")
    write_result_table(marked, tmp_path / "table.parquet")

    def stop(groups, study, store, n_workers, advance):
        trial = groups[0][0]
        split = split_dataset(study, trial.dataset, trial.repeat)
        store.write(trial.stored_as, make_result_table(run_trial(trial, study, split)))
        raise KeyboardInterrupt

    monkeypatch.setattr("lopsided_bench.runner.run_trials", stop)
    with pytest.raises(KeyboardInterrupt):
        run_study(STUDY, tmp_path, redo=["naive"])
    monkeypatch.undo()
    stopped = read_result_table(tmp_path).query("label == 'naive'")
    assert set(stopped["status"]) == {"redo"}  # a row tells it to whoever reads the table now
    assert stopped["value"].isna().all()
    assert len(plan(STUDY, tmp_path).left) == 7  # of 8, and without being told again
    assert len(plan(STUDY, tmp_path, redo=["naive"]).left) == 7
    assert not plan(STUDY, tmp_path, only=["focused"]).left
    table = run_study(STUDY, tmp_path)
    assert_frame_equal(
        numbers(table).drop(columns="versions"), numbers(whole[0]).drop(columns="versions")
    )
    assert set(table.loc[table["label"] == "naive", "versions"]) == {name_versions()}
    assert set(table.loc[table["label"] != "naive", "versions"]) == {"older ones"}
    assert not plan(STUDY, tmp_path).left


def test_a_redo_that_was_stopped_takes_nothing_from_committed_results(
    whole, tmp_path, monkeypatch
):
    committed = [whole[1] / "table.parquet"]

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("lopsided_bench.runner.run_trials", stop)
    with pytest.raises(KeyboardInterrupt):
        run_study(STUDY, tmp_path, redo=["tree"], committed=committed)
    monkeypatch.undo()
    left = plan(STUDY, tmp_path, committed=committed).left
    assert {trial.method.label for trial in left} == {"tree"}
    table = run_study(STUDY, tmp_path, committed=committed)
    assert_frame_equal(numbers(table), numbers(whole[0]))


def test_seeds_depend_on_every_word_and_nothing_else():
    assert seed_of(0, "wine-rare", 1) == seed_of(0, "wine-rare", 1)
    assert len({seed_of(a, b) for a in range(30) for b in ("x", "y")}) == 60
    assert 0 <= seed_of("a") < 2**32
