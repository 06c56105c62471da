"""Histograms: the labeled and unlabeled weight of a node, by the codes of one column.

A node's rows are a slice of two arrays: their numbers, and their weights with the sign of the
label (above zero: labeled). What comes out are *groups*: runs of neighboring codes that occur,
in ascending order, each with its last code, its two weights and its number of rows.
Here a large node's groups are bins of several codes; `runs` is exact where a criterion allows.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from lopsided._kernel import njit_helper, njit_inline
from lopsided.trees.binning import MISSING

_MIN_BINS = 1024  # that a histogram may have, enough for every category
_SORT_BELOW = 48  # a smaller node is sorted: every code is a group of its own
_SPARSE = 4  # bins per row from which on only those that hold rows are looked up


class Groups(NamedTuple):
    """Arrays for the groups of a node, used again and again."""

    last: np.ndarray  # int64, the last code
    labeled: np.ndarray  # float64
    unlabeled: np.ndarray  # float64
    n_rows: np.ndarray  # int64, only where leaves must hold more than one row
    places: np.ndarray  # int64, the bins that hold rows; keys of sorted rows
    newest: np.ndarray  # int32, (n_bins,): the latest row of each bin's chain, 0 between uses
    older: np.ndarray  # int32, the row before each in its chain
    weights: np.ndarray  # float64, (2 * n_bins,): unlabeled and labeled, 0 between uses
    counts: np.ndarray  # int64, (n_bins,): rows, 0 between uses
    filled: np.ndarray  # uint64, (n_bins / 64,): a bit for each bin with rows, 0 between uses
    shares: np.ndarray  # float64, for ranking categories


def make_groups(n_rows: int, n_codes: int) -> Groups:
    """Return arrays for nodes of up to n_rows rows and columns of up to n_codes codes."""
    n_bins = n_codes + 1  # one may be written and not used
    return Groups(
        np.empty(n_bins, np.int64),
        np.empty(n_bins),
        np.empty(n_bins),
        np.zeros(n_bins, np.int64),
        np.empty(max(n_rows, n_bins), np.int64),
        np.zeros(n_bins, np.int32),
        np.empty(n_rows, np.int32),
        np.zeros(2 * n_bins),
        np.zeros(n_bins, np.int64),
        np.zeros((n_bins + 63) // 64, np.uint64),
        np.empty(n_bins),
    )


@njit_helper
def gather(column, rows, signed, buffer):
    """Copy a node's codes; return the least and largest and the weight of the missing ones."""
    least, largest = np.uint16(65535), np.uint16(0)
    for i in range(len(rows)):
        code = column[rows[i]]
        buffer[i] = code
        least = min(least, code)
        largest = max(largest, code)
    if largest < MISSING:
        return np.int64(least), np.int64(largest), 0.0, 0.0, 0
    labeled, unlabeled, n_missing, top = 0.0, 0.0, 0, np.int64(-1)
    for i in range(len(rows)):
        if buffer[i] < MISSING:
            top = max(top, np.int64(buffer[i]))
            continue
        n_missing += 1
        if signed[i] > 0:
            labeled += signed[i]
        else:
            unlabeled -= signed[i]
    return np.int64(least), top, labeled, unlabeled, n_missing


@njit_inline
def group_codes(buffer, signed, least, largest, n_missing, count_rows, groups):
    """Fill the groups of a node's codes and return their number.

    Every code is a group of its own in a small node, and wherever no more codes than bins lie
    between the least and the largest, as they do for categories.
    """
    n = len(signed)
    if n < _SORT_BELOW and largest - least >= n:
        return _by_sorting(buffer, signed, groups)
    # Fewer bins would be faster and worse: a large node has to tell its few extreme rows apart.
    limit = _MIN_BINS
    while limit < n // 2:
        limit *= 2
    shift = 0
    while (largest - least) >> shift >= limit:
        shift += 1
    n_bins = ((largest - least) >> shift) + 1
    if n_bins > _SPARSE * n:
        n_places = _fill_sparse(buffer, signed, least, shift, n_bins, groups)
    else:
        n_places = _fill(buffer, signed, least, shift, n_bins, n_missing, groups)
    if count_rows:
        _count(buffer, n, least, shift, groups.counts)
    return _list_bins(least, largest, shift, n_places, count_rows, groups)


