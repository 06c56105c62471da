"""How long a study will take, from what was run before or from one quick try."""

from collections.abc import Sequence

from lopsided._progress import Bar
from lopsided.bench.runner import Plan
from lopsided.bench.study import Study
from lopsided.bench.trial import Row, Trial, make_split, run_trial
from lopsided.datasets import describe

__all__ = ["estimate_seconds", "in_words"]

_BESIDES = 1.2  # scoring, drawing labels and reading tables, beside the fit itself


def estimate_seconds(plan: Plan, study: Study, jobs: int) -> float:
    """Return the seconds that the trials left to run may take.

    Parameters
    ----------
    plan : Plan
        What is left, and what is known.
    study : Study
        The protocol.
    jobs : int
        Processes side by side.
    """
    pace = _pace(plan.known)
    unknown = sorted({trial.method.label for trial in plan.left} - set(pace))
    with Bar(len(unknown), "trying each method") as bar:
        for label in unknown:
            pace[label] = _try(
                [trial for trial in plan.left if trial.method.label == label], study
            )
            bar.advance()
    total = sum(pace[t.method.label] * describe(t.dataset).rows for t in plan.left)
    return _BESIDES * total / max(jobs, 1)


def _pace(rows: Sequence[Row]) -> dict[str, float]:
    """Return the seconds per row of the table of each label that was run."""
    seconds: dict[str, float] = {}
    n_rows: dict[str, int] = {}
    for row in rows:
        seconds[row.label] = seconds.get(row.label, 0.0) + row.seconds
        n_rows[row.label] = n_rows.get(row.label, 0) + describe(row.dataset).rows
    return {label: seconds[label] / n_rows[label] for label in seconds}


def _try(trials: Sequence[Trial], study: Study) -> float:
    """Return the seconds per row of one trial on the smallest table."""
    trial = min(trials, key=lambda trial: describe(trial.dataset).rows)
    split = make_split(study, trial.dataset, trial.repeat)
    run_trial(trial, study, split)  # the first call may compile
    return run_trial(trial, study, split)[0].seconds / describe(trial.dataset).rows


def in_words(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
