"""Rank the unlabeled rows of a table, each by a model that has not seen it."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._terminal import quote
from lopsided._validation import as_generator, check_count
from lopsided._warnings import warn
from lopsided.exceptions import PriorWarning
from lopsided.methods._learners import seeded_copy
from lopsided.methods.base import (
    PUClassifier,
    TrainingRows,
    assign_folds,
    assign_group_folds,
)
from lopsided.methods.focused import OutlierClassifier
from lopsided.methods.registry import build, check_ranks
from lopsided.model_selection.out_of_fold import (
    AmongTraining,
    Split,
    as_rows,
    cross_score,
    fit_rows,
    list_splits,
    rank_against,
    warn_constant,
)
from lopsided.priors.estimation import PriorLike

__all__ = ["rank_against", "rank_unlabeled"]


def rank_unlabeled(
    X: Any,
    y: Any,
    method: Any = "focused",
    *,
    prior: PriorLike | None = None,
    folds: int | None = None,
    groups: Any = None,
    cv: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every unlabeled row by a model fitted without it.

    One fit is enough for a method that scores its training rows by models that have not seen
    them, such as `focused` and forests with bags. Any other is fitted in folds: the unlabeled
    rows are split, and for each fold a model is fitted on all labeled rows and the other folds.
    What comes out is the share of the training rows that a row outranks, which can be compared
    between folds where raw scores cannot.

    With `groups`, such as the customers of claims, whole groups are left out, their labeled
    rows too: no customer is on both sides.

    Reviewed negatives are always trained on, but for those of a group that is left out, and
    never ranked. One labeled row is enough. With none the ranking is one of outliers, by an
    isolation forest and the distance to neighbors, and a warning says so.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
    method : str or estimator, default="focused"
        A name of the registry, or a method or other classifier that is cloned for each fold.
    prior : float, estimate, estimator, str or None, default=None
        P(y_true = 1) in the whole table, where `method` is a name that takes one.
    folds : int or None, default=None
        Number of models, each fitted without a part of the rows. None is one fit if the method
        allows and there are no groups, and else 5.
    groups : array of shape (n_rows,) or None, default=None
        The group of each row; a group is ranked by a model that has seen none of its rows, and
        a method is told the groups when it is fitted.
    cv : int, splitter, iterable of splits or None, default=None
        How the rows are split, as in scikit-learn, for example `PUTimeSplit`; a model is fitted
        on all rows of the training side. A number is one of folds, as above.
    random_state : int, Generator or None, default=None
        Seed of the folds, and of the fits where the method has none of its own.
    n_jobs : int or None, default=None
        Threads of each fit, where `method` is a name.

    Returns
    -------
    ndarray of shape (n_rows,)
        Larger = more positive, about 0 to 1; NaN for labeled and reviewed rows, and for those
        that `cv` never tests on.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = (X[:, 0] > 1.8).astype(int)
    >>> scores = rank_unlabeled(X, y, "focused-fast", random_state=0)
    >>> int(np.isnan(scores).sum() == y.sum())
    1
    """
    rows = as_rows(X, y, groups=groups, least=0)
    model = _template(method, prior, n_jobs)
    if not rows.y.any():
        model, rows = _unsupervised(n_jobs), _as_dense(rows)
    rng = as_generator(random_state)
    if folds is None and cv is None and groups is None and rows.unlabeled.sum() > 1:
        scores = _rank_out_of_bag(model, rows, rng)
        if scores is not None:
            return scores
    in_folds = cv is None or isinstance(cv, (int, np.integer))
    if in_folds:
        n_folds = folds if cv is None else cv
        splits = _split(rows, check_count(5 if n_folds is None else n_folds, "folds"), rng)
    else:
        splits = list_splits(cv, rows, groups, rng)
    # Folds that leave out labeled rows do not all leave out as many.
    same = (in_folds and groups is None) or not rows.y.any()
    place = AmongTraining(None if same else float(rows.y.mean()))
    scores = cross_score(model, rows, splits, rng, place, label="ranking")
    return np.where(rows.unlabeled, scores, np.nan)


def _rank_out_of_bag(
    model: Any, rows: TrainingRows, rng: np.random.Generator
) -> NDArray[np.float64] | None:
    """Return the ranking of a single fit, None if some row is seen by all of its models."""
    blind = model.with_oob_scores(rows.labels) if isinstance(model, PUClassifier) else None
    if blind is None:
        return None
    with warnings.catch_warnings():
        if not model.needs_prior():
            warnings.simplefilter("ignore", PriorWarning)  # no place depends on it
        scores = fit_rows(seeded_copy(blind, rng), rows).oob_decision_function_
    known = ~np.isnan(scores)
    if not known[rows.unlabeled].all():
        return None
    if np.ptp(scores[rows.unlabeled]) == 0:
        warn_constant(model)
    ranking = np.full(len(rows), np.nan)
    ranking[rows.unlabeled] = rank_against(scores[known], scores[rows.unlabeled])
    return ranking


def _unsupervised(n_jobs: int | None) -> OutlierClassifier:
    warn(
        "No row is labeled: the ranking is unsupervised, outliers first. Label rows that you "
        "know to be positive, one is enough to learn from.",
    )
    return OutlierClassifier(n_jobs=n_jobs)


def _as_dense(rows: TrainingRows) -> TrainingRows:
    sparse: bool = issparse(rows.X)
    return replace(rows, X=rows.X.toarray()) if sparse else rows


def _split(rows: TrainingRows, folds: int, rng: np.random.Generator) -> list[Split]:
    """Return the rows to train on and the unlabeled rows to rank, for each fold.

    All labeled and reviewed rows are trained on, or with groups those of the groups that are
    not ranked.
    """
    labels, groups = rows.labels, rows.groups
    codes = np.arange(len(labels)) if groups is None else groups
    n_apart = len(np.unique(codes[rows.unlabeled]))
    folds = min(folds, n_apart)
    if folds < 2:
        what = "unlabeled rows" if groups is None else "groups of unlabeled rows"
        raise ValueError(
            f"At least two folds and two {what} are needed, got {quote(folds)} and {n_apart}."
        )
    if groups is None:
        fold_of = assign_folds(labels, folds, {0: rng})
    else:
        fold_of = assign_group_folds(labels, codes, folds, rng)
        fold_of[~np.isin(codes, codes[labels >= 0])] = -1  # reviewed rows alone: no fold's own
    splits = []
    for fold in range(folds):
        train = np.flatnonzero(fold_of != fold)
        if rows.y.any() and not rows.y[train].any():
            raise ValueError(
                "Each training part needs a labeled row, got none in one: all are in groups "
                "that must stay together. Label rows of more groups."
            )
        splits.append((train, np.flatnonzero((fold_of == fold) & rows.unlabeled)))
    return [split for split in splits if len(split[1])]


def _template(method: Any, prior: Any, n_jobs: int | None) -> Any:
    """Return the estimator that every fold clones."""
    if not isinstance(method, str):
        ways = ("decision_function", "predict_proba")
        if isinstance(method, type) or not any(hasattr(method, way) for way in ways):
            raise ValueError(
                f"method must be a name or a classifier that scores rows, got {quote(method)}. "
                "Choose from list_methods(), or pass an estimator with decision_function or "
                "predict_proba."
            )
        if prior is not None:
            raise ValueError(
                "prior goes with a method's name; set it on the estimator instead."
            )
        return method
    model = build(check_ranks(method), **({} if prior is None else {"prior": prior}))
    return model.set_params(n_jobs=n_jobs) if hasattr(model, "n_jobs") else model
