"""Measure what an objective in Python costs beside XGBoost's own, on trees of equal size.

The naive risk on the logistic loss, by our objective, and XGBoost's `binary:logistic` boost the
same trees on the same binned table with the same parameters, on one thread; so all that differs
is ours: the objective, what calls it, and the progress bar. The two run by turns, and the least
seconds of the processor count, which other load hardly changes. The focused risk is then timed
from inside. Tables are made up, 5 % positive, half of them labeled.

    python benchmarks/objective_overhead.py [--sizes 100k 1m] [--repeats 7] [--out FILE]
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xgboost
from forest_speed import make_table

import lopsided
from lopsided._files import atomic_write
from lopsided._rows import TrainingRows
from lopsided.methods import boosting
from lopsided.methods._label_totals import fit_intercept_only, label_totals
from lopsided.methods._objective import fused_objective

MOST_BYTES = 12.0  # a row


class Size(NamedTuple):
    """A table, how long to boost, and the most that ours may take, as a share of XGBoost's."""

    n_rows: int
    n_features: int
    n_rounds: int
    most: float


SIZES = {"100k": Size(100_000, 30, 100, 1.10), "1m": Size(1_000_000, 30, 20, 1.12)}


class Measured(NamedTuple):
    """Least milliseconds of a round, and bytes."""

    own: float  # XGBoost's objective
    ours: float
    nodes: float  # of our trees as a share of those of XGBoost's objective
    naive: float  # in our objective of the naive risk
    focused: float  # in that of the focused risk
    focused_round: float  # all of such a round
    bytes_a_row: float

    @property
    def ratio(self) -> float:
        """What ours takes as a share of XGBoost's own."""
        return self.ours / self.own

    @property
    def share(self) -> float:
        """The share of the objective in a round of the focused risk."""
        return self.focused / self.focused_round


class Bench:
    """A binned table, and boosters on it."""

    def __init__(self, size: Size) -> None:
        X, y, _ = make_table(size.n_rows, size.n_features, seed=0)
        self.size = size
        self.rows = TrainingRows(X, y.astype(np.int8), np.ones(len(y)))
        self.matrix = xgboost.QuantileDMatrix(X, label=y, nthread=1)

    def model(self, name: str) -> Any:
        """Return a method as if its table were checked, with the binned table at hand."""
        model = lopsided.build(name, n_estimators=self.size.n_rounds, n_jobs=1)
        model.set_params(gradient_scale=1.0)  # as XGBoost's own objectives
        model.risk_, model.level_maps_ = model._checked_risk(), {}
        model.prior_, model.categorical_ = 0.05, {}
        model._binned = lambda rows, like=None: self.matrix
        return model

    def fit(self, model: Any) -> Any:
        """Boost on a risk."""
        params = model._params(0, fit_intercept_only(model.risk_, self.rows, model.prior_))
        return model._train(self.rows, params, self.size.n_rounds)

    def fit_own(self, model: Any) -> Any:
        """Boost on XGBoost's logistic objective."""
        share = float(self.rows.y.mean())
        params = model._params(0, share) | {"objective": "binary:logistic"}
        return xgboost.train(params, self.matrix, self.size.n_rounds, verbose_eval=False)


def count_nodes(booster: Any) -> int:
    """Return the number of nodes of all trees."""
    return sum(tree.count("\n") for tree in booster.get_dump())


def spent(work: Callable[[Any], Any], model: Any) -> tuple[float, Any]:
    """Return the seconds of the processor that work took, and its result."""
    start = time.process_time()
    result = work(model)
    return time.process_time() - start, result


def time_inside(bench: Bench, name: str) -> tuple[float, float]:
    """Return the seconds in the objective and of all, from one fit."""
    inside = 0.0
    build = boosting.fused_objective

    def timed(*args: Any, **options: Any) -> Any:
        objective = build(*args, **options)

        def call(scores: Any, matrix: Any) -> Any:
            nonlocal inside
            start = time.process_time()
            found = objective(scores, matrix)
            inside += time.process_time() - start
            return found

        return call

    boosting.fused_objective = timed
    try:
        seconds, _ = spent(bench.fit, bench.model(name))
    finally:
        boosting.fused_objective = build
    return inside, seconds


def peak_bytes(bench: Bench) -> float:
    """Return the peak of what an objective holds, with all it makes on its way, per row."""
    model, rows = bench.model("ifpu-xgb"), bench.rows
    scale, scores = label_totals(rows).weight, np.zeros(len(rows), np.float32)
    tracemalloc.start()
    objective = fused_objective(model.risk_, rows, model.prior_, scale, 1e-6)
    for _ in range(3):
        objective(scores, None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(rows)


def measure(size: Size, repeats: int) -> Measured:
    """Fit by turns and return the least of each."""
    bench = Bench(size)
    naive = bench.model("naive-xgb")
    bench.fit(naive)  # compiles
    own, ours, inside, focused = [], [], [], []
    for _ in range(repeats):
        seconds, first = spent(bench.fit_own, naive)
        own.append(seconds)
        seconds, second = spent(bench.fit, naive)
        ours.append(seconds)
        inside.append(time_inside(bench, "naive-xgb")[0])
        focused.append(time_inside(bench, "ifpu-xgb"))
    nodes = count_nodes(second) / count_nodes(first)
    share, total = np.min(focused, axis=0)
    per_round = (
        1000 / size.n_rounds * np.array([min(own), min(ours), min(inside), share, total])
    )
    a, b, c, d, e = map(float, per_round)
    return Measured(a, b, nodes, c, d, e, peak_bytes(bench))


def as_table(found: dict[str, Measured], repeats: int) -> str:
    """Return what was measured as a page."""
    lines = [
        "# What an objective in Python costs",
        "",
        "`python benchmarks/objective_overhead.py`: one thread, milliseconds of the processor "
        f"a round, the least of {repeats} turns.",
        "",
        "| rows x columns | XGBoost's logistic | ours | ratio | target | in ours, naive | "
        "in ours, focused | share of a focused round | bytes a row | nodes to XGBoost's |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, one in found.items():
        size = SIZES[name]
        lines.append(
            f"| {size.n_rows:,} x {size.n_features} | {one.own:.2f} | {one.ours:.2f} | "
            f"{one.ratio:.3f} | {size.most:.2f} | {one.naive:.2f} | {one.focused:.2f} | "
            f"{one.share:.1%} | {one.bytes_a_row:.1f} | {one.nodes:.3f} |"
        )
    return "\n".join([*lines, "", f"The target of bytes a row is {MOST_BYTES:.0f}.", ""])


def main() -> None:
    """Measure, print, and keep the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = {name: measure(SIZES[name], options.repeats) for name in options.sizes}
    page = as_table(found, options.repeats)
    print(page)
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(page)


if __name__ == "__main__":
    main()
