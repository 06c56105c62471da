"""The job behind `lopsided finance`."""

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lopsided._check import require
from lopsided._files import atomic_write, check_folder
from lopsided.bench.versions import name_versions
from lopsided.exceptions import MissingExtraError
from lopsided.finance.evaluation import VIEWS
from lopsided.finance.knowledge import known_shares
from lopsided.finance.models import Model, get_model, list_models
from lopsided.finance.page import write_report
from lopsided.finance.results import Rankings, collect, compare
from lopsided.finance.run import Job, list_jobs, run_jobs
from lopsided.finance.source import Source
from lopsided.finance.tasks import list_years, make_task
from lopsided.finance.told import OUTPUTS, Results, write_results

__all__ = ["finance"]


def finance(
    source: Source,
    out: str,
    models: Sequence[str] = (),
    groups: Sequence[str] = ("main",),
    years: Sequence[int] = (),
    seeds: int | None = None,
    jobs: int = 1,
) -> str:
    """Rank every year by every model, write table, figures and report; return a sentence.

    Parameters
    ----------
    source : Source
        The panel.
    out : str
        Where everything is kept. A run that was stopped goes on from there.
    models : sequence of str
        Names of the models; nothing is all of the groups.
    groups : sequence of str, default=("main",)
        "main", "nets" (which are trained on the view "released" only) and "parts".
    years : sequence of int
        Years to rank; nothing is all that have three years before them.
    seeds : int or None, default=None
        Seeds at most; None is as many as each model has, and 1 on a synthetic panel.
    jobs : int, default=1
        Processes side by side.
    """
    names = dict.fromkeys(models or [name for group in groups for name in list_models(group)])
    most = seeds or (1 if source.synthetic else None)
    chosen, lacking = _leave_out([_with_seeds(get_model(name), most) for name in names])
    panel, folder = source.load(), Path(out)
    views = [view for view in VIEWS if view.rule == "released" or "aaer_year" in panel]
    rules = list(dict.fromkeys(view.rule for view in views))
    wanted, skipped = _check_years(panel, years, rules)
    known = _tell_known(panel, rules, wanted)
    _claim(folder, source.mark())
    everything = [
        job
        for model in chosen
        for job in list_jobs([model], rules if model.group == "main" else rules[:1], wanted)
    ]
    failed = run_jobs(source, everything, folder, jobs)
    rankings = Rankings(source, wanted, folder)
    table = collect(rankings, views, chosen)
    if not len(table):
        reason = next(iter(failed.values()), "none ranked every year")
        raise ValueError(f"No model came to an end: {reason}")
    results = Results(
        table,
        compare(rankings, views, chosen, table),
        known,
        _tell_about(source, panel, wanted, [*lacking, *skipped, *_tell_failed(failed)]),
    )
    write_results(results, folder)
    page = write_report(results, folder / "report.html")
    lost = f", {len(failed)} failed" if failed else ""
    return (
        f"{len(everything)} rankings of {len(chosen)} models{lost}; {page} tells what came out."
    )


def _with_seeds(model: Model, most: int | None) -> Model:
    return model if most is None else replace(model, n_seeds=min(model.n_seeds, most))


def _leave_out(models: Sequence[Model]) -> tuple[list[Model], list[str]]:
    """Return the models whose packages are installed, and a sentence for each that is not.

    That nothing is left is an error.
    """
    kept, missing = [], dict[str, list[str]]()
    for model in models:
        try:
            for module in model.needs:
                require(module)
            kept.append(model)
        except MissingExtraError as error:
            missing.setdefault(str(error), []).append(model.name)
    told = [f"Left out: {', '.join(names)}. {why}" for why, names in missing.items()]
    if not kept:
        raise MissingExtraError(" ".join(told))
    for sentence in told:
        warnings.warn(sentence, stacklevel=3)
    return kept, told


def _claim(folder: Path, mark: Mapping[str, str]) -> None:
    """Mark a folder as that of a panel and a version; refuse one that belongs to others."""
    file = folder / "panel.json"
    found = _read_mark(file, list(mark))
    if found is not None and found != mark:
        raise ValueError(
            f"{folder} holds a run on another panel, or of another version. Choose another "
            "folder with --out, or remove it."
        )
    if found is None:
        # Without scores nothing shows that a run was here: such files are somebody's.
        check_folder(folder, ["scores/"], [file.name, *OUTPUTS, "scores"])
    if found is None and file.exists():
        # Harmless: every file of scores tells by itself what it was made from.
        warnings.warn(f"{file} is damaged and is written again.", stacklevel=3)
    with atomic_write(file) as draft:
        draft.write_text(json.dumps(mark) + "\n", encoding="utf-8")


def _read_mark(file: Path, names: Sequence[str]) -> Any:
    """Return the mark of a folder, or None where none can be read."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    marked = isinstance(found, dict) and list(found) == list(names)
    return found if marked and all(isinstance(one, str) for one in found.values()) else None


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
                make_task(panel, year, rule)
        except ValueError as error:
            if asked:
                raise
            why[year] = str(error)
    ranked = [year for year in asked or possible if year not in why]
    if not ranked:
        raise ValueError(f"No year can be ranked. {next(iter(why.values()))}")
    return ranked, list(why.values())


def _tell_known(panel: Any, rules: Sequence[str], years: Sequence[int]) -> Any:
    import pandas as pd

    rows = [
        (rule, lag, share)
        for rule in (*rules, "paper")
        for lag, share in known_shares(panel, rule, years).items()
    ]
    return pd.DataFrame(rows, columns=["rule", "lag", "share"])


def _tell_failed(failed: dict[Job, str]) -> list[str]:
    return [
        f"{job.model}, seed {job.seed}, {job.year}, {job.rule}: {why}"
        for job, why in failed.items()
    ]


def _tell_about(
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
