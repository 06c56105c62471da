"""Skips the examples in docstrings of methods and modules whose optional package is missing."""

from importlib.util import find_spec

import pytest

from lopsided.methods.registry import METHODS

# By how their modules begin; what a method needs, its entry in the registry says.
NEEDS = {
    "lopsided.dask": ("dask", "distributed"),
    "lopsided.export": ("treelite",),
    "lopsided_bench.supervised_peers": ("imblearn",),
    **{
        method.target.partition(":")[0]: method.needs
        for method in METHODS
        if method.needs and method.source == "lopsided"
    },
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
