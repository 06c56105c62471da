"""Estimators of other packages behind our face, so that studies can compare them with ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from lopsided._check import check_choice, require
from lopsided._params import seeded_copy
from lopsided._rows import TrainingRows
from lopsided.methods._encoders import EncodedClassifier
from lopsided.priors.estimation import PriorLike
from lopsided_bench._peer_parts import log_odds_in_order, rows_as_taken, weights_as_taken

__all__ = ["PulearnClassifier"]

_CLASSES = {
    "elkan-noto": "ElkanotoPuClassifier",
    "weighted-elkan-noto": "WeightedElkanotoPuClassifier",
    "bagging": "BaggingPuClassifier",
    "nnpu": "NNPUClassifier",
    "naive-bayes": "PositiveNaiveBayesClassifier",
    "weighted-naive-bayes": "WeightedNaiveBayesClassifier",
    "tan": "PositiveTANClassifier",
    "weighted-tan": "WeightedTANClassifier",
}
_HOLD_OUT = ("elkan-noto", "weighted-elkan-noto")
_MAX_DRAWS = 50  # of a hold-out; with a handful of labeled rows most of them fail


@dataclass(eq=False, repr=False)
class PulearnClassifier(EncodedClassifier):
    """Fit one of pulearn's estimators and rank by what it predicts.

    All of them take labels as they are here. Columns are standardized first, since the linear
    one takes steps of a fixed size; trees and bins of equal width do not mind.

    Those that wrap a classifier get random forests, as in pulearn's example of Elkan and Noto's
    method, with 300 trees in all, as many as our forests have. The support vector machine of
    its other examples ranks far worse on tables with rare positives. Everything else is as in
    its examples, or its default.

    Parameters
    ----------
    algorithm : str, default="elkan-noto"
        "elkan-noto", "weighted-elkan-noto", "bagging", "nnpu", "naive-bayes",
        "weighted-naive-bayes", "tan" or "weighted-tan".
    settings : dict or None, default=None
        Parameters of pulearn's estimator and, as in `estimator__max_depth`, of what it wraps.
    prior : float, estimate, estimator or "auto", default="auto"
        The share of positives in the whole table; only "nnpu" needs it, and is given what
        follows for the unlabeled rows alone.
    random_state : int, Generator or None, default=None
        Seed of pulearn's estimator and of what it wraps.

    Attributes
    ----------
    model_ : pulearn estimator
        The fitted estimator.

    Notes
    -----
    What follows is pulearn's doing, as of version 0.2. Both methods of Elkan and Noto draw a
    hold-out without regard to labels. If few rows are labeled it often has none, or only such
    whose probability the forest puts at 0; the fit then fails and is tried with another
    hold-out, 50 times at most. Neither method fits again with weights, so that both rank as the
    forest alone would, and a score of the weighted one depends on the rows scored along with
    it. Where positives are rare the weighted naive Bayes and TAN call hardly any row positive.
    Only bagging takes sample weights; for the others rows are repeated.

    References
    ----------
    pulearn: https://pulearn.github.io/pulearn

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = PulearnClassifier("naive-bayes").fit(X, y)
    >>> bool(y[model.decision_function(X).argmax()])
    True
    """

    algorithm: str = "elkan-noto"
    settings: dict[str, Any] | None = None
    prior: PriorLike = "auto"
    random_state: Any = None
    _takes_reviewed: ClassVar[bool] = False
    _min_labeled: ClassVar[int] = 2

    def needs_prior(self) -> bool:
        """Say whether the algorithm is the one that takes a prior."""
        return self.algorithm == "nnpu"

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        check_choice(self.algorithm, _CLASSES, "algorithm of pulearn")
        peer = getattr(require("pulearn"), _CLASSES[self.algorithm])
        rows = rows_as_taken(peer, "pulearn", rows)
        model = peer(**self._as_documented(rows.y)).set_params(**(self.settings or {}))
        rows = self._encode(rows)
        if self.algorithm in _HOLD_OUT and model.random_state is None:
            self.model_ = _fit_until_held_out(model, rows, rng)
        else:
            self.model_ = _fit_copy(model, rows, rng)

    def _as_documented(self, y: NDArray[np.int8]) -> Mapping[str, Any]:
        """Return the parameters of an estimator as pulearn's documentation shows them."""
        n_labeled, n_unlabeled = int((y == 1).sum()), int((y == 0).sum())
        if self.algorithm in _HOLD_OUT:
            given = {"estimator": RandomForestClassifier(300), "hold_out_ratio": 0.2}
            counts = {"labeled": n_labeled, "unlabeled": n_unlabeled}
            return given if self.algorithm == "elkan-noto" else {**given, **counts}
        if self.algorithm == "bagging":  # its out-of-bag scores cost time and are not used
            forest = RandomForestClassifier(20)
            return {"estimator": forest, "n_estimators": 15, "oob_score": False}
        if self.algorithm == "nnpu":
            # Half a row at least: pulearn takes no prior of 0.
            return {"prior": max(self.prior_ * len(y) - n_labeled, 0.5) / n_unlabeled}
        return {}

    def _scores(self, X: Any) -> Any:
        encoded = self.encoder_.transform(X)
        if self.algorithm == "nnpu":
            return self.model_.decision_function(encoded)
        proba = self.model_.predict_proba(encoded)[:, 1]
        return log_odds_in_order(proba)  # Elkan and Noto's methods give some above 1


def _fit_copy(model: Any, rows: TrainingRows, rng: np.random.Generator) -> Any:
    return seeded_copy(model, rng).fit(rows.X, rows.y, **weights_as_taken(rows))


def _fit_until_held_out(model: Any, rows: TrainingRows, rng: np.random.Generator) -> Any:
    """Return a copy fitted with the first hold-out that gives a label frequency."""
    last: Exception | None = None
    for _ in range(_MAX_DRAWS):
        try:
            return _fit_copy(model, rows, rng)
        except (ValueError, IndexError) as error:  # an index: all labeled rows were held out
            if last is None:  # what it wraps must fit all rows, or the settings are at fault
                seeded_copy(model.estimator, rng).fit(rows.X, rows.y)
            last = error
    raise ValueError(
        f"{type(model).__name__} of pulearn must find a label frequency, got none from "
        f"{_MAX_DRAWS} hold-outs: {last} Label more rows."
    )
