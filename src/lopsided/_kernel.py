"""Decorators for functions that numba compiles."""

from typing import Any

import numba

from lopsided._kernel_cache import KernelCache

# A division by zero gives infinity as in NumPy, not an error.
_COMMON = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def njit_cached(function: Any) -> Any:
    """Compile a function that Python calls: cached on disk, without the global lock."""
    compiled = numba.njit(**_COMMON)(function)
    compiled._cache = KernelCache(function)  # as cache=True does, with a class of numba's own
    return compiled


def njit_helper(function: Any) -> Any:
    """Compile a function that only other compiled functions call."""
    # A wrapper for Python would take a quarter of the time to compile.
    return numba.njit(**_COMMON, no_cpython_wrapper=True)(function)


def njit_fastmath(function: Any) -> Any:
    """Compile a helper whose sums may be added up in any order, several numbers at a time."""
    return numba.njit(**_COMMON, no_cpython_wrapper=True, fastmath={"reassoc", "nsz"})(function)


def njit_inline(function: Any) -> Any:
    """Compile a few lines that are inlined wherever they are called."""
    return numba.njit(nogil=True, error_model="numpy", inline="always")(function)
