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
    n_rows: int, fast: bool, gamma: float, target_prior: float | None
) -> list[Member]:
    """Return all members, as a table of so many rows has them.

    Parameters
    ----------
    n_rows : int
        Rows of the table: forests grow fewer trees and larger leaves where there are plenty.
    fast : bool
        Whether to grow a fifth of the bagged trees.
    gamma, target_prior : float
        Of the risk of the boosters; None trains for the real prior.
    """
    bagged_trees = Member(
        "bagged-trees",
        "extra trees by Hellinger distance, each on labeled rows and 20 others for each",
        lambda _: PUForestClassifier(
            "hellinger",
            n_estimators=_n_trees(n_rows, 200 if fast else 1000),
            min_samples_leaf=_leaf(n_rows, 2),
            max_features=None,
            splitter="random",
            sampling=Bagging(20.0),
            oob_score=True,
        ),
        "bags",
    )
    line = Member(
        "line",
        "a logistic regression on columns bent to be normal",
        lambda _: NaiveLogisticClassifier(strength=0.1, bend=True),
        "folds",
    )
    extra_trees = Member(
        "extra-trees",
        "extra trees on bootstraps of all rows",
        lambda _: PUForestClassifier(
            n_estimators=_n_trees(n_rows, 300),
            min_samples_leaf=_leaf(n_rows, 1),
            max_features=None,
            splitter="random",
            oob_score=True,
        ),
        "bags",
    )
    booster = Member(
        "booster",
        "boosted trees on the focused PU risk",
        lambda labeled_share: build(
            "focused-xgb",
            prior=_rough_prior(labeled_share),
            gamma=gamma,
            target_prior=target_prior,
        ),
        "folds",
    )
    neighbors = Member(
        "neighbors",
        "distances to the nearest labeled and unlabeled rows",
        lambda _: NeighborRatioClassifier(),
        "folds",
    )
    return [bagged_trees, extra_trees, booster, line, neighbors]


def _n_trees(n_rows: int, most: int) -> int:
    """Return how many trees a forest has: many where they are cheap and votes are few."""
    return int(np.clip(20_000_000 // n_rows, min(100, most), most))


def _leaf(n_rows: int, least: int) -> int:
    """Return the rows of a leaf: more where there are plenty, or trees outgrow the table."""
    return max(least, n_rows // _ROWS_PER_LEAF)


def _rough_prior(labeled_share: float) -> float:
    """Return twice the labeled share: with a target prior a rough one will do."""
    return min(2 * labeled_share, (1 + labeled_share) / 2)
