"""The job behind `lopsided finance`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lopsided._files import write_whole
from lopsided.bench.versions import name_versions
from lopsided.finance.evaluation import VIEWS
from lopsided.finance.knowledge import known_shares
from lopsided.finance.models import get_model, list_models
from lopsided.finance.page import write_report
from lopsided.finance.results import collect, compare
from lopsided.finance.run import Job, list_jobs, run_jobs
from lopsided.finance.source import Source
from lopsided.finance.tasks import list_years
from lopsided.finance.told import Results, write_results

__all__ = ["finance"]


def finance(
    source: Source,
    out: str,
    models: Sequence[str] = (),
    groups: Sequence[str] = ("main",),
    years: Sequence[int] = (),
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
    jobs : int, default=1
        Processes side by side.
    """
    names = list(models) or [name for group in groups for name in list_models(group)]
    chosen = [get_model(name) for name in names]
    panel, folder = source.load(), Path(out)
    wanted = list(years) or list_years(panel)
    _check_years(panel, wanted)
    _claim(folder, source, panel)
    views = [view for view in VIEWS if view.rule == "released" or "aaer_year" in panel]
    rules = list(dict.fromkeys(view.rule for view in views))
    everything = [
        job
        for model in chosen
        for job in list_jobs([model], rules if model.group == "main" else rules[:1], wanted)
    ]
    failed = run_jobs(source, everything, folder, jobs)
    table = collect(panel, views, chosen, wanted, folder)
    if not len(table):
        reason = next(iter(failed.values()), "no model was asked for")
        raise ValueError(f"No model came to an end: {reason}")
    results = Results(
        table,
        compare(panel, views, table, chosen, wanted, folder),
        _known(panel, rules, wanted),
        _about(source, panel, wanted, failed),
    )
    write_results(results, folder)
    page = write_report(results, folder / "report.html")
    lost = f", {len(failed)} failed" if failed else ""
    return (
        f"{len(everything)} rankings of {len(chosen)} models{lost}; {page} tells what came out."
    )


def _claim(folder: Path, source: Source, panel: Any) -> None:
    """Mark a folder as that of a panel; refuse one that belongs to another."""
    mark = {
        "rows": len(panel),
        "kept": source.rows,
        "sum": float(np.nansum(panel["at"])),
        "misstated": int(panel["misstated"].sum()),
    }
    file = folder / "panel.json"
    if file.exists() and json.loads(file.read_text(encoding="utf-8")) != mark:
        raise ValueError(
            f"{folder} holds a run on another panel. Choose another folder with --out, or "
            "remove it."
        )
    with write_whole(file) as draft:
        draft.write_text(json.dumps(mark) + "\n", encoding="utf-8")


def _check_years(panel: Any, years: Sequence[int]) -> None:
    """Refuse years without reports or without misstated ones."""
    for year in years:
        truth = panel["misstated"][panel["fyear"] == year]
        if not truth.sum():
            what = "no misstated report" if len(truth) else "no report"
            raise ValueError(
                f"The year {year} must have misstated reports to be ranked, got {what}. Leave "
                "it out with --years."
            )


def _known(panel: Any, rules: Sequence[str], years: Sequence[int]) -> Any:
    import pandas as pd

    rows = [
        (rule, lag, share)
        for rule in (*rules, "paper")
        for lag, share in known_shares(panel, rule, years).items()
    ]
    return pd.DataFrame(rows, columns=["rule", "lag", "share"])


def _about(
    source: Source, panel: Any, years: Sequence[int], failed: dict[Job, str]
) -> dict[str, Any]:
    return {
        "rows": len(panel),
        "kept": source.rows,
        "firms": int(panel["gvkey"].nunique()),
        "misstated": int(panel["misstated"].sum()),
        "synthetic": source.synthetic,
        "years": [int(year) for year in years],
        "versions": name_versions(),
        "failed": [
            f"{job.model}, seed {job.seed}, {job.year}, {job.rule}: {why}"
            for job, why in failed.items()
        ],
    }
