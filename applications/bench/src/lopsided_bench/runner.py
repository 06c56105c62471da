"""Running a study: what is left of it is run, and can be stopped and taken up at any time."""

from collections.abc import Collection, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lopsided._files import check_writable, hold_folder
from lopsided._progress import Bar
from lopsided_bench.datasets import describe
from lopsided_bench.pool import start_workers
from lopsided_bench.store import ResultStore
from lopsided_bench.study import Study
from lopsided_bench.table import (
    check_rows,
    finished_keys,
    make_result_table,
    read_result_table,
    write_result_table,
)
from lopsided_bench.trial import Trial, count_trials, make_rows, name_stored, run_group, trials

__all__ = ["Plan", "check_size", "plan", "run_study"]

TABLE, OLDER, PARTS = "table.parquet", "older.parquet", "parts"
_Groups = list[list[Trial]]  # each of one data set and repeat
_REDO = "redo"  # the status of a trial whose results are no longer wanted
_MAX_TRIALS = 500_000  # ten times those of the paper; their keys alone take a while


class Plan(NamedTuple):
    """What a study asks for, what is there already, and what is left to run.

    Attributes
    ----------
    wanted, left : list of Trial
        All trials, and those that have no result yet.
    known : DataFrame
        Rows of trials that are finished.
    failed : DataFrame
        Rows of trials that never came to an end.
    older : DataFrame
        Rows of methods and data that have changed since.
    stored : set of str
        The keys of what is in the store, and not only in tables.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> found = plan(read_study("smoke"), Path("out/never-run"))
    >>> len(found.wanted), len(found.left)
    (200, 200)
    """

    wanted: list[Trial]
    left: list[Trial]
    known: Any  # rows of trials that are finished
    failed: Any  # rows of trials that never came to an end
    older: Any  # rows of methods and data that have changed since
    stored: set[str]  # the keys of what is in the store, and not only in tables


def check_size(study: Study) -> None:
    """Refuse a study that nobody can run.

    Parameters
    ----------
    study : Study
        The protocol.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> check_size(read_study("smoke"))  # which says nothing: it can be run
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
    """Compare what a study asks for with what was run before; parameters as in `run_study`.

    Parameters
    ----------
    study : Study
        The protocol.
    folder : Path
        Where its results are kept.
    only, redo, committed : collection
        As in `run_study`.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> found = plan(read_study("smoke"), Path("out/never-run"), only=["wine-rare"])
    >>> len(found.left)
    50
    """
    check_size(study)
    everything = list(trials(study, {name: describe(name).sha256 for name in study.datasets}))
    wanted = [
        one for one in everything if not only or one.method.label in only or one.dataset in only
    ]
    parts = open_store(study, folder).read_all()
    files = [path for path in (*committed, folder / OLDER, folder / TABLE) if path.is_file()]
    rows, begun = _join([*map(read_result_table, files), parts])
    keys, done = {trial.key for trial in everything}, finished_keys(rows, study.metrics)
    fine, ours = rows["status"] == "ok", rows["key"].isin(keys)
    asked = {trial.key for trial in wanted if trial.method.label in redo} - begun
    left = [trial for trial in wanted if trial.key in asked or trial.key not in done]
    return Plan(
        wanted,
        left,
        known=rows[fine & ours & rows["key"].isin(done)],
        failed=rows[~fine & ours & ~rows["key"].isin(done)],
        older=rows[fine & ~ours],
        stored={name_stored(one.dataset, one.repeat, one.key) for one in parts.itertuples()},
    )


def _join(frames: list[Any]) -> tuple[Any, set[str]]:
    """Return the newest rows of all trials, and the keys of those that are being redone.

    Later frames are newer. What is ok hides what failed, and the note that a trial is to be
    redone hides all that came before it.
    """
    rows, begun = make_result_table([]), set[str]()
    for frame in frames:
        if len(frame):
            undone = set(frame.loc[frame["status"] == _REDO, "key"])
            before = rows[~rows["key"].isin(undone)]
            rows = pd.concat([before, frame]) if len(before) else frame
            begun |= undone
    rows = rows.assign(fine=rows["status"] == "ok")
    rows = rows.drop_duplicates(["key", "metric", "fine"], keep="last", ignore_index=True)
    return rows.drop(columns="fine"), begun


def open_store(study: Study, folder: Path) -> ResultStore:
    """Return the store of a study's finished trials; refuse a folder that is not its own."""
    if folder.is_file():
        raise NotADirectoryError(f"{folder} is a file. Name a folder for the results.")
    return ResultStore(folder / PARTS, f"the study {study.name}", check_rows)


