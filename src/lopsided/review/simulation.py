"""Reviews of a table whose truth is known: what a policy would have found."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import best_first
from lopsided._validation import check_count, check_truth
from lopsided.review.loop import ReviewLoop

__all__ = ["Simulation", "simulate_reviews"]


@dataclass(frozen=True, eq=False)
class Simulation:
    """What reviews would have found.

    Attributes
    ----------
    rows : ndarray of shape (n_reviewed,)
        The rows reviewed, in order.
    round : ndarray of shape (n_reviewed,)
        The round of each, from 1.
    found : ndarray of shape (n_reviewed,)
        Whether each was positive.
    loop : ReviewLoop
        The loop after the last verdict.
    first_list : ndarray of shape (n_unlabeled,)
        The unlabeled rows as the first model ordered them, the best first.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import simulate_reviews
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y_true = (X[:, 0] > 1.3).astype(int)
    >>> y = y_true * (rng.random(400) < 0.4)
    >>> print(simulate_reviews(X, y_true, y, "top", 20, 10, "naive-logistic"))
    18 positives found in 20 reviews, by round: 10, 8.
    """

    rows: NDArray[np.intp]
    round: NDArray[np.int64]
    found: NDArray[np.bool_]
    loop: ReviewLoop
    first_list: NDArray[np.intp]

    @property
    def finds(self) -> NDArray[np.int64]:
        """Positives found in each round."""
        return np.bincount(self.round[self.found], minlength=self.round.max() + 1)[1:]

    @property
    def history(self) -> Any:
        """The history of the loop."""
        return self.loop.history

    def __str__(self) -> str:
        parts = ", ".join(map(str, self.finds))
        return (
            f"{int(self.found.sum())} positives found in {len(self.rows)} reviews, by round: "
            f"{parts}."
        )

    __repr__ = __str__


def simulate_reviews(
    X: Any,
    y_true: Any,
    y: Any,
    policy: str = "top",
    budget: int = 150,
    batch_size: int = 50,
    method: Any = "focused",
    **settings: Any,
) -> Simulation:
    """Review a table whose truth is known, with verdicts that are never wrong.

    With `batch_size=budget` all rows come from the first list.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y_true : array of shape (n_rows,)
        1 = positive, 0 = negative.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
    policy : {"top", "top-audit", "mixed"}, default="top"
        The strategy of the `ReviewLoop`.
    budget : int, default=150
        Rows to review in all.
    batch_size : int, default=50
        Rows in each round.
    method : str or estimator, default="focused"
        What ranks the rows.
    **settings
        Others of `ReviewLoop`.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y_true = (X[:, 0] > 1.3).astype(int)
    >>> y = y_true * (rng.random(400) < 0.4)
    >>> done = simulate_reviews(X, y_true, y, "top", 20, 10, "naive-logistic")
    >>> bool(done.found.sum() > 15)
    True
    """
    truth, left = check_truth(y_true), check_count(budget, "budget")
    check_count(batch_size, "batch_size")
    loop = ReviewLoop(X, y, method, strategy=policy, **settings)
    if len(truth) != len(loop.y) or (truth[loop.y == 1] == 0).any():
        raise ValueError(
            f"y_true must be the truth of {len(loop.y)} rows, every labeled one positive, got "
            f"{len(truth)} rows or others. Pass the truth of the same rows."
        )
    rows, rounds = [], []
    unlabeled = np.flatnonzero(loop.y == 0)
    first_list = unlabeled[best_first(loop.scores_[unlabeled])]
    while left > 0 and (loop.y == 0).any():
        batch = loop.query(min(batch_size, left))
        loop.teach(batch.rows, 2 * truth[batch.rows] - 1)
        rows.append(batch.rows)
        rounds.append(np.full(len(batch), batch.round))
        left -= len(batch)
    order = np.concatenate(rows)
    return Simulation(order, np.concatenate(rounds), truth[order] == 1, loop, first_list)
