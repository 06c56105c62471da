"""K nearest neighbors: how much closer a row lies to labeled rows than to others."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_count
from lopsided.methods._encoders import fit_numeric_encoder
from lopsided.methods._rows import TrainingRows
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["NeighborRatioClassifier"]

_NEAREST = 1e-3  # distances below, in standard deviations, are no nearer


class NeighborRatioClassifier(PUClassifier):
    r"""Compare the distance to the nearest labeled rows with that to the nearest others.

    The score is :math:`\log d_U - \log d_L`, of the mean distances to a few unlabeled and a few
    labeled rows in standardized columns: above 0, labeled rows are nearer. It sees shapes that
    neither trees nor linear models follow. Its cost grows with the square of the rows.

    Parameters
    ----------
    n_labeled : int, default=3
        How many labeled rows count, at most all of them.
    n_unlabeled : int, default=5
        How many unlabeled rows count.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Not used: nothing is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> NeighborRatioClassifier().fit(X, y).decision_function(X).shape
    (200,)
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def __init__(self, n_labeled=3, n_unlabeled=5, n_jobs=None, random_state=None):
        self.n_labeled = n_labeled
        self.n_unlabeled = n_unlabeled
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        self.encoder_ = fit_numeric_encoder(rows.X, self._levels(), rows.weight)
        kept = rows.take(rows.weight > 0)
        encoded = self.encoder_.transform(kept.X)
        self.labeled_ = self._index(encoded[kept.y == 1], self.n_labeled, "n_labeled")
        self.unlabeled_ = self._index(encoded[kept.y == 0], self.n_unlabeled, "n_unlabeled")

    def _index(self, rows: Any, count: Any, name: str) -> Any:
        from sklearn.neighbors import NearestNeighbors

        count = min(check_count(count, name), len(rows))
        return NearestNeighbors(n_neighbors=count, n_jobs=self._n_threads()).fit(rows)

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
