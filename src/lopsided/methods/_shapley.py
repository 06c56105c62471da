r"""Terms of any score by sampling: Shapley values along random orders of the columns.

A row is made out of a row of the background by taking over its cells one by one, in a random
order; each column is given the change of the score when its turn comes. The changes along an
order telescope, so that they add up to the difference of both scores whatever the order, and so
does their mean over orders. Each order is walked from both ends, which is exact already for
scores in which no more than two columns act together.

References
----------
Castro, Gómez, Tejada: Polynomial calculation of the Shapley value based on sampling. Computers
and Operations Research 2009. Mitchell, Cooper, Frank, Holmes: Sampling permutations for Shapley
value estimation. JMLR 2022.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.methods._categories import as_pandas

_PAIRS = 3  # of orders, each one and its reverse
_MAX_PAIRS = 20  # and of rows of a background that are compared with
_MAX_ROWS = 8192  # scored at once
_MAX_CELLS = 2**22
_TYPICAL_ROWS = 1000  # that a typical row is learned from

Cells = NDArray[np.intp]


def sample_cells(
    score: Callable[[Cells], Any], n_rows: int, starts: Cells, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the base of each row and the term of each of its columns.

    A cell is told by the row of a table that it is taken from: `score` is given such rows, of
    shape (n_scored, n_features), and `starts` has those of the background; the rows to explain
    are the first ones of the table. All rows walk along the same orders.
    """
    rng = np.random.default_rng(seed)
    n_background, n_features = starts.shape
    n_pairs = int(np.clip(n_background, _PAIRS, _MAX_PAIRS))
    chosen = starts[rng.permutation(n_background)]
    base, terms = np.zeros(n_rows), np.zeros((n_rows, n_features))
    for pair in range(n_pairs):
        start, order = chosen[pair % n_background], rng.permutation(n_features)
        for way in (order, order[::-1]):
            along = _score_along(score, n_rows, start, way)
            base += along[0]
            terms[:, way] += np.diff(along, axis=0).T
    return base / (2 * n_pairs), terms / (2 * n_pairs)


def _score_along(
    score: Callable[[Cells], Any], n_rows: int, start: Cells, order: Cells
) -> NDArray[np.float64]:
    """Return scores of shape (n_features + 1, n_rows) as columns are taken over in turn."""
    n_features = len(order)
    turn = np.empty(n_features, np.intp)
    turn[order] = np.arange(n_features)
    along = np.empty((n_features + 1) * n_rows)
    at_once = int(np.clip(_MAX_CELLS // n_features, 1, _MAX_ROWS))
    for first in range(0, len(along), at_once):
        step, row = np.divmod(np.arange(first, min(first + at_once, len(along))), n_rows)
        cells = np.where(turn < step[:, None], row[:, None], start)
        along[first : first + at_once] = score(cells)
    return along.reshape(n_features + 1, n_rows)


def sample_table(
    score: Callable[[Any], Any], X: Any, background: Any, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return base and terms of the rows of any table, frames with text and dates included.

    Without a background rows are compared with a typical row of X.
    """
    X = _as_table(X)
    n_rows, n_features = X.shape
    if background is None:
        if n_rows < 2:
            raise ValueError(
                f"Without a background, X must have two rows or more, got {n_rows}: there is "
                "nothing to compare with. Pass rows of the training table as background."
            )
        columns = [_column(X, j) for j in range(n_features)]
        starts = np.array([[_find_typical(column) for column in columns]], np.intp)
    else:
        background = _as_table(background)
        if background.shape[1] != n_features or not len(background):
            raise ValueError(
                f"background must have rows and the {n_features} columns of X, got shape "
                f"{background.shape}."
            )
        columns = [_append(_column(X, j), _column(background, j)) for j in range(n_features)]
        starts = np.arange(n_rows, n_rows + len(background))[:, None].repeat(n_features, 1)

    def score_cells(cells: Cells) -> Any:
        taken = [column.take(cells[:, j]) for j, column in enumerate(columns)]
        if not hasattr(X, "columns"):
            return score(np.column_stack(taken))
        import pandas as pd

        frame = pd.concat([one.reset_index(drop=True) for one in taken], axis=1)
        return score(frame.set_axis(X.columns, axis=1))

    return sample_cells(score_cells, n_rows, starts, seed)


def find_typical_row(
    X: Any, weight: NDArray[np.float64], categorical: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return the median of each column of numbers and the commonest level of each category.

    Where most values are missing, so is the typical one. Rows at even steps will do.
    """
    n_rows = int(np.clip(_MAX_CELLS // X.shape[1], 1, _TYPICAL_ROWS))
    kept = np.flatnonzero(weight > 0)
    some = X[kept[:: -(-len(kept) // n_rows)]]
    some = some.toarray() if hasattr(some, "toarray") else some
    row = np.full(X.shape[1], np.nan)
    for j, column in enumerate(some.T):
        known = column[~np.isnan(column)]
        if 2 * len(known) >= len(column):
            counted = j in categorical
            row[j] = np.bincount(known.astype(np.intp)).argmax() if counted else _middle(known)
    return row


def _middle(values: NDArray[Any]) -> Any:
    """Return the lower median, which is one of the values."""
    return np.partition(values, (len(values) - 1) // 2)[(len(values) - 1) // 2]


def _as_table(X: Any) -> Any:
    X = X.toarray() if hasattr(X, "toarray") else as_pandas(X)
    return X if hasattr(X, "columns") else np.asarray(X)


def _column(X: Any, position: int) -> Any:
    return X.iloc[:, position] if hasattr(X, "columns") else X[:, position]


def _append(column: Any, others: Any) -> Any:
    """Return a column with more values below; of categories, with the levels of both."""
    if isinstance(column, np.ndarray):
        return np.concatenate([column, np.asarray(others)])
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        values = pd.Series(others).astype(object)
        levels = column.cat.categories
        new = [value for value in values.dropna().unique() if value not in levels]
        column = column.cat.add_categories(new)
        return pd.concat([column, values.astype(column.dtype)])
    return pd.concat([column, pd.Series(others)])


def _find_typical(column: Any) -> int:
    """Return the place of a cell with the median number or the commonest value."""
    import pandas as pd

    values = pd.Series(column)
    missing = values.isna().to_numpy()
    if 2 * missing.sum() > len(values):
        return int(missing.argmax())
    known = np.flatnonzero(~missing)
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(np.float64, na_value=np.nan)
        return int((numbers == _middle(numbers[known])).argmax())
    codes, _ = pd.factorize(values)
    return int((codes == np.bincount(codes[known]).argmax()).argmax())
