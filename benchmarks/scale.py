"""Print seconds and memory against rows, side by side with what people would use instead.

Tables are made up, 30 columns in single precision, 5 % positive, half of them labeled; then
four real ones of ADBench, four fifths of their rows, half of the positives labeled. Each fit
has a process of its own and two threads, and is not started where a smaller table says that it
would take longer than --limit seconds, in proportion to the rows. Beside our methods: XGBoost's
own objective on the same trees, scikit-learn's random forest and, where it is installed,
pulearn's bagging. Larger tables are those of benchmarks/out_of_core.py.

    python benchmarks/scale.py [--sizes 1e4 1e5 1e6 1e7] [--real cover ...] [--limit 150]
        [--out PAGE]

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
from typing import Any, NamedTuple

import numpy as np
from memory import measure_peak

from lopsided._files import atomic_write

N_FEATURES, N_TREES = 30, 100
REAL = ("celeba", "cover", "donors", "http")


class Table(NamedTuple):
    """Training rows with PU labels, and other rows with the truth."""

    X: Any
    y: Any
    X_test: Any
    y_true_test: Any


def draw_table(name: str) -> Table:
    """Return a table by its number of rows or by its name in ADBench."""
    if name.isdigit():
        n_rows = int(name)
        X, y, y_true = make_table(n_rows + 100_000)
        return Table(X[:n_rows].copy(), y[:n_rows], X[n_rows:], y_true[n_rows:])
    from lopsided.labeling import SCAR
    from lopsided_bench.datasets import load

    data = load(f"adbench-{name}")
    test = np.random.default_rng(0).random(data.n_rows) < 0.2
    X, truth = data.X.astype(np.float32), data.y_true
    y = SCAR(0.5).draw(X[~test], truth[~test], rng=0)
    return Table(X[~test], y, X[test], truth[test])


def count_rows(name: str) -> int:
    """Return the number of training rows of a table of ADBench, about."""
    from lopsided_bench.datasets import describe as describe_table

    return round(0.8 * describe_table(f"adbench-{name}").rows)


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


def measure(name: str, table: str) -> dict[str, Any]:
    """Return seconds of a fit, of cores, peak of memory and average precision."""
    from sklearn.metrics import average_precision_score

    warnings.simplefilter("ignore")
    fit = RIVALS.get(name) or fit_ours(name)
    fit(*make_table(2_000)[:2])  # warm up
    X, y, X_test, y_true_test = draw_table(table)
    start, cores = time.perf_counter(), _core_seconds()
    score, peak, _ = measure_peak(fit, X, y)
    found = {"seconds": time.perf_counter() - start, "cores": _core_seconds() - cores}
    found |= {"memory": peak, "table": X.nbytes}
    found["value"] = float(average_precision_score(y_true_test, score(X_test)))
    return found


def _core_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run(
    name: str, tables: dict[str, int], known: dict[int, float], limit: float, folder: Path
) -> Iterator[dict[str, Any]]:
    """Yield what each table costs, or what a smaller one promises where it is too much.

    Seconds of tables of a number of rows are added to those that are known.
    """
    for table, n_rows in tables.items():
        path = folder / f"{name.split(',')[0].replace(' ', '-')}_{table}.json"
        size = max((one for one in known if one <= n_rows), default=n_rows)
        promised = known.get(size, 0.0) * n_rows / size
        found: dict[str, Any] = {"promised": promised}
        if promised <= limit or path.exists():
            found = _measure_apart(name, table, limit, path)
        if "failed" not in found and table.isdigit():
            known[n_rows] = found.get("seconds", found.get("promised", 0.0))
        yield found


def _measure_apart(name: str, table: str, limit: float, path: Path) -> dict[str, Any]:
    """Return what a process of its own finds, or has found, unless it takes far too long."""
    if not path.exists():
        command = [sys.executable, __file__, "--one", name, table]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=2 * limit)
        except subprocess.TimeoutExpired:
            return {"promised": 2 * limit}
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1:]}
        with atomic_write(path) as draft:
            draft.write_text(done.stdout, encoding="utf-8")
    return json.loads(path.read_text())


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
    parser.add_argument("--real", nargs="*", choices=REAL, default=list(REAL))
    parser.add_argument("--methods", nargs="*", default=[*OURS, *RIVALS])
    parser.add_argument("--limit", type=float, default=150.0)
    parser.add_argument("--folder", type=Path, default=Path("out/scale"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(*options.one)))
        return
    sizes = [int(size) for size in options.sizes]
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Seconds and memory against rows",
        "",
        f"    python benchmarks/scale.py --limit {options.limit:g}",
        "",
        "Two threads; seconds of a fit, its peak of memory as a multiple of the table (single "
        "precision), and average precision on other rows. In brackets what was not run, or was "
        "stopped: what a smaller table promises, or more than so many seconds.",
    ]
    made_up = {str(size): size for size in sizes}
    real = {name: count_rows(name) for name in options.real}
    known: dict[str, dict[int, float]] = {name: {} for name in options.methods}
    for title, tables in (("Made-up tables", made_up), ("Real tables", real)):
        heads = [
            f"{one if one in real else ''} {n:,} rows".strip() for one, n in tables.items()
        ]
        lines += ["", f"## {title}", "", f"| method | {' | '.join(heads)} |"]
        lines += ["| --- |" + " --- |" * len(tables)]
        for name in options.methods:
            found = run(name, tables, known[name], options.limit, options.folder)
            lines.append(f"| {name} | {' | '.join(map(describe, found))} |")
            print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
