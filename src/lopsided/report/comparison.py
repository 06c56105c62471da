"""What the tests say of the methods of a table, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lopsided.bench.aggregate import blocks
from lopsided.bench.stats import (
    average_ranks,
    bootstrap_difference,
    critical_difference,
    friedman,
    wilcoxon_holm,
)
from lopsided.bench.study import ORACLE

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BASELINE", "compare"]

BASELINE = "naive-xgb"


def compare(table: pd.DataFrame, metric: str) -> dict[str, Any]:
    """Return ranks, tests and intervals, or why there are none.

    Data sets are the blocks, each with its mean over settings: settings of one data set share
    their rows, and would count as evidence many times. The best method has the best average
    rank, the first by name among equals.

    Parameters
    ----------
    table : DataFrame
        Results under the true prior.
    metric : str
        What to compare by.
    """
    hidden = table[table["mechanism"] != ORACLE.mechanism]
    fine = hidden[(hidden["status"] == "ok") & (hidden["metric"] == metric)]
    if fine.empty:
        return {"reason": "No method was fitted with hidden labels."}
    values = blocks(table, metric)
    left_out = sorted(set(hidden["label"]) - set(values.columns))
    n_blocks, n_methods = values.shape
    if n_blocks < 2 or n_methods < 2:
        reason = (
            "Tests need two data sets and two methods with scores on all of them, got "
            f"{n_blocks} and {n_methods}."
        )
        return {"reason": reason, "left_out": left_out}
    repeats = fine.groupby("label")["repeat"].nunique()[list(values.columns)]
    ranks = average_ranks(values).sort_index().sort_values(kind="stable")
    best = str(ranks.index[0])
    against = wilcoxon_holm(values, best).set_index("second")
    rows = []
    for label in map(str, ranks.index):
        row: dict[str, Any] = {"label": label, "rank": ranks[label], "best": label == best}
        if label != best:
            test = against.loc[label]
            row |= {"behind_best": test["mean_difference"]}
            row |= {"p_value": test["p_value"], "p_holm": test["p_holm"]}
        if BASELINE in values and label != BASELINE:
            over = bootstrap_difference(values[label], values[BASELINE])
            row |= {"over_baseline": over._asdict()}
        rows.append(row)
    return {
        "reason": None,
        "best": best,
        "baseline": BASELINE if BASELINE in values else None,
        "left_out": left_out,
        "few_repeats": sorted(map(str, repeats[repeats < repeats.max()].index)),
        "friedman": friedman(values)._asdict(),
        "critical_difference": critical_difference(n_methods, n_blocks),
        "methods": rows,
    }
