"""Boosters of XGBoost as bytes, whose trees are checked before XGBoost reads them."""

import json
import re
from typing import Any

import numpy as np

from lopsided.store.container import Refused
from lopsided.store.ubjson import decode, encode

_OBJECTIVES = ("reg:squarederror", "reg:logistic", "binary:logistic", "binary:logitraw")
_LEARNER = {"attributes", "feature_names", "feature_types", "gradient_booster"}
_LEARNER |= {"learner_model_param", "objective"}
_MODEL = {"gbtree_model_param", "iteration_indptr", "tree_info", "trees"}
_CATEGORIES = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_INTEGERS = ("left_children", "right_children", "parents", "split_indices")
_FLAGS = ("default_left", "split_type")
_FLOATS = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")
_MAX_CATEGORY = 2**24  # what XGBoost can tell apart in single precision
_MAX_BITS = 2**31  # of all sets of categories, each as large as its largest one
_NUMBER = r"-?[0-9.]+(E-?[0-9]+)?"
_ROOT = 2**31 - 1  # the parent of a root


def dump_booster(booster: Any) -> bytes:
    """Return a booster in XGBoost's own format, which later versions read too."""
    data = bytes(booster.save_raw(raw_format="ubj"))
    check_booster(data)
    return data


def count_threads(booster: Any) -> int:
    """Return the number of threads that a booster predicts with; 0 is all."""
    config = json.loads(booster.save_config())
    return int(config["learner"]["generic_param"]["nthread"])


def load_booster(data: bytes, n_threads: int) -> Any:
    """Return the booster of checked bytes."""
    import xgboost

    check_booster(data)
    booster = xgboost.Booster({"nthread": n_threads})
    booster.load_model(bytearray(data))
    return booster


def check_booster(data: bytes) -> None:
    """Refuse bytes that are not a booster of trees whose every index leads to a place in them.

    XGBoost follows indices as they are: a node beyond the end of a tree would be read from
    whatever lies there. Bytes that could be written in another way are refused too, so that it
    reads what was checked.
    """
    model = decode(data)
    if encode(model) != data:
        raise Refused("must have trees as XGBoost writes them")
    try:
        _check_model(model)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused("must have trees as XGBoost writes them") from error


def _check_model(model: Any) -> None:
    _expect(set(model) == {"learner", "version"})
    learner = model["learner"]
    _expect(set(learner) == _LEARNER)
    trees = learner["gradient_booster"]
    if trees["name"] != "gbtree":
        raise Refused(f"takes boosters of trees (gbtree), got {trees['name']!r}")
    if learner["objective"]["name"] not in _OBJECTIVES:
        raise Refused(
            f"takes boosters of the objectives {', '.join(_OBJECTIVES)}, got "
            f"{learner['objective']['name']!r}"
        )
    _expect(set(trees) == {"model", "name"})
    body, params = trees["model"], learner["learner_model_param"]
    _expect(_MODEL <= set(body) <= _MODEL | {"cats"})
    # Categories reach XGBoost as codes: it has no names for them.
    _expect(not any(map(len, body.get("cats", {}).values())))
    _expect(re.fullmatch(rf"\[?{_NUMBER}\]?", params["base_score"]) is not None)
    _expect(int(params["num_class"]) == 0 and int(params["num_target"]) == 1)
    n_features, n_trees = int(params["num_feature"]), len(body["trees"])
    _expect(0 < n_features < 2**31)
    for name in ("feature_names", "feature_types"):
        _expect(len(learner[name]) in (0, n_features))
    _expect(int(body["gbtree_model_param"]["num_trees"]) == n_trees)
    _expect(int(body["gbtree_model_param"]["num_parallel_tree"]) > 0)
    _expect(not np.asarray(body["tree_info"], np.int64).any())
    _expect(len(body["tree_info"]) == n_trees)
    ends = np.asarray(body["iteration_indptr"], np.int64)
    _expect(ends[0] == 0 and ends[-1] == n_trees and bool((np.diff(ends) > 0).all()))
    for place, tree in enumerate(body["trees"]):
        _expect(int(tree["id"]) == place)
        _check_tree(tree, n_features)
    _expect(sum(map(_count_bits, body["trees"])) <= _MAX_BITS)


def _check_tree(tree: dict[str, Any], n_features: int) -> None:
    wanted = {*_CATEGORIES, *_INTEGERS, *_FLAGS, *_FLOATS, "id", "tree_param"}
    params = tree["tree_param"]
    n_nodes = int(params["num_nodes"])
    _expect(set(tree) == wanted and n_nodes > 0)
    _expect(int(params["num_feature"]) == n_features and int(params["size_leaf_vector"]) <= 1)
    for names, kinds in ((_INTEGERS, "i"), (_FLAGS, "u"), (_FLOATS, "f")):
        for name in names:
            _expect(len(tree[name]) == n_nodes and tree[name].dtype.kind in kinds)
    left, right = tree["left_children"], tree["right_children"]
    inner = np.flatnonzero(left != -1)
    _expect(bool(((left == -1) == (right == -1)).all()))
    children = np.concatenate([left[inner], right[inner]])
    # No node has two parents and the root has none: there is no way in a circle.
    _expect(bool(((children > 0) & (children < n_nodes)).all()))
    _expect(len(np.unique(children)) == len(children))
    _expect(bool((tree["parents"][children] == np.tile(inner, 2)).all()))
    _expect(tree["parents"][0] == _ROOT)
    columns = tree["split_indices"][inner]
    _expect(bool(((columns >= 0) & (columns < n_features)).all()))
    _check_categories(tree, n_nodes)


def _check_categories(tree: dict[str, Any], n_nodes: int) -> None:
    levels, nodes, starts, sizes = (tree[name] for name in _CATEGORIES)
    _expect(all(part.dtype.kind == "i" for part in (levels, nodes, starts, sizes)))
    _expect(len(nodes) == len(starts) == len(sizes))
    by_category = tree["split_type"] == 1
    _expect(bool((tree["split_type"] <= 1).all()))
    _expect(np.array_equal(np.flatnonzero(by_category), nodes))
    _expect(bool(((levels >= 0) & (levels < _MAX_CATEGORY)).all()))
    _expect(bool((sizes > 0).all()) and int(sizes.sum()) == len(levels))
    _expect(np.array_equal(starts, np.cumsum(sizes) - sizes))


def _count_bits(tree: dict[str, Any]) -> int:
    """Return how many bits XGBoost keeps for the sets of categories of a checked tree."""
    levels, nodes, starts, _ = (tree[name] for name in _CATEGORIES)
    if not len(nodes):
        return 0
    return int(np.maximum.reduceat(levels.astype(np.int64) + 1, starts.astype(np.intp)).sum())


def _expect(holds: bool) -> None:
    if not holds:
        raise Refused("must have trees as XGBoost writes them")
