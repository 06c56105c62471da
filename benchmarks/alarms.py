"""How often diagnostics raise an alarm, where they should and where they should not.

Signal: tables of noise (random labels on the columns of the paper's 14 sets, and on normal
columns), where the user must be warned, and the 14 sets at 25 % labeled, where not. SCAR:
labels given at random and under both directions of SAR, by out-of-bag scores of a naive forest
and the true prior. Leaks: the 14 sets as they are, and with a planted leak. Constructions were
chosen on repeats from 100 on and on other noise.

    python benchmarks/alarms.py [--parts signal scar leaks] [--tables 200] [--first 0]
                                [--first-table 0]
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from lopsided import build
from lopsided.diagnostics import check_scar, check_signal, check_signal_in_table, find_leaks
from lopsided_bench.datasets import list_datasets
from lopsided_bench.study import Setting, Study
from lopsided_bench.trial import seed_of, split_dataset

MECHANISMS, HIDDEN = ("scar", "sar-near", "sar-far"), (0.25, 0.5, 0.75)
FEW = 10  # labeled rows, below which leaks are counted apart
MOST_ROWS = 1500  # of a table of noise: signal in it is a matter of labels, not of rows


class Labeled(NamedTuple):
    """A data set's training rows with PU labels."""

    dataset: str
    hidden: float
    X: Any
    y: Any
    y_true: Any


def draw_labels(dataset: str, repeat: int, mechanism: str, hidden: float) -> Labeled:
    """Return the rows and labels that a study has in this repeat."""
    study = Study("alarms", "", (dataset,), (), ())
    split = split_dataset(study, dataset, repeat)
    rng = np.random.default_rng(seed_of(study.seed, dataset, repeat, mechanism))
    y = Setting(mechanism, hidden).build().draw(split.X, split.y_true, rng)
    return Labeled(dataset, hidden, split.X, y, split.y_true)


def make_noise(number: int) -> tuple[Any, Any]:
    """Return a table and labels that have nothing to do with it."""
    names = [*list_datasets("paper"), "normal"]
    name = names[number % len(names)]
    rng = np.random.default_rng(seed_of("alarms", "noise", number))
    if name == "normal":
        X = rng.normal(size=(rng.integers(200, MOST_ROWS), rng.integers(3, 40)))
        n_labeled = int(rng.integers(4, 60))
    else:
        rows = draw_labels(name, number, "scar", 0.75)
        kept = rng.permutation(len(rows.y))[:MOST_ROWS]
        X, n_labeled = rows.X[kept], max(2, round(rows.y.mean() * len(kept)))
    y = np.zeros(len(X), dtype=int)
    y[rng.choice(len(y), n_labeled, replace=False)] = 1
    return X, y


def report_signal(repeats: range, tables: range) -> None:
    warned = [
        not check_signal_in_table(X, y, random_state=number).found
        for number, (X, y) in zip(tables, map(make_noise, tables), strict=True)
    ]
    rate = _rate(warned, 0.9, above=True)
    print(f"signal: {len(tables)} tables of noise, warned in {rate}", flush=True)
    real = [
        (name, not check_signal_in_table(rows.X, rows.y, random_state=repeat).found)
        for repeat in repeats
        for name in list_datasets("paper")
        for rows in [draw_labels(name, repeat, "scar", 0.75)]
    ]
    print(f"  14 sets, 25 % labeled, warned in {_rate([one for _, one in real], 0.1)}")
    counts = {name: sum(one for other, one in real if other == name) for name, _ in real}
    print(f"  warnings by set: { {name: n for name, n in counts.items() if n} }")


def report_selected(n_tables: int) -> None:
    """Print what the test makes of scores that were weighed by the labels."""
    warned = []
    for number, (X, y) in enumerate(map(make_noise, range(n_tables))):
        model = build("focused-fast", random_state=number).fit(X, y)
        warned.append(not check_signal(y, model.oob_decision_function_).found)
    print(f"selected: noise, out-of-bag scores of focused-fast: warned in {_rate(warned)}")


