"""Growing: one tree from a bag of rows, node by node, depth first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_cached, njit_helper, njit_inline
from lopsided.trees.binning import MAX_LEVELS, MISSING, Bins
from lopsided.trees.criteria import may_split
from lopsided.trees.histogram import Groups, gather, make_groups
from lopsided.trees.splitting import (
    NO_SPLIT,
    Node,
    TreeParams,
    best_split,
    middle_between,
    randint,
    random_split,
)

# A node of a grown tree. A leaf has no children and its value as threshold; any other node
# sends x <= threshold to `left` and the rest to `left + 1`. A split by categories keeps in
# `threshold` its row in the table of bitsets, in which category c is bit c. A missing value
# goes where it did in training; where the node had none, to the child of more weight. So does a
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
    left_category_bitsets: np.ndarray  # (n_subsets, WORDS), a row for each split by categories
    gains: np.ndarray  # (n_features,), what each column's splits brought


class Workspace(NamedTuple):
    """Arrays that a tree uses again and again while it grows."""

    features: np.ndarray  # int64, the columns in the order in which they are looked at
    rows: np.ndarray  # uint32, (n_bag,)
    weights: np.ndarray  # float64, (n_bag,)
    stack: np.ndarray  # int64, (n_bag + 1, 5): node, start, end, depth, may it split
    buffer: np.ndarray  # uint16, the codes of the node at hand
    groups: Groups
    ascending: np.ndarray  # int64, the groups in their own order
    ranked: np.ndarray  # int64, the groups in the order of their labeled share
    levels: np.ndarray  # bool, the categories that go left
    best_levels: np.ndarray  # bool, those of the best split so far


def grow(
    bins: Bins,
    bag: NDArray[np.uint32],
    weights: NDArray[np.float64],
    params: TreeParams,
    seed: np.uint64,
) -> Tree:
    """Grow a tree on some rows, whose weights have the sign of the label: + is labeled."""
    n_features, n_bag = len(bins.codes), len(bag)
    n_most = max(2 * n_bag - 1, 1)
    n_codes = int((bins.first[1:] - bins.first[:-1]).max(initial=1))
    # Arrays are made here: numba takes long to compile what makes them.
    draft = Tree(
        np.empty(n_most, NODE),
        np.empty((n_most, 2)),
        np.zeros((8, WORDS), np.uint64),
        np.zeros(n_features),
    )
    workspace = Workspace(
        features=np.arange(n_features),
        rows=np.empty_like(bag),
        weights=np.empty_like(weights),
        stack=np.empty((n_bag + 1, 5), np.int64),
        buffer=np.empty(n_bag, np.uint16),
        groups=make_groups(n_bag, n_codes),
        ascending=np.arange(n_codes + 1),
        ranked=np.empty(n_codes + 1, np.int64),
        levels=np.zeros(MAX_LEVELS, np.bool_),
        best_levels=np.zeros(MAX_LEVELS, np.bool_),
    )
    # Labeled rows come first, here and then in every node.
    order = np.concatenate([np.flatnonzero(weights > 0), np.flatnonzero(weights <= 0)])
    state = np.array([seed], np.uint64)
    n_nodes, n_bitsets, bitsets = _grow(
        bins, bag[order], weights[order], params, draft, workspace, state
    )
    return Tree(
        draft.nodes[:n_nodes].copy(),
        draft.covers[:n_nodes].copy(),
        bitsets[:n_bitsets].copy(),
        draft.gains,
    )


@njit_cached
def _grow(bins, bag, weights, params, draft, workspace, state):
    """Fill the draft of a tree; return the number of its nodes, and its bitsets."""
    nodes, covers, bitsets, gains = draft
    stack, n_bitsets = workspace.stack, np.int64(0)
    n_stack, n_nodes = _push(stack, 0, 0, 0, len(bag), 0, True), np.int64(1)
    covers[0, 0], covers[0, 1] = _sum_by_label(weights)
    while n_stack > 0:
        n_stack -= 1
        place, start, end = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        depth, splits = stack[n_stack, 3], stack[n_stack, 4]
        rows, signed = bag[start:end], weights[start:end]
        labeled, unlabeled = covers[place, 0], covers[place, 1]
        split = NO_SPLIT
        too_small = end - start < 2 * params.min_samples_leaf or depth >= params.max_depth
        if splits and labeled > 0 and unlabeled > 0 and not too_small:
            split = _search(bins, rows, signed, labeled, unlabeled, params, workspace, state)
        node = nodes[place]
        node.feature, node.flags = max(split.feature, 0), 0
        if split.feature < 0:
            node.left = LEAF
            node.threshold = labeled / (labeled + unlabeled) if labeled > 0 else 0.0
            continue
        n_left, under, over = _partition(bins, split, rows, signed, workspace)
        middle = start + n_left
        node.left, node.threshold = n_nodes, split.threshold
        if np.isnan(split.threshold):
            node.threshold = middle_between(bins, split.feature, under, over)
        ll, ul = _sum_by_label(weights[start:middle])
        lr, ur = _sum_by_label(weights[middle:end])
        missing_left = split.missing_left if split.missing_seen else ll + ul > lr + ur
        node.flags = MISSING_LEFT if missing_left else 0
        if bins.categorical[split.feature]:
            node.flags |= SUBSET
            node.threshold = n_bitsets
            column = bins.codes[split.feature]
            bitsets = _add_bitset(bitsets, n_bitsets, column, rows, n_left, missing_left)
            n_bitsets += 1
        covers[n_nodes, 0], covers[n_nodes, 1] = ll, ul
        covers[n_nodes + 1, 0], covers[n_nodes + 1, 1] = lr, ur
        size = labeled + unlabeled if params.gain_ignores_size else 1.0
        gains[split.feature] += split.gain * size
        on_left, on_right = may_split(
            params.criterion, ll, ul, lr, ur, params.inverse_label_frequency
        )
        # The left child lies on top and is grown first.
        n_stack = _push(stack, n_stack, n_nodes + 1, middle, end, depth + 1, on_right)
        n_stack = _push(stack, n_stack, n_nodes, start, middle, depth + 1, on_left)
        n_nodes += 2
    return n_nodes, n_bitsets, bitsets


@njit_helper
def _push(stack, n_stack, place, start, end, depth, splits):
    """Put a node on the stack; return the new height."""
    stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2] = place, start, end
    stack[n_stack, 3], stack[n_stack, 4] = depth, splits
    return n_stack + 1


@njit_helper
def _sum_by_label(signed):
    """Return the labeled and the unlabeled weight of rows."""
    labeled, unlabeled = 0.0, 0.0
    for weight in signed:
        if weight > 0:
            labeled += weight
        else:
            unlabeled -= weight
    return labeled, unlabeled


@njit_inline
def _search(bins, rows, signed, labeled, unlabeled, params, workspace, state):
    """Return the best split over a random choice of columns that are not constant here."""
    features, buffer = workspace.features, workspace.buffer
    best, visited = NO_SPLIT, 0
    for k in range(len(features)):
        swap = k + randint(state, len(features) - k)
        features[k], features[swap] = features[swap], features[k]
        feature = features[k]
        least, largest, ml, mu, n_missing = gather(bins.codes[feature], rows, signed, buffer)
        if largest < 0 or (least == largest and n_missing == 0):
            continue
        node = Node(labeled, unlabeled, len(rows), ml, mu, n_missing, least, largest)
        if params.random_splitter:
            split = random_split(bins, feature, node, signed, params, workspace, state)
        else:
            split = best_split(bins, feature, node, signed, params, workspace)
        if split.gain > best.gain:
            best = split
            if bins.categorical[feature]:
                best_levels, levels = workspace.best_levels, workspace.levels
                for level in range(MAX_LEVELS):
                    best_levels[level] = levels[level]
        visited += 1
        if visited >= params.max_features:
            break
    return best


@njit_inline
def _partition(bins, split, rows, signed, workspace):
    """Put the rows that go left first, keeping their order.

    Return how many they are, the largest code up to the cut and the least one beyond.
    """
    column, categorical = bins.codes[split.feature], bins.categorical[split.feature]
    levels, missing_left = workspace.best_levels, split.missing_left
    spare_rows, spare_weights = workspace.rows, workspace.weights
    n_left, n_right = 0, 0
    cut, under, over = split.cut, np.int64(-1), np.int64(MISSING)
    for i in range(len(rows)):
        code = np.int64(column[rows[i]])
        if code <= cut:
            under = max(under, code)
        else:
            over = min(over, code)
        if code == MISSING:
            goes_left = missing_left
        else:
            goes_left = levels[code] if categorical else code <= cut
        if goes_left:
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
def _add_bitset(bitsets, n_bitsets, column, rows, n_left, absent_left):
    """Write which categories go left into the table of bitsets, twice as long if it is full.

    The first `n_left` rows do; categories that no row has go left if `absent_left`.
    """
    if n_bitsets == len(bitsets):
        longer = np.zeros((2 * n_bitsets, WORDS), np.uint64)
        for row in range(n_bitsets):
            for word in range(WORDS):
                longer[row, word] = bitsets[row, word]
        bitsets = longer
    words = bitsets[n_bitsets]
    words[:] = ~np.uint64(0) if absent_left else np.uint64(0)
    for row in rows[n_left:] if absent_left else rows[:n_left]:
        code = column[row]
        if code != MISSING:
            bit = np.uint64(1) << np.uint64(code & 63)
            words[code >> 6] = (
                words[code >> 6] & ~bit if absent_left else words[code >> 6] | bit
            )
    return bitsets
