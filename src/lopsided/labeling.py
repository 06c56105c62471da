"""Labeling mechanisms: hide labels from a fully labeled table, as an experiment needs it."""

from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lopsided._math import rows_of_share
from lopsided._validation import as_generator, check_choice, check_share, check_truth

__all__ = ["SAR", "SCAR", "Mechanism"]

_FLOOR = 1e-6  # the least distance: a positive that equals a negative must keep a finite weight


@runtime_checkable
class Mechanism(Protocol):
    """Turns true labels into PU labels: anything with this `draw`, of ours or of yours.

    Examples
    --------
    >>> import numpy as np
    >>> class FirstFound:
    ...     def draw(self, X, y_true, rng):
    ...         return y_true * (np.cumsum(y_true) <= 2)  # whoever came first is known
    >>> mechanism = FirstFound()
    >>> isinstance(mechanism, Mechanism)
    True
    >>> mechanism.draw(None, np.array([0, 1, 1, 0, 1]), rng=0)
    array([0, 1, 1, 0, 0])
    """

    def draw(self, X: Any, y_true: Any, rng: Any) -> NDArray[np.int8]:
        """Return y: 1 where a positive stays labeled, 0 elsewhere."""


@dataclass(frozen=True)
class _Hiding:
    """A mechanism that hides a share of the positives, drawn one by one by their weights."""

    hidden: float

    def draw(self, X: Any, y_true: Any, rng: Any) -> NDArray[np.int8]:
        """Return y: 1 where a positive stays labeled, 0 elsewhere.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            Finite numbers, scaled so that distances make sense; `SCAR` does not look at it.
        y_true : array of shape (n_rows,)
            1 = positive, 0 = negative.
        rng : int, Generator or None
            Source of randomness.
        """
        truth = check_truth(y_true)
        positives = np.flatnonzero(truth == 1)
        weight = self._weigh(X, truth)
        n_hidden = rows_of_share(check_share(self.hidden, "hidden"), len(positives))
        if len(positives) - n_hidden < 2:
            raise ValueError(
                f"At least two positives must stay labeled, got {len(positives)} positives "
                f"with {n_hidden} to hide. Hide a smaller share."
            )
        # Exponential waiting times with these rates ring in the order of successive weighted
        # draws without replacement. Only uniform numbers are asked of the generator, so the
        # labels are the same everywhere.
        waiting = -np.log1p(-as_generator(rng).random(len(positives))) / weight
        y = truth.copy()
        y[positives[np.argsort(waiting, kind="stable")[:n_hidden]]] = 0
        return y

    def _weigh(self, X: Any, truth: NDArray[np.int8]) -> Any:
        """Return the weight of each positive, or one for all."""
        raise NotImplementedError


@dataclass(frozen=True)
class SCAR(_Hiding):
    """Hide positives completely at random, each with the same probability.

    Draws with one generator state are nested: a larger share hides the same rows and more.

    Parameters
    ----------
    hidden : float
        Share of the positives to hide; the count is rounded up.

    Examples
    --------
    >>> import numpy as np
    >>> y = SCAR(hidden=0.5).draw(None, np.repeat([1, 0], [6, 20]), rng=0)
    >>> int(y.sum())
    3
    """

    def _weigh(self, X: Any, truth: NDArray[np.int8]) -> Any:
        return 1.0


@dataclass(frozen=True)
class SAR(_Hiding):
    """Hide positives at random with a probability that depends on where they lie.

    With m the mean Euclidean distance of a positive to negatives, its weight in the draw is 1/m
    toward "near", so that positives that look like negatives are hidden first, or m toward
    "far", so that they are hidden last. The paper's text describes the first, its public code
    does the second.

    Parameters
    ----------
    hidden : float
        Share of the positives to hide; the count is rounded up.
    toward : {"near", "far"}, default="near"
        Which positives are hidden first.
    neighbors : {"nearest", "all", "first"} or None, default=None
        The negatives that m averages over: the floor(sqrt(n_rows)) nearest ones, all, or the
        first floor(sqrt(n_rows)) in the order of the table (what one public copy does). None is
        "nearest" for near and "all" for far.

    References
    ----------
    Ortega Vazquez, vanden Broucke, De Weerdt: A two-step anomaly detection based method for PU
    classification in imbalanced data sets. Data Mining and Knowledge Discovery 2023.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.r_[np.linspace(2, 9, 8), np.zeros(40)][:, None]  # positives stand apart
    >>> y_true = np.repeat([1, 0], [8, 40])
    >>> y = SAR(hidden=0.5, toward="near").draw(X, y_true, rng=0)
    >>> X[y == 1].ravel()  # those that stay labeled: mostly the easy ones
    array([6., 7., 8., 9.])
    """

    toward: Literal["near", "far"] = "near"
    neighbors: Literal["nearest", "all", "first"] | None = None

    def _weigh(self, X: Any, truth: NDArray[np.int8]) -> Any:
        check_choice(self.toward, ("near", "far"), "direction of SAR")
        distance = np.maximum(self._mean_distance(_numbers(X, len(truth)), truth), _FLOOR)
        return 1 / distance if self.toward == "near" else distance

    def _mean_distance(self, X: NDArray[Any], truth: NDArray[np.int8]) -> NDArray[Any]:
        from scipy.spatial.distance import cdist

        chosen = self.neighbors or ("nearest" if self.toward == "near" else "all")
        check_choice(chosen, ("nearest", "all", "first"), "set of neighbors")
        negatives = X[truth == 0]
        count = min(max(isqrt(len(X)), 1), len(negatives))
        if chosen == "first":
            negatives = negatives[:count]
        positives, means = X[truth == 1], []
        # One row at a time: memory stays small, and sums keep their order.
        for row in positives:
            distances = cdist(row[None], negatives)[0]
            if chosen == "nearest":
                distances = np.sort(np.partition(distances, count - 1)[:count])
            means.append(distances.mean())
        return np.asarray(means)


def _numbers(X: Any, n_rows: int) -> NDArray[Any]:
    """Return a finite float table of n_rows rows."""
    try:
        if np.iscomplexobj(X):
            raise TypeError
        values = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            "SAR needs a table of numbers, got other values. Encode them."
        ) from None
    if values.ndim != 2 or len(values) != n_rows:
        raise ValueError(
            f"SAR needs a table of {n_rows} rows, as many as y_true, got shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("SAR needs finite numbers to measure distances, got NaN or infinity.")
    return values
