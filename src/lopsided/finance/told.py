"""What a run found: the files it leaves, and the tables that tell of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lopsided._files import atomic_write
from lopsided.finance.evaluation import VIEWS
from lopsided.finance.models import get_model

__all__ = [
    "OUTPUTS",
    "ModelSummary",
    "Results",
    "list_standings",
    "list_views",
    "pivot_years",
    "read_results",
    "write_results",
]

_FRAMES = ("table", "differences", "known")
OUTPUTS = (*(f"{name}.parquet" for name in _FRAMES), "about.json", "report.html")


class Results(NamedTuple):
    """Measures by year, differences between the best, known shares by lag, and the run."""

    table: Any
    differences: Any
    known: Any
    about: Mapping[str, Any]


class ModelSummary(NamedTuple):
    """How a model stands in a view: means over years and seeds, deviations over seeds."""

    model: str
    title: str
    kind: str
    printed: float | None
    n_seeds: int
    seconds: float
    means: Mapping[str, float]
    deviations: Mapping[str, float]


def write_results(results: Results, folder: Path) -> None:
    """Write the files of a run, each whole.

    Parameters
    ----------
    results : Results
        What was found.
    folder : Path
        Where to.
    """
    for name in _FRAMES:
        with atomic_write(folder / f"{name}.parquet") as draft:
            getattr(results, name).to_parquet(draft, index=False)
    with atomic_write(folder / "about.json") as draft:
        draft.write_text(json.dumps(results.about, indent=1) + "\n", encoding="utf-8")


def read_results(folder: Path) -> Results:
    """Read the files of a run.

    Parameters
    ----------
    folder : Path
        Where they are.
    """
    import pandas as pd

    frames = {name: pd.read_parquet(folder / f"{name}.parquet") for name in _FRAMES}
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return Results(**frames, about=about)


def list_standings(table: Any, view: str) -> list[ModelSummary]:
    """Return how the models stand in a view, the best R-precision first.

    Parameters
    ----------
    table : DataFrame
        Measures by year.
    view : str
        Name of the view.
    """
    found = []
    for name, rows in table[table["view"] == view].groupby("model", sort=False):
        model = get_model(str(name))
        by_seed = rows.groupby(["measure", "seed"])["value"].mean()
        by_measure = by_seed.groupby("measure")
        seconds = rows.drop_duplicates(["seed", "year"])["seconds"].mean()
        found.append(
            ModelSummary(
                model.name,
                model.title,
                model.kind,
                model.printed,
                int(rows["seed"].nunique()),
                float(seconds),
                by_measure.mean().to_dict(),
                by_measure.std().to_dict(),
            )
        )
    return sorted(found, key=lambda one: -one.means["r_precision"])


def list_views(table: Any) -> list[str]:
    """Return the names of the views that a table has, in their order.

    Parameters
    ----------
    table : DataFrame
        Measures by year.
    """
    there = set(table["view"])
    return [view.name for view in VIEWS if view.name in there]


def pivot_years(table: Any, view: str, measure: str = "r_precision") -> Any:
    """Return a measure by model and year, the mean over seeds, the best model first.

    Parameters
    ----------
    table : DataFrame
        Measures by year.
    view, measure : str
        Which.
    """
    rows = table[(table["view"] == view) & (table["measure"] == measure)]
    years = rows.pivot_table(index="model", columns="year", values="value")
    return years.loc[years.mean(axis=1).sort_values(ascending=False).index]
