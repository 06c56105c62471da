"""All that a report tells, as plain values: numbers, marks, tests and what failed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lopsided.bench.aggregate import DIGITS, failed_trials, macro, macro_deviation, scores
from lopsided.bench.display_names import name_setting
from lopsided.bench.study import ORACLE
from lopsided.datasets import list_datasets
from lopsided.report.comparison import compare
from lopsided.report.paper import printed
from lopsided.report.protocol import describe_protocol

if TYPE_CHECKING:
    import pandas as pd

    from lopsided.bench.study import Study

__all__ = ["summarize"]


def summarize(table: pd.DataFrame, study: Study) -> dict[str, Any]:
    """Return what a table of results says, as values that JSON can hold; NaN becomes None.

    A cell is marked best or second among the methods that have a score on every data set,
    those that were fitted on the truth aside. The paper's number is laid beside a method
    without settings of its own, and subtracted if the data sets are the paper's.

    Parameters
    ----------
    table : DataFrame
        Results, with the columns of `lopsided.bench.table.Row`.
    study : Study
        The protocol they come from.
    """
    true_prior = table[np.isclose(table["prior_factor"], 1.0)]
    fine = true_prior[true_prior["status"] == "ok"]
    measured = [metric for metric in study.metrics if (fine["metric"] == metric).any()]
    failed = failed_trials(table).to_dict("records")
    found = {
        "title": study.title,
        "study": study.name,
        "protocol": describe_protocol(study),
        "versions": sorted(table["versions"].unique().tolist()),
        "trials": int(table["key"].nunique()),
        "datasets": sorted(fine["dataset"].unique().tolist()),
        "methods": _methods(true_prior, study),
        "metrics": {metric: _metric(true_prior, study, metric) for metric in measured},
        "failed": [{str(key): value for key, value in row.items()} for row in failed],
    }
    plain: dict[str, Any] = _plain(found)
    return plain


def _methods(table: pd.DataFrame, study: Study) -> list[dict[str, Any]]:
    """Return what is known of each method but its scores, the study's first, in its order."""
    names = {method.label: method.name for method in study.methods}
    oracles = set(table.loc[table["mechanism"] == ORACLE.mechanism, "label"])
    fine, present = table[table["status"] == "ok"], set(table["label"])
    found = []
    for label in [*names, *sorted(present - set(names))]:
        rows = fine[fine["label"] == label]
        found.append(
            {
                "label": label,
                "name": names.get(label),
                "oracle": label in oracles,
                "datasets": int(rows["dataset"].nunique()),
                "repeats": int(rows["repeat"].nunique()),
                # A fit has a row for each metric, and its seconds in all of them.
                "seconds": rows.drop_duplicates("key")["seconds"].mean(),
            }
        )
    return found


def _metric(table: pd.DataFrame, study: Study, metric: str) -> dict[str, Any]:
    """Return the macro table of a metric and what the tests say of it."""
    means, deviations = macro(table, metric), macro_deviation(table, metric)
    cells = scores(table, metric)
    whole = cells[cells["complete"]]
    counts = whole.groupby(["label", "mechanism", "hidden"])["dataset"].nunique()
    datasets = set(cells["dataset"])
    comparable = datasets == set(list_datasets("paper"))
    oracles = set(table.loc[table["mechanism"] == ORACLE.mechanism, "label"])
    fine = table[(table["status"] == "ok") & (table["metric"] == metric)]
    repeats = fine.groupby("label")["repeat"].nunique()
    names = {method.label: method.name for method in study.methods if not method.params}
    settings: list[Any] = list(means.columns)
    # The best first, and last what was fitted on the truth.
    order = means.mean(axis=1).sort_index().sort_values(ascending=False, kind="stable").index
    rows = []
    for label in sorted(map(str, order), key=lambda label: label in oracles):
        row = []
        for setting in settings:
            mean: Any = means.at[label, setting]
            count = int(counts.get((label, *setting), 0))
            complete = count == len(datasets)
            paper = printed(names.get(label, ""), metric, *setting)
            # The deviation of a single repeat is no information.
            spread = deviations.at[label, setting] if repeats[label] > 1 else None
            cell: dict[str, Any] = {"mean": mean, "deviation": spread}
            cell |= {"datasets": count, "complete": complete}
            cell |= {"place": None, "paper": paper and paper._asdict(), "difference": None}
            if paper and complete and comparable:
                cell["difference"] = mean - paper.mean
            row.append(cell)
        told = {"label": label, "oracle": label in oracles, "repeats": repeats[label]}
        rows.append({**told, "cells": row})
    _mark(rows)
    columns = [
        {"mechanism": kind, "hidden": hidden, "name": name_setting(kind, hidden)}
        for kind, hidden in settings
    ]
    tests = compare(table, metric)
    return {"columns": columns, "rows": rows, "comparable": comparable, "tests": tests}


def _mark(rows: list[dict[str, Any]]) -> None:
    """Write 1 at the best and 2 at the second cell of a column; equal cells share a place."""
    for cells in zip(*(row["cells"] for row in rows if not row["oracle"]), strict=True):
        ranked = [cell for cell in cells if cell["complete"]]
        if len(ranked) < 2:
            continue
        values = sorted({round(cell["mean"], DIGITS) for cell in ranked}, reverse=True)
        for cell in ranked:
            place = 1 + values.index(round(cell["mean"], DIGITS))
            cell["place"] = place if place <= 2 else None


def _plain(value: Any) -> Any:
    """Return the same in values that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
