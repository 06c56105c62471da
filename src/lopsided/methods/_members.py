"""The members of an ensemble: each fitted, scored on rows it has not seen, and weighted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.model_selection import check_cv

from lopsided._rows import Splits, TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_count, guess_prior
from lopsided.methods._cross_fit import (
    assign_folds,
    assign_group_folds,
    cross_fit,
    cross_fit_splits,
)
from lopsided.methods.additive import AdditiveScores, add_weighted, settle
from lopsided.methods.base import PUClassifier
from lopsided.metrics import pu_mean_log_rank

OUTLIERS = "outliers"  # the member that reads no labels
MIN_TO_FOLD = 3  # labeled rows: a part without one must keep two
MANY_LABELED = 7  # rows, from which on members are known by what they do alone
_OUTLIER_SHARE = 0.05  # of the weights, before any row is labeled
_MANY_BYTES = 2**27  # of a table, above which copies of it are kept few
_MIN_TO_DROP = 5  # labeled rows of a fold by which a member may be found not to pay
_MIN_WEIGHT = 0.02  # beside the best member, below which one does not pay
# Chosen on repeats from 100 on: see docs/focused.md.
_SHARPNESS = 4.0
_HEAD_START = {"bagged-trees": 1.5}  # log-weights while little is known
# Log-weights whatever the labels say. Nearest neighbors put labeled rows high, and few
# positives among the very first rows.
_HANDICAP = {"knn": -1.0}
# What is linear has learned what it can from some labeled rows, and trees go on: from so many
# on, its weight falls with the root of their number.
_LINEAR, _ENOUGH_FOR_LINEAR = ("logistic", "logistic-standardized"), 20


@dataclass(frozen=True)
class Member:
    """An estimator that takes part in an ensemble, with a title for a sentence.

    With `oob_score` its training rows are scored out-of-bag, else out-of-fold, and the models
    of the folds together are the member. Out-of-bag, rows of one group would vouch for each
    other: with groups the trees of a forest are dealt out to the folds. Where a splitter says
    how rows are left out, a model of all rows is the member.
    """

    name: str
    title: str
    estimator: PUClassifier
    stream: int  # tells its random numbers from those of others, whoever takes part
    lowers_risk: bool = False  # with a weight of its own for reviewed negatives
    copies_table: bool = False  # so that folds of a large one are fitted one by one
    sees_outliers: bool = False  # by the columns of `LocalOutliers`, if a table is widened

    def seed(self, of_ensemble: int) -> int:
        """Return the seed of this member."""
        return int(np.random.default_rng([of_ensemble, self.stream]).integers(2**31))


class FittedMember(NamedTuple):
    """A fitted member, and scores of the training rows by models that have not seen them.

    Only labeled rows of which there are no more than two, and a lone unlabeled one, have been
    seen by every model. Rows that no split tests on have none: NaN.
    """

    title: str
    models: list[PUClassifier]
    out_of_fold: NDArray[np.float64]
    sees_outliers: bool = False  # and is given a table that local outliers widen

    def __repr__(self) -> str:
        n_models, n_rows = len(self.models), len(self.out_of_fold)
        return f"FittedMember({self.title!r}, {n_models} models, {n_rows} rows)"

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the mean score of the models for each row."""
        return np.mean([model._scores(X) for model in self.models], axis=0)

    def additive_scores(self, X: Any, background: Any, seed: int) -> AdditiveScores:
        """Return the mean score of the models as a sum over the columns of each row."""
        found = [model._additive_scores(X, background, seed) for model in self.models]
        mean = add_weighted(found, [1 / len(found)] * len(found))
        # To the last digit as above: normal scores may part what differs by rounding alone.
        return settle(mean.base, mean.terms, np.mean([one.scores for one in found], axis=0))


