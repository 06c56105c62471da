"""Boosters of CatBoost and LightGBM as plain arrays: their own formats are not checked here."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.methods.tree_arrays import TreeArrays
from lopsided.store.container import Refused


class _Tree(NamedTuple):
    """One tree, its nodes counted from 0."""

    columns: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    values: NDArray[np.float64]
    depth: int


def take_catboost(model: Any) -> TreeArrays:
    """Return the trees of a CatBoost model of numbers and of one score."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        found = json.loads(path.read_text(encoding="utf-8"))
    trees = found.get("oblivious_trees")
    scale, start = found["scale_and_bias"]
    known = {"features_info", "model_info", "oblivious_trees", "scale_and_bias"}
    if trees is None or set(found) != known or scale != 1 or len(start) != 1:
        raise Refused("takes models of CatBoost with symmetric trees of numbers, got others")
    columns = found["features_info"]["float_features"]
    return _join([_symmetric(tree) for tree in trees], len(columns), float(start[0]), True)


def _symmetric(tree: dict[str, Any]) -> _Tree:
    """Return a tree all of whose nodes of a level ask the same: the last question first."""
    splits, leaves = tree["splits"][::-1], np.array(tree["leaf_values"], np.float64)
    if any(split["split_type"] != "FloatFeature" for split in splits):
        raise Refused("takes models of CatBoost with symmetric trees of numbers, got others")
    depth = len(splits)
    if len(leaves) != 2**depth:
        raise Refused("takes models of CatBoost of one score, got others")
    n_inner = len(leaves) - 1
    level = np.repeat(np.arange(depth), 2 ** np.arange(depth))
    asked = np.array([split["float_feature_index"] for split in splits], np.int64)
    border = np.array([split["border"] for split in splits], np.float64)
    own = np.arange(n_inner + len(leaves))
    inner = own < n_inner
    columns, thresholds = np.zeros(len(own), np.int64), np.zeros(len(own))
    columns[:n_inner], thresholds[:n_inner] = asked[level], border[level].astype(np.float32)
    left, right = np.where(inner, 2 * own + 1, own), np.where(inner, 2 * own + 2, own)
    return _Tree(columns, thresholds, left, right, np.append(np.zeros(n_inner), leaves), depth)


def take_lightgbm(booster: Any) -> TreeArrays:
    """Return the trees of a booster of LightGBM for numbers and one score."""
    head, *blocks = booster.model_to_string().partition("end of trees")[0].split("\nTree=")
    lines = head.splitlines()
    if "num_class=1" not in lines or "average_output" in lines:
        raise Refused("takes boosters of LightGBM of one score, got others")
    trees = [_leafwise(block) for block in blocks]
    return _join(trees, booster.num_feature(), 0.0, False)


def _leafwise(block: str) -> _Tree:
    given = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    if given["num_cat"] != "0" or given.get("is_linear", "0") != "0":
        raise Refused("takes boosters of LightGBM with constant leaves, got others")
    leaves = np.array(given["leaf_value"].split(), np.float64)
    n_inner = len(leaves) - 1
    own = np.arange(n_inner + len(leaves))
    columns, thresholds = np.zeros(len(own), np.int64), np.zeros(len(own))
    left, right = own.copy(), own.copy()
    if n_inner:
        columns[:n_inner] = np.array(given["split_feature"].split(), np.int64)
        thresholds[:n_inner] = np.array(given["threshold"].split(), np.float64)
        for side, name in ((left, "left_child"), (right, "right_child")):
            child = np.array(given[name].split(), np.int64)
            side[:n_inner] = np.where(child < 0, n_inner + ~child, child)  # leaves: -1, -2, ...
    values = np.append(np.zeros(n_inner), leaves)
    return _Tree(columns, thresholds, left, right, values, _depth_of(left, right))


def _depth_of(left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    depth, nodes = 0, np.zeros(1, np.int64)
    while (inner := nodes[left[nodes] != nodes]).size:
        nodes, depth = np.append(left[inner], right[inner]), depth + 1
    return depth


def _join(trees: list[_Tree], n_features: int, start: float, rounds: bool) -> TreeArrays:
    sizes = np.array([len(tree.columns) for tree in trees], np.int64)
    roots = np.cumsum(sizes) - sizes
    shift = np.repeat(roots, sizes)
    return TreeArrays(
        columns=np.concatenate([tree.columns for tree in trees]),
        thresholds=np.concatenate([tree.thresholds for tree in trees]),
        left=np.concatenate([tree.left for tree in trees]) + shift,
        right=np.concatenate([tree.right for tree in trees]) + shift,
        values=np.concatenate([tree.values for tree in trees]),
        roots=roots,
        depths=np.array([tree.depth for tree in trees], np.int64),
        n_features=n_features,
        start=start,
        rounds=rounds,
    )