# A field of a named tuple is taken out before a loop, not in it: that counts references anew.


@njit_helper
def _fill(buffer, signed, least, shift, n_bins, n_missing, groups):
    """Add up weights by bin, and list the bins that hold rows."""
    weights, places = groups.weights, groups.places
    for i in range(len(signed)):
        if n_missing > 0 and buffer[i] == MISSING:
            continue
        weight = signed[i]
        place = (np.int64(buffer[i]) - least) >> shift
        # Unsigned, since numba has to ask of any other index whether it counts from the end.
        weights[np.uint64(2 * place + (weight > 0))] += abs(weight)
    n_places = 0
    for place in range(n_bins):
        places[n_places] = place
        n_places += weights[2 * place] + weights[2 * place + 1] > 0
    return n_places


@njit_helper
def _fill_sparse(buffer, signed, least, shift, n_bins, groups):
    """Do the same where most bins are empty, with a bit for each of the others."""
    weights, places, filled = groups.weights, groups.places, groups.filled
    for i in range(len(signed)):
        if buffer[i] == MISSING:
            continue
        weight = signed[i]
        place = (np.int64(buffer[i]) - least) >> shift
        weights[2 * place + (weight > 0)] += abs(weight)
        filled[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
    n_places = 0
    for word in range((n_bins + 63) >> 6):
        bits = filled[word]
        filled[word] = 0
        while bits != np.uint64(0):
            places[n_places] = 64 * word + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            n_places += 1
    return n_places


@njit_helper
def _count(buffer, n, least, shift, counts):
    for i in range(n):
        if buffer[i] != MISSING:
            counts[(np.int64(buffer[i]) - least) >> shift] += 1


@njit_helper
def _list_bins(least, largest, shift, n_places, count_rows, groups):
    """Turn each bin that holds rows into a group, and empty it; return the number of groups."""
    last, n_rows = groups.last, groups.n_rows
    labeled, unlabeled = groups.labeled, groups.unlabeled
    places, weights, counts = groups.places, groups.weights, groups.counts
    for group in range(n_places):
        place = places[group]
        last[group] = min(least + ((place + 1) << shift) - 1, largest)
        unlabeled[group], labeled[group] = weights[2 * place], weights[2 * place + 1]
        weights[2 * place], weights[2 * place + 1] = 0.0, 0.0
        if count_rows:
            n_rows[group] = counts[place]
            counts[place] = 0
    return n_places


@njit_helper
def _by_sorting(buffer, signed, groups):
    keys, last, n_rows, n_keys = groups.places, groups.last, groups.n_rows, 0
    for i in range(len(signed)):
        if buffer[i] != MISSING:
            keys[n_keys] = (np.int64(buffer[i]) << 32) | i
            n_keys += 1
    sort_keys(keys, n_keys)
    n_groups = add_codes(keys, n_keys, signed, 0, last, groups.labeled, groups.unlabeled)
    n_rows[:n_groups] = 0
    group = 0
    for i in range(n_keys):
        group += keys[i] >> 32 > last[group]
        n_rows[group] += 1
    return n_groups


@njit_helper
def add_codes(keys, n_keys, signed, n_groups, last, labeled, unlabeled):
    """Add a group for each code of sorted rows; return the number of groups."""
    group, before = n_groups - 1, -1
    for i in range(n_keys):
        code = keys[i] >> 32
        if code != before:
            group, before = group + 1, code
            last[group], labeled[group], unlabeled[group] = code, 0.0, 0.0
        weight = signed[keys[i] & 0xFFFFFFFF]
        if weight > 0:
            labeled[group] += weight
        else:
            unlabeled[group] -= weight
    return group + 1


@njit_helper
def sort_keys(keys, n_keys):
    """Sort by Shell's method: short, and fast for the few keys that there are."""
    gap = 1
    while gap < n_keys // 8:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n_keys):
            key, place = keys[i], i
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                place -= gap
            keys[place] = key
        gap //= 3


@intrinsic
def trailing_zeros(context: Any, bits: Any) -> Any:
    """Return the number of zero bits below the lowest set one; one machine instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate
