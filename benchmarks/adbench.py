"""ADBench's label-informed protocol beside its printed table: a few anomalies are labeled.

For seeds 1, 2 and 3, as its data generator has it: at most 10,000 rows are drawn, 70 % of them
for training, columns are scaled to 0 to 1, and a share of the training positives is labeled.
The average precision on the test rows is compared with the printed means of the same three
seeds. Nothing is tuned on these tables.

    python benchmarks/adbench.py [--share 0.01] [--methods focused] [--jobs 2]
                                 [--out out/adbench]

The tables lie in `adbench/` of the folder LOPSIDED_DATA: `manifest.json`, the `.npz` files and
`published.csv`. A run that is stopped goes on where it was: a score is a file, written whole.
"""

import argparse
import json
import math
import os
import random
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lopsided._files import atomic_write
from lopsided._progress import Bar

SEEDS, MAX_ROWS = (1, 2, 3), 10_000
PRINTED = {"catboost": "CatB", "devnet": "DevNet", "lightgbm": "LGB", "prenet": "PReNet"}
PRINTED |= {"xgbod": "XGBOD"}  # what the printed table calls a method
FOLDER = Path(os.environ.get("LOPSIDED_DATA", ".")) / "adbench"


class Task(NamedTuple):
    """A table as one seed has it, and a method."""

    file: str
    name: str
    seed: int
    share: float
    method: str

    def path(self, folder: Path) -> Path:
        """Return the file of the score."""
        return folder / f"{self.name}_{self.seed}_{self.share:g}_{self.method}.json"


class Table(NamedTuple):
    """Training rows with PU labels, and test rows with the truth."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


def draw_table(file: str, seed: int, share: float) -> Table:
    """Return a table as the protocol draws it, by the global generators that it uses."""
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MinMaxScaler

    with np.load(FOLDER / file) as stored:
        X, truth = stored["X"], stored["y"]
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the protocol's own generator
    if len(X) > MAX_ROWS:
        np.random.seed(seed)  # noqa: NPY002
        kept = np.random.choice(len(X), MAX_ROWS, replace=False)  # noqa: NPY002
        X, truth = X[kept], truth[kept]
    X, X_test, truth, y_test = train_test_split(
        X, truth, test_size=0.3, shuffle=True, stratify=truth
    )
    scaler = MinMaxScaler().fit(X)
    positives = np.flatnonzero(truth == 1)
    n_labeled = math.ceil(share * len(positives))
    y = np.zeros(len(truth), int)
    y[np.random.choice(positives, n_labeled, replace=False)] = 1  # noqa: NPY002
    return Table(scaler.transform(X), y, scaler.transform(X_test), y_test)


def run(task: Task, folder: Path) -> None:
    """Fit a method on one table, and keep its average precision."""
    from sklearn.metrics import average_precision_score

    from lopsided import build
    from lopsided.methods._outliers import OutlierClassifier

    warnings.simplefilter("ignore")
    table = draw_table(task.file, task.seed, task.share)
    model = OutlierClassifier() if task.method == "outliers" else build(task.method)
    start = time.perf_counter()
    model.set_params(random_state=task.seed).fit(table.X, table.y)
    scores = model.decision_function(table.X_test)
    found = {
        "value": float(average_precision_score(table.y_test, scores)),
        "n_labeled": int(table.y.sum()),
        "seconds": time.perf_counter() - start,
    }
    with atomic_write(task.path(folder)) as draft:
        draft.write_text(json.dumps(found), encoding="utf-8")


def report(tasks: list[Task], folder: Path, share: float) -> None:
    """Print each set's mean over seeds beside the best printed row."""
    printed = pd.read_csv(FOLDER / "published.csv")
    printed = printed[(printed.metric == "AUCPR") & (printed.ratio == round(100 * share))]
    printed = printed.pivot_table(index="data", columns="algo", values="value")
    found = pd.DataFrame(
        [{**task._asdict(), **json.loads(task.path(folder).read_text())} for task in tasks]
    )
    ours = found.pivot_table(index="name", columns="method", values="value")
    ours["labeled"] = found.groupby("name")["n_labeled"].mean()
    best = printed.mean().nlargest(4)
    table = ours.join(printed[best.index])
    methods = [name for name in ours if name != "labeled"]
    print("| set | labeled | " + " | ".join([*methods, *best.index]) + " |")
    print("| --- |" + " ---: |" * (1 + len(methods) + len(best)))
    for name, row in table.iterrows():
        cells = [f"{row[column]:.3f}" for column in (*methods, *best.index)]
        print(f"| {name} | {row['labeled']:.1f} | " + " | ".join(cells) + " |")
    means = table[[*methods, *best.index]].mean()
    print("| mean | | " + " | ".join(f"{value:.3f}" for value in means) + " |")
    for name in (one for one in methods if one in PRINTED):
        apart = table[name] - printed[PRINTED[name]].reindex(table.index)
        print(
            f"\n{name} less {PRINTED[name]} as printed: {apart.mean():+.3f} in the mean, "
            f"{apart.abs().mean():.3f} a set without sign, largest {apart.abs().max():.3f} "
            f"({apart.abs().idxmax()})"
        )
    print(f"\n{found['seconds'].sum():.0f} s of fits on {len(tasks)} tables")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--methods", nargs="*", default=["focused"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/adbench"))
    options = parser.parse_args()
    if not (FOLDER / "manifest.json").is_file():
        sys.exit(f"{FOLDER} must hold ADBench's tables. Set LOPSIDED_DATA to its folder.")
    options.out.mkdir(parents=True, exist_ok=True)
    entries = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    tasks = [
        Task(entry["file"], entry["name"], seed, options.share, method)
        for entry, seed, method in product(entries, SEEDS, options.methods)
    ]
    left = [task for task in tasks if not task.path(options.out).is_file()]
    with ProcessPoolExecutor(options.jobs) as pool, Bar(len(left), "adbench") as bar:
        for done in [pool.submit(run, task, options.out) for task in left]:
            done.result()
            bar.advance()
    report(tasks, options.out, options.share)


if __name__ == "__main__":
    main()
