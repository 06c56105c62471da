"""Classifiers of other packages that people use on such tables, unlabeled rows as negatives."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lopsided._check import check_choice, require
from lopsided._rows import TrainingRows
from lopsided.methods._encoders import EncodedClassifier
from lopsided_bench._peer_parts import log_odds_in_order, rows_as_taken, weights_as_taken

__all__ = ["SupervisedPeerClassifier"]


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
    """Fit a classifier of another package with its default settings, as most people do.

    Unlabeled rows are taken for negatives, and so are reviewed ones. Missing values and
    categories are encoded as for our linear methods and nets: a missing number is the mean and
    a flag, a category a column for each level. Columns are standardized, which none of these
    classifiers minds: all of them split columns by order.

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
        The fitted estimator, of LightGBM its booster; None where no column varies, so that
        there is nothing to fit.

    Notes
    -----
    CatBoost and LightGBM have ways of their own for missing values and categories, which are
    not used here. The easy ensemble takes no sample weights: rows are repeated instead.

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

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_choice(self.algorithm, _PEERS, "algorithm of another package")
        peer = _PEERS[self.algorithm]
        make = getattr(require(peer.module), peer.name)
        rows = self._encode(rows_as_taken(make, peer.package, rows))
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
            with warnings.catch_warnings():  # of a handful of rows, and nothing to be done
                warnings.filterwarnings("ignore", "Using the fractional value max_samples")
                model = make(**given).fit(rows.X, rows.y, **weights_as_taken(rows))
            self.model_ = model.booster_ if self.algorithm == "lightgbm" else _slim(model)

    def _scores(self, X: Any) -> Any:
        if self.model_ is None:
            return np.full(len(X), self.base_score_)
        encoded = self.encoder_.transform(X)
        if self.algorithm == "catboost":
            raw = {"prediction_type": "RawFormulaVal", "thread_count": self._n_threads()}
            return self.model_.predict(encoded, **raw)
        if self.algorithm == "lightgbm":
            return self.model_.predict(encoded, raw_score=True, num_threads=self._n_threads())
        return log_odds_in_order(self.model_.predict_proba(encoded)[:, 1])


def _slim(model: Any) -> Any:
    """Return a model without what samplers of imbalanced-learn keep of the training rows."""
    from sklearn.base import clone

    for name in ("samplers_", "pipelines_", "base_sampler_"):  # of the balanced forest
        vars(model).pop(name, None)
    for part in getattr(model, "estimators_", ()):
        if hasattr(part, "steps"):  # of the easy ensemble: a sampler, then its classifier
            (name, sampler), *others = part.steps
            part.steps = [(name, clone(sampler)), *others]
    return model
