"""What adapters of other packages share: rows as they take them, and their scores as ours."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from lopsided._rows import TrainingRows


def rows_as_taken(peer: Any, package: str, rows: TrainingRows) -> TrainingRows:
    """Return rows as an estimator class of a package takes them, or refuse their weights."""
    if rows.sample_weight is None or has_fit_parameter(peer, "sample_weight"):
        return rows
    if (rows.weight % 1 != 0).any():
        raise ValueError(
            f"sample_weight must hold whole numbers, since {peer.__name__} of {package} takes "
            "none and rows are repeated instead. Round it, or leave it out."
        )
    repeated = rows.take(np.repeat(np.arange(len(rows)), rows.weight.astype(int)))
    return replace(repeated, weight=np.ones(len(repeated)))


def weights_as_taken(rows: TrainingRows) -> dict[str, Any]:
    """Return the weights as an argument of `fit`, or none if all are 1."""
    return {} if rows.sample_weight is None else {"sample_weight": rows.sample_weight}


def log_odds_in_order(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-odds that keep the order of all probabilities, even of some above 1."""
    return np.log(np.maximum(proba, 1e-300)) - np.log(np.maximum(1 - proba, 1e-17))
