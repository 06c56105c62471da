"""Growing: one tree from a bag of rows, node by node, depth first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_cached, njit_helper
from lopsided.trees.binning import MAX_LEVELS, MISSING, Bins
from lopsided.trees.random import below
from lopsided.trees.splitting import (
    NO_SPLIT,
    Rules,
    best_split,
    is_left,
    make_room,
    may_split,
    middle_between,
    random_split,
    weigh,
)

__all__ = ["LEAF", "MISSING_LEFT", "NODE", "SUBSET", "WORDS", "Tree", "grow"]

# A node of a grown tree. A leaf has no children and its value as threshold; any other node
# sends x <= threshold to `left` and the rest to `left + 1`. A split by categories keeps in
# `threshold` its row in the table of bits, in which category c is bit c. A missing value goes
# where it did in training; where the node had none, to the child of more weight. So does a
# category that the node had no rows of: nothing is known about it there.
NODE = np.dtype(
    [
        ("threshold", np.float64),
        ("left", np.int32),
        ("feature", np.uint16),
        ("flags", np.uint16),
    ]
)
LEAF = -1
MISSING_LEFT = 1
SUBSET = 2
WORDS = MAX_LEVELS // 64


class Tree(NamedTuple):
    """A grown tree."""

    nodes: np.ndarray  # (n_nodes,) of NODE
    covers: np.ndarray  # (n_nodes, 2), the labeled and unlabeled weight of each node
    bits: np.ndarray  # (n_subsets, WORDS), the left categories of each split by them
    gains: np.ndarray  # (n_features,), what each column's splits brought


def grow(
    bins: Bins,
    bag: NDArray[np.uint32],
    weights: NDArray[np.float64],
    rules: Rules,
    state: NDArray[np.uint64],
) -> Tree:
    """Grow a tree.

    Parameters
    ----------
    bins : Bins
        The table.
    bag : ndarray of uint32
        The rows of the tree; reordered in place.
    weights : ndarray of float64
        Their weights with the sign of the label, above zero if labeled; reordered in place.
    rules : Rules
        How to grow.
    state : ndarray of uint64, shape (1,)
        State of the random numbers.

    Returns
    -------
    Tree
    """
    n_features, n_bag = len(bins.codes), len(bag)
    n_most = max(2 * n_bag - 1, 1)
    # Arrays are made here: numba takes long to compile what makes them.
    draft = Tree(
        np.empty(n_most, NODE),
        np.empty((n_most, 2)),
        np.zeros((8, WORDS), np.uint64),
        np.zeros(n_features),
    )
    scratch = _Scratch(
        np.arange(n_features),
        np.empty_like(bag),
        np.empty_like(weights),
        np.empty((n_bag + 1, 5), np.int64),
    )
    n_codes = int((bins.first[1:] - bins.first[:-1]).max(initial=1))
    room = make_room(n_bag, n_codes)
    n_nodes, n_bits, bits = _grow(bins, bag, weights, rules, draft, scratch, room, state)
    return Tree(
        draft.nodes[:n_nodes].copy(),
        draft.covers[:n_nodes].copy(),
        bits[:n_bits].copy(),
        draft.gains,
    )


class _Scratch(NamedTuple):
    """What growing needs besides the room for splits."""

    features: np.ndarray  # int64, the columns in the order in which they are looked at
    rows: np.ndarray  # uint32, (n_bag,)
    weights: np.ndarray  # float64, (n_bag,)
    stack: np.ndarray  # int64, (n_bag + 1, 5): node, start, end, depth, may it split


@njit_cached
def _grow(bins, bag, weights, rules, draft, scratch, room, state):
    """Fill the draft of a tree; return the number of its nodes, and its table of bits."""
    nodes, covers, bits, gains = draft
    features, spare_rows, spare_weights, stack = scratch
    n_bag, n_bits = len(bag), np.int64(0)
    _labeled_first(bag, weights, spare_rows, spare_weights)
    n_stack, n_nodes = _push(stack, 0, 0, 0, n_bag, 0, True), np.int64(1)
    covers[0, 0], covers[0, 1] = weigh(weights)
    while n_stack > 0:
        n_stack -= 1
        place, start, end = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        depth, splits = stack[n_stack, 3], stack[n_stack, 4]
        rows, signed = bag[start:end], weights[start:end]
        labeled, unlabeled = covers[place, 0], covers[place, 1]
        split = NO_SPLIT
        too_small = end - start < 2 * rules.min_samples_leaf or depth >= rules.max_depth
        if splits and labeled > 0 and unlabeled > 0 and not too_small:
            split = _search(
                bins, rows, signed, labeled, unlabeled, rules, features, room, state
            )
        node = nodes[place]
        node.feature, node.flags = max(split.feature, 0), 0
        if split.feature < 0:
            node.left = LEAF
            node.threshold = labeled / (labeled + unlabeled) if labeled > 0 else 0.0
            continue
        n_left, under, over = _partition(
            bins, split, room.best_levels, rows, signed, spare_rows, spare_weights
        )
        middle = start + n_left
        node.left, node.threshold = n_nodes, split.threshold
        if np.isnan(split.threshold):
            node.threshold = middle_between(bins, split.feature, under, over)
        ll, lu = weigh(weights[start:middle])
        rl, ru = weigh(weights[middle:end])
        missing_left = split.missing_left if split.missing_seen else ll + lu > rl + ru
        node.flags = MISSING_LEFT if missing_left else 0
        if bins.categorical[split.feature]:
            node.flags |= SUBSET
            node.threshold = n_bits
            bits = _add_bits(
                bits, n_bits, bins.codes[split.feature], rows, n_left, missing_left
            )
            n_bits += 1
        covers[n_nodes, 0], covers[n_nodes, 1] = ll, lu
        covers[n_nodes + 1, 0], covers[n_nodes + 1, 1] = rl, ru
        gains[split.feature] += split.gain * (
            labeled + unlabeled if rules.gain_ignores_size else 1.0
        )
        on_left, on_right = may_split(rules, ll, lu, rl, ru)
        # The left child lies on top and is grown first.
        n_stack = _push(stack, n_stack, n_nodes + 1, middle, end, depth + 1, on_right)
        n_stack = _push(stack, n_stack, n_nodes, start, middle, depth + 1, on_left)
        n_nodes += 2
    return n_nodes, n_bits, bits


@njit_helper
def _labeled_first(rows, signed, spare_rows, spare_weights):
    """Put the labeled rows first, as they then are in every node."""
    n_labeled, n_rest = 0, 0
    for i in range(len(rows)):
        if signed[i] > 0:
            rows[n_labeled], signed[n_labeled] = rows[i], signed[i]
            n_labeled += 1
        else:
            spare_rows[n_rest], spare_weights[n_rest] = rows[i], signed[i]
            n_rest += 1
    for i in range(n_rest):
        rows[n_labeled + i], signed[n_labeled + i] = spare_rows[i], spare_weights[i]


@njit_helper
def _push(stack, n_stack, place, start, end, depth, splits):
    """Put a node on the stack; return the new height."""
    stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2] = place, start, end
    stack[n_stack, 3], stack[n_stack, 4] = depth, splits
    return n_stack + 1


@njit_helper
def _search(bins, rows, signed, labeled, unlabeled, rules, features, room, state):
    """Return the best split over a random choice of columns that are not constant here."""
    best = NO_SPLIT
    visited = 0
    for k in range(len(features)):
        swap = k + below(state, len(features) - k)
        features[k], features[swap] = features[swap], features[k]
        feature = features[k]
        if rules.random_cuts:
            constant, split = random_split(
                bins, feature, rows, signed, labeled, unlabeled, rules, room, state
            )
        else:
            constant, split = best_split(
                bins, feature, rows, signed, labeled, unlabeled, rules, room
            )
        if constant:
            continue
        if split.gain > best.gain:
            best = split
            if bins.categorical[split.feature]:
                best_levels, levels = room.best_levels, room.levels
                for level in range(MAX_LEVELS):
                    best_levels[level] = levels[level]
        visited += 1
        if visited >= rules.max_features:
            break
    return best


@njit_helper
def _partition(bins, split, levels, rows, signed, spare_rows, spare_weights):
    """Put the rows that go left first, keeping their order.

    Return how many they are, the largest code up to the cut and the least one beyond.
    """
    column = bins.codes[split.feature]
    categorical = bins.categorical[split.feature]
    n_left, n_right = 0, 0
    cut, under, over = split.cut, np.int64(-1), np.int64(MISSING)
    for i in range(len(rows)):
        code = np.int64(column[rows[i]])
        if code <= cut:
            under = max(under, code)
        else:
            over = min(over, code)
        if is_left(code, split, categorical, levels):
            rows[n_left] = rows[i]
            signed[n_left] = signed[i]
            n_left += 1
        else:
            spare_rows[n_right] = rows[i]
            spare_weights[n_right] = signed[i]
            n_right += 1
    for i in range(n_right):
        rows[n_left + i] = spare_rows[i]
        signed[n_left + i] = spare_weights[i]
    return n_left, under, over


@njit_helper
def _add_bits(bits, n_bits, column, rows, n_left, absent_left):
    """Write which categories go left into the table of bits, twice as long if it is full.

    The first `n_left` rows do; categories that no row has go left if `absent_left`.
    """
    if n_bits == len(bits):
        longer = np.zeros((2 * n_bits, WORDS), np.uint64)
        for row in range(n_bits):
            for word in range(WORDS):
                longer[row, word] = bits[row, word]
        bits = longer
    words = bits[n_bits]
    words[:] = ~np.uint64(0) if absent_left else np.uint64(0)
    for row in rows[n_left:] if absent_left else rows[:n_left]:
        code = column[row]
        if code != MISSING:
            bit = np.uint64(1) << np.uint64(code & 63)
            words[code >> 6] = (
                words[code >> 6] & ~bit if absent_left else words[code >> 6] | bit
            )
    return bits
