"""The peak of memory during a piece of work, as Linux counts it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Peak", "measure_peak"]


class Peak(NamedTuple):
    """What a piece of work returned, its peak in bytes above the level before, if exact."""

    result: Any
    size: int
    exact: bool  # else an upper bound: an earlier peak may have been higher


def measure_peak(work: Callable[..., Any], *arguments: Any) -> Peak:
    """Call something and return its result and its peak of memory."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    except OSError:
        exact = False
    else:
        exact = True
    before = _read("VmRSS")
    result = work(*arguments)
    return Peak(result, _read("VmHWM") - before, exact)


def _read(field: str) -> int:
    """Return a field of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(
        f"/proc/self/status must have {field}; memory is measured on Linux only."
    )
