"""How good rankings of years are: measures, and differences between two models."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.metrics import (
    average_precision,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
    roc_auc,
)
from lopsided_bench.stats import Interval
from lopsided_misstatement.label_delay import known_labels

__all__ = [
    "MEASURES",
    "VIEWS",
    "Ranked",
    "View",
    "bootstrap_firms",
    "is_counted",
    "measure",
    "weigh_blocks",
    "weighted_average_precision",
    "weighted_r_precision",
]


class Measure(NamedTuple):
    """How good a ranking is: what people call it, and a function of truth and scores."""

    title: str
    compute: Callable[[Any, Any], float]


_LIST = 0.01  # of a year's reports: what an office can look into
MEASURES = {
    "r_precision": Measure("R-precision", r_precision),
    "average_precision": Measure("average precision", average_precision),
    "ndcg_at_r": Measure("NDCG at R", lambda t, s: ndcg_at_k(t, s, int(t.sum()))),
    "precision_at_1_percent": Measure("precision at 1 %", partial(precision_at_k, k=_LIST)),
    "recall_at_1_percent": Measure("recall at 1 %", partial(recall_at_k, k=_LIST)),
    "ndcg_at_1_percent": Measure("NDCG at 1 %", partial(ndcg_at_k, k=_LIST)),
    "roc_auc": Measure("ROC-AUC", roc_auc),
}


class View(NamedTuple):
    """A way to look at rankings: what was known in training, and which firms count."""

    name: str
    rule: str
    only_new: bool
    meaning: str


VIEWS = (
    View("released", "released", False, "labels as the published splits have them"),
    View("strict", "strict", False, "SEC cases known only after their release"),
    View("new firms", "released", True, "firms without a known misstatement before"),
)


class Ranked(NamedTuple):
    """The reports of one year: firms, truth, the scores of a model, and how long it took."""

    year: int
    firms: NDArray[Any]
    truth: NDArray[np.int8]
    scores: NDArray[np.float64]
    seconds: float = 0.0


def is_counted(history: Any, view: View, year: int, firms: Any) -> NDArray[np.bool_]:
    """Return which firms of a year count in a view; `history` holds all firm-years."""
    if not view.only_new:
        return np.ones(len(firms), bool)
    past = history[history["fyear"] < year]
    return ~np.isin(firms, past["gvkey"][known_labels(past, year, view.rule) == 1])


def measure(ranked: Ranked) -> dict[str, float]:
    """Return every measure of one year's ranking; NaN without misstated reports."""
    if not 0 < ranked.truth.sum() < len(ranked.truth):
        return dict.fromkeys(MEASURES, float("nan"))
    return {name: one.compute(ranked.truth, ranked.scores) for name, one in MEASURES.items()}


Array = NDArray[np.float64]
Runs = Sequence[Sequence[Ranked]]  # for each seed, the years


def bootstrap_firms(first: Runs, second: Runs, n_draws: int = 1000) -> dict[str, Interval]:
    """Return by how much one model is ahead of another, with 95 % intervals over firms.

    Firms are drawn with replacement, each with all its years, and both models are measured on
    the same draw: the mean over years of R-precision and average precision, in which a firm
    that was drawn twice counts twice, averaged over seeds.
    """
    rng = np.random.default_rng(0)
    firms = np.unique(np.concatenate([one.firms for one in first[0]]))
    drawn = rng.multinomial(len(firms), np.full(len(firms), 1 / len(firms)), n_draws)
    counts = np.vstack([np.ones(len(firms)), drawn])  # all firms once, first
    gaps = {
        name: _mean_over(first, counts, firms, name) - _mean_over(second, counts, firms, name)
        for name in _WEIGHTED
    }
    return {
        name: Interval(float(gap[0]), *map(float, np.nanquantile(gap[1:], [0.025, 0.975])))
        for name, gap in gaps.items()
    }


def _mean_over(runs: Runs, counts: Array, firms: Array, name: str) -> Array:
    """Return a measure for each draw, averaged over years and seeds."""
    total = np.zeros(len(counts))
    for run in runs:
        values = np.array([_WEIGHTED[name](*weigh_blocks(one, counts, firms)) for one in run])
        there = np.isfinite(values)  # a draw may lack a year's positives, rarely those of all
        with np.errstate(invalid="ignore"):
            total += np.where(there, values, 0).sum(axis=0) / there.sum(axis=0)
    return total / len(runs)


def weigh_blocks(one: Ranked, counts: Array, firms: Array) -> tuple[Array, Array]:
    """Return the weights of positives and of all rows in each block of ties, best first."""
    order = np.argsort(-one.scores, kind="stable")
    weight = counts[:, np.searchsorted(firms, one.firms[order])]
    starts = np.flatnonzero(np.diff(one.scores[order], prepend=np.inf))
    positive = np.add.reduceat(weight * one.truth[order], starts, axis=1)
    return positive, np.add.reduceat(weight, starts, axis=1)


def weighted_r_precision(positive: Array, weight: Array) -> Array:
    """Return the share of positives in the first rows whose weights add up to theirs."""
    n_positive = positive.sum(axis=1)
    # Of the block at the cut counts the part of its weight that fits: ties in expectation.
    room = n_positive[:, None] - (np.cumsum(weight, axis=1) - weight)
    inside = np.clip(room, 0, weight) / np.maximum(weight, 1e-9)
    with np.errstate(invalid="ignore"):
        return (inside * positive).sum(axis=1) / n_positive


def weighted_average_precision(positive: Array, weight: Array) -> Array:
    """Return the mean precision at the positives, a block of ties as one step."""
    precision = np.cumsum(positive, axis=1) / np.maximum(np.cumsum(weight, axis=1), 1e-9)
    with np.errstate(invalid="ignore"):
        return (positive * precision).sum(axis=1) / positive.sum(axis=1)


_WEIGHTED: Mapping[str, Callable[..., Array]] = {
    "r_precision": weighted_r_precision,
    "average_precision": weighted_average_precision,
}
