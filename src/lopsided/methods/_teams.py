"""The teams of the flagship: its members, and which of them take part on a table."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lopsided._terminal import quote
from lopsided._validation import check_choice
from lopsided.methods._members import MANY_LABELED, OUTLIERS, Member
from lopsided.methods._neighbors import NeighborRatioClassifier
from lopsided.methods._outliers import OutlierClassifier
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.methods.registry import build
from lopsided.trees.sampling import Bagging

_MAX_NEIGHBOR_ROWS = 10_000  # the cost of neighbors grows with the square of the rows
_MANY_FOR_BOOTSTRAPS = 50  # labeled rows, with which bootstraps of all rows are worth it
_ROWS_PER_LEAF = 50_000  # of the table, for each row of a leaf


class RiskParams(NamedTuple):
    """Parameters of the booster's risk."""

    gamma: float = 3.0
    target_prior: float | None = 0.5
    reviewed_weight: float = 5.0


class Preset(NamedTuple):
    """What a preset fits; a large table is spared whatever looks for neighbors."""

    n_bagged_trees: int
    n_folds: int
    members: Sequence[str]
    members_of_large: Sequence[str]
    with_many_labels: Sequence[str]  # who joins then
    widens: bool  # a table that is not large, by the columns of local outliers


_FAST = ("bagged-trees", "logistic")
PRESETS = {
    "full": Preset(
        500,
        5,
        (
            "bagged-trees",
            "undersampled-trees",
            "entropy-trees",
            "booster",
            "logistic",
            "logistic-standardized",
            "knn",
        ),
        ("bagged-trees", "extra-trees", "booster", "logistic"),
        ("extra-trees",),
        widens=True,
    ),
    "fast": Preset(200, 3, _FAST, _FAST, (), widens=False),
}


def choose_team(
    preset: Preset,
    n_rows: int,
    n_features: int,
    n_labeled: int,
    risk: RiskParams,
    names: Sequence[str] | None = None,
) -> list[Member]:
    """Return the members that take part: those of the names, or those a table can afford."""
    large = n_rows > _MAX_NEIGHBOR_ROWS
    everyone = list_members(n_rows, n_features, preset.n_bagged_trees, risk)
    if large or not preset.widens:
        everyone = [replace(one, sees_outliers=False) for one in everyone]
    if names is not None:
        return select_members(everyone, names)
    chosen = [*(preset.members_of_large if large else preset.members)]
    chosen += preset.with_many_labels if n_labeled >= _MANY_FOR_BOOTSTRAPS else ()
    chosen += (OUTLIERS,) if n_labeled < MANY_LABELED else ()
    return select_members(everyone, chosen)


def select_members(members: Sequence[Member], names: Any) -> list[Member]:
    """Return the members of some names."""
    known = {member.name: member for member in members}
    wanted = [names] if isinstance(names, str) else names
    if not isinstance(wanted, Iterable):
        raise ValueError(f"estimators must be names of members, got {quote(names)}.")
    wanted = list(wanted)
    if not wanted:
        raise ValueError("estimators must name at least one member, got none.")
    return [known[check_choice(name, known, "member")] for name in dict.fromkeys(wanted)]


def list_members(
    n_rows: int,
    n_features: int,
    n_bagged_trees: int,
    risk: RiskParams,
) -> list[Member]:
    """Return all members, who err in different ways, as a table of this size has them."""

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
    undersampled = extra_trees("hellinger", n_bagged_trees, 2, Bagging(5.0))
    entropy = extra_trees("entropy", n_bagged_trees, 1, Bagging(5.0))
    # Folds are averaged as well as trees. What is wide costs a look at every bin of a column.
    n_bins = 32 if n_features > n_rows else 256
    booster = build("focused-xgb", **risk._asdict(), n_parallel_trees=2, max_bin=n_bins)
    quantile = NaiveLogisticClassifier(C=0.1, normalize="quantile")
    standardized = NaiveLogisticClassifier(C=0.1)
    about_bagged = (
        "extra trees by Hellinger distance, each on labeled rows and 20 others for each"
    )
    about_undersampled = (
        "extra trees by Hellinger distance, each on labeled rows and 5 others for each"
    )
    about_entropy = "extra trees by entropy, each on labeled rows and 5 others for each"
    about_trees = "extra trees on bootstraps of all rows"
    about_booster = "boosted trees on the focused PU risk"
    about_quantile = "logistic regression on quantile-transformed columns"
    about_standardized = "logistic regression on standardized columns"
    about_outliers = "isolation forest and distance to neighbors, without labels"
    about_knn = "k nearest neighbors: distances to labeled and unlabeled rows"
    local, copy = {"sees_outliers": True}, {"copies_table": True}
    return [
        Member("bagged-trees", about_bagged, bagged, 736216594, **local),
        Member("undersampled-trees", about_undersampled, undersampled, 2236067977),
        Member("entropy-trees", about_entropy, entropy, 1732050807, **local),
        Member("extra-trees", about_trees, extra_trees("gini", 300, 1), 682460096),
        Member("booster", about_booster, booster, 4017528749, lowers_risk=True),
        Member("logistic", about_quantile, quantile, 3507795190, **copy),
        Member("logistic-standardized", about_standardized, standardized, 1414213562, **copy),
        Member("knn", about_knn, NeighborRatioClassifier(), 1319068280, **copy),
        Member(OUTLIERS, about_outliers, OutlierClassifier(), 2954307513),
    ]
