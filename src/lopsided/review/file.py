"""A review loop as one file, without its table and its model."""

import hashlib
import json
import os
import zipfile
import zlib
from typing import Any

import numpy as np

from lopsided._files import atomic_write

__all__ = ["DAMAGES", "another_file", "check_table", "fingerprint", "read_state", "write_state"]

_FORMAT = "lopsided review loop 1"
DAMAGES = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
)  # what is amiss shows as


def fingerprint(X: Any) -> str:
    """Return a hash of the content of a table."""
    digest = hashlib.sha256(repr(X.shape).encode())
    if hasattr(X, "tocsr"):
        parts = [X.data, X.indices, X.indptr]
    elif hasattr(X, "columns"):
        import pandas as pd

        digest.update(repr(list(X.columns)).encode())
        parts = [pd.util.hash_pandas_object(X, index=False).to_numpy()]
    elif X.dtype == object:
        import pandas as pd

        parts = [pd.util.hash_pandas_object(pd.DataFrame(X), index=False).to_numpy()]
    else:
        parts = [X]
    for part in parts:
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def check_table(X: Any, n_rows: int, saved: str, path: str | os.PathLike[str]) -> None:
    """Refuse another table than that of a saved loop."""
    from lopsided.model_selection.out_of_fold import as_rows

    came = "another number of rows"
    table = X.tocsr() if hasattr(X, "tocsr") else X
    if getattr(table, "shape", (n_rows,))[0] == n_rows:
        labels = np.zeros(n_rows, dtype=np.int8)
        labels[0] = 1
        if fingerprint(as_rows(X, labels).X) == saved:
            return
        came = "other values"
    raise ValueError(
        f"X must be the table that {path} was saved with, {n_rows} rows, got {came}. Load the "
        "same table, its rows and columns in the same order."
    )


def write_state(
    path: str | os.PathLike[str], settings: dict[str, Any], arrays: dict[str, Any]
) -> None:
    """Write settings and arrays whole or not at all."""
    text = json.dumps({"format": _FORMAT, **settings})
    with atomic_write(path) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, settings=np.array(text), **arrays)


def read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return settings and arrays of a file, or say that it is another."""
    try:
        # np.load leaves a file open that it has opened itself and cannot read.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as found:
            arrays = dict(found)
        settings = json.loads(str(arrays.pop("settings")))
        known = settings.pop("format") == _FORMAT
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}. Give one that was saved.") from None
    except (*DAMAGES, OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError):
        known = False
    if not known:
        raise another_file(path)
    return settings, arrays


def another_file(path: str | os.PathLike[str]) -> ValueError:
    """Return the error of a file that holds no review loop, or holds it no more."""
    return ValueError(
        f"{path} must be a review loop that was saved, got another file or a damaged one. Give "
        "the one that save() wrote."
    )
