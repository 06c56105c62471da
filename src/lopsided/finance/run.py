"""Running the study: every model ranks every year; what is done stays done."""

import warnings
from collections.abc import Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from lopsided._progress import Bar
from lopsided.bench.pool import start_workers
from lopsided.finance.models import Model, get_model
from lopsided.finance.scores import DamagedFileError, read_scores, write_scores
from lopsided.finance.source import Source
from lopsided.finance.tasks import make_task

__all__ = ["Job", "list_jobs", "load_scores", "rule_of", "run_jobs"]

_MAX_NAMED = 10  # damaged files in a note


class Job(NamedTuple):
    """One model, with one seed, ranks one year, knowing what a rule says."""

    rule: str
    model: str
    seed: int
    year: int

    def path(self, folder: Path) -> Path:
        """Return the file of its scores."""
        return folder / "scores" / self.rule / self.model / f"{self.seed}-{self.year}.parquet"


def list_jobs(models: Sequence[Model], rules: Sequence[str], years: Sequence[int]) -> list[Job]:
    """Return all that is to be done; what has seen the truth is done once for all rules.

    Parameters
    ----------
    models : sequence of Model
        Who ranks.
    rules : sequence of str
        What is known.
    years : sequence of int
        What is ranked.
    """
    found: dict[Job, None] = {}
    for model in models:
        for rule in rules:
            for seed in range(model.n_seeds):
                for year in years:
                    found[Job(rule_of(model, rule), model.name, seed, year)] = None
    return list(found)


def rule_of(model: Model, rule: str) -> str:
    """Return the rule by which a model learns where others learn by `rule`."""
    return "all" if model.kind == "truth" else rule


def run_jobs(
    source: Source, jobs: Sequence[Job], folder: Path, n_workers: int
) -> dict[Job, str]:
    """Run what is left; return the reasons of those that failed.

    Parameters
    ----------
    source : Source
        The panel.
    jobs : sequence of Job
        What to do.
    folder : Path
        Where scores are kept, a file for each job.
    n_workers : int
        Processes side by side.
    """
    left = _find_left(source, jobs, folder)
    failed: dict[Job, str] = {}
    with Bar(len(jobs), "ranking years") as bar, start_workers(n_workers) as pool:
        bar.advance(len(jobs) - len(left))
        running = {pool.submit(_run_job, source, job, folder): job for job in left}
        try:
            for future in as_completed(running):
                message = future.result()
                if message:
                    failed[running[future]] = message
                bar.advance()
        except BrokenProcessPool:
            raise OSError(
                "A worker process died, perhaps for lack of memory. Run the command again with "
                "fewer --jobs: what is done is kept."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def load_scores(source: Source, job: Job, folder: Path) -> Any:
    """Return the table of a finished job, or None where there is none yet.

    Parameters
    ----------
    source : Source
        The panel.
    job : Job
        Which.
    folder : Path
        Where scores are kept.

    Raises
    ------
    DamagedFileError
        If the file is not as it was written.
    """
    if not job.path(folder).exists():
        return None
    panel = source.load()
    firms = panel["gvkey"][panel["fyear"] == job.year].to_numpy()
    return read_scores(job.path(folder), firms, source.mark())


def _find_left(source: Source, jobs: Sequence[Job], folder: Path) -> list[Job]:
    """Return the jobs without scores; damaged files are named, and count as none."""
    left, damaged = [], []
    for job in jobs:
        try:
            if load_scores(source, job, folder) is None:
                left.append(job)
        except DamagedFileError as error:
            left.append(job)
            damaged.append(str(error))
    if damaged:
        more = f"; and {len(damaged) - _MAX_NAMED} more" if len(damaged) > _MAX_NAMED else ""
        warnings.warn(
            f"{len(damaged)} damaged file(s) of scores are made again: "
            f"{'; '.join(damaged[:_MAX_NAMED])}{more}.",
            stacklevel=2,
        )
    return left


def _run_job(source: Source, job: Job, folder: Path) -> str:
    """Fit, score and write in a worker; return why it failed, or nothing."""
    model = get_model(job.model)
    start = perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            task = make_task(source.load(), job.year, job.rule, model.span, model.gap)
            start = perf_counter()  # reading the panel is nobody's cost
            scores = np.asarray(model.score(task, job.seed), dtype=float)
            if scores.shape != (len(task.test),) or not np.isfinite(scores).all():
                raise ValueError("scores must be one finite number for each report.")
    except Exception as error:  # one model must not cost the others their run
        return f"{type(error).__name__}: {error}"
    seconds = perf_counter() - start
    firms = task.test["gvkey"].to_numpy()
    write_scores(job.path(folder), firms, scores, seconds, source.mark())
    return ""
