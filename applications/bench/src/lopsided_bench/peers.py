"""Estimators of other packages as methods of lopsided, so that studies can compare them."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from lopsided import EncodedClassifier
from lopsided.exceptions import MissingExtraError
from lopsided_bench.names import check_choice

__all__ = ["PulearnClassifier", "SupervisedPeerClassifier", "XGBODClassifier"]


def _require(module: str) -> Any:
    """Import a module of a peer's package, or say what to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{module.partition('.')[0]} is needed here and not installed. Type: pip install "
            "'lopsided-bench[peers]'"
        ) from error


def _rows_as_taken(peer: Any, package: str, rows: Any) -> Any:
    """Return rows as an estimator class of a package takes them, or refuse their weights."""
    if rows.sample_weight is None or has_fit_parameter(peer, "sample_weight"):
        return rows
    if (rows.weight % 1 != 0).any():
        raise ValueError(
            f"sample_weight must be whole numbers, since {peer.__name__} of {package} takes "
            "no weights and rows are repeated instead. Round it, or leave it out."
        )
    repeated = rows.take(np.repeat(np.arange(len(rows)), rows.weight.astype(int)))
    return replace(repeated, weight=np.ones(len(repeated)))


def _weights_as_taken(rows: Any) -> dict[str, Any]:
    """Return the weights as an argument of `fit`, or none if all are 1."""
    return {} if rows.sample_weight is None else {"sample_weight": rows.sample_weight}


