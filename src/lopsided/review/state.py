"""What verdicts have told so far: all of a review loop but its table and its model."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.priors import PriorEstimate
from lopsided.priors.belief import Beta
from lopsided.review.batch import Batch
from lopsided.review.evidence import estimate_prior_after_reviews
from lopsided.review.record import Round, list_audits

__all__ = ["ReviewState"]

_ARRAYS = ("ids", "y", "first", "reached", "top", "first_scores", "rests_until")


@dataclass
class ReviewState:
    """Labels, rounds, and which rows reviews have reached."""

    ids: NDArray[Any]
    y: NDArray[np.int8]
    first: NDArray[np.int8]  # the labels before any review
    reached: NDArray[np.float64]  # the chance to have stood in a top that was reviewed
    top: NDArray[np.float64]  # the chance to stand in the top of the last batch
    first_scores: NDArray[np.float64]  # of the model before any review; none yet where empty
    rests_until: NDArray[np.int64]  # the round before which an undecided row is not proposed
    rounds: list[Round] = field(default_factory=list)
    batch: Batch | None = None

    @classmethod
    def start(cls, y: NDArray[np.int8], ids: NDArray[Any]) -> "ReviewState":
        """Return the state before any review."""
        none = np.zeros(len(y))
        rests = np.zeros(len(y), dtype=np.int64)
        return cls(ids, y.copy(), y.copy(), none, none.copy(), np.zeros(0), rests)

    @property
    def next_round(self) -> int:
        """The number of the next batch."""
        return len(self.rounds) + 1

    @property
    def listed(self) -> NDArray[np.bool_]:
        """Which rows may be proposed; those that rest too, if there are no others."""
        awake = (self.y == 0) & (self.rests_until < self.next_round)
        return awake if awake.any() else self.y == 0

    def propose(self, batch: Batch, top: NDArray[np.float64]) -> None:
        """Take note of a batch, in place of one without a verdict."""
        self.batch, self.top = batch, top

    def take(self, rows: NDArray[np.intp], verdicts: NDArray[np.int8]) -> None:
        """Take verdicts on rows that are not decided."""
        current = self._open_round()
        before = current.top_share
        current.count(self._find_why(rows), verdicts)
        # A top of which a part is decided has reached its rows in part.
        missed = (1 - current.top_share * self.top) / np.maximum(1 - before * self.top, 1e-12)
        self.reached = 1 - (1 - self.reached) * np.minimum(missed, 1.0)
        self.rests_until[rows[verdicts == 0]] = current.round + 1
        self.y[rows] = verdicts

    def _open_round(self) -> Round:
        """Return the round that verdicts belong to, a new one after each batch."""
        number = self.next_round if self.batch is None else self.batch.round
        if number == self.next_round:
            self.rounds.append(Round.start(number, self.y, self.batch))
        return self.rounds[-1]

    def _find_why(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return why each row was proposed, "other" where it was not."""
        why = np.full(len(self.y), "other", dtype=object)
        if self.batch is not None:
            why[self.batch.rows] = self.batch.why
        return why[rows]

    def estimate_prior(self, belief: Beta | None, level: float) -> PriorEstimate:
        """Return the share of positives by the scores of the first model and all verdicts."""
        return estimate_prior_after_reviews(
            np.maximum(self.first, 0),
            self.y,
            self.first_scores,
            audits=list_audits(self.rounds),
            label_frequency=belief,
            level=level,
        )

    def propensity(self) -> NDArray[np.float64]:
        """Return the chance of each row to have been reviewed, as one of the top or drawn."""
        drawn = [one.n_reviewed / one.n_pool for one in list_audits(self.rounds)]
        return 1 - (1 - self.reached) * np.prod(1 - np.array(drawn))

    def to_saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what JSON can hold, and arrays."""
        told = {
            "rounds": [asdict(one) for one in self.rounds],
            "batch": None if self.batch is None else self.batch.to_dict(),
        }
        return told, {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def from_saved(cls, told: dict[str, Any], arrays: dict[str, Any]) -> "ReviewState":
        """Return the state that `to_saved` gave."""
        rounds = [Round(**one) for one in told["rounds"]]
        batch = told["batch"] and Batch.from_dict(told["batch"], arrays["ids"])
        return cls(**{name: arrays[name] for name in _ARRAYS}, rounds=rounds, batch=batch)
