"""The estimator behind a table's model: one fit, blind scores, and probabilities."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.calibration import PUCalibratedClassifier
from lopsided.exceptions import PriorWarning
from lopsided.methods.focused import FocusedClassifier, OutlierClassifier
from lopsided.methods.registry import build, check_ranks
from lopsided.priors.estimation import warn_unidentified

__all__ = ["fit_estimator", "has_probabilities"]


def fit_estimator(
    X: Any,
    y: NDArray[np.int8],
    method: str,
    *,
    prior: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> tuple[Any, NDArray[np.float64]]:
    """Return a fitted estimator, and scores of all rows by models that have not seen them.

    `focused` has both as it is. Any other method is wrapped in a `PUCalibratedClassifier`,
    which leaves out folds unless there are out-of-bag scores; rows that have none, as far as
    there are any, get that of the estimator. Without a labeled row the estimator finds
    outliers, and has no probabilities.
    """
    share = float((y == 1).mean())
    if isinstance(prior, float) and prior < share:
        raise ValueError(
            f"prior must be at least the share of labeled rows, {share:.3g}, got {prior:.3g}."
        )
    model = _build(method, X, y, prior, n_jobs, random_state)
    if isinstance(model, OutlierClassifier):
        model.fit(X, y)
        return model, model.decision_function(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)  # of each fold; said once below
        # Of a fold, whose few rows may have categories that no others have.
        warnings.filterwarnings("ignore", "Column .* holds no category of training")
        # Only where there are groups: some classifiers take none.
        model.fit(X, y, **({} if groups is None else {"groups": groups}))
    if hasattr(model, "prior_estimate_"):
        warn_unidentified(model.prior_estimate_)
    scores = np.array(model.oob_decision_function_, dtype=np.float64)
    lacking = np.isnan(scores)
    if lacking.any():
        scores[lacking] = model.decision_function(X[lacking])
    return model, scores


def has_probabilities(model: Any) -> bool:
    """Say whether scores of an estimator are log-odds of being positive."""
    return not isinstance(model, OutlierClassifier)


def _build(
    method: str, X: Any, y: NDArray[np.int8], prior: Any, n_jobs: int | None, seed: int
) -> Any:
    if not (y == 1).any():
        return OutlierClassifier(n_jobs=n_jobs, random_state=seed)
    model = build(check_ranks(method))
    given = {"n_jobs": n_jobs, "random_state": seed}
    known = model.get_params()
    model.set_params(**{name: value for name, value in given.items() if name in known})
    if isinstance(model, FocusedClassifier):
        return model if prior is None else model.set_params(prior=prior)
    if "oob_score" in known:
        model.set_params(oob_score=True)
    if prior is not None and "prior" in known:
        model.set_params(prior=prior)
    if (y == 1).sum() < 2:
        raise ValueError(
            f"{method} needs two labeled rows, one to learn from and one to judge by, got 1. "
            "Label more rows, or take the method focused, for which one is enough."
        )
    return PUCalibratedClassifier(
        model, prior="auto" if prior is None else prior, random_state=seed
    )
