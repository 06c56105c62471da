"""Means of a result table, from which tests and figures are made."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from lopsided_bench.names import check_choice
from lopsided_bench.study import MECHANISMS, ORACLE

__all__ = ["DIGITS", "blocks", "failed_trials", "macro", "scores", "sort_settings"]

_CELL = ["label", "mechanism", "hidden", "prior_factor", "dataset"]
DIGITS = 12  # means that differ by less are equal: only the order of a sum tells them apart


def scores(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return mean (value) and deviation over repeats of each method, setting and data set.

    Rows that are not ok are left out. `complete` is False where a cell has fewer repeats than
    the method has elsewhere, because some of them failed. Methods that are fitted on the truth
    have no setting, and are repeated for every mechanism and hidden share of the table.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8, 0.7), "naive-xgb": (0.6, 0.9, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b", "c"), values[name])
    ... )
    >>> found = scores(table, "roc_auc")
    >>> found[found["dataset"] == "b"][["label", "value"]].values.tolist()
    [['focused', 0.8], ['naive-xgb', 0.9]]
    """
    fine = table[table["status"] == "ok"]
    check_choice(metric, sorted(fine["metric"].unique()), "metric with results")
    # Sorted, so that not even the last digit of a mean depends on the order of the rows.
    rows = fine[fine["metric"] == metric].sort_values([*_CELL, "repeat", "value"])
    repeats = rows.groupby(_CELL, observed=True)["value"]
    found = {"value": repeats.mean(), "deviation": repeats.std(ddof=0), "n": repeats.count()}
    cells = pd.DataFrame(found).reset_index()
    due = rows.groupby("label")["repeat"].nunique()
    cells["complete"] = cells.pop("n") == cells["label"].map(due)
    settings = table.loc[table["mechanism"] != ORACLE.mechanism, ["mechanism", "hidden"]]
    if settings.empty:
        return cells
    oracle = cells["mechanism"] == ORACLE.mechanism
    alone = cells[oracle].drop(columns=["mechanism", "hidden"])
    spread = alone.merge(settings.drop_duplicates(), how="cross")
    return pd.concat([cells[~oracle], spread]).sort_values(_CELL, ignore_index=True)


def macro(
    table: pd.DataFrame, metric: str, prior_factor: float = 1.0, of: str = "value"
) -> pd.DataFrame:
    """Return the mean over data sets, methods by settings, the fewest labels first.

    A cell is the mean over the data sets on which a method has scores, see `failed_trials`. The
    mean deviation shows how much splits and draws of labels matter, not how certain a mean is.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.
    prior_factor : float, default=1.0
        The factor of the training prior.
    of : {"value", "deviation"}, default="value"
        Average means over repeats, or deviations.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8, 0.7), "naive-xgb": (0.6, 0.9, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b", "c"), values[name])
    ... )
    >>> macro(table, "roc_auc").round(3).iloc[:, 0].to_dict()
    {'focused': 0.8, 'naive-xgb': 0.667}
    """
    cells = scores(table, metric)
    wide = cells[np.isclose(cells["prior_factor"], prior_factor)].pivot_table(
        index="label", columns=["mechanism", "hidden"], values=of, observed=True
    )
    return wide[sort_settings(wide.columns)]


def sort_settings(settings: Iterable[Any]) -> list[tuple[str, float]]:
    """Return pairs of a mechanism and a hidden share in order, the fewest labels first."""
    place = {name: number for number, name in enumerate(MECHANISMS)}
    return sorted(settings, key=lambda one: (place.get(one[0], len(place)), one[0], -one[1]))


def blocks(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the scores that tests compare, data sets by methods, none missing.

    Each score is the mean over settings; pass a part of the table to compare some settings. A
    method that lacks a data set or some of its repeats in any setting is left out, and so are
    methods that are fitted on the truth.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.
    metric : str
        One of the table's metrics.

    Returns
    -------
    DataFrame of shape (n_datasets, n_methods)

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> values = {"focused": (0.9, 0.8, 0.7), "naive-xgb": (0.6, 0.9, 0.5)}
    >>> table = make_result_table(
    ...     Row(data, "scar", 0.75, name, name, 1.0, 0, "roc_auc", value, 1.0, "ok", "", "", "")
    ...     for name in values
    ...     for data, value in zip(("a", "b", "c"), values[name])
    ... )
    >>> blocks(table, "roc_auc")["focused"].tolist()
    [0.9, 0.8, 0.7]
    """
    cells = scores(table[table["mechanism"] != ORACLE.mechanism], metric)
    cells = cells[np.isclose(cells["prior_factor"], 1.0)]
    cells = cells[cells["complete"].groupby(cells["label"]).transform("all")]
    wide = cells.pivot(
        index=["dataset", "mechanism", "hidden"], columns="label", values="value"
    ).dropna(axis="columns")
    return wide.groupby(level="dataset").mean().round(DIGITS)


def failed_trials(table: pd.DataFrame) -> pd.DataFrame:
    """Return the trials that failed or took too long, one row each, with the reason.

    Parameters
    ----------
    table : DataFrame
        Results, as `run_study` returns them.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> from lopsided_bench.table import Row, make_result_table
    >>> fit = ("wine-rare", "scar", 0.75, "puhrf", "puhrf", 1.0, 0, "")
    >>> table = make_result_table(
    ...     [Row(*fit, float("nan"), 600.0, "timeout", "The fit took too long.", "", "")]
    ... )
    >>> failed_trials(table)["message"].tolist()
    ['The fit took too long.']
    """
    where = ["dataset", "mechanism", "hidden", "label", "prior_factor", "repeat"]
    shown = [*where, "status", "message"]
    # A failed trial has a row for each metric; its key tells it from others.
    missing = table[table["status"] != "ok"].drop_duplicates([*shown, "key"])
    return missing.sort_values(shown, ignore_index=True)[shown]
