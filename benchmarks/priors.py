"""Print how well every estimator of the prior does, and how often the intervals hold the truth.

The cells of `cells.py`: the paper's 14 sets, SCAR and SAR near, a quarter, half and three
quarters of the positives labeled. Estimators see labels and the out-of-bag scores that
`focused` itself estimates its prior from, or others of the cells by `--scores`; pulearn's see
the columns. The default and its error model were chosen on repeats 100 to 102. Cells that are
not there are made first.

    python benchmarks/priors.py [--cells out/cells] [--first 0] [--repeats 5] [--scores oob]
        [--jobs 1] [--out FILE]

A second table hides 10 and 90 percent of the labels of some sets, where the default belief,
that half of the positives are labeled, is off; its scores are those of `naive-forest`.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cells import OUT, REPORTED, Cell, Key, list_keys, load_cell, make_cells

from lopsided._files import atomic_write
from lopsided.priors import (
    Beta,
    ElkanNotoPrior,
    PriorEstimator,
    build_prior,
    estimate_prior,
    list_priors,
)

FAR_SETS = ("cardio", "letter", "mammography", "satellite", "seismic", "shuttle", "yeast")
FAR_HIDDEN = (0.9, 0.1)
FAR_REPEATS = 3
PULEARN = {
    "pulearn LabelFrequency": "LabelFrequencyPriorEstimator",
    "pulearn HistogramMatch": "HistogramMatchPriorEstimator",
    "pulearn ScarEM": "ScarEMPriorEstimator",
}


class Result(NamedTuple):
    """What one estimator said about one cell."""

    key: Key
    estimator: str
    truth: float
    value: float
    low: float
    high: float
    identified: bool
    seconds: float

    @property
    def log_ratio(self) -> float:
        """Return how many times the value doubles the truth."""
        return float(np.log2(max(self.value, 1e-9) / self.truth))

    @property
    def covered(self) -> bool:
        """Return whether the interval holds the truth."""
        return self.low <= self.truth * (1 + 1e-9) and self.truth <= self.high * (1 + 1e-9)


def run_cell(key: Key, folder: Path, scores: str, peers: bool = True) -> list[Result]:
    """Return what every estimator says about a cell."""
    cell = load_cell(key, folder)
    results = run_estimators(key, cell, getattr(cell, scores))
    return results + (run_pulearn(key, cell) if peers else [])


def run_estimators(key: Key, cell: Cell, scores: Any) -> list[Result]:
    """Return what our estimators say: the default with its interval, the others' value."""
    truth = float(cell.y_true.mean())
    results = []
    beliefs = {"auto": Beta(2, 2), "auto, belief Beta(1, 1)": Beta(1, 1)}
    for name, belief in beliefs.items():
        start = time.perf_counter()
        found = estimate_prior(cell.y, scores, label_frequency=belief)
        seconds = time.perf_counter() - start
        bounds = found.value, found.low, found.high, found.identified
        results.append(Result(key, name, truth, *bounds, seconds))
    others: dict[str, PriorEstimator] = {
        name: build_prior(name) for name in list_priors() if name != "auto"
    }
    others["elkan-noto, mean (e1)"] = ElkanNotoPrior("mean")
    for name, estimator in others.items():
        start = time.perf_counter()
        value = estimator.estimate(scores, cell.y, np.random.default_rng(0))
        seconds = time.perf_counter() - start
        results.append(Result(key, name, truth, value, value, value, True, seconds))
    return results


def run_pulearn(key: Key, cell: Cell) -> list[Result]:
    """Return what pulearn's estimators say with their defaults, if it is installed."""
    try:
        from pulearn import priors
    except ImportError:
        return []
    from lopsided_bench.study import Study
    from lopsided_bench.trial import split_dataset

    split = split_dataset(Study("cells", "", (key.dataset,), (), ()), key.dataset, key.repeat)
    truth, results = float(cell.y_true.mean()), []
    for name, attribute in PULEARN.items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = float(getattr(priors, attribute)().fit(split.X, cell.y).result_.pi)
        seconds = time.perf_counter() - start
        results.append(Result(key, name, truth, value, value, value, True, seconds))
    return results


