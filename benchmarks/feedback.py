"""Three rounds of reviews with verdicts fed back, beside as many rows of the first list.

The paper's 14 sets, 25 % of the positives labeled at random, the training rows of each split:
unlabeled ones are what may be reviewed. Verdicts come back as 1 and -1. What the loop does by
default was chosen on repeats from 100 on.

    python benchmarks/feedback.py [--first 0] [--repeats 5] [--method focused]
                                  [--variants top top-bias audit]
                                  [--test] [--out out/feedback]

A run that is stopped goes on where it was: a cell is a file, written whole.
"""

import argparse
import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from lopsided import build
from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided.metrics import average_precision
from lopsided.review import simulate_reviews
from lopsided_bench.datasets import list_datasets
from lopsided_bench.study import Setting, Study
from lopsided_bench.trial import seed_of, split_dataset

BUDGET, SIZE, HIDDEN = 150, 50, 0.75
OUT = Path("out/feedback")
VARIANTS: dict[str, dict[str, Any]] = {
    "top": {"policy": "top"},
    "top-bias": {"policy": "top", "bias_weights": True},
    "audit": {"policy": "top-audit"},
    "audit-bias": {"policy": "top-audit", "bias_weights": True},
    "mixed": {"policy": "mixed"},
    "mixed-bias": {"policy": "mixed", "bias_weights": True},
    "weight-1": {"policy": "top", "reviewed_weight": 1.0},
    "weight-2": {"policy": "top", "reviewed_weight": 2.0},
    "weight-20": {"policy": "top", "reviewed_weight": 20.0},
}


class Key(NamedTuple):
    """What a cell depends on."""

    method: str
    dataset: str
    repeat: int
    variant: str

    def path(self, folder: Path) -> Path:
        """Return the file of the cell."""
        return folder / f"{self.method}_{self.dataset}_{self.repeat}_{self.variant}.json"


def make_cells(keys: list[Key], folder: Path, test: bool) -> None:
    """Review one split in several ways, the first fit of which is the same, and write each.

    With `test` the model of all verdicts ranks the test rows.
    """
    method, dataset, repeat, _ = keys[0]
    study = Study("feedback", "", (dataset,), (), ())
    split = split_dataset(study, dataset, repeat)
    words = study.seed, dataset, repeat, "scar"
    rng = np.random.default_rng(seed_of(*words))
    y = Setting("scar", HIDDEN).build().draw(split.X, split.y_true, rng)
    seed = seed_of(*words, HIDDEN, "feedback")
    with TemporaryDirectory() as cache:
        for key in keys:
            settings = dict(VARIANTS[key.variant])
            weight = settings.pop("reviewed_weight", None)
            own = {} if weight is None else {"reviewed_weight": weight}
            done = simulate_reviews(
                split.X,
                split.y_true,
                y,
                budget=BUDGET,
                batch_size=SIZE,
                method=build(method, memory=cache, **own),
                random_state=seed,
                **settings,
            )
            cell = {**key._asdict(), **_tell(done, y, split.y_true), "test": np.nan}
            if test:
                scores = done.loop.model_.decision_function(split.X_test)
                cell["test"] = average_precision(split.y_true_test, scores)
            with atomic_write(key.path(folder)) as draft:
                draft.write_text(json.dumps(cell), encoding="utf-8")


def _tell(done: Any, y: Any, y_true: Any) -> dict[str, Any]:
    """Return the numbers of a cell."""
    first = done.first_list[:BUDGET]
    prior, truth = done.loop.prior_, float(y_true.mean())
    bands = [bool(one) for one in done.history["inside"]]
    return {
        "hidden": int(y_true.sum() - y.sum()),
        "first": int(y_true[first].sum()),
        "finds": done.finds.tolist(),
        "bands": bands,
        "expected": done.history["expected"].tolist(),
        "covered": bool(prior.low - 1e-9 <= truth <= prior.high + 1e-9),
        "error": float(np.log(prior.value / truth)),
        "ratio": float(prior.high / prior.low),
    }


