"""The command `lopsided bench`."""

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from lopsided._check import check_choice
from lopsided._files import atomic_write, check_folder
from lopsided.bench.estimate import estimate_seconds, format_duration
from lopsided.bench.runner import PARTS, TABLE, check_size, plan, run_study
from lopsided.bench.study import Study, read_study
from lopsided.bench.study_file import find_study

__all__ = ["bench"]


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
    folder = Path(out) if out else Path("out") / study.name
    others = sorted(one.stem for one in folder.glob("*.toml") if one.stem != study.name)
    if others:
        raise ValueError(
            f"{folder} holds the results of the study {others[0]}. Name another folder (--out)."
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
            f"{format_duration(seconds)} with {n_workers} process(es)."
        )
    table = run_study(study, folder, n_workers, only, redo, committed)
    copies = {protocol: file}
    if study.published is not None:
        copies[folder / study.published.relative_to(file.parent)] = study.published
    for target, source in copies.items():
        with atomic_write(target) as draft:
            shutil.copyfile(source, draft)
    return _summary(study, table, folder)


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