def run_far(key: Key) -> list[Result]:
    """Return what the default and others say where a tenth or nine tenths are labeled."""
    from lopsided import build
    from lopsided_bench.study import Setting, Study
    from lopsided_bench.trial import seed_of, split_dataset

    study = Study("cells", "", (key.dataset,), (), ())
    split = split_dataset(study, key.dataset, key.repeat)
    rng = np.random.default_rng(seed_of(study.seed, key.dataset, key.repeat, key.mechanism))
    y = Setting(key.mechanism, key.hidden).build().draw(split.X, split.y_true, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = build("naive-forest", oob_score=True, random_state=0).fit(split.X, y)
    truth, results = float(split.y_true.mean()), []
    beliefs = {"auto": Beta(2, 2), "auto, belief Beta(1, 1)": Beta(1, 1)}
    beliefs["auto, a belief that is right"] = Beta(2, 10) if key.hidden > 0.5 else Beta(10, 2)
    for name, belief in beliefs.items():
        found = estimate_prior(y, forest.oob_decision_function_, label_frequency=belief)
        bounds = found.value, found.low, found.high, found.identified
        results.append(Result(key, name, truth, *bounds, 0.0))
    for name in ("elkan-noto", "tail-ratio", "twice-labeled"):
        value = build_prior(name).estimate(forest.oob_decision_function_, y, rng)
        results.append(Result(key, name, truth, value, value, value, True, 0.0))
    return results


def render(results: Sequence[Result], columns: Sequence[tuple[str, float]]) -> list[str]:
    """Return the table of errors, best estimator first."""
    heads = [f"{mechanism} {1 - hidden:.0%}" for mechanism, hidden in columns]
    names = ["estimator", *heads, "all", "bias", "within x2", "ms"]
    lines = ["| " + " | ".join(names) + " |", "| --- |" + " ---: |" * (len(names) - 1)]
    by_name: dict[str, list[Result]] = {}
    for one in results:
        by_name.setdefault(one.estimator, []).append(one)

    def error(rows: Iterable[Result]) -> float:
        return float(np.mean([abs(one.log_ratio) for one in rows]))

    for name, rows in sorted(by_name.items(), key=lambda pair: error(pair[1])):
        groups = [
            [one for one in rows if (one.key.mechanism, one.key.hidden) == column]
            for column in columns
        ]
        within = np.mean([abs(one.log_ratio) <= 1 + 1e-9 for one in rows])
        bias = np.mean([one.log_ratio for one in rows])
        spent = 1000 * np.median([one.seconds for one in rows])
        cells = [*(f"{error(group):.2f}" for group in groups), f"{error(rows):.2f}"]
        cells += [f"{bias:+.2f}", f"{within:.0%}", f"{spent:.1f}"]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return lines


def render_intervals(
    results: Sequence[Result], group: Callable[[Result], str], name: str
) -> list[str]:
    """Return how often the intervals of one estimator hold the truth, by group."""
    chosen = [one for one in results if one.estimator == name]
    lines = [
        "| cells | flagged | covered, not flagged | covered, all | within x2, all "
        "| median high / low |",
        "| --- |" + " ---: |" * 5,
    ]
    groups = sorted({group(one) for one in chosen})
    for label in [*groups, "all"]:
        rows = [one for one in chosen if label in ("all", group(one))]
        clear = [one.covered for one in rows if one.identified]
        shares = [
            1 - len(clear) / len(rows),
            np.mean(clear) if clear else np.nan,
            np.mean([one.covered for one in rows]),
            np.mean([abs(one.log_ratio) <= 1 + 1e-9 for one in rows]),
        ]
        width = np.median([one.high / one.low for one in rows])
        cells = [label, *("-" if np.isnan(one) else f"{one:.0%}" for one in shares)]
        lines.append("| " + " | ".join([*cells, f"{width:.1f}"]) + " |")
    return lines


def judge_intervals(found: Sequence[Result]) -> list[str]:
    """Return the targets of the default's intervals, and whether they are met."""
    clear = [one.covered for one in found if one.identified]
    shares = {
        "intervals that are not flagged hold the truth": (np.mean(clear), 0.85, True),
        "cells are flagged": (1 - len(clear) / len(found), 0.3, False),
        "values are within a factor of 2": (
            np.mean([abs(one.log_ratio) <= 1 + 1e-9 for one in found]),
            0.85,
            True,
        ),
    }
    lines = []
    for words, (share, target, above) in shares.items():
        met = share >= target if above else share <= target
        side = "at least" if above else "at most"
        verdict = f"target {side} {target:.0%}: {'met' if met else 'missed'}"
        lines.append(f"- {share:.1%} of {words}; {verdict}.")
    return lines


def run_all(task: Callable[..., list[Result]], calls: Sequence[tuple], jobs: int) -> list:
    """Return the results of all calls, in their order."""
    from lopsided._progress import Bar

    results: list[Result] = []
    with ProcessPoolExecutor(jobs) as pool, Bar(len(calls), "priors") as bar:
        for done in [pool.submit(task, *call) for call in calls]:
            results += done.result()
            bar.advance()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=Path, default=OUT)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=len(REPORTED))
    parser.add_argument("--scores", default="oob")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    repeats = range(options.first, options.first + options.repeats)
    calls = [(key, options.cells, options.scores) for key in list_keys(repeats)]
    make_cells([key for key, *_ in calls], options.cells, options.jobs)
    results = run_all(run_cell, calls, options.jobs)
    columns = list(dict.fromkeys((one.key.mechanism, one.key.hidden) for one in results))
    lines = ["# Priors", "", f"    python benchmarks/priors.py {' '.join(sys.argv[1:])}", ""]
    lines += [
        f"{len(calls)} cells are averaged, scores: `{options.scores}`. Errors are the mean of "
        "|log2(estimate / truth)|: 1 is a factor of 2. Columns: how labels are hidden, share "
        "of the positives that is labeled. Shares are centered on 1/2, which flatters "
        "`twice-labeled` and, less so, the belief Beta(2, 2) of `auto`.",
        "",
        *render(results, columns),
    ]
    lines += ["", "## The default's 90 % intervals", ""]
    lines += render_intervals(
        results, lambda one: f"{one.key.mechanism} {1 - one.key.hidden:.0%}", "auto"
    )
    lines += ["", *render_intervals(results, lambda one: one.key.dataset, "auto")]
    lines += ["", *judge_intervals([one for one in results if one.estimator == "auto"])]
    lines += ["", "## Labeled shares far from one half", ""]
    far_keys = list_far_keys(options.first)
    far = run_all(run_far, [(key,) for key in far_keys], options.jobs)
    far_columns = list(dict.fromkeys((one.key.mechanism, one.key.hidden) for one in far))
    lines += [
        f"{', '.join(FAR_SETS)}; {FAR_REPEATS} repeats, {len(far_keys)} cells; scores of "
        "`naive-forest`.",
        "",
        *render(far, far_columns),
    ]
    for name in ("auto", "auto, a belief that is right"):
        lines += ["", f"Intervals of `{name}`:", ""]
        lines += render_intervals(far, lambda one: f"{1 - one.key.hidden:.0%} labeled", name)
    text = "\n".join(lines) + "\n"
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(text, encoding="utf-8")
    print(text)


def list_far_keys(first: int) -> list[Key]:
    """Return the cells far from one half that leave two labeled rows at least."""
    repeats = range(first, first + FAR_REPEATS)
    return [
        Key(name, mechanism, hidden, repeat)
        for name in FAR_SETS
        for mechanism in ("scar", "sar-near")
        for hidden in FAR_HIDDEN
        for repeat in repeats
    ]


if __name__ == "__main__":
    main()
