"""A table's model: what was learned from a table, kept for its rows and for those to come."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import sigmoid
from lopsided._validation import check_count
from lopsided.calibration.maps import CalibrationMap
from lopsided.diagnostics import Diagnosis, ReviewCurve, diagnose, review_curve
from lopsided.explain import Explanation
from lopsided.priors import Beta, PriorEstimate
from lopsided.priors.registry import check_belief
from lopsided.store import load, save
from lopsided.workflow.estimators import has_probabilities
from lopsided.workflow.findings import Finding
from lopsided.workflow.parts import from_parts, to_parts
from lopsided.workflow.prior import estimate_training_prior
from lopsided.workflow.ranked import (
    RankedTable,
    Scored,
    make_ranking,
    name_row_labels,
)
from lopsided.workflow.reasons import RowReasons, explain_columns, list_reasons
from lopsided.workflow.roles import Roles
from lopsided.workflow.sentences import say_what_was_learned, say_what_was_ranked
from lopsided.workflow.tables import TableCleaner, read_frame
from lopsided.workflow.training import TrainingTable

__all__ = ["N_REASONS", "TableModel", "load_table_model"]

N_REASONS = 100  # rows of a list whose reasons are looked for, unless said otherwise
_MAX_FREQUENCY = 0.999  # of labels: if all positives were labeled, there were nothing to find


@dataclass(frozen=True, eq=False, repr=False)
class TableModel:
    """What `lopsided.fit` learned from a table: how it is cleaned, a method, and its rows.

    The clean rows are part of it: their blind scores are shown when they are ranked, and
    reviews of them are learned from.

    Attributes
    ----------
    roles : Roles
        Which columns are the label, ids, groups, and left out.
    cleaner : TableCleaner
        How the other columns become numbers and categories.
    method : str
        A name of the registry.
    estimator : classifier
        Fitted on the clean rows; its scores are log-odds of being positive.
    training : TrainingTable
        The rows, their labels and blind scores.
    findings : tuple of Finding
        What may hurt, found in the table before the fit.
    prior : float or None
        The share of positives that was given; None if it is estimated.
    label_frequency : Beta or None
        What was believed of the share of the positives that are labeled, for that estimate.
    random_state : int
        Seed of the fit.
    calibration : CalibrationMap or None
        What is put on the scores after reviews; it comes from the first labels.
    typical : sequence of float
        What each column adds to the score of an average row.

    Examples
    --------
    >>> import pandas as pd
    >>> import lopsided
    >>> from lopsided.datasets import load
    >>> data = load("digits-8")
    >>> frame = pd.DataFrame(data.X, columns=data.feature_names).assign(known=data.y_true)
    >>> frame.loc[900:, "known"] = 0  # those that nobody has looked at
    >>> model = lopsided.fit(frame, label="known", method="focused-fast")
    >>> model.rank(frame, top=2).columns[:5].tolist()
    ['rank', 'id', 'score', 'probability', 'reasons']
    """

    roles: Roles
    cleaner: TableCleaner
    method: str
    estimator: Any
    training: TrainingTable
    findings: tuple[Finding, ...] = ()
    prior: float | None = None
    random_state: int = 0
    calibration: CalibrationMap | None = None  # on top, by first labels, after reviews
    typical: Sequence[float] = ()  # what each column adds to the score of an average row
    label_frequency: Beta | None = None

    def __repr__(self) -> str:
        counts = self.count_labels()
        return (
            f"TableModel({self.method!r}, {len(self.training)} rows, {counts[1]} labeled "
            f"positives, {counts[-1]} reviewed negatives, {self.training.X.shape[1]} features)"
        )

    def count_labels(self) -> dict[int, int]:
        """Return how many rows are labeled (1), unlabeled (0) and reviewed negatives (-1)."""
        return {label: int((self.training.y == label).sum()) for label in (1, 0, -1)}

    def describe(self) -> str:
        """Return in words what was learned, and how many positives are hidden."""
        return say_what_was_learned(self)

    def to_dict(self) -> dict[str, Any]:
        """Return in numbers and words, as JSON takes them, what `describe` tells."""
        counts, prior = self.count_labels(), self.prior_estimate()
        return {
            "method": self.method,
            "rows": {"labeled": counts[1], "unlabeled": counts[0], "reviewed": counts[-1]},
            "columns": [asdict(one) for one in self.cleaner.columns_],
            "prior": asdict(prior) if prior is not None else self.prior,
            "label_frequency": self.label_frequency and asdict(self.label_frequency),
            "findings": [asdict(one) for one in self.findings],
        }

    def prior_estimate(self, *, label_frequency: Beta | None = None) -> PriorEstimate | None:
        """Return the estimated share of positives of the first table.

        None if it was given, or nothing was labeled before any review.

        Parameters
        ----------
        label_frequency : Beta or None, default=None
            What you believe of the share of the positives that are labeled, such as
            `Beta.around(0.05)`; the share of positives is estimated anew with it, also where
            it was given. None is what the fit has estimated, with the belief that it was given
            or else a weak one in half.
        """
        if self.prior is not None and label_frequency is None:
            return None
        return estimate_training_prior(
            self.training, self.estimator, label_frequency, self.label_frequency
        )

    def known_prior(self) -> PriorEstimate | float | None:
        """Return the share of positives of the first table: given, estimated, or unknown."""
        return self.prior_estimate() if self.prior is None else self.prior

    def log_hidden(self) -> float:
        r"""Return what log-odds lose where a row is known to be unlabeled.

        With the label frequency :math:`c` of the first table a positive is unlabeled with
        probability :math:`1 - c`, a negative always: the odds are multiplied by :math:`1 - c`.
        """
        rows, prior = self.training.first_table(), self.known_prior()
        if prior is None or not has_probabilities(self.estimator):
            return 0.0
        n_positive = (prior.value if isinstance(prior, PriorEstimate) else prior) * len(rows)
        frequency = (rows.first == 1).sum() / max(n_positive, 1e-9)
        return float(np.log1p(-min(frequency, _MAX_FREQUENCY)))

    def rank(
        self, table: Any, *, top: int | None = None, reasons: int | None = N_REASONS
    ) -> RankedTable:
        """Rank the rows of a table that are neither labeled nor reviewed.

        Rows of training are known again, by their id and their features, and have the scores
        of models that have not seen them; what is known of their labels counts here too.

        Parameters
        ----------
        table : data frame or path
            With the columns of training; see `TableCleaner` for what else may differ.
        top : int or None, default=None
            Only the first rows; None is all.
        reasons : int or None, default=100
            For how many of the first rows to say which columns lift them; None is all.

        Returns
        -------
        RankedTable
            rank, id, score, probability, reasons, and the row's own columns.
        """
        frame = read_frame(table)
        top = len(frame) if top is None else check_count(top, "top")
        scored = self.score(frame)
        ranking = make_ranking(frame, scored, self.roles, top)
        shown = len(ranking) if reasons is None else check_count(reasons, "reasons", 0)
        rows = scored.order[: min(shown, len(ranking))]
        if len(rows):
            listed = list_reasons(self.explain_rows(scored.X.iloc[rows]), frame.iloc[rows])
            ranking.loc[: len(rows) - 1, "reasons"] = [str(one) for one in listed]
        ranking.summary = say_what_was_ranked(
            self, scored, len(ranking), name_row_labels(frame)
        )
        return ranking

    def explain(self, table: Any, row: Any) -> RowReasons:
        """Say what each column adds to the score of one row.

        Parameters
        ----------
        table : data frame or path
            With the columns of training.
        row : object
            The id of the row, or without an id column its number from 1.
        """
        frame = read_frame(table)
        places = self.roles.find_row(frame, row)
        scored = self.score(frame, places)
        found = list_reasons(self.explain_rows(scored.X), frame.iloc[places], n_reasons=None)[0]
        shift = float(scored.shift[0])
        return replace(
            found,
            base=found.base + shift,
            model_score=found.model_score + shift,
            id=str(row),
            score=float(scored.scores[0]),
            probability=float(scored.probability[0]),
        )

    def diagnose(
        self,
        *,
        prior: Any = None,
        label_frequency: Beta | None = None,
        k: Any = None,
        rivals: Mapping[str, Any] | None = None,
        rate: float = 1.0,
        level: float = 0.9,
        n_jobs: int | None = None,
    ) -> Diagnosis:
        """Say what is known of this model without negatives, by its blind scores.

        Parameters
        ----------
        prior : float, pair of floats, estimate or None, default=None
            The share of positives in the table, for expected finds and what hangs on it; None
            is what the model knows of it.
        label_frequency : Beta or None, default=None
            A belief to estimate it with, as in `prior_estimate`; not beside a prior.
        k : int, sequence of int or None, default=None
            Lengths of the list; None is those of 50, 100 and 200 that fit.
        rivals : dict of str to array, or None, default=None
            Other scores by name, such as the desk's own, one for each row of the table that was
            learned from.
        rate : float, default=1.0
            Finds that ten further rows must promise to be worth a review.
        level : float, default=0.9
            Level of the intervals.
        n_jobs : int or None, default=None
            Threads.
        """
        prior = None if isinstance(prior, str) and prior == "auto" else prior
        if label_frequency is not None:
            check_belief(label_frequency, prior)
        rows = self.training.first_table()
        if prior is None:
            asked = self.prior_estimate(label_frequency=label_frequency)
            prior = self.prior if asked is None else asked
        found = diagnose(
            rows.X,
            rows.first,
            # Once labels have led to finds, labeled rows are no longer scored without them.
            scores=rows.first_scores,
            prior=prior,
            groups=rows.groups,
            k=k,
            rivals=rivals,
            rate=rate,
            level=level,
            random_state=self.random_state,
            n_jobs=n_jobs,
        )
        curve = self.review_curve(prior=found.prior, level=level)
        if curve is None or not rows.is_reviewed:
            return found
        cuts = sorted({min(one.k, len(curve)) for one in found.finds})
        finds = tuple(curve.expect(cut) for cut in cuts)
        return replace(found, curve=curve, finds=finds, sensitivity=None)

    def review_curve(self, *, prior: Any = None, level: float = 0.9) -> ReviewCurve | None:
        """Return the positives to expect along the list of the table of training.

        Probabilities of this list are those of the curve. None where nothing was labeled
        before any review, or nothing is left to review.

        Parameters
        ----------
        prior : float, pair of floats, estimate or None, default=None
            The share of positives in the table; None is what the model knows of it.
        level : float, default=0.9
            Level of the bands.
        """
        rows = self.training.first_table()
        prior = self.known_prior() if prior is None else prior
        learned = prior is not None and has_probabilities(self.estimator)
        if not learned or not (rows.first == 1).any() or not (rows.y == 0).any():
            return None
        return review_curve(rows.y, rows.scores, prior, y_first=rows.first, level=level)

    def feedback(
        self,
        reviewed: Any,
        *,
        verdict: str | None = None,
        positive: str | None = None,
        negative: str | None = None,
        n_jobs: int | None = None,
    ) -> "TableModel":
        """Return a model that has learned from reviews.

        Parameters
        ----------
        reviewed : data frame or path
            Rows as `rank` gave them, or of any table with the columns of training, and a column
            of verdicts, at least one of which is new. Rows that were not in training are added.
        verdict : str or None, default=None
            That column; None is "verdict", or else the label column.
        positive, negative : str or None, default=None
            Its values; None takes 1, true, yes, confirmed and -1, no, cleared. Blank is
            undecided.
        n_jobs : int or None, default=None
            Threads of the fit.
        """
        from lopsided.workflow.feedback import learn_from_reviews

        frame = read_frame(reviewed)
        return learn_from_reviews(self, frame, verdict, positive, negative, n_jobs)

    def report(self, table: Any, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write a page on this model and its ranking of a table; return its path.

        Parameters
        ----------
        table : data frame or path
            What to rank: the table of training, or one with its columns.
        path : path
            The HTML file, new or an older page.
        **options
            The page's `title`, the `source` of the table, `n_jobs`, and as `rivals` the names
            of columns that hold other scores, such as the desk's own, to compare with.
        """
        from lopsided.workflow.report import write_table_report

        return write_table_report(self, table, path, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; see `lopsided.save`."""
        save(self, path)

    def to_parts(self) -> dict[str, Any]:
        """Return what a model file holds."""
        return to_parts(self)

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> "TableModel":
        """Return the model that `to_parts` gave."""
        return cls(**from_parts(parts))

    def score(self, frame: Any, rows: Any = None) -> Scored:
        """Return clean rows with scores, blind ones where they were trained on, and labels.

        Parameters
        ----------
        frame : DataFrame
            A table with the columns of training.
        rows : array of int or None, default=None
            The places of rows to return, as they are in the whole table; None is all.
        """
        X = self.cleaner.transform(self.roles.features(frame))
        ids = self.roles.ids(frame)
        y = self.roles.labels(frame, need_labeled=False)
        places = self.training.find(X, ids, y)
        known = places >= 0
        y[known] = np.where(y[known] == 0, self.training.y[places[known]], y[known])
        has_labeled = bool((y == 1).any())
        if rows is not None:
            X, ids, y = X.iloc[rows], ids.iloc[rows], y[rows]
            places, known = places[rows], known[rows]
        scores = np.empty(len(X))
        scores[known] = self.training.scores[places[known]]
        if not known.all():
            scores[~known] = self.estimator.decision_function(X[~known])
        if self.calibration is not None:
            scores = self.calibration.transform(scores)
        # In a table where some are labeled, being unlabeled tells something.
        new = (y == 0) & ~known & has_labeled
        shift = np.where(new, self.log_hidden(), 0.0) if new.any() else np.zeros(len(X))
        listed = known & (y == 0)
        if listed.any() and (curve := self.review_curve()) is not None:
            log_odds = np.full(len(self.training), np.nan)
            log_odds[self.training.y == 0] = curve.log_odds
            shift[listed] = log_odds[places[listed]] - scores[listed]
        return Scored(X, ids, y, scores + shift, self._as_proba(scores + shift), known, shift)

    def blind_proba(self) -> NDArray[np.float64]:
        """Return the probability of training rows to be positive, by their blind scores."""
        scores = self.training.scores
        if self.calibration is not None:
            scores = self.calibration.transform(scores)
        return self._as_proba(scores)

    def _as_proba(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what log-odds stand for; NaN where scores are none."""
        if not has_probabilities(self.estimator):
            return np.full(len(scores), np.nan)
        return np.asarray(sigmoid(scores))

    def explain_rows(self, X: Any) -> Explanation:
        """Return what each column of the table adds to scores.

        Parameters
        ----------
        X : DataFrame
            Clean rows, as `score` gives them.
        """
        found = explain_columns(self.estimator, self.cleaner, X, self.calibration)
        return found.centered(self.typical)


def load_table_model(path: str | os.PathLike[str]) -> TableModel:
    """Return the model of a file that `TableModel.save` wrote."""
    model = load(path)
    if not isinstance(model, TableModel):
        raise ValueError(
            f"{path} must hold the model of a table, got {type(model).__name__}. Give a file "
            "that lopsided fit or TableModel.save wrote."
        )
    return model
