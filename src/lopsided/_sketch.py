"""Scores of any number of rows in bounded memory: the top exact, the rest as quantiles.

A `ScoreSketch` is filled in batches, on one machine or on many, and merged. What it gives back
are rows with weights, few enough for everything that reads labels and scores.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import check_scores

__all__ = ["N_EXACT", "N_EXACT_LABELED", "QuantileSummary", "ScoreSketch", "SketchRows"]

N_EXACT = 100_000  # unlabeled scores from the top that are kept as they are
N_EXACT_LABELED = 200_000  # labeled ones, and reviewed ones
_N_POINTS = 65_536  # that stand for all the others

Floats = NDArray[np.float64]


class _Points(NamedTuple):
    """Different values in rising order, and how much each counts."""

    values: Floats
    weight: Floats

    @classmethod
    def of(cls, values: Floats, weight: Floats) -> "_Points":
        """Return values as points, those that are equal as one."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
        if not len(starts):
            return cls(values, weight)
        return cls(ordered[starts], np.add.reduceat(weight[order], starts))

    def compress(self, n_points: int) -> tuple["_Points", float]:
        """Return about `n_points` of the points for all, and how far a rank may be off by it.

        Neighbors that together weigh no more than 2 / n_points of all become one, the middle
        one of them; a heavier point stays alone, where no rank is lost.
        """
        if len(self.values) <= n_points:
            return self, 0.0
        ends = np.cumsum(self.weight)
        # Points with their middles in one cell weigh up to two cells: half of the first and
        # half of the last one may reach beyond, and are no more than a cell together.
        cell = np.floor((ends - self.weight / 2) * (n_points / ends[-1]))
        starts = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])
        weight = np.add.reduceat(self.weight, starts)
        before = ends[starts] - self.weight[starts]
        last = np.r_[starts[1:], len(self.values)] - 1
        middle = np.clip(np.searchsorted(ends, before + weight / 2), starts, last)
        lost = float((weight - self.weight[middle]).max())
        return _Points(self.values[middle], weight), lost


class QuantileSummary:
    r"""Values with weights: the highest ones exact, quantiles of the others.

    Those below the highest `n_exact` are gathered in blocks of `n_points`. Two blocks of one
    level become one of the next, of as many points, whichever way summaries were merged: a
    value's rank is off by no more than `rank_error`, and that by no more than a share of about
    :math:`2 (1 + \log_2(1 + n / n_{points})) / n_{points}` of all weights, for n values.

    Attributes
    ----------
    total : float
        The sum of all weights.
    rank_error : float
        How far the rank of a value may be off, in the unit of the weights.
    """

    def __init__(self, n_exact: int = N_EXACT, n_points: int = _N_POINTS) -> None:
        self.n_exact, self.n_points = n_exact, n_points
        self.total = self.rank_error = 0.0
        self._top = self._rest = _Points(np.empty(0), np.empty(0))  # in no order
        self._levels: dict[int, _Points] = {}
        self._ordered: _Points | None = None  # all of it, once it is asked for

    def update(self, values: Floats, weight: Floats) -> None:
        """Add values."""
        self.total += float(weight.sum())
        self._ordered = None
        self._top = _append(self._top, _Points(values, weight))
        if len(self._top.values) > 2 * self.n_exact:
            self._settle()

    def merge(self, other: "QuantileSummary") -> None:
        """Add what another one holds; it stays as it is."""
        self.total += other.total
        self._ordered = None
        self.rank_error += other.rank_error
        self._top = _append(self._top, other._top)
        self._rest = _append(self._rest, other._rest)
        for level, points in other._levels.items():
            self._push(points, level)
        self._settle()

    def to_points(self) -> _Points:
        """Return values in rising order with their weights, about n_exact + n_points."""
        self._settle()
        below, _ = _join([self._rest, *self._levels.values()]).compress(self.n_points)
        order = np.argsort(self._top.values, kind="stable")
        return _append(below, _Points(self._top.values[order], self._top.weight[order]))

    def weight_above(self, values: Any) -> Floats:
        """Return how much stands above each value."""
        if self._ordered is None:
            self._settle()
            self._ordered = _join([self._top, self._rest, *self._levels.values()])
        ends = np.r_[0.0, np.cumsum(self._ordered.weight)]
        return ends[-1] - ends[np.searchsorted(self._ordered.values, values, "right")]

    def _settle(self) -> None:
        """Keep the highest values as they are, and move the others to the quantiles."""
        values, n_exact = self._top.values, self.n_exact
        if len(values) > n_exact:
            order = np.argpartition(values, len(values) - n_exact)
            below, top = order[: len(values) - n_exact], order[len(values) - n_exact :]
            rest = _Points(values[below], self._top.weight[below])
            self._rest = _append(self._rest, rest)
            self._top = _Points(values[top], self._top.weight[top])
        if len(self._rest.values) >= self.n_points:
            block, self._rest = self._rest, _Points(np.empty(0), np.empty(0))
            self._push(self._compress(_Points.of(*block)), 0)

    def _push(self, points: _Points, level: int) -> None:
        while level in self._levels:
            points = self._compress(_join([points, self._levels.pop(level)]))
            level += 1
        self._levels[level] = points

    def _compress(self, points: _Points) -> _Points:
        points, lost = points.compress(self.n_points)
        self.rank_error += lost
        return points


