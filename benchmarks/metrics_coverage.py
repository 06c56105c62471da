"""Print how often the intervals of PU metrics cover the truth, on rankings of real tables.

A table keeps its scores and its truth; which of its positives are labeled is drawn again and
again, completely at random. The truth is the metric with all positives known. Tables are
cells of `cells.py`, one ranking by `focused` and one by logistic regression each; cells that
are not there are made first. The draws were chosen on repeats from 100 on.

    python benchmarks/metrics_coverage.py [--cells out/cells] [--repeat 0] [--hidings 40]
        [--out benchmarks/results/metrics_coverage.md]
"""

import argparse
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from cells import OUT, Key, load_cell, make_cells

from lopsided import metrics
from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided_bench.datasets import list_datasets

COUNTS = (2, 3, 4, 5, 8, 12, 20, 30, 60)
LEVEL, TOLERANCE = 0.9, 0.05
UNBOUNDED = ("pu_mean_log_rank", "pu_damped_log_rank")  # others are shares
TRUTHS: dict[str, Any] = {
    "pu_average_precision": metrics.average_precision,
    "pu_roc_auc": metrics.roc_auc,
    "pu_recall_at_k": metrics.recall_at_k,
    "pu_mean_log_rank": metrics.pu_mean_log_rank,
    "pu_damped_log_rank": metrics.pu_damped_log_rank,
}


def try_table(y_true: Any, scores: Any, options: Any, rng: np.random.Generator) -> Any:
    """Yield metric, labeled rows and what came: covered, truth above, width, error, spread."""
    positives = np.flatnonzero(y_true)
    prior = len(positives) / len(y_true)
    for metric, measure in TRUTHS.items():
        params = {"k": 2 * len(positives)} if metric.endswith("_k") else {}
        if metric == "pu_damped_log_rank":
            measure = partial(measure, prior=prior)
        truth = measure(y_true, scores, **params)
        for n_labeled in COUNTS:
            if n_labeled > 0.8 * len(positives):
                continue
            for _ in range(options.hidings):
                y = np.zeros(len(y_true), int)
                y[rng.choice(positives, n_labeled, replace=False)] = 1
                one = metrics.pu_bootstrap(
                    metric,
                    y,
                    scores,
                    prior=prior,
                    level=LEVEL,
                    n_draws=options.draws,
                    random_state=rng,
                    **params,
                )
                covered = one.low - 1e-9 <= truth <= one.high + 1e-9
                row = covered, truth > one.high + 1e-9, one.high - one.low
                value = one.value if metric in UNBOUNDED else min(one.value, 1)
                yield metric, n_labeled, (*row, value - truth, one.standard_error)


def render(found: Any) -> list[str]:
    """Return the tables: each metric, and each number of labeled rows."""
    names = (
        "metric",
        "labeled",
        "sets",
        "covered",
        "too low",
        "lowest set",
        "width",
        "s.e. / error",
    )
    lines = [f"| {' | '.join(names)} |", "| --- |" + " ---: |" * (len(names) - 1)]
    for (metric, n_labeled), rows in sorted(found.items()):
        sets = np.array([row[0] for row in rows])
        covered, above, width, error, spread = np.array([row[1:] for row in rows], float).T
        by_set = {name: covered[sets == name].mean() for name in sets}
        worst = min(by_set, key=by_set.__getitem__)
        ratio = np.sqrt((spread**2).mean() / (error**2).mean())
        cells = [metric, str(n_labeled), str(len(by_set)), f"{covered.mean():.3f}"]
        cells += [f"{above.mean():.3f}", f"{worst} {by_set[worst]:.2f}", f"{width.mean():.3f}"]
        lines.append(f"| {' | '.join([*cells, f'{ratio:.2f}'])} |")
    lines += ["", "| metric | hidings | covered | target |", "| --- | ---: | ---: | --- |"]
    for metric in TRUTHS:
        rows = [row for (name, _), some in found.items() if name == metric for row in some]
        rate = float(np.mean([row[1] for row in rows]))
        verdict = "met" if abs(rate - LEVEL) <= TOLERANCE else "missed"
        lines.append(f"| {metric} | {len(rows)} | {rate:.3f} | {verdict} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=Path, default=OUT)
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--hidings", type=int, default=40)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--datasets", nargs="*", default=list_datasets("paper"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    keys = [Key(dataset, "scar", 0.5, options.repeat) for dataset in options.datasets]
    make_cells(keys, options.cells)
    found: Any = defaultdict(list)
    with Bar(len(keys), "coverage") as bar:
        for key in keys:
            cell = load_cell(key, options.cells)
            for scores in (cell.oob, cell.logistic_oof):
                if np.isnan(scores).any():  # too few labeled rows for folds
                    continue
                for metric, n_labeled, row in try_table(cell.y_true, scores, options, rng):
                    found[metric, n_labeled].append((key.dataset, *row))
            bar.advance()
    lines = ["# How often intervals of metrics cover the truth", ""]
    lines += [" ".join(["    python benchmarks/metrics_coverage.py", *sys.argv[1:]]), ""]
    lines += [
        f"Intervals of {100 * LEVEL:.0f} % on the rankings of {len(keys)} tables, "
        f"{options.hidings} hidings each; the target is {100 * LEVEL:.0f} % within "
        f"{100 * TOLERANCE:.0f} points for each metric.",
        "",
        *render(found),
    ]
    text = "\n".join(lines) + "\n"
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
