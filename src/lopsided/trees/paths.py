"""Paths: what each column adds to the leaf values of a row, from the root down."""

import numpy as np

from lopsided._kernel import njit_cached, njit_helper
from lopsided.trees.forest import Forest
from lopsided.trees.grower import LEAF
from lopsided.trees.predictor import goes_left


def mean_path_terms(forest: Forest, X: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Return the mean value of the roots, and the mean term of each column for each row.

    The value of a node is its labeled share, by weight: that of an inner node is the mean of
    its leaves. A split's change of the value on the way to a row's leaf goes to its column, so
    that root and terms add up to the mean leaf value.

    Parameters
    ----------
    forest : Forest
        Grown trees.
    X : array of shape (n_rows, n_features)
        Categories as codes, NaN allowed.

    Returns
    -------
    base : float
        The mean value of the roots.
    terms : ndarray of shape (n_rows, n_features)
        What each column adds; 0 for one that no tree of the row's paths splits by.
    """
    terms = np.zeros(X.shape)
    add_path_terms(
        forest.nodes,
        forest.covers,
        forest.starts,
        forest.left_category_bitsets,
        forest.bitset_starts,
        np.ascontiguousarray(X, np.float64),
        terms,
    )
    labeled, unlabeled = forest.covers[forest.starts[:-1]].T
    shares = np.divide(
        labeled, labeled + unlabeled, out=np.zeros(len(forest)), where=labeled > 0
    )
    return float(shares.mean()), terms / len(forest)


@njit_cached
def add_path_terms(nodes, covers, starts, bitsets, bitset_starts, X, out):
    """Add to `out` what each column of X adds to the leaf values of all trees, row by row."""
    for tree in range(len(starts) - 1):
        here = nodes[starts[tree] : starts[tree + 1]]
        weights = covers[starts[tree] : starts[tree + 1]]
        left_categories = bitsets[bitset_starts[tree] : bitset_starts[tree + 1]]
        for row in range(X.shape[0]):
            place, value = 0, _value(weights, 0)
            while here[place].left != LEAF:
                node = here[place]
                left = goes_left(node, left_categories, X[row, node.feature])
                place = node.left if left else node.left + 1
                below = _value(weights, place)
                out[row, node.feature] += below - value
                value = below


@njit_helper
def _value(covers, place):
    """Return the labeled share of a node, by weight."""
    labeled, unlabeled = covers[place, 0], covers[place, 1]
    return labeled / (labeled + unlabeled) if labeled > 0 else 0.0
