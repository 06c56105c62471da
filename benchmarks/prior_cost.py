"""Print what `prior="auto"` adds to a fit, in seconds of cores, beside the fit itself.

The table is made up, as in forest_speed.py. Each method is fitted with a prior that is given
and with "auto", turn by turn in one thread; each time is the least of some by the processor's
clock, and what the estimate adds is the difference. `focused` estimates from scores that its
members make anyway.

    python benchmarks/prior_cost.py [--rows 20000] [--columns 40] [--times 5] [--methods ...]
        [--first 0] [--repeats 3] [--out benchmarks/results/prior_cost.md]

A second table says how good these estimates are on the 14 sets, beside those from a forest of
100 trees on bootstraps of all rows, which "auto" once had. The forest of today was chosen on
repeats 100 and 101. A difference of costs that is small beside the fit may come out below 0.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cells import list_keys
from forest_speed import make_table
from priors import Result, render_intervals

from lopsided import build
from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided.methods.forest import PUForestClassifier
from lopsided.priors import estimate_prior
from lopsided_bench.study import Setting, Study
from lopsided_bench.trial import seed_of, split_dataset

METHODS = (
    "nnpu-xgb",
    "ifpu-xgb",
    "focused-xgb",
    "puhrf",
    "puet",
    "focused-fast",
    "puhdt",
)
LARGER = "100 trees on bootstraps"
CHEAP = "ifpu-xgb"  # whose estimates are judged: all but `focused` have the same


def measure(name: str, X: Any, y: Any, prior: float, times: int) -> tuple[float, float]:
    """Return the seconds of cores of a fit, and what the estimate of the prior adds to it."""
    seconds: dict[Any, list[float]] = {prior: [], "auto": []}
    for _ in range(times + 1):  # the first one compiles
        for given, own in seconds.items():
            model = build(name, prior=given, n_jobs=1, random_state=0)
            start = time.process_time()
            model.fit(X, y)
            own.append(time.process_time() - start)
    fit, both = (min(own[1:]) for own in seconds.values())
    return fit, both - fit


def render_costs(names: Sequence[str], options: Any) -> list[str]:
    """Return the table of costs."""
    X, y, y_true = make_table(options.rows, options.columns, 0)
    lines = [
        f"{options.rows:,} x {options.columns}, {y.sum()} labeled; seconds of one core, the "
        f"least of {options.times}.",
        "",
        "| method | fit | added by auto | added / fit |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name in names:
        fit, added = measure(name, X, y, float(y_true.mean()), options.times)
        lines.append(f"| {name} | {fit:.2f} | {added:.2f} | {added / fit:.2f} |")
        print(lines[-1], flush=True)
    return lines


def estimate_both(X: Any, y: Any, seed: int) -> dict[str, Any]:
    """Return the estimate of "auto", and one from the larger forest."""
    model = build(CHEAP, prior="auto", n_estimators=1, random_state=seed).fit(X, y)
    forest = PUForestClassifier(
        splitter="random", n_estimators=100, oob_score=True, random_state=seed
    )
    scores = forest.fit(X, y).oob_decision_function_
    scores = np.where(np.isnan(scores), np.nanmedian(scores), scores)
    return {"auto": model.prior_estimate_, LARGER: estimate_prior(y, scores)}


def render_quality(repeats: range) -> list[str]:
    """Return how often the estimates and their intervals are right."""
    study, results = Study("cells", "", (), (), ()), []
    keys = list_keys(repeats)
    with Bar(len(keys), "quality") as bar:
        for key in keys:
            split = split_dataset(study, key.dataset, key.repeat)
            words = study.seed, key.dataset, key.repeat, key.mechanism
            rng = np.random.default_rng(seed_of(*words))
            y = Setting(key.mechanism, key.hidden).build().draw(split.X, split.y_true, rng)
            truth = float(split.y_true.mean())
            for name, found in estimate_both(split.X, y, key.repeat).items():
                bounds = found.value, found.low, found.high, found.identified
                results.append(Result(key, name, truth, *bounds, 0.0))
            bar.advance()
    lines = [f"{len(keys)} tables of the 14 sets, repeats {repeats[0]} to {repeats[-1]}."]
    for name in ("auto", LARGER):
        error = np.mean([abs(one.log_ratio) for one in results if one.estimator == name])
        lines += ["", f"{name}: mean of |log2(estimate / truth)| {error:.3f}.", ""]
        lines += render_intervals(
            results, lambda one: f"{one.key.mechanism} {1 - one.key.hidden:.0%}", name
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    command = " ".join(["    python benchmarks/prior_cost.py", *sys.argv[1:]])
    lines = ["# What an estimate of the prior costs", "", command, ""]
    lines += render_costs(options.methods, options)
    lines += ["", "## What it is worth", ""]
    lines += render_quality(range(options.first, options.first + options.repeats))
    text = "\n".join(lines) + "\n"
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
