"""Who takes part in the flagship: learners that err in different ways."""

import numpy as np

from lopsided.methods._members import Member
from lopsided.methods._neighbors import NeighborRatioClassifier
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.logistic import NaiveLogisticClassifier
from lopsided.methods.registry import build
from lopsided.trees.sampling import Bagging

__all__ = ["list_members"]

_ROWS_PER_LEAF = 50_000  # of the table, for each row of a leaf


def list_members(
    n_rows: int, n_bagged_trees: int, gamma: float, target_prior: float | None
) -> list[Member]:
    """Return all members, as a table of so many rows has them.

    Where rows are plenty, forests grow fewer trees and larger leaves. Gamma and target prior
    are those of the booster's risk.
    """
    bagged_trees = PUForestClassifier(
        "hellinger",
        n_estimators=_n_trees(n_rows, n_bagged_trees),
        min_samples_leaf=_leaf(n_rows, 2),
        max_features=None,
        splitter="random",
        sampling=Bagging(20.0),
        oob_score=True,
    )
    extra_trees = PUForestClassifier(
        n_estimators=_n_trees(n_rows, 300),
        min_samples_leaf=_leaf(n_rows, 1),
        max_features=None,
        splitter="random",
        oob_score=True,
    )
    booster = build("focused-xgb", gamma=gamma, target_prior=target_prior)
    logistic = NaiveLogisticClassifier(C=0.1, normalize="quantile")
    return [
        Member(
            "bagged-trees",
            "extra trees by Hellinger distance, each on labeled rows and 20 others for each",
            bagged_trees,
            stream=736216594,
        ),
        Member(
            "extra-trees",
            "extra trees on bootstraps of all rows",
            extra_trees,
            stream=682460096,
        ),
        Member("booster", "boosted trees on the focused PU risk", booster, stream=4017528749),
        Member(
            "logistic",
            "logistic regression on quantile-transformed columns",
            logistic,
            stream=3507795190,
        ),
        Member(
            "knn",
            "k nearest neighbors: distances to labeled and unlabeled rows",
            NeighborRatioClassifier(),
            stream=1319068280,
        ),
    ]


def _n_trees(n_rows: int, most: int) -> int:
    """Return how many trees a forest has: many where they are cheap and votes are few."""
    return int(np.clip(20_000_000 // n_rows, min(100, most), most))


def _leaf(n_rows: int, least: int) -> int:
    """Return the rows of a leaf: more where there are plenty, or trees outgrow the table."""
    return max(least, n_rows // _ROWS_PER_LEAF)
