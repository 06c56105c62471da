"""Print average precision of the Hellinger trees and forests beside the published numbers.

Two sets of the authors, by their protocol: positives hidden at random in the whole table, 70/30
split stratified on {negative, hidden, labeled}, the share of positives in the whole table as
prior, scores on the test rows against the truth, mean over 20 repeats, repeat r seeded by r.
Rows, hidden labels and splits are the authors'; the random order of the columns is not, and it
decides ties, of which a single tree has many. `--seeds` averages over that many orders.

    python benchmarks/hellinger_reference.py [--repeats 20] [--seeds 5] [--jobs 2]
"""

import argparse
import math
import sys
import time
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from lopsided._progress import Bar
from lopsided.methods.registry import build
from lopsided.metrics import average_precision
from lopsided.trees.sampling import Bootstrap
from lopsided_bench.datasets import load

HIDDEN = (0.25, 0.50, 0.75)
TOLERANCE = 0.03


class Variant(NamedTuple):
    """A method of the registry, and whether it has to meet the published numbers."""

    label: str
    name: str
    params: dict[str, Any]
    counts: bool


VARIANTS = {
    "PU-HDT": Variant("puhdt", "puhdt", {}, True),
    "PU-SHRF": Variant("puhrf", "puhrf", {"n_estimators": 100}, True),
    "PU-HRF": Variant(
        "puhrf, Bootstrap()", "puhrf", {"n_estimators": 100, "sampling": Bootstrap()}, False
    ),
}

# Ortega Vazquez, vanden Broucke, De Weerdt: Hellinger distance decision trees for PU learning
# in imbalanced data sets. Machine Learning 2024. Means of their experimental_results.csv over
# 20 repeats, columns ap_dt_puhd (depth 5), ap_srf_puhd and ap_rf_puhd, at each share hidden.
PUBLISHED = {
    ("pizzacutter", "PU-HDT"): (0.178, 0.180, 0.150),
    ("pizzacutter", "PU-SHRF"): (0.384, 0.331, 0.265),
    ("pizzacutter", "PU-HRF"): (0.380, 0.347, 0.239),
    ("satellite", "PU-HDT"): (0.458, 0.458, 0.382),
    ("satellite", "PU-SHRF"): (0.807, 0.764, 0.657),
    ("satellite", "PU-HRF"): (0.802, 0.768, 0.667),
}


def hide(y_true: Any, hidden: float, repeat: int) -> Any:
    """Return y with a share of the positives hidden, drawn as in the authors' script."""
    positives = np.flatnonzero(y_true == 1)
    rng = np.random.RandomState(repeat)
    drawn = rng.choice(len(positives), math.ceil(hidden * len(positives)), replace=False)
    y = (np.asarray(y_true) == 1).astype(np.int8)
    y[positives[drawn]] = 0
    return y


def run_one(
    data: Any, hidden: float, repeat: int, n_seeds: int, n_jobs: int
) -> dict[str, float]:
    """Return the average precision of every variant on a split, mean over seeds of the fit."""
    y = hide(data.y_true, hidden, repeat)
    train, test = train_test_split(
        np.arange(data.n_rows), test_size=0.3, stratify=data.y_true + y, random_state=repeat
    )
    prior = float(np.mean(data.y_true))
    values = {}
    for published, variant in VARIANTS.items():
        found = []
        for seed in range(n_seeds):
            model = build(variant.name, prior=prior, n_jobs=n_jobs, **variant.params)
            model.set_params(random_state=repeat + 1000 * seed)
            scores = model.fit(data.X[train], y[train]).decision_function(data.X[test])
            found.append(average_precision(data.y_true[test], scores))
        values[published] = float(np.mean(found))
    return values


def run_all(n_repeats: int, n_seeds: int, n_jobs: int) -> dict[tuple[str, str], Any]:
    """Return the values of each set and method, one row per share hidden."""
    sets = {name: load(name) for name in ("pizzacutter", "satellite")}
    values = {key: np.empty((len(HIDDEN), n_repeats)) for key in PUBLISHED}
    tasks = list(product(sets, range(len(HIDDEN)), range(n_repeats)))
    with Bar(len(tasks), "reference numbers") as bar:
        for name, column, repeat in tasks:
            found = run_one(sets[name], HIDDEN[column], repeat, n_seeds, n_jobs)
            for method, value in found.items():
                values[name, method][column, repeat] = value
            bar.advance()
    return values


def print_table(values: dict[tuple[str, str], Any]) -> list[str]:
    """Print the comparison; return the settings that are too far off."""
    titles = [f"{part:^20}" for part in ("published", "ours", "difference")]
    shares = " ".join(f"{share:6.2f}" for share in HIDDEN)
    print(f"{'':41} {'   '.join(titles)}".rstrip())
    print(f"{'data set':12} {'method':28} {'   '.join([shares] * 3)}".rstrip())
    missed = []
    for (name, method), published in PUBLISHED.items():
        runs = values[name, method]
        ours = runs.mean(axis=1)
        away = ours - published
        variant = VARIANTS[method]
        rows = ((published, " .3f"), (ours, " .3f"), (away, "+.3f"))
        cells = [" ".join(f"{value:{form}}" for value in row) for row, form in rows]
        title = f"{method} ({variant.label})"
        print(f"{name:12} {title:28} {'   '.join(cells)}".rstrip())
        for share, value in zip(HIDDEN, away, strict=True):
            if variant.counts and abs(value) > TOLERANCE:
                missed.append(f"{name}, {variant.label}, {share:.2f} hidden: {value:+.3f}")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    start = time.perf_counter()
    values = run_all(options.repeats, options.seeds, options.jobs)
    print(
        f"average precision by share of positives hidden, mean over {options.repeats} repeats"
        f" of {options.seeds} seed(s)"
    )
    missed = print_table(values)
    n_fits = options.seeds * sum(runs.size for runs in values.values())
    print(f"{n_fits} fits in {time.perf_counter() - start:.0f} s")
    if missed:
        print(f"puhdt and puhrf not within {TOLERANCE} of every published number:")
        print("\n".join(f"  {line}" for line in missed))
        return 1
    print(f"puhdt and puhrf are within {TOLERANCE} of every published number")
    return 0


if __name__ == "__main__":
    sys.exit(main())
