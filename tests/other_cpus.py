"""Runs tests as on other processors: other kernels of linear algebra, or no wide instructions.

`make cpus` runs a slice of the suite this way. OpenBLAS does not ask the processor whether it
can run a kernel that is asked for by name, so that one which it cannot run is skipped.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

# The instructions that each kernel of OpenBLAS needs, as /proc/cpuinfo names them.
KERNELS = {
    "Haswell": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"},
    "Zen": {"avx2", "fma"},
    "Sandybridge": {"avx"},
}


def read_flags(cpuinfo=Path("/proc/cpuinfo")):
    """Return the instruction sets of this processor; none where it is not x86 under Linux."""
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    flags = next((line for line in lines if line.startswith("flags")), "")
    return set(flags.partition(":")[2].split())


def list_cpus(flags):
    """Return the settings that stand for other processors, and the kernels that are skipped."""
    settings = {
        kernel: {"OPENBLAS_CORETYPE": kernel}
        for kernel, needed in KERNELS.items()
        if needed <= flags
    }
    wide = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    settings["generic"] = {
        "NUMBA_CPU_NAME": "generic",
        "NPY_DISABLE_CPU_FEATURES": " ".join(wide),
    }
    return settings, [kernel for kernel in KERNELS if kernel not in settings]


def main(tests):
    """Run the tests under each setting; return 1 if any of them fails."""
    settings, skipped = list_cpus(read_flags())
    for kernel in skipped:
        print(f"{kernel}: skipped, this processor lacks {' '.join(sorted(KERNELS[kernel]))}")
    failed = []
    for name, setting in settings.items():
        print(f"{name}: {setting}", flush=True)
        command = [sys.executable, "-m", "pytest", "-n", "2", "--durations=5", *tests]
        if subprocess.run(command, env={**os.environ, **setting}).returncode:
            failed.append(name)
    print(f"other processors: {len(settings)} settings, failed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
