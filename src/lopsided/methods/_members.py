"""The members of an ensemble: each fitted, scored on rows it has not seen, and weighted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lopsided._check import check_choice, guess_prior
from lopsided._rows import TrainingRows
from lopsided.methods._cross_fit import assign_folds, cross_fit
from lopsided.methods._neighbors import NeighborRatioClassifier
from lopsided.methods.base import PUClassifier
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.methods.registry import build
from lopsided.metrics import pu_mean_log_rank
from lopsided.trees.sampling import Bagging

MIN_TO_FOLD = 3  # labeled rows: a part without one must keep two
_ROWS_PER_LEAF = 50_000  # of the table, for each row of a leaf
_SHARPNESS = 4.0  # chosen on repeats 100 and 101: see docs/focused.md

# From the mean log-rank of each member to what it counts.
WEIGHTINGS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "log-rank": lambda scores: np.exp(_SHARPNESS * (scores - scores.max())),
    "equal": np.ones_like,
    "best": lambda scores: (np.arange(len(scores)) == scores.argmax()).astype(float),
}


@dataclass(frozen=True)
class Member:
    """An estimator that takes part in an ensemble, with a title for a sentence.

    With `oob_score` its training rows are scored out-of-bag, else out-of-fold, and the models
    of the folds together are the member.
    """

    name: str
    title: str
    estimator: PUClassifier
    stream: int  # tells its random numbers from those of others, whoever takes part

    def seed(self, of_ensemble: int) -> int:
        """Return the seed of this member."""
        return int(np.random.default_rng([of_ensemble, self.stream]).integers(2**31))


class FittedMember(NamedTuple):
    """A fitted member, and scores of the training rows by models that have not seen them.

    Only labeled rows of which there are no more than two, and a lone unlabeled one, have been
    seen by every model.
    """

    title: str
    models: list[PUClassifier]
    out_of_fold: NDArray[np.float64]

    def __repr__(self) -> str:
        n_models, n_rows = len(self.models), len(self.out_of_fold)
        return f"FittedMember({self.title!r}, {n_models} models, {n_rows} rows)"

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the mean score of the models for each row."""
        return np.mean([model._scores(X) for model in self.models], axis=0)


def fit_member(
    member: Member,
    rows: TrainingRows,
    schema: Mapping[str, Any],
    seed: int,
    n_folds: int,
    n_threads: int,
) -> FittedMember:
    """Fit a member; `schema` is what the ensemble knows of the columns.

    The result depends on all that is given but the number of threads.
    """

    def fit(part: TrainingRows, seed: int, n_jobs: int) -> Any:
        model = clone(member.estimator).set_params(n_jobs=n_jobs)
        if model.needs_prior():  # with a target prior a rough one will do
            model.set_params(prior=guess_prior(part.labeled_share))
        return model._fit_part(part, seed, schema)

    def fit_predict(part: TrainingRows, left_out: Any, fold: int) -> tuple[Any, Any]:
        model = fit(part, seed + fold, n_jobs=1)  # the same numbers for any number of threads
        return model, model._scores(left_out)

    if getattr(member.estimator, "oob_score", False):
        models = [fit(rows, seed, n_threads)]
        scores = models[0].oob_decision_function_
    else:
        fold_of = member_folds(rows.y, n_folds, seed)
        models, scores = cross_fit(rows, fold_of, fit_predict, n_threads)
    # Where no row can be left out, one model of all rows is the member.
    fitted = FittedMember(member.title, models or [fit(rows, seed, 1)], scores.copy())
    seen_by_all = np.isnan(scores)
    if seen_by_all.any():
        fitted.out_of_fold[seen_by_all] = fitted.scores(rows.X[seen_by_all])
    return fitted


def member_folds(y: NDArray[np.int8], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row: no more folds than there are labeled rows.

    Two labeled rows, or one unlabeled row, are in every training part: a model needs them.
    """
    n_labeled, n_unlabeled = int(y.sum()), int((y == 0).sum())
    rng = np.random.default_rng(seed)
    rngs = {0: rng} if n_unlabeled > 1 else {}
    if n_labeled >= MIN_TO_FOLD:
        rngs[1] = rng
        n_folds = min(n_folds, n_labeled)
    return assign_folds(y, max(min(n_folds, n_unlabeled), 2), rngs)


def select_members(members: Sequence[Member], names: Any) -> list[Member]:
    """Return the members of some names."""
    known = {member.name: member for member in members}
    wanted = [names] if isinstance(names, str) else names
    if not isinstance(wanted, Iterable):
        raise ValueError(f"estimators must be names of members, got {names!r}.")
    wanted = list(wanted)
    if not wanted:
        raise ValueError("estimators must name at least one member, got none.")
    return [known[check_choice(name, known, "member")] for name in dict.fromkeys(wanted)]


def weight_members(
    y: NDArray[np.int8], members: Iterable[FittedMember], weighting: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of each member, 1 in sum, and the mean log-rank that it comes from."""
    scores: Any = np.array([pu_mean_log_rank(y, member.out_of_fold) for member in members])
    # Labeled rows that cannot be left out tell nothing.
    weights = WEIGHTINGS[weighting if y.sum() >= MIN_TO_FOLD else "equal"](scores)
    return weights / weights.sum(), scores


def list_members(
    n_rows: int, n_bagged_trees: int, gamma: float, target_prior: float | None
) -> list[Member]:
    """Return all members, who err in different ways, as a table of so many rows has them.

    Gamma and target prior are those of the booster's risk.
    """

    def extra_trees(criterion: str, most: int, least: int, sampling: Any = None) -> Any:
        return PUForestClassifier(
            criterion,
            # Many where they are cheap and votes are few.
            n_estimators=int(np.clip(20_000_000 // n_rows, min(100, most), most)),
            # More where there are plenty, or trees outgrow the table.
            min_samples_leaf=max(least, n_rows // _ROWS_PER_LEAF),
            max_features=None,
            splitter="random",
            sampling=sampling,
            oob_score=True,
        )

    bagged = extra_trees("hellinger", n_bagged_trees, 2, Bagging(20.0))
    booster = build("focused-xgb", gamma=gamma, target_prior=target_prior)
    logistic = NaiveLogisticClassifier(C=0.1, normalize="quantile")
    about_bagged = (
        "extra trees by Hellinger distance, each on labeled rows and 20 others for each"
    )
    about_trees = "extra trees on bootstraps of all rows"
    about_logistic = "logistic regression on quantile-transformed columns"
    about_knn = "k nearest neighbors: distances to labeled and unlabeled rows"
    return [
        Member("bagged-trees", about_bagged, bagged, stream=736216594),
        Member("extra-trees", about_trees, extra_trees("gini", 300, 1), stream=682460096),
        Member("booster", "boosted trees on the focused PU risk", booster, stream=4017528749),
        Member("logistic", about_logistic, logistic, stream=3507795190),
        Member("knn", about_knn, NeighborRatioClassifier(), stream=1319068280),
    ]
