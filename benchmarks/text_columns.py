"""Print what a column of free text adds to a ranking: encoded, as a category, or left out.

A generated table of claims: merchants write themselves in several ways, each a brand with a
city, and with numbers of shops and receipts or without. A few brands take part in fraud; so do
amounts, hours and new contracts. A quarter of the frauds are labeled, completely at random.

The table is made of text, as a csv file would be, and `TableCleaner` reads it three times. Each
time the unlabeled rows are ranked by models that have not seen them, with defaults and without
the true prior, and compared with the truth. The text's own part of the truth is known: the last
column is the average precision of the true log-odds, which no ranking is expected to reach.

    python benchmarks/text_columns.py [--quick] [--seeds 3] [--methods NAME ...] [--out FILE]
"""

import argparse
import sys
import time
import warnings
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

N_ROWS = 4_000
FRAUD_RATE = 0.05
LABELED_SHARE = 0.25
N_RISKY = 5  # of the brands
# How far the log-odds differ. The true ones then have an average precision of about 0.5, and of
# about 0.3 without the merchants' part: both matter, and no ranking is perfect.
MERCHANT_STRENGTH = 3.5
NUMBER_STRENGTH = 2.0
METHODS = ("focused", "focused-fast")
READINGS = ("text", "category", "drop")
HEADS = {"text": "encoded", "category": "as a category", "drop": "left out"}
WRITINGS = ("numbered", "recurring")
OUT = Path("benchmarks/results/text_columns.md")
_BRANDS = (
    "quick blue nord alpha royal metro",
    "glass towing clinic motors travel",
)
_CITIES = "berlin hamburg munich cologne leipzig dresden bremen essen bonn mainz kassel ulm"
_FORMS = ("", " gmbh", " inc", " & co", " services")


class Claims(NamedTuple):
    """A table of text, who committed fraud, which frauds are labeled, and the true log-odds."""

    frame: pd.DataFrame
    y_true: NDArray[np.int8]
    y: NDArray[np.int8]
    log_odds: NDArray[np.float64]


class Result(NamedTuple):
    """How one method did with one reading of the text."""

    writing: str
    method: str
    reading: str
    average_precision: float
    seconds: float


def make_claims(writing: str, n_rows: int = N_ROWS, seed: int = 0) -> Claims:
    """Return a table of claims as text; the same for the same arguments."""
    from scipy.optimize import brentq
    from scipy.special import expit

    from lopsided.labeling import SCAR

    rng = np.random.default_rng([seed, WRITINGS.index(writing)])
    brands = [" ".join(words) for words in product(*(part.split() for part in _BRANDS))]
    risk = np.zeros(len(brands))
    risk[rng.choice(len(brands), N_RISKY, replace=False)] = 1.0
    brand = rng.integers(len(brands), size=n_rows)
    size = rng.normal(size=n_rows)
    days = np.floor(rng.exponential(500, n_rows))
    hour = np.floor(rng.normal(13, 5, n_rows) % 24)
    earlier = rng.poisson(0.7, n_rows)
    numbers = (
        0.9 * size + 1.5 * np.exp(-days / 90) + 0.8 * ((hour < 6) | (hour > 21)) + 0.4 * earlier
    )
    log_odds = NUMBER_STRENGTH * numbers + MERCHANT_STRENGTH * risk[brand]
    shift = brentq(lambda shift: expit(log_odds + shift).mean() - FRAUD_RATE, -30, 30)
    log_odds = log_odds + shift
    y_true = (rng.random(n_rows) < expit(log_odds)).astype(np.int8)
    frame = pd.DataFrame(
        {
            "merchant": [_write(brands[place], writing, rng) for place in brand],
            "amount": [f"{value:,.2f} EUR" for value in np.exp(5.5 + 0.9 * size)],
            "contract days": days.astype(int).astype(str),
            "time": [f"{int(value):02d}:{rng.integers(60):02d}" for value in hour],
            "earlier claims": earlier.astype(str),
        }
    )
    return Claims(frame, y_true, SCAR(1 - LABELED_SHARE).draw(None, y_true, rng), log_odds)


