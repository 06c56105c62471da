"""Forests and trees on labeled and unlabeled counts, by this library's own engine."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from lopsided._check import as_generator, check_choice, check_labels
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.methods._frames import as_pandas
from lopsided.methods._levels import fit_level_map, map_levels
from lopsided.methods.base import Accepts, PUClassifier
from lopsided.metrics import roc_auc
from lopsided.trees.binning import MAX_LEVELS
from lopsided.trees.criteria import CRITERIA
from lopsided.trees.sampling import Bootstrap

__all__ = ["PUForestClassifier"]

_FOLDS = 5  # of the rows that every bag holds, left out in turn for out-of-bag scores


class PUForestClassifier(PUClassifier):
    """Grow a forest on labeled and unlabeled rows.

    A row's score is the mean over trees of the labeled share of its leaf, as log-odds: above
    0 a row looks more labeled than not, or, where the criterion knows the prior, more positive
    than not.

    Parameters
    ----------
    criterion : {"gini", "entropy", "hellinger", "pu-hellinger", "nnpu"}, default="gini"
        What a split is chosen by. The first three take unlabeled rows for negatives, the others
        correct for the positives among them and need a prior.
    prior : float or None, default=None
        P(y_true = 1) in the whole table, for the criteria that need it; None guesses.
    n_estimators : int, default=100
        Number of trees.
    max_depth : int or None, default=None
        Depth of the trees; None grows them until their leaves are pure.
    min_samples_leaf : int, default=1
        Least number of rows in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns tried at a node: a number, a share, or all of them.
    cuts : {"best", "random"}, default="best"
        Whether a column is cut at its best value or at a random one, as in extra trees.
    sampling : Sampling or None, default=None
        How each tree's rows are drawn: `Bootstrap()`, which None is, `StratifiedBootstrap()`,
        `Bagging(ratio)` or `WholeTable()`.
    oob_score : bool, default=False
        Whether to score the training rows by the trees that have not seen them.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all. The trees are the same for any number.
    random_state : int, Generator or None, default=None
        Seed of the samples, columns and cuts.

    Attributes
    ----------
    forest_ : Forest
        The grown trees.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of the criterion's gain that each column's splits brought.
    oob_decision_function_ : ndarray of shape (n_rows,)
        Scores of the training rows by trees that have not seen them, NaN where all have. Where
        the sampling keeps all labeled rows in every bag, they come from forests grown for the
        purpose, each without a fifth of them.

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

    def __init__(
        self,
        criterion="gini",
        prior=None,
        n_estimators=100,
        max_depth=None,
        min_samples_leaf=1,
        max_features="sqrt",
        cuts="best",
        sampling=None,
        oob_score=False,
        n_jobs=None,
        random_state=None,
    ):
        self.criterion = criterion
        self.prior = prior
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.cuts = cuts
        self.sampling = sampling
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    def needs_prior(self) -> bool:
        """Say whether the criterion knows the prior."""
        check_choice(self.criterion, CRITERIA, "criterion")
        return CRITERIA[self.criterion].takes_prior

    def _sampling(self) -> Any:
        return Bootstrap() if self.sampling is None else self.sampling

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        self.label_frequency_ = float(np.average(y, weights=weight)) / self.prior_
        rules = self._rules(X.shape[1])
        # Of other columns the trees themselves know which levels have rows, node by node.
        self.merged_levels_ = {
            position: fit_level_map(X[:, position], n_levels, weight, MAX_LEVELS)
            for position, n_levels in self._levels().items()
            if n_levels > MAX_LEVELS
        }
        X = map_levels(X, self.merged_levels_)
        seed = int(rng.integers(2**31))
        self.forest_, unseen = self._grow(X, y, weight, rules, seed, self.oob_score)
        if unseen is not None:
            if not self._sampling().leaves_out_labeled:
                unseen = self._cross_fit(X, y, weight, rules, seed)
            self.oob_decision_function_ = self._log_odds(unseen.mean())

    def _grow(
        self, X: Any, y: NDArray[np.int8], weight: Any, rules: Any, seed: int, out_of_bag: bool
    ) -> tuple[Any, Any]:
        from lopsided.trees.forest import grow_forest

        return grow_forest(
            X,
            y,
            weight,
            categorical=np.isin(np.arange(X.shape[1]), self.categorical_),
            rules=rules,
            sampling=self._sampling(),
            n_trees=int(self.n_estimators),
            seed=seed,
            n_threads=self._n_threads(),
            out_of_bag=bool(out_of_bag),
        )

    def _rules(self, n_features: int) -> Any:
        from lopsided.trees.splitting import Rules

        check_choice(self.cuts, ("best", "random"), "kind of cuts")
        for name in ("n_estimators", "min_samples_leaf", "max_depth"):
            value = getattr(self, name)
            if value is None and name == "max_depth":
                continue
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number from 1, got {value!r}.")
        if isinstance(self.sampling, type) or not hasattr(self._sampling(), "draw"):
            raise ValueError(
                f"sampling must be a scheme such as Bootstrap(), got {self.sampling!r}."
            )
        criterion = CRITERIA[self.criterion]
        return Rules(
            criterion=criterion.code,
            merge_runs=criterion.convex and self.min_samples_leaf == 1,
            gain_ignores_size=criterion.gain_ignores_size,
            inverse_label_frequency=1.0 / self.label_frequency_,
            random_cuts=self.cuts == "random",
            max_depth=2**31 if self.max_depth is None else int(self.max_depth),
            min_samples_leaf=int(self.min_samples_leaf),
            max_features=_n_features(self.max_features, n_features),
        )

    def _log_odds(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return labeled shares as log-odds, finite and without ties that the shares lack."""
        room = 0.5 / (len(self.forest_) + 1)
        inside = room + (1 - 2 * room) * shares
        even = self.label_frequency_ / 2 if self.needs_prior() else 0.5
        boundary = room + (1 - 2 * room) * even
        return np.log(inside / (1 - inside)) - np.log(boundary / (1 - boundary))

    def _scores(self, X: Any) -> NDArray[np.float64]:
        return self._log_odds(
            self.forest_.mean_value(map_levels(X, self.merged_levels_), self._n_threads())
        )

    def _cross_fit(
        self, X: Any, y: NDArray[np.int8], weight: Any, rules: Any, seed: int
    ) -> Any:
        """Return what forests say that are grown without a fifth of the rows no bag leaves out.

        All rows are scored by such forests, so that labeled and unlabeled ones compare.
        """
        from lopsided.trees.forest import OutOfBag

        n_rows, always_in = len(y), y == 1
        if not self._sampling().leaves_out_unlabeled:
            always_in = np.ones(n_rows, bool)
        fold_of = np.full(n_rows, -1)
        for label in (0, 1):
            rows = np.flatnonzero(always_in & (y == label))
            shuffled = np.random.default_rng([seed, label]).permutation(len(rows))
            fold_of[rows] = shuffled % _FOLDS
        total, n_trees = np.zeros(n_rows), np.zeros(n_rows, np.int64)
        for fold in range(_FOLDS):
            kept, held_out = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            if not len(held_out):
                continue
            forest, unseen = self._grow(
                X[kept],
                y[kept],
                None if weight is None else weight[kept],
                rules,
                seed + 1 + fold,
                out_of_bag=True,
            )
            total[kept] += unseen.total
            n_trees[kept] += unseen.n_trees
            total[held_out] += len(forest) * forest.mean_value(X[held_out], self._n_threads())
            n_trees[held_out] += len(forest)
        return OutOfBag(total, n_trees)

    def permutation_importances(
        self, X: Any, y: Any, n_repeats: int = 5, random_state: Any = 0
    ) -> NDArray[np.float64]:
        """Return how much worse labeled rows stand out once a column is shuffled.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            Rows that the forest has not been grown on, if possible.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled.
        n_repeats : int, default=5
            Shuffles per column.
        random_state : int, Generator or None, default=0
            Seed of the shuffles.

        Returns
        -------
        ndarray of shape (n_features, n_repeats)
            The fall of the chance that a labeled row outranks an unlabeled one.
        """
        check_is_fitted(self)
        table = np.array(self._numbers(as_pandas(X), reset=False), order="C")
        labels, rng = check_labels(y), as_generator(random_state)
        whole = roc_auc(labels, self._scores(table))
        falls = np.empty((table.shape[1], n_repeats))
        with Bar(falls.size, "shuffling columns") as bar:
            for feature in range(table.shape[1]):
                column = table[:, feature].copy()
                for repeat in range(n_repeats):
                    table[:, feature] = rng.permutation(column)
                    falls[feature, repeat] = whole - roc_auc(labels, self._scores(table))
                    bar.advance()
                table[:, feature] = column
        return falls

    def to_shap(self) -> dict[str, Any]:
        """Return the forest as `shap.TreeExplainer` takes it; it explains the labeled share."""
        check_is_fitted(self)
        from lopsided.trees.explain import shap_layout

        return shap_layout(self.forest_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the criterion's gain that each column's splits brought."""
        gains = np.maximum(self.forest_.gains, 0)
        total = gains.sum()
        return gains / total if total > 0 else gains


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
        f"got {wanted!r}."
    )