def run_study(
    study: Study,
    folder: Path,
    n_workers: int = 1,
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
    n_workers : int
        Processes side by side, each on one thread.
    only : collection of str
        Labels and data sets to restrict the run to; nothing is no restriction.
    redo : collection of str
        Labels whose results are not taken up again.
    committed : iterable of Path
        Tables of earlier runs to take results from.

    Returns
    -------
    DataFrame
        A row for each trial and metric.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")  # four bundled tables
    >>> table = run_study(study, Path("out/smoke"), n_workers=2)  # doctest: +SKIP
    """
    store = open_store(study, folder)
    check_writable(folder / TABLE)
    with hold_folder(folder):  # trials need no lock: each has a file of its own
        store.claim()
        todo = plan(study, folder, only, redo, committed)
        # What failed before, or is to be redone, must not be taken for a result of this run.
        store.remove({trial.stored_as for trial in todo.left} & todo.stored)
        _forget(study, folder, todo)
    groups = [list(group) for _, group in groupby(todo.left, lambda t: (t.dataset, t.repeat))]
    with Bar(len(todo.left), study.name) as bar:
        run_trials(groups, study, store, n_workers, bar)
    with hold_folder(folder):
        done = plan(study, folder, committed=committed)
        table = _write_tables(folder, [done.known, done.failed], done.older)
        store.remove(done.stored)
    return table


def _forget(study: Study, folder: Path, todo: Plan) -> None:
    """Note in the table which results do not count any more, also for a run that takes over."""
    known = set(todo.known["key"])
    redone = [trial for trial in todo.left if trial.key in known]
    if redone:
        rows = [
            row for one in redone for row in make_rows(one, study, _REDO, "to be run again")
        ]
        kept = todo.known[~todo.known["key"].isin([trial.key for trial in redone])]
        _write_tables(folder, [kept, todo.failed, make_result_table(rows)], todo.older)


def _write_tables(folder: Path, frames: list[Any], older: Any) -> Any:
    frames = [frame for frame in frames if len(frame)]
    table = make_result_table(pd.concat(frames) if frames else [])
    if len(older):
        write_result_table(make_result_table(older), folder / OLDER)
    write_result_table(table, folder / TABLE)
    return table


def run_trials(
    groups: _Groups, study: Study, store: ResultStore, n_workers: int, bar: Bar
) -> None:
    """Run groups of trials, each of one data set and repeat, but for those in the store.

    If a worker dies, say for lack of memory, its trial is tried again alone; if that one dies
    too, it becomes a failed row.
    """
    while groups:
        running, waiting = _run_until_death(groups, study, store, n_workers, bar)
        left = [_not_in(store, group) for group in running]
        # They start in this order: a worker died at the first trial of one of these that is
        # not in the store.
        for trial in [group[0] for group in left if group][:n_workers]:
            if any(_run_until_death([[trial]], study, store, 1, Bar(1, "again"))):
                why = "the process died, perhaps for lack of memory"
                rows = make_rows(trial, study, "failed", why)
                store.write(trial.stored_as, make_result_table(rows))
        left = [_not_in(store, group) for group in running]
        bar.advance(sum(map(len, running)) - sum(map(len, left)))
        groups = [*filter(None, left), *waiting]


def _not_in(store: ResultStore, group: list[Trial]) -> list[Trial]:
    return [trial for trial in group if trial.stored_as not in store]


def _run_until_death(
    groups: _Groups, study: Study, store: ResultStore, n_workers: int, bar: Bar
) -> tuple[_Groups, _Groups]:
    """Run groups until all are done or a worker dies; return those begun, and the others."""
    waiting, running = list(groups), dict[Future[None], list[Trial]]()
    with start_workers(n_workers) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < 2 * n_workers:  # memory stays bounded
                    group = waiting.pop(0)
                    running[pool.submit(run_group, group, study, store)] = group
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    bar.advance(len(running.pop(future)))
        except BrokenProcessPool:
            return list(running.values()), waiting
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [], []
