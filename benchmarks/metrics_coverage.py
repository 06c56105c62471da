"""Print how often the intervals of PU metrics cover the truth, on rankings of real tables.

A table keeps its scores and its truth; which of its positives are labeled is drawn again and
again, completely at random. The truth is the metric with all positives known. Tables are
cells of `cells.py`, one ranking by `focused` and one by logistic regression each.

    python benchmarks/metrics_coverage.py [--cells out/cells] [--repeat 100] [--hidings 40]
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from cells import OUT, Key, load_cell

from lopsided._progress import Bar
from lopsided.datasets import list_datasets
from lopsided.metrics import average_precision, pu_bootstrap, pu_mean_log_rank, recall_at_k
from lopsided.metrics import roc_auc as true_roc_auc

COUNTS = (2, 3, 4, 5, 8, 12, 20, 30, 60)
METRICS = ("pu_average_precision", "pu_roc_auc", "pu_recall_at_k", "pu_mean_log_rank")
TRUTHS: dict[str, Any] = {
    "pu_average_precision": average_precision,
    "pu_roc_auc": true_roc_auc,
    "pu_recall_at_k": recall_at_k,
    "pu_mean_log_rank": pu_mean_log_rank,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=Path, default=OUT)
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--hidings", type=int, default=40)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--datasets", nargs="*", default=list_datasets("paper"))
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    found: Any = defaultdict(list)
    with Bar(len(options.datasets), "coverage") as bar:
        for dataset in options.datasets:
            cell = load_cell(Key(dataset, "scar", 0.5, options.repeat), options.cells)
            for scores in (cell.oob, cell.logistic_oof):
                for metric, n_labeled, row in try_table(cell.y_true, scores, options, rng):
                    found[metric, n_labeled].append((dataset, *row))
            bar.advance()
    print_table(found)


def try_table(y_true: Any, scores: Any, options: Any, rng: np.random.Generator) -> Any:
    """Yield metric, labeled rows and what came: covered, truth above, width, error, spread."""
    positives = np.flatnonzero(y_true)
    k = {"k": 2 * len(positives)}
    for metric in METRICS:
        params = k if metric.endswith("_k") else {}
        truth = TRUTHS[metric](y_true, scores, **params)
        for n_labeled in COUNTS:
            if n_labeled > 0.8 * len(positives):
                continue
            for _ in range(options.hidings):
                y = np.zeros(len(y_true), int)
                y[rng.choice(positives, n_labeled, replace=False)] = 1
                one = pu_bootstrap(
                    metric,
                    y,
                    scores,
                    prior=len(positives) / len(y),
                    n_draws=options.draws,
                    random_state=rng,
                    **params,
                )
                covered = one.low - 1e-9 <= truth <= one.high + 1e-9
                row = covered, truth > one.high + 1e-9, one.high - one.low
                value = one.value if metric == "pu_mean_log_rank" else min(one.value, 1)
                yield metric, n_labeled, (*row, value - truth, one.standard_error)


def print_table(found: Any) -> None:
    print("metric labeled tables | covered  too low | lowest set | width | s.e. over error")
    for (metric, n_labeled), rows in sorted(found.items()):
        sets = np.array([row[0] for row in rows])
        covered, above, width, error, spread = np.array([row[1:] for row in rows], float).T
        by_set = {name: covered[sets == name].mean() for name in sets}
        worst = min(by_set, key=by_set.__getitem__)
        ratio = np.sqrt((spread**2).mean() / (error**2).mean())
        counts = f"{metric:21} {n_labeled:3} {len(by_set):3}"
        rates = f"{covered.mean():.3f} {above.mean():.3f} | {worst:12} {by_set[worst]:.2f}"
        print(f"{counts} | {rates} | {width.mean():.3f} | {ratio:.2f}")
    for metric in METRICS:
        rows = [row for (name, _), some in found.items() if name == metric for row in some]
        print(f"{metric:21} all     | {np.mean([row[1] for row in rows]):.3f}")


if __name__ == "__main__":
    main()
