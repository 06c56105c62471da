"""What head starts and outliers are worth to `focused` where few rows are labeled.

From one fit on each split the scores of all members are fused twice: as `focused` does it, and
by the mean log-ranks alone, as it does from 7 labeled rows on (equal weights for one or two
labeled rows, which tell nothing). Beside them the isolation forest and the neighbor distances
alone. 14 data sets; labels are drawn completely at random, a few of them or the shares of the
paper's study. Head starts and shares were chosen on repeats from 100 on.

    python benchmarks/few_labels.py [--first 0] [--repeats 3] [--jobs 2] [--out out/few_labels]

A run that is stopped goes on where it was: a split is a file, written whole.
"""

import argparse
import json
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lopsided import build
from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided.labeling import SCAR
from lopsided.methods._members import (
    MANY_LABELED,
    MIN_TO_FOLD,
    OUTLIERS,
    log_prior_weights,
    weigh_by_log_rank,
)
from lopsided.methods._outliers import OutlierClassifier
from lopsided.metrics import average_precision
from lopsided_bench.datasets import list_datasets
from lopsided_bench.study import Study
from lopsided_bench.trial import seed_of, split_dataset

COUNTS, HIDDEN = (1, 2, 3, 5, 7, 10), (0.75, 0.5, 0.25)


class Task(NamedTuple):
    """A split and how many of its positives are labeled: a count, or a share in percent."""

    dataset: str
    repeat: int
    labeled: int
    unit: str

    def path(self, folder: Path) -> Path:
        """Return the file of the figures."""
        return folder / f"{self.dataset}_{self.repeat}_{self.labeled}{self.unit}.json"


def label(split: Any, task: Task) -> Any:
    """Return PU labels, None where a table has too few positives."""
    truth = np.asarray(split.y_true)
    rng = np.random.default_rng(seed_of("few-labels", *task))
    if task.unit == "%":
        return SCAR(1 - task.labeled / 100).draw(split.X, truth, rng)
    positives = np.flatnonzero(truth)
    if len(positives) <= task.labeled:
        return None
    y = np.zeros(len(truth), int)
    y[rng.choice(positives, task.labeled, replace=False)] = 1
    return y


def run(task: Task, folder: Path) -> None:
    """Fit once, fuse twice, and keep the average precisions."""
    warnings.simplefilter("ignore")
    study = Study("few-labels", "", (task.dataset,), (), ())
    split = split_dataset(study, task.dataset, task.repeat)
    y, found = label(split, task), {}
    if y is not None:
        model = build("focused", random_state=task.repeat).fit(split.X, y)
        outliers = OutlierClassifier(random_state=task.repeat).fit(split.X, y)
        scores = {
            "focused": model.decision_function(split.X_test),
            "by log-ranks alone": fuse_by_log_rank(model, split.X_test, int(y.sum())),
            "outliers alone": outliers.decision_function(split.X_test),
        }
        truth = split.y_true_test
        found = {name: average_precision(truth, one) for name, one in scores.items()}
        found["labeled rows"] = int(y.sum())
    with atomic_write(task.path(folder)) as draft:
        draft.write_text(json.dumps(found), encoding="utf-8")


def fuse_by_log_rank(model: Any, X: Any, n_labeled: int) -> Any:
    """Return the sum of the members' scores, those that know labels by what these say alone."""
    names = [name for name in model.estimators_ if name != OUTLIERS]
    ranks = np.array([model.member_scores_[name] for name in names])
    prior = log_prior_weights(names, n_labeled, 0.0)  # without a head start
    weights = weigh_by_log_rank(ranks, prior, float(n_labeled < MIN_TO_FOLD))
    raw = model._score_members(np.ascontiguousarray(X, np.float64))
    parts = (model.normal_scores_[name].transform(raw[name]) for name in names)
    return sum(w * part for w, part in zip(weights / weights.sum(), parts, strict=True))


def report(tasks: list[Task], folder: Path) -> None:
    """Print macro means over sets of means over repeats."""
    rows = []
    for task in tasks:
        found = json.loads(task.path(folder).read_text(encoding="utf-8"))
        rows += [{**task._asdict(), **found}] if found else []
    table = pd.DataFrame(rows)
    names = ["focused", "by log-ranks alone", "outliers alone"]
    print("| labeled | sets | " + " | ".join(names) + " | largest change of a split |")
    print("| --- |" + " ---: |" * 5)
    for unit, labeled in table[["unit", "labeled"]].drop_duplicates().to_numpy():
        some = table[(table.unit == unit) & (table.labeled == labeled)]
        macro = some.groupby("dataset")[names].mean().mean()
        cells = " | ".join(f"{value:.3f}" for value in macro)
        change = (some[names[0]] - some[names[1]]).abs().max()
        n_sets = some.dataset.nunique()
        print(f"| {labeled}{unit} | {n_sets} | {cells} | {change:.4f} |")
    many = table[table["labeled rows"] >= MANY_LABELED]
    change = (many[names[0]] - many[names[1]]).abs().max()
    print(f"\nFrom {MANY_LABELED} labeled rows on: {len(many)} splits, change {change:.1g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/few_labels"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    ways = [(count, " rows") for count in COUNTS]
    ways += [(round(100 * (1 - share)), "%") for share in HIDDEN]
    repeats = range(options.first, options.first + options.repeats)
    tasks = [
        Task(dataset, repeat, labeled, unit)
        for (labeled, unit), dataset, repeat in product(ways, list_datasets("paper"), repeats)
    ]
    left = [task for task in tasks if not task.path(options.out).is_file()]
    with ProcessPoolExecutor(options.jobs) as pool, Bar(len(left), "few labels") as bar:
        for done in [pool.submit(run, task, options.out) for task in left]:
            done.result()
            bar.advance()
    report(tasks, options.out)


if __name__ == "__main__":
    main()
