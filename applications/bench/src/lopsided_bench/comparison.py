"""What the tests say of the methods of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lopsided_bench import stats
from lopsided_bench.aggregate import blocks
from lopsided_bench.study import ORACLE

__all__ = ["BASELINE", "Comparison", "MethodRank", "compare_methods"]

BASELINE = "naive-xgb"


@dataclass(frozen=True)
class MethodRank:
    """The average rank of a method, and how it stands to the best and to the baseline."""

    label: str
    rank: float
    best: bool
    behind_best: float | None
    p_value: float | None
    p_holm: float | None
    over_baseline: stats.Interval | None


@dataclass(frozen=True)
class Comparison:
    """Ranks and tests over data sets, or the reason why there are none."""

    reason: str = ""
    dropped: Sequence[str] = ()  # methods without a score for each data set
    few_repeats: Sequence[str] = ()  # methods with fewer repeats than others
    ranks: Sequence[MethodRank] = ()  # the best first
    baseline: str | None = None
    friedman: stats.Friedman | None = None
    critical_difference: float | None = None


def compare_methods(table: pd.DataFrame, metric: str) -> Comparison:
    """Return ranks, tests and intervals, or why there are none.

    Data sets are the blocks, each with its mean over settings: settings of one data set share
    their rows, and would count as evidence many times. The best method has the best average
    rank, the first by name among equals.
    """
    hidden = table[table["mechanism"] != ORACLE.mechanism]
    fine = hidden[(hidden["status"] == "ok") & (hidden["metric"] == metric)]
    if fine.empty:
        return Comparison("No method was fitted with hidden labels.")
    values = blocks(table, metric)
    dropped = sorted(set(hidden["label"]) - set(values.columns))
    n_blocks, n_methods = values.shape
    if n_blocks < 2 or n_methods < 2:
        reason = (
            "Tests need two data sets and two methods with scores on all of them, got "
            f"{n_blocks} and {n_methods}."
        )
        return Comparison(reason, dropped)
    repeats = fine.groupby("label")["repeat"].nunique()[list(values.columns)]
    ranks = stats.average_ranks(values).sort_index().sort_values(kind="stable")
    best = str(ranks.index[0])
    tests: Any = stats.wilcoxon_holm(values, best).set_index("second").drop(columns="first")

    def rank(label: str) -> MethodRank:
        over = None
        if BASELINE in values and label != BASELINE:
            over = stats.bootstrap_difference(values[label], values[BASELINE])
        behind, p_value, p_holm = (None,) * 3 if label == best else tests.loc[label]
        return MethodRank(label, ranks[label], label == best, behind, p_value, p_holm, over)

    return Comparison(
        dropped=dropped,
        few_repeats=sorted(map(str, repeats[repeats < repeats.max()].index)),
        ranks=[rank(label) for label in map(str, ranks.index)],
        baseline=BASELINE if BASELINE in values else None,
        friedman=stats.friedman(values),
        critical_difference=stats.critical_difference(n_methods, n_blocks),
    )
