"""Print the time of PU metrics and of their intervals on a large table.

    python benchmarks/metrics_speed.py [--rows 100000] [--labeled 300] [--draws 1000]
        [--out benchmarks/results/metrics_speed.md]

Times are the least of seven runs in one thread, by the processor's clock, the check of the
input included.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from lopsided import metrics
from lopsided._files import atomic_write

CUT = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--labeled", type=int, default=300)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    n_positives = 3 * options.labeled
    truth = np.arange(options.rows) < n_positives
    scores = rng.normal(size=options.rows) + 2 * truth
    y = np.zeros(options.rows, int)
    y[rng.choice(n_positives, options.labeled, replace=False)] = 1
    prior = n_positives / options.rows
    lines = [
        "# Speed of metrics",
        "",
        " ".join(["    python benchmarks/metrics_speed.py", *sys.argv[1:]]),
        "",
        f"{options.rows:,} rows, {options.labeled} labeled, {options.draws} draws; milliseconds"
        " of one core, the least of seven runs.",
        "",
        "| metric | ms | with its interval, ms |",
        "| --- | ---: | ---: |",
    ]
    for name in (*metrics.pu.__all__, *metrics.at_k.__all__):
        params = {"k": CUT} if name in metrics.at_k.__all__ else {}
        settings = {"prior": prior, "n_draws": options.draws, "random_state": 0, **params}
        alone = measure(getattr(metrics, name), y, scores, **params)
        seconds = measure(metrics.pu_bootstrap, name, y, scores, **settings)
        lines.append(f"| {name} | {1000 * alone:.1f} | {1000 * seconds:.0f} |")
    text = "\n".join(lines) + "\n"
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(text, encoding="utf-8")
    print(text)


def measure(call: Any, *args: Any, **params: Any) -> float:
    """Return the least time of a call in seconds of one core."""
    times = []
    for _ in range(7):
        start = time.process_time()
        call(*args, **params)
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
