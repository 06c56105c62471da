"""Forests and trees on labeled and unlabeled counts, by this library's own engine."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from lopsided._math import normalized
from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_choice, check_count
from lopsided.methods._categories import fit_level_map, map_levels
from lopsided.methods._cross_fit import assign_folds, cross_fit
from lopsided.methods.additive import AdditiveScores, settle
from lopsided.methods.base import Accepts, PUClassifier
from lopsided.priors.estimation import PriorLike
from lopsided.trees.binning import MAX_LEVELS
from lopsided.trees.criteria import CRITERIA
from lopsided.trees.forest import Forest, OutOfBag, grow_forest, make_out_of_bag, shap_layout
from lopsided.trees.paths import mean_path_terms
from lopsided.trees.sampling import Bootstrap, Sampling
from lopsided.trees.splitting import make_tree_params

__all__ = ["PUForestClassifier"]

_MIN_SHARE_OUT = 0.2  # of the rows, below which as many trees cost more than folds
_FOLDS = 5  # of the rows that are in every bag, held out in turn for out-of-bag scores


@dataclass(eq=False, repr=False)
class PUForestClassifier(PUClassifier):
    """Grow a forest on labeled and unlabeled rows.

    A row's score is the mean over trees of the labeled share of its leaf, as log-odds: above
    0 a row looks more labeled than not, or, where the criterion knows the prior, more positive
    than not.

    Parameters
    ----------
    criterion : {"gini", "entropy", "hellinger", "pu-hellinger", "nnpu"}, default="gini"
        The split criterion. The first three take unlabeled rows for negatives, the others
        correct for the positives among them and need a prior.
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the whole table, for the criteria that need it; "auto" estimates it.
    n_estimators : int, default=100
        Number of trees.
    max_depth : int or None, default=None
        Depth of the trees; None grows them until their leaves are pure.
    min_samples_leaf : int, default=1
        Least number of rows in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns tried at a node: a number, a share, or all of them.
    splitter : {"best", "random"}, default="best"
        Whether a column is split at its best value or at a random one, as in extra trees.
    sampling : Sampling or None, default=None
        How each tree's rows are drawn: `Bootstrap()`, which None is, `StratifiedBootstrap()`,
        `Bagging(ratio)` or `WholeTable()`.
    oob_score : bool or "unlabeled", default=False
        Whether to compute out-of-bag scores of the training rows, or of the unlabeled ones
        alone, in whose trees all labeled rows may be.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all. The trees are the same for any number.
    random_state : int, Generator or None, default=None
        Seed of the samples, columns and random splits.

    Attributes
    ----------
    forest_ : Forest
        The grown trees.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of the criterion's gain that each column's splits brought.
    oob_decision_function_ : ndarray of shape (n_rows,)
        Out-of-bag scores of the training rows, NaN for one that is in every bag. Where the
        sampling has all labeled rows in every bag, they come from forests grown for the
        purpose, each without a fifth of them, or are NaN if `oob_score` is "unlabeled".

    References
    ----------
    Breiman: Random forests. Machine Learning 2001. Geurts, Ernst, Wehenkel: Extremely
    randomized trees. Machine Learning 2006. Ortega Vazquez, vanden Broucke, De Weerdt:
    Hellinger distance decision trees for PU learning in imbalanced data sets. Machine Learning
    2024.
    Wilton, Koay, Ko, Xu, Ye: Positive-unlabeled learning using random forests via recursive
    greedy risk minimization. NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = PUForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> model.decision_function(X[:5]).shape
    (5,)
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)
    criterion: str = "gini"
    prior: PriorLike = "auto"
    n_estimators: int = 100
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: str | float | None = "sqrt"
    splitter: Literal["best", "random"] = "best"
    sampling: Sampling | None = None
    oob_score: bool | Literal["unlabeled"] = False
    n_jobs: int | None = None
    random_state: Any = None

    def needs_prior(self) -> bool:
        """Say whether the criterion corrects for hidden positives."""
        return CRITERIA[check_choice(self.criterion, CRITERIA, "criterion")].needs_prior

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        self.label_frequency_ = rows.labeled_share / self.prior_
        self._check_params()
        # Of other columns the trees themselves know which levels have rows, node by node.
        self.merged_levels_ = {
            position: fit_level_map(rows.X[:, position], n_levels, rows.weight, MAX_LEVELS)
            for position, n_levels in self._levels().items()
            if n_levels > MAX_LEVELS
        }
        rows = replace(rows, X=map_levels(rows.X, self.merged_levels_))
        seed = int(rng.integers(2**31))
        in_passing = self.oob_score == "unlabeled" or (
            self.oob_score and self._sampling().leaves_out_labeled
        )
        sums = make_out_of_bag(len(rows)) if in_passing else None
        self.forest_ = self._grow(rows, seed, sums)
        if self.oob_score:
            total, n_trees = self._cross_fit(rows, seed) if sums is None else sums
            shares = np.where(n_trees > 0, total / np.maximum(n_trees, 1), np.nan)
            self.oob_decision_function_ = self._log_odds(shares)

    def with_oob_scores(self, y: NDArray[np.int8]) -> PUClassifier | None:
        """Return a copy in which each unlabeled row is out of about `n_estimators` bags."""
        self._check_params()
        bag = self._sampling().draw(np.maximum(y, 0), np.random.default_rng(0))
        share_out = float((bag[y == 0] == 0).mean())
        if share_out < _MIN_SHARE_OUT:
            return None
        n_estimators = math.ceil(self.n_estimators / share_out)
        return clone(self).set_params(oob_score="unlabeled", n_estimators=n_estimators)

    def _check_params(self) -> None:
        if self.oob_score not in (True, False, "unlabeled"):
            raise ValueError(
                f"oob_score must be True, False or 'unlabeled', got {quote(self.oob_score)}."
            )
        check_choice(self.splitter, ("best", "random"), "splitter")
        check_count(self.n_estimators, "n_estimators")
        check_count(self.min_samples_leaf, "min_samples_leaf")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth")
        if isinstance(self.sampling, type) or not hasattr(self._sampling(), "draw"):
            raise ValueError(
                f"sampling must be a scheme such as Bootstrap(), got {quote(self.sampling)}."
            )

    def _sampling(self) -> Sampling:
        return Bootstrap() if self.sampling is None else self.sampling

    def _grow(self, rows: TrainingRows, seed: int, out_of_bag: OutOfBag | None) -> Forest:
        n_features = rows.X.shape[1]
        return grow_forest(
            rows.X,
            rows.y,
            rows.weight,
            categorical=np.isin(np.arange(n_features), self.categorical_),
            params=make_tree_params(
                self.criterion,
                1 / self.label_frequency_,
                self.splitter,
                self.max_depth,
                self.min_samples_leaf,
                _n_features(self.max_features, n_features),
            ),
            sampling=self._sampling(),
            n_trees=int(self.n_estimators),
            seed=seed,
            n_threads=self._n_threads(),
            out_of_bag=out_of_bag,
        )

    def _cross_fit(self, rows: TrainingRows, seed: int) -> OutOfBag:
        """Return out-of-bag sums of forests that each lack a fifth of the rows of every bag.

        All rows are scored by such forests, so that labeled and unlabeled ones compare.
        """
        labels = (1,) if self._sampling().leaves_out_unlabeled else (0, 1)
        rngs = {label: np.random.default_rng([seed, label]) for label in labels}
        fold_of = assign_folds(rows.y, _FOLDS, rngs)

        def fit(kept: TrainingRows, fold: int) -> tuple[OutOfBag, Any]:
            kept_sums = make_out_of_bag(len(kept))
            forest = self._grow(kept, seed + 1 + fold, kept_sums)
            return kept_sums, lambda X: len(forest) * forest.mean_value(X, self._n_threads())

        kept_sums, held_out_total = cross_fit(rows, fold_of, fit)
        total, n_trees = make_out_of_bag(len(rows))
        for fold, (kept_total, kept_n_trees) in enumerate(kept_sums):
            held_out = fold_of == fold
            total[held_out] += held_out_total[held_out]
            total[~held_out] += kept_total
            n_trees[held_out] += len(self.forest_)
            n_trees[~held_out] += kept_n_trees
        return OutOfBag(total, n_trees)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        return self._log_odds(
            self.forest_.mean_value(map_levels(X, self.merged_levels_), self._n_threads())
        )

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return sums along the paths of the trees, as log-odds."""
        X = map_levels(X, self.merged_levels_)
        shares = self.forest_.mean_value(X, self._n_threads())
        return settle(*mean_path_terms(self.forest_, X), shares).mapped(self._log_odds)

    def _log_odds(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return labeled shares as log-odds, finite and without ties that the shares lack."""
        least = 0.5 / (len(self.forest_) + 1)
        inside = least + (1 - 2 * least) * shares
        even = self.label_frequency_ / 2 if self.needs_prior() else 0.5
        boundary = least + (1 - 2 * least) * even
        return np.log(inside / (1 - inside)) - np.log(boundary / (1 - boundary))

    def to_shap(self) -> dict[str, Any]:
        """Return the forest as `shap.TreeExplainer` takes it; it explains the labeled share."""
        check_is_fitted(self)
        return shap_layout(self.forest_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the criterion's gain that each column's splits brought."""
        gains = np.maximum(self.forest_.gains, 0)
        return normalized(gains, like=gains)


def _n_features(wanted: Any, n_features: int) -> int:
    """Return how many columns a node looks at."""
    if wanted is None:
        return n_features
    if wanted == "sqrt":
        return max(int(np.sqrt(n_features)), 1)
    if wanted == "log2":
        return max(int(np.log2(n_features)), 1)
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool) and wanted >= 1:
        return min(int(wanted), n_features)
    if isinstance(wanted, float) and 0 < wanted <= 1:
        return max(int(wanted * n_features), 1)
    raise ValueError(
        "max_features must be 'sqrt', 'log2', a number of columns, a share of them or None, "
        f"got {quote(wanted)}."
    )
