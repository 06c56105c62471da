"""A probe: made-up rows whose scores are kept with a model, and must be the same once loaded.

It finds what no checksum can: another version of a library that reads the same numbers
differently, and parts that do not fit each other.
"""

import warnings
from typing import Any

import numpy as np

from lopsided.store.container import Refused

_N_ROWS = 16
_MAX_COLUMNS = 100_000  # a file says how many, and rows of so many are made
_TOLERANCE = 1e-6  # other processors round differently


def score_probe(model: Any) -> list[float] | None:
    """Return a model's scores of the probe; None for what has none or cannot read it."""
    if not hasattr(model, "decision_function") or not hasattr(model, "n_features_in_"):
        return None
    try:
        return _score(model)
    except Exception:  # a pipeline may want columns that nobody can make up
        return None


def check_probe(model: Any, wanted: Any) -> None:
    """Refuse a model that scores the probe differently than when it was saved."""
    if wanted is None:
        return
    try:
        found = np.array(_score(model))
        same = np.allclose(found, np.array(wanted, float), _TOLERANCE, _TOLERANCE)
    except Exception as error:
        raise Refused(
            f"must hold a model that scores, got one that cannot ({type(error).__name__})"
        ) from None
    if not same:
        raise Refused(
            "must score as it did when it was saved, got other scores. Install the versions "
            "that its manifest names"
        )


def _score(model: Any) -> list[float]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scores = np.asarray(model.decision_function(_make_rows(model)), np.float64)
    if scores.shape != (_N_ROWS,) or np.isinf(scores).any():
        raise ValueError("a score for each row")
    return scores.tolist()


def _make_rows(model: Any) -> Any:
    """Return rows of small and large numbers and of all levels, the same for any model."""
    import pandas as pd

    rng = np.random.default_rng(0)
    n_features = int(model.n_features_in_)
    if not 0 < n_features <= _MAX_COLUMNS:
        raise ValueError("too many columns")
    scales = 10.0 ** rng.integers(-1, 4, size=(_N_ROWS, 1))
    numbers = rng.normal(size=(_N_ROWS, n_features)) * scales
    levels = _find_levels(model)
    names = getattr(model, "feature_names_in_", None)
    if names is None and not levels:
        return numbers
    names = range(n_features) if names is None else names
    frame = pd.DataFrame(numbers, columns=pd.Index(names))
    for name, known in levels.items():
        column: Any = np.empty(_N_ROWS, object)
        column[:] = [known[place % len(known)] if known else None for place in range(_N_ROWS)]
        frame[name] = pd.Categorical(rng.permutation(column), categories=list(known))
    return frame


def _find_levels(model: Any) -> dict[Any, Any]:
    """Return the levels of category columns, as a model or the one that it wraps has them."""
    if hasattr(model, "category_levels_"):
        return dict(model.category_levels_)
    inner = getattr(model, "estimator_", None)
    return {} if inner is None else _find_levels(inner)
