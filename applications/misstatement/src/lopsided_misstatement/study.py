"""The study: every year ranked by every model, and what came out."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from lopsided.workflow.tables import hold_folder
from lopsided_bench.table import name_versions
from lopsided_misstatement.evaluation import VIEWS
from lopsided_misstatement.folds import list_years, make_fold
from lopsided_misstatement.label_delay import known_shares
from lopsided_misstatement.models import Model, get_model, list_models
from lopsided_misstatement.page import write_results_page
from lopsided_misstatement.rankings import Rankings, compare_best, measure_all
from lopsided_misstatement.results_io import OUTPUTS, Results, write_results
from lopsided_misstatement.source import Source
from lopsided_misstatement.trials import list_trials, open_store, run_trials

__all__ = ["run_study"]

_EXTRAS = {"imblearn": "rusboost", "torch": "nets"}


def run_study(
    source: Source,
    out: str,
    models: Sequence[str] = (),
    groups: Sequence[str] = ("main",),
    years: Sequence[int] = (),
    seeds: int | None = None,
    jobs: int = 1,
) -> str:
    """Rank every year by every model, write table, figures and report; return a sentence.

    All but the panel are options of the command: `out` is where everything is kept, and a run
    that was stopped goes on from there; without `models` all of the groups ("main", "nets",
    "parts") are run, without `years` all that have three years before them, and without
    `seeds` as many as each model has, but 1 on a synthetic panel; `jobs` are processes.
    """
    names = dict.fromkeys(models or [name for group in groups for name in list_models(group)])
    most = seeds or (1 if source.synthetic else None)
    chosen, missing = _drop_uninstalled(_limit_seeds(get_model(name), most) for name in names)
    panel, folder = source.load(), Path(out)
    views = [view for view in VIEWS if view.rule == "released" or "aaer_year" in panel]
    rules = list(dict.fromkeys(view.rule for view in views))
    ranked, skipped = _check_years(panel, years, rules)
    known = _tabulate_known(panel, [*rules, "paper"], ranked)
    scores = _claim(source, folder)
    trials = list_trials(chosen, rules, ranked)
    failed = run_trials(source, trials, scores, jobs)
    rankings = Rankings(source, ranked, open_store(source, scores))
    table = measure_all(rankings, views, chosen)
    if not len(table):
        reason = next(iter(failed.values()), "none ranked every year")
        raise ValueError(f"No model came to an end: {reason}")
    differences = compare_best(rankings, views, chosen, table)
    reasons = [
        f"{trial.model}, seed {trial.seed}, {trial.year}, {trial.rule}: {why}"
        for trial, why in failed.items()
    ]
    about = _describe(source, panel, ranked, [*missing, *skipped, *reasons])
    results = Results(table, differences, known, about)
    with hold_folder(folder):  # the files of two runs must not mix
        write_results(results, folder)
        page = write_results_page(results, folder / "report.html")
    lost = f", {len(failed)} failed" if failed else ""
    return f"{len(trials)} rankings of {len(chosen)} models{lost}; the report is {page}."


def _limit_seeds(model: Model, most: int | None) -> Model:
    return model if most is None else replace(model, n_seeds=min(model.n_seeds, most))


def _drop_uninstalled(models: Iterable[Model]) -> tuple[list[Model], list[str]]:
    """Return the models whose packages are installed, and a sentence on those that are not.

    That nothing is left is an error.
    """
    kept, dropped = [], dict[str, list[str]]()
    for model in models:
        if model.needs and not _is_installed(model.needs):
            dropped.setdefault(model.needs, []).append(model.name)
        else:
            kept.append(model)
    sentences = [
        f"Left out: {', '.join(names)}. {module} is needed and not installed. Type: "
        f"pip install 'lopsided-misstatement[{_EXTRAS[module]}]'"
        for module, names in dropped.items()
    ]
    if not kept:
        raise ImportError(" ".join(sentences))
    for sentence in sentences:
        warnings.warn(sentence, stacklevel=3)
    return kept, sentences


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # blocked
        return False


def _claim(source: Source, folder: Path) -> Path:
    """Return the folder of the scores, ours from now on; refuse to write over others' files."""
    scores = folder / "scores"
    if not scores.is_dir():
        # Without scores nothing shows that a run was here: such files are somebody's.
        for name in (*OUTPUTS, scores.name):
            if (folder / name).exists():
                raise FileExistsError(
                    f"{folder} must be new or hold results of this command, got a folder with "
                    f"another {name}. Name another folder (--out)."
                )
    open_store(source, scores).claim()
    return scores


def _check_years(
    panel: Any, asked: Sequence[int], rules: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Return the years that can be ranked by every rule, and why others cannot.

    A year that was asked for and cannot be ranked is an error.
    """
    possible, why = list_years(panel), {}
    for year in asked or possible:
        try:
            if year not in possible:
                raise ValueError(
                    f"The year {year} must have misstated reports, and three years before it, "
                    "to be ranked, and has not. Leave it out with --years."
                )
            for rule in rules:
                make_fold(panel, year, rule)
        except ValueError as error:
            if asked:
                raise
            why[year] = str(error)
    ranked = [year for year in asked or possible if year not in why]
    if not ranked:
        raise ValueError(f"No year can be ranked. {next(iter(why.values()))}")
    return ranked, list(why.values())


def _tabulate_known(panel: Any, rules: Sequence[str], years: Sequence[int]) -> Any:
    rows = [
        (rule, lag, share)
        for rule in rules
        for lag, share in known_shares(panel, rule, years).items()
    ]
    return pd.DataFrame(rows, columns=["rule", "lag", "share"])


def _describe(
    source: Source, panel: Any, years: Sequence[int], failed: Sequence[str]
) -> dict[str, Any]:
    misstated = panel[panel["misstated"] == 1]
    of_year = misstated[misstated["fyear"].isin(years)].groupby("fyear").size()
    return {
        "rows": len(panel),
        "kept": source.rows,
        "firms": int(panel["gvkey"].nunique()),
        "misstated": len(misstated),
        "undated": int(misstated["restatement_year"].isna().sum()),
        "synthetic": source.synthetic,
        "years": [int(year) for year in years],
        "misstated_of_year": [int(count) for count in of_year],
        "versions": name_versions(),
        "failed": list(failed),
    }
