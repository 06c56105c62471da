"""The result table: the only bridge between running a study and showing its results."""

import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lopsided_bench.store import write_whole

__all__ = ["Row", "make_result_table", "read_result_table", "write_result_table"]

_ORDER = ["dataset", "repeat", "label", "mechanism", "hidden", "prior_factor", "metric"]
_PACKAGES = (
    "lopsided-bench",
    "numpy",
    "scikit-learn",
    "xgboost",
    "numba",
    "torch",
    "pulearn",
    "catboost",
    "lightgbm",
    "imbalanced-learn",
    "pyod",
)


class Row(NamedTuple):
    """One number of the result table.

    Attributes
    ----------
    dataset, mechanism : str
        The data set, and how its labels are hidden.
    hidden : float
        The share of positives that are hidden.
    method, label : str
        Names in the registry and in the study.
    prior_factor : float
        Factor of the true prior.
    repeat : int
        The number of the split.
    metric : str
        Name of the metric.
    value : float
        Its value; NaN if the trial failed.
    seconds : float
        The time of the fit.
    status : {"ok", "failed", "timeout"}
        How the trial ended.
    message : str
        Why it failed.
    key, versions : str
        A hash of all that the number depends on, and the versions of packages.

    Examples
    --------
    >>> fit = ("wine-rare", "scar", 0.75, "puhrf", "puhrf", 1.0, 0)
    >>> row = Row(*fit, metric="roc_auc", value=0.9, seconds=1.2, status="ok", message="",
    ...           key="", versions="")
    >>> make_result_table([row])[["method", "value"]].values.tolist()
    [['puhrf', 0.9]]
    """

    dataset: str
    mechanism: str
    hidden: float
    method: str
    label: str
    prior_factor: float
    repeat: int
    metric: str
    value: float
    seconds: float
    status: str
    message: str
    key: str
    versions: str


_NUMBERS: dict[Any, Any] = {
    name: kind for name, kind in Row.__annotations__.items() if kind is not str
}


@cache
def name_versions() -> str:
    """Return the versions of lopsided, Python and the packages of methods; the platform."""
    found = [f"lopsided {version('lopsided')}", f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join([*found, f"{platform.system()} {platform.machine()}"])


def make_result_table(rows: Iterable[Row] | Any) -> Any:
    """Return rows as a data frame in an order that does not depend on how they came.

    Parameters
    ----------
    rows : iterable of Row, or DataFrame
        The numbers.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> rest = (1.0, 0, "roc_auc", 0.9, 1.2, "ok", "", "", "")
    >>> rows = [Row("wine-rare", "scar", 0.75, name, name, *rest) for name in ("puhrf", "lbe")]
    >>> make_result_table(rows).equals(make_result_table(rows[::-1]))
    True
    """
    table = pd.DataFrame(rows, columns=list(Row._fields)).astype(_NUMBERS)
    return table.sort_values(_ORDER, kind="stable", ignore_index=True)


def write_result_table(table: Any, path: Path) -> None:
    """Write a table as parquet, whole or not at all.

    Parameters
    ----------
    table : DataFrame
        Results.
    path : Path
        The parquet file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_result_table(make_result_table([]), Path(folder, "table.parquet"))
    ...     print([file.name for file in Path(folder).iterdir()])
    ['table.parquet']
    """
    with write_whole(path) as draft:
        table.to_parquet(draft, index=False, compression="zstd")


def read_result_table(path: str | Path) -> Any:
    """Read a table from its parquet file, or from the folder of a study.

    Parameters
    ----------
    path : path
        The parquet file, or the folder that has it as `table.parquet`.

    Returns
    -------
    DataFrame
        A row for each trial and metric.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_result_table(make_result_table([]), Path(folder, "table.parquet"))
    ...     table = read_result_table(folder)
    >>> table.columns[:4].tolist()
    ['dataset', 'mechanism', 'hidden', 'method']
    """
    file = Path(path)
    file = file / "table.parquet" if file.is_dir() else file
    if not file.is_file():
        raise FileNotFoundError(
            f"No results are at {file}. Run the study first: lopsided-bench run."
        )
    try:
        return pd.read_parquet(file, columns=list(Row._fields))
    except Exception as error:  # damage shows in more ways than pyarrow documents
        raise ValueError(
            f"{file} cannot be read: {error}. Remove it and run the study again."
        ) from error


def check_rows(key: str, table: Any) -> None:
    """Raise ValueError unless a table has the rows of the trial with a key in the store."""
    if list(table.columns) != list(Row._fields) or set(table["key"]) != {
        key.rpartition("-")[2]
    }:
        raise ValueError("has another trial")
