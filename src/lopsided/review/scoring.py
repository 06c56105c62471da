"""A model of all rows, and blind scores of each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from lopsided._rows import TrainingRows
from lopsided.methods.base import PUClassifier, assign_folds
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.registry import build, check_ranks
from lopsided.model_selection.out_of_fold import AmongTraining, score_rows

_N_FOLDS = 5
_MIN_TO_FOLD = 3  # labeled rows: fewer are in every training part


@dataclass(frozen=True)
class Scorer:
    """Fits a method with the same seeds and folds every time.

    So ranks move because labels do, and not by luck.
    """

    template: Any
    fold_of: NDArray[np.int64]
    seed: int

    @classmethod
    def make(cls, method: Any, y: NDArray[np.int8], seed: int, n_jobs: int | None) -> "Scorer":
        """Return the scorer of a method by name, or of an estimator."""
        model = build(check_ranks(method)) if isinstance(method, str) else clone(method)
        if isinstance(method, str) and hasattr(model, "n_jobs"):
            model.set_params(n_jobs=n_jobs)
        if isinstance(model, PUForestClassifier):
            model.set_params(oob_score=True)
        rng = np.random.default_rng([seed, 0])
        n_labeled = int((y == 1).sum())
        few = n_labeled < _MIN_TO_FOLD
        kinds = np.where(y == 1, 1, 0).astype(np.int8)
        rngs = {0: rng} if few else {1: rng, 0: rng}
        n_folds = _N_FOLDS if few else min(_N_FOLDS, n_labeled)
        return cls(model, assign_folds(kinds, n_folds, rngs), seed)

    def fit(
        self, X: Any, y: NDArray[np.int8], prior: float | None, weight: Any = None
    ) -> tuple[Any, NDArray[np.float64]]:
        """Return the model of all rows, and a score of each by models without it."""
        rows = TrainingRows(X, y, np.ones(len(y)) if weight is None else weight)
        model = self._fit(rows, prior, weight is not None)
        scores = np.asarray(getattr(model, "oob_decision_function_", np.nan), dtype=float)
        if scores.shape != y.shape or np.isnan(scores).any():
            scores = self._cross_score(model, rows, prior, weight is not None)
        return model, scores

    def _cross_score(
        self, model: Any, rows: TrainingRows, prior: float | None, weighted: bool
    ) -> NDArray[np.float64]:
        place = AmongTraining(float((rows.y == 1).mean()))
        positives = TrainingRows(rows.X, np.maximum(rows.y, 0), rows.weight)
        scores = np.full(len(rows), np.nan)
        for fold in range(self.fold_of.max() + 1):
            test = self.fold_of == fold
            part = rows.take(~test)
            if not (part.y == 0).any():  # the few unlabeled rows are all in this fold
                if not (part.y == -1).any():
                    continue  # nothing but positives is left to learn from
                part = TrainingRows(part.X, np.maximum(part.y, 0), part.weight)
            one = self._fit(part, prior, weighted)
            own = score_rows(one, rows.take(test).X)
            scores[test] = place(own, one, positives.take(~test))
        kept = np.isnan(scores)
        if kept.any():
            scores[kept] = place(score_rows(model, rows.take(kept).X), model, positives)
        return scores

    def _fit(self, rows: TrainingRows, prior: float | None, weighted: bool) -> Any:
        model = _reseeded(self.template, np.random.default_rng([self.seed, 1]))
        last = model[-1] if hasattr(model, "steps") else model
        takes = isinstance(last, PUClassifier)
        if takes and prior is not None and last.uses_prior():
            share = float(np.average(rows.y == 1, weights=rows.weight))
            last.set_params(prior=float(np.clip(prior, share, 1 - 1e-9)))
        labels = rows.y if takes else np.maximum(rows.y, 0)
        if weighted and has_fit_parameter(model, "sample_weight"):
            return model.fit(rows.X, labels, sample_weight=rows.weight)
        return model.fit(rows.X, labels)


def _reseeded(model: Any, rng: np.random.Generator) -> Any:
    """Return a fresh copy with the loop's seeds, which replace the method's own.

    Loops that differ in their `random_state` alone are then draws of one experiment.
    """
    copy = clone(model)
    names = sorted(name for name in copy.get_params() if name.endswith("random_state"))
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in names})
