"""Trials: each fit of a study, and how it is run."""

import hashlib
import json
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from itertools import product
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from numpy.typing import NDArray

from lopsided import build, metrics
from lopsided.methods.registry import get_method
from lopsided_bench.protocols import NoSplitError, TrainTestSplit, seed_of
from lopsided_bench.store import ResultStore
from lopsided_bench.study import MAX_PRIOR, ORACLE, MethodSpec, Setting, Study
from lopsided_bench.table import Row, make_result_table, name_versions

__all__ = ["Trial", "make_rows", "run_group", "run_trial", "seed_of", "split_dataset", "trials"]


class Trial(NamedTuple):
    """One fit: which rows, which labels, which method, and a key that depends on all of it.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    repeat : int
        Number of the split.
    setting : Setting
        How labels are hidden.
    method : MethodSpec
        The method that is fitted.
    prior_factor : float
        Factor of the true prior.
    key : str
        A hash of all that the result depends on.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")
    >>> trial = next(trials(study, dict.fromkeys(study.datasets, "")))  # hashes of their rows
    >>> trial.dataset, trial.setting.hidden, trial.method.label
    ('digits-8', 0.75, 'naive-xgb')
    """

    dataset: str
    repeat: int
    setting: Setting
    method: MethodSpec
    prior_factor: float
    key: str

    @property
    def stored_as(self) -> str:
        """The key of its results in the store."""
        return f"{self.dataset}-{self.repeat:04d}-{self.key}"


def trials(study: Study, hashes: Mapping[str, str]) -> Iterator[Trial]:
    """Enumerate the trials of a study, those of one data set and repeat in a row.

    Their keys are hashes of all that their numbers depend on, apart from the code.

    Parameters
    ----------
    study : Study
        The protocol.
    hashes : mapping of str to str
        The sha256 of each data set.

    Yields
    ------
    Trial

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")
    >>> made = list(trials(study, dict.fromkeys(study.datasets, "")))
    >>> len(made)
    200
    """
    # What depends on the method alone is looked up once, not for each of its thousand trials.
    conditions = {method.label: _conditions(study, method) for method in study.methods}
    described = {method.label: _describe(study, method) for method in study.methods}
    for dataset in study.datasets:
        active = study.methods
        for done in range(study.repeats):
            active = tuple(method for method in active if done < _repeats(study, method))
            if not active:
                break
            repeat = study.first + done
            where = {"data": hashes[dataset], "dataset": dataset, "repeat": repeat}
            for method in active:
                for setting, factor in conditions[method.label]:
                    how = {"setting": setting, "factor": factor, **described[method.label]}
                    text = json.dumps({**where, **how}, sort_keys=True, default=str)
                    key = hashlib.sha256(text.encode()).hexdigest()[:20]
                    yield Trial(dataset, repeat, setting, method, factor, key)


def _repeats(study: Study, method: MethodSpec) -> int:
    return study.repeats if method.repeats is None else min(study.repeats, method.repeats)


def _conditions(study: Study, method: MethodSpec) -> list[tuple[Setting, float]]:
    """Return the labels and the prior factors under which a method is run."""
    entry = get_method(method.name)
    if entry.labels == "true":
        return [(ORACLE, 1.0)]
    factors = study.prior_factors if entry.takes_prior else (1.0,)
    return list(product(study.settings, factors))


def _describe(study: Study, method: MethodSpec) -> dict[str, Any]:
    """Return what the numbers of a method in a study depend on."""
    entry = get_method(method.name)
    return {
        "label": method.label,
        "params": {k: repr(v) for k, v in {**entry.params, **method.params}.items()},
        "seed_from": method.seed_from,
        "metrics": study.metrics,
        "seed": study.seed,
        **study.protocol.key_parts(study),
    }


def split_dataset(study: Study, dataset: str, repeat: int) -> TrainTestSplit:
    """Load a data set and split it for one repeat, as the protocol of the study says.

    Parameters
    ----------
    study : Study
        The protocol.
    dataset : str
        One of its data sets.
    repeat : int
        The number of the split.

    Returns
    -------
    TrainTestSplit

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")
    >>> split = split_dataset(study, "wine-rare", repeat=0)
    >>> split.X.shape, split.X_test.shape
    ((102, 13), (44, 13))
    """
    return study.protocol.split(study, dataset, repeat)


