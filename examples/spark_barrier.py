"""Fit a boosted method on Spark: one barrier task per worker, each with its partition's rows.

`xgboost.spark` takes no objective of one's own; `lopsided.collective` needs no more of an
engine than tasks that run at the same time. Run it by `python examples/spark_barrier.py`, with
pyspark and Java installed.
"""

import numpy as np
import pandas as pd
from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

from lopsided.collective import fit_part, start_tracker

FEATURES = ["a", "b", "c"]
N_WORKERS = 2


def make_table(n_rows: int = 4000) -> pd.DataFrame:
    """Return made-up rows, half of whose few positives are labeled."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 50, (n_rows, 3)).astype(float), columns=FEATURES)
    positive = table["a"] + table["b"] + 5 * rng.normal(size=n_rows) > 85
    return table.assign(y=(positive & (rng.random(n_rows) < 0.5)).astype(int))


def fit_on_spark(frame, method: str, prior: float, host: str = "127.0.0.1"):
    """Return the model that N_WORKERS barrier tasks fit together on a Spark data frame."""
    with start_tracker(N_WORKERS, host) as tracker:

        def fit(rows):
            part = pd.DataFrame([row.asDict() for row in rows], columns=[*FEATURES, "y"])
            number = BarrierTaskContext.get().partitionId()
            model = fit_part(
                method,
                part[FEATURES].astype(float),
                part["y"].astype(int),
                tracker=tracker,
                worker=number,
                prior=prior,
                random_state=0,
            )
            if number == 0:
                yield model

        tasks = frame.repartition(N_WORKERS).rdd.barrier().mapPartitions(fit)
        return tasks.collect()[0]


def main() -> None:
    """Fit on a local Spark session and compare with a fit of one process."""
    import lopsided

    table = make_table()
    spark = SparkSession.builder.master(f"local[{N_WORKERS}]").getOrCreate()
    try:
        model = fit_on_spark(spark.createDataFrame(table), "ifpu-xgb", prior=0.05)
    finally:
        spark.stop()
    local = lopsided.build("ifpu-xgb", prior=0.05, random_state=0)
    local.fit(table[FEATURES], table["y"])
    rows = table[FEATURES]
    apart = np.abs(model.decision_function(rows) - local.decision_function(rows)).max()
    print(f"{model.n_estimators_} rounds; largest difference from one process: {apart:.1e}")


if __name__ == "__main__":
    main()
