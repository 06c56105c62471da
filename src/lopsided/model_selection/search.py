"""Search parameters by PU labels, and prefer the simple where the labels cannot tell."""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from lopsided._terminal import abbreviate, quote
from lopsided._validation import as_generator, check_choice, check_classifier, is_real
from lopsided._warnings import warn
from lopsided.methods._learners import seeded_copy
from lopsided.methods.base import takes_reviewed
from lopsided.metrics.scorers import make_pu_scorer
from lopsided.model_selection._part_fit import PartFit
from lopsided.model_selection._prior_of_parts import LabelSums
from lopsided.model_selection.out_of_fold import as_rows, list_splits, score_rows

__all__ = ["PUSearchCV"]

_PER_FOLD = 2  # labeled rows that a metric needs
# What makes a model simple, by the names that scikit-learn, XGBoost and our methods use.
_SIMPLE_IF_SMALL = {
    "C",
    "degree",
    "depth",
    "hidden_layer_sizes",
    "max_depth",
    "max_iter",
    "max_leaf_nodes",
    "max_leaves",
    "n_blocks",
    "n_components",
    "n_epochs",
    "n_estimators",
    "n_parallel_trees",
    "n_steps",
    "width",
}
_SIMPLE_IF_LARGE = {
    "alpha",
    "ccp_alpha",
    "l2_regularization",
    "min_child_weight",
    "min_impurity_decrease",
    "min_samples_leaf",
    "min_samples_split",
    "min_split_loss",
    "min_weight_fraction_leaf",
    "n_neighbors",
    "reg_alpha",
    "reg_lambda",
    "weight_decay",
}


def _best_has(name: str) -> Any:
    def check(self: "PUSearchCV") -> bool:
        return hasattr(getattr(self, "best_estimator_", self.estimator), name)

    return available_if(check)


