"""The review loop: propose rows, take verdicts, learn from them, and know when to stop."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import sigmoid
from lopsided._validation import check_choice, check_count, check_labels, check_share
from lopsided.diagnostics import ReviewCurve, review_curve
from lopsided.model_selection.out_of_fold import as_rows
from lopsided.priors import PriorEstimate
from lopsided.priors.belief import Beta
from lopsided.review.batch import STRATEGIES, Batch, choose_rows
from lopsided.review.file import (
    DAMAGES,
    another_file,
    check_table,
    fingerprint,
    read_state,
    write_state,
)
from lopsided.review.propensity import review_weights, stands_in_first
from lopsided.review.record import to_frame
from lopsided.review.scoring import Scorer
from lopsided.review.state import ReviewState
from lopsided.review.verdicts import check_ids, check_verdicts, find_rows, open_frame

__all__ = ["ReviewLoop"]

_STEP = 10  # rows that a stop is judged by
_LEVEL = 0.9  # of bands and intervals
_AT_MOST = "That is at most: the prior is not known yet, and verdicts will tell more of it."
_SETTINGS = ("strategy", "audit", "bias_weights", "random_state")


class ReviewLoop:
    """Reviews in rounds: rows are proposed, reviewers decide, the model learns from them.

    `query` proposes the next rows to review, `teach` takes verdicts: 1 = positive, -1 =
    negative, 0 = undecided. Decided rows become labeled rows and reviewed negatives of the next
    model and are never proposed again; an undecided row rests for a round.

    A model is fitted when something asks for it after new verdicts: the next `query`, or
    `model_`, `scores_`, `advice`. Every fit has the same seeds and folds, so that ranks move
    because of verdicts and not of luck. All scores are blind: out-of-bag, or out-of-fold.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table, all rows that may be reviewed and those that are labeled.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative. Estimates take the labeled
        ones to be a random sample of the positives (SCAR).
    method : str or estimator, default="focused"
        A name of the registry, or an estimator that is cloned for every fit.
    strategy : {"top", "top-audit", "mixed"}, default="top"
        The best rows; the best but for a share drawn at random, which keeps the prior and the
        probabilities honest; the best but for a fifth whose probability is nearest to 1/2.
    audit : float, default=0.1
        The share of rows drawn at random by "top-audit".
    bias_weights : bool, default=False
        Whether to undo the choice of the rows by weights, see `review_weights`.
    ids : array of shape (n_rows,) or None, default=None
        Names of the rows, numbers or texts, none twice; None is their positions.
    label_frequency : Beta or None, default=None
        The belief on the share of positives that are labeled in `y`, see `estimate_prior`; the
        loop asks for no prior of `method`.
    random_state : int, default=0
        Seed of the fits and of what is drawn at random.
    n_jobs : int or None, default=None
        Threads of each fit, where `method` is a name.

    Attributes
    ----------
    y : ndarray of shape (n_rows,)
        The labels as they are now.
    model_ : estimator
        The last model.
    scores_ : ndarray of shape (n_rows,)
        Its blind scores.
    probability_ : ndarray of shape (n_rows,)
        The chance of each row to be positive, calibrated on the first labels.
    prior_ : PriorEstimate
        The share of positives with an interval: `estimate_prior_after_reviews` by the scores of
        the first model and all verdicts.
    history : DataFrame
        A line for each round: rows queried and why, verdicts, the finds that were expected
        and whether the band held them, and the prior when the round began.

    Examples
    --------
    >>> from lopsided.datasets import load
    >>> from lopsided.labeling import SCAR
    >>> data = load("digits-8")
    >>> y = SCAR(hidden=0.75).draw(data.X, data.y_true, rng=0)
    >>> loop = ReviewLoop(data.X, y, "focused-fast")
    >>> batch = loop.query(20)
    >>> loop.teach(batch.rows, 2 * data.y_true[batch.rows] - 1)
    >>> int((loop.y == 0).sum()), len(loop.history)
    (1734, 1)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        method: Any = "focused",
        *,
        strategy: str = "top",
        audit: float = 0.1,
        bias_weights: bool = False,
        ids: Any = None,
        label_frequency: Beta | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        labels = check_labels(y, keep_reviewed=True)
        self._X = as_rows(X, labels).X
        self.strategy = check_choice(strategy, STRATEGIES, "strategy")
        self.audit = check_share(audit, "audit")
        self.bias_weights, self.label_frequency = bool(bias_weights), label_frequency
        self.method, self.random_state = method, check_count(random_state, "random_state", 0)
        self._state = ReviewState.start(labels, check_ids(ids, len(labels)))
        self._scorer = Scorer.make(method, labels, self.random_state, n_jobs)
        self._stale = True
        self._scores: NDArray[np.float64] | None = None

    @property
    def y(self) -> NDArray[np.int8]:
        """The labels as they are now; `teach` alone can change them."""
        labels = self._state.y.view()
        labels.flags.writeable = False
        return labels

    @property
    def ids(self) -> NDArray[Any]:
        """The names of the rows."""
        return self._state.ids

    @property
    def model_(self) -> Any:
        """The model of all labels so far."""
        self._refit()
        return self._model

    @property
    def scores_(self) -> NDArray[np.float64]:
        """Blind scores of all rows."""
        return self._refit()

    @property
    def prior_(self) -> PriorEstimate:
        """The share of positives, with its interval."""
        if not len(self._state.first_scores):
            self._refit()
        return self._state.estimate_prior(self.label_frequency, _LEVEL)

    @property
    def probability_(self) -> NDArray[np.float64]:
        """The chance of each row to be positive; what is decided has 1 or 0.

        Those of unlabeled rows add up to the hidden positives of `prior_`.
        """
        proba = np.maximum(self.y, 0).astype(float)
        if (self.y == 0).any():
            proba[self.y == 0] = sigmoid(self._curve(self.prior_).log_odds)
        return proba

    @property
    def history(self) -> Any:
        """A data frame with a line for each round."""
        return to_frame(self._state.rounds)

    def __repr__(self) -> str:
        left, known = int((self.y == 0).sum()), int((self.y == 1).sum())
        return f"ReviewLoop({len(self.y)} rows, {known} positives known, {left} unlabeled)"

    def query(self, k: int = 50) -> Batch:
        """Propose the next rows to review.

        Asked again before any verdict, it proposes the same rows.

        Parameters
        ----------
        k : int, default=50
            How many; fewer come where fewer are left.

        Returns
        -------
        Batch
        """
        check_count(k, "k")
        number, listed = self._state.next_round, self._state.listed
        if not listed.any():
            raise ValueError(
                f"There must be unlabeled rows to propose, got {len(self.y)} rows that are all "
                "decided. Stop here, or begin with a new table."
            )
        scores, curve = self._refit(), self._curve(self.prior_)
        unlabeled = np.flatnonzero(self.y == 0)
        probability = np.zeros(len(self.y))
        probability[unlabeled] = sigmoid(curve.log_odds)
        rows, why = choose_rows(
            self.strategy,
            min(k, int(listed.sum())),
            np.flatnonzero(listed),
            scores,
            probability,
            self.audit,
            np.random.default_rng([self.random_state, 2, number]),
        )
        expected = curve.expect_rows(np.searchsorted(unlabeled, rows))
        batch = Batch(
            rows,
            self.ids[rows],
            scores[rows],
            probability[rows],
            why,
            expected,
            self.prior_,
            number,
        )
        n_top = int((why == "top").sum())
        self._state.propose(batch, stands_in_first(scores, listed, n_top))
        return batch

    def teach(self, rows: Any = None, verdicts: Any = None, *, ids: Any = None) -> None:
        """Take verdicts on rows, of the last batch or others.

        A batch may be answered in parts; the next `query` ends its round.

        Parameters
        ----------
        rows : array of int or data frame
            Positions of the rows, such as `batch.rows`; or the frame of `batch.to_frame()` with
            a column "verdict", which knows its rows.
        verdicts : array
            1, "confirmed" or "yes" = positive, -1, "cleared" or "no" = negative, 0 or missing =
            undecided.
        ids : array
            The ids of the rows, instead of `rows`.
        """
        if hasattr(rows, "columns") and verdicts is None and ids is None:
            named, verdicts = open_frame(rows)
            rows, ids = named.get("rows"), named.get("ids")
        places = find_rows(rows, ids, self.ids)
        given = check_verdicts(verdicts, places, self.y, self.ids)
        if not len(self._state.first_scores):
            self._refit()  # the first model must not know verdicts
        self._state.take(places, given)
        self._stale = self._stale or bool((given != 0).any())

    def should_stop(self, rate: float = 1.0) -> bool:
        """Say whether the next 10 rows promise fewer finds than `rate`.

        While the table does not identify the prior, they promise what its upper end does.

        Parameters
        ----------
        rate : float, default=1.0
            The least number of finds that 10 rows are worth.
        """
        return not (self.y == 0).any() or self._cautious_curve().stop_at(rate) == 0

    def advice(self, rate: float = 1.0) -> str:
        """Say in a sentence how much further to review; parameters as in `should_stop`."""
        if not (self.y == 0).any():
            return "All rows are decided: there is nothing left to review."
        said = self._cautious_curve().describe(rate)
        return said if self.prior_.identified else f"{said} {_AT_MOST}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write labels, settings and history to one file, whole or not at all.

        Neither the table nor the model is in it: `load` takes the one, and the next `query`
        fits the other again.

        Parameters
        ----------
        path : str or path
            The file.
        """
        belief = self.label_frequency
        told, arrays = self._state.to_saved()
        settings = {
            **{name: getattr(self, name) for name in _SETTINGS},
            "method": self.method if isinstance(self.method, str) else None,
            "label_frequency": None if belief is None else [belief.a, belief.b],
            "table": fingerprint(self._X),
            "state": told,
        }
        write_state(path, settings, arrays)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        X: Any,
        *,
        method: Any = None,
        n_jobs: int | None = None,
    ) -> "ReviewLoop":
        """Return a loop that was saved, with its table.

        Parameters
        ----------
        path : str or path
            The file.
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The same table.
        method : str, estimator or None, default=None
            None is the method by its saved name; an estimator has to be given again.
        n_jobs : int or None, default=None
            Threads of each fit.
        """
        settings, arrays = read_state(path)
        try:
            saved_method, belief = settings["method"], settings["label_frequency"]
            given = {name: settings[name] for name in _SETTINGS}
            state, table = (
                ReviewState.from_saved(settings["state"], arrays),
                settings["table"],
            )
        except DAMAGES:
            raise another_file(path) from None
        if method is None and saved_method is None:
            raise ValueError(
                f"{path} was saved with an estimator, which is not in it, got no method. Pass "
                "the same one as method=..."
            )
        check_table(X, len(state.y), table, path)
        loop = cls(
            X,
            state.first,
            saved_method if method is None else method,
            **given,
            label_frequency=None if belief is None else Beta(*belief),
            n_jobs=n_jobs,
        )
        loop._state = state
        return loop

    def _refit(self) -> NDArray[np.float64]:
        """Return blind scores by the labels of now, made once after verdicts came."""
        state = self._state
        if self._scores is not None and (state.y != 0).all():
            return self._scores  # nothing is left to rank
        if self._scores is None or self._stale:
            prior = self.prior_.value if state.rounds else None  # at first the method's own
            weights = self._weigh(prior)
            self._model, self._scores = self._scorer.fit(self._X, state.y, prior, weights)
            self._stale = False
            if not len(state.first_scores):
                state.first_scores = self._scores
        return self._scores

    def _weigh(self, prior: float | None) -> NDArray[np.float64] | None:
        """Return the weights of a fit."""
        state = self._state
        if not self.bias_weights or prior is None:
            return None
        frequency = min(float((state.first == 1).mean()) / prior, 1.0)
        return review_weights(state.y, state.propensity(), label_frequency=frequency)

    def _curve(self, prior: Any) -> ReviewCurve:
        """Return the positives to expect along the list of rows that are left."""
        scores, state = self._refit(), self._state
        return review_curve(state.y, scores, prior, y_first=state.first, level=_LEVEL)

    def _cautious_curve(self) -> ReviewCurve:
        """Return the curve that stops are judged by: at most what an unknown prior allows."""
        prior = self.prior_
        return self._curve(prior if prior.identified else prior.high)
