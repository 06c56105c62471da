"""One small loop for the quality scripts: the paper's splits, labels and average precision.

For each data set and repeat: a stratified split with 30 % test rows, labels hidden in the
training rows alone, every method fitted on them with the true training prior where it takes
one, and the average precision of its scores on the test rows against the truth.
"""

import os
import warnings
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from lopsided._progress import Bar

__all__ = ["COLUMNS", "Result", "macro_table", "run"]

COLUMNS = tuple(product(("scar", "near"), (0.75, 0.5, 0.25)))


class Result(NamedTuple):
    """One fit: average precision and ROC-AUC on the test rows."""

    dataset: str
    repeat: int
    mechanism: str
    hidden: float
    method: str
    value: float
    auc: float
    seconds: float


def _seed(*words: Any) -> int:
    """Return a seed that depends on the words alone, not on order or workers."""
    return zlib.crc32("|".join(map(str, words)).encode())


def _mechanism(name: str, hidden: float) -> Any:
    from lopsided.labeling import SAR, SCAR

    return SCAR(hidden) if name == "scar" else SAR(hidden, toward=name)


def _build(name: str, prior: float, seed: int) -> Any:
    """Return a method of the registry, or the linear baseline that it does not have."""
    if name == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    from lopsided.methods.registry import build, get_method

    settings = {"prior": prior} if get_method(name).takes_prior else {}
    return build(name, random_state=seed, **settings)


def _task(dataset: str, repeat: int, methods: Sequence[str], columns: Any) -> list[Result]:
    import time

    from sklearn.model_selection import train_test_split

    from lopsided.datasets import load
    from lopsided.methods.registry import list_methods
    from lopsided.metrics import average_precision, roc_auc

    metrics = average_precision, roc_auc

    # The smallest sets leave XGBoost's defaults without a split; the table shows its cost.
    warnings.filterwarnings("ignore", message="No split lowered the risk")
    data = load(dataset)
    rows, test = train_test_split(
        np.arange(data.n_rows),
        test_size=0.3,
        stratify=data.y_true,
        random_state=_seed(dataset, repeat),
    )
    X, truth = data.X[rows], data.y_true[rows]
    results = []
    for mechanism, hidden in columns:
        rng = np.random.default_rng(_seed(dataset, repeat, mechanism))
        y = _mechanism(mechanism, hidden).draw(X, truth, rng)
        for name in methods:
            model = _build(name, float(truth.mean()), _seed(dataset, repeat, mechanism, name))
            oracle = name in list_methods("true")
            start = time.perf_counter()
            model.fit(X, truth if oracle else y)
            seconds = time.perf_counter() - start
            scores = model.decision_function(data.X[test])
            found = (metric(data.y_true[test], scores) for metric in metrics)
            results.append(Result(dataset, repeat, mechanism, hidden, name, *found, seconds))
    return results


def run(
    methods: Sequence[str],
    repeats: Sequence[int],
    columns: Any = COLUMNS,
    datasets: Sequence[str] | None = None,
    jobs: int = 2,
) -> Any:
    """Run every method on every set, repeat and column; return a data frame of results."""
    import pandas as pd

    from lopsided.datasets import list_datasets

    os.environ["OMP_NUM_THREADS"] = "1"
    tasks = list(product(datasets or list_datasets("paper"), repeats))
    results = []
    with ProcessPoolExecutor(jobs) as pool, Bar(len(tasks), "benchmark") as bar:
        futures = [pool.submit(_task, *task, methods, columns) for task in tasks]
        for future in futures:
            results += future.result()
            bar.advance()
    return pd.DataFrame(results)


def macro_table(results: Any, metric: str = "value") -> Any:
    """Return the macro mean over data sets: one row per method, one column per setting."""
    table = results.pivot_table(
        index="method", columns=["mechanism", "hidden"], values=metric, sort=False
    )
    table.columns = [f"{name} {100 - 100 * hidden:.0f}%" for name, hidden in table.columns]
    table["mean"] = table.mean(axis=1)
    table["fit s"] = results.groupby("method", sort=False)["seconds"].mean()
    return table
