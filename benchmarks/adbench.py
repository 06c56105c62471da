"""Any classifier in ADBench's field beside its printed rows: a few anomalies are labeled.

`studies/adbench.toml` does this for methods of the registry; here `outliers`, a part of
`focused` that sees no labels, can be looked at too. Rows and labels are those of the study's
protocol, for seeds 1, 2 and 3; nothing is tuned on these tables.

    python benchmarks/adbench.py [--share 0.01] [--methods focused] [--jobs 2]
                                 [--out out/adbench-scores]

A run that is stopped goes on where it was: a score is a file, written whole.
"""

import argparse
import json
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided_bench.datasets import describe
from lopsided_bench.published import read_published
from lopsided_bench.study import Setting, read_study
from lopsided_bench.trial import split_dataset

STUDY = read_study(Path(__file__).parents[1] / "studies" / "adbench.toml")
METRIC = "average_precision"


class Task(NamedTuple):
    """A data set as one seed has it, and a method."""

    dataset: str
    seed: int
    share: float
    method: str

    @property
    def setting(self) -> Setting:
        """The share as a study has it."""
        return Setting("adbench", round(1 - self.share, 9))

    def path(self, folder: Path) -> Path:
        """Return the file of the score."""
        return folder / f"{self.dataset}_{self.seed}_{self.share:g}_{self.method}.json"


def run(task: Task, folder: Path) -> None:
    """Fit a method on one table, and keep its average precision."""
    from lopsided import build
    from lopsided.methods._outliers import OutlierClassifier
    from lopsided.metrics import average_precision

    warnings.simplefilter("ignore")
    split = split_dataset(STUDY, task.dataset, task.seed)
    y = STUDY.protocol.draw_labels(STUDY, task.dataset, task.seed, task.setting, split)
    model = OutlierClassifier() if task.method == "outliers" else build(task.method)
    start = time.perf_counter()
    model.set_params(random_state=task.seed).fit(split.X, y)
    scores = model.decision_function(split.X_test)
    found = {
        "value": float(average_precision(split.y_true_test, scores)),
        "n_labeled": int(y.sum()),
        "seconds": time.perf_counter() - start,
    }
    with atomic_write(task.path(folder)) as draft:
        draft.write_text(json.dumps(found), encoding="utf-8")


def report(tasks: list[Task], folder: Path) -> None:
    """Print each set's mean over seeds beside the four best printed rows."""
    published, setting = read_published(STUDY.published), tasks[0].setting
    means = {
        name: found.mean
        for name in published.methods
        if (found := published.find(name, METRIC, setting, STUDY.datasets))
    }
    best = sorted(means, key=means.get, reverse=True)[:4]
    found = pd.DataFrame(
        [{**task._asdict(), **json.loads(task.path(folder).read_text())} for task in tasks]
    )
    ours = found.pivot_table(index="dataset", columns="method", values="value")
    methods = list(ours)
    for name in best:
        ours[f"{name}, printed"] = [
            published.find(name, METRIC, setting, [dataset]).mean for dataset in ours.index
        ]
    n_labeled = found.groupby("dataset")["n_labeled"].mean()
    print("| set | labeled | " + " | ".join(ours) + " |")
    print("| --- |" + " ---: |" * (1 + ours.shape[1]))
    for dataset, row in ours.iterrows():
        cells = " | ".join(f"{value:.3f}" for value in row)
        print(f"| {describe(dataset).title} | {n_labeled[dataset]:.1f} | {cells} |")
    print("| mean | | " + " | ".join(f"{value:.3f}" for value in ours.mean()) + " |")
    for name in set(methods) & set(published.methods):  # rows that are to reproduce
        printed = [published.find(name, METRIC, setting, [one]).mean for one in ours.index]
        apart = ours[name] - printed
        print(
            f"\n{name} less its printed row: {apart.mean():+.3f} in the mean, "
            f"{apart.abs().mean():.3f} a set without sign, largest {apart.abs().max():.3f} "
            f"({describe(apart.abs().idxmax()).title})"
        )
    print(f"\n{found['seconds'].sum():.0f} s of fits of {', '.join(methods)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--methods", nargs="*", default=["focused"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/adbench-scores"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    seeds = range(STUDY.first, STUDY.first + STUDY.repeats)
    tasks = [
        Task(dataset, seed, options.share, method)
        for dataset, seed, method in product(STUDY.datasets, seeds, options.methods)
    ]
    left = [task for task in tasks if not task.path(options.out).is_file()]
    with ProcessPoolExecutor(options.jobs) as pool, Bar(len(left), "adbench") as bar:
        for done in [pool.submit(run, task, options.out) for task in left]:
            done.result()
            bar.advance()
    report(tasks, options.out)


if __name__ == "__main__":
    main()
