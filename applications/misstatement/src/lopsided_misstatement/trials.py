"""Running the study: every model ranks every year; what is done stays done."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lopsided_bench.parallel import run_parallel
from lopsided_bench.progress import progress_bar
from lopsided_bench.store import DamagedFileError, ResultStore
from lopsided_misstatement.folds import make_fold
from lopsided_misstatement.models import Model, get_model
from lopsided_misstatement.source import Source

__all__ = ["Trial", "list_trials", "open_store", "read_scores", "run_trials"]

_MAX_NAMED = 10  # damaged files in a note
_NUMBERS = ["score", "seconds"]


class Trial(NamedTuple):
    """One model, with one seed, ranks one year, knowing what a rule says."""

    rule: str
    model: str
    seed: int
    year: int

    @property
    def key(self) -> str:
        """Return the name of its scores in the store."""
        return f"{self.rule}/{self.model}/{self.seed}-{self.year}"

    @classmethod
    def of(cls, model: Model, rule: str, seed: int, year: int) -> "Trial":
        """Return the trial of a model; one that sees the truth has the same by every rule."""
        return cls("all" if model.kind == "truth" else rule, model.name, seed, year)


def list_trials(
    models: Sequence[Model], rules: Sequence[str], years: Sequence[int]
) -> list[Trial]:
    """Return all that is to be done, each once; nets and parts know the first rule only."""
    found = (
        Trial.of(model, rule, seed, year)
        for model in models
        for rule in (rules if model.group == "main" else rules[:1])
        for seed in range(model.n_seeds)
        for year in years
    )
    return list(dict.fromkeys(found))


def open_store(source: Source, folder: Path) -> ResultStore:
    """Return the scores in a folder; one that belongs to another panel or version is refused.

    A file must hold the firms of its year in their order, a finite score of each, and what the
    scores were made from: the mark of a folder may be lost.
    """
    fingerprint = source.fingerprint()

    def check(key: str, frame: Any) -> None:
        wanted = ["gvkey", *_NUMBERS, "made_from"]
        if list(frame.columns) != wanted:
            raise ValueError(f"must have the columns {', '.join(wanted)}")
        if any(frame[name].dtype != np.float64 for name in _NUMBERS):
            raise ValueError("must hold numbers")
        if not np.isfinite(frame[_NUMBERS]).to_numpy().all():
            raise ValueError("must hold finite numbers")
        if not (frame["made_from"] == fingerprint).all():
            raise ValueError("is from another panel or version")
        if frame["gvkey"].tolist() != source.firms(int(key.rpartition("-")[2])).tolist():
            raise ValueError("must hold the firms of its year")

    return ResultStore(folder, fingerprint, check)


def read_scores(store: ResultStore, trial: Trial) -> Any:
    """Return firms, scores and seconds of a trial, or None if it failed."""
    try:
        return store.read(trial.key)
    except (KeyError, DamagedFileError):  # a damaged one was named, and could not be made again
        return None


def run_trials(
    source: Source, trials: Sequence[Trial], folder: Path, n_workers: int
) -> dict[Trial, str]:
    """Run what is left in worker processes; return the reasons of those that failed."""
    left = _find_left(open_store(source, folder), trials)
    if not left:  # a worker would start for nothing
        return {}
    failed: dict[Trial, str] = {}
    with progress_bar(len(trials), "ranking years") as advance:
        advance(len(trials) - len(left))
        tasks = [(source, trial, folder) for trial in left]
        for trial, message in run_parallel(_run_trial, tasks, n_workers):
            if message:
                failed[trial] = message
            advance(1)
    return failed


def _find_left(store: ResultStore, trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials without scores; damaged files are named, and count as none."""
    left, damaged = [], []
    for trial in trials:
        try:
            store.read(trial.key)
        except KeyError:
            left.append(trial)
        except DamagedFileError as error:
            left.append(trial)
            damaged.append(str(error))
    if damaged:
        more = f"; and {len(damaged) - _MAX_NAMED} more" if len(damaged) > _MAX_NAMED else ""
        warnings.warn(
            f"{len(damaged)} damaged file(s) of scores are made again: "
            f"{'; '.join(damaged[:_MAX_NAMED])}{more}.",
            stacklevel=2,
        )
    return left


def _run_trial(source: Source, trial: Trial, folder: Path) -> tuple[Trial, str]:
    """Fit, score and write in a worker; return the trial and why it failed, or nothing."""
    model = get_model(trial.model)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fold = make_fold(source.load(), trial.year, trial.rule, model.span, model.gap)
            start = perf_counter()  # reading the panel is nobody's cost
            scores = np.asarray(model.score(fold, trial.seed), dtype=float)
            if scores.shape != (len(fold.test),) or not np.isfinite(scores).all():
                raise ValueError("scores must be one finite number for each report.")
    except Exception as error:  # one model must not cost the others their run
        return trial, f"{type(error).__name__}: {error}"
    columns = {"gvkey": fold.test["gvkey"], "score": scores, "seconds": perf_counter() - start}
    frame = pd.DataFrame({**columns, "made_from": source.fingerprint()})
    open_store(source, folder).write(trial.key, frame)
    return trial, ""
