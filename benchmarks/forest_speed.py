"""Print speed, memory and quality of the forest engine beside scikit-learn's random forest.

Both grow full-depth gini trees on bootstrapped rows with the square root of the columns, on two
threads, from the same table: continuous columns, 5 % positive, half of them labeled, unlabeled
rows taken for negatives. scikit-learn grows fewer trees and its time is scaled linearly to 100;
average precision and prediction are compared at that smaller number of trees on both sides. The
two fit by turns, so that other load on the machine meets both.

    python benchmarks/forest_speed.py [--sizes 10k 200k 1m] [--jobs 2]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple

import numpy as np
from memory import measure_peak

from lopsided._progress import Bar

N_TREES = 100
START_CODE = """
import time
start = time.perf_counter()
import numpy as np
from lopsided.methods.forest import PUForestClassifier
imported = time.perf_counter()
X = np.random.default_rng(0).normal(size=(200, 5))
PUForestClassifier(n_estimators=2, n_jobs=2, random_state=0).fit(X, X[:, 0] > 1.5)
print(imported - start, time.perf_counter() - imported)
"""


class Size(NamedTuple):
    """A table, and how much of it scikit-learn can do in decent time."""

    n_rows: int
    n_features: int
    n_trees: int  # of scikit-learn, and of both where quality and prediction are compared
    seeds: int
    n_test: int
    least_ratio: float | None  # the target


SIZES = {
    "10k": Size(10_000, 20, 100, 5, 50_000, None),
    "200k": Size(200_000, 30, 64, 5, 200_000, 15.0),
    "1m": Size(1_000_000, 30, 4, 2, 200_000, 12.0),
}


class Measured(NamedTuple):
    """What came out for one size: medians of seconds, means of average precision."""

    fit: float
    rival_fit: float  # scaled to N_TREES
    quality: float
    rival_quality: float
    predict: float
    rival_predict: float
    memory: float  # peak of our fit without the trees, as a share of X
    bound: bool  # whether that is only an upper bound
    trees: float  # the fitted trees, as a share of X


def make_table(n_rows: int, n_features: int, seed: int) -> tuple[Any, Any, Any]:
    """Return X, y and y_true: bumps, products and waves of some columns, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    signal = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) - 0.5 * X[:, 4] ** 2
    signal += 0.7 * X[:, 5] + 0.5 * (X[:, 6] > 1) * X[:, 7] + rng.normal(size=n_rows)
    y_true = (signal > np.quantile(signal, 0.95)).astype(np.int8)
    return X, y_true * (rng.random(n_rows) < 0.5).astype(np.int8), y_true


def build_ours(n_trees: int, seed: int, jobs: int) -> Any:
    from lopsided.methods.forest import PUForestClassifier

    return PUForestClassifier(
        criterion="gini", splitter="best", n_estimators=n_trees, n_jobs=jobs, random_state=seed
    )


def build_rival(n_trees: int, seed: int, jobs: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=n_trees, n_jobs=jobs, random_state=seed)


def timed(work: Any, *arguments: Any, times: int = 1) -> tuple[float, Any]:
    """Return the least seconds of some calls, and what the last one returned."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = work(*arguments)
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def compare(size: Size, jobs: int, bar: Bar) -> list[tuple[float, ...]]:
    """Return our and the rival's seconds of fit, quality and seconds of predict, by seed."""
    from lopsided.metrics import average_precision

    rows = []
    for seed in range(size.seeds):
        X, y, _ = make_table(size.n_rows, size.n_features, seed)
        X_test, _, truth = make_table(size.n_test, size.n_features, 1000 + seed)
        fit, _ = timed(build_ours(N_TREES, seed, jobs).fit, X, y)
        rival_fit, rival = timed(build_rival(size.n_trees, seed, jobs).fit, X, y)
        ours = build_ours(size.n_trees, seed, jobs).fit(X, y)
        predict, scores = timed(ours.decision_function, X_test, times=3)
        rival_predict, shares = timed(rival.predict_proba, X_test, times=3)
        quality = average_precision(truth, scores), average_precision(truth, shares[:, 1])
        scaled = rival_fit * N_TREES / size.n_trees
        rows.append((fit, scaled, *quality, predict, rival_predict))
        bar.advance()
    return rows


def print_memory(size: Size, jobs: int) -> None:
    """Print bytes: the peak of a fit above the level before, trees, X; and if it is exact."""
    build_ours(2, 0, jobs).fit(*make_table(1000, 8, 0)[:2])
    X, y, _ = make_table(size.n_rows, size.n_features, 0)
    assert X.dtype == np.float64
    fitted, peak, exact = measure_peak(build_ours(N_TREES, 0, jobs).fit, X, y)
    forest = fitted.forest_
    parts = (value for value in vars(forest).values() if isinstance(value, np.ndarray))
    print(peak, sum(part.nbytes for part in parts), X.nbytes, int(exact))


