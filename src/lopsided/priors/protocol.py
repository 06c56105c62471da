"""What an estimator of the prior is, and what all share: the labels down the ranking."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["PriorEstimator", "RankedLabels", "rank_labels"]


@runtime_checkable
class PriorEstimator(Protocol):
    """Estimates the share of positives among all rows of a table, the labeled ones included.

    Two samples, labeled rows and unlabeled ones, are taken as one table: pooled, the labels of
    that table are again drawn completely at random from its positives. `estimate_prior` turns
    the share among all rows into that among the unlabeled ones where it is asked to.

    Examples
    --------
    An estimator of your own: the labeled share, as if nothing were hidden.

    >>> import numpy as np
    >>> from lopsided.priors import estimate_prior
    >>> class NothingHidden:
    ...     def estimate(self, scores, y, rng, X=None, weight=None):
    ...         return (y == 1).mean()
    >>> isinstance(NothingHidden(), PriorEstimator)
    True
    >>> y = np.repeat([1, 0], [30, 970])
    >>> scores = np.random.default_rng(0).normal(size=1000) + y
    >>> estimate_prior(y, scores, method=NothingHidden(), n_draws=0).value
    0.03
    """

    def estimate(
        self,
        scores: NDArray[Any],
        y: NDArray[Any],
        rng: np.random.Generator,
        X: NDArray[Any] | None = None,
        weight: NDArray[Any] | None = None,
    ) -> float:
        """Return the prior, from the labeled share to 1.

        Parameters
        ----------
        scores : array of shape (n_rows,)
            Scores by models that have not seen the row, larger = more positive.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled.
        rng : Generator
            Source of randomness, of those that draw rows.
        X : array of shape (n_rows, n_features) or None
            The columns; those that work on columns take the ranks of the scores without them.
        weight : array of shape (n_rows,) or None
            How often each row counts.
        """


class RankedLabels(NamedTuple):
    """Rows and labeled rows from the top of the ranking to the end of each block of ties."""

    rows: NDArray[np.float64]
    labeled: NDArray[np.float64]

    @property
    def n_rows(self) -> float:
        """Return the number of rows."""
        return float(self.rows[-1])

    @property
    def n_labeled(self) -> float:
        """Return the number of labeled rows."""
        return float(self.labeled[-1])

    @property
    def labeled_share(self) -> float:
        """Return the labeled share of the rows."""
        return self.n_labeled / self.n_rows

    def labeled_among(self, places: NDArray[Any]) -> NDArray[np.float64]:
        """Return how many of the first rows are labeled, in expectation inside ties."""
        rows, labeled = np.append(0.0, self.rows), np.append(0.0, self.labeled)
        return np.interp(places, rows, labeled)

    def auc(self) -> float:
        """Return the chance that a labeled row outranks an unlabeled one, ties half."""
        labeled = np.diff(self.labeled, prepend=0.0)
        unlabeled = np.diff(self.rows - self.labeled, prepend=0.0)
        below = unlabeled.sum() - np.cumsum(unlabeled) + unlabeled / 2
        return float(labeled @ below / (labeled.sum() * unlabeled.sum()))

    def to_prior(self, label_frequency: float) -> float:
        """Return the prior that a label frequency means."""
        share = self.labeled_share
        return float(min(max(share / max(label_frequency, share), share), 1.0))


def rank_labels(scores: Any, y: Any, weight: Any = None) -> RankedLabels:
    """Count rows and labeled rows down the ranking, a row as often as its weight says."""
    values, labels = np.asarray(scores, float), np.asarray(y)
    order = np.argsort(-values)
    falls = values[order[1:]] != values[order[:-1]]
    ends = np.append(np.flatnonzero(falls), len(values) - 1)
    if weight is None:
        rows, labeled = ends + 1.0, np.cumsum(labels[order], dtype=float)[ends]
        return RankedLabels(rows, labeled)
    heavy = np.asarray(weight, float)[order]
    kept = np.cumsum(heavy)[ends]
    return RankedLabels(kept, np.cumsum(heavy * labels[order])[ends])
