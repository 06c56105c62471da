"""Any scikit-learn classifier as a part of a method."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import has_fit_parameter

from lopsided._math import log_odds_of
from lopsided._rows import TrainingRows
from lopsided._terminal import quote


def check_learner(learner: Any, role: str) -> Any:
    """Return a classifier if it can take part in a method, or say what it lacks."""
    known = isinstance(learner, BaseEstimator) and is_classifier(learner)
    if not (known and hasattr(learner, "predict_proba")):
        raise ValueError(
            f"{role} must be a scikit-learn classifier with predict_proba, got "
            f"{quote(learner)}. Wrap it, e.g. in CalibratedClassifierCV."
        )
    if not has_fit_parameter(learner, "sample_weight"):
        raise ValueError(
            f"{role} must take sample_weight in fit, got {type(learner).__name__}. Use a "
            "classifier that weighs rows, such as LogisticRegression."
        )
    return learner


def seeded_copy(estimator: Any, rng: np.random.Generator) -> Any:
    """Return a fresh copy of an estimator, its random states drawn where none was given.

    Those of its parts too: the steps of a pipeline, what a method wraps.
    """
    fresh = clone(estimator)
    given = fresh.get_params()
    names = sorted(name for name in given if name.endswith("random_state"))
    missing = [name for name in names if given[name] is None]
    return fresh.set_params(**{name: int(rng.integers(2**31)) for name in missing})


def fit_learner(learner: Any, rows: TrainingRows, rng: np.random.Generator) -> Any:
    """Return a fitted copy of a classifier, its random states drawn where none was given."""
    return seeded_copy(learner, rng).fit(rows.X, rows.y, sample_weight=rows.sample_weight)


def positive_proba(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the probability of class 1 of each row."""
    return np.asarray(model.predict_proba(X)[:, list(model.classes_).index(1)], np.float64)


def positive_log_odds(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the log-odds of class 1, as the model has them or from its probabilities."""
    if isinstance(model, LogisticRegression):  # its probabilities reach 0 and 1, scores do not
        return linear_scores(model, X)
    return np.asarray(log_odds_of(positive_proba(model, X)))


def linear_scores(model: LogisticRegression, X: Any) -> NDArray[np.float64]:
    """Return the decision function of a logistic regression, to the last bit by the row alone.

    A product of matrices rounds by the shape of the batch.
    """
    coefficients, intercept = model.coef_[0], float(model.intercept_[0])
    if issparse(X):
        return np.asarray(X @ coefficients, np.float64) + intercept
    # In rows that are not contiguous the order of the sum would depend on their number.
    rows = np.ascontiguousarray(X, np.float64)
    return np.asarray(np.einsum("ij,j->i", rows, coefficients)) + intercept