def fit_member(
    member: Member,
    rows: TrainingRows,
    schema: Mapping[str, Any],
    seed: int,
    n_folds: int,
    n_threads: int,
    best: NDArray[np.float64] | None = None,
) -> FittedMember | None:
    """Fit a member; `schema` is what the ensemble knows of the columns.

    The result depends on all that is given but the number of threads. It is None where a first
    fold says that beside `best`, the out-of-fold scores of another member, this one would
    hardly count: the other folds are not fitted then.
    """

    def fit(part: TrainingRows, seed: int, n_jobs: int) -> Any:
        model = clone(estimator).set_params(n_jobs=n_jobs)
        if model.needs_prior():  # with a target prior a rough one will do
            model.set_params(prior=guess_prior(part.labeled_share))
        return model._fit_part(part, seed, schema)

    def fit_fold(part: TrainingRows, fold: int) -> tuple[Any, Any]:
        model = fit(part, seed + fold, n_jobs=1)  # the same numbers for any number of threads
        return model, model._scores

    estimator = member.estimator
    out_of_bag = getattr(estimator, "oob_score", False)

    def goes_on(left_out: NDArray[np.bool_], scores: NDArray[np.float64]) -> bool:
        judged = left_out & (rows.labels != -1)
        pair = (scores[judged[left_out]], best[judged])  # type: ignore[index]
        pays.append(can_pay(rows.y[judged], *pair))
        return pays[-1]

    pays: list[bool] = []
    at_once = 1 if member.copies_table and rows.X.nbytes > _MANY_BYTES else n_threads
    if rows.splits is not None:
        if out_of_bag:
            estimator = clone(estimator).set_params(oob_score=False)
        scores = cross_fit_splits(rows, fit_fold, at_once)
        models = [fit(rows, seed, n_threads)]
        return FittedMember(member.title, models, scores, member.sees_outliers)
    if out_of_bag and rows.groups is None:
        models = [fit(rows, seed, n_threads)]
        scores = models[0].oob_decision_function_
    else:
        fold_of = member_folds(rows, n_folds, seed)
        if out_of_bag:
            n_trees = -(-estimator.n_estimators // (int(fold_of.max()) + 1 or 1))
            estimator = clone(estimator).set_params(oob_score=False, n_estimators=n_trees)
        # With two folds the first is half of the work.
        ask = goes_on if best is not None and fold_of.max() > 1 else None
        models, scores = cross_fit(rows, fold_of, fit_fold, at_once, ask)
        if pays == [False]:
            return None
    # Where no row can be left out, one model of all rows is the member.
    models = models or [fit(rows, seed, 1)]
    fitted = FittedMember(member.title, models, scores.copy(), member.sees_outliers)
    seen_by_all = np.isnan(scores)
    if seen_by_all.any():
        fitted.out_of_fold[seen_by_all] = fitted.scores(rows.X[seen_by_all])
    return fitted


def can_pay(
    y: NDArray[np.int8], scores: NDArray[np.float64], best: NDArray[np.float64]
) -> bool:
    """Say whether a member may count 2 % of another one, by the log-ranks of the same rows.

    Where few are labeled, or these disagree, it may.
    """
    labeled = y == 1
    if labeled.sum() < _MIN_TO_DROP:
        return True
    own, other = (-np.log(rankdata(-one)[labeled] / len(y)) for one in (scores, best))
    behind = other - own
    error = behind.std(ddof=1) / np.sqrt(len(behind))
    return bool(behind.mean() - 2 * error < np.log(1 / _MIN_WEIGHT) / _SHARPNESS)


def count_apart(rows: TrainingRows, label: int) -> int:
    """Return how many rows of a label, or groups with some, can be left out one by one."""
    own = np.flatnonzero(rows.y == label)
    return len(own) if rows.groups is None else len(np.unique(rows.groups[own]))


def member_folds(rows: TrainingRows, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row: no more folds than there are labeled rows, or their groups.

    Two labeled rows, or one unlabeled row, are in every training part: a model needs them.
    """
    y, n_labeled, n_unlabeled = rows.y, count_apart(rows, 1), count_apart(rows, 0)
    rng = np.random.default_rng(seed)
    if rows.groups is not None:
        return _member_group_folds(y, rows.groups, n_folds, rng)
    rngs = {0: rng} if n_unlabeled > 1 else {}
    if n_labeled >= MIN_TO_FOLD:
        rngs[1] = rng
        n_folds = min(n_folds, n_labeled)
    return assign_folds(y, max(min(n_folds, n_unlabeled), 2), rngs)


def _member_group_folds(
    y: NDArray[np.int8], groups: NDArray[np.intp], n_folds: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return folds of whole groups; those with labeled rows stay if they are no more than two.

    Without two groups to leave out there is no fold.
    """
    with_labels = np.unique(groups[y == 1])
    apart = np.unique(groups)
    if len(with_labels) < MIN_TO_FOLD:
        apart = np.setdiff1d(apart, with_labels)
    else:
        n_folds = min(n_folds, len(with_labels))
    fold_of = np.full(len(y), -1)
    if len(apart) < 2:
        return fold_of
    left_out = np.isin(groups, apart)
    n_folds = min(n_folds, len(apart))
    fold_of[left_out] = assign_group_folds(y[left_out], groups[left_out], n_folds, rng)
    # Rarely, all unlabeled rows are left out at once: then none are.
    trained_on = ((y == 0) & (fold_of != fold) for fold in range(n_folds))
    return fold_of if all(map(np.any, trained_on)) else np.full(len(y), -1)


def list_splits(cv: Any, X: Any, rows: TrainingRows) -> Splits:
    """Return which rows each split fits on and which it tests on, by a splitter as it is.

    A number of folds keeps groups whole, if there are any.
    """
    splits = []
    if rows.groups is not None and isinstance(cv, (int, np.integer)):
        cv = _list_group_splits(rows, check_count(cv, "cv", least=2))
    for sides in check_cv(cv, rows.y, classifier=True).split(X, rows.y, rows.groups):
        train, test = np.zeros((2, len(rows)), bool)
        train[sides[0]], test[sides[1]] = True, True
        splits.append((train, test))
    for side, least in ((0, min), (1, max)):  # every split fits, one at least tests
        for label, kind in ((1, "labeled"), (0, "unlabeled")):
            counts = [int((rows.y[split[side]] == label).sum()) for split in splits]
            if not least(counts, default=0):
                raise ValueError(
                    f"cv must {('train', 'test')[side]} on {kind} rows, got none. Use another "
                    "splitter or fewer splits, or label more rows."
                )
    return tuple(splits)


def _list_group_splits(
    rows: TrainingRows, n_folds: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the positions of training and test rows of folds of whole groups."""
    assert rows.groups is not None
    n_apart = count_apart(rows, 1)
    if n_folds > n_apart:
        raise ValueError(
            f"cv must be at most the number of groups with labeled rows, {n_apart}, got "
            f"{quote(n_folds)}. Use fewer folds, or label rows of more groups."
        )
    fold_of = assign_group_folds(rows.y, rows.groups, n_folds)
    sides = (fold_of == fold for fold in range(n_folds))
    return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in sides]


def weight_members(
    rows: TrainingRows, out_of_fold: Mapping[str, NDArray[np.float64]], weighting: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of each member, 1 in sum, and the mean log-rank that it comes from.

    Reviewed negatives, which stood high once, are no rivals that a labeled row must outrank.
    """
    kept = rows.labels != -1
    y, n_labeled = rows.y[kept], count_apart(rows, 1)
    scores: Any = np.array([pu_mean_log_rank(y, own[kept]) for own in out_of_fold.values()])
    # Labeled rows that cannot be left out tell nothing.
    left_out = rows.splits is not None or n_labeled >= MIN_TO_FOLD
    doubt = max(0.0, 1 - n_labeled / MANY_LABELED) if left_out else 1.0
    learned = np.array([name != OUTLIERS for name in out_of_fold])
    weights = np.zeros(len(out_of_fold))
    if learned.any():
        prior = log_prior_weights(list(out_of_fold), n_labeled, doubt)[learned]
        weights[learned] = WEIGHTINGS[weighting](scores[learned], prior, doubt)
        weights /= weights.sum()
    share = _OUTLIER_SHARE * doubt if learned.any() else 1.0
    share = 0.0 if learned.all() else share
    return np.where(learned, (1 - share) * weights, share), scores


def log_prior_weights(
    names: Sequence[str], n_labeled: int, doubt: float
) -> NDArray[np.float64]:
    """Return the logarithms of the weights that members have before the labels judge them."""
    fading = -0.5 * np.log(max(n_labeled / _ENOUGH_FOR_LINEAR, 1.0))
    return np.array(
        [
            doubt * _HEAD_START.get(name, 0.0)
            + _HANDICAP.get(name, 0.0)
            + fading * (name in _LINEAR)
            for name in names
        ]
    )


def weigh_by_log_rank(scores: Any, log_prior: Any, doubt: float) -> NDArray[np.float64]:
    """Return weights that grow with the log-rank, in so far as it is not in doubt."""
    log_weights = (1 - doubt) * _SHARPNESS * (scores - scores.max()) + log_prior
    return np.exp(log_weights - log_weights.max())


def take_best(scores: Any, log_prior: Any, doubt: float) -> NDArray[np.float64]:
    """Return 1 for the highest log-rank; if nothing is known, for the best prior weight."""
    best = (log_prior if doubt == 1 else scores).argmax()
    return (np.arange(len(scores)) == best).astype(float)


WEIGHTINGS: dict[str, Callable[[Any, Any, float], NDArray[np.float64]]] = {
    "log-rank": weigh_by_log_rank,
    "equal": lambda scores, log_prior, doubt: np.ones_like(scores),
    "best": take_best,
}
