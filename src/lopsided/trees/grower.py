"""Growing: one tree from a bag of rows, node by node, depth first."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._kernel import njit_cached, njit_helper, njit_inline
from lopsided.trees.binning import MAX_LEVELS, Bins, bin_columns
from lopsided.trees.criteria import may_split
from lopsided.trees.random_splits import (
    WORDS,
    RandomSpace,
    Values,
    make_random_space,
    mark_values,
    read_values,
    search_random,
)
from lopsided.trees.splitting import (
    NO_SPLIT,
    BestSpace,
    TreeParams,
    make_best_space,
    mark_codes,
    search_best,
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
_MAX_COLUMNS = 65535


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
    goes_left: np.ndarray  # bool, (n_bag,)
    search: BestSpace | RandomSpace


def read_table(
    X: NDArray[Any], categorical: NDArray[np.bool_], params: TreeParams, n_threads: int = 1
) -> Bins | Values:
    """Return a table as trees are grown on it: the best splits are those of codes."""
    if X.shape[1] > _MAX_COLUMNS:
        raise ValueError(
            f"A forest takes at most {_MAX_COLUMNS} columns, got {X.shape[1]}. Choose some."
        )
    if params.random_splitter:
        return read_values(X, categorical)
    return bin_columns(X, categorical, n_threads)


def grow(
    table: Bins | Values,
    bag: NDArray[np.uint32],
    weights: NDArray[np.float64],
    params: TreeParams,
    seed: np.uint64,
) -> Tree:
    """Grow a tree on some rows, whose weights have the sign of the label: + is labeled."""
    n_features, n_bag = len(table.categorical), len(bag)
    n_most = max(2 * n_bag - 1, 1)
    bins, values = (None, table) if isinstance(table, Values) else (table, None)
    search: BestSpace | RandomSpace
    if bins is None:
        search = make_random_space(n_bag, n_features)
    else:
        n_codes = int((bins.first[1:] - bins.first[:-1]).max(initial=1))
        search = make_best_space(n_bag, n_codes)
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
        goes_left=np.empty(n_bag, np.bool_),
        search=search,
    )
    # Labeled rows come first, here and then in every node.
    order = np.concatenate([np.flatnonzero(weights > 0), np.flatnonzero(weights <= 0)])
    state = np.array([seed], np.uint64)
    n_nodes, n_bitsets, bitsets = _grow(
        bins, values, bag[order], weights[order], params, draft, workspace, state
    )
    return Tree(
        draft.nodes[:n_nodes].copy(),
        draft.covers[:n_nodes].copy(),
        bitsets[:n_bitsets].copy(),
        draft.gains,
    )


# One long loop: a function for each step would need all of these arrays.
@njit_cached
def _grow(bins, values, bag, weights, params, draft, workspace, state):  # noqa: PLR0915
    """Fill the draft of a tree; return the number of its nodes, and its bitsets.

    Either bins or values are None, and numba compiles only what the other ones need.
    """
    nodes, covers, bitsets, gains = draft
    stack, n_bitsets = workspace.stack, np.int64(0)
    features, space, goes_left = workspace.features, workspace.search, workspace.goes_left
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
            if bins is not None:
                split = search_best(
                    bins, rows, signed, labeled, unlabeled, params, features, space, state
                )
            if values is not None:
                split = search_random(
                    values, rows, signed, labeled, unlabeled, params, features, space, state
                )
        node = nodes[place]
        node.feature, node.flags = max(split.feature, 0), 0
        if split.feature < 0:
            node.left = LEAF
            node.threshold = labeled / (labeled + unlabeled) if labeled > 0 else 0.0
            continue
        if bins is not None:
            column, categorical = bins.codes[split.feature], bins.categorical[split.feature]
            node.threshold = mark_codes(bins, rows, split, space, goes_left)
        if values is not None:
            column = values.X[:, split.feature]
            categorical = values.categorical[split.feature]
            node.threshold = mark_values(values, rows, split, space, goes_left)
        node.left = n_nodes
        n_left = _partition(rows, signed, workspace)
        middle = start + n_left
        ll, ul = _sum_by_label(weights[start:middle])
        lr, ur = _sum_by_label(weights[middle:end])
        missing_left = split.missing_left if split.missing_seen else ll + ul > lr + ur
        node.flags = MISSING_LEFT if missing_left else 0
        if categorical:
            node.flags |= SUBSET
            node.threshold = n_bitsets
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
def _partition(rows, signed, workspace):
    """Put the rows that go left first, keeping their order; return how many they are."""
    spare_rows, spare_weights = workspace.rows, workspace.weights
    goes_left, n_left, n_right = workspace.goes_left, 0, 0
    for i in range(len(rows)):
        # Written to both sides, without a branch that nobody could foresee.
        row, weight, left = rows[i], signed[i], goes_left[i]
        rows[n_left], signed[n_left] = row, weight
        spare_rows[n_right], spare_weights[n_right] = row, weight
        n_left += left
        n_right += not left
    for i in range(n_right):
        rows[n_left + i] = spare_rows[i]
        signed[n_left + i] = spare_weights[i]
    return n_left


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
        if column[row] < MAX_LEVELS:  # neither a code nor a value that is missing
            level = np.int64(column[row])
            bit = np.uint64(1) << np.uint64(level & 63)
            words[level >> 6] = (
                words[level >> 6] & ~bit if absent_left else words[level >> 6] | bit
            )
    return bitsets
