"""Trials: each fit of a study by name, and how one is run."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._check import require
from lopsided.bench.deadline import deadline
from lopsided.bench.study import MAX_PRIOR, ORACLE, MethodSpec, Setting, Study
from lopsided.bench.table import Row
from lopsided.bench.versions import name_versions
from lopsided.methods.registry import build, get_method

__all__ = [
    "Split",
    "Trial",
    "count_trials",
    "make_rows",
    "make_split",
    "run_trial",
    "seed_of",
    "trials",
]

_KEY_LENGTH = 20


class Trial(NamedTuple):
    """One fit: which rows, which labels, which method, and a key that tells all of it."""

    dataset: str
    repeat: int
    setting: Setting
    method: MethodSpec
    prior_factor: float
    key: str


class Split(NamedTuple):
    """The training and test rows of one repeat, with their truth."""

    X: NDArray[np.float64]
    truth: NDArray[np.int8]
    X_test: NDArray[np.float64]
    truth_test: NDArray[np.int8]


def seed_of(*words: Any) -> int:
    """Return a seed that depends on the words alone, not on order, workers or machine."""
    text = "|".join(map(str, words)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big")


def trials(study: Study, hashes: Mapping[str, str]) -> Iterator[Trial]:
    """Enumerate the trials of a study, those of one data set and repeat in a row.

    Parameters
    ----------
    study : Study
        The protocol.
    hashes : mapping of str to str
        The sha256 of each data set.
    """
    # What depends on the method alone is looked up once, not for each of its thousand trials.
    conditions = {method.label: _conditions(study, method) for method in study.methods}
    described = {method.label: _describe(method) for method in study.methods}
    for dataset in study.datasets:
        active = study.methods
        for done in range(study.repeats):
            active = tuple(method for method in active if done < _repeats(study, method))
            if not active:
                break
            repeat = study.first + done
            for method in active:
                for setting, factor in product(*conditions[method.label]):
                    where = {"data": hashes[dataset], "dataset": dataset, "repeat": repeat}
                    how = {"setting": setting, "factor": factor, **described[method.label]}
                    key = _key(study, {**where, **how})
                    yield Trial(dataset, repeat, setting, method, factor, key)


def count_trials(study: Study) -> int:
    """Return how many trials a study has, without making them.

    Parameters
    ----------
    study : Study
        The protocol.
    """
    of_repeat = [
        _repeats(study, method) * len(settings) * len(factors)
        for method in study.methods
        for settings, factors in [_conditions(study, method)]
    ]
    return len(study.datasets) * sum(of_repeat)


def _repeats(study: Study, method: MethodSpec) -> int:
    return study.repeats if method.repeats is None else min(study.repeats, method.repeats)


def _conditions(study: Study, method: MethodSpec) -> tuple[Sequence[Setting], Sequence[float]]:
    """Return the labels and the prior factors under which a method is run."""
    entry = get_method(method.name)
    if entry.labels == "true":
        return (ORACLE,), (1.0,)
    return study.settings, study.prior_factors if entry.takes_prior else (1.0,)


def _describe(method: MethodSpec) -> dict[str, Any]:
    """Return what the numbers of a method depend on."""
    entry = get_method(method.name)
    parts: dict[str, Any] = {
        "label": method.label,
        "target": entry.target,
        "params": {k: repr(v) for k, v in {**entry.params, **method.params}.items()},
    }
    return parts if method.like is None else {**parts, "like": method.like}


def _key(study: Study, parts: Mapping[str, Any]) -> str:
    """Return a hash of all that a trial's numbers depend on, the code aside."""
    protocol = {
        "metrics": study.metrics,
        "test_share": study.test_share,
        "seed": study.seed,
    }
    text = json.dumps({**parts, **protocol}, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_LENGTH]


def make_split(study: Study, dataset: str, repeat: int) -> Split:
    """Load a data set and split it for one repeat, stratified by the truth."""
    from sklearn.model_selection import train_test_split

    from lopsided.datasets import load

    data = load(dataset)
    rows, test = train_test_split(
        np.arange(data.n_rows),
        test_size=study.test_share,
        stratify=data.y_true,
        random_state=seed_of(study.seed, dataset, repeat),
    )
    return Split(data.X[rows], data.y_true[rows], data.X[test], data.y_true[test])


def run_trial(trial: Trial, study: Study, split: Split) -> list[Row]:
    """Run one trial; what goes wrong becomes a row with a status and a message.

    Parameters
    ----------
    trial : Trial
        What to run.
    study : Study
        The protocol it belongs to.
    split : Split
        The rows of its data set and repeat.
    """
    start = time.perf_counter()
    try:
        _import_parts(trial.method.name)
        with deadline(study.timeout):
            scores, seconds = _fit_and_score(trial, study, split)
        values = [_measure(metric, split.truth_test, scores) for metric in study.metrics]
        status, message = "ok", ""
    except TimeoutError:
        status, message = "timeout", f"given up after {study.timeout:g} s"
    except Exception as error:  # a failed trial is a row, whatever went wrong
        status, message = "failed", f"{type(error).__name__}: {error}"[:500]
    if status != "ok":
        seconds = time.perf_counter() - start
        values = [float("nan")] * len(study.metrics)
    return make_rows(trial, study, status, message, values, seconds)


def make_rows(
    trial: Trial,
    study: Study,
    status: str,
    message: str,
    values: Sequence[float],
    seconds: float,
) -> list[Row]:
    """Return the rows of a trial, one for each metric of its study.

    Parameters
    ----------
    trial, study : Trial, Study
        What was run.
    status, message : str
        "ok", or what went wrong.
    values : sequence of float
        One for each metric.
    seconds : float
        Time of the fit.
    """
    written = message.encode("utf-8", "replace").decode()  # a lone surrogate fits in no file
    return [
        Row(
            trial.dataset,
            trial.setting.mechanism,
            trial.setting.hidden,
            trial.method.name,
            trial.method.label,
            trial.prior_factor,
            trial.repeat,
            metric,
            value,
            seconds,
            status,
            written,
            trial.key,
            name_versions(),
        )
        for metric, value in zip(study.metrics, values, strict=True)
    ]


def _import_parts(name: str) -> None:
    """Import what a method needs: an alarm in the middle of that would leave it in pieces."""
    method = get_method(name)
    method.load()
    for package in method.needs:
        require(package)


def _fit_and_score(trial: Trial, study: Study, split: Split) -> tuple[NDArray[Any], float]:
    """Return the scores of the test rows and the seconds of the fit."""
    import warnings

    mechanism, hidden = trial.setting
    words = study.seed, trial.dataset, trial.repeat
    if trial.setting == ORACLE:
        y = split.truth
    else:
        # Draws of one mechanism are nested: the share that is hidden has no seed of its own.
        rng = np.random.default_rng(seed_of(*words, mechanism))
        y = trial.setting.build().draw(split.X, split.truth, rng)
    settings: dict[str, Any] = dict(trial.method.params)
    if get_method(trial.method.name).takes_prior:
        prior = trial.prior_factor * float(split.truth.mean())
        settings["prior"] = min(prior, MAX_PRIOR)
    seed = seed_of(*words, mechanism, hidden, trial.method.like or trial.method.label)
    model = build(trial.method.name, random_state=seed, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # one for each of thousands of fits
        start = time.perf_counter()
        model.fit(split.X, y)
        seconds = time.perf_counter() - start
        return model.decision_function(split.X_test), seconds


def _measure(metric: str, truth: NDArray[Any], scores: NDArray[Any]) -> float:
    from lopsided import metrics

    return float(getattr(metrics, metric)(truth, scores))
