"""What a model and its list say, gathered for the page that people look at."""

import datetime
import os
import platform
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lopsided import __version__
from lopsided._math import best_first
from lopsided._progress import Bar
from lopsided._terminal import abbreviate
from lopsided.calibration import pu_calibration_error, pu_reliability_curve
from lopsided.diagnostics import ReviewCurve
from lopsided.priors import PriorEstimate
from lopsided.report.diagnosis_parts import (
    summarize_diagnosis,
    summarize_finds,
    summarize_prior,
    summarize_reliability,
    write_headline,
)
from lopsided.report.ranking_page import write_ranking_report
from lopsided.report.ranking_summary import (
    Counts,
    FeatureEffect,
    Member,
    Notice,
    RankedRow,
    RankingSummary,
    Reason,
    Reliability,
)
from lopsided.workflow.estimators import has_probabilities
from lopsided.workflow.model import TableModel
from lopsided.workflow.ranked import Scored, make_ranking
from lopsided.workflow.reasons import list_reasons
from lopsided.workflow.rivals import read_rivals
from lopsided.workflow.tables import read_frame, read_names, read_texts

__all__ = ["summarize_ranking", "write_table_report"]

_N_SHOWN = 1000  # rows on the page
_N_REASONS = 200  # of which so many have reasons
_N_SAMPLE = 200  # rows by which the columns' effects are measured, and as many of the first
_N_EFFECTS = 20
_MIN_LABELED = 2  # rows to judge anything by
_CORRELATED = 0.3  # a rank correlation that is worth a word


def write_table_report(
    model: TableModel,
    table: Any,
    path: str | os.PathLike[str],
    *,
    n_jobs: int | None = None,
    **facts: Any,
) -> Path:
    """Write a page on a model and its ranking of a table, and return its path.

    Parameters
    ----------
    model : TableModel
        From `lopsided.fit`.
    table : data frame or path
        What to rank: the table of training, or one with its columns.
    path : path
        The HTML file, new or an older page.
    n_jobs : int or None, default=None
        Threads.
    **facts
        The page's `title`, the `source` of the table, and `rivals`: columns of the table of
        training that hold other scores, larger for the more suspicious, such as the desk's own.

    Returns
    -------
    Path

    Examples
    --------
    >>> import lopsided, tempfile
    >>> from lopsided.datasets import make_claims
    >>> claims = make_claims(300, labeled=0.9).table
    >>> roles = {"label": "status", "positive": "confirmed", "negative": "cleared"}
    >>> model = lopsided.fit(claims, id="claim_no", method="naive-logistic", **roles)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_table_report(model, claims, f"{folder}/claims.html", title="Claims")
    ...     print(page.name, page.read_text(encoding="utf-8")[:15])
    claims.html <!DOCTYPE html>
    """
    return write_ranking_report(summarize_ranking(model, table, n_jobs=n_jobs, **facts), path)


def summarize_ranking(
    model: TableModel,
    table: Any,
    *,
    title: str | None = None,
    source: str = "",
    rivals: str | Iterable[str] = (),
    n_jobs: int | None = None,
) -> RankingSummary:
    """Return all that the page shows; parameters as in `write_table_report`."""
    frame = read_frame(table)
    with Bar(4, "gathering the report") as bar:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            scored = model.score(frame)
        others = read_rivals(model, frame, scored, rivals)
        bar.advance()
        rows, columns = _list_rows(model, frame, scored)
        bar.advance()
        features = _measure_effects(model)
        bar.advance()
        judged = _judge(model, scored, others, n_jobs)
        bar.advance()
    judged["warnings"] += tuple(Notice("note", str(one.message)) for one in said)
    judged["warnings"] += tuple(map(_tell_rival, set(others) & set(model.cleaner.readers_)))
    n_labeled, n_reviewed, n_unlabeled = (int((scored.y == one).sum()) for one in (1, -1, 0))
    n_columns = len(model.cleaner.readers_)
    return RankingSummary(
        title=title or f"Rows to review: {Path(source).name or 'a table'}",
        source=Path(source).name,
        created=datetime.date.today().isoformat(),
        method=model.method,
        counts=Counts(len(frame), n_labeled, n_reviewed, n_unlabeled, n_columns),
        n_ranked=len(scored.order),
        columns=columns,
        rows=rows,
        features=features,
        made=_say_how(model, source),
        cleaning={one.name: _say_how_read(one) for one in model.cleaner.columns_},
        members=tuple(
            Member(name, weight)
            for name, weight in getattr(model.estimator, "weights_", {}).items()
        ),
        versions=_list_versions(),
        **judged,
    )


