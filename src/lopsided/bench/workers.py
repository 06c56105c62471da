"""The tasks of a study in worker processes, and what to do when one of these dies."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory

from lopsided.bench.pool import start_workers
from lopsided.bench.study import Study
from lopsided.bench.table import append_rows, finished_keys, read_parts
from lopsided.bench.trial import Trial, make_rows, make_split, run_trial

__all__ = ["run_tasks"]


def run_tasks(
    tasks: list[list[Trial]],
    study: Study,
    parts: Path,
    jobs: int,
    advance: Callable[[int], None],
) -> None:
    """Run tasks, each the trials of one data set and repeat.

    If a worker dies, say for lack of memory, its trial is tried again alone; if that one dies
    too, it becomes a failed row.

    Parameters
    ----------
    tasks : list of list of Trial
        What to run.
    study : Study
        The protocol.
    parts : Path
        Where finished trials are written.
    jobs : int
        Processes side by side.
    advance : callable
        Is told how many trials are done.
    """
    while tasks:
        before = len(read_parts(parts))
        tasks = _run_until_death(tasks, study, parts, jobs, advance)
        if not tasks:
            return
        suspects = _suspects(tasks, study, parts)
        if not suspects and len(read_parts(parts)) == before:
            raise OSError(
                "The worker processes die before their first trial. In a script, call this "
                'under `if __name__ == "__main__":`.'
            )
        for trial in suspects:
            if _run_until_death([[trial]], study, parts, 1, lambda _: None):
                why = "the process died, perhaps for lack of memory"
                nothing = [float("nan")] * len(study.metrics)
                path = parts / f"{_name(trial)}.jsonl"
                append_rows(path, make_rows(trial, study, "failed", why, nothing, float("nan")))
        finished = finished_keys(read_parts(parts), study.metrics)
        rest = [[trial for trial in task if trial.key not in finished] for task in tasks]
        advance(sum(map(len, tasks)) - sum(map(len, rest)))
        tasks = [task for task in rest if task]


def _run_until_death(
    tasks: list[list[Trial]],
    study: Study,
    parts: Path,
    jobs: int,
    advance: Callable[[int], None],
) -> list[list[Trial]]:
    """Run tasks until all are done or a worker dies; return those that are not done."""
    waiting, running = list(tasks), dict[Future[int], list[Trial]]()
    with start_workers(jobs) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < 2 * jobs:  # memory stays bounded
                    task = waiting.pop(0)
                    running[pool.submit(_run_task, task, study, parts)] = task
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    advance(future.result())
                    del running[future]
        except BrokenProcessPool:
            return [*running.values(), *waiting]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return []


def _run_task(task: list[Trial], study: Study, parts: Path) -> int:
    """Run the trials of one data set and repeat in a worker; return their number."""
    name = _name(task[0])
    mark = parts / f"{name}.running"  # tells which trial a dead worker was at
    mark.write_text(task[0].key)
    split = make_split(study, task[0].dataset, task[0].repeat)
    alike = any(trial.method.like for trial in task)
    with TemporaryDirectory() as folder:
        memory = folder if alike else None  # variants take what they share from there
        for trial in task:
            mark.write_text(trial.key)
            append_rows(parts / f"{name}.jsonl", run_trial(trial, study, split, memory))
    mark.unlink()
    return len(task)


def _suspects(tasks: list[list[Trial]], study: Study, parts: Path) -> list[Trial]:
    """Return the trials that were being run when a worker died; their marks are cleared."""
    keys = set()
    for mark in parts.glob("*.running"):
        keys.add(mark.read_text())
        mark.unlink()
    keys -= finished_keys(read_parts(parts), study.metrics)
    return [trial for task in tasks for trial in task if trial.key in keys]


def _name(trial: Trial) -> str:
    return f"{trial.dataset}-{trial.repeat:04d}"