class PUSearchCV(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Search parameters by cross-validation on PU labels.

    Every candidate is scored on the same folds, each with labeled rows. Of those whose mean is
    at most one standard error below the highest, the simplest is taken and refitted on all
    rows: with few labels the highest is mostly luck. The standard error over k folds is
    :math:`s / \sqrt k`, with s the standard deviation of the scores of the candidate with the
    highest mean. A candidate that gives all rows of a fold one score is never taken.

    Parameters
    ----------
    estimator : estimator
        A method or other classifier. A `prior` of a method that is a number is that of the
        whole table: the training rows of a fold have theirs by their share of labeled rows.
    param_grid : dict or list of dicts
        The values to try, by parameter, as in `GridSearchCV`; with `n_iter` also distributions,
        as in `RandomizedSearchCV`.
    n_iter : int or None, default=None
        Number of candidates to draw; None tries all.
    scoring : callable, str or None, default=None
        A scorer such as `lopsided.metrics.pu_roc_auc_scorer`, a scorer with a prior such as
        `make_pu_scorer("pu_roc_auc", prior=0.1)`, another function of (estimator, X, y), or a
        name of scikit-learn's scorers; larger is better. None is `pu_damped_log_rank_scorer`.
    cv : int, splitter or iterable of splits, default=5
        The folds; a number is that of `PUStratifiedKFold`, or of `PUGroupKFold` if there are
        groups, lowered until each fold has two labeled rows.
    complexity : callable, sequence of str or None, default=None
        What is simple: a function of a candidate's parameters, smaller = simpler; or parameters
        in order of importance, smaller = simpler, larger if written with a minus, as in
        ("max_depth", "-min_samples_leaf"), where None is larger than any number. By default
        every searched parameter that is known to make a model simple counts: small
        `n_estimators`, `max_depth`, `C` and their like, large `min_samples_leaf`, `reg_lambda`
        and theirs; a candidate is the simpler the fewer steps it is up their ladders. If none
        is known, the highest mean wins.
    n_standard_errors : float, default=1.0
        How far below the highest mean a simpler candidate may be; 0 takes the highest.
    random_state : int, Generator or None, default=None
        Seed of folds, of drawn candidates, and of an estimator that has none.
    n_jobs : int or None, default=None
        Number of fits at a time, as in `GridSearchCV`.

    Attributes
    ----------
    best_estimator_ : estimator
        The chosen candidate, fitted on all rows.
    best_params_ : dict
        Its parameters.
    best_score_, best_index_ : float, int
        Its mean score and its place in `cv_results_`.
    cv_results_ : dict of arrays
        As in `GridSearchCV`, with `std_error_test_score`, `complexity`, `constant` (whether a
        fold got one score only) and `within_standard_error`.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray
        The classes of the fitted estimator.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import build
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = (X[:, 0] + rng.normal(size=300) > 2.2).astype(int)
    >>> forest = build("naive-forest", n_estimators=20)
    >>> search = PUSearchCV(forest, {"max_depth": [2, 8, None]}, random_state=0).fit(X, y)
    >>> search.best_params_
    {'max_depth': 2}
    """

    def __init__(
        self,
        estimator,
        param_grid,
        *,
        n_iter=None,
        scoring=None,
        cv=5,
        complexity=None,
        n_standard_errors=1.0,
        random_state=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.n_iter = n_iter
        self.scoring = scoring
        self.cv = cv
        self.complexity = complexity
        self.n_standard_errors = n_standard_errors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> Self:
        """Score the candidates, choose one and fit it on all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The table.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
        groups : array of shape (n_rows,), optional
            Groups that must not be on both sides of a split; a method is given them in `fit`.
        **fit_params : dict
            For the estimator, for example `sample_weight`.
        """
        check_classifier(self.estimator)
        self._check_grid()
        if not (is_real(self.n_standard_errors) and float(self.n_standard_errors) >= 0):
            raise ValueError(
                "n_standard_errors must be a number from 0, got "
                f"{quote(self.n_standard_errors)}."
            )
        self.scorer_ = _ScoreAndCheck(self._resolve_scoring())
        rng = as_generator(self.random_state)
        rows = as_rows(X, y, groups=groups)
        splits = list_splits(self.cv, rows, groups, rng, least=_PER_FOLD)
        shared = {
            "scoring": self.scorer_,
            "cv": splits,
            "refit": self._choose,
            "n_jobs": self.n_jobs,
        }
        seeded = seeded_copy(self.estimator, rng)  # candidates differ by more than luck
        labels = rows.labels if takes_reviewed(seeded) else rows.y
        weight = fit_params.get("sample_weight")
        if weight is not None:
            weight = _check_sample_weight(weight, labels)
        model = PartFit(seeded, LabelSums.of(labels, weight))
        search: Any
        if self.n_iter is None:
            search = GridSearchCV(model, self.param_grid, **shared)
        else:
            seed = int(rng.integers(2**31))
            search = RandomizedSearchCV(
                model, self.param_grid, n_iter=self.n_iter, random_state=seed, **shared
            )
        with warnings.catch_warnings():  # a candidate without a score is passed over below
            warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
            try:
                search.fit(X, labels, row_groups=rows.groups, **fit_params)
            except ValueError as error:
                _tell_failures(error)
                raise
        self.n_splits_ = len(splits)
        self.cv_results_ = {**search.cv_results_, **self._judge(search.cv_results_)}
        self.best_index_ = int(search.best_index_)
        self.best_params_ = search.best_params_
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_estimator_ = search.best_estimator_.estimator
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        return self

    def score(self, X: Any, y: Any) -> float:
        """Return the score of the chosen estimator by `scoring`."""
        return self.scorer_(self._best(), X, y)["score"]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes that the chosen estimator predicts."""
        return self._best().predict(X)

    @_best_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of the chosen estimator."""
        return self._best().decision_function(X)

    @_best_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of the chosen estimator."""
        return self._best().predict_proba(X)

    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def _check_grid(self) -> None:
        """Refuse a grid of another form than scikit-learn's, or of parameters that are none."""
        grids = [self.param_grid] if isinstance(self.param_grid, Mapping) else self.param_grid
        if not isinstance(grids, list) or not all(isinstance(one, Mapping) for one in grids):
            raise ValueError(
                "param_grid must be a dict from parameters to lists of values, or a list of "
                f"such dicts, got {quote(self.param_grid)}. Pass for example {{'C': [0.1, 1]}}."
            )
        if not self.param_grid:
            raise ValueError(
                f"param_grid must hold a candidate, got {self.param_grid}. Name a parameter."
            )
        known = self.estimator.get_params()
        for name, values in (pair for one in grids for pair in one.items()):
            if "__" not in str(name):
                check_choice(name, known, f"parameter of {type(self.estimator).__name__}")
            if not _are_values(values) and (self.n_iter is None or not hasattr(values, "rvs")):
                raise ValueError(
                    f"param_grid must hold a list of values of {name}, got {quote(values)}. "
                    "Pass for example [0.1, 1]."
                )

    def _resolve_scoring(self) -> Callable[[Any, Any, Any], float]:
        if callable(self.scoring):
            return self.scoring
        if self.scoring is None:
            return make_pu_scorer("pu_damped_log_rank")
        check_choice(self.scoring, get_scorer_names(), "scoring")
        return get_scorer(self.scoring)

    def _choose(self, results: Mapping[str, Any]) -> int:
        """Return the place of the simplest candidate that is near the highest mean."""
        judged = self._judge(results)
        near = np.flatnonzero(judged["within_standard_error"])
        means = results["mean_test_score"]
        return int(min(near, key=lambda place: (judged["complexity"][place], -means[place])))

    def _judge(self, results: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return what the choice is made of, one value per candidate."""
        means = np.asarray(results["mean_test_score"], float)
        splits = [name for name in results if name.startswith("split")]
        folds = np.array([results[name] for name in splits if name.endswith("_test_score")])
        several = len(folds) > 1  # one split has no standard error
        errors = folds.std(axis=0, ddof=1) / np.sqrt(len(folds)) if several else means * np.nan
        constant = np.asarray(results["mean_test_constant"]) > 0
        usable = ~constant & np.isfinite(means)
        if not usable.any():
            raise ValueError(
                f"A candidate must tell rows apart in every fold, got {len(means)} that "
                "failed, had no score in a fold, or gave all its rows one score. Search other "
                "parameters, use fewer folds, or label more rows."
            )
        best = int(np.where(usable, means, -np.inf).argmax())
        least = means[best] - self.n_standard_errors * np.nan_to_num(errors[best])
        return {
            "std_error_test_score": errors,
            "constant": constant,
            "within_standard_error": usable & (means >= least),
            "complexity": rank_by_complexity(results["params"], self.complexity),
        }


class _ScoreAndCheck:
    """A score, and whether the rows were told apart at all."""

    def __init__(self, score: Callable[[Any, Any, Any], float]) -> None:
        self.score = score

    def __call__(self, estimator: Any, X: Any, y: Any) -> dict[str, float]:
        if isinstance(estimator, PartFit):  # a fold, which may have no other rows than reviewed
            estimator, y = estimator.estimator, y if (y == 0).any() else np.maximum(y, 0)
        scores = score_rows(estimator, X)
        constant = len(scores) > 1 and np.ptp(scores) == 0
        try:
            score = float(self.score(estimator, X, y))
        except ValueError as error:
            # scikit-learn takes a dict of scores, or an error, not both.
            warn(f"A fold has no score, and its candidate is passed over: {error}", UserWarning)
            score = np.nan
        return {"score": score, "constant": float(constant)}


def rank_by_complexity(
    candidates: Sequence[Mapping[str, Any]], complexity: Any = None
) -> NDArray[np.float64]:
    """Return a number for each candidate, smaller = simpler; see `PUSearchCV`."""
    if callable(complexity):
        return np.array([float(complexity(params)) for params in candidates])
    if complexity is None:
        names = sorted({name for params in candidates for name in params})
        ladders = [_climb(candidates, name, sign) for name in names if (sign := _sign_of(name))]
        return np.sum(ladders, axis=0) if ladders else np.zeros(len(candidates))
    if isinstance(complexity, str):
        complexity = [complexity]
    ladders = []
    for name in complexity:
        bare = name.removeprefix("-")
        known = {key for params in candidates for key in params}
        check_choice(bare, sorted(known), "searched parameter")
        ladders.append(_climb(candidates, bare, -1 if name != bare else 1))
    order = np.unique(np.column_stack(ladders), axis=0, return_inverse=True)[1]
    return order.ravel().astype(float)


def _sign_of(name: str) -> int:
    """Return 1 if small values of a parameter make it simple, -1 if large ones, else 0."""
    last = name.rpartition("__")[2]
    return (last in _SIMPLE_IF_SMALL) - (last in _SIMPLE_IF_LARGE)


def _climb(
    candidates: Iterable[Mapping[str, Any]], name: str, sign: int
) -> NDArray[np.float64]:
    """Return how many steps each candidate is above the simplest value of a parameter."""
    sizes = sign * np.array([_size(params.get(name)) for params in candidates])
    return np.unique(sizes, return_inverse=True)[1].ravel().astype(float)


def _size(value: Any) -> float:
    """Return a value as a number: None, no limit, is above all, layers are added up."""
    if value is None:
        return np.inf
    if isinstance(value, (list, tuple)):
        return float(sum(map(_size, value)))
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0  # a word such as "sqrt" is neither simple nor not


def _are_values(values: Any) -> bool:
    """Say whether there is a row of values to try."""
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and len(values) > 0
    return isinstance(values, Sequence) and not isinstance(values, str) and len(values) > 0


def _tell_failures(error: ValueError) -> None:
    """Raise an error that tells in a sentence why all fits failed, if that is what happened."""
    found = re.search(r"All the \d+ fits failed.*^\S*Error: (.*)", str(error), re.DOTALL | re.M)
    if found:
        reason = abbreviate(found[1].strip(), 240).rstrip(".")
        raise ValueError(
            f"param_grid must hold a candidate that can be fitted, got none: {reason}."
        ) from error
