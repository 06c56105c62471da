"""Scores of a collection, partition by partition, by a model that is sent once."""

from typing import Any

import numpy as np

from lopsided._validation import require
from lopsided.dask.partitions import find_client, is_array, is_frame

__all__ = ["map_scores"]

_KINDS = {"decision_function": np.float64, "predict_proba": np.float64, "predict": np.int64}


def map_scores(model: Any, X: Any, client: Any = None, how: str = "decision_function") -> Any:
    """Return what a fitted method says of each row of a collection, lazily.

    Parameters
    ----------
    model : PUClassifier
        Fitted.
    X : Dask data frame or array
        Columns as in its fit.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.
    how : {"decision_function", "predict_proba", "predict"}, default="decision_function"
        What is asked of the model.

    Returns
    -------
    Dask series, data frame or array, with the partitions of X
    """
    find_client(client)
    shared = require("dask").delayed(model, traverse=False)  # sent once, not with every part
    kind = _KINDS[how]
    if is_array(X):
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        ask = require("dask").delayed(_ask)
        tail = (2,) if how == "predict_proba" else ()
        blocks = [
            require("dask.array").from_delayed(ask(block, shared, how), (size, *tail), kind)
            for block, size in zip(
                X.to_delayed(optimize_graph=False).ravel(), X.chunks[0], strict=True
            )
        ]
        return require("dask.array").concatenate(blocks, allow_unknown_chunksizes=True)
    if not is_frame(X):
        raise ValueError(
            f"X must be a Dask data frame or array, got {type(X).__name__}. A table in memory "
            "is scored by to_local()."
        )
    both = {0: kind, 1: kind}
    meta = both if how == "predict_proba" else ("score", kind)
    return X.map_partitions(_ask_frame, shared, how, meta=meta)


def _ask(X: Any, model: Any, how: str) -> Any:
    """Return what a model says of rows, also where there are none."""
    if len(X):
        return getattr(model, how)(X)
    return np.empty((0, 2) if how == "predict_proba" else 0, _KINDS[how])


def _ask_frame(X: Any, model: Any, how: str) -> Any:
    import pandas as pd

    found = _ask(X, model, how)
    if how == "predict_proba":
        return pd.DataFrame(found, index=X.index, columns=[0, 1])
    return pd.Series(found, index=X.index, name="score")
