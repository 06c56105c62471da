"""What happened in each round of reviews."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.review.batch import Batch
from lopsided.review.evidence import Audit

__all__ = ["Round", "list_audits", "to_frame"]

_SHOWN = 18  # the fields that a history shows


@dataclass
class Round:
    """A batch, its verdicts, and what was expected of it."""

    round: int
    queried: int = 0
    top: int = 0
    uncertain: int = 0
    audit: int = 0
    other: int = 0  # verdicts on rows that were not in the batch
    positives: int = 0
    negatives: int = 0
    undecided: int = 0
    expected: float = np.nan
    expected_low: float = np.nan
    expected_high: float = np.nan
    inside: bool | None = None  # None until the whole batch is decided
    prior: float = np.nan
    prior_low: float = np.nan
    prior_high: float = np.nan
    hidden_left: float = np.nan
    n_unlabeled: int = 0
    n_known: int = 0  # positives, when the round began
    n_pool: int = 0  # rows that the audit was drawn from
    n_top_decided: int = 0
    n_audited: int = 0
    n_audited_positive: int = 0
    n_decided: int = 0  # of the batch

    @classmethod
    def start(cls, number: int, y: NDArray[np.int8], batch: Batch | None) -> "Round":
        """Return a round that nobody has given a verdict in."""
        left, known = int((y == 0).sum()), int((y == 1).sum())
        new = cls(number, n_unlabeled=left, n_known=known)
        if batch is None:
            return new
        for name, count in batch.count().items():
            setattr(new, name, count)
        new.queried, new.n_pool = len(batch), left - len(batch) + new.audit
        band, prior = batch.expected, batch.prior
        new.expected, new.expected_low, new.expected_high = band.value, band.low, band.high
        new.prior, new.prior_low, new.prior_high = prior.value, prior.low, prior.high
        new.hidden_left = prior.value * len(y) - known
        return new

    def count(self, why: NDArray[Any], verdicts: NDArray[np.int8]) -> None:
        """Add verdicts on rows that were in the batch for a reason, or for none ("other")."""
        decided, found = verdicts != 0, verdicts == 1
        self.positives += int(found.sum())
        self.negatives += int((verdicts == -1).sum())
        self.undecided += int((~decided).sum())
        self.other += int((why == "other").sum())
        self.n_decided += int((decided & (why != "other")).sum())
        self.n_top_decided += int((decided & (why == "top")).sum())
        self.n_audited += int((decided & (why == "audit")).sum())
        self.n_audited_positive += int((found & (why == "audit")).sum())
        if self.queried and self.n_decided == self.queried and not self.other:
            self.inside = bool(self.expected_low <= self.positives <= self.expected_high)

    @property
    def top_share(self) -> float:
        """The share of its top rows that were decided."""
        return self.n_top_decided / self.top if self.top else 0.0


def list_audits(rounds: Sequence[Round]) -> list[Audit]:
    """Return what each round's audit found."""
    return [
        Audit(
            one.n_pool,
            one.n_known + one.positives - one.n_audited_positive,
            one.n_audited,
            one.n_audited_positive,
        )
        for one in rounds
        if one.n_audited
    ]


def to_frame(rounds: Sequence[Round]) -> Any:
    """Return a data frame with a line for each round."""
    import pandas as pd

    names = [field.name for field in fields(Round)][:_SHOWN]
    return pd.DataFrame([asdict(one) for one in rounds], columns=names)
