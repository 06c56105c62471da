"""Isolation forests as sums: what each column adds to the mean path of a row."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class _Nodes(NamedTuple):
    """The nodes of all trees, one after the other; a leaf is its own child."""

    roots: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    n_rows: NDArray[np.float64]

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        return self.left == np.arange(len(self.left))


def mean_path_terms(forest: Any, X: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Return the mean path of training rows, and what each column adds to that of each row.

    The value of a node is the mean path of the training rows in it. A split's change of the
    value on the way to a row's leaf goes to its column.
    """
    nodes = _lay_out(forest)
    values = _node_values(nodes)
    X = X.astype(np.float32)  # as the trees read it
    terms, rows = np.zeros(X.shape), np.arange(len(X))[:, None]
    place = np.tile(nodes.roots, (len(X), 1))
    inner = ~nodes.is_leaf
    while inner[place].any():
        feature = np.maximum(nodes.feature[place], 0)  # any, of a leaf: nothing changes there
        goes_left = X[rows, feature] <= nodes.threshold[place]
        child = np.where(goes_left, nodes.left[place], nodes.right[place])
        np.add.at(terms, (rows, feature), values[child] - values[place])
        place = child
    return float(values[nodes.roots].mean()), terms / len(nodes.roots)


def search_path(n_rows: Any) -> NDArray[np.float64]:
    """Return the mean path of an unsuccessful search among so many rows."""
    n_rows = np.asarray(n_rows, np.float64)
    many = np.maximum(n_rows, 3)
    path = 2 * (np.log(many - 1) + np.euler_gamma) - 2 * (many - 1) / many
    return np.where(n_rows > 2, path, n_rows == 2)


def _lay_out(forest: Any) -> _Nodes:
    """Put the trees of scikit-learn one after the other."""
    trees = [estimator.tree_ for estimator in forest.estimators_]
    starts = np.cumsum([0, *(tree.node_count for tree in trees)])

    def children(name: str) -> NDArray[np.intp]:
        own = (getattr(tree, name) for tree in trees)
        places = (np.arange(tree.node_count) for tree in trees)
        parts = zip(own, places, starts, strict=False)
        return np.concatenate([np.where(at < 0, own, at) + start for at, own, start in parts])

    return _Nodes(
        starts[:-1],
        children("children_left"),
        children("children_right"),
        np.concatenate([tree.feature for tree in trees]),
        np.concatenate([tree.threshold for tree in trees]),
        np.concatenate([tree.n_node_samples for tree in trees]).astype(np.float64),
    )


def _node_values(nodes: _Nodes) -> NDArray[np.float64]:
    """Return the mean path in each node, from the leaves up."""
    layers, values = [nodes.roots], search_path(nodes.n_rows)
    inner = ~nodes.is_leaf
    while len(above := layers[-1][inner[layers[-1]]]):
        layers.append(np.concatenate([nodes.left[above], nodes.right[above]]))
    for depth, layer in reversed(list(enumerate(layers))):
        values[layer] += np.where(inner[layer], 0, depth)
        split = layer[inner[layer]]
        sides = nodes.left[split], nodes.right[split]
        sums = sum(nodes.n_rows[side] * values[side] for side in sides)
        values[split] = sums / nodes.n_rows[split]
    return values