def _write(brand: str, writing: str, rng: np.random.Generator) -> str:
    """Return how a merchant writes itself: never twice alike, or in one of a few ways."""
    name = brand.replace(" ", rng.choice(["", " ", "-"])) + rng.choice(_FORMS)
    city = rng.choice(_CITIES.split())
    if writing == "recurring":
        return f"{brand} {city}".upper()
    name = name.upper() if rng.random() < 0.5 else name.title()
    shop = (
        f"#{rng.integers(1, 400)}" if rng.random() < 0.6 else f"{rng.integers(10_000, 99_999)}"
    )
    return f"{name} {shop} {city.upper() if rng.random() < 0.7 else city.title()}"


def rank(claims: Claims, writing: str, method: str, reading: str) -> Result:
    """Read the table, rank its unlabeled rows and compare the ranking with the truth."""
    from lopsided import rank_unlabeled
    from lopsided.metrics import average_precision
    from lopsided.workflow.tables import TableCleaner

    start = time.perf_counter()
    X = TableCleaner(types={"merchant": reading}).fit_transform(claims.frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        scores = rank_unlabeled(X, claims.y, method, random_state=0, n_jobs=1)
    unlabeled = claims.y == 0
    precision = average_precision(claims.y_true[unlabeled], scores[unlabeled])
    return Result(writing, method, reading, precision, time.perf_counter() - start)


def best_precision(claims: Claims) -> float:
    """Return the average precision of the true log-odds among the unlabeled rows."""
    from lopsided.metrics import average_precision

    unlabeled = claims.y == 0
    return float(average_precision(claims.y_true[unlabeled], claims.log_odds[unlabeled]))


def as_markdown(results: list[Result], bests: dict[str, list[float]], n_rows: int) -> str:
    """Return all that was found as a page."""
    n_seeds = max(len(values) for values in bests.values())
    readings = [HEADS[reading] for reading in READINGS]
    lines = [
        "# Text columns",
        "",
        " ".join(["    python benchmarks/text_columns.py", *sys.argv[1:]]),
        "",
        f"{n_rows:,} claims, average precision among the unlabeled, mean of {n_seeds} tables "
        "with the standard deviation in brackets. Numbered merchants hardly ever write "
        "themselves twice alike; recurring ones are a brand and a city, 360 in all.",
        "",
        f"| merchants | method | {' | '.join(readings)} | true log-odds |",
        f"| --- | --- | {' | '.join(['---:'] * (len(readings) + 1))} |",
    ]
    for writing in WRITINGS:
        for method in dict.fromkeys(one.method for one in results if one.writing == writing):
            cells = [
                _mean([one.average_precision for one in results if one[:3] == key])
                for key in ((writing, method, reading) for reading in READINGS)
            ]
            lines.append(
                f"| {writing} | {method} | {' | '.join(cells)} | {_mean(bests[writing])} |"
            )
    seconds = sum(one.seconds for one in results)
    return "\n".join([*lines, "", f"{seconds:.0f} seconds of one thread.", ""])


def _mean(values: list[float]) -> str:
    spread = f" ({np.std(values, ddof=1):.3f})" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{spread}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1,000 claims, one table")
    parser.add_argument("--seeds", type=int, default=3, help="tables of each kind")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), metavar="NAME")
    parser.add_argument("--out", type=Path, default=OUT, help="a file for the table")
    options = parser.parse_args()
    n_rows, n_seeds = (1_000, 1) if options.quick else (N_ROWS, options.seeds)
    results: list[Result] = []
    bests: dict[str, list[float]] = {writing: [] for writing in WRITINGS}
    for seed in range(n_seeds):
        for writing in WRITINGS:
            claims = make_claims(writing, n_rows, seed)
            bests[writing].append(best_precision(claims))
            for method in options.methods:
                for reading in READINGS:
                    results.append(rank(claims, writing, method, reading))
                    print(seed, *results[-1], flush=True)
    page = as_markdown(results, bests, n_rows)
    print(f"\n{page}")
    if not options.quick:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
