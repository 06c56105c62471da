"""Print how every method ranks a generated claims table with a column of 1,500 merchants.

Merchants differ in their number of claims, a few of them far above the rest, and in their rate
of fraud: most are honest, a few collude. Fraud also depends on numbers and on how two of them
meet. A quarter of the frauds are labeled, completely at random. The strengths of merchants and
numbers were chosen by how well the true log-odds rank with and without the merchants' part.

Every method ranks as a user would have it: `rank_unlabeled`, whose models score rows that they
have not seen, with its defaults and without the true prior. Scores are compared with the truth
among the unlabeled rows. `focused-xgb` and `naive-xgb` are run without the merchants too.

    python benchmarks/claims.py [--quick] [--seed 0] [--methods NAME ...] [--out FILE]
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SEED = 0
FRAUD_RATE = 0.025
LABELED_SHARE = 0.25
COLLUDING_SHARE = 0.04  # of the merchants
# How far the log-odds differ. The true ones then have an average precision of about 0.6, and of
# about 0.5 without the merchants' part: both matter, and no ranking is perfect.
MERCHANT_STRENGTH = 1.5
NUMBER_STRENGTH = 3.0
FIRST = 200  # rows that somebody has time to look at
KINDS = ("garage", "glass", "towing", "clinic", "pharmacy", "repair", "travel", "electronics")
CHANNELS = ("app", "web", "phone", "broker")
REGIONS = tuple(f"region {number}" for number in range(1, 13))
WITHOUT_MERCHANTS = ("focused-xgb", "naive-xgb")  # run a second time


class Claims(NamedTuple):
    """A table of claims, who committed fraud, and which of the frauds are labeled."""

    X: pd.DataFrame
    y_true: NDArray[np.int8]
    y: NDArray[np.int8]


class Result(NamedTuple):
    """How one method did."""

    method: str
    columns: str
    average_precision: float
    finds: int
    seconds: float


class Target(NamedTuple):
    """What must hold between two results, each named by its method and columns."""

    text: str
    ours: tuple[str, str]
    theirs: tuple[str, str]
    holds: Callable[[Result, Result], bool]


def make_claims(n_rows: int = 20_000, n_merchants: int = 1_500, seed: int = SEED) -> Claims:
    """Return a table of claims; the same for the same arguments."""
    from lopsided.labeling import SCAR

    rng = np.random.default_rng(seed)
    merchant = _draw_merchants(n_rows, n_merchants, rng)
    kind_of = rng.integers(len(KINDS), size=n_merchants)
    collusion = rng.normal(0, 0.5, n_merchants)
    collusion[rng.random(n_merchants) < COLLUDING_SHARE] += 2.5
    kind = kind_of[merchant]
    size = rng.normal(size=n_rows)  # of a claim among those of its kind
    amount = np.exp(5.5 + np.linspace(-0.8, 0.8, len(KINDS))[kind] + 0.9 * size)
    days = np.floor(rng.exponential(700, n_rows))
    hour = np.where(
        rng.random(n_rows) < 0.85, rng.normal(14, 3.5, n_rows), rng.uniform(0, 24, n_rows)
    )
    hour = np.floor(hour % 24)
    earlier = rng.poisson(rng.gamma(1.0, 0.8, n_rows))
    delay = rng.exponential(4, n_rows)
    distance = np.exp(rng.normal(2.5, 1, n_rows))
    age = rng.normal(47, 15, n_rows).clip(18, 95).round()
    channel = rng.choice(len(CHANNELS), size=n_rows, p=[0.35, 0.3, 0.2, 0.15])
    region = rng.choice(len(REGIONS), size=n_rows)
    is_new = np.exp(-days / 60)
    signal = (
        np.linspace(-0.4, 0.4, len(KINDS))[kind]
        + 0.6 * size
        + 1.2 * is_new
        + 0.8 * is_new * size.clip(0)
        + 0.7 * ((hour < 6) | (hour > 22))
        + 0.25 * earlier.clip(max=5)
        + 0.4 * np.log1p(delay)
        + np.array([0.2, 0.2, 0.0, -0.4])[channel]
    )
    log_odds = NUMBER_STRENGTH * signal + MERCHANT_STRENGTH * collusion[merchant]
    y_true = _draw_frauds(log_odds, rng)
    names = np.array([f"m{number:04d}" for number in range(n_merchants)])
    X = pd.DataFrame(
        {
            "merchant": pd.Categorical(names[merchant]),
            "kind": pd.Categorical(np.array(KINDS)[kind]),
            "channel": pd.Categorical(np.array(CHANNELS)[channel]),
            "region": pd.Categorical(np.array(REGIONS)[region]),
            "amount": amount.round(2),
            "days_since_start": days,
            "hour": hour,
            "earlier_claims": earlier.astype(float),
            "days_to_report": _lose(delay.round(1), 0.05, rng),
            "distance_km": _lose(distance.round(1), 0.1, rng),
            "age": _lose(age, 0.03, rng),
        }
    )
    return Claims(X, y_true, SCAR(1 - LABELED_SHARE).draw(None, y_true, rng))


def _draw_merchants(
    n_rows: int, n_merchants: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the merchant of each claim: at least one claim each, and a heavy tail."""
    sizes = 1 + rng.pareto(1.3, n_merchants)
    others = rng.choice(n_merchants, size=n_rows - n_merchants, p=sizes / sizes.sum())
    return rng.permutation(np.concatenate([np.arange(n_merchants), others]))


