"""Cross-fitting: score every row by a model that was fitted without it."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from lopsided._blas import one_blas_thread
from lopsided._rows import TrainingRows

Model = TypeVar("Model")
Predict = Callable[[Any], NDArray[np.float64]]

_BLOCK = 65_536  # rows predicted at once


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


def assign_group_folds(
    y: NDArray[np.int8],
    groups: NDArray[np.intp],
    n_folds: int,
    rng: np.random.Generator | None = None,
) -> NDArray[np.intp]:
    """Return the fold of each row, groups kept whole and labeled rows spread evenly.

    Groups are numbers from 0 on. Those that count alike are dealt in random order if there is
    a generator.
    """
    n_groups = int(groups.max()) + 1
    labeled = np.bincount(groups[y == 1], minlength=n_groups)
    unlabeled = np.bincount(groups[y == 0], minlength=n_groups)
    turn = np.arange(n_groups) if rng is None else rng.permutation(n_groups)
    fold_of_group = np.empty(n_groups, np.intp)
    n_labeled, n_unlabeled = np.zeros((2, n_folds), np.int64)
    for group in np.lexsort((turn, -unlabeled, -labeled)):
        # A fold without unlabeled rows comes before a small one.
        keys = n_labeled if labeled[group] else n_unlabeled > 0
        fold = np.lexsort((n_labeled + n_unlabeled, keys))[0]
        fold_of_group[group] = fold
        n_labeled[fold] += labeled[group]
        n_unlabeled[fold] += unlabeled[group]
    return fold_of_group[groups]


def cross_fit_splits(
    rows: TrainingRows,
    fit: Callable[[TrainingRows, int], tuple[Any, Predict]],
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Return the mean prediction for each row by models of the splits that test on it, or NaN.

    `fit` is that of `cross_fit`.
    """
    from joblib import Parallel, delayed

    splits = rows.splits or ()

    @one_blas_thread
    def fit_split(place: int) -> NDArray[np.float64]:
        train, test = splits[place]
        return predict_blocks(rows, test, fit(rows.take(train), place)[1])

    places = range(len(splits))
    done = Parallel(n_jobs=n_threads, require="sharedmem")(map(delayed(fit_split), places))
    total, times = np.zeros((2, len(rows)))
    for (_, test), scores in zip(splits, done, strict=True):
        total[test] += scores
        times[test] += 1
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def cross_fit(
    rows: TrainingRows,
    fold_of: NDArray[np.int64],
    fit: Callable[[TrainingRows, int], tuple[Model, Predict]],
    n_threads: int = 1,
    goes_on: Callable[[NDArray[np.bool_], NDArray[np.float64]], bool] | None = None,
) -> CrossFit[Model]:
    """Fit a model without each fold, from 0 on, and let it predict the fold's rows.

    `fit` takes the training part and the number of the fold; it returns the fitted model, or
    what is to be kept of it, and a function from the X of other rows to a number for each. They
    come in blocks, when the training part is gone: tables may be large. With one thread folds
    follow each other in order. `goes_on` is asked after the first: it is told which rows were
    left out and their predictions, and may end it there.
    """
    from joblib import Parallel, delayed

    @one_blas_thread
    def fit_fold(fold: int) -> tuple[Model, NDArray[np.float64]]:
        left_out = fold_of == fold
        model, predict = fit(rows.take(~left_out), fold)
        return model, predict_blocks(rows, left_out, predict)

    folds, done = list(range(int(fold_of.max()) + 1)), []
    if goes_on is not None and folds:
        done = [fit_fold(0)]
        if not goes_on(fold_of == 0, done[0][1]):
            folds = folds[:1]
    # Threads share the table.
    threads = Parallel(n_jobs=n_threads, require="sharedmem")
    done += threads(map(delayed(fit_fold), folds[len(done) :]))
    out_of_fold = np.full(len(rows), np.nan)
    for fold, (_, scores) in zip(folds, done, strict=True):
        out_of_fold[fold_of == fold] = scores
    return CrossFit([model for model, _ in done], out_of_fold)


def predict_blocks(
    rows: TrainingRows, wanted: NDArray[np.bool_], predict: Predict
) -> NDArray[np.float64]:
    """Return a prediction for each wanted row, of which few are copied at a time."""
    places = np.flatnonzero(wanted)
    starts = range(0, max(len(places), 1), _BLOCK)
    return np.concatenate([predict(rows.take(places[at : at + _BLOCK]).X) for at in starts])
