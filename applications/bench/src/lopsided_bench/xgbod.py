"""PyOD's XGBOD: XGBoost on the columns and on the scores of unsupervised detectors."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._check import check_choice, require
from lopsided._rows import TrainingRows
from lopsided.methods._encoders import EncodedClassifier
from lopsided_bench._peer_parts import log_odds_in_order, rows_as_taken

__all__ = ["XGBODClassifier"]

_DETECTORS = {
    "knn": "KNN",
    "lof": "LOF",
    "hbos": "HBOS",
    "ocsvm": "OCSVM",
    "iforest": "IForest",
}


@dataclass(eq=False, repr=False)
class XGBODClassifier(EncodedClassifier):
    """Fit PyOD's XGBOD with its default settings, unlabeled rows taken for negatives.

    Unsupervised detectors score the rows, and XGBoost learns the labels from the columns and
    these scores: 41 detectors by default, nearest neighbors, local outlier factors, histograms,
    one-class support vector machines and isolation forests of several settings each. The time
    grows with the square of the rows. Missing values are imputed with a flag and categories
    become a column for each level.

    Parameters
    ----------
    detectors : sequence of str or None, default=None
        Which detectors to fit, each with PyOD's default settings: "knn", "lof", "hbos",
        "ocsvm", "iforest"; None is XGBOD's own list of 41.
    settings : dict or None, default=None
        Parameters of XGBOD other than its defaults.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the isolation forests and of XGBoost.

    Attributes
    ----------
    model_ : XGBOD
        The fitted estimator. It holds the training rows, and no model file takes it.

    References
    ----------
    Zhao, Hryniewicki: XGBOD: improving supervised outlier detection with unsupervised
    representation learning. IJCNN 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = XGBODClassifier(["hbos"], {"n_estimators": 10}, random_state=0)
    >>> bool(y[model.fit(X, y).decision_function(X).argmax()])  # doctest: +SKIP
    True
    """

    detectors: Sequence[str] | None = None
    settings: dict[str, Any] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        make = require("pyod.models.xgbod").XGBOD
        rows = self._encode(rows_as_taken(make, "pyod", rows))
        seed = int(rng.integers(2**31))
        given = {
            "random_state": seed,
            "n_jobs": self._n_threads(),
            "estimator_list": self._make_detectors(seed, len(rows)),
            **(self.settings or {}),
        }
        with self._quietly():
            self.model_ = make(**given).fit(rows.X, rows.y)

    def _make_detectors(self, seed: int, n_rows: int) -> list[Any] | None:
        """Return new detectors, or None for PyOD's own list."""
        if self.detectors is None:
            return None
        made = []
        for name in self.detectors:
            check_choice(name, _DETECTORS, "detector of PyOD")
            detector = getattr(require(f"pyod.models.{name}"), _DETECTORS[name])()
            params = detector.get_params()
            if "n_neighbors" in params:  # a row has no more neighbors than there are others
                detector.set_params(n_neighbors=min(params["n_neighbors"], n_rows - 1))
            if "random_state" in params:
                detector.set_params(random_state=seed)
            made.append(detector)
        return made

    def _scores(self, X: Any) -> Any:
        with self._quietly():
            proba = self.model_.decision_function(self.encoder_.transform(X))
        return log_odds_in_order(proba.astype(np.float64))

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Keep detectors to their threads, and to themselves what they say of each other.

        PyOD hands labels to detectors that take none and to XGBoost a parameter that it no
        longer has, and both say so each time.
        """
        from threadpoolctl import threadpool_limits

        with threadpool_limits(self._n_threads(), user_api="openmp"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
