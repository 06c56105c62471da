"""Runs: the groups that matter to a convex criterion, exact although the bins are coarse.

The best cut by such a criterion never lies between neighbors that are all labeled or all
unlabeled. So a bin needs a closer look only if it holds both kinds: its rows are sorted, while
every other bin stays whole and unlabeled neighbors are merged.
"""

import numpy as np

from lopsided._kernel import njit_fastmath, njit_helper, njit_inline
from lopsided.trees.binning import MISSING
from lopsided.trees.histogram import add_codes, sort_keys, trailing_zeros

_BINS_PER_LABELED = 128  # at most
_BINS_PER_ROW = 4  # at most


@njit_inline
def group_runs(buffer, signed, least, largest, n_missing, groups):
    """Fill the groups of a node, whose labeled rows must come first; return their number."""
    n_labeled = 0
    while n_labeled < len(signed) and signed[n_labeled] > 0:
        n_labeled += 1
    # To look closer costs more than to look at empty bins, so mixed bins should be rare.
    n_bins, shift = min(_BINS_PER_LABELED * n_labeled, _BINS_PER_ROW * len(signed)), 0
    while (largest - least) >> shift >= n_bins:
        shift += 1
    _fill(buffer, signed, n_labeled, least, shift, n_missing, groups)
    return _merge(buffer, signed, least, largest, shift, groups)


@njit_helper
def _fill(buffer, signed, n_labeled, least, shift, n_missing, groups):
    """Mark the bins with labeled rows and chain up their rows; add up the weights of others.

    Rows count from 1 in a chain, which ends with 0.
    """
    # A field of a named tuple is taken out before a loop, not in it: that counts references
    # anew. Indices are unsigned, since numba asks of others whether they count from the end.
    weights, marks, newest, older = groups.weights, groups.filled, groups.newest, groups.older
    for i in range(len(signed)):
        if n_missing > 0 and buffer[i] == MISSING:
            continue
        place = np.uint64((np.int64(buffer[i]) - least) >> shift)
        word, mark = place >> np.uint64(6), np.uint64(1) << (place & np.uint64(63))
        if i < n_labeled:
            marks[word] |= mark
        elif marks[word] & mark == 0:
            weights[place] -= signed[i]
            continue
        older[i] = newest[place]
        newest[place] = i + 1


@njit_helper
def _merge(buffer, signed, least, largest, shift, groups):
    """Turn marked bins into groups by code, what lies between into one each; empty them."""
    weights, marks, newest, older = groups.weights, groups.filled, groups.newest, groups.older
    last, labeled, unlabeled = groups.last, groups.labeled, groups.unlabeled
    keys = groups.places
    n_bins = ((largest - least) >> shift) + 1
    n_groups, begin = 0, np.int64(0)
    for word in range((n_bins + 63) >> 6):
        bits = marks[word]
        marks[word] = 0
        while bits != np.uint64(0):
            place = 64 * word + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            run = _take_sum(weights, begin, place)
            last[n_groups], labeled[n_groups] = least + (place << shift) - 1, 0.0
            unlabeled[n_groups] = run
            n_groups += run > 0
            n_keys = _read_chain(buffer, newest[place], older, keys)
            sort_keys(keys, n_keys)
            n_groups = add_codes(keys, n_keys, signed, n_groups, last, labeled, unlabeled)
            newest[place] = 0
            begin = place + 1
    run = _take_sum(weights, begin, n_bins)
    if run > 0:
        last[n_groups], labeled[n_groups], unlabeled[n_groups] = largest, 0.0, run
        n_groups += 1
    return n_groups


@njit_fastmath
def _take_sum(weights, begin, end):
    """Return the sum of some weights and set them to 0."""
    total = 0.0
    for i in range(begin, end):
        total += weights[np.uint64(i)]
        weights[np.uint64(i)] = 0.0
    return total


@njit_helper
def _read_chain(buffer, start, older, keys):
    """List the rows of a chain by code and number; return how many they are."""
    n_keys, row = 0, np.int64(start)
    while row > 0:
        keys[n_keys] = (np.int64(buffer[row - 1]) << 32) | (row - 1)
        n_keys, row = n_keys + 1, np.int64(older[row - 1])
    return n_keys
