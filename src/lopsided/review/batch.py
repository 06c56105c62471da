"""The next rows to review, and which ones these are."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import best_first
from lopsided.diagnostics import ExpectedFinds
from lopsided.priors import PriorEstimate

__all__ = ["STRATEGIES", "Batch", "choose_rows"]

STRATEGIES = ("top", "top-audit", "mixed")
WHYS = ("top", "uncertain", "audit")
_UNCERTAIN_SHARE = 0.2  # of a mixed batch


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows to review, the best first.

    Attributes
    ----------
    rows : ndarray of shape (n_queried,)
        Their positions in the table.
    ids : ndarray of shape (n_queried,)
        Their ids, or the positions again.
    scores, probability : ndarray of shape (n_queried,)
        Blind scores, and the chance to be positive that they stand for.
    why : ndarray of shape (n_queried,)
        What each was chosen for: "top", "uncertain" or "audit".
    expected : ExpectedFinds
        How many positives to expect among them, with a band.
    prior : PriorEstimate
        The share of positives in the table, as the verdicts before have it.
    round : int
        The number of the batch, from 1.

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = ((X[:, 0] > 1.3) & (rng.random(400) < 0.4)).astype(int)
    >>> batch = lopsided.ReviewLoop(X, y, "naive-logistic", random_state=0).query(10)
    >>> batch.rows[:3], batch.round
    (array([135, 382, 212]), 1)
    >>> batch.to_frame().columns.tolist()
    ['id', 'row', 'score', 'probability', 'why']
    """

    rows: NDArray[np.intp]
    ids: NDArray[Any]
    scores: NDArray[np.float64]
    probability: NDArray[np.float64]
    why: NDArray[np.str_]
    expected: ExpectedFinds
    prior: PriorEstimate
    round: int

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> Any:
        """Return the rows as a data frame, one line each."""
        import pandas as pd

        return pd.DataFrame(
            {
                "id": self.ids,
                "row": self.rows,
                "score": self.scores,
                "probability": self.probability,
                "why": self.why,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all but the ids as numbers and texts that JSON can hold."""
        arrays = ("rows", "scores", "probability", "why")
        return {
            **{name: getattr(self, name).tolist() for name in arrays},
            "expected": asdict(self.expected),
            "prior": asdict(self.prior),
            "round": self.round,
        }

    @classmethod
    def from_dict(cls, saved: dict[str, Any], ids: NDArray[Any]) -> "Batch":
        """Return the batch that `to_dict` gave, with the ids of the table."""
        rows = np.array(saved["rows"], dtype=np.intp)
        return cls(
            rows,
            ids[rows],
            np.array(saved["scores"], dtype=float),
            np.array(saved["probability"], dtype=float),
            np.array(saved["why"], dtype=np.str_),
            ExpectedFinds(**saved["expected"]),
            PriorEstimate(**saved["prior"]),
            saved["round"],
        )

    def count(self) -> dict[str, int]:
        """Return how many rows were chosen for each reason."""
        return {why: int((self.why == why).sum()) for why in WHYS}

    def __str__(self) -> str:
        kinds = {"top": "best", "uncertain": "uncertain", "audit": "drawn at random"}
        parts = [f"{n} {kinds[why]}" for why, n in self.count().items() if n]
        band = self.expected
        return (
            f"Round {self.round}: {len(self)} rows to review ({', '.join(parts)}), about "
            f"{band.value:.0f} positives among them ({100 * band.level:.0f} % band {band.low} "
            f"to {band.high})."
        )

    __repr__ = __str__


def choose_rows(
    strategy: str,
    k: int,
    candidates: NDArray[np.intp],
    scores: NDArray[np.float64],
    probability: NDArray[np.float64],
    audit: float,
    rng: np.random.Generator,
) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    """Return positions of the rows to review next, and why each is among them."""
    ordered = candidates[best_first(scores[candidates])]
    share = {"top": 0.0, "top-audit": audit, "mixed": _UNCERTAIN_SHARE}[strategy]
    n_other = min(k, int(np.ceil(share * k))) if share else 0
    top, rest = ordered[: k - n_other], ordered[k - n_other :]
    if strategy == "mixed":
        near = best_first(-np.abs(probability[rest] - 0.5))[:n_other]
        other, why = rest[np.sort(near)], "uncertain"
    else:
        # By row, not by rank: near ties that change places must not change the whole sample.
        shuffled = rng.permutation(candidates)
        other, why = shuffled[np.isin(shuffled, rest)][:n_other], "audit"
    return np.r_[top, other], np.repeat(["top", why], [len(top), len(other)])
