"""Worker processes that may crash or hang: either costs the case at hand, and no other."""

import os
import signal
import tempfile
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from attacks.verdicts import Finding, Outcome, judge_error

__all__ = ["Case", "Done", "run_case", "run_cases"]

_CASES_PER_WORKER = 400  # then a fresh one takes over, so that leaks do not add up
_SECONDS_TO_START = 300.0  # imports, and compilation where the cache is cold


class Case(NamedTuple):
    """One attack: the module that knows how, and a seed."""

    kind: str
    seed: int


class Done(NamedTuple):
    """A finished case."""

    case: Case
    outcome: Outcome
    seconds: float


def run_case(case: Case) -> Outcome:
    """Run a case in this process, in a folder of its own that is gone afterwards."""
    module = import_module(f"attacks.{case.kind}")
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
        What to run.
    jobs : int
        Processes side by side.
    """
    waiting = iter(cases)
    workers = [_Worker() for _ in range(jobs)]
    idle, finished = list(workers), False
    try:
        while True:
            while idle and not finished:
                case = next(waiting, None)
                if case is None:
                    finished = True
                else:
                    idle.pop().start(case)
            busy = [worker for worker in workers if worker.case is not None]
            if not busy:
                return
            soonest = min(worker.deadline for worker in busy)
            wait([one.pipe for one in busy], timeout=max(soonest - time.monotonic(), 0))
            for worker in busy:
                if (done := worker.poll()) is not None:
                    idle.append(worker)
                    yield done
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process and the case that it is at."""

    def __init__(self) -> None:
        self.case: Case | None = None
        self.deadline, self._began, self._left = 0.0, 0.0, 0
        self._process: Any = None
        self.pipe: Any = None

    def start(self, case: Case) -> None:
        if self._left < 1:
            self.end()
            self._launch()
        self._left -= 1
        self.case, self._began = case, time.monotonic()
        self.deadline = self._began + import_module(f"attacks.{case.kind}").DEADLINE
        self.pipe.send(case)

    def poll(self) -> Done | None:
        """Return the case that is done, or has to be."""
        assert self.case is not None
        seconds = time.monotonic() - self._began
        if self.pipe.poll():
            try:
                outcome = self.pipe.recv()
            except EOFError:
                outcome = self._bury()
        elif time.monotonic() >= self.deadline:
            self._left = 0
            self._kill()
            outcome = Outcome("hang", f"No answer after {seconds:.0f} s")
        else:
            return None
        done = Done(self.case, outcome, seconds)
        self.case = None
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
        self._left = _CASES_PER_WORKER

    def _bury(self) -> Outcome:
        self._left = 0
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
            case = pipe.recv()
        except EOFError:
            return
        outcome = run_case(case)
        pipe.send(outcome)