def _draw_frauds(log_odds: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int8]:
    """Return who commits fraud, moved so that the expected rate is as wanted."""
    from scipy.optimize import brentq
    from scipy.special import expit

    shift = brentq(lambda shift: expit(log_odds + shift).mean() - FRAUD_RATE, -30, 30)
    return (rng.random(len(log_odds)) < expit(log_odds + shift)).astype(np.int8)


def _lose(values: NDArray[np.float64], share: float, rng: np.random.Generator) -> Any:
    """Return a column with some values missing."""
    return np.where(rng.random(len(values)) < share, np.nan, values)


def rank(method: str, claims: Claims, columns: str, jobs: int) -> Result:
    """Rank the unlabeled claims and compare the ranking with the truth."""
    from lopsided import rank_unlabeled
    from lopsided.metrics import average_precision, precision_at_k

    X = claims.X if columns == "all" else claims.X.drop(columns="merchant")
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        scores = rank_unlabeled(X, claims.y, method, random_state=SEED, n_jobs=jobs)
    seconds = time.perf_counter() - start
    unlabeled = claims.y == 0
    truth, scores = claims.y_true[unlabeled], scores[unlabeled]
    finds = round(FIRST * precision_at_k(truth, scores, FIRST))
    return Result(method, columns, average_precision(truth, scores), finds, seconds)


def describe(claims: Claims) -> str:
    """Return what the table holds, in two lines."""
    counts = claims.X["merchant"].value_counts()
    hidden = int(claims.y_true.sum() - claims.y.sum())
    return (
        f"{len(claims.y):,} claims at {len(counts):,} merchants (1 to {counts.max()} claims, "
        f"median {counts.median():.0f}).\n"
        f"{claims.y_true.sum()} frauds, {claims.y.sum()} labeled, {hidden} to be found among "
        f"{(claims.y == 0).sum():,} unlabeled claims."
    )


TARGETS = (
    Target(
        "focused-xgb with merchants not below itself without them in average precision",
        ("focused-xgb", "all"),
        ("focused-xgb", "no merchants"),
        lambda ours, theirs: ours.average_precision >= theirs.average_precision,
    ),
    Target(
        "focused above naive-xgb in average precision",
        ("focused", "all"),
        ("naive-xgb", "all"),
        lambda ours, theirs: ours.average_precision > theirs.average_precision,
    ),
    Target(
        f"focused above naive-xgb in finds among the first {FIRST}",
        ("focused", "all"),
        ("naive-xgb", "all"),
        lambda ours, theirs: ours.finds > theirs.finds,
    ),
)


def judge(results: list[Result]) -> list[str]:
    """Return a line for each target whose methods were ranked, and whether it is met."""
    found = {(result.method, result.columns): result for result in results}
    return [
        f"{target.text}: "
        + ("met" if target.holds(found[target.ours], found[target.theirs]) else "missed")
        for target in TARGETS
        if target.ours in found and target.theirs in found
    ]


def as_markdown(claims: Claims, results: list[Result], failures: list[str]) -> str:
    """Return all that was found as a page."""
    lines = [f"# Claims\n\n{describe(claims)}\n"]
    lines.append(f"| method | columns | average precision | first {FIRST} | seconds |")
    lines.append("| --- | --- | ---: | ---: | ---: |")
    for one in sorted(results, key=lambda result: -result.average_precision):
        value = f"{one.average_precision:.3f}"
        lines.append(
            f"| {one.method} | {one.columns} | {value} | {one.finds} | {one.seconds:.0f} |"
        )
    notes = judge(results) + (failures or ["no method failed"])
    return "\n".join([*lines, "", *(f"- {note}" for note in notes), ""])


def run(claims: Claims, methods: list[str], jobs: int) -> tuple[list[Result], list[str]]:
    """Rank by every method, and print each result as it comes."""
    results, failures = [], []
    tasks = [(name, "all") for name in methods]
    tasks += [(name, "no merchants") for name in WITHOUT_MERCHANTS if name in methods]
    for method, columns in tasks:
        try:
            one = rank(method, claims, columns, jobs)
        except Exception as error:  # the others are still worth knowing
            failures.append(f"{method} failed: {type(error).__name__}: {error}")
            print(failures[-1], flush=True)
            continue
        results.append(one)
        print(
            f"{method:18} {columns:13} {one.average_precision:.3f} {one.finds:4d} "
            f"{one.seconds:6.0f} s",
            flush=True,
        )
    return results, failures


def main() -> int:
    from lopsided import list_methods

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="4,000 claims, 300 merchants")
    parser.add_argument("--seed", type=int, default=SEED, help="of the table")
    parser.add_argument("--methods", nargs="+", default=list_methods(), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="threads of each fit")
    parser.add_argument("--out", type=Path, help="a file for the table in markdown")
    options = parser.parse_args()
    size = (4_000, 300) if options.quick else (20_000, 1_500)
    claims = make_claims(*size, seed=options.seed)
    print(describe(claims), flush=True)
    results, failures = run(claims, options.methods, options.jobs)
    page = as_markdown(claims, results, failures)
    print(f"\n{page}")
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(page)
    return int(bool(failures) or any(line.endswith("missed") for line in judge(results)))


if __name__ == "__main__":
    sys.exit(main())
