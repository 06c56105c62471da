"""What each row weighs in a risk, in as few numbers as say it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided.methods._label_totals import Reduce, check_local, label_totals, weighs_by_label
from lopsided.risks import Risk, SignedWeights


def is_plain(risk: Risk, *names: str) -> bool:
    """Say whether a risk leaves its weights but the raw ones, and more, to the base class."""
    return all(getattr(type(risk), name) is getattr(Risk, name) for name in ("weights", *names))


class RowWeights(NamedTuple):
    """The signed weights of all rows: a rule for most of them, and rows it does not fit."""

    unit: float  # of every row as a negative,
    weight: NDArray[np.float64]  # times these, if there are any
    apart: NDArray[np.intp]  # rows that weigh otherwise, such as labeled ones:
    positive: NDArray[np.float64]  # so much as positives
    negative: NDArray[np.float64]  # and so much as negatives

    def by_rule(self) -> Any:
        """Return what the rule gives the rows apart."""
        return self.unit * (self.weight[self.apart] if len(self.weight) else 1.0)

    def of_rows(self, n_rows: int) -> SignedWeights:
        """Return the weights one by one."""
        positive, negative = np.zeros(n_rows), np.full(n_rows, self.unit)
        if len(self.weight):
            negative *= self.weight
        positive[self.apart], negative[self.apart] = self.positive, self.negative
        return SignedWeights(positive, negative)


def _weights_by_label(units: SignedWeights, rows: TrainingRows) -> RowWeights:
    """Return the weights of a risk that has two constants for each label."""
    labels, weight = rows.labels, rows.sample_weight
    apart = np.flatnonzero(labels)
    positive, negative = (unit[labels[apart]] * rows.weight[apart] for unit in units)
    given = np.empty(0) if weight is None else weight
    return RowWeights(units.negative[0], given, apart, positive, negative)


def _weights_by_row(raw: SignedWeights) -> RowWeights:
    """Return the weights of a risk that may give each row its own."""
    positive, negative = (np.asarray(weights, dtype=np.float64) for weights in raw)
    apart = np.flatnonzero(positive)
    return RowWeights(1.0, negative, apart, positive[apart], negative[apart])


def risk_weights(
    risk: Risk, rows: TrainingRows, prior: float, scale: float = 1.0, reduce: Reduce = None
) -> RowWeights:
    """Return the weights of a plain risk times `scale`, by label where that says it all."""
    if weighs_by_label(risk):
        units = label_totals(rows, reduce).unit_weights(risk, prior)
        return _weights_by_label(SignedWeights(*(scale * unit for unit in units)), rows)
    check_local(risk, reduce)
    # By name: none can ask for scores.
    raw = risk.raw_weights(y=rows.labels.astype(float), prior=prior, weight=rows.weight)
    return _weights_by_row(SignedWeights(*(scale * given for given in raw)))
