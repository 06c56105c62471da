"""The fits that the benchmarks of priors, probabilities and finds share, each made once.

A cell is a data set, a way to hide labels, the share that is hidden, and a repeat; it holds the
labels, the truth, and scores of every training row by models that have not seen it. Repeats
from 100 on are for choosing, those from 0 on for reports.

    python benchmarks/cells.py [--first 0] [--repeats 5] [--out out/cells] [--jobs 2]

A run that is stopped goes on where it was: a cell is a file, written whole.
"""

import argparse
import os
import time
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided.bench.study import Setting, Study
from lopsided.bench.trial import seed_of, split_dataset
from lopsided.datasets import list_datasets

MECHANISMS, HIDDEN = ("scar", "sar-near"), (0.75, 0.5, 0.25)
REPORTED = range(5)
OUT = Path("out/cells")


class Cell(NamedTuple):
    """Labels, truth and scores of one split."""

    y: Any  # of the training rows
    y_true: Any
    oob: Any  # by focused, out-of-bag or out-of-fold
    fast_oob: Any  # by its fast preset
    forest_oob: Any  # by naive-forest
    logistic_oof: Any  # by naive-logistic, five folds; NaN where two rows are labeled
    y_test_true: Any
    test: Any  # the scores of the test rows by focused
    seconds: Any  # of its fit


class Key(NamedTuple):
    """What a cell depends on."""

    dataset: str
    mechanism: str
    hidden: float
    repeat: int

    def path(self, folder: Path) -> Path:
        """Return the file of the cell."""
        return folder / f"{self.dataset}_{self.mechanism}_{self.hidden:g}_{self.repeat}.npz"


def list_keys(repeats: Iterable[int]) -> list[Key]:
    """Return the cells of the paper's 14 sets."""
    return [Key(*one) for one in product(list_datasets("paper"), MECHANISMS, HIDDEN, repeats)]


def load_cell(key: Key, folder: Path = OUT) -> Cell:
    """Return a cell, made now if nobody has made it."""
    path = key.path(folder)
    if not path.is_file():
        make_cell(key, folder)
    with np.load(path) as arrays:
        return Cell(**arrays)


def make_cell(key: Key, folder: Path = OUT) -> None:
    """Fit, and write what came of it."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    from lopsided import build

    warnings.simplefilter("ignore", UserWarning)
    study = Study("cells", "", (key.dataset,), (), ())
    split = split_dataset(study, key.dataset, key.repeat)
    words = study.seed, key.dataset, key.repeat
    rng = np.random.default_rng(seed_of(*words, key.mechanism))
    y = Setting(key.mechanism, key.hidden).build().draw(split.X, split.y_true, rng)
    seed = seed_of(*words, key.mechanism, key.hidden, "cells")
    start = time.perf_counter()
    flagship = build("focused", random_state=seed).fit(split.X, y)
    seconds = time.perf_counter() - start
    fast = build("focused-fast", random_state=seed).fit(split.X, y)
    forest = build("naive-forest", oob_score=True, random_state=seed).fit(split.X, y)
    line = np.full(len(y), np.nan)
    if y.sum() > 2:  # a model needs two labeled rows, and one is left out
        folds = StratifiedKFold(min(5, int(y.sum())), shuffle=True, random_state=seed)
        line = cross_val_predict(
            build("naive-logistic"), split.X, y, cv=folds, method="decision_function"
        )
    cell = Cell(
        y=y,
        y_true=split.y_true,
        oob=flagship.oob_decision_function_,
        fast_oob=fast.oob_decision_function_,
        forest_oob=forest.oob_decision_function_,
        logistic_oof=line,
        y_test_true=split.y_true_test,
        test=flagship.decision_function(split.X_test),
        seconds=seconds,
    )
    with atomic_write(key.path(folder)) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, **cell._asdict())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=len(REPORTED))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    keys = list_keys(range(options.first, options.first + options.repeats))
    left = [key for key in keys if not key.path(options.out).is_file()]
    with ProcessPoolExecutor(options.jobs) as pool, Bar(len(left), "cells") as bar:
        for done in [pool.submit(make_cell, key, options.out) for key in left]:
            done.result()
            bar.advance()
    print(f"{len(keys)} cells in {options.out}")


if __name__ == "__main__":
    main()
