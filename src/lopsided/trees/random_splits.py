"""Random splits: one of every column of a node, drawn and weighed for all columns at once.

No column is sorted or binned. A node's rows are read one after the other, each with all its
columns, of which a processor takes several at a time: once for the range of each column, and
once more for the weight on the left of each threshold. Categories, whose sides are drawn level
by level, are read column by column.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_helper, njit_inline
from lopsided.trees.binning import MAX_LEVELS, check_levels
from lopsided.trees.histogram import trailing_zeros
from lopsided.trees.splitting import NO_SPLIT, Node, SplitInfo, gain_of, randint, uniform

WORDS = MAX_LEVELS // 64


class Values(NamedTuple):
    """A table as it is, C-contiguous, with what random splits need to know of it."""

    X: NDArray[Any]
    categorical: NDArray[np.bool_]  # (n_features,)
    any_missing: bool


class RandomSpace(NamedTuple):
    """What a node knows of each of its columns, used again and again."""

    least: np.ndarray  # float64, (n_features,), infinity where all values are missing
    largest: np.ndarray  # float64
    threshold: np.ndarray  # float64, minus infinity where no split was drawn
    left_labeled: np.ndarray  # float64, the labeled weight up to the threshold
    left: np.ndarray  # float64, all weight up to the threshold
    n_left: np.ndarray  # int64, rows up to the threshold
    missing_labeled: np.ndarray  # float64
    missing_unlabeled: np.ndarray  # float64
    n_missing: np.ndarray  # int64
    seen: np.ndarray  # uint64, (WORDS,), a bit for each level in the node, 0 between uses
    levels: np.ndarray  # uint64, (n_features, WORDS), a bit for each level that goes left


def read_values(X: NDArray[Any], categorical: NDArray[np.bool_]) -> Values:
    """Return a table for random splits; categories in it are whole numbers from 0 on."""
    for feature in np.flatnonzero(categorical):
        check_levels(X[:, feature])
    X = np.ascontiguousarray(X)
    return Values(X, categorical, bool(np.isnan(X.sum()) and np.isnan(X).any()))


def make_random_space(n_features: int) -> RandomSpace:
    """Return arrays for nodes of so many columns."""
    return RandomSpace(
        *np.empty((5, n_features)),
        np.zeros(n_features, np.int64),
        *np.zeros((2, n_features)),
        np.zeros(n_features, np.int64),
        np.zeros(WORDS, np.uint64),
        np.empty((n_features, WORDS), np.uint64),
    )


@njit_inline
def search_random(values, rows, signed, labeled, unlabeled, params, features, space, state):
    """Return the best of the random splits by columns that are not constant here."""
    X, categorical = values.X, values.categorical
    n_labeled = _count_labeled(signed)
    _find_ranges(X, rows, space.least, space.largest)
    if values.any_missing:
        _weigh_missing(X, rows, signed, n_labeled, space)
    n_visited, any_levels = _draw(X, categorical, rows, params, features, space, state)
    count_rows = params.min_samples_leaf > 1 or values.any_missing
    _weigh_left(X, rows, signed, n_labeled, count_rows, space)
    if any_levels:
        _weigh_levels(X, categorical, rows, signed, n_labeled, features[:n_visited], space)
    return _choose(len(rows), labeled, unlabeled, params, features[:n_visited], space)


@njit_helper
def _count_labeled(signed):
    """Return the number of labeled rows, which come first."""
    n_labeled = 0
    while n_labeled < len(signed) and signed[n_labeled] > 0:
        n_labeled += 1
    return n_labeled


# Rows are read by fours, so that what is known of a column is loaded and stored less often; the
# last ones are read again, to no effect, where there are no more. Indices are unsigned, since
# numba asks of others whether they count from the end.


@njit_helper
def _find_ranges(X, rows, least, largest):
    """Find the least and the largest value of each column; a missing one is neither."""
    end = len(rows) - 1
    least[:], largest[:] = np.inf, -np.inf
    for i in range(0, end + 1, 4):
        a, b = np.uint64(rows[i]), np.uint64(rows[min(i + 1, end)])
        c, d = np.uint64(rows[min(i + 2, end)]), np.uint64(rows[min(i + 3, end)])
        for column in range(len(least)):
            j = np.uint64(column)
            low, high = least[j], largest[j]
            x = X[a, j]
            low, high = x if x < low else low, x if x > high else high
            x = X[b, j]
            low, high = x if x < low else low, x if x > high else high
            x = X[c, j]
            low, high = x if x < low else low, x if x > high else high
            x = X[d, j]
            low, high = x if x < low else low, x if x > high else high
            least[j], largest[j] = low, high


@njit_helper
def _weigh_left(X, rows, signed, n_labeled, count_rows, space):
    """Add up the weight on the left of each threshold."""
    left, n_left = space.left, space.n_left
    left[:], n_left[:] = 0.0, 0
    _add_left(X, rows[:n_labeled], signed[:n_labeled], space.threshold, count_rows, left, n_left)
    space.left_labeled[:] = left
    _add_left(X, rows[n_labeled:], signed[n_labeled:], space.threshold, count_rows, left, n_left)


@njit_helper
def _add_left(X, rows, signed, threshold, count_rows, left, n_left):
    end = len(rows) - 1
    for i in range(0, end + 1, 4):
        a, b = np.uint64(rows[i]), np.uint64(rows[min(i + 1, end)])
        c, d = np.uint64(rows[min(i + 2, end)]), np.uint64(rows[min(i + 3, end)])
        wa = abs(signed[i])
        wb = abs(signed[i + 1]) if i + 1 <= end else 0.0
        wc = abs(signed[i + 2]) if i + 2 <= end else 0.0
        wd = abs(signed[i + 3]) if i + 3 <= end else 0.0
        for column in range(len(left)):
            j = np.uint64(column)
            cut, total = threshold[j], left[j]
            total += wa if X[a, j] <= cut else 0.0
            total += wb if X[b, j] <= cut else 0.0
            total += wc if X[c, j] <= cut else 0.0
            total += wd if X[d, j] <= cut else 0.0
            left[j] = total
        if count_rows:
            nb, nc, nd = np.int64(i + 1 <= end), np.int64(i + 2 <= end), np.int64(i + 3 <= end)
            for column in range(len(left)):
                j = np.uint64(column)
                cut, n = threshold[j], n_left[j]
                n += 1 if X[a, j] <= cut else 0
                n += nb if X[b, j] <= cut else 0
                n += nc if X[c, j] <= cut else 0
                n += nd if X[d, j] <= cut else 0
                n_left[j] = n


@njit_helper
def _weigh_missing(X, rows, signed, n_labeled, space):
    """Add up the weight and the rows of the missing values of each column."""
    n_missing = space.n_missing
    n_missing[:], space.missing_labeled[:], space.missing_unlabeled[:] = 0, 0.0, 0.0
    for i in range(len(rows)):
        row, weight = np.uint64(rows[i]), abs(signed[i])
        missing = space.missing_labeled if i < n_labeled else space.missing_unlabeled
        for column in range(len(missing)):
            j = np.uint64(column)
            x = X[row, j]
            missing[j] += weight if x != x else 0.0
            n_missing[j] += 1 if x != x else 0


@njit_helper
def _draw(X, categorical, rows, params, features, space, state):
    """Draw a split of each column that is not constant, in random order, as many as wanted.

    Return how many columns were visited, constant ones too, and whether any has categories.
    """
    least, largest, threshold = space.least, space.largest, space.threshold
    n_missing, seen, levels = space.n_missing, space.seen, space.levels
    threshold[:] = -np.inf
    n_drawn, k, any_levels = 0, 0, False
    while k < len(features) and n_drawn < params.max_features:
        swap = k + randint(state, len(features) - k)
        features[k], features[swap] = features[swap], features[k]
        feature = features[k]
        k += 1
        low, high = least[feature], largest[feature]
        if low > high or (low == high and n_missing[feature] == 0):
            continue
        n_drawn += 1
        if categorical[feature]:
            any_levels = True
            _draw_levels(X, rows, feature, np.int64(high), seen, levels[feature], state)
        elif low == high:  # only missing values lie beyond
            threshold[feature] = np.inf
        else:
            drawn = low + uniform(state) * (high - low)
            threshold[feature] = drawn if drawn < high else np.nextafter(high, low)
    return k, any_levels


@njit_helper
def _draw_levels(X, rows, feature, largest, seen, levels, state):
    """Draw a side for each category that occurs, both sides taken if there are two or more."""
    for i in range(len(rows)):
        x = X[np.uint64(rows[i]), feature]
        if x < MAX_LEVELS:
            level = np.uint64(x)
            seen[level >> np.uint64(6)] |= np.uint64(1) << (level & np.uint64(63))
    n_seen, n_left = 0, 0
    for word in range((largest >> 6) + 1):
        bits, left = seen[word], np.uint64(0)
        while bits != np.uint64(0):
            bit = np.uint64(1) << np.uint64(trailing_zeros(bits))
            bits ^= bit
            n_seen += 1
            if uniform(state) < 0.5:
                left |= bit
                n_left += 1
        levels[word], seen[word] = left, np.uint64(0)
    levels[(largest >> 6) + 1 :] = np.uint64(0)
    last = np.uint64(1) << np.uint64(largest & 63)
    if n_left == 0:
        levels[largest >> 6] |= last
    elif n_left == n_seen > 1:
        levels[largest >> 6] ^= last


@njit_helper
def _weigh_levels(X, categorical, rows, signed, n_labeled, features, space):
    """Add up the weight and the rows of the levels that go left."""
    least, largest, n_missing = space.least, space.largest, space.n_missing
    for feature in features:
        if not categorical[feature]:
            continue
        if least[feature] == largest[feature] and n_missing[feature] == 0:
            continue
        levels, total, n_left = space.levels[feature], 0.0, 0
        space.left_labeled[feature] = 0.0
        for i in range(len(rows)):
            x = X[np.uint64(rows[i]), feature]
            if _has_level(levels, x):
                total += abs(signed[i])
                n_left += 1
            if i == n_labeled - 1:
                space.left_labeled[feature] = total
        space.left[feature], space.n_left[feature] = total, n_left


@njit_helper
def _has_level(levels, x):
    """Say whether a category is in a set; a missing one is in none."""
    if not x < MAX_LEVELS:
        return False
    level = np.uint64(x)
    bit = (levels[level >> np.uint64(6)] >> (level & np.uint64(63))) & np.uint64(1)
    return bit != np.uint64(0)


@njit_helper
def _choose(n_rows, labeled, unlabeled, params, features, space):
    """Return the best split, the first one of equals."""
    least, largest = space.least, space.largest
    left_labeled, left, n_left = space.left_labeled, space.left, space.n_left
    best = NO_SPLIT
    for feature in features:
        n_missing = space.n_missing[feature]
        if least[feature] > largest[feature] or (
            least[feature] == largest[feature] and n_missing == 0
        ):
            continue
        ml, mu = space.missing_labeled[feature], space.missing_unlabeled[feature]
        node = Node(labeled, unlabeled, n_rows, ml, mu, n_missing, 0, 0)
        ll = left_labeled[feature]
        ul = max(left[feature] - ll, 0.0)
        found, missing_left = gain_of(params, node, ll, ul, n_left[feature]), False
        if 0 < n_missing < n_rows - n_left[feature]:
            other = gain_of(params, node, ll + ml, ul + mu, n_left[feature] + n_missing)
            if other > found:
                found, missing_left = other, True
        if found > best.gain:
            best = SplitInfo(found, feature, -1, missing_left, n_missing > 0)
    return best


@njit_helper
def mark_values(values, rows, split, space, goes_left):
    """Mark the rows that go left by a random split; return its threshold."""
    X, feature, missing_left = values.X, split.feature, split.missing_left
    categorical, levels = values.categorical[feature], space.levels[feature]
    threshold = space.threshold[feature]
    for i in range(len(rows)):
        x = X[np.uint64(rows[i]), feature]
        if np.isnan(x):
            goes_left[i] = missing_left
        else:
            goes_left[i] = _has_level(levels, x) if categorical else x <= threshold
    return threshold
