"""Settings that keep tests deterministic and off the network."""

import os
import sys
from pathlib import Path

import hypothesis

sys.path.insert(0, str(Path(__file__).parent))  # for page_blocks
os.environ.setdefault("LOPSIDED_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Threads of BLAS wait for each other by spinning; with `-n 2` on two cores, they mostly spin.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The same examples in each run, and no limit on their time, which other load would exceed.
hypothesis.settings.register_profile(
    "tests",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    max_examples=40,
)
hypothesis.settings.load_profile("tests")


def pytest_addoption(parser):
    parser.addoption(
        "--without", action="append", default=[], help="act as if a package were not installed"
    )


class Blocked:
    """Finds none of some packages, before any other finder finds them."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def pytest_configure(config):
    packages = set(config.getoption("--without"))
    loaded = packages & {name.partition(".")[0] for name in sys.modules}
    assert not loaded, f"{loaded} cannot be blocked any more"
    sys.meta_path.insert(0, Blocked(packages))