def run_python(*arguments: str, **environment: str) -> list[float]:
    """Return the numbers that a fresh interpreter prints."""
    command = [sys.executable, *arguments]
    merged = {**os.environ, **environment}
    run = subprocess.run(command, env=merged, capture_output=True, text=True, check=True)
    return [float(word) for word in run.stdout.split()]


def measure(name: str, jobs: int, bar: Bar) -> Measured:
    rows = np.array(compare(SIZES[name], jobs, bar))
    fit, rival_fit, _, _, predict, rival_predict = np.median(rows, axis=0)
    quality, rival_quality = rows[:, 2:4].mean(axis=0)
    # Named, since the file is run again for a process of its own.
    peak, trees, table, exact = run_python(__file__, "--memory-of", name, "--jobs", str(jobs))
    bar.advance()
    return Measured(
        fit,
        rival_fit,
        quality,
        rival_quality,
        predict,
        rival_predict,
        (peak - trees) / table,
        not exact,
        trees / table,
    )


def print_size(name: str, found: Measured) -> None:
    size = SIZES[name]
    gain = found.quality - found.rival_quality
    scaled = "" if size.n_trees == N_TREES else f", scaled from {size.n_trees}"
    print(f"\n{size.n_rows:,} x {size.n_features}, {size.seeds} seeds")
    print(
        f"  fit, {N_TREES} trees: ours {found.fit:.2f} s, scikit-learn"
        f" {found.rival_fit:.1f} s{scaled}; ratio {found.rival_fit / found.fit:.1f} (medians)"
    )
    print(
        f"  average precision: ours {found.quality:.4f}, scikit-learn"
        f" {found.rival_quality:.4f}; mean difference {gain:+.4f} ({size.n_trees} trees each)"
    )
    print(
        f"  predict {size.n_test:,} rows: ours {found.predict:.3f} s, scikit-learn"
        f" {found.rival_predict:.3f} s; ratio {found.rival_predict / found.predict:.1f}"
        f" ({size.n_trees} trees each, best of 3)"
    )
    bound = " at most" if found.bound else ""
    print(
        f"  memory of our fit:{bound} {found.memory:.2f} times X in float64 above the level"
        f" before, besides trees of {found.trees:.2f} times X"
    )


def measure_start() -> tuple[list[float], list[float]]:
    """Return seconds of import and first fit, compiled anew and from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        cold = run_python("-c", START_CODE, NUMBA_CACHE_DIR=folder)
        cached = [run_python("-c", START_CODE, NUMBA_CACHE_DIR=folder) for _ in range(5)]
    return cold, [float(value) for value in np.median(cached, axis=0)]


def print_targets(found: dict[str, Measured], cold: list[float], cached: list[float]) -> None:
    """Print each target of the engine, what was measured and whether it is met."""

    def line(what: str, wanted: str, measured: str, met: bool) -> None:
        print(
            f"  {what:34} target {wanted:12} measured {measured:8} {'met' if met else 'missed'}"
        )

    print("\ntargets, in brackets where they are asked of 200k only")
    for name, one in found.items():
        ratio, least = one.rival_fit / one.fit, SIZES[name].least_ratio
        form = "{}" if name == "200k" else "({})"
        if least is not None:
            line(
                f"{name}: fit, times as fast", f">= {least:.0f}", f"{ratio:.1f}", ratio >= least
            )
        gain = one.quality - one.rival_quality
        wanted = form.format(">= -0.005")
        line(f"{name}: average precision", wanted, f"{gain:+.4f}", gain >= -0.005)
        speed = one.rival_predict / one.predict
        line(
            f"{name}: predict, times as fast",
            form.format(">= 1.5"),
            f"{speed:.2f}",
            speed >= 1.5,
        )
        line(f"{name}: memory / X", form.format("< 2"), f"{one.memory:.2f}", one.memory < 2)
    line("cold start: import and tiny fit", "< 15 s", f"{sum(cold):.1f} s", sum(cold) < 15)
    line("cached start: import and tiny fit", "< 1 s", f"{sum(cached):.2f} s", sum(cached) < 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory-of", choices=list(SIZES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        print_memory(SIZES[options.memory_of], options.jobs)
        return
    start = time.perf_counter()
    cold, cached = measure_start()
    for kind, (imports, fit) in (("cold", cold), ("cached", cached)):
        print(f"{kind} start: import {imports:.2f} s, first tiny fit {fit:.2f} s")
    X, y, _ = make_table(2000, 8, 0)
    for build in (build_ours, build_rival):  # warm up
        build(4, 0, options.jobs).fit(X, y).predict_proba(X)
    found = {}
    with Bar(sum(SIZES[name].seeds + 1 for name in options.sizes), "forest speed") as bar:
        for name in options.sizes:
            found[name] = measure(name, options.jobs, bar)
            print_size(name, found[name])
            sys.stdout.flush()
    print_targets(found, cold, cached)
    print(f"{time.perf_counter() - start:.0f} s in all, {options.jobs} threads")


if __name__ == "__main__":
    main()
