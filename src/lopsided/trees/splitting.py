"""Splitting: the best split of a node by one column, and over columns."""

from typing import Literal, NamedTuple

import numpy as np

from lopsided._kernel import njit_helper, njit_inline
from lopsided.trees.binning import MAX_LEVELS, MISSING
from lopsided.trees.criteria import CRITERIA, gain
from lopsided.trees.histogram import Groups, gather, group_codes, make_groups
from lopsided.trees.runs import group_runs

_PSEUDO_ROWS = 10.0  # rows of the node's own mix that each category gets before it is ranked
_NO_LIMIT = 2**31


class TreeParams(NamedTuple):
    """How trees are grown, as compiled code takes it."""

    criterion: int
    merge_runs: bool  # no cut between neighbors without labeled rows needs a look
    gain_ignores_size: bool
    inverse_label_frequency: float  # positives that a labeled row stands for
    random_splitter: bool
    max_depth: int
    min_samples_leaf: int
    max_features: int


def make_tree_params(
    criterion: str = "gini",
    inverse_label_frequency: float = 1.0,
    splitter: Literal["best", "random"] = "best",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    max_features: int | None = None,
) -> TreeParams:
    """Return parameters by their names in scikit-learn; None sets no limit."""
    known = CRITERIA[criterion]
    return TreeParams(
        criterion=known.code,
        merge_runs=known.convex and min_samples_leaf == 1,
        gain_ignores_size=known.gain_ignores_size,
        inverse_label_frequency=float(inverse_label_frequency),
        random_splitter=splitter == "random",
        max_depth=_NO_LIMIT if max_depth is None else int(max_depth),
        min_samples_leaf=int(min_samples_leaf),
        max_features=_NO_LIMIT if max_features is None else int(max_features),
    )


class SplitInfo(NamedTuple):
    """A way to part a node: codes up to `cut`, or a set of categories, go left.

    Where no value is missing in the node, the weight of its children decides which way a
    missing one would go.
    """

    gain: float
    feature: int
    cut: int
    missing_left: bool
    missing_seen: bool


NO_SPLIT = SplitInfo(-np.inf, -1, -1, False, False)


class Node(NamedTuple):
    """A node's weights and rows, and what the column at hand holds in it."""

    labeled: float
    unlabeled: float
    n_rows: int
    missing_labeled: float
    missing_unlabeled: float
    n_missing: int
    least: int  # of the codes
    largest: int


class BestSpace(NamedTuple):
    """Arrays that the search of a node uses again and again."""

    buffer: np.ndarray  # uint16, the codes of the node at hand
    groups: Groups
    ascending: np.ndarray  # int64, the groups in their own order
    ranked: np.ndarray  # int64, the groups in the order of their labeled share
    levels: np.ndarray  # bool, the categories that go left
    best_levels: np.ndarray  # bool, those of the best split so far


def make_best_space(n_rows: int, n_codes: int) -> BestSpace:
    """Return arrays for nodes of up to n_rows rows and columns of up to n_codes codes."""
    return BestSpace(
        buffer=np.empty(n_rows, np.uint16),
        groups=make_groups(n_rows, n_codes),
        ascending=np.arange(n_codes + 1),
        ranked=np.empty(n_codes + 1, np.int64),
        levels=np.zeros(MAX_LEVELS, np.bool_),
        best_levels=np.zeros(MAX_LEVELS, np.bool_),
    )


@njit_inline
def search_best(bins, rows, signed, labeled, unlabeled, params, features, space, state):
    """Return the best split over a random choice of columns that are not constant here."""
    best, visited = NO_SPLIT, 0
    for k in range(len(features)):
        swap = k + randint(state, len(features) - k)
        features[k], features[swap] = features[swap], features[k]
        feature = features[k]
        least, largest, ml, mu, n_missing = gather(
            bins.codes[feature], rows, signed, space.buffer
        )
        if largest < 0 or (least == largest and n_missing == 0):
            continue
        node = Node(labeled, unlabeled, len(rows), ml, mu, n_missing, least, largest)
        split = _best_split(bins, feature, node, signed, params, space)
        if split.gain > best.gain:
            best = split
            if bins.categorical[feature]:
                best_levels, levels = space.best_levels, space.levels
                for level in range(MAX_LEVELS):
                    best_levels[level] = levels[level]
        visited += 1
        if visited >= params.max_features:
            break
    return best


