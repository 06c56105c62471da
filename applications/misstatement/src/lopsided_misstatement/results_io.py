"""What a run found: the files it leaves, and summaries of its table."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lopsided.workflow.tables import atomic_write, write_table
from lopsided_misstatement.evaluation import VIEWS
from lopsided_misstatement.models import get_model

__all__ = [
    "OUTPUTS",
    "ModelSummary",
    "Results",
    "list_views",
    "pivot_years",
    "read_results",
    "summarize_models",
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
    """Write the files of a run, each whole or not at all."""
    for name in _FRAMES:
        write_table(getattr(results, name), folder / f"{name}.parquet")
    with atomic_write(folder / "about.json") as draft:
        draft.write_text(json.dumps(results.about, indent=1) + "\n", encoding="utf-8")


def read_results(folder: Path) -> Results:
    """Read the files of a run."""
    frames = {name: pd.read_parquet(folder / f"{name}.parquet") for name in _FRAMES}
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return Results(**frames, about=about)


def summarize_models(table: Any, view: str) -> list[ModelSummary]:
    """Return how the models stand in a view, the best R-precision first."""
    found = []
    for name, rows in table[table["view"] == view].groupby("model", sort=False):
        model = get_model(str(name))
        by_measure = rows.groupby(["measure", "seed"])["value"].mean().groupby("measure")
        found.append(
            ModelSummary(
                model.name,
                model.title,
                model.kind,
                model.printed,
                int(rows["seed"].nunique()),
                float(rows.drop_duplicates(["seed", "year"])["seconds"].mean()),
                by_measure.mean().to_dict(),
                by_measure.std().to_dict(),
            )
        )
    return sorted(found, key=lambda one: -one.means["r_precision"])


def list_views(table: Any) -> list[str]:
    """Return the names of the views that a table has, in their order."""
    return [view.name for view in VIEWS if view.name in set(table["view"])]


def pivot_years(table: Any, view: str) -> Any:
    """Return R-precision by model and year, the mean over seeds, the best model first."""
    rows = table[(table["view"] == view) & (table["measure"] == "r_precision")]
    years = rows.pivot_table(index="model", columns="year", values="value")
    return years.loc[years.mean(axis=1).sort_values(ascending=False).index]
