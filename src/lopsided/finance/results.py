"""From scores to a table: one row per view, model, seed, year and measure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lopsided.finance.evaluation import Ranked, View, bootstrap_firms, measure, see
from lopsided.finance.models import Model
from lopsided.finance.run import Job, read_scores, rule_of

__all__ = ["collect", "compare", "gather"]


def gather(
    panel: Any, view: View, model: Model, years: Sequence[int], folder: Path
) -> list[list[Ranked]]:
    """Return a model's rankings as a view sees them: for each seed that is complete, the years.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    view : View
        Which firms count, and what was known.
    model : Model
        Who ranked.
    years : sequence of int
        Which years.
    folder : Path
        Where the scores are.
    """
    runs = []
    for seed in range(model.n_seeds):
        jobs = [Job(rule_of(model, view.rule), model.name, seed, year) for year in years]
        if all(job.path(folder).exists() for job in jobs):
            runs.append([_ranked(panel, view, job, folder) for job in jobs])
    return runs


def collect(
    panel: Any,
    views: Sequence[View],
    models: Sequence[Model],
    years: Sequence[int],
    folder: Path,
) -> Any:
    """Return every measure of every finished ranking.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    views : sequence of View
        How to look at them.
    models : sequence of Model
        Who ranked.
    years : sequence of int
        Which years.
    folder : Path
        Where the scores are.

    Returns
    -------
    DataFrame
        `view`, `model`, `seed`, `year`, `measure`, `value`, `seconds`.
    """
    import pandas as pd

    rows = []
    for view in views:
        for model in models:
            for seed, run in enumerate(gather(panel, view, model, years, folder)):
                for ranked in run:
                    job = Job(rule_of(model, view.rule), model.name, seed, ranked.year)
                    seconds = float(read_scores(job, folder)["seconds"].iloc[0])
                    rows += [
                        (view.name, model.name, seed, ranked.year, name, value, seconds)
                        for name, value in measure(ranked).items()
                    ]
    names = ["view", "model", "seed", "year", "measure", "value", "seconds"]
    return pd.DataFrame(rows, columns=names)


def compare(
    panel: Any,
    views: Sequence[View],
    table: Any,
    models: Sequence[Model],
    years: Sequence[int],
    folder: Path,
    measure_name: str = "r_precision",
) -> Any:
    """Return, for each view, the best PU model against the best that takes rows for negatives.

    Parameters
    ----------
    panel, views, models, years, folder
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

    by_name = {model.name: model for model in models}
    rows = []
    for view in views:
        chosen = table[(table["view"] == view.name) & (table["measure"] == measure_name)]
        means = chosen.groupby("model")["value"].mean()
        best = []
        for kind in ("pu", "negative"):
            names = [name for name in means.index if by_name[name].kind == kind]
            best += [str(means[names].idxmax())] if names else []
        if len(best) < 2:
            continue
        first, second = (gather(panel, view, by_name[n], years, folder) for n in best)
        for name, gap in bootstrap_firms(first, second).items():
            rows.append((view.name, *best, name, *gap))
    names = ["view", "first", "second", "measure", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def _ranked(panel: Any, view: View, job: Job, folder: Path) -> Ranked:
    now = panel[panel["fyear"] == job.year]
    scores = read_scores(job, folder)
    if not np.array_equal(scores["gvkey"], now["gvkey"]):
        raise ValueError(
            f"{job.path(folder)} must hold the firms of {job.year}, got others: it is from "
            "another panel. Choose another folder."
        )
    counted = see(panel, view, job.year)
    return Ranked(
        job.year,
        now["gvkey"].to_numpy()[counted],
        now["misstated"].to_numpy(dtype=np.int8)[counted],
        scores["score"].to_numpy()[counted],
    )
