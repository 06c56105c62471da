"""From scores to tables: measures of every ranking, and differences between the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lopsided._progress import Bar
from lopsided.finance.evaluation import Ranked, View, bootstrap_firms, measure, see
from lopsided.finance.models import Model
from lopsided.finance.run import Job, load_scores, rule_of
from lopsided.finance.scores import DamagedFileError
from lopsided.finance.source import Source

__all__ = ["Rankings", "collect", "compare"]

_MAX_SEEDS = 3  # of a random order, in a difference: more change nothing


@dataclass(frozen=True)
class Rankings:
    """The finished rankings of a run.

    Parameters
    ----------
    source : Source
        The panel.
    years : sequence of int
        The years that are ranked.
    folder : Path
        Where the scores are.
    """

    source: Source
    years: Sequence[int]
    folder: Path

    def of(self, model: Model, view: View) -> dict[int, list[Ranked]]:
        """Return what a view sees of a model: for each seed that is complete, the years.

        Parameters
        ----------
        model : Model
            Who ranked.
        view : View
            Which firms count, and what was known.
        """
        runs = {}
        for seed in range(model.n_seeds):
            jobs = [self.job(model, view, seed, year) for year in self.years]
            found = [self.scores(job) for job in jobs]
            if all(scores is not None for scores in found):
                runs[seed] = [self._ranked(*one, view) for one in zip(jobs, found, strict=True)]
        return runs

    def job(self, model: Model, view: View, seed: int, year: int) -> Job:
        """Return the job whose scores a view looks at."""
        return Job(rule_of(model, view.rule), model.name, seed, year)

    def scores(self, job: Job) -> Any:
        """Return the table of a job, or None if it failed."""
        try:
            return load_scores(self.source, job, self.folder)
        except DamagedFileError:  # was named, and could not be made again
            return None

    def _ranked(self, job: Job, scores: Any, view: View) -> Ranked:
        panel = self.source.load()
        now = panel[panel["fyear"] == job.year]
        firms, truth = now["gvkey"].to_numpy(), now["misstated"].to_numpy(dtype=np.int8)
        counted = see(self.source.load_all(), view, job.year, firms)
        found = scores["score"].to_numpy()
        return Ranked(job.year, firms[counted], truth[counted], found[counted])


def collect(rankings: Rankings, views: Sequence[View], models: Sequence[Model]) -> Any:
    """Return every measure of every finished ranking; years without positives are left out.

    Parameters
    ----------
    rankings : Rankings
        What was ranked.
    views : sequence of View
        How to look at it.
    models : sequence of Model
        Who ranked.

    Returns
    -------
    DataFrame
        `view`, `model`, `seed`, `year`, `measure`, `value`, `seconds`.
    """
    import pandas as pd

    rows = []
    with Bar(len(views) * len(models), "measuring") as bar:
        for view, model in product(views, models):
            for seed, run in rankings.of(model, view).items():
                for ranked in run:
                    job = rankings.job(model, view, seed, ranked.year)
                    seconds = float(rankings.scores(job)["seconds"].iloc[0])
                    rows += [
                        (view.name, model.name, seed, ranked.year, name, value, seconds)
                        for name, value in measure(ranked).items()
                    ]
            bar.advance()
    names = ["view", "model", "seed", "year", "measure", "value", "seconds"]
    return pd.DataFrame(rows, columns=names).dropna(subset="value", ignore_index=True)


def compare(
    rankings: Rankings,
    views: Sequence[View],
    models: Sequence[Model],
    table: Any,
    measure_name: str = "r_precision",
) -> Any:
    """Return, for each view, the best PU model against the best other, and both against chance.

    Variants that only show what a setting does take no part.

    Parameters
    ----------
    rankings, views, models
        As for `collect`.
    table : DataFrame
        What `collect` returned.
    measure_name : str, default="r_precision"
        What the best are the best by, on average over years and seeds.

    Returns
    -------
    DataFrame
        `view`, `first`, `second`, `measure`, `mean`, `low`, `high`.
    """
    import pandas as pd

    by_name = {model.name: model for model in models if model.group != "parts"}
    pairs = [
        (view, *pair)
        for view in views
        for pair in _list_pairs(view, by_name, table, measure_name)
    ]
    rows = []
    with Bar(len(pairs), "comparing") as bar:
        for view, *pair in pairs:
            first, second = (list(rankings.of(by_name[name], view).values()) for name in pair)
            gaps = bootstrap_firms(first, second[:_MAX_SEEDS])
            rows += [(view.name, *pair, name, *gap) for name, gap in gaps.items()]
            bar.advance()
    names = ["view", "first", "second", "measure", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def _list_pairs(
    view: View, models: Mapping[str, Model], table: Any, measure_name: str
) -> list[tuple[str, str]]:
    """Return whom to compare in a view: the best PU model and the best other, and chance."""
    chosen = table[(table["view"] == view.name) & (table["measure"] == measure_name)]
    means = chosen.groupby("model")["value"].mean()
    best = {}
    for kind in ("pu", "negative"):
        names = [name for name in means.index if name in models and models[name].kind == kind]
        if names:
            best[kind] = str(means[names].idxmax())
    pairs = [(best["pu"], best["negative"])] if len(best) == 2 else []
    chance = [(name, "random") for name in best.values()] if "random" in means.index else []
    return pairs + chance
