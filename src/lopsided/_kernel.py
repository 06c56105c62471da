"""Decorators for compiled functions, and a place on disk for what was compiled."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import numba

__all__ = ["cache_folder", "formula", "kernel", "part", "reorderable"]

_PACKAGE = Path(__file__).parent
# A division by zero gives infinity as in NumPy, not an error.
_COMMON = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def _fingerprint() -> str:
    """Return a hash of all sources that hold kernels.

    Numba looks only at the file of a function to see whether its compiled form is out of date,
    not at the files of the functions that it calls.
    """
    sources = [*sorted(_PACKAGE.glob("trees/*.py")), _PACKAGE / "methods" / "_objective.py"]
    content = b"".join(source.read_bytes() for source in (Path(__file__), *sources))
    return hashlib.sha256(content).hexdigest()[:16]


def cache_folder(package: Path = _PACKAGE) -> Path:
    """Return a folder for compiled code that can be written to.

    Beside the source if possible; a package installed for all users has it in the user's cache,
    or, where there is none, as in some containers, in a temporary folder.

    Parameters
    ----------
    package : path
        Where the source lies.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    places = [package / "__pycache__", Path(home) / "lopsided", Path(tempfile.gettempdir())]
    if wish := os.environ.get("NUMBA_CACHE_DIR"):
        places.insert(0, Path(wish))
    for place in places:
        folder = place / f"lopsided-kernels-{_fingerprint()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="lopsided-kernels-"))


_FOLDER = str(cache_folder())


def kernel(function: Any) -> Any:
    """Compile a function that Python calls: kept on disk, free of Python's lock."""
    elsewhere = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _FOLDER
    try:
        return numba.njit(**_COMMON, cache=True)(function)
    finally:
        numba.config.CACHE_DIR = elsewhere


def part(function: Any) -> Any:
    """Compile a function that only kernels call, as a part of them."""
    # A face for Python would take a quarter of the time to compile.
    return numba.njit(**_COMMON, no_cpython_wrapper=True)(function)


def reorderable(function: Any) -> Any:
    """Compile a part whose sums may be added up in any order, several numbers at a time."""
    return numba.njit(**_COMMON, no_cpython_wrapper=True, fastmath={"reassoc", "nsz"})(function)


def formula(function: Any) -> Any:
    """Compile a few lines that are written out wherever they are called."""
    return numba.njit(nogil=True, error_model="numpy", inline="always")(function)
