"""Warnings that point to the line of the user, however deep in the package they come up."""

import sys
import warnings

# Packages whose lines are not the user's: ours, and those that call us on the user's behalf.
_INNER = {
    *("lopsided", "sklearn", "joblib", "numba", "numpy", "pandas"),
    *("threading", "concurrent", "contextlib", "functools", "importlib"),
}


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into the package, or the outermost one if there is none."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_inner(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    names = frame.f_globals
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=names.get("__name__", "<unknown>"),
        # Python keeps here what it has said of a module, so as not to say it twice.
        registry=names.setdefault("__warningregistry__", {}),
    )


def _is_inner(module: str) -> bool:
    return module.partition(".")[0] in _INNER
