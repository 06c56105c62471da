"""Studies that run in this process, and the small one that lies beside the tests."""

import sys
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from lopsided_bench import runner

sys.path.insert(0, str(Path(__file__).parent))


class AtOnce:
    """An executor that runs each task in this process, when it is given."""

    def submit(self, task, *arguments):
        done = Future()
        done.set_result(task(*arguments))
        return done

    def shutdown(self, **_):
        pass


@pytest.fixture(scope="session")
def in_process():
    """Give a context without workers: they take seconds to start, for trials of a tenth."""

    @contextmanager
    def without_workers():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(runner, "start_workers", lambda _: nullcontext(AtOnce()))
            yield

    return without_workers
