"""From scores to tables: measures of every ranking, and differences between the best."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lopsided_bench.progress import progress_bar
from lopsided_bench.store import ResultStore
from lopsided_misstatement.evaluation import (
    Ranked,
    View,
    bootstrap_firms,
    is_counted,
    measure,
)
from lopsided_misstatement.models import Model
from lopsided_misstatement.source import Source
from lopsided_misstatement.trials import Trial, read_scores

__all__ = ["Rankings", "compare_best", "measure_all"]

_MAX_SEEDS = 3  # of a random order, in a difference: more change nothing
_BEST_BY = "r_precision"


class Rankings(NamedTuple):
    """The finished rankings of a run: its panel, the years that are ranked, and the scores."""

    source: Source
    years: Sequence[int]
    store: ResultStore

    def of(self, model: Model, view: View) -> dict[int, list[Ranked]]:
        """Return what a view sees of a model: for each seed that is complete, the years."""
        runs = {}
        for seed in range(model.n_seeds):
            found = {
                year: read_scores(self.store, Trial.of(model, view.rule, seed, year))
                for year in self.years
            }
            if all(scores is not None for scores in found.values()):
                runs[seed] = [self._ranked(year, one, view) for year, one in found.items()]
        return runs

    def _ranked(self, year: int, scores: Any, view: View) -> Ranked:
        panel = self.source.load()
        truth = panel["misstated"].to_numpy(dtype=np.int8)[panel["fyear"] == year]
        firms = scores["gvkey"].to_numpy()
        counted = is_counted(self.source.load_all(), view, year, firms)
        return Ranked(
            year,
            firms[counted],
            truth[counted],
            scores["score"].to_numpy()[counted],
            float(scores["seconds"].iloc[0]),
        )


def measure_all(rankings: Rankings, views: Sequence[View], models: Sequence[Model]) -> Any:
    """Return every measure of every finished ranking; years without positives are left out.

    The columns are `view`, `model`, `seed`, `year`, `measure`, `value` and `seconds`.
    """
    rows = []
    with progress_bar(len(views) * len(models), "measuring") as advance:
        for view, model in product(views, models):
            rows += [
                (view.name, model.name, seed, ranked.year, name, value, ranked.seconds)
                for seed, run in rankings.of(model, view).items()
                for ranked in run
                for name, value in measure(ranked).items()
            ]
            advance(1)
    names = ["view", "model", "seed", "year", "measure", "value", "seconds"]
    return pd.DataFrame(rows, columns=names).dropna(subset="value", ignore_index=True)


def compare_best(
    rankings: Rankings, views: Sequence[View], models: Sequence[Model], table: Any
) -> Any:
    """Return, for each view, the best PU model against the best other, and both against chance.

    The best are so by R-precision in `table`, which `measure_all` returned. Variants that only
    show what a setting does take no part. The columns are `view`, `first`, `second`, `measure`,
    `mean`, `low` and `high`.
    """
    by_name = {model.name: model for model in models if model.group != "parts"}
    pairs = [(view, *pair) for view in views for pair in _list_pairs(view, by_name, table)]
    rows = []
    with progress_bar(len(pairs), "comparing") as advance:
        for view, *pair in pairs:
            first, second = (list(rankings.of(by_name[name], view).values()) for name in pair)
            gaps = bootstrap_firms(first, second[:_MAX_SEEDS])
            rows += [(view.name, *pair, name, *gap) for name, gap in gaps.items()]
            advance(1)
    names = ["view", "first", "second", "measure", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def _list_pairs(view: View, models: Mapping[str, Model], table: Any) -> list[tuple[str, str]]:
    """Return whom to compare in a view: the best PU model and the best other, and chance."""
    chosen = table[(table["view"] == view.name) & (table["measure"] == _BEST_BY)]
    means = chosen.groupby("model")["value"].mean()
    best = {}
    for kind in ("pu", "negative"):
        names = [name for name in means.index if name in models and models[name].kind == kind]
        if names:
            best[kind] = str(means[names].idxmax())
    pairs = [(best["pu"], best["negative"])] if len(best) == 2 else []
    chance = [(name, "random") for name in best.values()] if "random" in means.index else []
    return pairs + chance
