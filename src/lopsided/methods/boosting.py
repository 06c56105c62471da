"""Boosted trees on any PU risk, by XGBoost."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.model_selection import train_test_split

from lopsided._check import check_magnitude, require
from lopsided._progress import Bar
from lopsided.methods._levels import fit_level_map, map_levels
from lopsided.methods._objective import fused_objective
from lopsided.methods._rows import TrainingRows
from lopsided.methods.base import Accepts, PUClassifier
from lopsided.risks import ClipAtZero, Risk, check_risk, ifpu

__all__ = ["BoostedRiskClassifier"]

_CURVATURE_FLOOR = 1e-6  # XGBoost divides by the curvature of a leaf
_MANY_LEVELS = 32  # of a category, above which its splits are kept small
_ENOUGH_LABELS = 2  # held-out positives: one alone cannot tell when to stop


class BoostedRiskClassifier(PUClassifier):
    """Boost trees on a PU risk with XGBoost.

    A risk is a mean over rows. XGBoost adds up gradients, and its regularizers (`reg_lambda`,
    `min_child_weight`) are measured against these sums: `gradient_scale` says how much of a row
    each row counts for. It decides the quality of a ranking more than any other knob.

    Parameters
    ----------
    risk : Risk or None, default=None
        What to lower; None is `ifpu(clamp=ClipAtZero())`, the focused PU risk.
    prior : float or None, default=None
        P(y_true = 1) in the whole table; None guesses twice the labeled share.
    n_rounds : int, default=100
        Number of boosting rounds, at most if they stop early.
    learning_rate : float, default=0.3
        Factor of each round's step.
    max_depth : int, default=6
        Depth of the trees.
    gradient_scale : float, default=0.2
        What a row's gradient is multiplied by, as a share of n: 1 lets each row of the risk
        weigh as one row does for XGBoost's own objectives, less lets the regularizers bite.
    n_parallel_trees : int, default=1
        Trees per round, averaged; pays with `subsample` or a column sample below 1.
    min_child_weight, min_split_loss, reg_lambda, reg_alpha, max_delta_step : float
        XGBoost's regularizers, with its defaults.
    max_leaves, max_bin, grow_policy : int, int, str
        XGBoost's tree parameters, with its defaults.
    max_cat_threshold : int or None, default=None
        The most levels of a category that a split tells from the others. None is 64, as in
        XGBoost, or 4 if a category has more than 32 levels: a risk in which labeled rows weigh
        much would else set apart all levels with a labeled row at once, and learn them by
        heart. Where such a category tells more than all other columns, raise it.
    subsample, colsample_bytree, colsample_bylevel, colsample_bynode : float, default=1.0
        Shares of rows and columns that a tree, a level and a node see.
    monotone_constraints : sequence of {-1, 0, 1} or None, default=None
        Per column, whether scores must fall, may do as they like, or must rise with it.
    early_stopping_rounds : int or None, default=None
        Stop when the risk of held-out rows has not improved for so many rounds, then fit all
        rows for the best number of rounds. None runs `n_rounds`, and so do fewer than 10
        labeled rows.
    validation_fraction : float, default=0.2
        Share of the rows to hold out for early stopping.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the row and column samples.

    Attributes
    ----------
    booster_ : xgboost.Booster
        The fitted trees.
    n_rounds_ : int
        Rounds that were run.
    level_maps_ : dict of int to LevelMap
        The position of each category column and the codes that its levels have in the trees.
    risk_ : Risk
        The risk that was lowered.
    zeros_are_absent_ : bool
        Whether X was sparse: zeros then take the way that missing values take, as they do in
        XGBoost, and a dense table to be scored is read alike.

    References
    ----------
    Zavitsanos, Paliouras: Focused PU learning from imbalanced data. Chen, Guestrin: XGBoost.
    KDD 2016.

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = BoostedRiskClassifier(prior=0.1, random_state=0).fit(X, y)
    >>> model.decision_function(X[:5]).shape
    (5,)
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, sparse=True, categories=True)

    def __init__(
        self,
        risk=None,
        prior=None,
        n_rounds=100,
        learning_rate=0.3,
        max_depth=6,
        gradient_scale=0.2,
        n_parallel_trees=1,
        min_child_weight=1.0,
        min_split_loss=0.0,
        reg_lambda=1.0,
        reg_alpha=0.0,
        max_delta_step=0.0,
        max_leaves=0,
        max_bin=256,
        grow_policy="depthwise",
        max_cat_threshold=None,
        subsample=1.0,
        colsample_bytree=1.0,
        colsample_bylevel=1.0,
        colsample_bynode=1.0,
        monotone_constraints=None,
        early_stopping_rounds=None,
        validation_fraction=0.2,
        n_jobs=None,
        random_state=None,
    ):
        self.risk = risk
        self.prior = prior
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.gradient_scale = gradient_scale
        self.n_parallel_trees = n_parallel_trees
        self.min_child_weight = min_child_weight
        self.min_split_loss = min_split_loss
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.max_delta_step = max_delta_step
        self.max_leaves = max_leaves
        self.max_bin = max_bin
        self.grow_policy = grow_policy
        self.max_cat_threshold = max_cat_threshold
        self.subsample = subsample
        self.colsample_bytree = colsample_bytree
        self.colsample_bylevel = colsample_bylevel
        self.colsample_bynode = colsample_bynode
        self.monotone_constraints = monotone_constraints
        self.early_stopping_rounds = early_stopping_rounds
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return self._risk().needs_prior

    def _scenario(self) -> str:
        return getattr(self._risk(), "scenario", "one-sample")

    def _risk(self) -> Risk:
        return check_risk(self.risk, default=ifpu(clamp=ClipAtZero()))

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        self._check_settings(X)
        self.risk_ = self._risk()
        self.risk_.check()
        self.zeros_are_absent_ = issparse(X)
        self.level_maps_ = {
            position: fit_level_map(X[:, position], n_levels, weight)
            for position, n_levels in self._levels().items()
        }
        X = self._as_trained(X)
        params = self._params(
            seed=int(rng.integers(2**31)),
            start=self.risk_.fit_intercept_only(y, self.prior_, weight),
        )
        params["max_cat_threshold"] = self._category_threshold()
        self.n_rounds_ = int(self.n_rounds)
        if self.early_stopping_rounds is not None:
            self.n_rounds_ = self._best_rounds(X, y, weight, params)
        self.booster_ = self._train(self.risk_, X, y, weight, params, self.n_rounds_)

    def _advise(self) -> None:
        if not self.feature_importances_.any():
            warnings.warn(
                "No split lowered the risk: every row has the same score. Raise gradient_scale "
                "or target_prior, or lower min_child_weight.",
                UserWarning,
                stacklevel=3,
            )

    def _check_settings(self, X: Any) -> None:
        """Refuse what XGBoost would take for something else or answer with a stack trace."""
        for name in ("n_rounds", "max_bin", "max_cat_threshold", "early_stopping_rounds"):
            least = 2 if name == "max_bin" else 1
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise ValueError(f"{name} must be at least {least}, got {value!r}.")
        for name in ("gradient_scale", "subsample"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be above 0, got {value!r}.")
        signs = self.monotone_constraints
        if signs is not None and (len(signs) != X.shape[1] or not set(signs) <= {-1, 0, 1}):
            raise ValueError(
                f"monotone_constraints must hold -1, 0 or 1 for each of {X.shape[1]} columns, "
                f"got {signs!r}."
            )

    def _params(self, seed: int, start: float) -> dict[str, Any]:
        """Return the settings under XGBoost's names."""
        params = {
            "eta": self.learning_rate,
            "max_depth": self.max_depth,
            "num_parallel_tree": self.n_parallel_trees,
            "min_child_weight": self.min_child_weight,
            "gamma": self.min_split_loss,
            "lambda": self.reg_lambda,
            "alpha": self.reg_alpha,
            "max_delta_step": self.max_delta_step,
            "max_leaves": self.max_leaves,
            "max_bin": self.max_bin,
            "grow_policy": self.grow_policy,
            "subsample": self.subsample,
            "colsample_bytree": self.colsample_bytree,
            "colsample_bylevel": self.colsample_bylevel,
            "colsample_bynode": self.colsample_bynode,
            "tree_method": "hist",
            "base_score": start,
            "disable_default_eval_metric": 1,
            "nthread": self._n_threads(),
            "seed": seed,
        }
        if self.monotone_constraints is not None:
            params["monotone_constraints"] = tuple(
                int(sign) for sign in self.monotone_constraints
            )
        return params

    def _category_threshold(self) -> int:
        """Return how many levels a split may set apart, by the most that have rows."""
        if self.max_cat_threshold is not None:
            return int(self.max_cat_threshold)
        most = max((found.n_codes for found in self.level_maps_.values()), default=0)
        return 4 if most > _MANY_LEVELS else 64

    def _matrix(self, X: Any, weight: Any = None, like: Any = None) -> Any:
        """Return X binned for training, by the weighted quantiles; `like` lends its bins."""
        return require("xgboost").QuantileDMatrix(
            X,
            weight=weight,
            ref=like,
            max_bin=self.max_bin,
            nthread=self._n_threads(),
            feature_types=self._feature_types(),
            enable_categorical=True,
        )

    def _feature_types(self) -> list[str] | None:
        if not self.categorical_:
            return None
        return ["c" if i in self.categorical_ else "q" for i in range(self.n_features_in_)]

    def _train(
        self,
        risk: Risk,
        X: Any,
        y: NDArray[np.int8],
        weight: Any,
        params: dict[str, Any],
        n_rounds: int,
        held_out: Any = None,
        **options: Any,
    ) -> Any:
        matrix = self._matrix(X, None if (weight == 1).all() else weight)
        n_rows = len(y) if weight is None else weight.sum()
        objective = fused_objective(
            risk, y, self.prior_, weight, self.gradient_scale * n_rows, _CURVATURE_FLOOR
        )
        if held_out is not None:
            options["evals"] = [(self._matrix(held_out, like=matrix), "held_out")]
        with Bar(n_rounds, "boosting") as bar:
            return require("xgboost").train(
                params,
                matrix,
                n_rounds,
                obj=objective,
                callbacks=[_show_progress(bar)],
                verbose_eval=False,
                **options,
            )

    def _best_rounds(
        self, X: Any, y: NDArray[np.int8], weight: Any, params: dict[str, Any]
    ) -> int:
        """Return the number of rounds after which held-out rows have the lowest risk."""
        rows, held_out = train_test_split(
            np.arange(len(y)),
            test_size=self.validation_fraction,
            stratify=y,
            random_state=params["seed"],
        )
        if not _enough_labels(y[held_out]):
            return int(self.n_rounds)
        held_weight = None if weight is None else weight[held_out]
        held_risk = self.risk_.take(held_out)

        def held_out_risk(scores: NDArray[Any], _: Any) -> tuple[str, float]:
            scores = scores.astype(float)
            return "risk", float(
                held_risk.estimate(scores, y[held_out], self.prior_, held_weight)
            )

        booster = self._train(
            self.risk_.take(rows),
            X[rows],
            y[rows],
            None if weight is None else weight[rows],
            params,
            self.n_rounds,
            held_out=X[held_out],
            custom_metric=held_out_risk,
            early_stopping_rounds=self.early_stopping_rounds,
        )
        return int(booster.best_iteration) + 1

    def _scores(self, X: Any) -> NDArray[Any]:
        if not self.zeros_are_absent_ and issparse(X):
            return _by_blocks(self._scores, X)
        matrix = require("xgboost").DMatrix(
            self._as_trained(X),
            nthread=self._n_threads(),
            feature_types=self._feature_types(),
            enable_categorical=True,
        )
        margins = self.booster_.predict(matrix, output_margin=True)
        return self.risk_.log_odds(margins.astype(np.float64), self.prior_)

    def _as_trained(self, X: Any) -> Any:
        """Return X as XGBoost saw it: a zero that was absent in training is absent.

        So is a level without rows there, which XGBoost would send to the same side everywhere.
        """
        values: Any = getattr(X, "data", X) if issparse(X) else X
        check_magnitude(values)
        if not self.zeros_are_absent_:
            return map_levels(X, self.level_maps_)
        X = csr_matrix(X, copy=True)
        X.eliminate_zeros()
        return X

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the total gain that each column's splits brought; zeros without a split."""
        gains = np.zeros(self.n_features_in_)
        for name, gain in self.booster_.get_score(importance_type="total_gain").items():
            gains[int(name[1:])] = gain
        total = gains.sum()
        return gains / total if total > 0 else gains


def _by_blocks(
    scores: Callable[[Any], NDArray[Any]], X: Any, n_rows: int = 4096
) -> NDArray[Any]:
    """Score a sparse matrix as dense blocks of rows, so that memory stays small."""
    starts = range(0, X.shape[0], n_rows)
    return np.concatenate([scores(X[start : start + n_rows].toarray()) for start in starts])


def _enough_labels(y: NDArray[np.int8]) -> bool:
    n_labeled = int(y.sum())
    if n_labeled < _ENOUGH_LABELS:
        warnings.warn(
            f"Early stopping needs {_ENOUGH_LABELS} labeled rows among those held out, got "
            f"{n_labeled}: all rounds are run. Raise validation_fraction.",
            UserWarning,
            stacklevel=5,
        )
    return n_labeled >= _ENOUGH_LABELS


def _show_progress(bar: Bar) -> Any:
    callback: Any = require("xgboost").callback.TrainingCallback

    class ShowProgress(callback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            bar.advance()
            return False

    return ShowProgress()
