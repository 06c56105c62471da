"""Trees of scikit-learn as arrays, whose indices are checked before a tree is made of them."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.recfunctions import repack_fields
from numpy.typing import NDArray

from lopsided.store.container import Refused

_OWN = ("random_state", "tree_")  # what trees of an ensemble do not share


@dataclass(frozen=True)
class TreePart:
    """A tree of scikit-learn."""

    n_features: int
    n_classes: NDArray[np.intp]
    max_depth: int
    nodes: NDArray[Any]
    values: NDArray[np.float64]

    def build(self) -> Any:
        """Return the tree, in which every child comes after its parent."""
        from sklearn.tree._tree import Tree

        self._check()
        tree = Tree(self.n_features, np.array(self.n_classes, np.intp), len(self.n_classes))
        nodes = np.zeros(len(self.nodes), tree.__reduce__()[2]["nodes"].dtype)
        if self.nodes.dtype != repack_fields(nodes).dtype:
            raise Refused("must have trees as this scikit-learn has them, got others")
        for name in nodes.dtype.names or ():
            nodes[name] = self.nodes[name]
        state = {"max_depth": self.max_depth, "node_count": len(nodes)}
        tree.__setstate__({**state, "nodes": nodes, "values": self.values})
        return tree

    def _check(self) -> None:
        """Refuse nodes that lead out of the tree or read columns that it does not have."""
        n_nodes, n_classes = len(self.nodes), self.n_classes
        counts = (self.n_features, self.max_depth)
        if not all(type(count) is int and 0 <= count < 2**31 for count in counts):
            raise Refused("must have trees with a number of columns, got others")
        sizes = n_classes.ndim == 1 and len(n_classes) > 0 and int(n_classes.min()) > 0
        if not sizes or self.values.shape != (n_nodes, len(n_classes), int(n_classes.max())):
            raise Refused("must have trees with a value at each node, got others")
        left, right, feature = (
            self.nodes[name].astype(np.int64)
            for name in ("left_child", "right_child", "feature")
        )
        inner = np.flatnonzero((left != -1) | (right != -1))
        sound = n_nodes > 0 and all(
            ((child[inner] > inner) & (child[inner] < n_nodes)).all() for child in (left, right)
        )
        columns = (feature[inner] >= 0) & (feature[inner] < self.n_features)
        if not (sound and columns.all()):
            raise Refused("must have trees whose nodes lead to nodes and columns of theirs")


@dataclass(frozen=True)
class TreesPart:
    """The trees of an ensemble: what they share, and their arrays one after the other."""

    template: Any  # one of them, without what is its own
    seeds: NDArray[np.int64]
    n_features: int
    n_classes: NDArray[np.intp]
    max_depths: NDArray[np.int64]
    ends: NDArray[np.int64]
    nodes: NDArray[Any]
    values: NDArray[np.float64]

    def build(self, template: Any) -> list[Any]:
        """Return the trees, given the estimator that they are copies of."""
        ends = check_ends(self.ends, len(self.nodes))
        if not len(ends) == len(self.seeds) == len(self.max_depths) <= len(self.nodes):
            raise Refused("must have a seed and a depth for each tree, got others")
        given = zip(self.seeds.tolist(), self.max_depths.tolist(), strict=True)
        trees = []
        for (start, end), (seed, depth) in zip(pairwise([0, *ends]), given, strict=True):
            nodes, values = self.nodes[start:end], self.values[start:end]
            tree = TreePart(self.n_features, self.n_classes, depth, nodes, values).build()
            trees.append(_copy(template, random_state=seed, tree_=tree))
        return trees


def check_ends(ends: NDArray[np.int64], total: int) -> list[int]:
    """Return where each of several arrays ends in all of them, if they do."""
    if ends.dtype != np.int64 or ends.ndim != 1 or (np.diff(ends, prepend=0) < 0).any():
        raise Refused("must have arrays that follow each other, got others")
    if (int(ends[-1]) if len(ends) else 0) != total:
        raise Refused("must have arrays that follow each other, got others")
    return ends.tolist()


def take_tree(tree: Any) -> TreePart:
    """Return a tree as arrays."""
    _, (n_features, n_classes, _), state = tree.__reduce__()
    nodes = repack_fields(state["nodes"])  # between the fields lies whatever was there before
    depth = int(state["max_depth"])
    return TreePart(int(n_features), n_classes, depth, nodes, state["values"])


def take_trees(estimators: list[Any]) -> TreesPart | None:
    """Return the trees of an ensemble as one, None where they are no trees or not alike."""
    kinds = {type(one) for one in estimators}
    if len(estimators) < 2 or len(kinds) > 1:
        return None
    first = estimators[0]
    if not type(first).__module__.startswith("sklearn.tree.") or not hasattr(first, "tree_"):
        return None
    if not all(_are_alike(vars(first), vars(one)) for one in estimators):
        return None
    parts = [take_tree(one.tree_) for one in estimators]
    return TreesPart(
        _copy(first, random_state=None, tree_=None),
        np.array([one.random_state for one in estimators], np.int64),
        parts[0].n_features,
        parts[0].n_classes,
        np.array([part.max_depth for part in parts], np.int64),
        np.cumsum([len(part.nodes) for part in parts]).astype(np.int64),
        np.concatenate([part.nodes for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def _are_alike(first: dict[str, Any], other: dict[str, Any]) -> bool:
    """Say whether two fitted trees differ by their seeds and nodes alone."""
    if first.keys() != other.keys() or type(other["random_state"]) is not int:
        return False
    return all(
        np.array_equal(value, other[name])
        if isinstance(value, np.ndarray)
        else type(value) is type(other[name]) and value == other[name]
        for name, value in first.items()
        if name not in _OWN
    )


def _copy(estimator: Any, **changes: Any) -> Any:
    copy = object.__new__(type(estimator))
    copy.__dict__.update({**vars(estimator), **changes})
    return copy
