"""K nearest neighbors: how much closer a row lies to labeled rows than to others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods._encoders import EncodedClassifier

_N_LABELED, _N_UNLABELED = 3, 5  # neighbors that count, at most all there are
_NEAREST = 1e-3  # distances below, in standard deviations, are no nearer


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
        self.unlabeled_ = self._index(rows.X[rows.y == 0], _N_UNLABELED)

    def _index(self, encoded: Any, count: int) -> Any:
        from sklearn.neighbors import NearestNeighbors

        nearest = NearestNeighbors(
            n_neighbors=min(count, len(encoded)), n_jobs=self._n_threads()
        )
        return nearest.fit(encoded)

    def _scores(self, X: Any) -> Any:
        encoded = self.encoder_.transform(X)
        with self._linear_algebra():
            near = _mean_distance(self.labeled_, encoded)
            far = _mean_distance(self.unlabeled_, encoded)
        return np.log(far + _NEAREST) - np.log(near + _NEAREST)


def _mean_distance(index: Any, encoded: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean distance of each row to its nearest ones.

    The index may compute distances by a product of matrices, which rounds by the batch; so it
    only finds the rows, and each distance is taken anew.
    """
    found = index.kneighbors(encoded, return_distance=False)
    total = np.zeros(len(encoded))
    for nearest in found.T:
        gap = encoded - index._fit_X[nearest]
        total += np.sqrt(np.einsum("ij,ij->i", gap, gap))
    return total / found.shape[1]
