"""A forest: trees grown side by side, their mean, and out-of-bag sums."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lopsided._progress import Bar
from lopsided.trees.binning import run_threads
from lopsided.trees.grower import LEAF, MISSING_LEFT, NODE, SUBSET, Tree, grow, read_table
from lopsided.trees.predictor import add_values
from lopsided.trees.random_splits import WORDS
from lopsided.trees.sampling import Sampling
from lopsided.trees.splitting import TreeParams, make_tree_params

_TREES_AT_ONCE = 4  # summed up by one thread; fixed, so that sums do not depend on the threads
_ROWS_AT_ONCE = 4096  # of a block: a tree is in the cache for all of them


@dataclass(frozen=True)
class Forest:
    """Grown trees, laid one after the other."""

    nodes: NDArray[Any]
    covers: NDArray[np.float64]
    starts: NDArray[np.int64]
    left_category_bitsets: NDArray[np.uint64]
    bitset_starts: NDArray[np.int64]
    gains: NDArray[np.float64]  # (n_features,), over all trees
    seeds: NDArray[np.uint64]  # (n_trees,)

    def __len__(self) -> int:
        return len(self.seeds)

    def tree(self, number: int) -> Tree:
        """Return one tree; its gains are those of the forest."""
        nodes = slice(*self.starts[number : number + 2])
        bitsets = self.left_category_bitsets[slice(*self.bitset_starts[number : number + 2])]
        return Tree(self.nodes[nodes], self.covers[nodes], bitsets, self.gains)

    def add_values(self, X: Any, rows: Any, out: Any, number: int | None = None) -> None:
        """Add to `out` the leaf values of some rows of X, C-contiguous, by all trees or one."""
        ends = slice(None) if number is None else slice(number, number + 2)
        starts, bitset_starts = self.starts[ends], self.bitset_starts[ends]
        add_values(self.nodes, starts, self.left_category_bitsets, bitset_starts, X, rows, out)

    def check(self) -> None:
        """Refuse arrays, from a file, that are no trees: their indices are followed unchecked.

        Every child comes after its parent, and every column, bitset and tree exists.
        """
        n_nodes, n_sets, n_trees = len(self.nodes), len(self.left_category_bitsets), len(self)
        shapes = {
            "nodes": (NODE, (n_nodes,)),
            "covers": (np.float64, (n_nodes, 2)),
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
            sums = out[start : start + _ROWS_AT_ONCE]
            self.add_values(block, np.arange(len(block)), sums)

        run_threads(work, range(0, len(X), _ROWS_AT_ONCE), n_threads)
        return out / len(self)


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
) -> Forest:
    """Grow a forest; the same for a seed, whatever the number of threads.

    Categories in X are whole numbers from 0, NaN is allowed; a row of weight 0 is in no bag.
    """
    _warm_up("random" if params.random_splitter else "best")
    table = read_table(X, categorical, params, n_threads)
    seeds = np.random.SeedSequence(seed).generate_state(n_trees, np.uint64).astype(np.uint64)
    with Bar(n_trees, "growing trees") as bar:

        def work(tree_seed: np.uint64) -> Tree:
            drawn = _draw_bag(sampling, y, tree_seed) * weight
            bag = np.flatnonzero(drawn).astype(np.uint32)
            signed = np.where(y[bag] == 1, drawn[bag], -drawn[bag])
            tree = grow(table, bag, signed, params, tree_seed)
            bar.advance()
            return tree

        return _lay_out(run_threads(work, seeds, n_threads), seeds)


def sum_out_of_bag(
    forest: Forest, X: NDArray[Any], y: NDArray[np.int8], sampling: Sampling, n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return each row's sum of leaf values by the trees whose bag lacks it, and their number.

    X, y and sampling are those of the fit: each bag is drawn again, from the seed of its tree.
    """
    X = np.ascontiguousarray(X)

    def work(first: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        total, n_trees = np.zeros(len(y)), np.zeros(len(y), np.int64)
        for number in range(first, min(first + _TREES_AT_ONCE, len(forest))):
            left_out = np.flatnonzero(_draw_bag(sampling, y, forest.seeds[number]) == 0)
            forest.add_values(X, left_out, total, number)
            n_trees[left_out] += 1
        return total, n_trees

    parts = run_threads(work, range(0, len(forest), _TREES_AT_ONCE), n_threads)
    totals, numbers = zip(*parts, strict=True)
    return np.sum(totals, axis=0), np.sum(numbers, axis=0)


def _draw_bag(sampling: Sampling, y: NDArray[np.int8], seed: np.uint64) -> NDArray[np.int64]:
    return sampling.draw(y, np.random.default_rng(seed))


@cache
def _warm_up(splitter: Literal["best", "random"]) -> None:
    """Compile the engine, or load what was compiled before, and say so if it takes long."""
    with Bar(1, "compiling the forest engine, once on this machine") as bar:
        X, bag, seeds = np.arange(4.0)[:, None], np.arange(4, dtype=np.uint32), np.zeros(1, "u8")
        params = make_tree_params(splitter=splitter)
        table = read_table(X, np.zeros(1, bool), params)
        tree = grow(table, bag, np.array([1.0, -1, 1, -1]), params, seeds[0])
        _lay_out([tree], seeds).mean_value(X)
        bar.advance()


def _lay_out(trees: list[Tree], seeds: NDArray[np.uint64]) -> Forest:
    """Put trees one after the other."""

    def starts(parts: list[NDArray[Any]]) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)

    nodes = [tree.nodes for tree in trees]
    bitsets = [tree.left_category_bitsets for tree in trees]
    return Forest(
        nodes=np.concatenate(nodes),
        covers=np.concatenate([tree.covers for tree in trees]),
        starts=starts(nodes),
        left_category_bitsets=np.concatenate(bitsets),
        bitset_starts=starts(bitsets),
        gains=np.sum([tree.gains for tree in trees], axis=0),
        seeds=seeds,
    )


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
