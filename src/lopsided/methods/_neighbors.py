"""K nearest neighbors: how much closer a row lies to labeled rows than to others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods._encoders import EncodedClassifier
from lopsided.methods.additive import AdditiveScores, settle

_N_LABELED, _N_UNLABELED = 3, 5  # neighbors that count, at most all there are
NEAREST = 1e-3  # distances below, in standard deviations, are no nearer
MEAN_ROWS = 256  # that the mean terms are taken over


@dataclass(eq=False, repr=False)
class NeighborRatioClassifier(EncodedClassifier):
    r"""Compare the distance to the nearest labeled rows with that to the nearest others.

    The score is :math:`\log d_U - \log d_L`, of the mean distances to a few unlabeled and a few
    labeled rows in standardized columns: above 0, labeled rows are nearer. It sees shapes that
    neither trees nor linear models follow. Its cost grows with the square of the rows.
    """

    n_jobs: int | None = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        rows = self._encode(rows).take(rows.weight > 0)
        self.labeled_ = self._index(rows.X[rows.y == 1], _N_LABELED)
        unlabeled = rows.X[rows.y == 0]
        self.unlabeled_ = self._index(unlabeled, _N_UNLABELED)
        some = unlabeled[:: -(-len(unlabeled) // MEAN_ROWS)]
        self.mean_terms_ = self._terms(some, skip=min(1, len(unlabeled) - 1)).mean(axis=0)

    def _index(self, encoded: Any, count: int) -> Any:
        from sklearn.neighbors import NearestNeighbors

        nearest = NearestNeighbors(
            n_neighbors=min(count, len(encoded)), n_jobs=self._n_threads()
        )
        return nearest.fit(encoded)

    def _scores(self, X: Any) -> Any:
        encoded = self.encoder_.transform(X)
        near = mean_distance(self.labeled_, encoded)
        far = mean_distance(self.unlabeled_, encoded)
        return np.log(far + NEAREST) - np.log(near + NEAREST)

    def _terms(self, encoded: NDArray[np.float64], skip: int = 0) -> NDArray[np.float64]:
        r"""Return the terms of scores by raw column, for `skip` as of `distance_terms`.

        A distance is a sum over columns, :math:`\|g\| = \sum_j g_j^2 / \|g\|`, and so is the
        difference of two; the logarithms of both are passed by the secant.
        """
        near = distance_terms(self.labeled_, encoded)
        far = distance_terms(self.unlabeled_, encoded, skip)
        ends = (side.sum(axis=1) + NEAREST for side in (near, far))
        terms = settle(next(ends), far - near, next(ends)).mapped(np.log).terms
        return self.encoder_.by_column(terms, self.n_features_in_)

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return sums about the mean terms of training rows."""
        terms = self._terms(self.encoder_.transform(X))
        return settle(self.mean_terms_.sum(), terms - self.mean_terms_, self._scores(X))


def mean_distance(
    index: Any, encoded: NDArray[np.float64], itself: bool = False
) -> NDArray[np.float64]:
    """Return the mean distance of each row to its nearest ones.

    With `itself` the rows are those of the index, and none is its own neighbor.

    The index may compute distances by a product of matrices, which rounds by the batch; so it
    only finds the rows, and each distance is taken anew.
    """
    if itself and len(encoded) < 2:  # a row alone has no neighbor
        return np.zeros(len(encoded))
    found = index.kneighbors(None if itself else encoded, return_distance=False)
    total = np.zeros(len(encoded))
    for nearest in found.T:
        gap = encoded - index._fit_X[nearest]
        total += np.sqrt(np.einsum("ij,ij->i", gap, gap))
    return total / found.shape[1]


def distance_terms(
    index: Any, encoded: NDArray[np.float64], skip: int = 0
) -> NDArray[np.float64]:
    """Return what each column adds to the mean distance of a row to its nearest ones.

    `skip` so many of the nearest are passed over, such as a row of the index itself.
    """
    wanted = min(index.n_neighbors + skip, index.n_samples_fit_)
    found = index.kneighbors(encoded, wanted, return_distance=False)
    total = np.zeros_like(encoded)
    for nearest in found.T[skip:]:
        squares = (encoded - index._fit_X[nearest]) ** 2
        distance = np.sqrt(squares.sum(axis=1, keepdims=True))
        total += np.divide(squares, distance, out=np.zeros_like(squares), where=distance > 0)
    return total / (found.shape[1] - skip)
