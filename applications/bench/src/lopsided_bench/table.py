"""The result table: the only bridge between running a study and showing what came out."""

import platform
from collections.abc import Collection, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import pandas as pd

from lopsided import __version__
from lopsided._files import atomic_write
from lopsided_bench.store import naming_the_file

__all__ = ["Row", "make_result_table", "read_result_table", "write_result_table"]

_ORDER = ["dataset", "repeat", "label", "mechanism", "hidden", "prior_factor", "metric"]
_PACKAGES = (
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
        The table, and how its labels are hidden.
    hidden : float
        The share of positives that is hidden.
    method, label : str
        A name of the registry, and what the study calls it.
    prior_factor : float
        What the true prior was multiplied by.
    repeat : int
        The number of the split.
    metric : str
        What was measured.
    value : float
        How much it was.
    seconds : float
        The time of the fit.
    status : {"ok", "failed", "timeout", "redo"}
        How it ended; "redo" where others are asked for.
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
    status: str  # "ok", "failed", "timeout", or "redo" where others are asked for
    message: str
    key: str
    versions: str


_TYPES = get_type_hints(Row)
_NUMBERS: dict[Any, Any] = {name: kind for name, kind in _TYPES.items() if kind is not str}


@cache
def name_versions() -> str:
    """Return the versions of this library, Python, what both stand on, and the platform."""
    found = [f"lopsided {__version__}", f"Python {platform.python_version()}"]
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


def finished_keys(table: Any, metrics: Collection[str]) -> set[str]:
    """Return the keys of the trials that have a result for every metric of their study."""
    due = table[(table["status"] == "ok") & table["metric"].isin(metrics)]
    counts = due.groupby("key")["metric"].nunique()
    return set(counts.index[counts == len(metrics)])


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
    with naming_the_file(path), atomic_write(path) as draft:
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
            f"No results are at {file}. Run the study first: lopsided bench."
        )
    try:
        table = pd.read_parquet(file)
        _check_columns(table)
    except Exception as error:  # damage shows in more ways than pyarrow documents
        why = " ".join(str(error).split()).rstrip(".")
        raise ValueError(
            f"{file} must be a table of results: {why}. Remove it and run the study again."
        ) from error
    return table[list(Row._fields)]


def check_rows(key: str, table: Any) -> None:
    """Raise ValueError unless a table holds the rows of the trial with a key in the store."""
    _check_columns(table)
    if set(table["key"]) != {key.rpartition("/")[2]}:
        raise ValueError("it holds another trial")


def _check_columns(table: Any) -> None:
    """Raise ValueError unless a table holds the columns of `Row`, each of its type."""
    missing = set(Row._fields) - set(table.columns)
    if missing:
        raise ValueError(f"it lacks {sorted(missing)}")
    for name, kind in _TYPES.items() if len(table) else ():
        words = kind is str and pd.api.types.infer_dtype(table[name], skipna=False) == "string"
        if not words and (kind is str or not pd.api.types.is_numeric_dtype(table[name])):
            raise ValueError(f"{name!r} is of another type")
