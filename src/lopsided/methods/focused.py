"""The flagship: learners that err in different ways, fused by what the labels say of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, check_memory

from lopsided._check import check_choice, check_magnitude
from lopsided._math import normalized
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.methods._members import (
    MIN_TO_FOLD,
    WEIGHTINGS,
    Member,
    fit_member,
    list_members,
    select_members,
    weight_members,
)
from lopsided.methods._normal_scores import fit_normal_scores
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["FocusedClassifier"]

_MAX_KNN_ROWS = 10_000  # rows: their cost grows with the square
_MAX_DENSE = 2**28  # values of a sparse table: 2 GiB
_BLOCK = 65_536  # rows scored at once
_MIN_SLOPE = 1e-3  # so that scores rise with the fusion, whatever the labels say


# Bagged trees, folds and members, where None is all that a table can afford.
_PRESETS: dict[str, tuple[int, int, Sequence[str] | None]] = {
    "full": (1000, 5, None),
    "fast": (200, 3, ("bagged-trees", "logistic")),
}


@dataclass(eq=False, repr=False)
class FocusedClassifier(PUClassifier):
    """An ensemble of boosters, forests and logistic regression, weighted by the labels.

    Every member is fitted on the same rows, unlabeled ones taken for what their risk takes
    them for. Its scores become normal by where a row stands among the training rows, scored
    out-of-bag or out-of-fold, and are added up. The weight of a member grows with its mean
    log-rank: how far up it puts labeled rows that it has not seen. No prior is needed and no
    negatives.

    Parameters
    ----------
    estimators : sequence of str or None, default=None
        Names of the members that take part: "bagged-trees", "extra-trees", "booster",
        "logistic", "knn"; None is those of the preset that a table of this size can afford.
    weighting : {"log-rank", "equal", "best"}, default="log-rank"
        Whether members count by their mean log-rank, alike, or the best one alone.
    preset : {"full", "fast"}, default="full"
        "fast" keeps most of the quality at about a tenth of the cost.
    gamma : float, default=3.0
        How fast easy rows fade in the risk of the focused boosters.
    target_prior : float or "prior", default=0.5
        The share of positives that the focused boosters train for, or a rough guess of the real
        one, twice the labeled share.
    memory : str, joblib.Memory or None, default=None
        Where to cache fitted members, as in scikit-learn's `Pipeline`: another fit with the
        same rows, labels and seed takes them from there. None caches nothing.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all. Scores are the same for any number.
    random_state : int, Generator or None, default=None
        Seed of all members.

    Attributes
    ----------
    estimators_ : dict of str to FittedMember
        The fitted members: `models`, and `out_of_fold`, their scores of the training rows.
    weights_ : dict of str to float
        What each member counts, 1 in sum.
    member_scores_ : dict of str to float
        The mean log-rank of each member's out-of-fold scores.
    can_judge_ : bool
        Whether enough rows are labeled to leave some out and judge members by them.
    oob_decision_function_ : ndarray of shape (n_rows,)
        Scores of the training rows by models that have not seen them; NaN for rows of weight
        0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = FocusedClassifier(preset="fast", random_state=0).fit(X, y)
    >>> model.decision_function(X[:5]).shape
    (5,)
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, sparse=True, categories=True)
    estimators: Sequence[str] | None = None
    weighting: Literal["log-rank", "equal", "best"] = "log-rank"
    preset: Literal["full", "fast"] = "full"
    gamma: float = 3.0
    target_prior: float | Literal["prior"] = 0.5
    memory: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_choice(self.weighting, WEIGHTINGS, "weighting")
        check_choice(self.preset, _PRESETS, "preset")
        if isinstance(self.target_prior, str):
            check_choice(self.target_prior, ("prior",), "target_prior")
        kept = rows.weight > 0
        rows = TrainingRows(_as_dense(rows.X), rows.y, rows.weight)
        if not kept.all():
            rows = rows.take(kept)  # a row that does not count must not judge members either
        if rows.y.sum() < 2:
            raise ValueError(
                "sample_weight must be above 0 for at least 2 labeled rows, got "
                f"{rows.y.sum()}. Weigh more of them."
            )
        self._fit_members(rows, seed=int(rng.integers(2**31)))
        weights, scores = weight_members(rows.y, self.estimators_.values(), self.weighting)
        self.weights_ = dict(zip(self.estimators_, weights.tolist(), strict=True))
        self.member_scores_ = dict(zip(self.estimators_, scores.tolist(), strict=True))
        raw = {name: one.out_of_fold for name, one in self.estimators_.items()}
        self.normal_scores_ = {
            name: fit_normal_scores(own, np.ones(len(own))) for name, own in raw.items()
        }
        fused = self._fuse(raw)
        self.slope_, self.intercept_ = _fit_platt_scaling(fused, rows)
        self.can_judge_ = bool(rows.y.sum() >= MIN_TO_FOLD)
        self.oob_decision_function_ = np.full(len(kept), np.nan)
        self.oob_decision_function_[kept] = self.intercept_ + self.slope_ * fused

    def _fit_members(self, rows: TrainingRows, seed: int) -> None:
        fit = check_memory(self.memory).cache(fit_member, ignore=["n_threads"])
        wanted, schema = self._team(len(rows)), self._schema()
        _, n_folds, _ = _PRESETS[self.preset]
        # Fewer models where each sees plenty of rows.
        most = 5 if len(rows) < 20_000 else 3 if len(rows) < 200_000 else 2
        n_folds = min(n_folds, most)
        self.estimators_ = {}
        with Bar(len(wanted), "fitting members") as bar:
            for member in wanted:
                self.estimators_[member.name] = fit(
                    member, rows, schema, member.seed(seed), n_folds, self._n_threads()
                )
                bar.advance()

    def _team(self, n_rows: int) -> list[Member]:
        """Return the members that take part: those asked for, or those a table can afford."""
        target = None if self.target_prior == "prior" else self.target_prior
        n_bagged_trees, _, names = _PRESETS[self.preset]
        everyone = list_members(n_rows, n_bagged_trees, self.gamma, target)
        names = names if self.estimators is None else self.estimators
        if names is not None:
            return select_members(everyone, names)
        few = n_rows <= _MAX_KNN_ROWS
        return [one for one in everyone if few or one.name != "knn"]

    def _fuse(self, raw: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the weighted sum of raw scores, each made normal."""
        parts = (
            self.weights_[name] * self.normal_scores_[name].transform(scores)
            for name, scores in raw.items()
        )
        return np.sum(list(parts), axis=0)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        counted = {
            name: one for name, one in self.estimators_.items() if self.weights_[name] > 0
        }
        # By blocks, so that a sparse table is never dense as a whole and memory stays small.
        size = max(1, min(_BLOCK, _MAX_DENSE // X.shape[1]))
        blocks = (X[start : start + size] for start in range(0, X.shape[0], size))
        fused = [
            self._fuse({name: one.scores(dense) for name, one in counted.items()})
            for dense in map(_as_dense, blocks)
        ]
        return self.intercept_ + self.slope_ * np.concatenate(fused)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column, by the importances that members have, times their weights.

        "knn" has none: what it counts is left out, and alone it leaves zeros.
        """
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        for name, fitted in self.estimators_.items():
            for model in fitted.models:
                own = getattr(model, "feature_importances_", total * 0)  # distances have none
                total += self.weights_[name] / len(fitted.models) * own
        return normalized(total, like=total)

    def describe(self) -> str:
        """Return in words which members carry this table, and why."""
        check_is_fitted(self)
        if not self.can_judge_:
            names = ", ".join(self.weights_)
            return f"All members count alike, too few rows are labeled to tell: {names}"
        first = {name: 100 * np.exp(-score) for name, score in self.member_scores_.items()}
        return "\n".join(
            f"{100 * weight:3.0f} %  {name}: {self.estimators_[name].title}; puts unseen "
            f"labeled rows in the first {first[name]:.2g} % (geometric mean)"
            for name, weight in sorted(self.weights_.items(), key=lambda item: -item[1])
        )


def _as_dense(X: Any) -> Any:
    """Return a table as an array: its learners read every value."""
    sparse: bool = issparse(X)
    if sparse and X.shape[0] * X.shape[1] > _MAX_DENSE:
        raise ValueError(
            f"A sparse X must hold at most {_MAX_DENSE:.0e} values once it is dense, got "
            f"shape {X.shape}. Select columns, or use focused-xgb, which keeps it sparse."
        )
    dense = X.toarray() if sparse else X
    check_magnitude(dense)
    return dense


def _fit_platt_scaling(fused: NDArray[np.float64], rows: TrainingRows) -> tuple[float, float]:
    """Return slope and intercept that turn fused scores into log-odds of a label."""
    times = rows.weight / rows.weight.mean()
    # Hardly any penalty: enough to keep the slope finite where labels are separated.
    model = LogisticRegression(C=100.0).fit(fused[:, None], rows.y, sample_weight=times)
    slope = float(model.coef_[0, 0])
    if slope >= _MIN_SLOPE:
        return slope, float(model.intercept_[0])
    share = float(np.average(rows.y, weights=times))
    at_mean = _MIN_SLOPE * float(np.average(fused, weights=times))
    return _MIN_SLOPE, float(np.log(share / (1 - share))) - at_mean
