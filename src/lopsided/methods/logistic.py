"""Logistic regression with unlabeled rows taken for negatives: the linear baseline."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided._rows import TrainingRows
from lopsided.methods._inputs import fit_inputs
from lopsided.methods.base import Accepts, PUClassifier

__all__ = ["NaiveLogisticClassifier"]


class NaiveLogisticClassifier(PUClassifier):
    """Tell labeled from unlabeled rows by a weighted sum of standardized columns.

    A straight line bends for no single row, and hidden positives among the negatives move it
    little.

    Parameters
    ----------
    strength : float, default=1.0
        How little the coefficients are held back: the inverse of the L2 penalty.
    balanced : bool, default=True
        Whether labeled and unlabeled rows weigh alike as a whole.
    bend : bool, default=False
        Whether columns are bent first, so that their values are normal.
    max_iter : int, default=1000
        Iterations of the solver at most.
    n_jobs : int or None, default=None
        Threads of linear algebra; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Not used: nothing is drawn.

    Attributes
    ----------
    inputs_ : Inputs
        How columns become inputs: standardized, imputed, one for each category.
    classifier_ : LogisticRegression
        The fitted regression on these inputs.
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

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def __init__(
        self,
        strength=1.0,
        balanced=True,
        bend=False,
        max_iter=1000,
        n_jobs=None,
        random_state=None,
    ):
        self.strength = strength
        self.balanced = balanced
        self.bend = bend
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return False

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        if not (isinstance(self.strength, Real) and float(self.strength) > 0):
            raise ValueError(f"strength must be a number above 0, got {self.strength!r}.")
        self.inputs_ = fit_inputs(X, self._levels(), weight, self.bend)
        model = LogisticRegression(
            C=self.strength,
            class_weight="balanced" if self.balanced else None,
            max_iter=self.max_iter,
        )
        with self._linear_algebra():
            self.classifier_ = model.fit(self.inputs_.transform(X), y, sample_weight=weight)
        self.n_iter_ = int(self.classifier_.n_iter_[0])

    def _scores(self, X: Any) -> Any:
        with self._linear_algebra():
            return self.classifier_.decision_function(self.inputs_.transform(X))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the sum of all coefficients' sizes."""
        sizes = self.inputs_.by_column(np.abs(self.classifier_.coef_[0]), self.n_features_in_)
        total = sizes.sum()
        return sizes / total if total > 0 else sizes
