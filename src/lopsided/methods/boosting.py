"""Boosted trees on any PU risk, by XGBoost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from lopsided._math import normalized
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_choice, check_count, check_magnitude, is_real, require
from lopsided._warnings import warn
from lopsided.methods._categories import fit_level_map, map_levels
from lopsided.methods._estimate import fused_estimate
from lopsided.methods._label_totals import fit_intercept_only
from lopsided.methods._objective import fused_objective
from lopsided.methods._risk_classifier import RiskClassifier, check_hold_out, hold_out
from lopsided.methods.additive import AdditiveScores, settle
from lopsided.methods.base import Accepts
from lopsided.priors.estimation import PriorLike
from lopsided.risks import ClipAtZero, Risk, ifpu

__all__ = ["BoostedRiskClassifier"]

CURVATURE_FLOOR = 1e-6  # XGBoost divides by the curvature of a leaf
_MANY_LEVELS = 32  # of a category, above which its splits are kept small
MEAN_ROWS = 64  # that the mean terms are taken over
# Parameters that XGBoost knows by the same names.
_TREES = ("learning_rate", "max_depth", "max_leaves", "max_bin", "grow_policy")
_REGULARIZERS = ("min_child_weight", "reg_lambda", "reg_alpha", "max_delta_step")
# The least that each whole number may be; trees without a limit have 0.
_COUNTS = {"n_estimators": 1, "max_depth": 0, "max_leaves": 0, "n_parallel_trees": 1}
_COUNTS |= {"max_bin": 2, "max_cat_threshold": 1, "early_stopping_rounds": 1}
_MAY_BE_NONE = ("max_cat_threshold", "early_stopping_rounds")
_SHARES = ("subsample", "colsample_bytree", "colsample_bylevel", "colsample_bynode")


@dataclass(eq=False, repr=False)
class BoostedRiskClassifier(RiskClassifier):
    """Boost trees on a PU risk with XGBoost.

    A risk is a mean over rows. XGBoost adds up gradients, and its regularizers (`reg_lambda`,
    `min_child_weight`) are measured against these sums: `gradient_scale` says how much of a row
    each row counts for. It decides the quality of a ranking more than any other knob.

    Parameters
    ----------
    risk : Risk or None, default=None
        What to lower; None is `ifpu(clamp=ClipAtZero())`, the focused PU risk.
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the whole table; "auto" estimates it, see `lopsided.priors`.
    n_estimators : int, default=100
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
        rows for the best number of rounds. None runs all, and so do fewer than 4 labeled rows
        among those held out.
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
    n_estimators_ : int
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
    risk: Risk | None = None
    prior: PriorLike = "auto"
    n_estimators: int = 100
    learning_rate: float = 0.3
    max_depth: int = 6
    gradient_scale: float = 0.2
    n_parallel_trees: int = 1
    min_child_weight: float = 1.0
    min_split_loss: float = 0.0
    reg_lambda: float = 1.0
    reg_alpha: float = 0.0
    max_delta_step: float = 0.0
    max_leaves: int = 0
    max_bin: int = 256
    grow_policy: str = "depthwise"
    max_cat_threshold: int | None = None
    subsample: float = 1.0
    colsample_bytree: float = 1.0
    colsample_bylevel: float = 1.0
    colsample_bynode: float = 1.0
    monotone_constraints: Sequence[int] | None = None
    early_stopping_rounds: int | None = None
    validation_fraction: float = 0.2
    n_jobs: int | None = None
    random_state: Any = None

    def _default_risk(self) -> Risk:
        return ifpu(clamp=ClipAtZero())

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        self._check_settings(rows.X)
        self.risk_ = self._checked_risk()
        self.zeros_are_absent_ = issparse(rows.X)
        self.level_maps_ = {
            position: fit_level_map(rows.X[:, position], n_levels, rows.weight)
            for position, n_levels in self._levels().items()
        }
        kept = np.flatnonzero(rows.weight > 0)
        some = rows.X[kept[:: -(-len(kept) // MEAN_ROWS)]]
        self._boost(replace(rows, X=self._as_trained(rows.X)), some, rng)

    def _boost(
        self,
        rows: TrainingRows,
        some: Any,
        rng: np.random.Generator,
        checkpoint: Callable[..., Any] | None = None,
    ) -> None:
        """Boost on rows as trees see them; the mean terms are those of some rows as given.

        X of the rows may be a matrix of XGBoost that is binned already.
        """
        start = fit_intercept_only(self.risk_, rows, self.prior_)
        params = self._params(int(rng.integers(2**31)), start)
        self.n_estimators_ = int(self.n_estimators)
        if self.early_stopping_rounds is not None:
            self.n_estimators_ = self._best_n_estimators(rows, params)
        if checkpoint is None:
            self.booster_ = self._train(rows, params, self.n_estimators_)
        else:
            params["seed_per_iteration"] = 1  # a round's draws do not depend on those before
            self.booster_ = checkpoint(
                lambda n, booster: self._train(rows, params, n, start=booster), params
            )
        self.mean_terms_ = self._terms(self._matrix(some)).mean(axis=0)

    def _advise(self) -> None:
        if not self.feature_importances_.any():
            warn(
                "No split lowered the risk: every row has the same score. Raise gradient_scale "
                "or target_prior, or lower min_child_weight.",
            )

    def _check_settings(self, X: Any) -> None:
        """Refuse what XGBoost would take for something else or answer with a stack trace."""
        for name, least in _COUNTS.items():
            value = getattr(self, name)
            if value is not None or name not in _MAY_BE_NONE:
                check_count(value, name, least)
        for name in ("gradient_scale", "learning_rate", *_SHARES):
            most = 1 if name in _SHARES else math.inf
            value = getattr(self, name)
            if not (is_real(value) and 0 < value <= most):
                raise ValueError(
                    f"{name} must be above 0{f' and at most {most}' if most == 1 else ''}, "
                    f"got {quote(value)}."
                )
        for name in ("min_split_loss", *_REGULARIZERS):
            value = getattr(self, name)
            if not (is_real(value) and value >= 0):
                raise ValueError(f"{name} must be at least 0, got {quote(value)}.")
        check_choice(self.grow_policy, ("depthwise", "lossguide"), "grow_policy")
        check_hold_out(self.validation_fraction)
        signs = self.monotone_constraints
        told = np.asarray([] if signs is None else signs, dtype=object)
        known = all(is_real(one) and one in (-1, 0, 1) for one in told.ravel().tolist())
        if signs is not None and not (known and told.shape == X.shape[1:]):
            raise ValueError(
                f"monotone_constraints must hold -1, 0 or 1 for each of {X.shape[1]} columns, "
                f"got {quote(signs)}."
            )

    def _params(self, seed: int, start: float) -> dict[str, Any]:
        """Return the parameters under XGBoost's names."""
        alike = (*_TREES, *_REGULARIZERS, *_SHARES)
        params = {name: getattr(self, name) for name in alike} | {
            "gamma": self.min_split_loss,
            "num_parallel_tree": self.n_parallel_trees,
            "max_cat_threshold": self._category_threshold(),
            "tree_method": "hist",
            "base_score": start,
            "disable_default_eval_metric": 1,
            "nthread": self._n_threads(),
            "seed": seed,
        }
        if self.monotone_constraints is not None:
            signs = tuple(int(sign) for sign in self.monotone_constraints)
            params["monotone_constraints"] = signs
        return params

    def _category_threshold(self) -> int:
        """Return how many levels a split may set apart, by the most that have rows."""
        if self.max_cat_threshold is not None:
            return int(self.max_cat_threshold)
        most = max((found.n_codes for found in self.level_maps_.values()), default=0)
        return 4 if most > _MANY_LEVELS else 64

    def _feature_types(self) -> list[str] | None:
        if not self.categorical_:
            return None
        return ["c" if i in self.categorical_ else "q" for i in range(self.n_features_in_)]

    def _binned(self, rows: TrainingRows, like: Any = None) -> Any:
        """Return rows binned by their weighted quantiles; `like` lends its bins."""
        xgboost: Any = require("xgboost")
        if isinstance(rows.X, xgboost.DMatrix):
            return rows.X
        return xgboost.QuantileDMatrix(
            rows.X,
            weight=rows.sample_weight,
            ref=like,
            max_bin=self.max_bin,
            nthread=self._n_threads(),
            feature_types=self._feature_types(),
            enable_categorical=True,
        )

    def _train(
        self,
        rows: TrainingRows,
        params: dict[str, Any],
        n_estimators: int,
        validation: TrainingRows | None = None,
        start: Any = None,
    ) -> Any:
        """Return a booster, stopped early where the risk of other rows is at its lowest.

        Rounds are added to those of `start`, if there is one.
        """
        matrix, scale = self._binned(rows), self.gradient_scale * rows.weight.sum()
        options: dict[str, Any] = {}
        if validation is not None:
            unweighted = replace(validation, weight=np.ones(len(validation)))
            estimate = fused_estimate(self.risk_, validation, self.prior_)

            def risk_of_validation(scores: NDArray[Any], _: Any) -> tuple[str, float]:
                return "risk", estimate(scores)

            options = {
                "evals": [(self._binned(unweighted, like=matrix), "validation")],
                "custom_metric": risk_of_validation,
                "early_stopping_rounds": self.early_stopping_rounds,
            }
        objective = fused_objective(
            self.risk_, rows, self.prior_, scale, CURVATURE_FLOOR, n_threads=self._n_threads()
        )
        with Bar(n_estimators, "boosting") as bar:
            return require("xgboost").train(
                params,
                matrix,
                n_estimators,
                obj=objective,
                callbacks=[_show_progress(bar)],
                verbose_eval=False,
                xgb_model=start,
                **options,
            )

    def _best_n_estimators(self, rows: TrainingRows, params: dict[str, Any]) -> int:
        """Return the number of rounds after which held-out rows have the lowest risk."""
        split = hold_out(rows, self.validation_fraction, params["seed"])
        if split is None:
            return int(self.n_estimators)
        train, validation = split
        booster = self._train(train, params, self.n_estimators, validation)
        return int(booster.best_iteration) + 1

    def _scores(self, X: Any) -> NDArray[Any]:
        if not self.zeros_are_absent_ and issparse(X):
            return _by_blocks(self._scores, X)
        margins = self.booster_.predict(self._matrix(X), output_margin=True)
        return self._log_odds(margins.astype(np.float64))

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return sums of XGBoost's Shapley values about their means in training, as log-odds.

        XGBoost weights rows by the curvature of the risk. That of a focused risk lies where
        positives are: its base stands above nearly all rows, and columns would seem to lower
        the score of even those that rank high.
        """
        if not self.zeros_are_absent_ and hasattr(X, "toarray"):
            X = X.toarray()
        matrix = self._matrix(X)
        terms = self._terms(matrix)
        margins = self.booster_.predict(matrix, output_margin=True)
        mean, own_base = self.mean_terms_[:-1], terms[:, -1]
        sums = settle(own_base + mean.sum(), terms[:, :-1] - mean, margins)
        return sums.mapped(self._log_odds)

    def _terms(self, matrix: Any) -> NDArray[np.float64]:
        """Return the Shapley values of each row, and at the end XGBoost's base."""
        return self.booster_.predict(matrix, pred_contribs=True).astype(np.float64)

    def _log_odds(self, margins: NDArray[np.float64]) -> NDArray[Any]:
        return self.risk_.log_odds(margins, self.prior_)

    def _matrix(self, X: Any) -> Any:
        return require("xgboost").DMatrix(
            self._as_trained(X),
            nthread=self._n_threads(),
            feature_types=self._feature_types(),
            enable_categorical=True,
        )

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
        return normalized(gains, like=gains)


def _by_blocks(
    scores: Callable[[Any], NDArray[Any]], X: Any, n_rows: int = 4096
) -> NDArray[Any]:
    """Score a sparse matrix as dense blocks of rows, so that memory stays small."""
    starts = range(0, X.shape[0], n_rows)
    return np.concatenate([scores(X[start : start + n_rows].toarray()) for start in starts])


def _show_progress(bar: Bar) -> Any:
    callback: Any = require("xgboost").callback.TrainingCallback

    class ShowProgress(callback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            bar.advance()
            return False

    return ShowProgress()
