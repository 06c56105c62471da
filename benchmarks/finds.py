"""Bands of expected finds beside the real number of hidden positives in the first rows.

The paper's 14 sets, three shares of hidden positives, by out-of-bag scores of `focused` on the
training rows. Labels at random (SCAR) are what the bands assume; labels that are hidden near
negatives first (SAR) stand beside them. Constructions were chosen on repeats from 100 on.

    python benchmarks/finds.py [--first 0] [--repeats 5] [--cells out/cells] [--prior true]
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cells import HIDDEN, MECHANISMS, OUT, REPORTED, Cell, list_keys, load_cell

from lopsided.diagnostics import check_scar, expected_finds, review_curve, sensitivity

CUTS = (50, 100, 200)
WANTED = 0.85
NEXT = 50  # rows after the stop that are looked at


class Find(NamedTuple):
    """A band and the truth."""

    dataset: str
    mechanism: str
    hidden: float
    k: int
    value: float
    low: int
    high: int
    real: int
    if_easy: float  # the value if easy cases were labeled first

    @property
    def held(self) -> bool:
        """Whether the band holds the truth."""
        return self.low <= self.real <= self.high


class Stop(NamedTuple):
    """Where the curve says to stop, and what the rows around that really hold."""

    mechanism: str
    k: int
    promised: float
    real: int
    real_after: float  # per 10 rows


def take_prior(cell: Cell, source: str) -> Any:
    """Return the true prior of the training rows, or an estimate from their labels."""
    if source == "true":
        return float(cell.y_true.mean())
    from lopsided.priors import estimate_prior

    return estimate_prior(cell.y, cell.oob, random_state=0)


def list_finds(key: Any, cell: Cell, prior: Any) -> list[Find]:
    """Return the bands of one cell beside the truth."""
    cuts = [k for k in CUTS if k <= int((cell.y == 0).sum())]
    truth = sorted_truth(cell)
    found = []
    for one in expected_finds(cell.y, cell.oob, cuts, prior):
        easy = sensitivity(cell.y, cell.oob, one.k, prior).outcomes[-2].finds
        real = int(truth[: one.k].sum())
        head = key.dataset, key.mechanism, key.hidden
        found.append(Find(*head, one.k, one.value, one.low, one.high, real, easy))
    return found


def sorted_truth(cell: Cell) -> Any:
    """Return the truth of the unlabeled rows, highest score first, ties at random."""
    rest = cell.y == 0
    order = np.lexsort((np.random.default_rng(0).random(rest.sum()), -cell.oob[rest]))
    return cell.y_true[rest][order]


def stop_reviewing(mechanism: str, cell: Cell, prior: Any) -> Stop:
    """Stop where ten rows promise fewer than one find, and look at the next rows."""
    curve, truth = review_curve(cell.y, cell.oob, prior), sorted_truth(cell)
    stop = curve.stop_at(1.0)
    promised = float(curve.finds[np.searchsorted(curve.k, stop)])
    after = truth[stop : stop + NEXT]
    rate = 10 * float(after.mean()) if len(after) else 0.0
    return Stop(mechanism, stop, promised, int(truth[:stop].sum()), rate)


def print_table(finds: list[Find]) -> None:
    print("| labels | hidden | rows | bands that hold | too high | too low | width | error |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for mechanism in MECHANISMS:
        own = [one for one in finds if one.mechanism == mechanism]
        for hidden in sorted(HIDDEN):
            _print_line(mechanism, f"{hidden:g}", [o for o in own if o.hidden == hidden])
        for k in CUTS:
            _print_line(mechanism, "all", [o for o in own if o.k == k], k)
        _print_line(mechanism, "all", own)


def _print_line(mechanism: str, hidden: str, finds: list[Find], k: Any = "all") -> None:
    if not finds:
        return
    columns = (
        np.mean([one.held for one in finds]),
        np.mean([one.low > one.real for one in finds]),
        np.mean([one.high < one.real for one in finds]),
    )
    width = np.mean([one.high - one.low for one in finds])
    error = np.mean([one.value - one.real for one in finds])
    shares = " | ".join(f"{value:.3f}" for value in columns)
    print(f"| {mechanism} | {hidden} | {k} | {shares} | {width:.1f} | {error:+.1f} |")


def print_verdict(finds: list[Find], stops: list[Stop], scar: dict[str, list[bool]]) -> None:
    for mechanism in MECHANISMS:
        own = [one for one in finds if one.mechanism == mechanism]
        if not own:
            continue
        held = float(np.mean([one.held for one in own]))
        target = ""
        if mechanism == "scar":
            target = f" (target {WANTED:g}: {'met' if held >= WANTED else 'missed'})"
        print(f"{mechanism}: {held:.3f} of {len(own)} bands hold the real number{target}")
        real, value, easy = (
            np.array([getattr(one, name) for one in own])
            for name in ("real", "value", "if_easy")
        )
        print(
            f"  mean finds {real.mean():.1f}, expected {value.mean():.1f}, expected if easy "
            f"cases are labeled first {easy.mean():.1f}"
        )
        stop = [one for one in stops if one.mechanism == mechanism]
        print(
            f"  stop at 1 in 10: after {np.mean([s.k for s in stop]):.0f} rows, "
            f"{np.mean([s.promised for s in stop]):.1f} finds promised, "
            f"{np.mean([s.real for s in stop]):.1f} real; the next {NEXT} rows hold "
            f"{np.mean([s.real_after for s in stop]):.2f} per 10"
        )
        alarms = np.mean(scar[mechanism])
        print(f"  check_scar at level .1 speaks up in {alarms:.3f} of {len(stop)} tables")


def run(repeats: Iterable[int], folder: Path, source: str, datasets: list[str]) -> None:
    finds, stops = [], []
    scar: dict[str, list[bool]] = {mechanism: [] for mechanism in MECHANISMS}
    for key in list_keys(repeats):
        if datasets and key.dataset not in datasets:
            continue
        cell = load_cell(key, folder)
        prior = take_prior(cell, source)
        finds += list_finds(key, cell, prior)
        stops.append(stop_reviewing(key.mechanism, cell, prior))
        scar[key.mechanism].append(not check_scar(cell.y, cell.oob, prior).plausible)
    print_table(finds)
    print()
    print_verdict(finds, stops, scar)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=REPORTED[0])
    parser.add_argument("--repeats", type=int, default=len(REPORTED))
    parser.add_argument("--cells", type=Path, default=OUT)
    parser.add_argument("--prior", choices=["true", "estimated"], default="true")
    parser.add_argument("--datasets", nargs="*", default=[])
    options = parser.parse_args()
    repeats = range(options.first, options.first + options.repeats)
    run(repeats, options.cells, options.prior, options.datasets)


if __name__ == "__main__":
    main()
