"""Running a study: what is left of it is run, and can be stopped and taken up at any time."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from lopsided._files import atomic_write, check_folder, check_writable
from lopsided._progress import Bar
from lopsided.bench.study import Study
from lopsided.bench.table import (
    Row,
    as_table,
    finished_keys,
    read_parts,
    read_table,
    write_table,
)
from lopsided.bench.trial import Trial, count_trials, trials
from lopsided.bench.workers import run_tasks
from lopsided.datasets import describe

__all__ = ["Plan", "check_size", "plan", "run_study"]

TABLE, OLDER, AGAIN = "table.parquet", "older.parquet", "again.txt"
MARKS = (".lock", TABLE)  # of a folder that a study was run into
_MAX_TRIALS = 500_000  # ten times those of the paper; their keys alone take a while


class Plan(NamedTuple):
    """What a study asks for, what is there already, and what is left to run."""

    wanted: list[Trial]
    known: list[Row]
    left: list[Trial]
    older: list[Row]  # of methods and data that have changed since
    failed: list[Row]  # of trials that never came to an end
    again: list[Trial]  # of those left: there are results, and others are asked for


def check_size(study: Study) -> None:
    """Refuse a study that nobody can run.

    Parameters
    ----------
    study : Study
        The protocol.
    """
    count = count_trials(study)
    if count > _MAX_TRIALS:
        raise ValueError(
            f"The study {study.name} must have at most {_MAX_TRIALS:,} trials, got {count:,}. "
            "Lower its repeats, or split it."
        )


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
    check_size(study)
    everything = list(trials(study, {name: describe(name).sha256 for name in study.datasets}))
    wanted = [trial for trial in everything if _matches(trial, only)]
    keys = {trial.key for trial in everything}
    # Of a run that was stopped: what it has done again counts, what was there before does not.
    begun = _read_again(folder) & {trial.key for trial in wanted}
    asked = {trial.key for trial in wanted if trial.method.label in redo} - begun
    rows: list[Row] = []
    for path in (*committed, folder / OLDER, folder / TABLE):
        if path.is_file():
            found = (Row(*values) for values in read_table(path).itertuples(index=False))
            rows += [row for row in found if row.key not in begun]
    rows += read_parts(folder / "parts")
    newest = {(row.key, row.metric): row for row in rows if row.status == "ok"}
    failed = {(row.key, row.metric): row for row in rows if row.status != "ok"}
    done = finished_keys(newest.values(), study.metrics) & keys
    known = [row for row in newest.values() if row.key in done]
    enough, missing, again = done - asked, keys - done, asked & done | begun
    left = [trial for trial in wanted if trial.key not in enough]
    return Plan(
        wanted,
        known,
        left,
        [row for row in newest.values() if row.key not in keys],
        [row for row in failed.values() if row.key in missing],
        [trial for trial in left if trial.key in again],
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
        parts.mkdir(exist_ok=True)
        todo = plan(study, folder, only, redo, committed)
        if todo.again:
            # From now on only new results of these count, also for a run that takes over.
            _write_results(folder, [*todo.known, *todo.failed], todo.older)
            _write_again(folder, _read_again(folder) | {trial.key for trial in todo.again})
        for mark in parts.glob("*.running"):
            mark.unlink()
        tasks = [
            list(group) for _, group in groupby(todo.left, lambda t: (t.dataset, t.repeat))
        ]
        with Bar(len(todo.left), study.name) as bar:
            run_tasks(tasks, study, parts, jobs, bar.advance)
        keys = {trial.key for trial in todo.left}
        fresh = {(row.key, row.metric): row for row in read_parts(parts) if row.key in keys}
        before = [row for row in (*todo.known, *todo.failed) if row.key not in keys]
        table = _write_results(folder, [*before, *fresh.values()], todo.older)
        _write_again(folder, _read_again(folder) - {trial.key for trial in todo.wanted})
    return table


def _write_results(folder: Path, rows: list[Row], older: list[Row]) -> Any:
    """Write the tables, then clear away the finished trials that they now hold."""
    table = as_table(rows)
    if older:
        write_table(as_table(older), folder / OLDER)
    write_table(table, folder / TABLE)
    for path in (folder / "parts").glob("*.jsonl"):
        path.unlink()
    return table


def _write_again(folder: Path, keys: set[str]) -> None:
    """Note which trials are to be run again; nothing is noted of none."""
    if not keys:
        (folder / AGAIN).unlink(missing_ok=True)
        return
    with atomic_write(folder / AGAIN) as draft:
        draft.write_text("\n".join(sorted(keys)), encoding="utf-8")


def _read_again(folder: Path) -> set[str]:
    path = folder / AGAIN
    if not path.is_file():
        return set()
    return set(path.read_text(encoding="utf-8", errors="replace").split())  # damage is no key


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep any other run out of a folder for as long as this one lasts."""
    import fcntl

    if folder.is_file():
        raise NotADirectoryError(f"{folder} is a file. Name a folder for the results.")
    check_writable(folder / TABLE)
    check_folder(folder, MARKS, (AGAIN, "parts"))
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "a") as lock:
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
