"""Running a study: processes side by side, stopped and taken up again at any time."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from lopsided._progress import Bar
from lopsided.bench.study import Study
from lopsided.bench.table import append_rows, as_table, read_parts, read_table, write_table
from lopsided.bench.trial import Row, Trial, make_split, run_trial, trials
from lopsided.bench.versions import keep_versions, kept_versions, list_versions

__all__ = ["Plan", "plan", "run_study"]

TABLE, OLDER = "table.parquet", "older.parquet"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Plan(NamedTuple):
    """What a study asks for, what is there already, and what is left to run."""

    wanted: list[Trial]
    known: list[Row]
    left: list[Trial]
    older: list[Row]  # of methods and data that have changed since
    failed: list[Row]  # of trials that never came to an end
    versions: list[dict[str, str]]  # that what is known was made with


def plan(
    study: Study,
    folder: Path,
    only: Collection[str] = (),
    redo: Collection[str] = (),
    committed: Iterable[Path] = (),
) -> Plan:
    """Compare what a study asks for with what was run before.

    Parameters
    ----------
    study : Study
        The protocol.
    folder : Path
        Where its results are kept.
    only : collection of str
        Labels and data sets to restrict the run to; nothing is no restriction.
    redo : collection of str
        Labels whose results are not taken up again.
    committed : iterable of Path
        Tables of earlier runs to take results from.
    """
    everything = list(trials(study, _hashes(study)))
    keys = {trial.key for trial in everything}
    rows: list[Row] = []
    versions: list[dict[str, str]] = []
    for path in (*committed, folder / OLDER, folder / TABLE):
        if path.is_file():
            table = read_table(path)
            rows += [Row(*values) for values in table.itertuples(index=False)]
            versions += kept_versions(table)
    rows += read_parts(folder / "parts")
    newest = {(row.key, row.metric): row for row in rows if row.status == "ok"}
    failed = {(row.key, row.metric): row for row in rows if row.status != "ok"}
    known = [row for row in newest.values() if row.key in keys and row.label not in redo]
    done = {row.key for row in known}
    wanted = [trial for trial in everything if _matches(trial, only)]
    left = [trial for trial in wanted if trial.key not in done]
    older = [row for row in newest.values() if row.key not in keys]
    return Plan(
        wanted,
        known,
        left,
        older,
        [row for row in failed.values() if row.key in keys - done and row.label not in redo],
        versions,
    )


def run_study(
    study: Study,
    folder: Path,
    jobs: int = 1,
    only: Collection[str] = (),
    redo: Collection[str] = (),
    committed: Iterable[Path] = (),
) -> Any:
    """Run what is left of a study and return its table, which is also written.

    Parameters
    ----------
    study : Study
        The protocol.
    folder : Path
        Where `table.parquet` and, while it runs, the finished trials are kept.
    jobs : int
        Processes side by side, each on one thread.
    only, redo, committed : collections
        As in `plan`.
    """
    parts = folder / "parts"
    with _alone(folder):
        parts.mkdir(parents=True, exist_ok=True)
        todo = plan(study, folder, only, redo, committed)
        tasks = [
            list(group) for _, group in groupby(todo.left, lambda t: (t.dataset, t.repeat))
        ]
        with Bar(len(todo.left), study.name) as bar:
            _run_tasks(tasks, study, parts, jobs, bar.advance)
        keys = {trial.key for trial in todo.left}
        fresh = {(row.key, row.metric): row for row in read_parts(parts) if row.key in keys}
        failed = [row for row in todo.failed if row.key not in keys]
        versions = [*todo.versions, *([list_versions()] if todo.left else [])]
        table = keep_versions(as_table([*todo.known, *failed, *fresh.values()]), versions)
        if todo.older:
            write_table(as_table(todo.older), folder / OLDER)
        write_table(table, folder / TABLE)
        for path in parts.glob("*.jsonl"):
            path.unlink()
    return table


def _run_tasks(
    tasks: list[list[Trial]],
    study: Study,
    parts: Path,
    jobs: int,
    advance: Callable[[int], None],
) -> None:
    """Run tasks, each the trials of one data set and repeat; a dead worker costs one trial."""
    while tasks:
        with _pool(jobs) as pool:
            running: dict[Future[int], list[Trial]] = {}
            try:
                while tasks or running:
                    while tasks and len(running) < 2 * jobs:  # memory stays bounded
                        task = tasks.pop(0)
                        running[pool.submit(_run_task, task, study, parts)] = task
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        advance(future.result())
                        del running[future]
            except BrokenProcessPool:
                tasks = [*_without_dead(running.values(), parts), *tasks]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _run_task(task: list[Trial], study: Study, parts: Path) -> int:
    """Run the trials of one data set and repeat in a worker; return their number."""
    name = f"{task[0].dataset}-{task[0].repeat:04d}"
    mark, split = parts / f"{name}.running", make_split(study, task[0].dataset, task[0].repeat)
    for trial in task:
        mark.write_text(trial.key)
        append_rows(parts / f"{name}.jsonl", run_trial(trial, study, split))
    mark.unlink()
    return len(task)


def _without_dead(tasks: Iterable[list[Trial]], parts: Path) -> list[list[Trial]]:
    """Return what is left of tasks after a worker died; its trial becomes a failed row."""
    left = []
    for task in tasks:
        name = f"{task[0].dataset}-{task[0].repeat:04d}"
        mark, lines = parts / f"{name}.running", parts / f"{name}.jsonl"
        finished = {row.key for row in read_parts(parts)} if lines.exists() else set()
        died = mark.read_text() if mark.exists() else ""
        for trial in task:
            if trial.key == died and trial.key not in finished:
                append_rows(lines, _dead_rows(trial))
                finished.add(trial.key)
        rest = [trial for trial in task if trial.key not in finished]
        left += [rest] if rest else []
    return left


def _dead_rows(trial: Trial) -> list[Row]:
    mechanism, hidden = trial.setting
    method, nan = trial.method, float("nan")
    where = trial.dataset, mechanism, hidden, method.name, method.label, trial.prior_factor
    why = "the process died, perhaps for lack of memory"
    return [Row(*where, trial.repeat, "any", nan, nan, "failed", why, trial.key)]


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give workers that start fresh, each on one thread."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            yield pool
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep any other run out of a folder for as long as this one lasts."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(
                f"{folder} is in use by another run. Wait for it, or name another folder."
            ) from error
        yield


def _matches(trial: Trial, only: Collection[str]) -> bool:
    """Say whether a trial is among those asked for, by label, by data set, or by both."""
    if not only:
        return True
    return trial.method.label in only or trial.dataset in only


def _hashes(study: Study) -> dict[str, str]:
    from lopsided.datasets import load

    return {name: load(name).sha256 for name in study.datasets}