def _tell_rival(name: str) -> Notice:
    return Notice(
        "note",
        f"The model has learned from its rival, column {abbreviate(name)!r}: fit without that "
        "column to see what it finds on its own.",
    )


def _judge(
    model: TableModel, scored: Scored, rivals: Mapping[str, Any], n_jobs: int | None
) -> dict[str, Any]:
    """Return how sure all of it is: headline, warnings, finds, prior, calibration, rivals."""
    n_left = model.count_labels()[0]
    same = bool(scored.trained_on.all()) and len(scored.order) == n_left
    of_training = "" if same else "In the table that was learned from: "
    notices = tuple(
        Notice("warning" if one.level == "problem" else "note", of_training + one.text)
        for one in model.findings
    )
    missing = _find_missing(model, len(scored.order))
    if missing:
        headline = "The list is weak: label more rows before you plan a review by it."
        if not len(scored.order):
            headline = "There is nothing to review: no row of this table is undecided."
        return {"headline": headline, "warnings": notices, "missing": missing}
    training = model.training
    diagnosis = model.diagnose(rivals=rivals, n_jobs=n_jobs)
    y = training.first_table().first if training.is_reviewed else training.y
    parts = summarize_diagnosis(diagnosis, y)
    # What was doubtful of the prior before reviews may be known by now.
    seen = {one.text for one in model.findings} | {str(diagnosis.prior)}
    now = model.known_prior()
    if isinstance(now, PriorEstimate) and not now.identified:
        notices = (*notices, Notice("warning", str(now)))
    parts["warnings"] = tuple(
        sorted(
            (*notices, *(one for one in parts["warnings"] if one.text not in seen)),
            key=lambda one: ("stop", "warning", "note").index(one.level),
        )
    )
    if training.is_reviewed:
        parts["missing"] = {
            "calibration": "This cannot be told after reviews: the probabilities were fitted "
            "to the labels from before, and no others are left to check them by."
        }
    else:
        parts["calibration"] = _measure_calibration(model)
    if same and not training.is_reviewed:
        return parts
    others = _judge_apart(model, scored, same, parts, diagnosis.signal.found)
    return _tell_training_apart({**parts, **others}, of_training)


def _tell_training_apart(parts: dict[str, Any], of_training: str) -> dict[str, Any]:
    """Return the parts with sentences on the table of training that say so."""
    told = {
        name: replace(parts[name], sentence=of_training + parts[name].sentence)
        for name in ("prior", "calibration")
        if parts.get(name) is not None
    }
    if parts["signal"]:
        told["signal"] = of_training + parts["signal"]
    return {**parts, **told}


def _judge_apart(
    model: TableModel, scored: Scored, same: bool, parts: Mapping[str, Any], found: bool
) -> dict[str, Any]:
    """Return what differs for another table, or for the same one after reviews."""
    prior = summarize_prior(model.known_prior(), model.training.y)
    said = (
        "The model has learned from reviews since its first fit: how it compares with others "
        "is told by the labels and scores from before."
        if model.training.is_reviewed
        else "This is not the table that was learned from: how sure the model is, how it "
        "compares with others and the number of positives are told by that one."
    )
    facts: dict[str, Any] = {"prior": prior, "outcomes": ()}  # of the first labels
    facts["warnings"] = (*parts["warnings"], Notice("note", said))
    if not same:
        n_labeled = int((model.training.first_table().first == 1).sum())
        log_odds = scored.scores[scored.order]
        finds = summarize_finds(ReviewCurve.from_log_odds(log_odds, prior, n_labeled))
        facts["finds"] = finds
        facts["headline"] = write_headline(finds, len(log_odds), found=found)
    return facts


def _list_rows(
    model: TableModel, frame: Any, scored: Scored
) -> tuple[tuple[RankedRow, ...], tuple[str, ...]]:
    """Return the first rows with their reasons, and the names of their cells."""
    order = scored.order[:_N_SHOWN]
    ranking = make_ranking(frame, scored, model.roles, _N_SHOWN)
    own = ranking.drop(columns=["rank", "id", "score", "probability", "reasons"])
    cells = [read_texts(column) for _, column in own.items()]
    ids, first = read_names(scored.ids).tolist(), order[:_N_REASONS]
    listed = []
    if len(first):
        listed = list_reasons(model.explain_rows(scored.X.iloc[first]), frame.iloc[first])
    reasons = [
        tuple(Reason(one.column, one.value, one.contribution) for one in found.reasons)
        for found in listed
    ] + [()] * (len(order) - len(first))
    shown = zip(*cells, strict=True) if cells else [()] * len(order)
    rows = tuple(
        RankedRow(
            place,
            ids[row],
            float(scored.scores[row]),
            None if np.isnan(scored.probability[row]) else float(scored.probability[row]),
            why,
            tuple(own_cells),
        )
        for place, (row, why, own_cells) in enumerate(
            zip(order, reasons, shown, strict=True), 1
        )
    )
    return rows, tuple(map(str, own.columns))


