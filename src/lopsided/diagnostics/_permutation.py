"""A permutation test that learns every shuffled labeling anew: exact from two labels on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Labelings = NDArray[np.intp]  # a labeling a line: positions of its labeled rows

_DRAWS = 999
_MAX_ROWS = 2000  # of the test; labels are scarce, not rows
_MAX_NEIGHBORS = 500  # rows that stand for all in a mean distance
_PENALTY = 1.0  # of the regression, in variances of a standardized column


def permute_and_refit(X: Any, y: NDArray[np.int8], rng: np.random.Generator) -> float:
    """Return the p-value of no signal: the place of the real labels among shuffled ones.

    Each labeling is judged by two plain means: ridge regression, scored with each labeled row
    left out, and the energy distance between labeled rows and all. Each places the labelings,
    and the sum of the logarithms of the places (Fisher's) places them for good. All labelings
    are treated alike, so that under noise every place is as likely as any other, whatever the
    means and however few the labels.
    """
    kept = _thin_out(y, rng)
    table, own = _standardize(X, kept), np.flatnonzero(y[kept] == 1)
    if not table.shape[1]:
        return 1.0
    drawn = [rng.choice(len(kept), len(own), replace=False) for _ in range(_DRAWS)]
    labelings = np.array([own, *drawn])
    heights = _regress(table, labelings), _measure_distances(table, labelings, rng)
    places = _place(-np.sum([np.log(_place(one)) for one in heights], axis=0))
    return float(places[0] / len(labelings))


def _thin_out(y: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the positions of all labeled rows and of not too many others."""
    if len(y) <= _MAX_ROWS:
        return np.arange(len(y))
    own, others = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    return np.sort(np.r_[own, rng.choice(others, _MAX_ROWS - len(own), replace=False)])


def _standardize(X: Any, rows: NDArray[np.intp]) -> Numbers:
    """Return columns of one scale: categories one-hot, missing numbers the mean and a flag."""
    import pandas as pd

    frame = X.to_pandas() if hasattr(X, "to_pandas") else pd.DataFrame(X)
    frame = frame.iloc[rows].infer_objects()
    flags = frame.isna().to_numpy()
    columns = pd.get_dummies(frame, dtype=float).to_numpy(dtype=float, na_value=np.nan)
    columns = np.c_[columns, flags[:, flags.any(axis=0)]]
    known = ~np.isnan(columns)
    size = np.abs(np.where(known, columns, 0)).max(axis=0)
    filled = np.where(known, columns, 0) / np.where(size > 0, size, 1)  # squares stay finite
    centered = np.where(known, filled - filled.sum(axis=0) / known.sum(axis=0).clip(1), 0)
    spread = centered.std(axis=0)
    varies = spread > 1e-12
    return np.asarray(centered[:, varies] / spread[varies])


def _place(heights: Numbers) -> Numbers:
    """Return how many labelings stand as high as each, itself included."""
    from scipy.stats import rankdata

    # Sums of the same terms in another order are ties.
    return np.asarray(rankdata(-np.round(heights, 10), method="max"), dtype=float)


def _regress(table: Numbers, labelings: Labelings) -> Numbers:
    r"""Return how high ridge regression that left a row out places each labeling's rows.

    With the hat matrix :math:`H`, the score of a row left out is
    :math:`(\sum_j H_{ij} y_j - H_{ii} y_i) / (1 - H_{ii})`: one decomposition serves all
    labelings. Their height is the mean of :math:`-\sqrt{rank}`.
    """
    left, values, _ = np.linalg.svd(table, full_matrices=False)
    half = left * np.sqrt(values**2 / (values**2 + _PENALTY * len(table)))
    leverage = (half**2).sum(axis=1)
    heights = []
    for own in labelings:
        scores = half @ half[own].sum(axis=0)
        scores[own] -= leverage[own]
        scores /= 1 - leverage
        ranks = 1 + (scores > scores[own][:, None]).sum(axis=1)
        heights.append(-np.sqrt(ranks).mean())
    return np.array(heights)


def _measure_distances(
    table: Numbers, labelings: Labelings, rng: np.random.Generator
) -> Numbers:
    """Return the energy distance of each labeling's rows to all rows, but for a constant."""
    from scipy.spatial.distance import cdist, pdist

    some = rng.permutation(len(table))[:_MAX_NEIGHBORS]
    far = cdist(table, table[some], "cityblock").mean(axis=1)
    return np.array(
        [2 * far[own].mean() - pdist(table[own], "cityblock").mean() for own in labelings]
    )
