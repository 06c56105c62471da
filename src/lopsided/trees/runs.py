"""Runs: the groups that matter to a convex criterion, exact although the bins are coarse.

The best cut by such a criterion never lies between neighbors that are all labeled or all
unlabeled. So a bin needs a closer look only if it holds both kinds: its rows are sorted, while
every other bin stays whole and unlabeled neighbors are merged.
"""

import numpy as np

from lopsided._kernel import part
from lopsided.trees.binning import MISSING

__all__ = ["group_runs"]

_BINS_PER_LABELED = 128  # at most
_BINS_PER_ROW = 4  # at most


@part
def group_runs(buffer, signed, least, largest, n_missing, groups):
    """Fill the groups of a node's codes and return their number.

    The node's labeled rows must come first. What a group's first code is, is left open.
    """
    n_labeled = 0
    while n_labeled < len(signed) and signed[n_labeled] > 0:
        n_labeled += 1
    # To look closer costs more than to look at empty bins, so mixed bins should be rare.
    n_bins, shift = min(_BINS_PER_LABELED * n_labeled, _BINS_PER_ROW * len(signed)), 0
    while (largest - least) >> shift >= n_bins:
        shift += 1
    _fill(buffer, signed, least, shift, n_missing, groups)
    return _merge(buffer, signed, least, largest, shift, groups)


@part
def _fill(buffer, signed, least, shift, n_missing, groups):
    """Add up weights by bin, and chain up the rows of each bin with labeled ones.

    Rows count from 1 in a chain, which ends with 0.
    """
    # A field of a named tuple is taken out before a loop, not in it: that counts references
    # anew. Indices are unsigned, since numba asks of others whether they count from the end.
    weights, newest, older = groups.weights, groups.newest, groups.older
    for i in range(len(signed)):
        if n_missing > 0 and buffer[i] == MISSING:
            continue
        place = np.uint64((np.int64(buffer[i]) - least) >> shift)
        if signed[i] > 0:
            weights[2 * place + np.uint64(1)] += signed[i]
        else:
            weights[2 * place] -= signed[i]
            if weights[2 * place + np.uint64(1)] == 0:
                continue
        older[i] = newest[place]
        newest[place] = i + 1


@part
def _merge(buffer, signed, least, largest, shift, groups):
    """Turn bins into groups, mixed ones by code, and empty them; return their number."""
    last, labeled, unlabeled = groups.last, groups.labeled, groups.unlabeled
    weights, newest = groups.weights, groups.newest
    n_groups, run = 0, 0.0
    for place in range(((largest - least) >> shift) + 1):
        u, l = weights[2 * place], weights[2 * place + 1]  # noqa: E741
        weights[2 * place] = 0.0
        if l == 0:
            run += u
            continue
        weights[2 * place + 1] = 0.0
        end = least + (place << shift) - 1
        if run > 0:
            last[n_groups], labeled[n_groups], unlabeled[n_groups] = end, 0.0, run
            n_groups, run = n_groups + 1, 0.0
        start, newest[place] = newest[place], 0
        if u > 0 and shift > 0:
            n_groups = _take_apart(buffer, signed, start, n_groups, groups)
            continue
        last[n_groups], labeled[n_groups], unlabeled[n_groups] = end + (1 << shift), l, u
        n_groups += 1
    if run > 0:
        last[n_groups], labeled[n_groups], unlabeled[n_groups] = largest, 0.0, run
        n_groups += 1
    return n_groups


@part
def _take_apart(buffer, signed, start, n_groups, groups):
    """Add a group for each code of a chain of rows; return the number of groups."""
    keys, older = groups.places, groups.older
    n_keys, row = 0, start
    while row > 0:
        keys[n_keys] = (np.int64(buffer[row - 1]) << 32) | (row - 1)
        n_keys, row = n_keys + 1, older[row - 1]
    _sort(keys, n_keys)
    last, labeled, unlabeled = groups.last, groups.labeled, groups.unlabeled
    group, before = n_groups - 1, -1
    for i in range(n_keys):
        code = keys[i] >> 32
        if code != before:
            group, before = group + 1, code
            last[group] = code
            labeled[group], unlabeled[group] = 0.0, 0.0
        weight = signed[keys[i] & 0xFFFFFFFF]
        if weight > 0:
            labeled[group] += weight
        else:
            unlabeled[group] -= weight
    return group + 1


@part
def _sort(keys, n_keys):
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
