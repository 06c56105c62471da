"""A Dask collection as parts: a table, its labels and weights, partition by partition."""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from lopsided._validation import require
from lopsided.workflow.tables.parquet_files import TableFile

__all__ = [
    "Part",
    "as_parts",
    "compute",
    "find_client",
    "find_sources",
    "is_array",
    "is_frame",
]


class Part(NamedTuple):
    """What one partition brings: any of it may be None."""

    X: Any
    y: Any = None
    weight: Any = None
    columns: Any = None  # of the same rows, not to learn from

    @property
    def rows(self) -> tuple[Any, Any, Any]:
        """The table, its labels and weights."""
        return self.X, self.y, self.weight


def find_client(client: Any = None) -> Any:
    """Return the client that is given, or the current one, or say how to get one."""
    distributed = require("distributed")
    if client is not None:
        if not isinstance(client, distributed.Client):
            raise ValueError(
                f"client must be a dask.distributed.Client, got {type(client).__name__}."
            )
        return client
    try:
        return distributed.get_client()
    except ValueError:
        raise ValueError(
            "A Dask client is needed, got none. Start one first, for example by client = "
            "dask.distributed.Client()."
        ) from None


def compute(client: Any, task: Any) -> Any:
    """Return the result of a delayed task.

    Its graph stays as it is: parts that are used twice would else become other tasks of one
    name, and futures in a collection could get lost.
    """
    return client.compute(task, optimize_graph=False).result()


def is_frame(X: Any) -> bool:
    """Say whether X is a Dask data frame or one of its columns."""
    require("dask")
    frames = require("dask.dataframe")
    return isinstance(X, (frames.DataFrame, frames.Series))


def is_array(X: Any) -> bool:
    """Say whether X is a Dask array."""
    require("dask")
    return isinstance(X, require("dask.array").Array)


def find_sources(*collections: Any) -> Iterator[str]:
    """Give the files and folders that data frames are read from, as far as Dask tells."""
    for one in collections:
        nodes = one.expr.walk() if is_frame(one) else ()
        for node in nodes:
            kind = type(node).__name__
            if "ReadParquet" in kind:
                yield from _find_texts(node.operand("path"))
            elif kind.startswith("FromMap"):
                yield from _find_texts(node.operand("iterables"))


def _find_texts(found: Any) -> Iterator[str]:
    if isinstance(found, TableFile):  # of read_folder
        found = found.path
    if isinstance(found, (str, os.PathLike)):
        yield os.fspath(found)
    elif isinstance(found, (list, tuple)):
        for one in found:
            yield from _find_texts(one)


def as_parts(
    X: Any, y: Any = None, sample_weight: Any = None, columns: Any = None
) -> list[Any]:
    """Return a delayed `Part` for each partition, rows matched by their places in it.

    Parameters
    ----------
    X : Dask data frame or array of shape (n_rows, n_features)
        The table.
    y, sample_weight : Dask series, array or None
        One value per row, in the partitions of X.
    columns : Dask data frame or None
        Other columns of the rows, in the partitions of X.

    Returns
    -------
    list of Delayed
    """
    if is_array(X):
        if X.ndim != 2:
            raise ValueError(f"X must have rows and columns, got {X.ndim} dimensions.")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
    elif not (is_frame(X) and X.ndim == 2):
        raise ValueError(
            f"X must be a Dask data frame or array, got {type(X).__name__}. Make one by "
            "dask.dataframe.from_pandas, or fit the method itself."
        )
    others = {"y": y, "sample_weight": sample_weight}
    for name, values in others.items():
        if values is not None:
            others[name] = _like(X, values, name)
    if columns is not None:
        _check_partitions(X, columns, "columns")
    make = _delayed_blocks if is_array(X) else _delayed_frames
    return make(X, others["y"], others["sample_weight"], columns)


def _like(X: Any, values: Any, name: str) -> Any:
    """Return a column as the kind of collection that X is, in as many partitions."""
    if not (is_array(values) or is_frame(values)) or values.ndim != 1:
        raise ValueError(
            f"{name} must be one column of a Dask data frame or array, got "
            f"{type(values).__name__}."
        )
    if is_array(X):
        column = values.to_dask_array() if is_frame(values) else values
    else:
        frames = require("dask.dataframe")
        column = values if is_frame(values) else frames.from_dask_array(values)
    _check_partitions(X, column, name)
    return column


def _check_partitions(X: Any, other: Any, name: str) -> None:
    n_wanted, n_found = (
        one.npartitions if is_frame(one) else one.numblocks[0] for one in (X, other)
    )
    if n_wanted != n_found:
        raise ValueError(
            f"X and {name} must have the same partitions, got {n_wanted} and {n_found}. Take "
            "both from one collection, or repartition one of them."
        )


def _delayed_frames(X: Any, *others: Any) -> list[Any]:
    # As one expression: optimized apart, X and y of one file may end up in other partitions.
    given = [X, *(values for values in others if values is not None)]
    # A name of its own: the same parts are asked for again, and a graph must not change then.
    kinds = (*(values is not None for values in others), uuid4().hex)
    made = require("dask.dataframe").map_partitions(
        _make_part, *given, kinds, meta=(None, "object"), align_dataframes=False
    )
    return list(made.to_delayed())


def _make_part(X: Any, *others: Any) -> Part:
    *values, kinds = others
    there = iter(values)
    return Part(X, *(next(there) if is_there else None for is_there in kinds[:-1]))


def _delayed_blocks(X: Any, *others: Any) -> list[Any]:
    delayed = require("dask").delayed
    blocks = X.to_delayed(optimize_graph=False).ravel()
    columns = [
        [None] * len(blocks)
        if values is None
        else np.ravel(values.to_delayed(optimize_graph=False))
        for values in others
    ]
    return [delayed(Part)(*parts) for parts in zip(blocks, *columns, strict=True)]
