"""A Dask collection as parts: a table, its labels and weights, partition by partition."""

from typing import Any, NamedTuple
from uuid import uuid4

from lopsided._check import require

__all__ = ["Part", "as_parts", "compute", "find_client", "is_array", "is_frame"]


class Part(NamedTuple):
    """What one partition brings: any of it may be None."""

    X: Any
    y: Any = None
    weight: Any = None


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


def as_parts(X: Any, y: Any = None, sample_weight: Any = None) -> list[Any]:
    """Return a delayed `Part` for each partition, rows matched by their places in it.

    Parameters
    ----------
    X : Dask data frame or array of shape (n_rows, n_features)
        The table.
    y, sample_weight : Dask series, array or None
        One value per row, in the partitions of X.

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
    make = _delayed_blocks if is_array(X) else _delayed_frames
    return make(X, others["y"], others["sample_weight"])


def _like(X: Any, values: Any, name: str) -> Any:
    """Return a column as the kind of collection that X is, in as many partitions."""
    if not (is_array(values) or is_frame(values)) or values.ndim != 1:
        raise ValueError(
            f"{name} must be one column of a Dask data frame or array, got "
            f"{type(values).__name__}."
        )
    if is_array(X):
        column = values.to_dask_array() if is_frame(values) else values
        n_wanted, n_found = X.numblocks[0], column.numblocks[0]
    else:
        frames = require("dask.dataframe")
        column = values if is_frame(values) else frames.from_dask_array(values)
        n_wanted, n_found = X.npartitions, column.npartitions
    if n_wanted != n_found:
        raise ValueError(
            f"X and {name} must have the same partitions, got {n_wanted} and {n_found}. Take "
            "both from one collection, or repartition one of them."
        )
    return column


def _delayed_frames(X: Any, y: Any, weight: Any) -> list[Any]:
    # As one expression: optimized apart, X and y of one file may end up in other partitions.
    given = [X, *(values for values in (y, weight) if values is not None)]
    # A name of its own: the same parts are asked for again, and a graph must not change then.
    kinds = (y is not None, weight is not None, uuid4().hex)
    made = require("dask.dataframe").map_partitions(
        _make_part, *given, kinds, meta=(None, "object"), align_dataframes=False
    )
    return list(made.to_delayed())


def _make_part(X: Any, *others: Any) -> Part:
    *values, (has_y, has_weight, _) = others
    return Part(X, values[0] if has_y else None, values[-1] if has_weight else None)


def _delayed_blocks(X: Any, y: Any, weight: Any) -> list[Any]:
    delayed = require("dask").delayed
    blocks = X.to_delayed(optimize_graph=False).ravel()
    columns = [
        [None] * len(blocks)
        if values is None
        else values.to_delayed(optimize_graph=False).ravel()
        for values in (y, weight)
    ]
    return [delayed(Part)(*parts) for parts in zip(blocks, *columns, strict=True)]
