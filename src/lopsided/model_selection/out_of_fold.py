"""Score every row by a model that was fitted without it, so that folds compare."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from lopsided._blas import one_blas_thread
from lopsided._progress import Bar
from lopsided._terminal import quote
from lopsided._validation import (
    as_floats,
    as_generator,
    check_classifier,
    check_count,
    check_labels,
    encode_groups,
)
from lopsided._warnings import warn
from lopsided.exceptions import PriorWarning
from lopsided.methods._learners import seeded_copy
from lopsided.methods.base import PUClassifier, TrainingRows, as_pandas, takes_reviewed
from lopsided.methods.focused import FocusedClassifier
from lopsided.methods.forest import PUForestClassifier
from lopsided.model_selection._prior_of_parts import PriorOfParts
from lopsided.model_selection.splitters import (
    MIN_TRAIN,
    PUGroupKFold,
    PUStratifiedKFold,
)

__all__ = ["out_of_fold_scores", "rank_against"]

_FAR = 1e300  # differences of scores beyond would overflow
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def out_of_fold_scores(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every row, labeled or not, by a model that has not seen it.

    For each fold a model is fitted on the others, and the fold's rows are placed among the
    scores of the model's own training rows: what comes out is the share of them that a row
    outranks, which can be compared between folds where raw scores cannot. These scores are what
    the metrics named `pu_` ask for.

    Parameters
    ----------
    estimator : estimator
        A method or other classifier; a copy of it is fitted.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which a method learns from
        as such and any other classifier as one that is not labeled.
    cv : int, splitter, iterable of splits or None, default=None
        How the rows are split; a number is that of the folds of `PUStratifiedKFold`, or of
        `PUGroupKFold` if there are groups, at most one for each labeled row, or group with
        labeled rows. None, without groups, takes the out-of-bag scores of a single fit from an
        estimator that has them, such as forests and `FocusedClassifier`, and else is 5.
    groups : array of shape (n_rows,) or None, default=None
        Groups that must not be on both sides, such as customers; a method is given them in
        `fit`, as is a pipeline that asks for them by scikit-learn's metadata routing.
    random_state : int, Generator or None, default=None
        Seed of the folds, and of the fits where the estimator has none of its own.
    n_jobs : int or None, default=None
        Number of folds to fit at a time, in threads.

    Returns
    -------
    ndarray of shape (n_rows,)
        Larger = more positive. About 0 to 1 where rows were placed in folds, log-odds where
        they were out of bag; NaN for rows that no fold tests on, the mean where several do.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import build
    >>> from lopsided.metrics import pu_roc_auc
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = (X[:, 0] > 1.8).astype(int)
    >>> scores = out_of_fold_scores(build("naive-logistic"), X, y, random_state=0)
    >>> bool(pu_roc_auc(y, scores) > 0.95)
    True
    """
    check_classifier(estimator)
    rows = as_rows(X, y, groups=groups)
    rng = as_generator(random_state)
    if cv is None and groups is None:
        scores = _score_out_of_bag(estimator, rows, rng)
        if scores is not None:
            return scores
    splits = list_splits(5 if cv is None else cv, rows, groups, rng)
    place = AmongTraining(float(rows.y.mean()))
    return cross_score(estimator, rows, splits, rng, place, n_jobs=n_jobs)


