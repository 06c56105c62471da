"""Outliers: how far a row stands apart from the others, whatever is labeled."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods._encoders import EncodedClassifier
from lopsided.methods._isolation import mean_path_terms, search_path
from lopsided.methods._neighbors import MEAN_ROWS, NEAREST, distance_terms, mean_distance
from lopsided.methods._normal_scores import fit_normal_scores
from lopsided.methods.additive import AdditiveScores, add_weighted, settle

__all__ = ["OutlierClassifier"]

_N_NEIGHBORS = 5
_MAX_NEIGHBOR_ROWS = 10_000  # rows to look for neighbors among


@dataclass(eq=False, repr=False)
class OutlierClassifier(EncodedClassifier):
    """Score rows by how easily trees isolate them and by the distance to their neighbors.

    No label is read: rare positives are often outliers, and where one row or none is labeled
    that is most of what is known. The score is the mean of two normal scores, of an isolation
    forest and of the logarithm of the mean distance to a few nearest training rows in
    standardized columns.

    References
    ----------
    Liu, Ting, Zhou: Isolation forest. ICDM 2008. Ramaswamy, Rastogi, Shim: Efficient algorithms
    for mining outliers from large data sets. SIGMOD 2000.
    """

    n_estimators: int = 300
    n_jobs: int | None = None
    random_state: Any = None
    _min_labeled: ClassVar[int] = 0

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        from sklearn.ensemble import IsolationForest
        from sklearn.neighbors import NearestNeighbors

        encoded = self._encode(rows).take(rows.weight > 0).X
        # One thread: many small trees are done before others have started.
        self.forest_ = IsolationForest(
            n_estimators=self.n_estimators, random_state=int(rng.integers(2**31))
        ).fit(encoded)
        some = rng.permutation(len(encoded))[:_MAX_NEIGHBOR_ROWS]
        n_neighbors = min(_N_NEIGHBORS, max(len(some) - 1, 1))
        near = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=self._n_threads())
        self.neighbors_ = near.fit(encoded[some])
        # A row is its own neighbor only where it is one of those looked among.
        distance = mean_distance(self.neighbors_, encoded[some], itself=True)
        of_some = distance_terms(near, encoded[some[:MEAN_ROWS]], skip=min(1, len(some) - 1))
        self.mean_distance_terms_ = self._by_column(of_some.mean(axis=0))
        ones = np.ones(len(encoded))
        self.of_forest_ = fit_normal_scores(-self.forest_.score_samples(encoded), ones)
        self.of_distance_ = fit_normal_scores(np.log(distance + NEAREST), ones[some])

    def _scores(self, X: Any) -> NDArray[np.float64]:
        encoded = self.encoder_.transform(X)
        distance = mean_distance(self.neighbors_, encoded)
        isolated = self.of_forest_.transform(-self.forest_.score_samples(encoded))
        return (isolated + self.of_distance_.transform(np.log(distance + NEAREST))) / 2

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return sums of distances and of the paths of trees, through their normal scores."""
        encoded = self.encoder_.transform(X)
        terms = self._by_column(distance_terms(self.neighbors_, encoded))
        distance = mean_distance(self.neighbors_, encoded) + NEAREST
        mean = self.mean_distance_terms_
        far = settle(mean.sum() + NEAREST, terms - mean, distance).mapped(np.log)
        path, terms = mean_path_terms(self.forest_, encoded)
        short = -self._by_column(terms)  # the shorter the path, the more a row is isolated
        unit = search_path(self.forest_.max_samples_) or 1.0  # of a row alone
        raw = settle(-path, short, short.sum(axis=1) - path).mapped(lambda h: 2 ** (h / unit))
        isolated = settle(raw.base, raw.terms, -self.forest_.score_samples(encoded))
        parts = [
            isolated.mapped(self.of_forest_.transform),
            far.mapped(self.of_distance_.transform),
        ]
        return add_weighted(parts, [0.5, 0.5])

    def _by_column(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.encoder_.by_column(values, self.n_features_in_)
