"""Cross-fitting: score every row by a model that was fitted without it."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows

Model = TypeVar("Model")


class CrossFit(NamedTuple, Generic[Model]):
    """What is kept of each fold's model, and its predictions: NaN for rows never left out."""

    models: list[Model]
    out_of_fold: NDArray[np.float64]


def assign_folds(
    y: NDArray[np.int8], n_folds: int, rngs: Mapping[int, np.random.Generator]
) -> NDArray[np.int64]:
    """Return the fold of each row, those of each label spread evenly.

    The labels in `rngs` are left out in turn, shuffled by a generator each; a label with fewer
    rows than folds fills the first ones. Rows of other labels are never left out: -1.
    """
    fold_of = np.full(len(y), -1)
    for label, rng in rngs.items():
        rows = np.flatnonzero(y == label)
        fold_of[rows] = rng.permutation(np.arange(len(rows)) % n_folds)
    return fold_of


def cross_fit(
    rows: TrainingRows,
    fold_of: NDArray[np.int64],
    fit_predict: Callable[[TrainingRows, Any, int], tuple[Model, NDArray[np.float64]]],
    n_threads: int = 1,
) -> CrossFit[Model]:
    """Fit a model without each fold, from 0 on, and let it predict the fold's rows.

    `fit_predict` takes the training part, the X of the rows that it lacks, and the number of
    the fold; it returns the fitted model, or what is to be kept of it, and one number for each
    of these rows. With one thread folds follow each other in order.
    """
    from joblib import Parallel, delayed

    def fit_fold(fold: int) -> tuple[Model, NDArray[np.float64]]:
        left_out = fold_of == fold
        return fit_predict(rows.take(~left_out), rows.take(left_out).X, fold)

    folds = range(int(fold_of.max()) + 1)
    # Threads share the table.
    done = Parallel(n_jobs=n_threads, require="sharedmem")(map(delayed(fit_fold), folds))
    out_of_fold = np.full(len(rows), np.nan)
    for fold, (_, scores) in zip(folds, done, strict=True):
        out_of_fold[fold_of == fold] = scores
    return CrossFit([model for model, _ in done], out_of_fold)
