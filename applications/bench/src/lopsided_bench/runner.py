"""Running a study: what is left of it is run, and can be stopped and taken up at any time."""

import os
import shutil
from collections.abc import Collection, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lopsided_bench.datasets import describe
from lopsided_bench.names import check_choice
from lopsided_bench.parallel import run_parallel
from lopsided_bench.progress import progress_bar
from lopsided_bench.store import ResultStore, write_whole
from lopsided_bench.study import Study, find_study, read_study
from lopsided_bench.table import (
    check_rows,
    make_result_table,
    read_result_table,
    write_result_table,
)
from lopsided_bench.trial import Trial, run_group, trials

__all__ = ["Plan", "plan", "run_file", "run_study"]

TABLE, OLDER, PARTS = "table.parquet", "older.parquet", "parts"


class Plan(NamedTuple):
    """What a study asks for, what is there already, and what is left to run.

    Attributes
    ----------
    wanted, left : list of Trial
        All trials, and those without a result.
    rows : DataFrame
        The newest rows of the study's trials; failed ones where no run succeeded.
    older : DataFrame
        Rows of methods and data that have changed since.
    stored : list of str
        The keys of results in the store, which are not in a table yet.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> found = plan(read_study("smoke"), Path("out/never-run"))
    >>> len(found.wanted), len(found.left)
    (200, 200)
    """

    wanted: list[Trial]
    left: list[Trial]
    rows: Any
    older: Any
    stored: list[str]


def plan(
    study: Study,
    folder: Path,
    only: Collection[str] = (),
    redo: Collection[str] = (),
    committed: Iterable[Path] = (),
) -> Plan:
    """Compare what a study asks for with what was run before; parameters as in `run_study`.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> found = plan(read_study("smoke"), Path("out/never-run"), only=["wine-rare"])
    >>> len(found.left)
    50
    """
    hashes = {name: describe(name).sha256 for name in study.datasets}
    everything = list(trials(study, hashes))
    wanted = [
        one for one in everything if not only or one.method.label in only or one.dataset in only
    ]
    parts = _open_store(study, folder).read_all()
    # Once there is a table, it counts alone: results to redo must not come back.
    tables = [folder / OLDER, folder / TABLE] if (folder / TABLE).is_file() else committed
    frames = [read_result_table(path) for path in tables if path.is_file()]
    rows = _newest([frame for frame in (*frames, parts) if len(frame)])
    fine, ours = rows["status"] == "ok", rows["key"].isin([one.key for one in everything])
    done = set(rows.loc[fine, "key"])
    left = [one for one in wanted if one.key not in done or one.method.label in redo]
    stored = [f"{one.dataset}-{one.repeat:04d}-{one.key}" for one in parts.itertuples()]
    return Plan(wanted, left, rows[ours], rows[fine & ~ours], stored)


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
        Folder of `table.parquet` and, while the study runs, of finished trials.
    n_workers : int
        Processes side by side, each on one thread.
    only : collection of str
        Labels and data sets to restrict the run to; empty for no restriction.
    redo : collection of str
        Labels of methods that are run again.
    committed : iterable of Path
        Tables of earlier runs, which count as long as the folder has no table.

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
    store = _open_store(study, folder)
    store.claim()
    todo = plan(study, folder, only, redo, committed)
    if redo:  # forgotten before the first trial, so that a run that is stopped goes on with it
        again = {trial.key for trial in todo.left}
        _write(folder, todo._replace(rows=todo.rows[~todo.rows["key"].isin(again)]))
        store.remove(todo.stored)
    groups = [list(group) for _, group in groupby(todo.left, lambda t: (t.dataset, t.repeat))]
    tasks = [(group, study, store, os.getpid()) for group in groups]
    with progress_bar(len(todo.left), study.name) as advance:
        for n_done in run_parallel(run_group, tasks, n_workers):
            advance(n_done)
    done = plan(study, folder, committed=committed)
    table = _write(folder, done)
    store.remove(done.stored)
    return table


def run_file(
    path: str | Path,
    out: str | None = None,
    n_workers: int = 1,
    only: Collection[str] = (),
    redo: Collection[str] = (),
    dry_run: bool = False,
) -> str:
    """Run what is left of a study file, or count what would be run; return a summary.

    Parameters are the options of `lopsided-bench run`. Results that are committed beside the
    study, in `results/<study>.parquet`, are taken over.
    """
    file = find_study(path)
    study = read_study(file)
    labels = [method.label for method in study.methods]
    for word in only:
        check_choice(word, [*labels, *study.datasets], "method or data set of the study")
    for word in redo:
        check_choice(word, labels, "method of the study")
    folder = Path(out) if out else Path("out") / study.name
    committed = [file.parent / "results" / f"{study.name}.parquet"]
    if dry_run:
        todo = plan(study, folder, only, redo, committed)
        return f"{study.name}: {len(todo.wanted)} trials, {len(todo.left)} left to run."
    table = run_study(study, folder, n_workers, only, redo, committed)
    copies = {folder / file.name: file}  # a report needs the study beside its results
    if study.published is not None:
        copies[folder / study.published.relative_to(file.parent)] = study.published
    for target, source in copies.items():
        with write_whole(target) as draft:
            shutil.copyfile(source, draft)
    return _summarize(study, table, folder)


def _summarize(study: Study, table: Any, folder: Path) -> str:
    fits = table.drop_duplicates("key")
    failed = fits[fits["status"] != "ok"]
    lines = [f"{study.title}: {len(fits)} trials, {len(failed)} failed."]
    for first in failed[:1].itertuples():
        lines.append(f"The first: {first.label} on {first.dataset}: {first.message}")
    summary = "\n".join([*lines, f"Results: {folder / TABLE}"])
    if len(failed) == len(fits):
        raise ValueError(f"No trial succeeded. {summary}")
    return summary


def _open_store(study: Study, folder: Path) -> ResultStore:
    """Return the store of a study's finished trials; refuse the folder of another study."""
    return ResultStore(folder / PARTS, f"the study {study.name}", check_rows)


def _newest(frames: list[Any]) -> Any:
    """Return the newest rows of each trial, later frames being newer; success hides failure."""
    rows = pd.concat(frames, ignore_index=True) if frames else make_result_table([])
    order = (rows["status"] == "ok").argsort(kind="stable")
    return rows.iloc[order].drop_duplicates(["key", "metric"], keep="last", ignore_index=True)


def _write(folder: Path, found: Plan) -> Any:
    table = make_result_table(found.rows)
    if len(found.older):
        write_result_table(make_result_table(found.older), folder / OLDER)
    write_result_table(table, folder / TABLE)
    return table
