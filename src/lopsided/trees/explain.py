"""Trees in the layout that `shap.TreeExplainer` takes."""

from typing import Any

import numpy as np

from lopsided.trees.forest import Forest
from lopsided.trees.grower import LEAF, MISSING_LEFT, Tree


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
