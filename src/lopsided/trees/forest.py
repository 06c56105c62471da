"""A forest: trees grown side by side, their mean, and out-of-bag sums."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._progress import Bar
from lopsided.trees.binning import any_missing, run_threads
from lopsided.trees.grower import LEAF, MISSING_LEFT, NODE, SUBSET, Tree, grow, read_table
from lopsided.trees.predictor import add_values, fill_covers
from lopsided.trees.random_splits import WORDS, Values
from lopsided.trees.sampling import Sampling
from lopsided.trees.splitting import TreeParams, make_tree_params

_TREES_AT_ONCE = 4  # summed up by one thread; fixed, so that sums do not depend on the threads
_ROWS_AT_ONCE = 4096  # of a block: a tree is in the cache for all of them


@dataclass(frozen=True)
class Forest:
    """Grown trees, laid one after the other."""

    nodes: NDArray[Any]
    leaf_weights: NDArray[np.float32]  # one after the other as the leaves among the nodes
    starts: NDArray[np.int64]
    left_category_bitsets: NDArray[np.uint64]
    bitset_starts: NDArray[np.int64]
    gains: NDArray[np.float64]  # (n_features,), over all trees
    seeds: NDArray[np.uint64]  # (n_trees,)

    def __len__(self) -> int:
        return len(self.seeds)

    def tree(self, number: int) -> Tree:
        """Return one tree; its gains are those of the forest."""
        start, end = self.starts[number : number + 2].tolist()
        nodes = self.nodes[start:end]
        # A tree has a leaf more than other nodes.
        weights = self.leaf_weights[(start + number) // 2 : (end + number + 1) // 2]
        bitsets = self.left_category_bitsets[slice(*self.bitset_starts[number : number + 2])]
        return Tree(
            nodes, _covers(nodes, np.array([0, len(nodes)]), weights), bitsets, self.gains
        )

    @property
    def covers(self) -> NDArray[np.float64]:
        """The labeled and unlabeled weight of each node, (n_nodes, 2), to single precision."""
        return _covers(self.nodes, self.starts, self.leaf_weights)

    def check(self) -> None:
        """Refuse arrays, from a file, that are no trees: their indices are followed unchecked.

        Every child comes after its parent, and every column, bitset and tree exists.
        """
        n_nodes, n_sets, n_trees = len(self.nodes), len(self.left_category_bitsets), len(self)
        shapes = {
            "nodes": (NODE, (n_nodes,)),
            "leaf_weights": (np.float32, ((n_nodes + n_trees) // 2,)),
            "starts": (np.int64, (n_trees + 1,)),
            "left_category_bitsets": (np.uint64, (n_sets, WORDS)),
            "bitset_starts": (np.int64, (n_trees + 1,)),
            "gains": (np.float64, (len(self.gains),)),
            "seeds": (np.uint64, (n_trees,)),
        }
        sound = n_trees > 0 and all(
            getattr(self, name).dtype == dtype and getattr(self, name).shape == shape
            for name, (dtype, shape) in shapes.items()
        )
        if not (sound and self._leads_to_nodes()):
            raise ValueError(
                "A forest must have nodes that lead to nodes, columns and categories of their "
                "tree, got others. Fit it again."
            )

    def _leads_to_nodes(self) -> bool:
        nodes, sizes = self.nodes, np.diff(self.starts)
        n_sets = np.diff(self.bitset_starts)
        ends = (self.starts[0], self.starts[-1], self.bitset_starts[0], self.bitset_starts[-1])
        whole = ends == (0, len(nodes), 0, len(self.left_category_bitsets))
        if not whole or (sizes < 1).any() or (n_sets < 0).any():
            return False
        n_leaves = np.add.reduceat(nodes["left"] == LEAF, self.starts[:-1], dtype=np.int64)
        if (2 * n_leaves != sizes + 1).any():
            return False
        tree = np.repeat(np.arange(len(self)), sizes)
        place = np.arange(len(nodes)) - self.starts[tree]
        left = nodes["left"].astype(np.int64)
        inner = left != LEAF
        by_set = inner & (nodes["flags"] & SUBSET != 0)
        sets = nodes["threshold"][by_set]
        return bool(
            ((left > place) & (left + 1 < sizes[tree]))[inner].all()
            and (nodes["feature"] < len(self.gains)).all()
            and ((sets >= 0) & (sets < n_sets[tree][by_set]) & (sets % 1 == 0)).all()
        )

    def mean_value(self, X: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return the mean leaf value of each row of X, in which categories are codes."""
        if X.shape[1] != len(self.gains):
            raise ValueError(
                f"A forest of {len(self.gains)} columns cannot read {X.shape[1]}. Pass the "
                "columns of its fit."
            )
        out = np.zeros(len(X))

        def work(start: int) -> None:
            block = np.ascontiguousarray(X[start : start + _ROWS_AT_ONCE])
            add_values(
                self.nodes,
                self.starts,
                self.left_category_bitsets,
                self.bitset_starts,
                block,
                np.arange(len(block)),
                any_missing(block),
                out[start : start + _ROWS_AT_ONCE],
            )

        list(run_threads(work, range(0, len(X), _ROWS_AT_ONCE), n_threads))
        return out / len(self)