def run_trial(
    trial: Trial, study: Study, split: TrainTestSplit, memory: str | None = None
) -> list[Row]:
    """Run one trial; an error becomes rows with a status and a message.

    Parameters
    ----------
    trial : Trial
        The fit.
    study : Study
        The protocol.
    split : TrainTestSplit
        The rows of its data set and repeat.
    memory : str or None, default=None
        A folder where methods with a parameter `memory` cache what other trials can share.

    Returns
    -------
    list of Row
        One for each metric.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")
    >>> made = trials(study, dict.fromkeys(study.datasets, ""))
    >>> trial = next(trial for trial in made if trial.dataset == "wine-rare")
    >>> rows = run_trial(trial, study, split_dataset(study, "wine-rare", repeat=0))
    >>> [(row.method, row.metric, row.status) for row in rows]
    [('naive-xgb', 'average_precision', 'ok'), ('naive-xgb', 'roc_auc', 'ok')]
    """
    start = time.perf_counter()
    try:
        entry = get_method(trial.method.name)
        # An alarm in the middle of an import would leave half a module behind.
        entry.load()
        for package in entry.needs:
            import_module(package)
        with deadline(study.timeout):
            scores, seconds = _fit_and_score(trial, study, split, memory)
        values = [
            float(getattr(metrics, metric)(split.y_true_test, scores))
            for metric in study.metrics
        ]
        return make_rows(trial, study, "ok", "", values, seconds)
    except Exception as error:  # a failed trial is a row, whatever went wrong
        seconds = time.perf_counter() - start
        # The alarm may arrive as another error, such as that of an estimator it interrupted.
        if isinstance(error, TimeoutError) or seconds > study.timeout:
            status, message = "timeout", f"given up after {study.timeout:g} s"
        else:
            status, message = "failed", f"{type(error).__name__}: {error}"[:500]
        return make_rows(trial, study, status, message, seconds=seconds)


def run_group(group: Sequence[Trial], study: Study, store: ResultStore, parent: int) -> int:
    """Run the trials of one data set and repeat and store their results; return their number.

    A worker stops when the process that started it, `parent`, has ended.
    """
    try:
        split = split_dataset(study, group[0].dataset, group[0].repeat)
    except NoSplitError as error:
        for trial in group:
            rows = make_rows(trial, study, "failed", str(error))
            store.write(trial.stored_as, make_result_table(rows))
        return len(group)
    alike = any(trial.method.seed_from for trial in group)
    with TemporaryDirectory() if alike else nullcontext() as memory:  # what variants share
        for trial in group:
            if parent not in (os.getpid(), os.getppid()):
                os._exit(1)  # nobody waits for the rest
            rows = run_trial(trial, study, split, memory)
            store.write(trial.stored_as, make_result_table(rows))
    return len(group)


def make_rows(
    trial: Trial,
    study: Study,
    status: str,
    message: str,
    values: Sequence[float] = (),
    seconds: float = float("nan"),
) -> list[Row]:
    """Return the rows of a trial, one for each metric of its study; no values are NaN."""
    dataset, repeat, (mechanism, hidden), method, factor, key = trial
    where = dataset, mechanism, hidden, method.name, method.label, factor, repeat
    how = seconds, status, message, key, name_versions()
    values = values or [float("nan")] * len(study.metrics)
    return [
        Row(*where, metric, value, *how)
        for metric, value in zip(study.metrics, values, strict=True)
    ]


def _fit_and_score(
    trial: Trial, study: Study, split: TrainTestSplit, memory: str | None
) -> tuple[NDArray[Any], float]:
    """Return the scores of the test rows and the seconds of the fit."""
    mechanism, hidden = trial.setting
    words = study.seed, trial.dataset, trial.repeat
    if trial.setting == ORACLE:
        y = split.y_true
    else:
        y = study.protocol.draw_labels(study, trial.dataset, trial.repeat, trial.setting, split)
    settings: dict[str, Any] = dict(trial.method.params)
    if get_method(trial.method.name).takes_prior:
        settings["prior"] = min(trial.prior_factor * float(split.y_true.mean()), MAX_PRIOR)
    seed = seed_of(*words, mechanism, hidden, trial.method.seed_from or trial.method.label)
    model = build(trial.method.name, random_state=seed, **settings)
    if "memory" in model.get_params(deep=False):
        model.set_params(memory=memory)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # one for each of thousands of fits
        start = time.perf_counter()
        model.fit(split.X, y)
        seconds = time.perf_counter() - start
        return model.decision_function(split.X_test), seconds


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after some seconds, where the system and the thread allow it."""
    in_main = threading.current_thread() is threading.main_thread()
    if not (in_main and hasattr(signal, "SIGALRM")):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        # Again and again, since an error in a destructor or a callback is overlooked.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
