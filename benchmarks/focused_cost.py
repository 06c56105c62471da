"""Print what the flagship costs as tables grow: seconds of fit and of scoring, and memory.

Each fit has a process of its own, so that its peak of memory is its own. Seconds of cores are
the processor's, which other load on the machine hardly changes. Tables are made up, continuous
and noisy, 2.5 % labeled; "satellite" is that data set's training rows, half labeled (SCAR).

    python benchmarks/focused_cost.py [--sizes satellite 3500 100k 1m] [--presets full fast]
"""

import argparse
import resource
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
from forest_speed import make_table
from memory import measure_peak


class Size(NamedTuple):
    """A table and the number of threads to fit it with, and what a full fit may cost."""

    n_rows: int
    n_features: int
    jobs: int
    most_seconds: float | None = None


SIZES = {
    "satellite": Size(3570, 36, 1, 6.0),
    "3500": Size(3500, 36, 1, 6.0),
    "10k": Size(10_000, 30, 1),
    "30k": Size(30_000, 30, 2),
    "100k": Size(100_000, 30, 2),
    "300k": Size(300_000, 30, 2),
    "1m": Size(1_000_000, 30, 2, 600.0),
}
MAX_MEMORY = 4.0  # times X


def load_satellite():
    """Return the training rows and labels of the first split of the satellite data."""
    from sklearn.model_selection import train_test_split

    from lopsided.datasets import load
    from lopsided.labeling import SCAR

    data = load("satellite")
    X, _, truth, _ = train_test_split(
        data.X, data.y_true, test_size=0.3, stratify=data.y_true, random_state=0
    )
    return X, SCAR(0.5).draw(X, truth, np.random.default_rng(0))


def print_cost(name: str, preset: str) -> None:
    """Print seconds of fit, of cores, of scoring 10,000 rows, and memory as a share of X."""
    from lopsided.methods.focused import FocusedClassifier

    size = SIZES[name]

    def build():
        return FocusedClassifier(preset=preset, n_jobs=size.jobs, random_state=0)

    small, labels, _ = make_table(600, size.n_features, 1)
    build().fit(small, labels).decision_function(small)  # warm up
    if name == "satellite":
        X, y = load_satellite()
    else:
        X, y, _ = make_table(size.n_rows, size.n_features, 0)
    start, cores = time.perf_counter(), _core_seconds()
    model, peak, exact = measure_peak(build().fit, X, y)
    seconds, cores = time.perf_counter() - start, _core_seconds() - cores
    start = time.perf_counter()
    model.decision_function(np.resize(X, (10_000, size.n_features)))
    print(seconds, cores, time.perf_counter() - start, peak / X.nbytes, X.nbytes, int(exact))


def _core_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--presets", nargs="*", choices=["full", "fast"], default=["full"])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print_cost(options.sizes[0], options.presets[0])
        return
    for preset in options.presets:
        for name in options.sizes:
            size = SIZES[name]
            command = [sys.executable, __file__, "--one", "--sizes", name, "--presets", preset]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, cores, score, memory, table, exact = map(float, run.stdout.split())
            wanted = size.most_seconds if preset == "full" else None
            most = MAX_MEMORY if name == "1m" else None
            at_most = "" if exact else "at most "
            print(
                f"{preset:4} {name:>9}, {size.n_rows:,} x {size.n_features}, {size.jobs} cores"
                f": fit {seconds:.2f} s{_met(seconds, wanted)}, {cores:.2f} s of cores, "
                f"{1e6 * seconds / size.n_rows:.0f} us a row; 10,000 rows scored in "
                f"{score:.2f} s; peak {at_most}{memory:.1f} times X, "
                f"{memory * table / 2**20:.0f} MiB{_met(memory, most)}",
                flush=True,
            )


def _met(value: float, most: float | None) -> str:
    if most is None:
        return ""
    return f" (target {most:g}: {'met' if value < most else 'missed'})"


if __name__ == "__main__":
    main()
