"""The flagship: learners that err in different ways, fused by what the labels say of each."""

from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from lopsided._check import check_choice, check_magnitude
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.methods._members import MIN_TO_FOLD, Member, Rows, choose, fit_member
from lopsided.methods._normal_scores import fit_normal_scores
from lopsided.methods._roster import list_members
from lopsided.methods._weighting import WEIGHTINGS, weigh
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["FocusedClassifier"]

_MAX_KNN_ROWS = 10_000  # rows: their cost grows with the square
_MAX_DENSE = 2**28  # values of a sparse table: 2 GiB
_BLOCK = 65_536  # rows scored at once
_MIN_SLOPE = 1e-3  # so that scores rise with the fusion, whatever the labels say


class FocusedClassifier(PUClassifier):
    """Fuse boosters, forests and a line; the labels say how much each counts.

    Every member is fitted on the same rows, unlabeled ones taken for what their risk takes
    them for. Its scores become normal by where a row stands among the training rows, scored by
    models that have not seen them, and are added up. The weight of a member falls with its
    log-rank: how far up it puts labeled rows that it has not seen. No prior is needed and no
    negatives.

    Parameters
    ----------
    members : sequence of str or None, default=None
        Names of the members that take part; None is those of the preset that a table of this
        size can afford.
    weighting : {"log-rank", "equal", "best"}, default="log-rank"
        Whether members count by their log-rank, alike, or the best one alone.
    preset : {"full", "fast"}, default="full"
        "fast" keeps most of the quality at about a tenth of the cost.
    gamma : float, default=3.0
        How fast easy rows fade in the risk of the focused boosters.
    target_prior : float or "prior", default=0.5
        The share of positives that the focused boosters train for, or a rough guess of the real
        one, twice the labeled share.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all. Scores are the same for any number.
    random_state : int, Generator or None, default=None
        Seed of all members.

    Attributes
    ----------
    members_ : dict of str to Fitted
        The fitted members: `models`, and `unseen`, their scores of the training rows.
    weights_ : dict of str to float
        What each member counts, 1 in sum.
    criterion_ : dict of str to float
        The log-rank of each member's unseen scores.
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

    def __init__(
        self,
        members=None,
        weighting="log-rank",
        preset="full",
        gamma=3.0,
        target_prior=0.5,
        n_jobs=None,
        random_state=None,
    ):
        self.members = members
        self.weighting = weighting
        self.preset = preset
        self.gamma = gamma
        self.target_prior = target_prior
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return False

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        check_choice(self.weighting, WEIGHTINGS, "weighting")
        check_choice(self.preset, ("full", "fast"), "preset")
        if isinstance(self.target_prior, str):
            check_choice(self.target_prior, ("prior",), "target_prior")
        kept = np.ones(len(y), bool) if weight is None else weight > 0
        rows = Rows(_as_dense(X), y, weight, of=self)
        if not kept.all():
            rows = rows.take(kept)  # a row that does not count must not judge members either
            y, weight = rows.y, rows.weight
        _check_counted(y)
        wanted = self._team(len(y))
        n_folds = _n_folds(len(y), most=3 if self.preset == "fast" else 5)
        seed = int(rng.integers(2**31))
        self.members_ = {}
        with Bar(len(wanted), "fitting members") as bar:
            for member in wanted:
                # A seed of its own, whoever else takes part.
                own = int(
                    np.random.default_rng([seed, crc32(member.name.encode())]).integers(2**31)
                )
                self.members_[member.name] = fit_member(
                    member, rows, own, n_folds, self._n_threads()
                )
                bar.advance()
        unseen = [fitted.unseen for fitted in self.members_.values()]
        weights, criteria = weigh(y, unseen, self.weighting)
        self.weights_ = dict(zip(self.members_, weights.tolist(), strict=True))
        self.criterion_ = dict(zip(self.members_, criteria.tolist(), strict=True))
        self.normal_scores_ = dict(
            zip(self.members_, map(fit_normal_scores, unseen), strict=True)
        )
        fused = self._fuse({name: one.unseen for name, one in self.members_.items()})
        self.slope_, self.intercept_ = _fit_platt_scaling(fused, y, weight)
        self.can_judge_ = bool(y.sum() >= MIN_TO_FOLD)
        self.oob_decision_function_ = np.full(len(kept), np.nan)
        self.oob_decision_function_[kept] = self.intercept_ + self.slope_ * fused

    def _team(self, n_rows: int) -> list[Member]:
        """Return the members that take part: those asked for, or those a table can afford."""
        target = None if self.target_prior == "prior" else self.target_prior
        fast = self.preset == "fast"
        everyone = list_members(n_rows, fast, self.gamma, target)
        if self.members is not None:
            return choose(everyone, self.members)
        if fast:
            return choose(everyone, ("bagged-trees", "line"))
        few = n_rows <= _MAX_KNN_ROWS
        return [one for one in everyone if few or one.name != "neighbors"]

    def _fuse(self, raw: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the weighted sum of raw scores, each made normal."""
        parts = (
            self.weights_[name] * self.normal_scores_[name].transform(scores)
            for name, scores in raw.items()
        )
        return np.sum(list(parts), axis=0)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        counted = {name: one for name, one in self.members_.items() if self.weights_[name] > 0}
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

        Neighbors have none: what they count is left out, and alone they leave zeros.
        """
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        for name, fitted in self.members_.items():
            for model in fitted.models:
                own = getattr(model, "feature_importances_", total * 0)  # distances have none
                total += self.weights_[name] / len(fitted.models) * own
        return total / total.sum() if total.sum() > 0 else total

    def describe(self) -> str:
        """Return in words which members carry this table, and why."""
        check_is_fitted(self)
        if not self.can_judge_:
            names = ", ".join(self.weights_)
            return f"All members count alike, too few rows are labeled to tell: {names}"
        ranked = sorted(self.weights_, key=lambda name: -self.weights_[name])
        lines = [
            f"{100 * self.weights_[name]:3.0f} %  {name}: {self.members_[name].title}; puts "
            f"unseen labeled rows in the first {100 * np.exp(-self.criterion_[name]):.2g} % "
            "(geometric mean)"
            for name in ranked
        ]
        return "\n".join(lines)


def _as_dense(X: Any) -> Any:
    """Return a table as an array: trees and lines read every value."""
    sparse: bool = issparse(X)
    if sparse and X.shape[0] * X.shape[1] > _MAX_DENSE:
        raise ValueError(
            f"A sparse X must hold at most {_MAX_DENSE:.0e} values once it is dense, got "
            f"shape {X.shape}. Select columns, or use focused-xgb, which keeps it sparse."
        )
    dense = X.toarray() if sparse else X
    check_magnitude(dense)
    return dense


def _check_counted(y: NDArray[np.int8]) -> None:
    if y.sum() < 2:
        raise ValueError(
            "sample_weight must be above 0 for at least 2 labeled rows, got "
            f"{int(y.sum())}. Weigh more of them."
        )


def _n_folds(n_rows: int, most: int) -> int:
    """Return how many models a member of folds has: fewer where each sees plenty of rows."""
    return most if n_rows < 20_000 else min(most, 3) if n_rows < 200_000 else 2


def _fit_platt_scaling(
    fused: NDArray[np.float64], y: NDArray[np.int8], weight: Any
) -> tuple[float, float]:
    """Return slope and intercept that turn fused scores into log-odds of a label."""
    times = None if weight is None else weight / weight.mean()
    # Hardly any penalty: enough to keep the slope finite where labels are separated.
    model = LogisticRegression(C=100.0).fit(fused[:, None], y, sample_weight=times)
    slope = float(model.coef_[0, 0])
    if slope >= _MIN_SLOPE:
        return slope, float(model.intercept_[0])
    share = float(np.average(y, weights=times))
    at_mean = _MIN_SLOPE * float(np.average(fused, weights=times))
    return _MIN_SLOPE, float(np.log(share / (1 - share))) - at_mean
