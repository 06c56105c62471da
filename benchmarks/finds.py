"""Bands of expected finds beside the real number of hidden positives in the first rows.

The paper's 14 sets, three shares of hidden positives, by out-of-bag scores of `focused` on the
training rows, with the true prior and with the estimated one. Labels at random (SCAR) are what
the bands assume; labels that are hidden near negatives first (SAR) stand beside them.
Constructions were chosen on repeats from 100 on. Cells that are not there are made first.

    python benchmarks/finds.py [--first 0] [--repeats 5] [--cells out/cells] [--jobs 1]
        [--prior true estimated] [--out benchmarks/results/finds.md]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cells import HIDDEN, MECHANISMS, OUT, REPORTED, Cell, Key, list_keys, load_cell, make_cells

from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided.diagnostics import check_scar, expected_finds, review_curve, sensitivity

CUTS = (50, 100, 200)
WANTED = 0.85
NEXT = 50  # rows after the stop that are looked at
TITLES = {"true": "The true prior", "estimated": 'The prior of `prior="auto"`'}


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
    promised = float(curve.finds[stop])
    after = truth[stop : stop + NEXT]
    rate = 10 * float(after.mean()) if len(after) else 0.0
    return Stop(mechanism, stop, promised, int(truth[:stop].sum()), rate)


def render_table(finds: list[Find]) -> list[str]:
    """Return the lines of the table: by hidden share, by length of the list, and together."""
    names = (
        "labels",
        "hidden",
        "rows",
        "bands that hold",
        "too high",
        "too low",
        "width",
        "error",
        "root mean square",
    )
    lines = [f"| {' | '.join(names)} |", f"| --- |{' ---: |' * (len(names) - 1)}"]
    for mechanism in MECHANISMS:
        own = [one for one in finds if one.mechanism == mechanism]
        groups = [
            (f"{share:g}", "all", [o for o in own if o.hidden == share]) for share in HIDDEN
        ]
        groups = groups[::-1]
        groups += [("all", str(k), [one for one in own if one.k == k]) for k in CUTS]
        groups.append(("all", "all", own))
        lines += [render_line(mechanism, *group) for group in groups if group[-1]]
    return lines


def render_line(mechanism: str, hidden: str, k: str, finds: list[Find]) -> str:
    """Return a line of the table."""
    columns = (
        np.mean([one.held for one in finds]),
        np.mean([one.low > one.real for one in finds]),
        np.mean([one.high < one.real for one in finds]),
    )
    width = np.mean([one.high - one.low for one in finds])
    errors = np.array([one.value - one.real for one in finds])
    shares = " | ".join(f"{value:.3f}" for value in columns)
    return (
        f"| {mechanism} | {hidden} | {k} | {shares} | {width:.1f} | {errors.mean():+.1f} | "
        f"{np.sqrt((errors**2).mean()):.1f} |"
    )


def render_verdict(
    mechanism: str, finds: list[Find], stops: list[Stop], alarms: list[bool]
) -> list[str]:
    """Return in words how one way to hide labels went."""
    held = float(np.mean([one.held for one in finds]))
    target = ""
    if mechanism == "scar":
        target = f" (target {WANTED:g}: {'met' if held >= WANTED else 'missed'})"
    real, value, easy = (
        np.mean([getattr(one, name) for one in finds]) for name in ("real", "value", "if_easy")
    )
    rows, promised, found, after = (
        np.mean([getattr(one, name) for one in stops])
        for name in ("k", "promised", "real", "real_after")
    )
    return [
        f"- {mechanism}: {held:.3f} of {len(finds)} bands hold the real number{target}",
        f"  mean finds {real:.1f}, expected {value:.1f}, expected if easy cases are labeled "
        f"first {easy:.1f}",
        f"  stop at 1 in 10: after {rows:.0f} rows, {promised:.1f} finds promised, {found:.1f} "
        f"real; the next {NEXT} rows hold {after:.2f} per 10",
        f"  check_scar at level .1 speaks up in {np.mean(alarms):.3f} of {len(stops)} tables",
    ]


def run(keys: Sequence[Key], folder: Path, source: str) -> list[str]:
    """Return what came of one prior: a table, and a verdict for each way to hide labels."""
    finds: list[Find] = []
    stops: list[Stop] = []
    scar: dict[str, list[bool]] = {}
    with Bar(len(keys), f"finds, {source} prior") as bar:
        for key in keys:
            cell = load_cell(key, folder)
            prior = take_prior(cell, source)
            finds += list_finds(key, cell, prior)
            stops.append(stop_reviewing(key.mechanism, cell, prior))
            alarm = not check_scar(cell.y, cell.oob, prior).plausible
            scar.setdefault(key.mechanism, []).append(alarm)
            bar.advance()
    lines = [f"## {TITLES[source]}", "", *render_table(finds), ""]
    for mechanism, alarms in scar.items():
        own = [one for one in finds if one.mechanism == mechanism]
        ends = [one for one in stops if one.mechanism == mechanism]
        lines += render_verdict(mechanism, own, ends, alarms)
    return [*lines, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=REPORTED[0])
    parser.add_argument("--repeats", type=int, default=len(REPORTED))
    parser.add_argument("--cells", type=Path, default=OUT)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--prior", nargs="+", choices=list(TITLES), default=list(TITLES))
    parser.add_argument("--datasets", nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    keys = [
        key
        for key in list_keys(range(options.first, options.first + options.repeats))
        if not options.datasets or key.dataset in options.datasets
    ]
    make_cells(keys, options.cells, options.jobs)
    lines = ["# Finds", "", " ".join(["    python benchmarks/finds.py", *sys.argv[1:]]), ""]
    cuts = f"{', '.join(map(str, CUTS[:-1]))} and {CUTS[-1]}"
    lines += [
        f"Hidden positives among the first {cuts} unlabeled rows, expected by `expected_finds` "
        "with 90 % bands from the out-of-bag scores of `focused`, and the real number. "
        f"{len(keys)} cells are averaged.",
        "",
    ]
    for source in options.prior:
        lines += run(keys, options.cells, source)
    text = "\n".join(lines)
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