def list_splits(
    cv: Any, rows: TrainingRows, groups: Any, rng: np.random.Generator, least: int = 0
) -> list[Split]:
    """Return the positions of training and test rows of each fold.

    A number of folds is lowered until each can have `least` labeled rows, or a group with some.
    """
    y = rows.y
    if isinstance(cv, (int, np.integer)):
        n_labeled = int(y.sum())
        n_apart = n_labeled if groups is None else _count_groups(groups, y)
        n_folds = min(check_count(cv, "cv", least=2), n_labeled // max(least, 1), n_apart)
        if n_folds < 2 or n_labeled - -(-n_labeled // n_folds) < MIN_TRAIN:
            where = "" if groups is None else f" in {n_apart} group(s)"
            raise ValueError(
                f"At least {max(3, 2 * least)} labeled rows are needed to leave some out, got "
                f"{n_labeled}{where}. Label more rows."
            )
        kind = PUStratifiedKFold if groups is None else PUGroupKFold
        cv = kind(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    if isinstance(cv, (str, bytes)):  # which can be split, too
        raise ValueError(f"cv must be a number of folds or a splitter, got {quote(cv)}.")
    splits = []
    for sides in check_cv(cv).split(rows.X, y, groups):
        try:
            train, test = (np.arange(len(y))[np.asarray(side)] for side in sides)
        except (IndexError, TypeError, ValueError):
            raise ValueError(
                f"cv must give rows to train and rows to test on, got {quote(sides)}. Pass a "
                "number of folds."
            ) from None
        if y[test].sum() < least:
            raise ValueError(
                f"Each fold needs {least} labeled rows to be judged by, got one with "
                f"{int(y[test].sum())}. Use fewer folds."
            )
        splits.append((train, test))
    if not splits:
        raise ValueError(
            f"cv must give splits, got none of {quote(cv)}. Pass a number of folds."
        )
    return splits


def _count_groups(groups: Any, y: NDArray[np.int8]) -> int:
    """Return the number of groups with labeled rows."""
    return len(np.unique(encode_groups(groups, len(y))[y == 1]))


@dataclass(frozen=True)
class AmongTraining:
    """Places rows among the training rows of their model.

    With a `labeled_share` the labeled ones are weighted to be such a share of them, so that a
    fold that leaves out more of these than another compares with it.
    """

    labeled_share: float | None = None

    def __call__(self, scores: Any, model: Any, part: TrainingRows) -> NDArray[np.float64]:
        """Return the share of training rows that each score outranks."""
        weights = None
        if self.labeled_share is not None:
            own = float(part.y.mean())
            odds = self.labeled_share / (1 - self.labeled_share) * (1 - own) / own
            weights = np.where(part.y == 1, odds, 1.0)
        return rank_against(score_rows(model, part.X), scores, weights)


def place_in_fold(scores: Any, model: Any, part: TrainingRows) -> NDArray[np.float64]:
    """Return the share of the fold's own rows that each score outranks.

    Folds drawn at random compare best by it: training scores know the labels, those of the fold
    do not.
    """
    return rank_against(scores, scores)


def cross_score(
    model: Any,
    rows: TrainingRows,
    splits: Sequence[Split],
    rng: np.random.Generator,
    place: Callable[[Any, Any, TrainingRows], NDArray[np.float64]],
    *,
    score: Callable[[Any, Any], NDArray[np.float64]] | None = None,
    n_jobs: int | None = None,
    label: str = "scoring",
) -> NDArray[np.float64]:
    """Return the place of each test row by a model of the training rows, the mean of several.

    `place` takes the scores of the test rows, the model and its training rows; `score` gives
    these scores, and is `score_rows` by default.
    """
    score = score_rows if score is None else score
    prior = PriorOfParts.settle(model, rows, rng)
    copies = [seeded_copy(model, rng) for _ in splits]

    @one_blas_thread
    def fit_fold(copy: Any, split: Split, advance: Callable[[], None]) -> NDArray[np.float64]:
        part, left_out = (rows.take(side) for side in split)
        if prior is not None:
            copy.set_params(prior=prior.of(part))
        fit_rows(copy, part)
        scores = score(copy, left_out.X)
        if len(scores) > 1 and np.ptp(scores) == 0:
            warn_constant(model)
        placed = place(scores, copy, part)
        advance()
        return placed

    with Bar(len(splits), label) as bar, warnings.catch_warnings():
        if prior is None:
            warnings.simplefilter("ignore", PriorWarning)  # no place depends on it
        tasks = list(zip(copies, splits, strict=True))
        if n_jobs is None:
            placed: Iterable[Any] = [fit_fold(*task, bar.advance) for task in tasks]
        else:
            from joblib import Parallel, delayed

            threads = Parallel(n_jobs=n_jobs, require="sharedmem")  # they share the table
            placed = threads(delayed(fit_fold)(*task, bar.advance) for task in tasks)
    total, times = np.zeros((2, len(rows)))
    for (_, test), scores in zip(splits, placed, strict=True):
        total[test] += scores
        times[test] += 1
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def rank_against(reference: Any, scores: Any, weights: Any = None) -> NDArray[np.float64]:
    """Return the share of reference scores that each score outranks, without needless ties.

    Between two neighbors of the reference the share is interpolated; beyond its ends it goes on
    rising by less than one step, so that the order of the scores is kept everywhere. With
    `weights`, one for each score of the reference, it is a share of their sum.

    Parameters
    ----------
    reference : array of shape (n_reference,)
        The scores to compare with.
    scores : array of shape (n_rows,)
        The scores to place among them.
    weights : array of shape (n_reference,) or None, default=None
        How many rows each score of the reference stands for.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> rank_against([1.0, 2.0, 3.0, 4.0], [2.0, 2.5])
    array([0.375, 0.5  ])
    """
    points = _as_points(reference)
    known, place, counts = np.unique(points, return_inverse=True, return_counts=True)
    if weights is not None:
        counts = np.bincount(place, weights=_as_shares(weights, points))
    values = np.clip(as_floats(scores, "scores"), -_FAR, _FAR)
    if np.isnan(values).any():
        raise ValueError(f"scores must be numbers, got {quote(scores)}. Leave out what is NaN.")
    total = counts.sum()
    middles = (np.cumsum(counts) - counts / 2) / total
    placed = np.interp(values, known, middles)
    spread = float(known[-1] - known[0]) or 1.0
    above = np.maximum(values - known[-1], 0) / spread
    below = np.maximum(known[0] - values, 0) / spread
    return placed + (above / (1 + above) - below / (1 + below)) / (2 * len(points))


def _as_points(reference: Any) -> NDArray[np.float64]:
    points = as_floats(reference, "reference")
    if points.ndim != 1 or not len(points) or np.isnan(points).any():
        raise ValueError(
            f"reference must be a row of scores, got shape {points.shape} or NaN. Pass some."
        )
    return np.clip(points, -_FAR, _FAR)


def _as_shares(weights: Any, points: NDArray[np.float64]) -> NDArray[np.float64]:
    heavy = as_floats(weights, "weights")
    if heavy.shape != points.shape or not 0 < heavy.sum() < np.inf or heavy.min() < 0:
        raise ValueError(
            f"weights must be numbers from 0 for each of {len(points)} scores of the "
            f"reference, some above, got shape {heavy.shape} and a sum of {heavy.sum():g}."
        )
    return heavy


def fit_rows(model: Any, rows: TrainingRows) -> Any:
    """Fit a classifier on what it takes of the rows: reviewed negatives, groups, weights."""
    labels = rows.counted_labels if takes_reviewed(model) else rows.y
    given = {
        "groups": rows.groups if takes_groups(model) else None,
        "sample_weight": rows.sample_weight,
    }
    return model.fit(rows.X, labels, **{k: v for k, v in given.items() if v is not None})


def takes_groups(model: Any) -> bool:
    """Say whether a classifier is or wraps a method, or has asked for groups in `fit`."""
    if isinstance(model, PUClassifier):
        return True
    if takes_reviewed(model) and has_fit_parameter(model, "groups"):
        return True
    if not get_config()["enable_metadata_routing"]:
        return False
    return bool(get_routing_for_object(model).consumes("fit", ["groups"]))


def as_rows(X: Any, y: Any, *, groups: Any = None, least: int = 1) -> TrainingRows:
    """Return a table of any kind and its labels, ready to be split."""
    labels = check_labels(y, least=least, keep_reviewed=True)
    table = X.tocsr() if hasattr(X, "tocsr") else as_pandas(X)
    if not hasattr(table, "shape"):
        table = _as_array(table)
    if table.shape[0] != len(labels):
        raise ValueError(
            f"X and y must have the same number of rows, got {table.shape[0]} and "
            f"{len(labels)}."
        )
    reviewed = labels == -1
    return TrainingRows(
        table,
        np.maximum(labels, 0),
        np.ones(len(labels)),
        reviewed if reviewed.any() else None,
        None if groups is None else encode_groups(groups, len(labels)),
    )


def _as_array(X: Any) -> NDArray[Any]:
    """Return lists of rows as an array of two dimensions."""
    try:
        table = np.asarray(X)
    except ValueError:  # rows of several lengths
        table = np.empty(0)
    if table.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and columns, got {type(X).__name__}. Pass an array or "
            "a data frame whose rows have one length."
        )
    return table


def score_rows(model: Any, table: Any) -> NDArray[np.float64]:
    """Return one score per row of a fitted classifier, whatever it calls them."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(table), dtype=float)
    return np.asarray(model.predict_proba(table)[:, 1], dtype=float)


def _score_out_of_bag(
    estimator: Any, rows: TrainingRows, rng: np.random.Generator
) -> NDArray[np.float64] | None:
    """Return the out-of-bag scores of one fit, or None where there are none for some row."""
    if isinstance(estimator, PUForestClassifier):
        estimator = clone(estimator).set_params(oob_score=True)
    elif not isinstance(estimator, FocusedClassifier):
        return None
    fitted = fit_rows(seeded_copy(estimator, rng), rows)
    scores = np.asarray(fitted.oob_decision_function_, dtype=float)
    if np.isnan(scores).any():
        return None
    if np.ptp(scores) == 0:
        warn_constant(estimator)
    return scores


def warn_constant(model: Any) -> None:
    """Warn of scores that are all alike."""
    warn(
        f"{shorten(repr(model), 90)} gave all rows of a fold the same score: it ranks nothing. "
        "Change its parameters, or label more rows.",
    )
