"""Print the time of PU metrics and of their intervals on a large table.

    python benchmarks/metrics_speed.py [--rows 100000] [--labeled 300] [--draws 1000]

Times are the median of seven runs in one thread, the check of the input included.
"""

import argparse
import time
from typing import Any

import numpy as np

from lopsided import metrics

CUT = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--labeled", type=int, default=300)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    n_positives = 3 * options.labeled
    truth = np.arange(options.rows) < n_positives
    scores = rng.normal(size=options.rows) + 2 * truth
    y = np.zeros(options.rows, int)
    y[rng.choice(n_positives, options.labeled, replace=False)] = 1
    prior = n_positives / options.rows
    print(f"{options.rows} rows, {options.labeled} labeled, {options.draws} draws")
    for name in (*metrics.pu.__all__, *metrics.at_k.__all__):
        params = {"k": CUT} if name in metrics.at_k.__all__ else {}
        settings = {"prior": prior, "n_draws": options.draws, "random_state": 0, **params}
        alone = measure(getattr(metrics, name), y, scores, **params)
        seconds = measure(metrics.pu_bootstrap, name, y, scores, **settings)
        print(f"{name:21} {1000 * alone:5.1f} ms, with interval {1000 * seconds:5.0f} ms")


def measure(call: Any, *args: Any, **params: Any) -> float:
    """Return the median time of a call in seconds."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        call(*args, **params)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


if __name__ == "__main__":
    main()
