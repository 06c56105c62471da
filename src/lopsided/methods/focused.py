"""The flagship: learners that err in different ways, fused by what the labels say of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, check_memory

from lopsided._math import normalized, sigmoid
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided._validation import check_choice, check_magnitude, check_prior
from lopsided.calibration.maps import CalibrationMap, fit_calibration
from lopsided.calibration.metrics import pu_calibration_error
from lopsided.methods._local_outliers import fit_local_outliers, widen_schema
from lopsided.methods._members import (
    MIN_TO_FOLD,
    WEIGHTINGS,
    FittedMember,
    Member,
    count_apart,
    fit_member,
    list_splits,
    weight_members,
)
from lopsided.methods._normal_scores import fit_normal_scores
from lopsided.methods._outliers import OutlierClassifier
from lopsided.methods._teams import PRESETS, RiskParams, choose_team
from lopsided.methods.additive import AdditiveScores, add_weighted
from lopsided.methods.base import Accepts, PUClassifier, as_pandas
from lopsided.priors import estimate_prior
from lopsided.priors.estimation import MIN_LABELED, PriorLike, warn_unidentified
from lopsided.priors.registry import is_estimated, resolve_prior
from lopsided.risks.risk import REVIEWED_WEIGHT

__all__ = ["FocusedClassifier", "OutlierClassifier"]

_MAX_DENSE = 2**28  # values of a sparse table: 2 GiB
_BLOCK = 65_536  # rows scored at once


@dataclass(eq=False, repr=False)
class FocusedClassifier(PUClassifier):
    """An ensemble of forests, boosters, logistic regression and kNN, weighted by the labels.

    Every member is fitted on the same rows, unlabeled ones taken for what their risk takes
    them for. Its scores become normal by where a row stands among the training rows, scored
    out-of-bag or out-of-fold, and are added up. The weight of a member grows with its mean
    log-rank: how far up it puts labeled rows that it has not seen. The order needs no prior and
    no negatives. While fewer than 7 rows are labeled, log-ranks are little trusted: the bagged
    trees have a head start, and outliers, found without any label, have a share that fades from
    a twentieth to nothing.

    Two of the forests also see two columns that no label is read for: the distance of a row to
    its neighbors, and its local outlier factor; not in the fast preset, above 10,000 rows, or
    with `groups` or `cv`. As labels grow, logistic regression counts less.

    Scores are log-odds of being positive, calibrated on the labels of rows that were not seen:
    `predict_proba` is the chance to be positive, given the prior.

    Parameters
    ----------
    estimators : sequence of str or None, default=None
        Names of the members that take part: "bagged-trees", "undersampled-trees",
        "entropy-trees", "extra-trees", "booster", "logistic", "logistic-standardized", "knn",
        "outliers"; None is those of the preset that a table of this size can afford, with
        "extra-trees" from 50 labeled rows on, and with "outliers", which reads no labels, while
        fewer than 7 rows are labeled.
    weighting : {"log-rank", "equal", "best"}, default="log-rank"
        Whether members count by their mean log-rank, alike, or the best one alone.
    preset : {"full", "fast"}, default="full"
        "fast" keeps most of the quality at about a tenth of the cost.
    gamma : float, default=3.0
        How fast easy rows fade in the risk of the focused boosters.
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the whole table, for probabilities alone: the order of the rows does
        not depend on it. "auto" estimates it, as other names of `list_priors` and estimators
        such as `AutoPrior(Beta.around(0.05))` do, with a warning where it is not identified.
    target_prior : float or "prior", default=0.5
        The share of positives that the focused boosters train for, or a rough guess of the real
        one, twice the labeled share.
    reviewed_weight : float, default=5.0
        As how many rows a reviewed negative (y = -1) counts for the members.
    cv : int, splitter, iterable of splits or None, default=None
        How rows are left out to judge the members, for example `PUTimeSplit`; each member is
        then fitted on all rows once more. Rows that no split tests on judge nobody. A
        number is one of folds. None leaves rows out at random, out-of-bag or in folds. With
        `groups` of `fit` both have folds of whole groups.
    memory : str, joblib.Memory or None, default=None
        Where to cache fitted members, as in scikit-learn's `Pipeline`: another fit with the
        same rows, labels and seed takes them from there. None caches nothing.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all. Scores are the same for any number.
    random_state : int, Generator or None, default=None
        Seed of all members.

    Attributes
    ----------
    local_outliers_ : LocalOutliers or None
        What adds the distance to neighbors and the local outlier factor to a table; None where
        no member sees them.
    estimators_ : dict of str to FittedMember
        The fitted members: `models`, and `out_of_fold`, their scores of the training rows.
    dropped_ : list of str
        Members that a first fold showed to be so far behind that they would count less than
        2 % of the bagged trees; their other folds are not fitted. None with `estimators`,
        `memory` or another `weighting`.
    weights_ : dict of str to float
        What each member counts, 1 in sum.
    member_scores_ : dict of str to float
        The mean log-rank of each member's out-of-fold scores.
    can_judge_ : bool
        Whether enough rows are labeled to leave some out and judge members by them.
    prior_ : float
        The prior of the probabilities: given, or estimated from the out-of-fold scores.
    prior_estimate_ : PriorEstimate
        Where it was estimated: its interval, and whether the table identifies it.
    calibration_ : CalibrationMap
        From fused scores to log-odds of being positive.
    calibration_error_ : float
        The expected calibration error of the training rows, out-of-fold, from their labels; NaN
        below 5 labeled rows, which are too few to measure it.
    oob_decision_function_ : ndarray of shape (n_rows,)
        Scores of the training rows by models that have not seen them; NaN for rows of weight
        0, and for those that `cv` never tests on.

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
    prior: PriorLike = "auto"
    target_prior: float | Literal["prior"] = 0.5
    reviewed_weight: float = REVIEWED_WEIGHT
    cv: Any = None
    memory: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_choice(self.weighting, WEIGHTINGS, "weighting")
        check_choice(self.preset, PRESETS, "preset")
        if isinstance(self.target_prior, str):
            check_choice(self.target_prior, ("prior",), "target_prior")
        if is_estimated(self.prior):
            resolve_prior(self.prior)
        else:
            self.prior_ = check_prior(self.prior, rows.labeled_share, or_auto=True)
        kept = rows.weight > 0
        rows = replace(rows, X=_as_dense(rows.X))
        if not kept.all():
            rows = rows.take(kept)  # a row that does not count must not judge members either
        self._fit_members(rows, seed=int(rng.integers(2**31)))
        raw = {name: one.out_of_fold for name, one in self.estimators_.items()}
        judged = ~np.isnan(next(iter(raw.values())))
        if not judged.all():  # by a splitter that does not test on every row
            kept[kept] = judged
            rows, raw = rows.take(judged), {name: own[judged] for name, own in raw.items()}
        weights, scores = weight_members(rows, raw, self.weighting)
        self.weights_ = dict(zip(self.estimators_, weights.tolist(), strict=True))
        self.member_scores_ = dict(zip(self.estimators_, scores.tolist(), strict=True))
        self.normal_scores_ = {
            name: fit_normal_scores(own, np.ones(len(own))) for name, own in raw.items()
        }
        self.can_judge_ = rows.splits is not None or count_apart(rows, 1) >= MIN_TO_FOLD
        self.oob_decision_function_ = np.full(len(kept), np.nan)
        self.oob_decision_function_[kept] = self._calibrate(self._fuse(raw), rows, rng)

    def _check_rows(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> TrainingRows:
        rows = super()._check_rows(X, y, sample_weight, groups)
        if self.cv is None:
            return rows
        return replace(rows, splits=list_splits(self.cv, as_pandas(X), rows))

    def uses_prior(self) -> bool:
        """Say that probabilities depend on a prior."""
        return True

    def needs_prior(self) -> bool:
        """Say that the ranking does not."""
        return False

    def with_oob_scores(self, y: NDArray[np.int8]) -> PUClassifier:
        """Return a copy: every fit scores its own training rows."""
        return clone(self)

    def _advise(self) -> None:
        if is_estimated(self.prior):
            # The same words for every table: a comparison fits many, and needs to hear it once.
            warn_unidentified(
                self.prior_estimate_,
                "This table does not identify the prior, so that probabilities are little more "
                "than a guess; the order of the rows does not depend on it, and describe() "
                "says more.",
            )

    def _calibrate(
        self, fused: NDArray[np.float64], rows: TrainingRows, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Settle the prior, and return the log-odds that fused scores stand for."""
        if is_estimated(self.prior):
            own = rng.spawn(1)[0]
            self.prior_estimate_ = estimate_prior(
                rows.counted_labels,
                fused,
                method=self.prior,
                weight=rows.sample_weight,
                random_state=own,
            )
            self.prior_ = self.prior_estimate_.value
        self.calibration_: CalibrationMap = fit_calibration(
            fused, rows.y, self.prior_, sample_weight=rows.weight
        )
        log_odds = self.calibration_.transform(fused)
        self.calibration_error_ = np.nan
        if rows.y.sum() >= MIN_LABELED:
            self.calibration_error_ = pu_calibration_error(
                rows.y, sigmoid(log_odds), self.prior_, sample_weight=rows.weight
            )
        return log_odds

    def _fit_members(self, rows: TrainingRows, seed: int) -> None:
        fit = check_memory(self.memory).cache(fit_member, ignore=["n_threads"])
        n_rows, n_features = rows.X.shape
        wanted = self._team(n_rows, n_features, count_apart(rows, 1))
        if rows.groups is not None or rows.splits is not None:
            # Neighbors would be rows of the same group, or of a later time.
            wanted = [replace(member, sees_outliers=False) for member in wanted]
        wide = self._fit_local_outliers(rows, wanted)
        best = None
        heavier = rows.weigh_reviewed(self.reviewed_weight)
        # Fewer models where each sees plenty of rows.
        most = 5 if len(rows) < 20_000 else 3 if len(rows) < 200_000 else 2
        n_folds = min(PRESETS[self.preset].n_folds, most)
        self.estimators_, self.dropped_ = {}, []
        # Fits that share members by a memory may weight them otherwise.
        may_drop = (self.estimators, self.memory, self.weighting) == (None, None, "log-rank")
        with Bar(len(wanted), "fitting members") as bar:
            for member in wanted:
                own, schema = rows if member.lowers_risk else heavier, self._schema()
                if member.sees_outliers:
                    own, schema = replace(own, X=wide), widen_schema(schema)
                given = (member, own, schema, member.seed(seed), n_folds, self._n_threads())
                found = fit(*given, best)
                if found is None:
                    self.dropped_.append(member.name)
                else:
                    self.estimators_[member.name] = found
                if may_drop and best is None and found is not None:
                    best = found.out_of_fold
                bar.advance()

    def _team(self, n_rows: int, n_features: int, n_labeled: int) -> list[Member]:
        """Return the members that take part: those asked for, or those a table can afford."""
        target = None if self.target_prior == "prior" else self.target_prior
        risk = RiskParams(self.gamma, target, self.reviewed_weight)
        table = (n_rows, n_features, n_labeled)
        return choose_team(PRESETS[self.preset], *table, risk, self.estimators)

    def _fit_local_outliers(self, rows: TrainingRows, members: Sequence[Member]) -> Any:
        """Return the widened table of members that see local outliers; None without them."""
        self.local_outliers_ = None
        if not any(member.sees_outliers for member in members):
            return None
        found = fit_local_outliers(rows, self._levels(), self._n_threads())
        self.local_outliers_, wide = found
        return wide

    def _widen(self, X: Any) -> Any:
        """Return a table as those members see it that see local outliers."""
        if self.local_outliers_ is None:
            return X
        return self.local_outliers_.widen(X)

    def _table_of(self, member: FittedMember, X: Any) -> Any:
        """Return a table as a member sees it."""
        return self._widen(X) if member.sees_outliers else X

    def _score_members(self, X: Any) -> dict[str, NDArray[np.float64]]:
        """Return the raw scores of every member that has a weight."""
        counted = self._counted()
        wide = self._widen(X) if any(one.sees_outliers for one in counted.values()) else X
        return {
            name: one.scores(wide if one.sees_outliers else X) for name, one in counted.items()
        }

    def _fuse(self, raw: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the weighted sum of raw scores, each made normal."""
        parts = (
            self.weights_[name] * self.normal_scores_[name].transform(scores)
            for name, scores in raw.items()
        )
        return np.sum(list(parts), axis=0)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        # By blocks, so that a sparse table is never dense as a whole and memory stays small.
        size = max(1, min(_BLOCK, _MAX_DENSE // X.shape[1]))
        blocks = (X[start : start + size] for start in range(0, X.shape[0], size))
        fused = [self._fuse(self._score_members(dense)) for dense in map(_as_dense, blocks)]
        return self.calibration_.transform(np.concatenate(fused))

    def _counted(self) -> dict[str, FittedMember]:
        """Return the members that have a weight."""
        return {name: one for name, one in self.estimators_.items() if self.weights_[name] > 0}

    def _additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return the members' sums, through normal scores and calibration, weighted."""
        dense, counted = _as_dense(X), self._counted()
        others = None if background is None else _as_dense(background)
        wide = wide_others = None
        if any(one.sees_outliers for one in counted.values()):
            wide = self._widen(dense)
            wide_others = None if others is None else self._widen(others)
        parts = []
        for name, one in counted.items():
            if self.local_outliers_ is not None and one.sees_outliers:
                found = one.additive_scores(wide, wide_others, seed)
                found = self.local_outliers_.narrow(found, dense)
            else:
                found = one.additive_scores(dense, others, seed)
            parts.append(found.mapped(self.normal_scores_[name].transform))
        fused = add_weighted(parts, [self.weights_[name] for name in counted])
        return fused.mapped(self.calibration_.transform)

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
                if self.local_outliers_ is not None and fitted.sees_outliers:
                    own = self.local_outliers_.narrow_importances(own)
                total += self.weights_[name] / len(fitted.models) * own
        return normalized(total, like=total)

    def describe(self) -> str:
        """Return in words which members carry this table and why, and what its scores mean."""
        check_is_fitted(self)
        return f"{self._describe_members()}\n{self._describe_probabilities()}"

    def _describe_probabilities(self) -> str:
        given = f"The prior is {self.prior_:.3g}, as given."
        prior = str(getattr(self, "prior_estimate_", given))  # parameters may have moved on
        error = (
            "too few labeled rows to measure calibration."
            if np.isnan(self.calibration_error_)
            else f"expected calibration error {self.calibration_error_:.3f} by the labels of "
            "rows not seen."
        )
        return f"{prior}\nProbabilities: {error}"

    def _describe_members(self) -> str:
        if not self.can_judge_:
            shares = ", ".join(f"{100 * w:.0f} % {name}" for name, w in self.weights_.items())
            return f"Too few rows are labeled to judge members by, which count {shares}"
        first = {name: 100 * np.exp(-score) for name, score in self.member_scores_.items()}
        dropped = [f"  0 %  {name}: dropped after a first fold" for name in self.dropped_]
        counted = [
            f"{100 * weight:3.0f} %  {name}: {self.estimators_[name].title}; puts unseen "
            f"labeled rows in the first {first[name]:.2g} % (geometric mean)"
            for name, weight in sorted(self.weights_.items(), key=lambda item: -item[1])
        ]
        return "\n".join([*counted, *dropped])


def _as_dense(X: Any) -> Any:
    """Return a table as an array: its learners read every value."""
    sparse: bool = issparse(X)
    if sparse and X.shape[0] * X.shape[1] > _MAX_DENSE:
        raise ValueError(
            f"A sparse X must hold at most {_MAX_DENSE:.0e} values once it is dense, got "
            f"shape {X.shape}. Select columns, or use focused-xgb, which keeps it sparse."
        )
    dense = np.ascontiguousarray(X.toarray() if sparse else X)  # rows at once, for the trees
    check_magnitude(dense)
    return dense
