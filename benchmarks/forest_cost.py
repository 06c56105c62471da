"""Print what the two forests of the flagship cost, on tables of several kinds.

Each fit has a process of its own and one thread, out-of-bag scores included. Seconds of cores
are the processor's; memory is the peak of the fit above the level before, without the trees.

    python benchmarks/forest_cost.py [--tables categories wide ...] [--members ...] [--jobs 1]
"""

import argparse
import subprocess
import sys
import time
from typing import Any

import numpy as np
from forest_speed import make_table
from memory import measure_peak

MEMBERS = ("bagged-trees", "extra-trees")
LEVELS = (428, 12, 9, 7, 5, 3)  # of the categories


def make_categories(n_rows: int, n_features: int, seed: int) -> tuple[Any, Any]:
    """Return X and y: numbers and some categories, one of them with many levels."""
    import pandas as pd

    X, y, _ = make_table(n_rows, n_features, seed)
    rng = np.random.default_rng([seed, 1])
    frame = pd.DataFrame(X).add_prefix("column ")
    for name, n_levels in zip(frame.columns[::-1], LEVELS, strict=False):
        share = rng.pareto(1.2, n_levels) + 0.05  # a few have most of the rows
        levels = rng.choice(n_levels, n_rows, p=share / share.sum())
        frame[name] = pd.Categorical(levels, categories=range(n_levels))
    return frame, y


def make_genes(n_rows: int, n_features: int, seed: int) -> tuple[Any, Any]:
    """Return X and y: 60 positive rows, 20 of them labeled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    X[:60, :30] += 0.8
    return X, (np.arange(n_rows) < 20).astype(np.int8)


def make_numbers(n_rows: int, n_features: int, seed: int) -> tuple[Any, Any]:
    """Return X and y: numbers, 2.5 % of the rows labeled."""
    return make_table(n_rows, n_features, seed)[:2]


TABLES = {
    "categories": (make_categories, 9000, 44),
    "wide": (make_genes, 300, 2000),
    "3500": (make_numbers, 3500, 36),
    "8k": (make_numbers, 8000, 30),
    "100k": (make_numbers, 100_000, 30),
    "1m": (make_numbers, 1_000_000, 30),
}


def build(name: str, n_rows: int, jobs: int) -> Any:
    """Return a member of the flagship for a table of so many rows."""
    from lopsided.methods._teams import RiskParams, list_members

    member = next(
        one for one in list_members(n_rows, 30, 1000, RiskParams()) if one.name == name
    )
    return member.estimator.set_params(n_jobs=jobs, random_state=0)


def print_cost(table: str, name: str, jobs: int) -> None:
    """Print seconds, of cores too, bytes of peak, trees and X, nodes, and a check of scores."""
    make, n_rows, n_features = TABLES[table]
    build(name, 20_000_000, jobs).set_params(min_samples_leaf=1).fit(*make(300, n_features, 1))
    X, y = make(n_rows, n_features, 0)
    model = build(name, n_rows, jobs)
    start, cores = time.perf_counter(), time.process_time()
    model, peak, _ = measure_peak(model.fit, X, y)
    cores, seconds = time.process_time() - cores, time.perf_counter() - start
    forest = model.forest_
    arrays = [part for part in vars(forest).values() if isinstance(part, np.ndarray)]
    trees = sum(part.nbytes for part in arrays)
    check = float(model.oob_decision_function_.sum())
    print(seconds, cores, peak, trees, 8 * X.size, len(forest), len(forest.nodes), check)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--members", nargs="*", choices=MEMBERS, default=MEMBERS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print_cost(options.tables[0], options.members[0], options.jobs)
        return
    for table in options.tables:
        for name in options.members:
            command = [sys.executable, __file__, "--one", "--jobs", str(options.jobs)]
            command += ["--tables", table, "--members", name]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, cores, peak, trees, size, n_trees, n_nodes, check = map(
                float, run.stdout.split()
            )
            print(
                f"{table:>10} {name:12} {seconds:7.2f} s, {cores:7.2f} s of cores;"
                f" {n_trees:.0f} trees of {n_nodes / n_trees:.0f} nodes,"
                f" {trees / 2**20:.0f} MiB; memory besides {(peak - trees) / 2**20:.0f} MiB,"
                f" {(peak - trees) / size:.2f} times X; check {check:.6f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
