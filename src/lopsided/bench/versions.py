"""The versions that results are made with; every row of a table names its own."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from lopsided import __version__

__all__ = ["name_versions"]

_PACKAGES = ("numpy", "scikit-learn", "xgboost", "numba", "torch", "pulearn")


@cache
def name_versions() -> str:
    """Return the versions of this library, Python, what both stand on, and the platform."""
    found = [f"lopsided {__version__}", f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join([*found, f"{platform.system()} {platform.machine()}"])
