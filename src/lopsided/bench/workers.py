"""The trials of a study in worker processes, and what to do when one of these dies."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from tempfile import TemporaryDirectory

from lopsided.bench.pool import start_workers
from lopsided.bench.store import ResultStore
from lopsided.bench.study import Study
from lopsided.bench.table import Row, make_result_table
from lopsided.bench.trial import Trial, make_rows, run_trial, split_dataset

__all__ = ["run_trials"]

_Groups = list[list[Trial]]


def run_trials(
    groups: _Groups,
    study: Study,
    store: ResultStore,
    n_workers: int,
    advance: Callable[[int], None],
) -> None:
    """Run groups of trials, each of one data set and repeat, but for those in the store.

    If a worker dies, say for lack of memory, its trial is tried again alone; if that one dies
    too, it becomes a failed row. `advance` is told how many trials are done.
    """
    while groups:
        running, waiting = _run_until_death(groups, study, store, n_workers, advance)
        left = [_not_in(store, group) for group in running]
        # They start in this order: a worker died at the first trial of one of these that is
        # not in the store.
        for trial in [group[0] for group in left if group][:n_workers]:
            if any(_run_until_death([[trial]], study, store, 1, lambda _: None)):
                why = "the process died, perhaps for lack of memory"
                _write(store, trial, make_rows(trial, study, "failed", why))
        left = [_not_in(store, group) for group in running]
        advance(sum(map(len, running)) - sum(map(len, left)))
        groups = [*filter(None, left), *waiting]


def _not_in(store: ResultStore, group: list[Trial]) -> list[Trial]:
    return [trial for trial in group if trial.stored_as not in store]


def _run_until_death(
    groups: _Groups,
    study: Study,
    store: ResultStore,
    n_workers: int,
    advance: Callable[[int], None],
) -> tuple[_Groups, _Groups]:
    """Run groups until all are done or a worker dies; return those begun, and the others."""
    waiting, running = list(groups), dict[Future[None], list[Trial]]()
    with start_workers(n_workers) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < 2 * n_workers:  # memory stays bounded
                    group = waiting.pop(0)
                    running[pool.submit(_run_group, group, study, store)] = group
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    advance(len(running.pop(future)))
        except BrokenProcessPool:
            return list(running.values()), waiting
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [], []


def _run_group(group: list[Trial], study: Study, store: ResultStore) -> None:
    """Run the trials of one data set and repeat in a worker."""
    split = split_dataset(study, group[0].dataset, group[0].repeat)
    alike = any(trial.method.seed_from for trial in group)
    with TemporaryDirectory() as folder:
        memory = folder if alike else None  # variants take what they share from there
        for trial in group:
            if trial.stored_as not in store:  # another run may be at the same study
                _write(store, trial, run_trial(trial, study, split, memory))


def _write(store: ResultStore, trial: Trial, rows: list[Row]) -> None:
    store.write(trial.stored_as, make_result_table(rows))
