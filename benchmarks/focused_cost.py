"""Print what the flagship costs: seconds of fit and of ranking, memory, size of the model.

Each table has a process of its own, so that its peak of memory is its own. Seconds of cores are
the processor's, which other load on the machine hardly changes. Tables of numbers are made up,
continuous and noisy, 2.5 % labeled; "satellite" is that data set's training rows, half labeled
(SCAR); "categories" has a column of 428 levels; "genes" has 300 rows, 60 of them positive, 20
of these labeled, and 2,000 columns.

    python benchmarks/focused_cost.py [--tables satellite genes 1m] [--presets full fast]
    python benchmarks/focused_cost.py --save FILE            keep the figures, of this code
    python benchmarks/focused_cost.py --before FILE --out PAGE   lay them beside those
"""

import argparse
import json
import pickle
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from forest_speed import make_table
from memory import measure_peak


class Table(NamedTuple):
    """A table, the number of threads to fit it with, and what it is to cost."""

    make: Callable[[], Any]
    jobs: int = 1
    most_of_before: float | None = None  # seconds, as a share of those before
    most_memory: float | None = None  # times X
    most_ranking: float | None = None  # seconds of `rank_unlabeled`


def load_satellite() -> Any:
    """Return the training rows and labels of the first split of the satellite data."""
    from sklearn.model_selection import train_test_split

    from lopsided.labeling import SCAR
    from lopsided_bench.datasets import load

    data = load("satellite")
    X, _, truth, _ = train_test_split(
        data.X, data.y_true, test_size=0.3, stratify=data.y_true, random_state=0
    )
    return X, SCAR(0.5).draw(X, truth, np.random.default_rng(0))


def make_numbers(n_rows: int, n_features: int = 30) -> Callable[[], Any]:
    """Return a maker of a table of numbers and its labels."""
    return lambda: make_table(n_rows, n_features, 0)[:2]


def make_categories() -> Any:
    """Return 9,000 rows of 40 numbers and categories of 428, 40, 12 and 5 levels."""
    rng = np.random.default_rng(0)
    X, y, _ = make_table(9_000, 40, 0)
    frame = pd.DataFrame(X).add_prefix("x")
    firm = np.minimum((12 * rng.pareto(1.0, len(X))).astype(int), 427)
    columns = {"firm": firm, **{f"of {n}": rng.integers(n, size=len(X)) for n in (40, 12, 5)}}
    for name, codes in columns.items():
        frame[name] = pd.Categorical(codes.astype(str))
    return frame, y


def make_genes(seed: int = 0) -> Any:
    """Return a wide table: 40 of 2,000 correlated columns are shifted in positives."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 2_000)), np.zeros(300, int)
    X[:60, :40] += 0.6
    X += 0.1 * rng.normal(size=(300, 50)) @ rng.normal(size=(50, 2_000))
    y[rng.permutation(60)[:20]] = 1
    return X, y


TABLES = {
    "satellite": Table(load_satellite),
    "3500": Table(make_numbers(3_500, 36), 1, 0.5),
    "genes": Table(make_genes, 2, 0.5, None, 40.0),
    "categories": Table(make_categories, 1, 0.5),
    "2k": Table(make_numbers(2_000)),
    "8k": Table(make_numbers(8_000)),
    "20k": Table(make_numbers(20_000), 2),
    "200k": Table(make_numbers(200_000), 2),
    "1m": Table(make_numbers(1_000_000), 2, 0.5, 4.0),
    "2m": Table(make_numbers(2_000_000), 2),
}


def measure(name: str, preset: str) -> dict[str, Any]:
    """Return seconds of a fit and of cores, of a ranking if it matters, and memory."""
    from lopsided import rank_unlabeled
    from lopsided.methods.focused import FocusedClassifier

    warnings.simplefilter("ignore")
    table = TABLES[name]

    def build() -> Any:
        return FocusedClassifier(preset=preset, n_jobs=table.jobs, random_state=0)

    small, labels, _ = make_table(600, 30, 1)
    build().fit(small, labels).decision_function(small)  # warm up
    X, y = table.make()
    size = X.nbytes if isinstance(X, np.ndarray) else 8 * X.size
    start, cores = time.perf_counter(), _core_seconds()
    model, peak, _ = measure_peak(build().fit, X, y)
    found = {"seconds": time.perf_counter() - start, "cores": _core_seconds() - cores}
    found |= {"rows": len(y), "columns": X.shape[1], "memory": peak / size}
    start = time.perf_counter()
    model.decision_function(X[:10_000])
    found["scoring"] = (time.perf_counter() - start) / min(len(y), 10_000) * 10_000
    found["model"] = len(pickle.dumps(model)) / 2**20 if len(y) <= 200_000 else None
    if table.most_ranking is not None:
        start = time.perf_counter()
        rank_unlabeled(X, y, random_state=0, n_jobs=table.jobs)
        found["ranking"] = time.perf_counter() - start
    return found


def _core_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def describe(name: str, now: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """Return the cells of a table's row, and whether each target is met."""
    table, met = TABLES[name], []
    cells = [name, f"{now['rows']:,} x {now['columns']:,}"]
    for key, digits in (("seconds", 1), ("cores", 1), ("memory", 1), ("model", 0)):
        pair = [one[key] for one in (before, now) if one is not None]
        cells.append(" > ".join("" if x is None else f"{x:.{digits}f}" for x in pair))
    cells.append(f"{now['scoring']:.2f}")
    if before is not None and table.most_of_before is not None:
        share = now["cores"] / before["cores"]
        met.append(_judge(f"{share:.2f} of the cores", share <= table.most_of_before))
    if table.most_memory is not None:
        met.append(_judge(f"{now['memory']:.1f} times X", now["memory"] <= table.most_memory))
    if table.most_ranking is not None:
        seconds, was = now["ranking"], (before or {}).get("ranking")
        words = f"ranked in {seconds:.1f} s" + (f", before {was:.0f} s" if was else "")
        met.append(_judge(words, seconds <= table.most_ranking))
    return [*cells, "; ".join(met)]


def _judge(words: str, holds: bool) -> str:
    return f"{words}: {'met' if holds else 'missed'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", nargs="*", choices=list(TABLES), default=list(TABLES)[:-1])
    parser.add_argument("--presets", nargs="*", choices=["full", "fast"], default=["full"])
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.tables[0], options.presets[0])))
        return
    known = json.loads(options.before.read_text()) if options.before else {}
    lines = ["| table | size | fit, s | of cores | memory / X | model, MiB | 10k scored, s | |"]
    lines += ["| --- | --- |" + " ---: |" * 5 + " --- |"]
    print(*lines, sep="\n", flush=True)
    for preset in options.presets:
        for name in options.tables:
            command = [sys.executable, __file__, "--one", "--tables", name, "--presets", preset]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            now = json.loads(run.stdout)
            if options.save:
                kept = json.loads(options.save.read_text()) if options.save.exists() else {}
                options.save.write_text(json.dumps(kept | {f"{name} {preset}": now}, indent=1))
            row = describe(name, now, known.get(f"{name} {preset}"))
            lines.append(f"| {' | '.join(row)} |")
            print(lines[-1], flush=True)
    if options.out:
        head = ["# What the flagship costs", "", "    python benchmarks/focused_cost.py", ""]
        head += ["Before > now, on one machine.", ""]
        options.out.write_text("\n".join([*head, *lines]) + "\n")


if __name__ == "__main__":
    main()
