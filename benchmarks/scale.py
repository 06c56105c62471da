"""Print seconds and memory against rows, side by side with what people would use instead.

Tables are made up, 30 columns in single precision, 5 % positive, half of them labeled. Each fit
has a process of its own, two threads, and is not started where the size before it says that it
would take longer than --limit seconds. Beside our methods: XGBoost's own objective on the same
trees, scikit-learn's random forest and, where it is installed, pulearn's bagging. Larger tables
are those of benchmarks/out_of_core.py.

    python benchmarks/scale.py [--sizes 1e4 1e5 1e6 1e7] [--limit 150] [--out PAGE]

A run that is stopped goes on where it was: a fit is a file in --folder, written whole.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from memory import measure_peak

from lopsided._files import atomic_write

N_FEATURES, N_TREES = 30, 100
_GROWTH = 10.0  # times the seconds, for ten times the rows


def make_table(n_rows: int) -> tuple[Any, Any, Any]:
    """Return X in single precision, y and y_true, made in blocks."""
    blocks, signals = [], []
    for start in range(0, n_rows, 1_000_000):
        rng = np.random.default_rng([0, start])
        size = min(1_000_000, n_rows - start)
        X = rng.standard_normal((size, N_FEATURES), dtype=np.float32)
        signal = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + np.abs(X[:, 3]) + 0.7 * X[:, 5]
        signals.append(signal + rng.standard_normal(size, dtype=np.float32))
        blocks.append(X)
    signal = np.concatenate(signals)
    y_true = (signal > np.quantile(signal[:1_000_000], 0.95)).astype(np.int8)
    kept = np.random.default_rng(1).random(n_rows) < 0.5
    return np.concatenate(blocks), y_true * kept.astype(np.int8), y_true


def fit_ours(name: str) -> Callable[[Any, Any], Any]:
    """Return the fit of a method by name; boosters are given the true prior."""
    from lopsided import build

    params = {"prior": 0.05} if name.endswith("pu-xgb") else {}
    model = build(name, n_jobs=2, random_state=0, **params)
    return lambda X, y: model.fit(X, y).decision_function


def fit_builtin(X: Any, y: Any) -> Any:
    """Fit XGBoost with its own objective and the trees of ifpu-xgb."""
    import xgboost

    matrix = xgboost.QuantileDMatrix(X, y, nthread=2)
    params = {"objective": "binary:logistic", "nthread": 2, "tree_method": "hist"}
    booster = xgboost.train(params, matrix, 100)
    return lambda X: booster.inplace_predict(X)


def fit_forest(X: Any, y: Any) -> Any:
    """Fit scikit-learn's random forest."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(N_TREES, n_jobs=2, random_state=0).fit(X, y)
    return lambda X: model.predict_proba(X)[:, 1]


def fit_pulearn(X: Any, y: Any) -> Any:
    """Fit pulearn's bagging of trees, as many as the forests have."""
    from pulearn import BaggingPuClassifier
    from sklearn.tree import DecisionTreeClassifier

    model = BaggingPuClassifier(
        DecisionTreeClassifier(), n_estimators=N_TREES, n_jobs=2, random_state=0
    )
    model.fit(X, y)
    return lambda X: model.predict_proba(X)[:, 1]


RIVALS: dict[str, Callable[[Any, Any], Any]] = {
    "XGBoost, binary:logistic": fit_builtin,
    "scikit-learn, random forest": fit_forest,
    "pulearn, bagging": fit_pulearn,
}
OURS = ("ifpu-xgb", "naive-forest", "focused-fast", "focused")


def measure(name: str, n_rows: int) -> dict[str, Any]:
    """Return seconds of a fit, of cores, peak of memory and average precision."""
    from sklearn.metrics import average_precision_score

    warnings.simplefilter("ignore")
    fit = RIVALS.get(name) or fit_ours(name)
    fit(*make_table(2_000)[:2])  # warm up
    X, y, y_true = make_table(n_rows)
    start, cores = time.perf_counter(), _core_seconds()
    score, peak, _ = measure_peak(fit, X, y)
    found = {"seconds": time.perf_counter() - start, "cores": _core_seconds() - cores}
    found |= {"memory": peak, "table": X.nbytes}
    X, _, y_true = make_table(n_rows + 100_000)
    fresh = slice(n_rows, None)
    found["value"] = float(average_precision_score(y_true[fresh], score(X[fresh])))
    return found


def _core_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run(name: str, sizes: list[int], limit: float, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what each size costs, or what the size before promises where it is too much."""
    last = 0.0
    for n_rows in sizes:
        path = folder / f"{name.split(',')[0].replace(' ', '-')}_{n_rows}.json"
        if last * _GROWTH > limit and not path.exists():
            last *= _GROWTH
            yield {"promised": last}
            continue
        if not path.exists():
            command = [sys.executable, __file__, "--one", name, "--sizes", str(n_rows)]
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=2 * limit
                )
            except subprocess.TimeoutExpired:
                last = 2 * limit
                yield {"promised": last}
                continue
            if done.returncode:
                yield {"failed": done.stderr.strip().splitlines()[-1:]}
                return
            with atomic_write(path) as draft:
                draft.write_text(done.stdout, encoding="utf-8")
        found = json.loads(path.read_text())
        last = found["seconds"]
        yield found


def describe(found: dict[str, Any]) -> str:
    """Return a cell of the page."""
    if "failed" in found:
        return "failed"
    if "promised" in found:
        return f"({found['promised']:,.0f} s)"
    memory = found["memory"] / found["table"]
    return f"{found['seconds']:.1f} s, {memory:.1f} X, {found['value']:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", nargs="*", type=float, default=[1e4, 1e5, 1e6, 1e7])
    parser.add_argument("--methods", nargs="*", default=[*OURS, *RIVALS])
    parser.add_argument("--limit", type=float, default=150.0)
    parser.add_argument("--folder", type=Path, default=Path("out/scale"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes]
    if options.one:
        print(json.dumps(measure(options.one, sizes[0])))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Seconds and memory against rows",
        "",
        "    python benchmarks/scale.py",
        "",
        "Two threads; seconds of a fit, its peak of memory as a multiple of the table (single "
        "precision), and average precision on fresh rows. In brackets what was not run, or was "
        "stopped: ten times the size before, or more than so many seconds.",
        "",
        f"| method | {' | '.join(f'{size:,} rows' for size in sizes)} |",
        "| --- |" + " --- |" * len(sizes),
    ]
    for name in options.methods:
        cells = [describe(one) for one in run(name, sizes, options.limit, options.folder)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
