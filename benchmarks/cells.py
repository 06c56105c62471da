"""The fits that the benchmarks of priors, probabilities and finds share, each made once.

A cell is a data set, a way to hide labels, the share that is hidden, and a repeat; it holds the
labels, the truth, and scores of every training row by models that have not seen it. Those of
`focused` are its members' sum, before they become log-odds; what it ships, log-odds and
probabilities by the prior that it estimates and by the true one, stands beside them. Repeats
from 100 on are for choosing, those from 0 on for reports.

    python benchmarks/cells.py [--first 0] [--repeats 5] [--out out/cells] [--jobs 2]

A run that is stopped goes on where it was: a cell is a file, written whole. The benchmarks that
read cells make those that they lack.
"""

import argparse
import os
import tempfile
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Memory
from sklearn.base import clone

from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided_bench.datasets import list_datasets
from lopsided_bench.study import Setting, Study
from lopsided_bench.trial import seed_of, split_dataset

MECHANISMS, HIDDEN = ("scar", "sar-near"), (0.75, 0.5, 0.25)
REPORTED = range(5)
OUT = Path("out/cells")


class Cell(NamedTuple):
    """Labels, truth and scores of one split."""

    y: Any  # of the training rows
    y_true: Any
    oob: Any  # by the members of focused together, out-of-bag or out-of-fold
    log_odds: Any  # what focused makes of them: oob_decision_function_, the prior estimated
    fast_oob: Any  # by the members of its fast preset
    forest_oob: Any  # by naive-forest
    logistic_oof: Any  # by naive-logistic, five folds; NaN where two rows are labeled
    y_test_true: Any
    test: Any  # the scores of the test rows by the members of focused together
    prior: Any  # that focused estimates
    proba: Any  # its probabilities of the test rows, by the prior that it estimates
    proba_true: Any  # and by the true one


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


def fuse(model: Any, raw: dict[str, Any]) -> Any:
    """Return the weighted sum of the members' scores: `focused` before its calibration."""
    return np.sum(
        [
            model.weights_[name] * model.normal_scores_[name].transform(scores)
            for name, scores in raw.items()
        ],
        axis=0,
    )


def fuse_oob(model: Any) -> Any:
    """Return what the members of a fitted `focused` say of rows that they have not seen."""
    fused = fuse(model, {name: one.out_of_fold for name, one in model.estimators_.items()})
    np.testing.assert_allclose(
        model.calibration_.transform(fused), model.oob_decision_function_, rtol=1e-9
    )
    return fused


def fit_flagship(X: Any, y: Any, prior: float, seed: int) -> tuple[Any, Any]:
    """Return `focused` as it comes, and with the true prior; their members are the same."""
    from lopsided import build

    with tempfile.TemporaryDirectory() as memory:
        model = build("focused", random_state=seed, memory=Memory(memory, verbose=0))
        return model.fit(X, y), clone(model).set_params(prior=prior).fit(X, y)


def make_cell(key: Key, folder: Path = OUT) -> None:
    """Fit, and write what came of it."""
    from lopsided import build

    warnings.simplefilter("ignore", UserWarning)
    study = Study("cells", "", (key.dataset,), (), ())
    split = split_dataset(study, key.dataset, key.repeat)
    words = study.seed, key.dataset, key.repeat
    rng = np.random.default_rng(seed_of(*words, key.mechanism))
    y = Setting(key.mechanism, key.hidden).build().draw(split.X, split.y_true, rng)
    seed = seed_of(*words, key.mechanism, key.hidden, "cells")
    flagship, informed = fit_flagship(split.X, y, float(split.y_true.mean()), seed)
    fast = build("focused-fast", random_state=seed).fit(split.X, y)
    forest = build("naive-forest", oob_score=True, random_state=seed).fit(split.X, y)
    X_test = np.ascontiguousarray(split.X_test, np.float64)
    seen = {
        name: one.scores(flagship._table_of(one, X_test))
        for name, one in flagship.estimators_.items()
    }
    cell = Cell(
        y=y,
        y_true=split.y_true,
        oob=fuse_oob(flagship),
        log_odds=flagship.oob_decision_function_,
        fast_oob=fuse_oob(fast),
        forest_oob=forest.oob_decision_function_,
        logistic_oof=cross_predict(split.X, y, seed),
        y_test_true=split.y_true_test,
        test=fuse(flagship, seen),
        prior=flagship.prior_,
        proba=flagship.predict_proba(split.X_test)[:, 1],
        proba_true=informed.predict_proba(split.X_test)[:, 1],
    )
    with atomic_write(key.path(folder)) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, **cell._asdict())


def cross_predict(X: Any, y: Any, seed: int) -> Any:
    """Return out-of-fold scores by naive-logistic, NaN where that cannot be."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    from lopsided import build

    if y.sum() <= 2:  # a model needs two labeled rows, and one is left out
        return np.full(len(y), np.nan)
    folds = StratifiedKFold(min(5, int(y.sum())), shuffle=True, random_state=seed)
    model = build("naive-logistic")
    return cross_val_predict(model, X, y, cv=folds, method="decision_function")


def make_cells(keys: list[Key], folder: Path = OUT, jobs: int = 1) -> None:
    """Make the cells that are not there yet, repeat by repeat: a part of them is balanced."""
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    left = [key for key in keys if not key.path(folder).is_file()]
    left.sort(key=lambda key: key.repeat)
    if not left:
        return
    with ProcessPoolExecutor(jobs) as pool, Bar(len(left), "cells") as bar:
        for done in [pool.submit(make_cell, key, folder) for key in left]:
            done.result()
            bar.advance()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=len(REPORTED))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    keys = list_keys(range(options.first, options.first + options.repeats))
    make_cells(keys, options.out, options.jobs)
    print(f"{len(keys)} cells in {options.out}")


if __name__ == "__main__":
    main()
