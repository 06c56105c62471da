"""The job behind `lopsided bench`."""

import shutil
from collections.abc import Collection
from pathlib import Path

from lopsided._check import check_choice
from lopsided._files import atomic_write, check_folder
from lopsided.bench.estimate import estimate_seconds, format_duration
from lopsided.bench.runner import MARKS, check_size, plan, run_study
from lopsided.bench.study import Study, read_study
from lopsided.bench.study_file import find_study

__all__ = ["bench"]


def bench(
    path: str | Path,
    out: str | None = None,
    jobs: int = 1,
    only: Collection[str] = (),
    redo: Collection[str] = (),
    dry_run: bool = False,
) -> str:
    """Run what is left of a study, or say what would be run; return a summary.

    Parameters
    ----------
    path : path
        The TOML file of the study, or the name of one that comes with the package.
    out : str, optional
        Folder of the results; `out/<study>` by default.
    jobs : int
        Processes side by side.
    only : collection of str
        Labels and data sets to restrict the study to.
    redo : collection of str
        Labels to run again.
    dry_run : bool
        Whether to only say how many trials are left and how long they may take.
    """
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
        check_folder(folder, MARKS, [protocol.name])
    committed = [file.parent / "results" / f"{study.name}.parquet"]
    if dry_run:
        todo = plan(study, folder, only, redo, committed)
        left = f"{len(todo.wanted)} trials, {len(todo.left)} left to run"
        time = format_duration(estimate_seconds(todo, study, jobs)) if todo.left else "no time"
        return f"{study.name}: {left}, about {time} with {jobs} process(es)."
    table = run_study(study, folder, jobs, only, redo, committed)
    copied = [file] if study.published is None else [file, study.published]
    for source in copied:
        with atomic_write(folder / source.relative_to(file.parent)) as draft:
            shutil.copyfile(source, draft)
    return _summary(study, table, folder)


def _summary(study: Study, table: object, folder: Path) -> str:
    import pandas as pd

    assert isinstance(table, pd.DataFrame)
    trials = table.drop_duplicates("key")
    failed = int((trials["status"] != "ok").sum())
    lines = [f"{study.title}: {len(trials)} trials, {failed} failed."]
    if failed:
        first = trials[trials["status"] != "ok"].iloc[0]
        lines.append(f"The first: {first['label']} on {first['dataset']}: {first['message']}")
    told = "\n".join([*lines, f"Results: {folder / 'table.parquet'}"])
    if failed == len(trials):
        raise ValueError(f"No trial succeeded. {told}")
    return told
