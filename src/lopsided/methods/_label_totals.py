"""The sample weight of each label: all that a plain risk asks of rows, wherever they are."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.risks import PURisk, Risk, SignedWeights, SupervisedRisk

# Sums an array over all workers, each of which calls it; None where one holds all rows.
Reduce = Callable[[NDArray[np.float64]], NDArray[np.float64]] | None

_LABELS = np.array([0.0, 1.0, -1.0])  # so that a label is its own place, -1 the last one


class LabelTotals(NamedTuple):
    """The total sample weight of the rows of each label."""

    unlabeled: float
    labeled: float
    reviewed: float

    @property
    def weight(self) -> float:
        """The total sample weight of all rows."""
        return self.unlabeled + self.labeled + self.reviewed

    def fit_intercept_only(self, risk: Risk, prior: float) -> float:
        """Return the best constant score of a risk that weighs rows by their labels."""
        labels, totals = self._as_rows()
        return risk.fit_intercept_only(labels, prior, totals)

    def unit_weights(self, risk: Risk, prior: float) -> SignedWeights:
        """Return what a risk gives a unit of sample weight, at places 0, 1 and -1."""
        labels, totals = self._as_rows()
        raw = risk.raw_weights(y=labels, prior=prior, weight=totals)
        place = labels.astype(int)
        units = SignedWeights(np.zeros(3), np.zeros(3))
        for unit, given in zip(units, raw, strict=True):
            unit[place] = given / totals
        return units

    def _as_rows(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return one row for each label that weighs anything: labels and weights."""
        totals = np.array(self)
        return _LABELS[totals > 0], totals[totals > 0]


def label_totals(rows: TrainingRows, reduce: Reduce = None) -> LabelTotals:
    """Return the total weight of each label, over all workers where there are some."""
    labels = rows.labels
    totals = np.array([rows.weight.sum(where=labels == label) for label in _LABELS])
    return LabelTotals(*map(float, reduced(totals, reduce)))


def reduced(sums: NDArray[np.float64], reduce: Reduce) -> NDArray[np.float64]:
    """Return sums over all workers."""
    return sums if reduce is None else np.asarray(reduce(sums), dtype=np.float64)


def weighs_by_label(risk: Risk) -> bool:
    """Say whether a row's weights are its sample weight times two constants of its label.

    So it is in this library's risks; a subclass with weights of its own may do as it likes.
    """
    kind: Any = type(risk)
    raw = kind.raw_weights in (PURisk.raw_weights, SupervisedRisk.raw_weights)
    return raw and kind.weights is Risk.weights


def fit_intercept_only(
    risk: Risk, rows: TrainingRows, prior: float, reduce: Reduce = None
) -> float:
    """Return the best constant score: where boosting starts, alike on all workers."""
    if weighs_by_label(risk):
        return label_totals(rows, reduce).fit_intercept_only(risk, prior)
    check_local(risk, reduce)
    return risk.fit_intercept_only(rows.labels, prior, rows.weight)


def check_local(risk: Risk, reduce: Reduce) -> None:
    """Refuse to spread a risk over workers that needs to see all rows at once."""
    if reduce is not None:
        raise ValueError(
            "On several workers, risk must weigh rows as PURisk and SupervisedRisk do, got "
            f"{risk!r}, which may need all rows at once. Fit it on one machine."
        )
