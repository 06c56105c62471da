"""TIcE: the largest lower bound of the label frequency over the leaves of a tree."""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import Params, check_count

__all__ = ["TIcEPrior"]

_N_LEVELS = 5  # of quarters, where the scores are the only column: down to one row in 1,024


@dataclass
class TIcEPrior(Params):
    r"""Tree induction for the label frequency: the best lower bound over subsets of rows.

    In a subset of T rows of which L are labeled the share L / T is at most c but for chance, so
    that

    .. math:: \frac{L}{T} - \sqrt{\frac{c (1 - c) (1 - \delta)}{\delta T}}, \quad
        \delta = \max(0.025, 1 / (1 + 0.004 T)),

    is below c most of the time, and near it where the subset is large and pure. A fifth of
    the rows grows a tree, best node first, that looks for such subsets; the others judge them.
    The largest bound, averaged over five folds, takes the place of c, and the search is done
    once more. Columns are cut at their quartiles, each once on a path; without columns the
    ranks of the scores are cut into quarters of quarters.

    Subsets are judged by rows that did not choose them; the published code judges them by the
    rows that grew the tree. With few labeled rows the bound is far below c, the prior too high.

    Parameters
    ----------
    n_folds : int, default=5
        How many times a part of the rows grows the tree.
    max_splits : int, default=500
        Nodes that are split at most.
    max_rows : int, default=20000
        A larger table is thinned out to so many rows.

    References
    ----------
    Bekker, Davis: Estimating the class prior in positive and unlabeled data through decision
    tree induction. AAAI 2018.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [3000, 7000])
    >>> y = y_true * (rng.random(10_000) < 0.5)
    >>> prior = TIcEPrior().estimate(y_true + rng.normal(0, 0.1, 10_000), y, rng)
    >>> 0.28 < prior < 0.45
    True
    """

    n_folds: int = 5
    max_splits: int = 500
    max_rows: int = 20_000

    def check(self) -> None:
        """Refuse settings that are none."""
        for name, least in (("n_folds", 2), ("max_splits", 1), ("max_rows", 2)):
            check_count(getattr(self, name), name, least)

    def estimate(
        self,
        scores: Any,
        y: Any,
        rng: np.random.Generator,
        X: Any = None,
        weight: Any = None,
    ) -> float:
        """Return the prior; see `PriorEstimator`. Weights are not used."""
        self.check()
        labels = np.asarray(y)
        share = float(labels.mean())
        columns = _quarter_ranks(scores) if X is None else _quarter_columns(X)
        if len(labels) > self.max_rows:
            kept = rng.choice(len(labels), self.max_rows, replace=False)
            columns, labels = columns[kept], labels[kept]
        fold = rng.permutation(len(labels)) % self.n_folds
        frequency = 0.5
        for _ in range(2):
            bounds = [
                self._search(columns, labels, fold == one, frequency)
                for one in range(self.n_folds)
            ]
            frequency = float(np.clip(np.mean(bounds), share, 1.0))
        return min(share / frequency, 1.0)

    def _search(
        self,
        columns: NDArray[np.uint8],
        labels: NDArray[Any],
        grows: NDArray[np.bool_],
        frequency: float,
    ) -> float:
        """Return the largest lower bound among the nodes of one tree."""
        judges = ~grows
        delta = max(0.025, 1 / (1 + 0.004 * judges.sum()))
        spread = frequency * (1 - frequency) * (1 - delta) / delta
        best = float(labels[judges].mean())
        rows = np.flatnonzero(grows), np.flatnonzero(judges)
        queue: list[Any] = [(0.0, 0, *rows, np.ones(columns.shape[1], bool))]
        n_nodes = 1
        for _ in range(self.max_splits):
            if not queue:
                break
            _, _, grown, judged, free = heappop(queue)
            attribute = _best_attribute(columns[grown], labels[grown], free)
            left = free.copy()
            left[attribute] = False
            for code in range(4):
                inner = grown[columns[grown, attribute] == code]
                outer = judged[columns[judged, attribute] == code]
                if len(outer) >= 10:
                    best = max(best, _bound(labels[outer], spread))
                n_labeled = labels[inner].sum()
                needed = spread / max((1 - best) ** 2, 1e-6)
                mixed = 0 < n_labeled < len(inner)
                if left.any() and mixed and len(inner) > 10 and n_labeled > needed:
                    entry = (-_bound(labels[inner], spread), n_nodes, inner, outer, left)
                    heappush(queue, entry)
                    n_nodes += 1
        return best


def _bound(labels: NDArray[Any], spread: float) -> float:
    return float(labels.mean() - np.sqrt(spread / len(labels)))


def _best_attribute(
    columns: NDArray[np.uint8], labels: NDArray[Any], free: NDArray[np.bool_]
) -> int:
    """Return the attribute with the child that has the largest share of labeled rows."""
    shares = np.empty((4, columns.shape[1]))
    for code in range(4):
        inside = columns == code
        shares[code] = labels @ inside / (inside.sum(axis=0) + 5)  # 5 rows more: no tiny child
    return int(np.argmax(np.where(free, shares.max(axis=0), -1.0)))


def _quarter_columns(X: Any) -> NDArray[np.uint8]:
    """Return in which quarter of its column each value is; a missing one in the last."""
    table = np.asarray(X, float)
    if table.ndim == 1:
        table = table[:, None]
    cuts = np.nanquantile(table, (0.25, 0.5, 0.75), axis=0)
    cuts = np.nan_to_num(cuts)
    return np.sum(~(table[None] <= cuts[:, None]), axis=0, dtype=np.uint8)


def _quarter_ranks(scores: Any) -> NDArray[np.uint8]:
    """Return the digits of each row's rank, base 4: its quarter, the quarter of that, ...."""
    from scipy.stats import rankdata

    share = (rankdata(scores) - 0.5) / len(scores)
    steps = 4 ** np.arange(1, _N_LEVELS + 1)
    return np.asarray(np.floor(share[:, None] * steps) % 4, dtype=np.uint8)