def load_cells(keys: Iterable[Key], folder: Path) -> list[dict[str, Any]]:
    """Return the cells that are there."""
    paths = [key.path(folder) for key in keys]
    return [json.loads(path.read_text("utf-8")) for path in paths if path.is_file()]


def print_sets(cells: list[dict[str, Any]], variants: list[str]) -> None:
    """Print finds set by set."""
    print(f"| set | hidden | first list | {' | '.join(variants)} |")
    print(f"| --- | {' | '.join(['---:'] * (2 + len(variants)))} |")
    for name in [*dict.fromkeys(cell["dataset"] for cell in cells), "mean"]:
        own = [cell for cell in cells if name in (cell["dataset"], "mean")]
        start = _mean(own, "hidden"), _mean(own, "first")
        by = [_mean([c for c in own if c["variant"] == one], "finds") for one in variants]
        print(f"| {name} | {' | '.join(f'{number:.1f}' for number in (*start, *by))} |")


def print_variants(cells: list[dict[str, Any]], variants: list[str]) -> None:
    """Print what each variant does, over all sets."""
    print(
        "\n| variant | finds | first list | sets won, tied, lost | cells won, tied, lost "
        "| prior covered | error of the prior | its high / low | bands of finds that hold "
        "| test |"
    )
    print(f"| --- | {' | '.join(['---:'] * 9)} |")
    for one in variants:
        own = [cell for cell in cells if cell["variant"] == one]
        if not own:
            continue
        gain = [sum(cell["finds"]) - cell["first"] for cell in own]
        names = dict.fromkeys(cell["dataset"] for cell in own)
        by_set = [
            sum(g for g, c in zip(gain, own, strict=True) if c["dataset"] == name)
            for name in names
        ]
        bands = np.mean([band for cell in own for band in cell["bands"]])
        print(
            f"| {one} | {_mean(own, 'finds'):.2f} | {_mean(own, 'first'):.2f} | "
            f"{_count(by_set)} | {_count(gain)} | {_mean(own, 'covered'):.3f} of {len(own)} | "
            f"{np.mean([abs(cell['error']) for cell in own]):.3f} | "
            f"{np.median([cell['ratio'] for cell in own]):.2f} | {bands:.3f} | "
            f"{_test(own)} |"
        )


def _mean(cells: list[dict[str, Any]], name: str) -> float:
    return float(np.mean([np.sum(cell[name]) for cell in cells])) if cells else np.nan


def _test(cells: list[dict[str, Any]]) -> str:
    """Return the mean average precision on test rows, where it was asked for."""
    values = [cell.get("test", np.nan) for cell in cells]
    return "" if np.isnan(values).any() else f"{np.mean(values):.4f}"


def _count(gains: list[Any]) -> str:
    signs = np.sign(gains)
    return ", ".join(str(int((signs == sign).sum())) for sign in (1, 0, -1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--method", default="focused")
    asked = ["top", "top-bias", "audit"]
    parser.add_argument("--variants", nargs="*", choices=list(VARIANTS), default=asked)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    warnings.simplefilter("ignore", UserWarning)
    repeats = range(options.first, options.first + options.repeats)
    groups = [
        [Key(options.method, name, repeat, one) for one in options.variants]
        for repeat in repeats
        for name in list_datasets("paper")
    ]
    left = [[key for key in keys if not key.path(options.out).is_file()] for keys in groups]
    left = [keys for keys in left if keys]
    with Bar(len(left), "splits") as bar:
        for keys in left:
            make_cells(keys, options.out, options.test)
            bar.advance()
    cells = load_cells([key for keys in groups for key in keys], options.out)
    print_sets(cells, options.variants)
    print_variants(cells, options.variants)


if __name__ == "__main__":
    main()
