"""How long a study will take, from what was run before or from one quick try."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from lopsided._progress import Bar
from lopsided.bench.runner import Plan
from lopsided.bench.study import Study
from lopsided.bench.trial import Trial, run_trial, split_dataset
from lopsided.datasets import describe

__all__ = ["estimate_seconds", "format_duration"]

_BESIDES = 1.2  # scoring, drawing labels and reading tables, beside the fit itself
_MAX_SECONDS = 20.0  # for tries: a study may have hundreds of methods


def estimate_seconds(plan: Plan, study: Study, n_workers: int) -> float:
    """Return the seconds that the trials left to run may take."""
    known = _measured(plan.known)
    left: dict[str, list[Trial]] = {}
    for trial in plan.left:
        left.setdefault(trial.method.label, []).append(trial)
    tried: dict[int, float] = {}
    total, start = 0.0, perf_counter()
    with Bar(len(left), "trying each method") as bar:
        for label, ahead in left.items():
            if label not in known and (not tried or perf_counter() - start < _MAX_SECONDS):
                tried = _try(ahead, study)
            measured = known.get(label, tried)  # the last try stands for those not tried
            sizes, seconds = zip(*sorted(measured.items()), strict=True)
            total += float(np.interp([_n_rows(t.dataset) for t in ahead], sizes, seconds).sum())
            bar.advance()
    return _BESIDES * total / max(n_workers, 1)


def _measured(rows: Any) -> dict[str, dict[int, float]]:
    """Return the mean seconds of a fit by label and number of rows of the data set."""
    sizes = rows["dataset"].map({name: _n_rows(name) for name in rows["dataset"].unique()})
    found: dict[str, dict[int, float]] = {}
    for (label, size), seconds in rows.groupby(["label", sizes])["seconds"].mean().items():
        found.setdefault(label, {})[size] = seconds
    return found


def _try(trials: Sequence[Trial], study: Study) -> dict[int, float]:
    """Return the seconds of one trial on the smallest table and one on the largest."""
    ordered = sorted(trials, key=lambda trial: _n_rows(trial.dataset))
    found = {}
    for trial in (ordered[0], ordered[0], ordered[-1]):  # the first call may compile
        split = split_dataset(study, trial.dataset, trial.repeat)
        found[_n_rows(trial.dataset)] = run_trial(trial, study, split)[0].seconds
    return found


def _n_rows(dataset: str) -> int:
    return describe(dataset).rows


def format_duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s" if seconds else "no time"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