def _log_odds_in_order(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-odds that keep the order of all probabilities, even of some above 1."""
    return np.log(np.maximum(proba, 1e-300)) - np.log(np.maximum(1 - proba, 1e-17))


def _seeded_copy(model: Any, rng: np.random.Generator) -> Any:
    """Return a fresh copy in which missing random states are drawn, also those of its parts."""
    fresh = clone(model)
    given = fresh.get_params()
    names = sorted(name for name in given if name.endswith("random_state"))
    missing = [name for name in names if given[name] is None]
    return fresh.set_params(**{name: int(rng.integers(2**31)) for name in missing})


_CLASSES = {
    "elkan-noto": "ElkanotoPuClassifier",
    "weighted-elkan-noto": "WeightedElkanotoPuClassifier",
    "bagging": "BaggingPuClassifier",
    "nnpu": "NNPUClassifier",
    "naive-bayes": "PositiveNaiveBayesClassifier",
    "weighted-naive-bayes": "WeightedNaiveBayesClassifier",
    "tan": "PositiveTANClassifier",
    "weighted-tan": "WeightedTANClassifier",
}
_HOLD_OUT = ("elkan-noto", "weighted-elkan-noto")
_MAX_DRAWS = 50  # of a hold-out; with a handful of labeled rows most of them fail


@dataclass(eq=False, repr=False)
class PulearnClassifier(EncodedClassifier):
    """Fit one of pulearn's estimators and rank by its predictions.

    Columns are standardized first, since the linear estimator takes steps of a fixed size;
    trees and bins of equal width do not depend on the scale.

    Estimators that wrap a classifier get random forests, as in pulearn's example of Elkan and
    Noto's method. They have 300 trees in all, as many as the forests of lopsided. The support
    vector machine of pulearn's other examples ranks far worse on tables with rare positives.
    All other settings are those of pulearn's examples, or its defaults.

    Parameters
    ----------
    algorithm : str, default="elkan-noto"
        "elkan-noto", "weighted-elkan-noto", "bagging", "nnpu", "naive-bayes",
        "weighted-naive-bayes", "tan" or "weighted-tan".
    settings : dict or None, default=None
        Parameters of pulearn's estimator and, as in `estimator__max_depth`, of the classifier
        that it wraps.
    prior : float, estimate, estimator or "auto", default="auto"
        The share of positives in the whole table. Only "nnpu" needs it, and gets the share
        among the unlabeled rows that follows from it.
    random_state : int, Generator or None, default=None
        Seed of pulearn's estimator and of the classifier that it wraps.

    Attributes
    ----------
    model_ : pulearn estimator
        The fitted estimator.

    Notes
    -----
    Properties of pulearn 0.2: both methods of Elkan and Noto draw a hold-out without regard to
    labels. If few rows are labeled, it often contains no labeled row, or only rows to which the
    forest assigns the probability 0. The fit then fails and is tried with another hold-out, 50
    times at most. Neither method fits again with weights, so that both rank as the forest
    alone would. A score of the weighted method depends on the rows that are scored together.
    Where positives are rare, the weighted naive Bayes and TAN predict hardly any positive row.
    Only bagging takes sample weights; for the other algorithms rows are repeated.

    References
    ----------
    pulearn: https://pulearn.github.io/pulearn

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = PulearnClassifier("naive-bayes").fit(X, y)
    >>> bool(y[model.decision_function(X).argmax()])
    True
    """

    algorithm: str = "elkan-noto"
    settings: dict[str, Any] | None = None
    prior: Any = "auto"
    random_state: Any = None
    _takes_reviewed: ClassVar[bool] = False
    _min_labeled: ClassVar[int] = 2

    def needs_prior(self) -> bool:
        """Say whether the algorithm is the one that takes a prior."""
        return self.algorithm == "nnpu"

    def _fit(self, rows: Any, rng: np.random.Generator) -> None:
        check_choice(self.algorithm, _CLASSES, "algorithm of pulearn")
        peer = getattr(_require("pulearn"), _CLASSES[self.algorithm])
        rows = _rows_as_taken(peer, "pulearn", rows)
        model = peer(**self._as_documented(rows.y)).set_params(**(self.settings or {}))
        rows = self._encode(rows)
        if self.algorithm in _HOLD_OUT and model.random_state is None:
            self.model_ = _fit_until_held_out(model, rows, rng)
        else:
            self.model_ = _fit_copy(model, rows, rng)

    def _as_documented(self, y: NDArray[np.int8]) -> Mapping[str, Any]:
        """Return the parameters of an estimator as pulearn's documentation shows them."""
        n_labeled, n_unlabeled = int((y == 1).sum()), int((y == 0).sum())
        if self.algorithm in _HOLD_OUT:
            given = {"estimator": RandomForestClassifier(300), "hold_out_ratio": 0.2}
            counts = {"labeled": n_labeled, "unlabeled": n_unlabeled}
            return given if self.algorithm == "elkan-noto" else {**given, **counts}
        if self.algorithm == "bagging":  # its out-of-bag scores cost time and are not used
            forest = RandomForestClassifier(20)
            return {"estimator": forest, "n_estimators": 15, "oob_score": False}
        if self.algorithm == "nnpu":
            # Half a row at least: pulearn takes no prior of 0.
            return {"prior": max(self.prior_ * len(y) - n_labeled, 0.5) / n_unlabeled}
        return {}

    def _scores(self, X: Any) -> Any:
        encoded = self.encoder_.transform(X)
        if self.algorithm == "nnpu":
            return self.model_.decision_function(encoded)
        proba = self.model_.predict_proba(encoded)[:, 1]
        return _log_odds_in_order(proba)  # Elkan and Noto's methods give some above 1


def _fit_copy(model: Any, rows: Any, rng: np.random.Generator) -> Any:
    return _seeded_copy(model, rng).fit(rows.X, rows.y, **_weights_as_taken(rows))


def _fit_until_held_out(model: Any, rows: Any, rng: np.random.Generator) -> Any:
    """Return a copy fitted with the first hold-out that gives a label frequency."""
    last: Exception | None = None
    for _ in range(_MAX_DRAWS):
        try:
            return _fit_copy(model, rows, rng)
        except (ValueError, IndexError) as error:  # an index: all labeled rows were held out
            if last is None:  # what it wraps must fit all rows, or the settings are at fault
                _seeded_copy(model.estimator, rng).fit(rows.X, rows.y)
            last = error
    raise ValueError(
        f"{type(model).__name__} of pulearn must find a label frequency, got none from "
        f"{_MAX_DRAWS} hold-outs: {last} Label more rows."
    )


class _Peer(NamedTuple):
    """A class of another package, and how it is kept quiet and to some threads."""

    module: str
    name: str
    threads: str
    quiet: Mapping[str, Any] = MappingProxyType({})

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]


_PEERS = {
    "catboost": _Peer(
        "catboost",
        "CatBoostClassifier",
        "thread_count",
        {"verbose": False, "allow_writing_files": False},
    ),
    "lightgbm": _Peer("lightgbm", "LGBMClassifier", "n_jobs", {"verbosity": -1}),
    "easy-ensemble": _Peer("imblearn.ensemble", "EasyEnsembleClassifier", "n_jobs"),
    "balanced-forest": _Peer("imblearn.ensemble", "BalancedRandomForestClassifier", "n_jobs"),
}


