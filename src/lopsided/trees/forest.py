"""A forest: trees grown side by side, their mean, and their word on rows they did not see."""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._progress import Bar
from lopsided.trees.binning import Bins, bin_columns, run_threads
from lopsided.trees.grower import Tree, grow
from lopsided.trees.predictor import add_values
from lopsided.trees.sampling import Sampling, WholeTable
from lopsided.trees.splitting import Rules

__all__ = ["Forest", "OutOfBag", "grow_forest"]

_TREES_AT_ONCE = 4  # grown by one thread; fixed, so that sums do not depend on the threads
_ROWS_AT_ONCE = 1024


class OutOfBag(NamedTuple):
    """Sums of leaf values over the trees whose bag lacks a row, and their number."""

    total: NDArray[np.float64]
    n_trees: NDArray[np.int64]

    def mean(self) -> NDArray[np.float64]:
        """Return the mean leaf value of each row; NaN where every tree saw it."""
        seen = np.maximum(self.n_trees, 1)
        return np.where(self.n_trees > 0, self.total / seen, np.nan)


@dataclass(frozen=True)
class Forest:
    """Grown trees, laid one after the other."""

    nodes: NDArray[Any]
    covers: NDArray[np.float64]
    starts: NDArray[np.int64]
    bits: NDArray[np.uint64]
    bit_starts: NDArray[np.int64]
    gains: NDArray[np.float64]  # (n_features,), over all trees

    def __len__(self) -> int:
        return len(self.starts) - 1

    def tree(self, number: int) -> Tree:
        """Return one tree; its gains are those of the forest."""
        nodes = slice(self.starts[number], self.starts[number + 1])
        bits = slice(self.bit_starts[number], self.bit_starts[number + 1])
        return Tree(self.nodes[nodes], self.covers[nodes], self.bits[bits], self.gains)

    def add_values(
        self, X: NDArray[Any], rows: NDArray[np.int64], out: NDArray[np.float64]
    ) -> None:
        """Add to `out` the leaf values of some rows of X, a C-contiguous array."""
        add_values(self.nodes, self.starts, self.bits, self.bit_starts, X, rows, out)

    def mean_value(self, X: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return the mean leaf value of each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Rows, categories as codes.
        n_threads : int, default=1
            Blocks of rows worked on at a time.
        """
        out = np.zeros(len(X))

        def work(start: int) -> None:
            block = np.ascontiguousarray(X[start : start + _ROWS_AT_ONCE])
            sums = out[start : start + _ROWS_AT_ONCE]
            self.add_values(block, np.arange(len(block)), sums)

        run_threads(work, range(0, len(X), _ROWS_AT_ONCE), n_threads)
        return out / len(self)


class _Batch(NamedTuple):
    trees: list[Tree]
    out_of_bag: OutOfBag | None


def grow_forest(
    X: NDArray[Any],
    y: NDArray[np.int8],
    weight: NDArray[np.float64] | None,
    categorical: NDArray[np.bool_],
    rules: Rules,
    sampling: Sampling,
    n_trees: int,
    seed: int,
    n_threads: int = 1,
    out_of_bag: bool = False,
) -> tuple[Forest, OutOfBag | None]:
    """Grow a forest; the same for a seed, whatever the number of threads.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Numbers, NaN allowed; categories as whole numbers from 0.
    y : ndarray of shape (n_rows,)
        1 = labeled, 0 = unlabeled.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows; a row of weight 0 is in no bag.
    categorical : ndarray of shape (n_features,)
        Which columns are categories.
    rules : Rules
        How to grow a tree.
    sampling : Sampling
        How to draw its bag.
    n_trees : int
        Number of trees.
    seed : int
        Seed of the bags, the columns and the cuts.
    n_threads : int, default=1
        Trees grown at a time.
    out_of_bag : bool, default=False
        Whether to sum up what trees say of the rows outside their bag.

    Returns
    -------
    Forest, OutOfBag or None
    """
    _warm_up()
    bins = bin_columns(X, categorical, n_threads)
    seeds = np.random.SeedSequence(seed).generate_state(n_trees, np.uint64)
    batches = [seeds[i : i + _TREES_AT_ONCE] for i in range(0, n_trees, _TREES_AT_ONCE)]
    with Bar(n_trees, "growing trees") as bar:

        def work(batch: NDArray[np.uint64]) -> _Batch:
            grown = _grow_batch(bins, X, y, weight, rules, sampling, batch, out_of_bag)
            bar.advance(len(batch))
            return grown

        results = run_threads(work, batches, n_threads)
    forest = _lay_out([tree for batch in results for tree in batch.trees])
    if not out_of_bag:
        return forest, None
    sums = [batch.out_of_bag for batch in results if batch.out_of_bag is not None]
    total = np.sum([part.total for part in sums], axis=0)
    return forest, OutOfBag(total, np.sum([part.n_trees for part in sums], axis=0))


@cache
def _warm_up() -> None:
    """Compile the engine, or load what was compiled before, and say so if it takes long."""
    with Bar(1, "compiling the forest engine, once on this machine") as bar:
        X, y = np.arange(4.0)[:, None], np.array([1, 0, 1, 0], np.int8)
        bins = bin_columns(X, np.zeros(1, bool))
        rules = Rules(0, True, False, 1.0, False, 2, 1, 1)
        batch = _grow_batch(
            bins, X, y, None, rules, WholeTable(), np.array([0], np.uint64), True
        )
        _lay_out(batch.trees).mean_value(X)
        bar.advance()


def _grow_batch(
    bins: Bins,
    X: NDArray[Any],
    y: NDArray[np.int8],
    weight: NDArray[np.float64] | None,
    rules: Rules,
    sampling: Sampling,
    seeds: NDArray[np.uint64],
    out_of_bag: bool,
) -> _Batch:
    unseen = OutOfBag(np.zeros(len(y)), np.zeros(len(y), np.int64)) if out_of_bag else None
    X = np.ascontiguousarray(X) if out_of_bag else X
    trees = []
    for seed in seeds:
        counts = sampling.draw(y, np.random.default_rng(seed))
        drawn = counts.astype(np.float64) if weight is None else counts * weight
        bag = np.flatnonzero(drawn).astype(np.uint32)
        signed = np.where(y[bag] == 1, drawn[bag], -drawn[bag])
        tree = grow(bins, bag, signed, rules, np.array([seed], np.uint64))
        trees.append(tree)
        if unseen is not None:
            left_out = np.flatnonzero(counts == 0)
            _lay_out([tree]).add_values(X, left_out, unseen.total)
            unseen.n_trees[left_out] += 1
    return _Batch(trees, unseen)


def _lay_out(trees: list[Tree]) -> Forest:
    """Put trees one after the other."""

    def starts(parts: list[NDArray[Any]]) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)

    nodes, bits = [tree.nodes for tree in trees], [tree.bits for tree in trees]
    return Forest(
        np.concatenate(nodes),
        np.concatenate([tree.covers for tree in trees]),
        starts(nodes),
        np.concatenate(bits),
        starts(bits),
        np.sum([tree.gains for tree in trees], axis=0),
    )
