"""Local outliers: two columns that say how far a row stands from its neighbors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods._encoders import fit_numeric_encoder
from lopsided.methods._neighbors import MEAN_ROWS, NEAREST, distance_terms
from lopsided.methods.additive import AdditiveScores, settle

_COLUMNS = ("distance to neighbors", "local outlier factor")
_N_NEIGHBORS = 20  # of the local outlier factor
_N_NEAR = 5  # of these, whose mean distance is a column of its own
_N_SPARE = 6  # neighbors more that are looked at, for a row itself and for ties


@dataclass(eq=False)
class LocalOutliers:
    r"""Widen a table by the distance to neighbors and the local outlier factor of its rows.

    No label is read for the two columns: :math:`\log \bar d_5`, of the mean distance to the 5
    nearest training rows in standardized columns, and :math:`\log LOF_{20}`. Positives that
    stand apart from the rows around them are then found by one split, where trees of raw
    columns would have to box every one of them in. In training a row is not its own neighbor;
    where it is scored again it is, and stands a little closer to the others.

    What the two columns add to a score is shared among the raw ones by their parts of the
    squared distances.

    References
    ----------
    Breunig, Kriegel, Ng, Sander: LOF: identifying density-based local outliers. SIGMOD 2000.
    Zhao, Hryniewicki: XGBOD: improving supervised outlier detection with unsupervised
    representation learning. IJCNN 2018.
    """

    encoder: Any
    neighbors: Any  # the index of the training rows
    radius: NDArray[np.float64]  # of each training row, the distance to its farthest neighbor
    mean_reach: NDArray[np.float64]  # of each training row, its mean reachability distance
    mean_shares: NDArray[np.float64]  # of each raw column in distances

    def widen(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rows with the two columns beside their own."""
        columns = self._columns(*self._find_neighbors(self.encoder.transform(X)))
        return np.hstack([X, columns.astype(X.dtype)])

    def narrow(self, found: AdditiveScores, X: NDArray[np.float64]) -> AdditiveScores:
        """Return sums over raw columns of sums over those of a widened table."""
        n_raw = X.shape[1]
        added = found.terms[:, n_raw:].sum(axis=1, keepdims=True)
        terms = found.terms[:, :n_raw] + added * self._distance_shares(X)
        return settle(found.base, terms, found.scores)

    def narrow_importances(self, importances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return importances of raw columns from those of the columns of a widened table."""
        n_raw = len(self.mean_shares)
        return importances[:n_raw] + importances[n_raw:].sum() * self.mean_shares

    def _find_neighbors(
        self, encoded: NDArray[np.float64], own: bool = False
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the nearest training rows, by their numbers, and the distances to them.

        With `own` the rows are the training rows, and none is its own neighbor. The index may
        compute distances by products of matrices, which round by the batch: so each distance
        is taken anew, and of rows that are equally far the first ones count.
        """
        index = self.neighbors
        n_wanted = min(index.n_neighbors + _N_SPARE, index.n_samples_fit_)
        found = index.kneighbors(encoded, n_wanted, return_distance=False)
        distances = np.empty(found.shape)
        for j, nearest in enumerate(found.T):
            gap = encoded - index._fit_X[nearest]
            distances[:, j] = np.sqrt(np.einsum("ij,ij->i", gap, gap))
        if own and index.n_samples_fit_ > 1:
            distances[found == np.arange(len(encoded))[:, np.newaxis]] = np.inf
        order = np.lexsort((found, distances.astype(np.float32)), axis=1)
        kept = order[:, : index.n_neighbors]
        return (
            np.take_along_axis(found, kept, axis=1),
            np.take_along_axis(distances, kept, axis=1),
        )

    def _mean_reach(
        self, nearest: NDArray[np.intp], distances: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the mean reachability distance of rows from their neighbors."""
        reach = np.maximum(distances, self.radius[nearest]).mean(axis=1)
        return np.maximum(reach, NEAREST)

    def _columns(
        self, nearest: NDArray[np.intp], distances: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the two columns of rows with these neighbors."""
        near = np.log(distances[:, :_N_NEAR].mean(axis=1) + NEAREST)
        reach = self._mean_reach(nearest, distances)[:, np.newaxis]
        return np.column_stack([near, np.log((reach / self.mean_reach[nearest]).mean(axis=1))])

    def _distance_shares(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the part of each raw column in the distances to neighbors, 1 in sum."""
        terms = distance_terms(self.neighbors, self.encoder.transform(X))
        of_columns = self.encoder.by_column(terms, X.shape[1])
        total = of_columns.sum(axis=1, keepdims=True)
        even = np.full(of_columns.shape, 1 / X.shape[1])  # a row among its twins
        return np.divide(of_columns, total, out=even, where=total > 0)


def fit_local_outliers(
    rows: TrainingRows, levels: dict[int, int], n_jobs: int = 1
) -> tuple[LocalOutliers, NDArray[np.float64]]:
    """Return what widens tables, and the training rows widened, none its own neighbor.

    `levels` are the positions of categories and how many values each has.
    """
    from sklearn.neighbors import NearestNeighbors

    encoder = fit_numeric_encoder(rows.X, levels, rows.weight)
    encoded = encoder.transform(rows.X)
    n_neighbors = max(min(_N_NEIGHBORS, len(rows) - 1), 1)
    index = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(encoded)
    unknown = np.empty(0)
    found = LocalOutliers(encoder, index, unknown, unknown, unknown)
    nearest, distances = found._find_neighbors(encoded, own=True)
    found.radius = distances[:, -1]
    found.mean_reach = found._mean_reach(nearest, distances)
    some = rows.X[:: -(-len(rows) // MEAN_ROWS)]
    found.mean_shares = found._distance_shares(some).mean(axis=0)
    columns = found._columns(nearest, distances)
    return found, np.hstack([rows.X, columns.astype(rows.X.dtype)])


def widen_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of the columns of a table that local outliers widen."""
    wide = {**schema, "n_features_in_": schema["n_features_in_"] + len(_COLUMNS)}
    if "feature_names_in_" in schema:
        wide["feature_names_in_"] = np.append(schema["feature_names_in_"], _COLUMNS)
    return wide
