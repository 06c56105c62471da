"""Skips tests and examples that need an optional package or data that are not there."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from lopsided.methods.registry import METHODS

# By how their modules begin; what a method needs, its entry in the registry says.
NEEDS = {
    "lopsided.dask": ("dask", "distributed"),
    "lopsided.export": ("treelite",),
    "lopsided_bench.peers": ("pulearn", "imblearn"),
    **{method.target.partition(":")[0]: method.needs for method in METHODS if method.needs},
}


def pytest_collection_modifyitems(items):
    """Mark examples that cannot run here."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            wanted = (NEEDS[start] for start in NEEDS if item.name.startswith(start))
            missing = [name for names in wanted for name in names if not _is_here(name)]
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"{', '.join(missing)} not installed"))


def _is_here(package):
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # blocked by --without
        return False


def pytest_runtest_setup(item):
    """Skip a test of data that are not here."""
    mark = item.get_closest_marker("data")
    folder = os.environ.get("LOPSIDED_DATA")
    if mark and not folder:
        pytest.skip("LOPSIDED_DATA is not set")
    if mark and not all((Path(folder) / part).exists() for part in mark.args):
        pytest.skip(f"LOPSIDED_DATA holds no {', '.join(mark.args)}")
