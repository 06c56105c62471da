"""Rank the unlabeled rows of a table, each by a model that has not seen it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lopsided._check import as_generator, check_labels
from lopsided._progress import Bar
from lopsided.methods.base import PUClassifier, TrainingRows, as_pandas, assign_folds, cross_fit
from lopsided.methods.registry import build, get_method

__all__ = ["rank_against", "rank_unlabeled"]


def rank_unlabeled(
    X: Any,
    y: Any,
    method: Any = "focused",
    *,
    prior: float | None = None,
    folds: int = 5,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every unlabeled row by a model fitted without it.

    The unlabeled rows are split into folds. For each fold a model is fitted on all labeled rows
    and the other folds, and the fold's rows are placed among the scores of the model's own
    training rows: what comes out is the share of them that a row outranks, which can be
    compared between folds where raw scores cannot.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    method : str or estimator, default="focused"
        A name of the registry, or a method or other classifier that is cloned for each fold.
    prior : float or None, default=None
        P(y_true = 1) in the whole table, where `method` is a name that takes one.
    folds : int, default=5
        Number of models.
    random_state : int, Generator or None, default=None
        Seed of the folds and the fits.
    n_jobs : int or None, default=None
        Threads of each fit, where `method` is a name.

    Returns
    -------
    ndarray of shape (n_rows,)
        Larger = more positive; NaN for labeled rows. About 0 to 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = (X[:, 0] > 1.8).astype(int)
    >>> scores = rank_unlabeled(X, y, "focused-fast", random_state=0)
    >>> int(np.isnan(scores).sum() == y.sum())
    1
    """
    y = check_labels(y)
    table = X.tocsr() if hasattr(X, "tocsr") else as_pandas(X)
    if not hasattr(table, "shape"):
        table = _as_array(table)
    if table.shape[0] != len(y):
        raise ValueError(
            f"X and y must have the same number of rows, got {table.shape[0]} and {len(y)}."
        )
    n_unlabeled = int((y == 0).sum())
    folds = min(folds, n_unlabeled)
    if folds < 2:
        raise ValueError(
            "At least two folds and two unlabeled rows are needed, got "
            f"{folds} and {n_unlabeled}."
        )
    model = _template(method, prior, n_jobs)
    takes_prior = isinstance(model, PUClassifier) and hasattr(model, "prior")
    settled = model.resolve_prior(float(y.mean())) if takes_prior else None
    two_samples = getattr(getattr(model, "risk", None), "scenario", "") == "two-sample"
    rng = as_generator(random_state)
    fold_of = assign_folds(y, folds, {0: rng})
    with Bar(folds, "ranking") as bar:

        def fit_predict(part: TrainingRows, left_out: Any, _: int) -> tuple[None, Any]:
            fitted = _seeded(model, rng)
            if settled is not None:
                own = settled if two_samples else _fold_prior(settled, y, len(part))
                fitted.set_params(prior=own)
            fitted.fit(part.X, part.y)
            placed = rank_against(_scores(fitted, part.X), _scores(fitted, left_out))
            bar.advance()
            return None, placed

        rows = TrainingRows(table, y, np.ones(len(y)))
        return cross_fit(rows, fold_of, fit_predict).out_of_fold


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


def rank_against(reference: Any, scores: Any) -> NDArray[np.float64]:
    """Return the share of reference scores that each score outranks, without needless ties.

    Between two neighbors of the reference the share is interpolated; beyond its ends it goes on
    rising by less than one step, so that the order of the scores is kept everywhere.
    """
    known, counts = np.unique(np.asarray(reference, dtype=float), return_counts=True)
    values = np.asarray(scores, dtype=float)
    total = counts.sum()
    middles = (np.cumsum(counts) - counts / 2) / total
    placed = np.interp(values, known, middles)
    spread = float(known[-1] - known[0]) or 1.0
    above = np.maximum(values - known[-1], 0) / spread
    below = np.maximum(known[0] - values, 0) / spread
    return placed + (above / (1 + above) - below / (1 + below)) / (2 * total)


def _template(method: Any, prior: float | None, n_jobs: int | None) -> Any:
    """Return the estimator that every fold clones."""
    if not isinstance(method, str):
        if prior is not None:
            raise ValueError(
                "prior goes with a method's name; set it on the estimator instead."
            )
        return method
    if get_method(method).labels == "true":
        raise ValueError(
            f"{method} learns from true labels and is for comparison only, got PU labels. "
            "Choose another method."
        )
    return build(method, n_jobs=n_jobs, **({} if prior is None else {"prior": prior}))


def _fold_prior(prior: float, y: NDArray[np.int8], n_rows: int) -> float:
    """Return the prior of a training part: all labeled rows and fewer of the rest."""
    n_labeled = y.sum()
    hidden_rate = (prior * len(y) - n_labeled) / (len(y) - n_labeled)
    return float((n_labeled + hidden_rate * (n_rows - n_labeled)) / n_rows)


def _seeded(model: Any, rng: np.random.Generator) -> Any:
    """Return a fresh copy with seeds of its own, also for the parts of a pipeline."""
    copy = clone(model)
    names = sorted(name for name in copy.get_params() if name.endswith("random_state"))
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in names})


def _scores(model: Any, table: Any) -> Any:
    if hasattr(model, "decision_function"):
        return model.decision_function(table)
    return model.predict_proba(table)[:, 1]