def _append(*parts: _Points) -> _Points:
    return _Points(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _join(parts: list[_Points]) -> _Points:
    return _Points.of(*_append(*parts))


class SketchRows(NamedTuple):
    """Rows that stand for those of a table; weights are numbers of rows."""

    y: NDArray[np.int8]
    scores: Floats
    weight: Floats


class ScoreSketch:
    """A mergeable summary of the scores of a table, by their labels.

    Scores of labeled and of reviewed rows are exact, each up to the highest 200,000, and so are
    those of the highest 100,000 unlabeled rows, in which the rare positives are. The others are
    quantiles (`QuantileSummary`): their ranks are off by `rank_error` rows at most, for 20
    million rows by less than one of 2,500 and in practice by far less. The order of updates and
    merges does not matter beyond that.

    Parameters
    ----------
    n_exact : int, default=100_000
        Unlabeled scores from the top that stay exact.
    n_exact_labeled : int, default=200_000
        The same for labeled rows, and for reviewed ones.
    n_points : int, default=65_536
        What the others are compressed to.

    Examples
    --------
    >>> import numpy as np
    >>> one = ScoreSketch().update([3.0, 1.0], [1, 0])
    >>> both = one.merge(ScoreSketch().update([2.0, 0.5], [0, 0]))
    >>> both.rank_unlabeled([2.0, 1.0, 0.7])
    array([1., 2., 3.])
    """

    def __init__(
        self,
        n_exact: int = N_EXACT,
        n_exact_labeled: int = N_EXACT_LABELED,
        n_points: int = _N_POINTS,
    ) -> None:
        self._parts = {
            label: QuantileSummary(n_exact if label == 0 else n_exact_labeled, n_points)
            for label in (1, 0, -1)
        }

    def update(self, scores: Any, y: Any, weight: Any = None) -> Self:
        """Add rows: scores, labels (1, 0, -1), and how many rows each of them stands for."""
        labels = np.asarray(y)
        values = check_scores(scores, labels)
        heavy = np.ones(len(values)) if weight is None else np.asarray(weight, np.float64)
        for label, part in self._parts.items():
            own = (labels == label) & (heavy > 0)
            if own.any():
                part.update(values[own], heavy[own])
        return self

    def merge(self, other: "ScoreSketch") -> Self:
        """Add the rows of another sketch."""
        for label, part in self._parts.items():
            part.merge(other._parts[label])
        return self

    def to_rows(self) -> SketchRows:
        """Return rows that stand for all, with their weights.

        They are for the PU metrics, and with `n_rows` for `estimate_prior` and
        `fit_calibration`, which take weights.
        """
        points = {label: part.to_points() for label, part in self._parts.items()}
        labels = [np.full(len(own.values), label, np.int8) for label, own in points.items()]
        parts = points.values()
        return SketchRows(
            np.concatenate(labels),
            np.concatenate([own.values for own in parts]),
            np.concatenate([own.weight for own in parts]),
        )

    def rank_unlabeled(self, scores: Any) -> Floats:
        """Return the place of each score among the unlabeled rows, those tied with the first.

        Exact for the highest scores, and off by at most `rank_error` below.
        """
        return 1 + self._parts[0].weight_above(scores)

    def quantile(self, shares: Any) -> Floats:
        """Return the scores below which shares of all rows lie."""
        rows = self.to_rows()
        found = np.quantile(rows.scores, shares, weights=rows.weight, method="inverted_cdf")
        return np.asarray(found, np.float64)

    @property
    def n_rows(self) -> float:
        """The number of rows, by their weights."""
        return sum(part.total for part in self._parts.values())

    @property
    def n_unlabeled(self) -> float:
        """The number of unlabeled rows, by their weights."""
        return self._parts[0].total

    @property
    def n_labeled(self) -> float:
        """The number of labeled rows, by their weights."""
        return self._parts[1].total

    @property
    def rank_error(self) -> float:
        """How far the rank of an unlabeled row may be off."""
        return self._parts[0].rank_error
