"""Random splits: one of every column of a node, drawn and weighed for all columns at once.

No column is sorted or binned. A node's rows are read one after the other, each with all its
columns, of which a processor takes several at a time: once for the range of each column, and
once more for the weight on the left of each threshold. Categories, whose sides are drawn level
by level, are read column by column.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_fastmath, njit_helper, njit_inline
from lopsided.trees.binning import MAX_LEVELS, any_missing, check_levels
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
    left_unlabeled: np.ndarray  # float64
    n_left: np.ndarray  # float64, rows up to the threshold, where they must be known
    missing_labeled: np.ndarray  # float64
    missing_unlabeled: np.ndarray  # float64
    n_missing: np.ndarray  # float64
    buffer: np.ndarray  # uint16, (n_bag,), the levels of a column, MAX_LEVELS if missing
    seen: np.ndarray  # uint64, eight levels in each: a byte of 1 for one that occurs
    seen_bytes: np.ndarray  # uint8, the same memory, 0 between uses but for missing ones
    sides: np.ndarray  # float64, (MAX_LEVELS + 1,), 1 for levels that go left
    levels: np.ndarray  # uint64, (n_features, WORDS), a bit for each level that goes left


def read_values(X: NDArray[Any], categorical: NDArray[np.bool_]) -> Values:
    """Return a table for random splits; categories in it are whole numbers from 0 on."""
    for feature in np.flatnonzero(categorical):
        check_levels(X[:, feature])
    X = np.ascontiguousarray(X)
    return Values(X, categorical, any_missing(X))


def make_random_space(n_rows: int, n_features: int) -> RandomSpace:
    """Return arrays for nodes of up to n_rows rows and so many columns."""
    seen = np.zeros(MAX_LEVELS // 8 + 1, np.uint64)
    return RandomSpace(
        least=np.empty(n_features),
        largest=np.empty(n_features),
        threshold=np.empty(n_features),
        left_labeled=np.empty(n_features),
        left_unlabeled=np.empty(n_features),
        n_left=np.empty(n_features),
        missing_labeled=np.zeros(n_features),
        missing_unlabeled=np.zeros(n_features),
        n_missing=np.zeros(n_features),
        buffer=np.empty(n_rows, np.uint16),
        seen=seen,
        seen_bytes=seen.view(np.uint8),
        sides=np.zeros(MAX_LEVELS + 1),
        levels=np.empty((n_features, WORDS), np.uint64),
    )


@njit_inline
def search_random(values, rows, signed, labeled, unlabeled, params, features, space, state):
    """Return the best of the random splits by columns that are not constant here."""
    X, categorical = values.X, values.categorical
    n_labeled = _count_labeled(signed)
    _find_ranges(X, rows, space.least, space.largest)
    if values.any_missing:
        _weigh_missing(X, rows, signed, n_labeled, space)
    n_visited = _draw(X, categorical, rows, signed, n_labeled, params, features, space, state)
    count_rows = params.min_samples_leaf > 1 or values.any_missing
    _weigh_left(X, rows, signed, n_labeled, count_rows, space)
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
    """Add up the weight, and count the rows if asked, on the left of each threshold."""
    threshold, left, n_left = space.threshold, space.left_unlabeled, space.n_left
    labeled, unlabeled = signed[:n_labeled], signed[n_labeled:]
    _add_left(X, rows[:n_labeled], labeled, threshold, count_rows, space.left_labeled, n_left)
    _add_left(X, rows[n_labeled:], unlabeled, threshold, count_rows, left, n_left)


@njit_helper
def _add_left(X, rows, signed, threshold, count_rows, left, n_left):
    end = len(rows) - 1
    for i in range(0, end + 1, 4):
        a, b = np.uint64(rows[i]), np.uint64(rows[min(i + 1, end)])
        c, d = np.uint64(rows[min(i + 2, end)]), np.uint64(rows[min(i + 3, end)])
        nb, nc = 1.0 if i < end else 0.0, 1.0 if i + 1 < end else 0.0
        nd = 1.0 if i + 2 < end else 0.0
        wa, wb = abs(signed[i]), nb * abs(signed[min(i + 1, end)])
        wc, wd = nc * abs(signed[min(i + 2, end)]), nd * abs(signed[min(i + 3, end)])
        if not count_rows:
            for column in range(len(left)):
                j = np.uint64(column)
                cut, weight = threshold[j], left[j]
                weight += wa if X[a, j] <= cut else 0.0
                weight += wb if X[b, j] <= cut else 0.0
                weight += wc if X[c, j] <= cut else 0.0
                weight += wd if X[d, j] <= cut else 0.0
                left[j] = weight
            continue
        for column in range(len(left)):
            j = np.uint64(column)
            cut, weight, number = threshold[j], left[j], n_left[j]
            weight += wa if X[a, j] <= cut else 0.0
            number += 1.0 if X[a, j] <= cut else 0.0
            weight += wb if X[b, j] <= cut else 0.0
            number += nb if X[b, j] <= cut else 0.0
            weight += wc if X[c, j] <= cut else 0.0
            number += nc if X[c, j] <= cut else 0.0
            weight += wd if X[d, j] <= cut else 0.0
            number += nd if X[d, j] <= cut else 0.0
            left[j], n_left[j] = weight, number


@njit_helper
def _weigh_missing(X, rows, signed, n_labeled, space):
    """Add up the weight and the rows of the missing values of each column."""
    n_missing = space.n_missing
    n_missing[:], space.missing_labeled[:], space.missing_unlabeled[:] = 0.0, 0.0, 0.0
    for i in range(len(rows)):
        row, weight = np.uint64(rows[i]), abs(signed[i])
        missing = space.missing_labeled if i < n_labeled else space.missing_unlabeled
        for column in range(len(missing)):
            j = np.uint64(column)
            x = X[row, j]
            missing[j] += weight if x != x else 0.0
            n_missing[j] += 1.0 if x != x else 0.0


@njit_helper
def _draw(X, categorical, rows, signed, n_labeled, params, features, space, state):
    """Draw a split of each column that is not constant, in random order, as many as wanted.

    Categories are weighed too. Return how many columns were visited, constant ones too.
    """
    least, largest, threshold = space.least, space.largest, space.threshold
    left_labeled, left, n_left = space.left_labeled, space.left_unlabeled, space.n_left
    left_labeled[:], left[:], n_left[:], threshold[:] = 0.0, 0.0, 0.0, -np.inf
    n_missing, n_drawn, k = space.n_missing, 0, 0
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
            _read_levels(X, rows, feature, space.buffer, space.seen_bytes)
            _draw_levels(np.int64(high), space, space.levels[feature], state)
            sides = space.sides
            labeled, n_rows = _weigh_levels(signed[:n_labeled], space.buffer, sides)
            unlabeled, n_others = _weigh_levels(
                signed[n_labeled:], space.buffer[n_labeled:], sides
            )
            left_labeled[feature], left[feature] = labeled, unlabeled
            n_left[feature] = n_rows + n_others
        elif low == high:  # only missing values lie beyond
            threshold[feature] = np.inf
        else:
            drawn = low + uniform(state) * (high - low)
            threshold[feature] = drawn if drawn < high else np.nextafter(high, low)
    return k


@njit_helper
def _read_levels(X, rows, feature, buffer, seen):
    """Copy the levels of a column, and mark those that occur."""
    for i in range(len(rows)):
        x = X[np.uint64(rows[i]), feature]
        level = np.uint16(x if x < MAX_LEVELS else MAX_LEVELS)
        buffer[i] = level
        seen[np.uint64(level)] = 1


@njit_helper
def _draw_levels(largest, space, levels, state):
    """Draw a side for each level that occurs, both sides taken if there are two or more."""
    seen, sides = space.seen, space.sides
    levels[:] = np.uint64(0)
    n_seen, n_left = 0, 0
    for word in range((largest >> 3) + 1):
        bits, seen[word] = seen[word], np.uint64(0)
        while bits != np.uint64(0):
            level = 8 * word + (trailing_zeros(bits) >> 3)
            bits &= bits - np.uint64(1)
            left = uniform(state) < 0.5
            sides[level] = 1.0 if left else 0.0
            levels[level >> 6] |= np.uint64(left) << np.uint64(level & 63)
            n_seen, n_left = n_seen + 1, n_left + left
    if n_left == 0 or n_left == n_seen > 1:  # the last level goes to the other side
        sides[largest] = 1.0 - sides[largest]
        levels[largest >> 6] ^= np.uint64(1) << np.uint64(largest & 63)


@njit_fastmath
def _weigh_levels(signed, buffer, sides):
    """Return the weight and the number of rows whose level goes left."""
    weight, number = 0.0, 0.0
    for i in range(len(signed)):
        side = sides[np.uint64(buffer[i])]
        weight += abs(signed[i]) * side
        number += side
    return weight, number


@njit_helper
def _choose(n_rows, labeled, unlabeled, params, features, space):
    """Return the best split, the first one of equals."""
    least, largest = space.least, space.largest
    left_labeled, left, n_left = space.left_labeled, space.left_unlabeled, space.n_left
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
        ul = left[feature]
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
            goes_left[i] = _has_level(levels, np.int64(x)) if categorical else x <= threshold
    return threshold


@njit_helper
def _has_level(levels, level):
    """Say whether a level is in a set."""
    return (levels[level >> 6] >> np.uint64(level & 63)) & np.uint64(1) != np.uint64(0)