class OutOfBag(NamedTuple):
    """Each row's sum of leaf values by the trees whose bag lacks it, and their number."""

    total: NDArray[np.float64]
    n_trees: NDArray[np.int32]


def make_out_of_bag(n_rows: int) -> OutOfBag:
    """Return sums over no trees."""
    return OutOfBag(np.zeros(n_rows), np.zeros(n_rows, np.int32))


def grow_forest(
    X: NDArray[Any],
    y: NDArray[np.int8],
    weight: NDArray[np.float64],
    categorical: NDArray[np.bool_],
    params: TreeParams,
    sampling: Sampling,
    n_trees: int,
    seed: int,
    n_threads: int = 1,
    out_of_bag: OutOfBag | None = None,
) -> Forest:
    """Grow a forest; the same for a seed, whatever the number of threads.

    Categories in X are whole numbers from 0, NaN is allowed; a row of weight 0 is in no bag.
    What the trees say of rows that their bags lack is added to `out_of_bag`.
    """
    _warm_up("random" if params.random_splitter else "best")
    table = read_table(X, categorical, params, n_threads)
    X = table.X if isinstance(table, Values) else X
    if out_of_bag is not None:
        X, missing = np.ascontiguousarray(X), any_missing(X)
    seeds = np.random.SeedSequence(seed).generate_state(n_trees, np.uint64).astype(np.uint64)

    def work(first: int) -> tuple[list[Tree], OutOfBag | None]:
        trees, sums = [], None if out_of_bag is None else make_out_of_bag(len(y))
        for tree_seed in seeds[first : first + _TREES_AT_ONCE]:
            drawn = sampling.draw(y, np.random.default_rng(tree_seed))
            tree = grow(table, *_weigh_bag(drawn, y, weight), params, tree_seed)
            if sums is not None:
                left_out = np.flatnonzero(drawn == 0)
                _add_tree(tree, X, left_out, missing, sums.total)
                sums.n_trees[left_out] += 1
            trees.append(tree)
            bar.advance()
        return trees, sums

    grown, gains = [], np.zeros(X.shape[1])
    with Bar(n_trees, "growing trees") as bar:
        for trees, sums in run_threads(work, range(0, n_trees, _TREES_AT_ONCE), n_threads):
            for tree in trees:
                grown.append(_compact(tree))
                gains += tree.gains
            if out_of_bag is not None and sums is not None:
                for whole, part in zip(out_of_bag, sums, strict=True):
                    whole += part
    return _lay_out(grown, gains, seeds)


