"""Judge models as time goes: splits by period, and labels as they were known at a date.

Labels often come late: a claim is found to be fraudulent a year after it was paid. A model that
is to rank the claims of a year may learn from what was known then, and not from what came out
since. `GroupTimeSeriesSplit` gives the rows to learn from, `labels_as_of` their labels, and
`DelayedLabelClassifier` brings both into scikit-learn's `cross_validate` and searches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from lopsided._terminal import quote
from lopsided._validation import check_classifier, check_count, check_outcomes

__all__ = ["DelayedLabelClassifier", "GroupTimeSeriesSplit", "labels_as_of"]


@dataclass
class GroupTimeSeriesSplit:
    """Test on one period after another, train on the periods before it.

    This is scikit-learn's `TimeSeriesSplit` for tables in which many rows share a period, such
    as all firms of a year: no period is torn apart, and rows may come in any order.

    Parameters
    ----------
    test_groups : sequence of int or None, default=None
        Periods to test on, in this order; None is every period that has rows to train on.
    max_train_size : int or None, default=None
        The training rows are those of so many periods at most; None is all that came before.
    gap : int, default=0
        Periods to leave out between the training periods and the test period.

    See Also
    --------
    sklearn.model_selection.TimeSeriesSplit : Splits by the position of rows.

    Examples
    --------
    >>> import numpy as np
    >>> years = np.array([2000, 2000, 2001, 2002, 2002, 2003])
    >>> cv = GroupTimeSeriesSplit(max_train_size=2)
    >>> for train, test in cv.split(years, groups=years):
    ...     print(years[train], years[test])
    [2000 2000] [2001]
    [2000 2000 2001] [2002 2002]
    [2001 2002 2002] [2003]
    """

    test_groups: Sequence[int] | None = None
    max_train_size: int | None = None
    gap: int = 0

    def split(
        self, X: Any, y: Any = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the positions of the training and of the test rows, for each test period.

        Parameters
        ----------
        X, y : arrays of shape (n_rows, ...)
            Only the number of rows is looked at.
        groups : array of shape (n_rows,)
            The period of each row, a number that grows by one from period to period: a year, or
            months counted from a start.
        """
        periods = self._check(groups)
        check_consistent_length(X, periods)
        for period in self._list_test_groups(periods):
            train, test = self._find_train(periods, period), np.flatnonzero(periods == period)
            if not len(train) or not len(test):
                side = "of its own to test on" if len(train) else "before it to train on"
                raise ValueError(
                    f"The period {period:g} needs rows {side}, got none. Leave it out of "
                    "test_groups."
                )
            yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of test periods, from `groups` if `test_groups` is None."""
        if self.test_groups is not None:
            return len(self.test_groups)
        return len(self._list_test_groups(self._check(groups)))

    def _check(self, groups: Any) -> NDArray[Any]:
        """Return the periods as numbers, once the parameters are known to be good."""
        check_count(self.gap, "gap", least=0)
        if self.max_train_size is not None:
            check_count(self.max_train_size, "max_train_size")
        if self.test_groups is not None:
            tests = np.asarray(self.test_groups)
            if tests.ndim != 1 or tests.dtype.kind not in "iuf":
                raise ValueError(
                    "test_groups must be a list of periods, as numbers, or None, got "
                    f"{quote(self.test_groups)}. Pass for example [2003, 2004]."
                )
        periods = np.asarray(groups)
        if periods.ndim != 1 or periods.dtype.kind not in "iuf" or np.isnan(periods).any():
            raise ValueError(
                "groups must hold the period of each row as a number, got "
                f"{'None' if groups is None else f'values of type {periods.dtype}'}. Pass for "
                "example the year of each row."
            )
        return periods.astype(float)  # unsigned numbers have none below 0

    def _list_test_groups(self, periods: NDArray[Any]) -> Sequence[Any]:
        if self.test_groups is not None:
            return self.test_groups
        found = [one for one in np.unique(periods) if len(self._find_train(periods, one))]
        if not found:
            raise ValueError(
                "groups must hold a period with others before it to train on, got "
                f"{len(np.unique(periods))} period(s), with a gap of {self.gap}. Add rows."
            )
        return found

    def _find_train(self, periods: NDArray[Any], period: Any) -> NDArray[np.intp]:
        last = period - 1 - self.gap
        first = -np.inf if self.max_train_size is None else last - self.max_train_size + 1
        return np.flatnonzero((periods >= first) & (periods <= last))


def labels_as_of(y_true: ArrayLike, known_since: ArrayLike, date: Any) -> NDArray[np.int8]:
    """Return the labels as they were known at a date: what came out later is unlabeled.

    Parameters
    ----------
    y_true : array of shape (n_rows,)
        The labels as they are known today: 1 = positive, else 0.
    known_since : array of shape (n_rows,)
        When each positive became known: numbers, such as years, or dates. A label counts as
        known after that time, not in it; minus infinity is known from the start, infinity and a
        missing value are never known. Ignored where `y_true` is 0.
    date : number or date
        The time to look back from.

    Returns
    -------
    ndarray of shape (n_rows,)
        PU labels: 1 = labeled positive, 0 = unlabeled.

    Examples
    --------
    >>> y_true = [1, 1, 1, 0]
    >>> labels_as_of(y_true, [2003, 2005, float("inf"), float("nan")], 2005)
    array([1, 0, 0, 0], dtype=int8)
    """
    truth = check_outcomes(y_true)
    check_consistent_length(truth, known_since)
    known = _is_before(known_since, date)
    if known is None or known.shape != truth.shape:
        raise ValueError(
            "known_since must hold a number for each row and date be a number, or both dates, "
            f"got {type(known_since).__name__} and {quote(date)}. Pass times of one kind."
        )
    return ((truth == 1) & known).astype(np.int8)


def _is_before(times: Any, date: Any) -> NDArray[np.bool_] | None:
    """Say which times are before a date; None where they do not compare."""
    if np.ndim(date) or pd.isna(date):
        return None
    try:
        values = np.asarray(times)
        if values.dtype == object:  # missing values of nullable columns compare with nothing
            values = pd.Series(times).to_numpy(dtype=float, na_value=np.nan)
        if values.dtype.kind == "M":
            date = np.datetime64(date)
        return np.asarray(values < date, dtype=bool)
    except (OverflowError, TypeError, ValueError):
        return None


def _estimator_has(name: str) -> Any:
    return available_if(lambda self: hasattr(self.estimator, name))


class DelayedLabelClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fit a classifier on the labels that were known at the time.

    Today's labels go in as `y`, and two columns of `X` say when each row is from and since when
    its label has been known. `fit` looks back from shortly after the last training row, and
    takes positives that came out later for unlabeled. The two columns are no features. Scoring
    compares with `y` as it is, so that `cross_validate` with splits by time answers how well
    the model of each date would have found what is known today.

    Parameters
    ----------
    estimator : classifier
        What to fit, for example a `lopsided.FocusedClassifier`.
    time : str, default="time"
        The column of `X` that says when a row is from.
    known_since : str, default="known_since"
        The column of `X` that says when a positive became known, see `labels_as_of`.
    horizon : number or timedelta, default=1
        The time from the last training row to the date that `fit` looks back from. With a gap
        between training and test periods it is the gap and one more.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    labels_ : ndarray of shape (n_rows,)
        The labels it was fitted on: 1 = labeled positive, 0 = unlabeled.
    classes_ : ndarray of shape (2,)
        The classes of the fitted classifier.
    n_features_in_ : int
        Number of columns of `X`, the two of times included.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"amount": rng.normal(size=400), "time": np.repeat(range(8), 50)})
    >>> y = (X["amount"] > 1.2).astype(int)
    >>> X["known_since"] = X["time"] + rng.integers(0, 3, size=400)
    >>> model = DelayedLabelClassifier(LogisticRegression())
    >>> cv = GroupTimeSeriesSplit([6, 7])
    >>> scores = cross_val_score(
    ...     model, X, y, groups=X["time"], cv=cv, scoring="average_precision"
    ... )
    >>> bool(scores.min() > 0.99)
    True
    """

    def __init__(self, estimator, *, time="time", known_since="known_since", horizon=1):
        self.estimator = estimator
        self.time = time
        self.known_since = known_since
        self.horizon = horizon

    def fit(self, X: Any, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit the classifier on what was known `horizon` after the last row.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_features + 2)
            Features and the two columns of times.
        y : array of shape (n_rows,)
            The labels as they are known today: 1 = positive, else 0.
        **fit_params : dict
            For the classifier, for example `sample_weight`.
        """
        check_classifier(self.estimator)
        features = self._take_features(X, reset=True)
        date = self._find_date(X[self.time])
        self.labels_ = labels_as_of(y, X[self.known_since], date)
        if not self.labels_.any():
            raise ValueError(
                f"At least one positive must be known before {date}, got none of "
                f"{int((np.asarray(y) == 1).sum())}. Train on more periods, or check "
                f"{self.known_since!r}."
            )
        self.estimator_ = clone(self.estimator).fit(features, self.labels_, **fit_params)
        self.classes_ = self.estimator_.classes_
        return self

    def _find_date(self, times: Any) -> Any:
        """Return the date to look back from."""
        try:
            return times.max() + self.horizon
        except (OverflowError, TypeError, ValueError):
            raise ValueError(
                f"horizon must be a time to add to those of {quote(self.time)}, got "
                f"{quote(self.horizon)}. Pass a number, or a timedelta where they are dates."
            ) from None

    def _take_features(self, X: Any, reset: bool = False) -> Any:
        """Return the columns to learn from, once the two of times are known to be there."""
        times = [self.time, self.known_since]
        try:
            known = set(times) <= set(getattr(X, "columns", ()))
        except TypeError:  # what cannot be a name of a column, such as a list
            known = False
        if not known:
            raise ValueError(
                f"X must be a data frame with the columns {quote(times[0])} and "
                f"{quote(times[1])}, got {type(X).__name__} without. Add them, or name yours "
                "by time and known_since."
            )
        if not reset:
            check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=reset)
        return X.drop(columns=times)

    @_estimator_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of the fitted classifier."""
        return self.estimator_.decision_function(self._take_features(X))

    @_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of the fitted classifier."""
        return self.estimator_.predict_proba(self._take_features(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes that the fitted classifier predicts."""
        return self.estimator_.predict(self._take_features(X))
