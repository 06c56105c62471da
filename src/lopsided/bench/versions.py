"""The versions that results were made with, kept in the file of their table."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from lopsided import __version__

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["keep_versions", "kept_versions", "list_versions"]

_PACKAGES = ("numpy", "scikit-learn", "xgboost", "numba", "torch", "pulearn")
_KEY = "made with"


def list_versions() -> dict[str, str]:
    """Return the versions of Python, this library, what it stands on, and the platform."""
    found = {"python": platform.python_version(), "lopsided": __version__}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return {**found, "platform": f"{platform.system()} {platform.machine()}"}


def kept_versions(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return what a table was made with, one entry for each set of versions that took part."""
    return list(table.attrs.get(_KEY, []))


def keep_versions(table: pd.DataFrame, versions: Iterable[dict[str, str]]) -> pd.DataFrame:
    """Return the table with a note of the versions, each set once; parquet files keep it.

    Parameters
    ----------
    table : DataFrame
        Results.
    versions : iterable of dict
        As from `list_versions` and `kept_versions`.
    """
    noted = table.copy(deep=False)
    noted.attrs[_KEY] = [dict(one) for one in dict.fromkeys(tuple(v.items()) for v in versions)]
    return noted