def report_scar(repeats: range) -> None:
    for mechanism in MECHANISMS:
        alarms = []
        for rows in _list_tables(repeats, mechanism, HIDDEN):
            forest = build("naive-forest", oob_score=True, random_state=0).fit(rows.X, rows.y)
            found = check_scar(rows.y, forest.oob_decision_function_, rows.y_true.mean())
            alarms.append((rows.hidden, not found.plausible))
        target = 0.1 if mechanism == "scar" else None
        shares = ", ".join(
            f"{np.mean([one for other, one in alarms if other == hidden]):.2f} at {hidden:g}"
            for hidden in HIDDEN
        )
        rate = _rate([one for _, one in alarms], target)
        print(
            f"scar: labels {mechanism}, alarm in {rate}; by hidden share {shares}", flush=True
        )


def report_leaks(repeats: range) -> None:
    false, columns = [], 0
    missed: dict[str, list[tuple[int, bool]]] = {}
    for mechanism in MECHANISMS:
        for rows in _list_tables(repeats, mechanism, HIDDEN):
            found = find_leaks(rows.X, rows.y)
            false.append(bool(found))
            columns += len(found)
            if found:
                print(f"  {rows.dataset}, {mechanism}, {rows.hidden:g}: {found[0]}")
            for kind, X in _plant_leaks(rows):
                last = str(X.shape[1] - 1)
                known = last not in [leak.column for leak in find_leaks(X, rows.y)]
                missed.setdefault(kind, []).append((int(rows.y.sum()), known))
    print(f"leaks: 14 sets, {columns} columns reported, alarm in {_rate(false)}")
    for kind, ones in missed.items():
        few, many = (
            [one for n_labeled, one in ones if (n_labeled < FEW) == is_few]
            for is_few in (True, False)
        )
        print(
            f"  planted, {kind}: missed in {_rate([one for _, one in ones])}; with fewer than "
            f"{FEW} labeled rows {_rate(few)}, else {_rate(many)}"
        )


def _plant_leaks(rows: Labeled) -> Iterator[tuple[str, Any]]:
    """Yield the table with one more column, filled in because a row was labeled."""
    rng = np.random.default_rng(len(rows.y))
    n_rows = len(rows.y)
    noted = np.where(rows.y == 1, rng.normal(size=n_rows), np.nan)
    yield "only labeled rows have a value", np.c_[rows.X, noted]
    higher = rng.normal(size=n_rows) + np.where(rows.y == 1, 9, 0)
    yield "labeled rows have high values", np.c_[rows.X, higher]
    code = np.where((rows.y == 1) & (rng.random(n_rows) < 0.7), 7, rng.integers(0, 7, n_rows))
    yield "70 % of labeled rows have a code of their own", np.c_[rows.X, code]


def _list_tables(
    repeats: range, mechanism: str, hidden: tuple[float, ...]
) -> Iterator[Labeled]:
    for repeat, name, share in product(repeats, list_datasets("paper"), hidden):
        yield draw_labels(name, repeat, mechanism, share)


def _rate(alarms: list[bool], target: float | None = None, above: bool = False) -> str:
    rate = float(np.mean(alarms))
    words = f"{rate:.3f} of {len(alarms)}"
    if target is None:
        return words
    met = rate >= target if above else rate <= target
    side = "at least" if above else "at most"
    return f"{words} (target {side} {target:g}: {'met' if met else 'missed'})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = ["signal", "selected", "scar", "leaks"]
    parser.add_argument("--parts", nargs="*", choices=parts, default=parts)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--first-table", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    repeats = range(options.first, options.first + options.repeats)
    tables = range(options.first_table, options.first_table + options.tables)
    start = time.perf_counter()
    if "signal" in options.parts:
        report_signal(repeats, tables)
    if "selected" in options.parts:
        report_selected(options.tables)
    if "scar" in options.parts:
        report_scar(repeats)
    if "leaks" in options.parts:
        report_leaks(repeats)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
