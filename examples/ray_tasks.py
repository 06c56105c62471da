"""Fit a boosted method on Ray: tasks that run at the same time, each with some of the rows.

Run it by `python examples/ray_tasks.py`, with ray installed.
"""

import numpy as np
import pandas as pd
import ray

from lopsided.collective import fit_part, start_tracker

FEATURES = ["a", "b", "c"]
N_WORKERS = 2


def make_table(n_rows: int = 4000) -> pd.DataFrame:
    """Return made-up rows, half of whose few positives are labeled."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 50, (n_rows, 3)).astype(float), columns=FEATURES)
    positive = table["a"] + table["b"] + 5 * rng.normal(size=n_rows) > 85
    return table.assign(y=(positive & (rng.random(n_rows) < 0.5)).astype(int))


@ray.remote(num_cpus=1, max_retries=0)
def fit_rows(part, tracker, worker, method, prior):
    """Return the model, the same one on every worker."""
    return fit_part(
        method,
        part[FEATURES],
        part["y"],
        tracker=tracker,
        worker=worker,
        prior=prior,
        random_state=0,
    )


def fit_on_ray(parts: list, method: str, prior: float, host: str = "127.0.0.1"):
    """Return the model that one task for each part fits together."""
    with start_tracker(len(parts), host) as tracker:
        tasks = [
            fit_rows.remote(part, tracker, worker, method, prior)
            for worker, part in enumerate(parts)
        ]
        return ray.get(tasks)[0]


def main() -> None:
    """Fit on a local Ray and compare with a fit of one process."""
    import lopsided

    table = make_table()
    ray.init(num_cpus=N_WORKERS, include_dashboard=False)
    try:
        half = len(table) // N_WORKERS
        model = fit_on_ray([table[:half], table[half:]], "ifpu-xgb", prior=0.05)
    finally:
        ray.shutdown()
    local = lopsided.build("ifpu-xgb", prior=0.05, random_state=0)
    local.fit(table[FEATURES], table["y"])
    rows = table[FEATURES]
    apart = np.abs(model.decision_function(rows) - local.decision_function(rows)).max()
    print(f"{model.n_estimators_} rounds; largest difference from one process: {apart:.1e}")


if __name__ == "__main__":
    main()
