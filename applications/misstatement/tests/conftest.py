import os
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from lopsided_misstatement import trials
from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.panel import load_panel
from lopsided_misstatement.source import Source

os.environ.setdefault("OMP_WAIT_POLICY", "passive")


@pytest.fixture(scope="session")
def panel():
    """A small synthetic panel, sorted by year."""
    made = make_misstatement_panel(n_firms=200, prevalence=0.08, random_state=1)
    return made.sort_values(["fyear", "gvkey"], ignore_index=True)


@pytest.fixture(scope="session")
def source(panel, tmp_path_factory):
    """A panel in a file, as a user has one, with missing values."""
    file = tmp_path_factory.mktemp("panel") / "panel.csv"
    panel.to_csv(file, index=False)
    return Source(str(file), rows="all")


@pytest.fixture(scope="session")
def finance():
    """The folder of what the authors released, where it is at hand."""
    folder = Path(os.environ.get("LOPSIDED_DATA", ""), "finance")
    if "LOPSIDED_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("LOPSIDED_DATA holds no finance")
    return folder


@pytest.fixture(scope="session")
def released(finance):
    """The panel that the authors released."""
    return load_panel()


class AtOnce(Executor):
    """Does what it is given at once, in this process."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def start_none(n_workers):
    """Give what stands in for workers; it too keeps to one thread, for the same bits."""
    with threadpool_limits(1):
        yield AtOnce()


@pytest.fixture(scope="session")
def run_here():
    """Call a function without its worker processes, which take longer to start than to work."""

    def run(function, *args, **options):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trials, "start_workers", start_none)
            return function(*args, **options)

    return run
