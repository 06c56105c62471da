"""Splits in time: learn from the years before, with what was known of them, rank the next."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if

from lopsided._check import check_count

__all__ = ["DelayedLabelClassifier", "YearSplit"]


class YearSplit:
    """Test on one year after another, train on the years before it; scikit-learn's splitter.

    Parameters
    ----------
    years : sequence of int
        Years to test on.
    span : int or None, default=3
        Years to train on; None is all of them.
    gap : int, default=0
        Years to leave out between the training years and the test year.

    Examples
    --------
    >>> years = np.repeat([2000, 2001, 2002], 2)
    >>> train, test = next(YearSplit([2002]).split(years, groups=years))
    >>> train.tolist(), test.tolist()
    ([0, 1, 2, 3], [4, 5])
    """

    def __init__(self, years: Sequence[int], span: int | None = 3, gap: int = 0) -> None:
        self.years = years
        self.span = span
        self.gap = gap

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows for each test year.

        Parameters
        ----------
        X, y : arrays
            The rows; not looked at.
        groups : array of shape (n_rows,)
            The fiscal year of each row.
        """
        if groups is None:
            raise ValueError("groups must hold the year of each row, got None.")
        if self.span is not None:
            check_count(self.span, "span")
        check_count(self.gap, "gap", least=0)
        of_row = np.asarray(groups)
        for year in self.years:
            last = year - 1 - self.gap
            first = -np.inf if self.span is None else last - self.span + 1
            train = np.flatnonzero((of_row >= first) & (of_row <= last))
            test = np.flatnonzero(of_row == year)
            if not len(train) or not len(test):
                side = "to rank" if len(train) else "before it to learn from"
                raise ValueError(
                    f"The year {year} needs rows {side}, got none. Leave that year out."
                )
            yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of test years."""
        return len(self.years)


def _has(name: str) -> Any:
    return available_if(lambda self: hasattr(self.estimator, name))


class DelayedLabelClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fit a method on the labels that were known at the time, for `cross_validate`.

    The truth goes in as y, and two columns of X say when each row is from and when its label
    became public. In `fit` the year after the last one is taken for now: labels that became
    public in it or later are hidden. The two columns are no features.

    Parameters
    ----------
    estimator : PUClassifier or classifier
        What to fit.
    year, public : str, default="fyear" and "public_year"
        The columns of X, a data frame, with the year of a row and of its label.
    gap : int, default=0
        Years left out between the training years and now.

    Attributes
    ----------
    estimator_ : estimator
        The fitted method.
    labels_ : ndarray of shape (n_rows,)
        The labels that were known.
    """

    def __init__(self, estimator, year="fyear", public="public_year", gap=0):
        self.estimator = estimator
        self.year = year
        self.public = public
        self.gap = gap

    def fit(self, X: Any, y: Any) -> "DelayedLabelClassifier":
        """Learn from the labels that were known when the next year was ranked.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_features + 2)
            Features and the two columns of years.
        y : array of shape (n_rows,)
            The truth, as it is known today.
        """
        now = X[self.year].max() + 1 + self.gap
        self.labels_ = (np.asarray(y) == 1) & (X[self.public].to_numpy() < now)
        self.labels_ = self.labels_.astype(np.int8)
        self.classes_ = np.array([0, 1])
        self.estimator_ = clone(self.estimator).fit(self._features(X), self.labels_)
        return self

    def _features(self, X: Any) -> Any:
        return X.drop(columns=[self.year, self.public])

    @_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Return the scores of the fitted method."""
        return self.estimator_.decision_function(self._features(X))

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Return the chances of the fitted method."""
        return self.estimator_.predict_proba(self._features(X))

    def predict(self, X: Any) -> Any:
        """Return the classes of the fitted method."""
        return self.estimator_.predict(self._features(X))
