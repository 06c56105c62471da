"""The share of positives of the table that a model was learned from."""

from typing import Any

import numpy as np

from lopsided.priors import Beta, PriorEstimate, estimate_prior
from lopsided.review.evidence import estimate_prior_after_reviews
from lopsided.workflow.training import TrainingTable

__all__ = ["estimate_training_prior"]

_LEVEL = 0.9


def estimate_training_prior(
    training: TrainingTable,
    estimator: Any,
    label_frequency: Beta | None,
    fitted_with: Beta | None = None,
) -> PriorEstimate | None:
    """Return the prior of the first table, or None where nothing was labeled before reviews.

    Parameters
    ----------
    training : TrainingTable
        All rows of training.
    estimator : PUClassifier
        What was fitted on them; its own estimate holds as long as there is no review, and no
        other belief.
    label_frequency : Beta or None
        A belief on the label frequency; None is the one that the estimator was fitted with.
    fitted_with : Beta or None, default=None
        That one.
    """
    rows = training.first_table()
    if not (rows.first == 1).any():
        return None
    asked = fitted_with if label_frequency is None else label_frequency
    belief: dict[str, Any] = {"label_frequency": asked, "level": _LEVEL}
    if training.is_reviewed:
        known = np.maximum(rows.first, 0)
        return estimate_prior_after_reviews(known, rows.y, rows.first_scores, **belief)
    fitted: PriorEstimate | None = getattr(estimator, "prior_estimate_", None)
    if fitted is not None and asked == fitted_with:
        return fitted
    return estimate_prior(rows.first, rows.first_scores, **belief)
