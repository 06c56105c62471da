"""What a classifier answers once it scores rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import log_odds_of, sigmoid
from lopsided.methods._learners import positive_proba


def scores_of(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the scores of any fitted classifier: its own, or log-odds of its probabilities."""
    if not hasattr(model, "decision_function"):
        return np.asarray(log_odds_of(positive_proba(model, X)))
    scores = np.asarray(model.decision_function(X), np.float64)
    if scores.ndim != 1:
        raise ValueError(
            f"{type(model).__name__} must have one score per row, got shape {scores.shape}. "
            "Fit it with two classes."
        )
    return scores


class ScoreAnswers:
    """Answers of a classifier whose scores are log-odds, 0 their boundary."""

    classes_: NDArray[np.int64]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return one score per row."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: the scores as log-odds.

        Scores of `focused` and of `PUCalibratedClassifier` are calibrated on labels, so that
        these are chances to be positive, given the prior. Those of other methods are the
        model's own account.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Columns as in `classes_`.
        """
        scores = self.decision_function(X)
        return np.column_stack([sigmoid(-scores), sigmoid(scores)])

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 1 where the score is above 0, else 0. Where positives are rare, rank instead.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        above = self.decision_function(X) > 0
        return self.classes_[above.astype(int)]
