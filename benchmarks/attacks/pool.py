"""Worker processes that may crash or hang: either costs the case at hand, and no other."""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from attacks.drawn import CHUNK, run_chunk
from attacks.kinds import get_kind
from attacks.verdicts import Finding, Outcome, judge_error

__all__ = ["Case", "Done", "run_batch", "run_cases"]

_ROOM_PER_WORKER = 400.0  # then a fresh one takes over, so that leaks do not add up
_ROOM_OF_DRAWN = 0.05  # of a case that is drawn, beside one that is not
_SECONDS_TO_START = 900.0  # imports, and compilation where the cache is cold


class Case(NamedTuple):
    """One attack: the module that knows how, and a seed."""

    kind: str
    seed: int


class Done(NamedTuple):
    """A finished case."""

    case: Case
    outcome: Outcome
    seconds: float


def run_batch(cases: list[Case], done: Callable[[Case, Outcome], Any]) -> None:
    """Run cases of one batch in this process.

    Parameters
    ----------
    cases : list of Case
        One, or some of one chunk of those that are drawn.
    done : callable
        Is told each case and its outcome.
    """
    kind = cases[0].kind
    if get_kind(kind).drawn:
        run_chunk(
            kind, [case.seed for case in cases], lambda seed, out: done(Case(kind, seed), out)
        )
        return
    for case in cases:
        done(case, _run_case(case))


def _run_case(case: Case) -> Outcome:
    """Run a case in a folder of its own that is gone afterwards."""
    module = get_kind(case.kind).module
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix=f"attack-{case.kind}-") as folder:
        os.chdir(folder)
        try:
            return module.run(case.seed, Path(folder)) or Outcome("result")
        except Finding as found:
            return found.outcome
        except Exception as error:  # judged, never fatal
            return judge_error(error)
        finally:
            os.chdir(before)


def run_cases(cases: Iterable[Case], jobs: int) -> Iterator[Done]:
    """Run cases in worker processes and yield each when it is done.

    Parameters
    ----------
    cases : iterable of Case
        What to run; those of one chunk must be neighbors.
    jobs : int
        Processes side by side.
    """
    waiting = _batches(cases)
    workers = [_Worker() for _ in range(jobs)]
    idle, finished = list(workers), False
    try:
        while True:
            while idle and not finished:
                batch = next(waiting, None)
                if batch is None:
                    finished = True
                else:
                    idle.pop().start(batch)
            busy = [worker for worker in workers if worker.cases]
            if not busy:
                return
            soonest = min(worker.deadline for worker in busy)
            wait([one.pipe for one in busy], timeout=max(soonest - time.monotonic(), 0))
            for worker in busy:
                if (done := worker.poll()) is not None:
                    if not worker.cases:
                        idle.append(worker)
                    yield done
    finally:
        for worker in workers:
            worker.end()


def _batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Put cases of one chunk together."""
    for (kind, _), some in groupby(cases, lambda one: (one.kind, one.seed // CHUNK)):
        if get_kind(kind).drawn:
            yield list(some)
        else:
            yield from ([case] for case in some)


class _Worker:
    """A process and the cases that it is at, the first of them now."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.deadline, self._began, self._room = 0.0, 0.0, 0.0
        self._process: Any = None
        self.pipe: Any = None

    def start(self, cases: list[Case]) -> None:
        if self._room <= 0:
            self.end()
            self._launch()
        drawn = get_kind(cases[0].kind).drawn
        self._room -= len(cases) * (_ROOM_OF_DRAWN if drawn else 1)
        self.cases = list(cases)
        self._watch()
        self.pipe.send(cases)

    def _watch(self) -> None:
        self._began = time.monotonic()
        if self.cases:
            self.deadline = self._began + get_kind(self.cases[0].kind).deadline

    def poll(self) -> Done | None:
        """Return the case that is done, or has to be."""
        seconds = time.monotonic() - self._began
        dead = False
        if self.pipe.poll():
            try:
                outcome = self.pipe.recv()
            except EOFError:
                outcome, dead = self._bury(), True
        elif time.monotonic() >= self.deadline:
            self._kill()
            outcome, dead = Outcome("hang", f"No answer after {seconds:.0f} s"), True
        else:
            return None
        done = Done(self.cases.pop(0), outcome, seconds)
        if dead:
            self._room = 0
            if self.cases:
                self.start(self.cases)
        self._watch()
        return done

    def end(self) -> None:
        if self._process is not None:
            self._kill()
            self._process = None

    def _launch(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        self._process.start()
        theirs.close()
        if not self.pipe.poll(_SECONDS_TO_START):
            raise TimeoutError("A worker did not start. Is the machine very busy?")
        self.pipe.recv()
        self._room = _ROOM_PER_WORKER

    def _bury(self) -> Outcome:
        self._process.join(10)
        code = self._process.exitcode
        return Outcome("traceback", f"The interpreter died: exit code {code}")

    def _kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(pipe: Connection) -> None:
    """Run cases until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's Ctrl-C is the parent's
    import lopsided.ranking

    assert lopsided.ranking
    pipe.send("ready")
    while True:
        try:
            cases = pipe.recv()
        except EOFError:
            return
        run_batch(cases, lambda _, outcome: pipe.send(outcome))
