"""Learning from reviews: verdicts become labels, and the model is fitted anew."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from lopsided._warnings import warn
from lopsided.calibration.maps import CalibrationMap, fit_calibration
from lopsided.exceptions import PriorWarning
from lopsided.priors import PriorEstimate
from lopsided.priors.registry import choose_prior
from lopsided.workflow.estimators import fit_estimator, has_probabilities
from lopsided.workflow.model import TableModel
from lopsided.workflow.ranked import undo_ranking
from lopsided.workflow.reasons import find_typical
from lopsided.workflow.tables import unescape_formulas
from lopsided.workflow.training import TrainingTable
from lopsided.workflow.verdicts import place_verdicts, read_verdicts

__all__ = ["learn_from_reviews"]


def learn_from_reviews(
    model: TableModel,
    frame: Any,
    verdict: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    n_jobs: int | None = None,
) -> TableModel:
    """Return a model that has learned from reviewed rows; see `TableModel.feedback`.

    Rows that were reviewed, those that came from other tables above all, are the top of a list:
    they teach the method, but the prior and the probabilities rest on the first table and the
    labels that were there before any review.
    """
    frame = _restore(model, frame)
    verdicts = read_verdicts(frame, model.roles, verdict, positive, negative)
    rows, places = place_verdicts(model, verdicts)
    if (rows.y[places] == verdicts.verdicts).all():
        raise ValueError(
            f"The reviewed table has no new verdict: the model knows all {len(places)}. Write "
            "verdicts for rows of a ranking (1 = positive, -1 = negative) and pass that table."
        )
    rows = rows.decide(places, verdicts.verdicts)
    if not (rows.y == 0).any():
        raise ValueError(
            "Reviews must leave unlabeled rows to learn from, got verdicts on all of "
            f"{len(rows)} rows. Leave some out, or fit a table with more rows."
        )
    if not (rows.y == 1).any():
        warn("No row is labeled yet, or found to be positive: the ranking stays unsupervised.")
    known = replace(model, training=rows)
    found = known.known_prior()
    prior = found.value if isinstance(found, PriorEstimate) else found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)  # the prior is given, by ourselves
        estimator, scores = fit_estimator(
            rows.X,
            rows.y,
            model.method,
            prior=choose_prior(None, model.label_frequency)
            if prior is None
            else _share_of_all(rows, prior),
            groups=rows.groups,
            n_jobs=n_jobs,
            random_state=model.random_state,
        )
    rows = replace(rows, scores=scores)
    calibration = None
    if prior is not None and has_probabilities(estimator):
        calibration = _calibrate(rows.first_table(), prior)
    return replace(
        known,
        estimator=estimator,
        training=rows,
        calibration=calibration,
        typical=find_typical(estimator, model.cleaner, rows.X, calibration),
    )


def _restore(model: TableModel, frame: Any) -> Any:
    """Return a reviewed list with the columns and cells that its table had.

    Where apostrophes make it safe for spreadsheets these are taken off, unless more of it is
    known with them.
    """
    features = model.cleaner.feature_names_in_
    given = undo_ranking(frame, model.roles, features)
    plain = unescape_formulas(frame)
    if plain.equals(frame) or not plain.columns.is_unique:
        return given
    plain = undo_ranking(plain, model.roles, features)
    return given if _count_known(model, given) > _count_known(model, plain) else plain


def _count_known(model: TableModel, frame: Any) -> tuple[int, int, int]:
    """Return how many columns of training a table has, and how many ids and rows."""
    roles, features = model.roles, model.cleaner.feature_names_in_
    columns = [name for name in features if name in frame.columns]
    n_columns = len(columns) + sum(name in frame.columns for name in (roles.label, roles.id))
    if roles.id is not None and roles.id not in frame.columns:
        return n_columns, 0, 0
    ids = roles.ids(frame)
    n_ids = int((model.training.find_by_id(ids) >= 0).sum())
    if len(columns) < len(features):
        return n_columns, n_ids, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `place_verdicts` will tell
        X = model.cleaner.transform(frame[columns])
    return n_columns, n_ids, int((model.training.find(X, ids) >= 0).sum())


def _share_of_all(rows: TrainingTable, prior: float) -> float:
    """Return the share of positives in all rows, for a method to learn by."""
    n_positive = prior * rows.own.sum() + ((rows.y == 1) & ~rows.own).sum()
    least = float((rows.y == 1).mean())
    return float(np.clip(n_positive / len(rows), least, 1 - 1e-9))


def _calibrate(rows: TrainingTable, prior: float) -> CalibrationMap | None:
    """Return the map from scores to log-odds, by rows and labels from before any review."""
    known = np.maximum(rows.first, 0)
    if not known.any() or known.all():
        return None
    return fit_calibration(rows.scores, known, float(np.clip(prior, known.mean(), 1 - 1e-9)))