def _weigh_bag(
    drawn: NDArray[np.int64], y: NDArray[np.int8], weight: NDArray[np.float64]
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Return the rows of a bag and their weights, with the sign of the label."""
    weights = drawn * weight
    bag = np.flatnonzero(weights).astype(np.uint32)
    return bag, np.where(y[bag] == 1, weights[bag], -weights[bag])


def _add_tree(tree: Tree, X: Any, rows: Any, missing: bool, out: Any) -> None:
    """Add the leaf values of some rows in one tree."""
    sets = tree.left_category_bitsets
    starts, set_starts = np.array([0, len(tree.nodes)]), np.array([0, len(sets)])
    add_values(tree.nodes, starts, sets, set_starts, X, rows, missing, out)


@cache
def _warm_up(splitter: Literal["best", "random"]) -> None:
    """Compile the engine, or load what was compiled before, and say so if it takes long."""
    with Bar(1, "compiling the forest engine, once on this machine") as bar:
        X, bag, seeds = (
            np.arange(4.0)[:, None],
            np.arange(4, dtype=np.uint32),
            np.zeros(1, "u8"),
        )
        params = make_tree_params(splitter=splitter)
        table = read_table(X, np.zeros(1, bool), params)
        tree = grow(table, bag, np.array([1.0, -1, 1, -1]), params, seeds[0])
        _lay_out([_compact(tree)], tree.gains, seeds).mean_value(X)
        bar.advance()


class _Compact(NamedTuple):
    """What a forest keeps of a tree."""

    nodes: NDArray[Any]
    leaf_weights: NDArray[np.float32]
    left_category_bitsets: NDArray[np.uint64]


def _compact(tree: Tree) -> _Compact:
    weights = tree.covers[tree.nodes["left"] == LEAF].sum(axis=1).astype(np.float32)
    return _Compact(tree.nodes, weights, tree.left_category_bitsets)


def _lay_out(
    trees: list[_Compact], gains: NDArray[np.float64], seeds: NDArray[np.uint64]
) -> Forest:
    """Put trees one after the other; the list is emptied meanwhile, to save memory."""
    nodes, weights, bitsets = map(list, zip(*trees, strict=True))
    trees.clear()
    starts = [0, *np.cumsum([len(part) for part in nodes])]
    bitset_starts = [0, *np.cumsum([len(part) for part in bitsets])]
    return Forest(
        nodes=_join(nodes),
        leaf_weights=_join(weights),
        starts=np.array(starts, np.int64),
        left_category_bitsets=_join(bitsets),
        bitset_starts=np.array(bitset_starts, np.int64),
        gains=gains,
        seeds=seeds,
    )


def _join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Put arrays one after the other, each dropped once it is copied."""
    n_all = sum(map(len, parts))
    whole = np.empty((n_all, *parts[0].shape[1:]), parts[0].dtype)
    end = n_all
    while parts:
        part = parts.pop()
        whole[end - len(part) : end] = part
        end -= len(part)
    return whole


def _covers(
    nodes: NDArray[Any], starts: NDArray[np.int64], leaf_weights: NDArray[np.float32]
) -> NDArray[np.float64]:
    covers = np.empty((len(nodes), 2))
    fill_covers(nodes, starts, leaf_weights, covers)
    return covers


def shap_layout(forest: Forest) -> dict[str, Any]:
    """Return a forest as the dictionary that `shap.TreeExplainer` takes for a model.

    What it explains is the mean labeled share of a row's leaves. The layout cannot hold splits
    by categories.
    """
    if len(forest.left_category_bitsets):
        raise ValueError(
            "Trees that split categories have no form that SHAP reads. Turn categories into "
            "numbers before the fit, e.g. with pandas.get_dummies."
        )
    return {
        "trees": [_layout(forest.tree(number), len(forest)) for number in range(len(forest))],
        "tree_output": "raw_value",
        "internal_dtype": np.float64,
        "input_dtype": np.float64,
    }


def _layout(tree: Tree, n_trees: int) -> dict[str, Any]:
    nodes = tree.nodes
    leaf = nodes["left"] == LEAF
    left = np.where(leaf, -1, nodes["left"])
    right = np.where(leaf, -1, nodes["left"] + 1)
    weight = tree.covers.sum(axis=1)
    share = tree.covers[:, 0] / np.maximum(weight, np.finfo(float).tiny)
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.where(nodes["flags"] & MISSING_LEFT, left, right),
        "feature": np.where(leaf, -2, nodes["feature"]),
        "threshold": np.where(leaf, -2.0, nodes["threshold"]),
        "value": (share / n_trees)[:, None],
        "node_sample_weight": weight,
    }