@njit_inline
def _best_split(bins, feature, node, signed, params, space):
    """Return the best split of a node by a column that is not constant there."""
    buffer, groups, n_missing = space.buffer, space.groups, node.n_missing
    categorical = bins.categorical[feature]
    if params.merge_runs and not categorical:
        n_groups = group_runs(buffer, signed, node.least, node.largest, n_missing, groups)
    else:
        count_rows = params.min_samples_leaf > 1
        n_groups = group_codes(
            buffer, signed, node.least, node.largest, n_missing, count_rows, groups
        )
    if categorical:
        levels, ranked, codes = space.levels, space.ranked, groups.last
        _rank_by_share(node, groups, n_groups, ranked)
        found, last, missing_left = _best_cut(params, node, groups, n_groups, ranked)
        levels.fill(False)
        for place in range(last + 1):
            levels[codes[ranked[place]]] = True
        return SplitInfo(found, feature, -1, missing_left, n_missing > 0)
    found, last, missing_left = _best_cut(params, node, groups, n_groups, space.ascending)
    if last < 0:
        return NO_SPLIT
    return SplitInfo(found, feature, groups.last[last], missing_left, n_missing > 0)


@njit_helper
def gain_of(params, node, labeled, unlabeled, n_rows):
    """Return the gain when these weights and rows go left."""
    # Rows are counted from np.int64(0): a plain 0 has a type of its own to compile for.
    if params.min_samples_leaf > 1 and (
        n_rows < params.min_samples_leaf or node.n_rows - n_rows < params.min_samples_leaf
    ):
        return -np.inf
    # Rounding of weights that are no whole numbers may leave a little less than nothing.
    lr, ur = max(node.labeled - labeled, 0.0), max(node.unlabeled - unlabeled, 0.0)
    if labeled + unlabeled <= 0 or lr + ur <= 0:
        return -np.inf
    return gain(params.criterion, labeled, unlabeled, lr, ur, params.inverse_label_frequency)


@njit_helper
def _best_cut(params, node, groups, n_groups, order):
    """Return the gain, the last place on the left and the missing rows' side of the best cut.

    Places follow `order`, a permutation of the groups. Ties go to the lowest cut, and there to
    missing rows on the right.
    """
    group_labeled, group_unlabeled = groups.labeled, groups.unlabeled
    group_rows = groups.n_rows
    ml, mu, n_missing = node.missing_labeled, node.missing_unlabeled, node.n_missing
    best, best_place, best_left = -np.inf, -1, False
    labeled, unlabeled, n_rows = 0.0, 0.0, np.int64(0)
    # Where values are missing, the last cut leaves only them on the right.
    n_cuts = n_groups if n_missing > 0 else n_groups - 1
    for place in range(n_cuts):
        group = order[place]
        labeled += group_labeled[group]
        unlabeled += group_unlabeled[group]
        n_rows += group_rows[group]
        found = gain_of(params, node, labeled, unlabeled, n_rows)
        if found > best:
            best, best_place, best_left = found, place, False
        if n_missing > 0 and place < n_groups - 1:
            found = gain_of(params, node, labeled + ml, unlabeled + mu, n_rows + n_missing)
            if found > best:
                best, best_place, best_left = found, place, True
    return best, best_place, best_left


@njit_helper
def _rank_by_share(node, groups, n_groups, order):
    """Fill `order` with the groups by their labeled share, shrunk toward that of the node.

    For two classes a cut of the order by share is the best of all subsets; the shrinkage keeps
    categories of few rows from the ends.
    """
    mix = _PSEUDO_ROWS * node.labeled / (node.labeled + node.unlabeled)
    labeled, unlabeled, shares = groups.labeled, groups.unlabeled, groups.shares
    for group in range(n_groups):
        total = labeled[group] + unlabeled[group]
        shares[group] = (labeled[group] + mix) / (total + _PSEUDO_ROWS)
        place = group
        while place > 0 and shares[order[place - 1]] > shares[group]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = group


@njit_helper
def mark_codes(bins, rows, split, space, goes_left):
    """Mark the rows that go left by the best split; return its threshold."""
    column, categorical = bins.codes[split.feature], bins.categorical[split.feature]
    levels, cut, missing_left = space.best_levels, split.cut, split.missing_left
    under, over = np.int64(-1), np.int64(MISSING)
    for i in range(len(rows)):
        code = np.int64(column[rows[i]])
        if code <= cut:
            under = max(under, code)
        else:
            over = min(over, code)
        if code == MISSING:
            goes_left[i] = missing_left
        else:
            goes_left[i] = levels[code] if categorical else code <= cut
    return 0.0 if categorical else _middle_between(bins, split.feature, under, over)


@njit_helper
def _middle_between(bins, feature, below, above):
    """Return the middle between the largest value of a code and the least of a later one."""
    if above == MISSING:  # nothing but missing values on the right
        return np.inf
    low = bins.high[bins.first[feature] + below]
    high = bins.low[bins.first[feature] + above]
    middle = low + (high - low) / 2
    return middle if middle < high else low


@njit_helper
def _next(state):
    """Return 64 random bits by splitmix64: small, fast, the same everywhere."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit_helper
def uniform(state):
    """Return a number from 0 to below 1 and move the state, an array of one uint64."""
    return (_next(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit_helper
def randint(state, n):
    """Return a whole number from 0 to below n."""
    return np.int64(uniform(state) * n)
