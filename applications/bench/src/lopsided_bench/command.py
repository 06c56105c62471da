"""The command `lopsided bench`."""

import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from lopsided._check import check_choice
from lopsided._files import atomic_write, check_folder
from lopsided._progress import Bar
from lopsided_bench.runner import PARTS, TABLE, Plan, check_size, plan, run_study
from lopsided_bench.study import Study, read_study
from lopsided_bench.study_file import find_study
from lopsided_bench.trial import Trial, run_trial, split_dataset

__all__ = ["bench", "estimate_seconds", "find_results"]

_BESIDES = 1.2  # scoring, drawing labels and reading tables, beside the fit itself
_MAX_SECONDS = 20.0  # for tries: a study may have hundreds of methods


def bench(
    path: str | Path,
    out: str | None = None,
    n_workers: int = 1,
    only: Collection[str] = (),
    redo: Collection[str] = (),
    dry_run: bool = False,
) -> str:
    """Run what is left of a study, or say what would be run; return a summary."""
    file = find_study(path)
    study = read_study(file)
    check_size(study)
    labels = [method.label for method in study.methods]
    for word in only:
        check_choice(word, [*labels, *study.datasets], "method or data set of the study")
    for word in redo:
        check_choice(word, labels, "method of the study")
    folder = find_results(file, out)
    others = sorted(one.stem for one in folder.glob("*.toml") if one.stem != study.name)
    if others:
        raise ValueError(
            f"{folder} holds the results of the study {others[0]}. Name another folder "
            "(out=...)."
        )
    protocol = folder / f"{study.name}.toml"  # a report needs it
    if protocol.is_file() and protocol.read_bytes() != file.read_bytes():
        check_folder(folder, (TABLE, PARTS), [protocol.name])
    committed = [file.parent / "results" / f"{study.name}.parquet"]
    if dry_run:
        todo = plan(study, folder, only, redo, committed)
        seconds = estimate_seconds(todo, study, n_workers)
        return (
            f"{study.name}: {len(todo.wanted)} trials, {len(todo.left)} left to run, about "
            f"{_format_duration(seconds)} with {n_workers} process(es)."
        )
    table = run_study(study, folder, n_workers, only, redo, committed)
    copies = {protocol: file}
    if study.published is not None:
        copies[folder / study.published.relative_to(file.parent)] = study.published
    for target, source in copies.items():
        with atomic_write(target) as draft:
            shutil.copyfile(source, draft)
    return _summary(study, table, folder)


def find_results(path: str | Path, out: str | None = None) -> Path:
    """Return the folder of a study's results: the one that was named, or out/<study>."""
    return Path(out) if out else Path("out") / read_study(find_study(path)).name


def _summary(study: Study, table: Any, folder: Path) -> str:
    trials = table.drop_duplicates("key")
    failed = int((trials["status"] != "ok").sum())
    lines = [f"{study.title}: {len(trials)} trials, {failed} failed."]
    if failed:
        first = trials[trials["status"] != "ok"].iloc[0]
        lines.append(f"The first: {first['label']} on {first['dataset']}: {first['message']}")
    summary = "\n".join([*lines, f"Results: {folder / TABLE}"])
    if failed == len(trials):
        raise ValueError(f"No trial succeeded. {summary}")
    return summary


def estimate_seconds(plan: Plan, study: Study, n_workers: int) -> float:
    """Return the seconds that the trials left to run may take, from earlier ones or a try."""
    known = _measured(plan.known, study)
    tried: dict[int, float] = {}
    total, start = 0.0, perf_counter()
    labels = list(dict.fromkeys(trial.method.label for trial in plan.left))
    with Bar(len(labels), "trying each method") as bar:
        for label in labels:
            ahead = [trial for trial in plan.left if trial.method.label == label]
            if label not in known and (not tried or perf_counter() - start < _MAX_SECONDS):
                tried = _try(ahead, study)
            measured = known.get(label, tried)  # the last try stands for those not tried
            sizes, seconds = zip(*sorted(measured.items()), strict=True)
            total += float(
                np.interp([_n_rows(one, study) for one in ahead], sizes, seconds).sum()
            )
            bar.advance()
    return _BESIDES * total / max(n_workers, 1)


def _measured(rows: Any, study: Study) -> dict[str, dict[int, float]]:
    """Return the mean seconds of a fit by label and number of rows that are used."""
    sizes = rows["dataset"].map(
        {name: study.protocol.count_rows(name) for name in rows["dataset"].unique()}
    )
    found: dict[str, dict[int, float]] = {}
    for (label, size), seconds in rows.groupby(["label", sizes])["seconds"].mean().items():
        found.setdefault(label, {})[size] = seconds
    return found


def _try(trials: Sequence[Trial], study: Study) -> dict[int, float]:
    """Return the seconds of one trial on the smallest table and one on the largest."""
    ordered = sorted(trials, key=lambda trial: _n_rows(trial, study))
    smallest, largest = ordered[0], ordered[-1]
    found = {}
    for trial in (smallest, smallest, largest):  # the first call may compile
        split = split_dataset(study, trial.dataset, trial.repeat)
        found[_n_rows(trial, study)] = run_trial(trial, study, split)[0].seconds
    return found


def _n_rows(trial: Trial, study: Study) -> int:
    return study.protocol.count_rows(trial.dataset)


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s" if seconds else "no time"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
