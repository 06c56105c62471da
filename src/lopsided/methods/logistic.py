"""Logistic regression with unlabeled rows taken for negatives: the linear baseline."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided._math import normalized
from lopsided._rows import TrainingRows
from lopsided._validation import check_choice
from lopsided.methods._encoders import EncodedClassifier, QuantileNormalizer
from lopsided.methods._learners import linear_scores

__all__ = ["NaiveLogisticClassifier"]


@dataclass(eq=False, repr=False)
class NaiveLogisticClassifier(EncodedClassifier):
    """Logistic regression of the labels on standardized columns.

    A linear model bends for no single row, and hidden positives among the negatives move it
    little.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the L2 penalty, as in scikit-learn.
    class_weight : "balanced", dict or None, default="balanced"
        Weights of the classes, as in scikit-learn: "balanced" lets labeled and unlabeled rows
        weigh alike as a whole.
    normalize : {"quantile"} or None, default=None
        Whether to quantile-transform columns of numbers to a normal distribution first.
    max_iter : int, default=1000
        Iterations of the solver at most.
    n_jobs : int or None, default=None
        No effect: linear algebra uses one thread. Every method has this parameter.
    random_state : int, Generator or None, default=None
        Not used: nothing is drawn.

    Attributes
    ----------
    encoder_ : NumericEncoder
        How columns become numbers: standardized, imputed, one-hot.
    estimator_ : LogisticRegression
        The fitted regression on these.
    n_iter_ : int
        Iterations that the solver took.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> NaiveLogisticClassifier().fit(X, y).feature_importances_.argmax()
    np.int64(0)
    """

    C: float = 1.0
    class_weight: dict[int, float] | Literal["balanced"] | None = "balanced"
    normalize: Literal["quantile"] | None = None
    max_iter: int = 1000
    n_jobs: int | None = None
    random_state: Any = None

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        fit_map = None
        if self.normalize is not None:
            check_choice(self.normalize, ("quantile",), "way to normalize")
            fit_map = QuantileNormalizer.fit
        rows = self._encode(rows, fit_map)
        model = LogisticRegression(
            C=self.C, class_weight=self.class_weight, max_iter=self.max_iter
        )
        self.estimator_ = model.fit(rows.X, rows.y, sample_weight=rows.weight)
        self.n_iter_ = int(self.estimator_.n_iter_[0])

    def _scores(self, X: Any) -> Any:
        return linear_scores(self.estimator_, self.encoder_.transform(X))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the sum of all coefficients' sizes."""
        sizes = self.encoder_.by_column(np.abs(self.estimator_.coef_[0]), self.n_features_in_)
        return normalized(sizes, like=sizes)
