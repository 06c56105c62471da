"""Predicting: rows traverse a tree, many at a time."""

import numpy as np

from lopsided._kernel import njit_cached, njit_helper
from lopsided.trees.binning import MAX_LEVELS
from lopsided.trees.grower import LEAF, MISSING_LEFT, SUBSET

_ROWS_AT_ONCE = 64  # traverse side by side, so that none waits for another's memory
_STEPS = (
    6  # down the tree before rows in leaves are sorted out: a branch that cannot be foreseen
)


@njit_cached
def add_values(nodes, starts, bitsets, bitset_starts, X, rows, any_missing, out):
    """Add to `out` the leaf values of some rows of X, NaN among them or not, in all trees.

    The nodes and bitsets of all trees lie one after the other; `starts` say where those of each
    tree start, and the last ones end.
    """
    plain = len(bitsets) == 0 and not any_missing
    for tree in range(len(starts) - 1):
        here = nodes[starts[tree] : starts[tree + 1]]
        left_categories = bitsets[bitset_starts[tree] : bitset_starts[tree + 1]]
        _traverse(here, left_categories, X, rows, plain, out)


@njit_helper
def _traverse(nodes, bitsets, X, rows, plain, out):
    """Send rows to their leaves; `plain` ones meet no missing value and no category."""
    # Unsigned, since numba has to ask of any other index whether it counts from the end.
    running = np.empty(_ROWS_AT_ONCE, np.uint32)  # the rows that have not reached a leaf
    at = np.empty(_ROWS_AT_ONCE, np.uint32)  # the node of each
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        n_running = min(_ROWS_AT_ONCE, len(rows) - first)
        for i in range(n_running):
            running[i], at[i] = rows[first + i], 0
        while n_running > 0:
            for _ in range(_STEPS):
                for i in range(n_running):
                    place = at[np.uint64(i)]
                    node = nodes[np.uint64(place)]
                    # A leaf has feature 0, so that there is a value, and stays where it is.
                    value = X[np.uint64(running[np.uint64(i)]), np.uint64(node.feature)]
                    right = (
                        value > node.threshold if plain else not goes_left(node, bitsets, value)
                    )
                    child = np.uint32(node.left + right)
                    at[np.uint64(i)] = place if node.left == LEAF else child
            still = 0
            for i in range(n_running):
                row, place = running[np.uint64(i)], at[np.uint64(i)]
                node = nodes[np.uint64(place)]
                if node.left == LEAF:
                    out[np.uint64(row)] += node.threshold
                    continue
                running[np.uint64(still)], at[np.uint64(still)] = row, place
                still += 1
            n_running = still


@njit_helper
def goes_left(node, bitsets, value):
    """Say to which child of a node a value goes."""
    if np.isnan(value):
        return node.flags & MISSING_LEFT != 0
    if node.flags & SUBSET:
        level = np.int64(value)
        if level >= MAX_LEVELS:  # a level that did not occur in training
            return node.flags & MISSING_LEFT != 0
        word = bitsets[np.int64(node.threshold), level >> 6]
        return (word >> np.uint64(level & 63)) & np.uint64(1) != np.uint64(0)
    return value <= node.threshold


@njit_cached
def fill_covers(nodes, starts, leaf_weights, covers):
    """Fill in the labeled and unlabeled weight of every node, given the weight of each leaf."""
    leaf = len(leaf_weights)
    for tree in range(len(starts) - 2, -1, -1):
        here, own = nodes[starts[tree] : starts[tree + 1]], covers[starts[tree] :]
        for place in range(len(here) - 1, -1, -1):  # a child comes after its parent
            node = here[place]
            if node.left == LEAF:
                leaf -= 1
                labeled = node.threshold * leaf_weights[leaf]
                own[place, 0], own[place, 1] = labeled, leaf_weights[leaf] - labeled
            else:
                for label in range(2):
                    own[place, label] = own[node.left, label] + own[node.left + 1, label]
