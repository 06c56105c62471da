"""Print what a ranking costs and is worth: five outer folds against a single fit.

Seconds are those of `rank_unlabeled` with the default method on made-up tables, by turns in one
process. Quality is the average precision among the unlabeled rows of the paper's 14 data sets,
labeled completely at random, the same rows and labels for both.

    python benchmarks/ranking_cost.py [--sizes 2k 10k 50k] [--repeats 5] [--jobs 2] [--out FILE]

A run that is stopped goes on where it was: a figure is a file, written whole, in --folder.
"""

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from forest_speed import make_table

from lopsided import rank_unlabeled
from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided.labeling import SCAR
from lopsided.metrics import average_precision
from lopsided_bench.datasets import list_datasets
from lopsided_bench.study import Study
from lopsided_bench.trial import seed_of, split_dataset

WAYS = {"five folds": 5, "one fit": None}
SIZES = {"2k": 2_000, "10k": 10_000, "50k": 50_000}
SHARES = (0.25, 0.5)
MIN_SPEEDUP, MAX_LOSS = 4.0, 0.003


class Cell(NamedTuple):
    """A split, the share of its positives that is labeled, and a way to rank."""

    dataset: str
    share: float
    repeat: int
    way: str

    def path(self, folder: Path) -> Path:
        """Return the file of the figures."""
        name = f"{self.dataset}_{self.share:g}_{self.repeat}_{self.way.replace(' ', '-')}"
        return folder / f"{name}.json"


def run_cell(cell: Cell, folder: Path) -> None:
    """Rank the training rows of a split and keep the average precision of the unlabeled."""
    warnings.simplefilter("ignore")
    study = Study("ranking-cost", "", (cell.dataset,), (), ())
    split = split_dataset(study, cell.dataset, cell.repeat)
    truth = np.asarray(split.y_true)
    draw = np.random.default_rng(seed_of("ranking-cost", *cell[:3]))
    y = SCAR(1 - cell.share).draw(split.X, truth, draw)
    start = time.process_time()
    scores = rank_unlabeled(split.X, y, folds=WAYS[cell.way], random_state=cell.repeat)
    found = {
        "value": average_precision(truth[y == 0], scores[y == 0]),
        "seconds": time.process_time() - start,
    }
    with atomic_write(cell.path(folder)) as draft:
        draft.write_text(json.dumps(found), encoding="utf-8")


def measure_quality(repeats: int, jobs: int, folder: Path) -> pd.DataFrame:
    """Return average precision and seconds of cores for each cell."""
    grid = product(list_datasets("paper"), SHARES, range(repeats), WAYS)
    cells = [Cell(*key) for key in grid]
    left = [cell for cell in cells if not cell.path(folder).exists()]
    fresh = get_context("spawn")  # a fork would share locks of the threads that ran before
    with Bar(len(left), "ranking") as bar, ProcessPoolExecutor(jobs, fresh) as pool:
        for _ in pool.map(run_cell, left, [folder] * len(left)):
            bar.advance()
    return pd.DataFrame(
        [{**cell._asdict(), **json.loads(cell.path(folder).read_text())} for cell in cells]
    )


def measure_speed(sizes: list[str], folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the seconds of both ways for each size, on two threads."""
    small, labels, _ = make_table(400, 10, 1)
    rank_unlabeled(small, labels, random_state=0)  # warm up
    for name in sizes:
        path = folder / f"speed_{name}.json"
        if not path.exists():
            X, y, truth = make_table(SIZES[name], 30, 0)
            found: dict[str, Any] = {}
            for way, folds in reversed(WAYS.items()):
                start, cores = time.perf_counter(), time.process_time()
                scores = rank_unlabeled(X, y, folds=folds, random_state=0, n_jobs=2)
                found[way] = {
                    "seconds": time.perf_counter() - start,
                    "cores": time.process_time() - cores,
                    "value": average_precision(truth[y == 0], scores[y == 0]),
                }
            with atomic_write(path) as draft:
                draft.write_text(json.dumps(found), encoding="utf-8")
        yield name, json.loads(path.read_text())


def describe_speed(found: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Yield the lines of a table of seconds."""
    yield "| rows | five folds, s | of cores | AP | one fit, s | of cores | AP | faster by |"
    yield "| --- |" + " ---: |" * 7
    for name, ways in found:
        numbers = " | ".join(
            f"{one['seconds']:.1f} | {one['cores']:.1f} | {one['value']:.3f}"
            for one in (ways[way] for way in WAYS)
        )
        slow, fast = (ways[way]["seconds"] for way in WAYS)
        verdict = "met" if slow >= MIN_SPEEDUP * fast else "missed"
        yield f"| {name} | {numbers} | {slow / fast:.1f} ({verdict}) |"
    yield ""
    yield f"The target is {MIN_SPEEDUP:g} times as fast."


def describe_quality(cells: pd.DataFrame) -> Iterator[str]:
    """Yield the lines of a table of average precisions."""
    yield "| labeled | five folds | one fit | difference | its error over sets |"
    yield "| --- |" + " ---: |" * 4
    wide = cells.pivot(index=["dataset", "share", "repeat"], columns="way", values="value")
    change = wide["one fit"] - wide["five folds"]
    for share, part in wide.groupby("share"):
        own = change.xs(share, level="share")
        error = own.groupby("dataset").mean().sem()
        means = f"{part['five folds'].mean():.4f} | {part['one fit'].mean():.4f}"
        yield f"| {share:.0%} | {means} | {own.mean():+.4f} | {error:.4f} |"
    verdict = "met" if change.mean() >= -MAX_LOSS else "missed"
    seconds = cells.groupby("way")["seconds"].mean()
    yield ""
    yield (
        f"Over all {len(wide)} tables: {change.mean():+.4f} (target at least -{MAX_LOSS}: "
        f"{verdict}), at {seconds['one fit']:.1f} against {seconds['five folds']:.1f} seconds "
        "of a core a table."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", nargs="*", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("out/ranking_cost"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = ["# What a ranking costs", "", "    python benchmarks/ranking_cost.py", ""]
    lines += [*describe_speed(measure_speed(options.sizes, options.folder)), ""]
    if options.repeats:
        cells = measure_quality(options.repeats, options.jobs, options.folder)
        lines += [*describe_quality(cells), ""]
    page = "\n".join(lines)
    print(page)
    if options.out:
        options.out.write_text(page)


if __name__ == "__main__":
    main()
