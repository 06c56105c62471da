"""Means of a result table: what the tests and figures start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lopsided._check import check_choice
from lopsided.bench.study import MECHANISMS, ORACLE

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DIGITS", "blocks", "holes", "macro", "macro_deviation", "scores"]

_CELL = ["label", "mechanism", "hidden", "prior_factor", "dataset"]
DIGITS = 12  # means that differ by less are equal: only the order of a sum tells them apart


def scores(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the mean over repeats, one row for each method, setting and data set.

    Rows that are not ok are left out; `complete` tells whether a cell has as many repeats as
    the method has elsewhere, so that a mean over those that went well shows. What was fitted on
    the truth knows no setting, and is repeated for every mechanism and hidden share of the
    table.

    Parameters
    ----------
    table : DataFrame
        Results, with the columns of `lopsided.bench.trial.Row`.
    metric : str
        Which of its metrics.
    """
    return _cells(table, metric, "mean")


def macro(table: pd.DataFrame, metric: str, prior_factor: float = 1.0) -> pd.DataFrame:
    """Return the mean over data sets, methods by settings, the fewest labels first.

    A cell is the mean over the data sets that a method has scores on: see `holes`.

    Parameters
    ----------
    table : DataFrame
        Results.
    metric : str
        Which of its metrics.
    prior_factor : float, default=1.0
        Which of its prior factors.
    """
    return _over_datasets(_cells(table, metric, "mean"), prior_factor)


def macro_deviation(
    table: pd.DataFrame, metric: str, prior_factor: float = 1.0
) -> pd.DataFrame:
    """Return the standard deviation over repeats, averaged over data sets, as `macro` is laid.

    It tells how much a split and a draw of labels matter, not how sure the mean is.

    Parameters
    ----------
    table : DataFrame
        Results.
    metric : str
        Which of its metrics.
    prior_factor : float, default=1.0
        Which of its prior factors.
    """
    return _over_datasets(_cells(table, metric, "deviation"), prior_factor)


def blocks(
    table: pd.DataFrame,
    metric: str,
    over: Literal["datasets", "settings"] = "datasets",
    prior_factor: float = 1.0,
) -> pd.DataFrame:
    """Return the scores that tests compare, blocks by methods, without a hole.

    A method that lacks a data set, or some repeats of one, in any setting is left out, and so
    is what was fitted on the truth.

    Parameters
    ----------
    table : DataFrame
        Results; pass some of its rows to compare in these settings alone.
    metric : str
        Which of its metrics.
    over : {"datasets", "settings"}, default="datasets"
        A block is a data set, with its mean over settings, or a data set in one setting.
    prior_factor : float, default=1.0
        Which of its prior factors.
    """
    check_choice(over, ("datasets", "settings"), "kind of block")
    cells = scores(table[table["mechanism"] != ORACLE.mechanism], metric)
    cells = cells[np.isclose(cells["prior_factor"], prior_factor)]
    cells = cells[cells["complete"].groupby(cells["label"]).transform("all")]
    wide = cells.pivot(
        index=["dataset", "mechanism", "hidden"], columns="label", values="value"
    ).dropna(axis="columns")
    if over == "datasets":
        wide = wide.groupby(level="dataset").mean()
    return wide.round(DIGITS)


def holes(table: pd.DataFrame) -> pd.DataFrame:
    """Return the trials that failed or took too long, one row each, with the reason.

    Parameters
    ----------
    table : DataFrame
        Results.
    """
    where = ["dataset", "mechanism", "hidden", "label", "prior_factor", "repeat"]
    shown = [*where, "status", "message"]
    # A failed trial has a row for each metric; its key tells it from others.
    missing = table[table["status"] != "ok"].drop_duplicates([*shown, "key"])
    return missing.sort_values(shown, ignore_index=True)[shown]


def _cells(
    table: pd.DataFrame, metric: str, what: Literal["mean", "deviation"]
) -> pd.DataFrame:
    """Return one number for the repeats of each cell, the oracle's in every setting."""
    fine = table[table["status"] == "ok"]
    check_choice(metric, sorted(fine["metric"].unique()), "metric with results")
    # Sorted, so that not even the last digit of a mean depends on the order of the rows.
    rows = fine[fine["metric"] == metric].sort_values([*_CELL, "repeat", "value"])
    repeats = rows.groupby(_CELL, observed=True)["value"]
    cells = (repeats.mean() if what == "mean" else repeats.std(ddof=0)).reset_index()
    counts = repeats.count().to_numpy()
    cells["complete"] = (
        counts == rows.groupby("label")["repeat"].nunique()[cells["label"]].to_numpy()
    )
    settings = table.loc[table["mechanism"] != ORACLE.mechanism, ["mechanism", "hidden"]]
    if settings.empty:
        return cells
    import pandas as pd

    oracle = cells["mechanism"] == ORACLE.mechanism
    spread = (
        cells[oracle]
        .drop(columns=["mechanism", "hidden"])
        .merge(settings.drop_duplicates(), how="cross")
    )
    return pd.concat([cells[~oracle], spread]).sort_values(_CELL, ignore_index=True)[
        [*_CELL, "value", "complete"]
    ]


def _over_datasets(cells: pd.DataFrame, prior_factor: float) -> pd.DataFrame:
    """Average cells over data sets, methods by settings."""
    chosen = cells[np.isclose(cells["prior_factor"], prior_factor)]
    wide = chosen.pivot_table(
        index="label", columns=["mechanism", "hidden"], values="value", observed=True
    )
    return wide[sorted(wide.columns, key=_place)]


def _place(setting: Any) -> tuple[int, str, float]:
    mechanism, hidden = setting
    known = mechanism in MECHANISMS
    return MECHANISMS.index(mechanism) if known else len(MECHANISMS), mechanism, -hidden