def _measure_effects(model: TableModel) -> tuple[FeatureEffect, ...]:
    """Return what columns do to scores, measured on training rows of all ranks."""
    X = model.training.X
    rng = np.random.default_rng(model.random_state)
    some = np.sort(rng.permutation(len(X))[:_N_SAMPLE])
    best = best_first(model.training.scores)[:_N_SAMPLE]
    rows = X.iloc[np.union1d(some, best)]
    found = model.explain_rows(rows)
    sizes = found.mean_absolute()
    total = float(sizes.sum()) or 1.0
    kinds = {one.name: one.kind for one in model.cleaner.columns_}
    order = np.argsort(-sizes, kind="stable")[:_N_EFFECTS]
    return tuple(
        FeatureEffect(
            found.feature_names[i],
            kinds.get(found.feature_names[i], ""),
            float(sizes[i]) / total,
            _say_direction(found, i, rows),
        )
        for i in order
        if sizes[i] > 0
    )


def _say_direction(found: Any, place: int, rows: Any) -> str:
    """Return which values of a column raise a row, where it is one of numbers."""
    name = found.feature_names[place]
    if name not in rows.columns or not hasattr(rows[name].dtype, "kind"):
        return ""
    if rows[name].dtype.kind != "f" or rows[name].nunique() < 2:
        return ""
    correlation = rows[name].corr(
        rows[name] * 0 + found.contributions[:, place], method="spearman"
    )
    if np.isnan(correlation) or abs(correlation) < _CORRELATED:
        return "neither end alone raises a row"
    return "higher values raise a row" if correlation > 0 else "lower values raise a row"


def _find_missing(model: TableModel, n_ranked: int) -> Mapping[str, str]:
    """Return why parts of the page cannot be made."""
    n_labeled = int((model.training.first_table().first == 1).sum())
    parts = ("finds", "prior", "calibration", "comparison")
    if not n_ranked or not model.count_labels()[0]:
        return dict.fromkeys(parts, "All rows are decided.")
    if n_labeled >= _MIN_LABELED:
        return {}
    rows = "no row was" if not n_labeled else "one row alone was"
    return dict.fromkeys(parts, f"This cannot be told: {rows} labeled before any review.")


def _measure_calibration(model: TableModel) -> Reliability | None:
    """Return how far probabilities agree with the labels of rows that were scored blind."""
    known, prior = np.maximum(model.training.first, 0), model.known_prior()
    if prior is None or not has_probabilities(model.estimator):
        return None
    proba = model.blind_proba()
    curve = pu_reliability_curve(known, proba, prior)
    found = summarize_reliability(curve, pu_calibration_error(known, proba, prior))
    return replace(found, sentence=f"{found.sentence} {_say_by_which_prior(prior)}")


def _say_by_which_prior(prior: PriorEstimate | float) -> str:
    """Return that probabilities are judged by the prior that they were made with."""
    if isinstance(prior, PriorEstimate):
        level = f"{100 * prior.level:g} % interval {prior.low:.2g} to {prior.high:.2g}"
        by = f"the same estimated prior, {prior.value:.2g} ({level})"
    else:
        by = f"the same prior, {prior:.2g}, which was given"
    return f"This is judged by {by}: if that is too low, so are all probabilities."


def _say_how(model: TableModel, source: str) -> dict[str, str]:
    roles = model.roles
    made = {"Table": Path(source).name, "Label column": roles.label}
    if roles.positive is not None:
        made["Value of positives"] = roles.positive
    if roles.negative is not None:
        made["Value of reviewed negatives"] = roles.negative
    if roles.id is not None:
        made["Id column"] = roles.id
    if roles.group is not None:
        made["Kept together by"] = roles.group
    if roles.drop:
        made["Left out"] = ", ".join(roles.drop)
    made["Method"] = model.method
    if model.prior is not None:
        made["Prior"] = f"{model.prior:.3g}, given"
    if (belief := model.label_frequency) is not None:
        made["Belief on the share that is labeled"] = f"about {belief.mean:.2g}, {belief}"
    made["Seed"] = str(model.random_state)
    made["Scores"] = "log-odds of being positive, by models that have not seen the row"
    return {name: told for name, told in made.items() if told}


def _say_how_read(column: Any) -> str:
    return "; ".join(filter(None, (column.how or column.kind, column.note)))


def _list_versions() -> dict[str, str]:
    packages = ("numpy", "pandas", "scikit-learn", "xgboost")
    return {
        "lopsided": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in packages},
    }
