"""Print how long it takes to explain 100 rows by the flagship, and what each member costs.

Tables are made up: 40 columns, a fifth of them categories in "categories"; "few" has 8 labeled
rows, so that outliers take part. Nearest neighbors do up to 10,000 rows. The fit has two
threads and is not judged; explaining is timed once after a first call that compiles. Seconds of
cores are the processor's, which other load on the machine hardly changes.

    python benchmarks/explain_speed.py [--tables 20k 8k categories few]
        [--out benchmarks/results/explain_speed.md]
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from forest_speed import make_table

from lopsided._files import atomic_write
from lopsided.explain import explain
from lopsided.methods.focused import FocusedClassifier

MAX_SECONDS = 5.0
N_EXPLAINED = 100


class Table(NamedTuple):
    """How large a table is, and what is special about it."""

    n_rows: int
    n_categories: int = 0
    n_labeled: int | None = None


TABLES = {
    "20k": Table(20_000),
    "8k": Table(8000),
    "categories": Table(20_000, n_categories=8),
    "few": Table(8000, n_labeled=8),
}


def make(table: Table) -> tuple[Any, Any]:
    """Return X and y; categories are columns cut into twelve levels, some of them missing."""
    X, y, _ = make_table(table.n_rows, 40, 0)
    if table.n_labeled is not None:
        y[np.flatnonzero(y)[table.n_labeled :]] = 0
    if not table.n_categories:
        return X, y
    frame = pd.DataFrame(X).rename(columns="x{}".format)
    for name in frame.columns[: table.n_categories]:
        levels = pd.qcut(frame[name], 12, labels=[f"level {i}" for i in range(12)])
        frame[name] = levels.where(frame.index % 10 != 0)
    return frame, y


def explain_table(name: str) -> Iterator[str]:
    """Yield what one table costs, and then what each member does."""
    X, y = make(TABLES[name])
    start = time.perf_counter()
    model = FocusedClassifier(n_jobs=2, random_state=0).fit(X, y)
    fit = time.perf_counter() - start
    rows = X[:N_EXPLAINED]
    explain(model, rows[:2])
    start, cores = time.perf_counter(), time.process_time()
    found = explain(model, rows)
    seconds, cores = time.perf_counter() - start, time.process_time() - cores
    gap = np.abs(found.base + found.contributions.sum(axis=1) - model.decision_function(rows))
    met = "met" if seconds < MAX_SECONDS else "missed"
    yield (
        f"- {name}: {len(y):,} x {X.shape[1]}, {y.sum()} labeled, fitted in {fit:.0f} s; "
        f"{N_EXPLAINED} rows explained in {seconds:.2f} s (target {MAX_SECONDS:g}: {met}), "
        f"{cores:.2f} s of cores; sums right to {gap.max():.0e}"
    )
    numbers = model._read(rows)
    for member, fitted in model.estimators_.items():
        table = model._table_of(fitted, numbers)
        start = time.process_time()
        fitted.additive_scores(table, None, 0)
        yield f"    - {member}: {time.process_time() - start:.2f} s of cores"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    command = " ".join(["    python benchmarks/explain_speed.py", *sys.argv[1:]])
    lines = ["# Speed of explanations", "", command, ""]
    for name in options.tables:
        for line in explain_table(name):
            print(line, flush=True)
            lines.append(line)
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