@dataclass(eq=False, repr=False)
class SupervisedPeerClassifier(EncodedClassifier):
    """Fit a classifier of another package with its default settings.

    Unlabeled and reviewed rows are treated as negative. Missing values and categories are
    encoded as for the linear methods and nets of lopsided: a missing number becomes the mean
    and a flag, a category a column for each level. Columns are standardized, which changes
    none of these classifiers: all of them split columns by order.

    Parameters
    ----------
    algorithm : str, default="catboost"
        "catboost", "lightgbm", or imbalanced-learn's "easy-ensemble" and "balanced-forest".
    settings : dict or None, default=None
        Parameters of the package's estimator other than its defaults.
    n_jobs : int or None, default=None
        Threads, or processes of the easy ensemble; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the package's estimator.

    Attributes
    ----------
    model_ : estimator of the package
        The fitted estimator, for LightGBM its booster; None where no column varies, so that
        there is nothing to fit.

    Notes
    -----
    CatBoost's and LightGBM's treatment of missing values and categories is not used here. The
    easy ensemble takes no sample weights: rows are repeated instead.

    References
    ----------
    Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin: CatBoost. NeurIPS 2018. Ke et al.: LightGBM.
    NIPS 2017. Liu, Wu, Zhou: Exploratory undersampling for class-imbalance learning. IEEE TSMC
    2009. Chen, Liaw, Breiman: Using random forest to learn imbalanced data. 2004.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = SupervisedPeerClassifier(
    ...     "balanced-forest", {"n_estimators": 20}, random_state=0
    ... )
    >>> bool(y[model.fit(X, y).decision_function(X).argmax()])  # a labeled row is the first
    True
    """

    algorithm: str = "catboost"
    settings: dict[str, Any] | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: Any, rng: np.random.Generator) -> None:
        check_choice(self.algorithm, _PEERS, "algorithm of another package")
        peer = _PEERS[self.algorithm]
        make = getattr(_require(peer.module), peer.name)
        rows = self._encode(_rows_as_taken(make, peer.package, rows))
        given = {
            **peer.quiet,
            peer.threads: self._n_threads(),
            "random_state": int(rng.integers(2**31)),
            **(self.settings or {}),
        }
        self.base_score_ = float(np.log(rows.labeled_share) - np.log1p(-rows.labeled_share))
        if (rows.X[0] == rows.X).all():  # CatBoost would refuse it
            self.model_ = None
        else:
            with warnings.catch_warnings():  # on a handful of rows; nothing to be done
                warnings.filterwarnings("ignore", "Using the fractional value max_samples")
                model = make(**given).fit(rows.X, rows.y, **_weights_as_taken(rows))
            self.model_ = model.booster_ if self.algorithm == "lightgbm" else model

    def _scores(self, X: Any) -> Any:
        if self.model_ is None:
            return np.full(len(X), self.base_score_)
        encoded = self.encoder_.transform(X)
        if self.algorithm == "catboost":
            raw = {"prediction_type": "RawFormulaVal", "thread_count": self._n_threads()}
            return self.model_.predict(encoded, **raw)
        if self.algorithm == "lightgbm":
            return self.model_.predict(encoded, raw_score=True, num_threads=self._n_threads())
        return _log_odds_in_order(self.model_.predict_proba(encoded)[:, 1])


_DETECTORS = {
    "knn": "KNN",
    "lof": "LOF",
    "hbos": "HBOS",
    "ocsvm": "OCSVM",
    "iforest": "IForest",
}


@dataclass(eq=False, repr=False)
class XGBODClassifier(EncodedClassifier):
    """Fit PyOD's XGBOD with its default settings, with unlabeled rows as negatives.

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
        The fitted estimator, which contains the training rows.

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

    def _fit(self, rows: Any, rng: np.random.Generator) -> None:
        make = _require("pyod.models.xgbod").XGBOD
        rows = self._encode(_rows_as_taken(make, "pyod", rows))
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
            detector = getattr(_require(f"pyod.models.{name}"), _DETECTORS[name])()
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
        return _log_odds_in_order(proba.astype(np.float64))

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Limit the threads of detectors, and ignore their warnings.

        PyOD passes labels to detectors that take none, and to XGBoost a parameter that it no
        longer has; both cause a warning each time.
        """
        with threadpool_limits(self._n_threads(), user_api="openmp"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
