"""Splits for PU labels: labeled rows on both sides of each, by rows, by groups, by time.

A fold without labeled rows can be neither learned from nor judged by, and where labels are few,
chance and scikit-learn's group splitters leave such folds. These fail with a sentence instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.utils.validation import check_consistent_length

from lopsided._terminal import quote
from lopsided._validation import (
    as_generator,
    check_count,
    check_labels,
    encode_groups,
    encode_values,
)
from lopsided.methods.base import assign_group_folds
from lopsided.model_selection.time import GroupTimeSeriesSplit

__all__ = ["PUGroupKFold", "PUStratifiedKFold", "PUTimeSplit"]

Splits = Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]
MIN_TRAIN = 2  # labeled rows: from a single one little can be said of a method


class PUStratifiedKFold(StratifiedKFold):
    """Folds with labeled rows in each, as evenly as they go.

    This is scikit-learn's `StratifiedKFold` with a guarantee: at least one labeled row to test
    on and two to train on in every split, or an error. One labeled row is enough for most PU
    metrics; `pu_average_precision` needs two in every fold, and so at most half as many folds
    as there are labeled rows.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at most the number of labeled rows.
    shuffle : bool, default=False
        Whether rows are shuffled before they are dealt.
    random_state : int, RandomState or None, default=None
        Seed of the shuffle.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0])
    >>> for train, test in PUStratifiedKFold(3).split(y, y):
    ...     print(y[train], y[test])
    [1 1 0 0 0 0] [1 0 0]
    [1 1 0 0 0 0] [1 0 0]
    [1 1 0 0 0 0] [1 0 0]
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def split(self, X: Any, y: Any, groups: Any = None) -> Splits:
        """Yield the positions of the training and of the test rows of each fold.

        Parameters
        ----------
        X : array of shape (n_rows, ...)
            Only the number of rows is looked at.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
        groups : object
            Ignored; `PUGroupKFold` keeps groups together.
        """
        labels = check_labels(y)
        for label, kind in ((1, "labeled"), (0, "unlabeled")):
            n_rows = int((labels == label).sum())
            if n_rows < self.n_splits:
                raise ValueError(
                    f"n_splits must be at most the number of {kind} rows, {n_rows}, got "
                    f"{quote(self.n_splits)}. {_advise(n_rows)}"
                )
        check_consistent_length(X, labels)
        for fold, (train, test) in enumerate(super().split(np.zeros(len(labels)), labels)):
            yield _check_sides(labels, train, test, fold)


class PUGroupKFold(GroupKFold):
    """Folds of whole groups, the labeled rows spread evenly over them.

    Groups are dealt one by one, those with the most labeled rows first, each to the fold that
    has the fewest; then the groups without labels, the largest first, to the smallest fold. So
    each fold has a labeled row if there are as many groups with labels as folds, which
    scikit-learn's `StratifiedGroupKFold` does not promise.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at most the number of groups that have labeled rows.
    shuffle : bool, default=False
        Whether groups that count alike are dealt in random order.
    random_state : int, RandomState or None, default=None
        Seed of that order.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([1, 0, 1, 1, 0, 0, 0, 0, 0, 1])
    >>> customers = np.array(list("aaabbccdde"))
    >>> for train, test in PUGroupKFold(2).split(y, y, customers):
    ...     print(customers[test], y[test])
    ['a' 'a' 'a' 'c' 'c'] [1 0 1 0 0]
    ['b' 'b' 'd' 'd' 'e'] [1 0 0 0 1]
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def split(self, X: Any, y: Any, groups: ArrayLike | None = None) -> Splits:
        """Yield the positions of the training and of the test rows of each fold.

        Parameters
        ----------
        X : array of shape (n_rows, ...)
            Only the number of rows is looked at.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
        groups : array of shape (n_rows,)
            The group of each row, such as a customer: numbers or text.
        """
        labels = check_labels(y)
        codes = encode_groups(groups, len(labels))
        check_consistent_length(X, labels)
        n_with = len(np.unique(codes[labels == 1]))
        if n_with < self.n_splits:
            raise ValueError(
                "n_splits must be at most the number of groups with labeled rows, "
                f"{n_with}, got {quote(self.n_splits)}. {_advise(n_with)}"
            )
        rng = as_generator(self.random_state) if self.shuffle else None
        fold_of = assign_group_folds(labels, codes, self.n_splits, rng)
        for fold in range(self.n_splits):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            yield _check_sides(labels, train, test, fold)


@dataclass(eq=False)
class PUTimeSplit:
    """Train on the past and test on what follows, labeled rows on both sides.

    Time is cut into `n_splits` + 1 blocks with about as many labeled rows each; every block but
    the first is tested on in turn, by a model of all blocks before it. Rows of one time stay
    together. With `groups`, rows of a group that is tested on are left out of the training
    rows, so that no group is on both sides. A block may have a single labeled row, which
    `pu_average_precision` cannot be computed from: take fewer splits for it.

    Parameters
    ----------
    n_splits : int, default=5
        Number of test blocks.
    time : str, array of shape (n_rows,) or None, default=None
        When each row is from, as numbers or dates: the name of a column of `X`, or the values
        themselves; None takes the rows to be in order, as `TimeSeriesSplit` does.

    See Also
    --------
    GroupTimeSeriesSplit : Tests on given periods, whether they have labels or not.

    Examples
    --------
    >>> import numpy as np
    >>> years = np.array([2003, 2001, 2001, 2002, 2002, 2003, 2001])
    >>> y = np.array([1, 1, 1, 1, 0, 0, 0])
    >>> for train, test in PUTimeSplit(2, time=years).split(y, y):
    ...     print(years[train], years[test])
    [2001 2001 2001] [2002 2002]
    [2001 2001 2002 2002 2001] [2003 2003]
    """

    n_splits: int = 5
    time: Any = field(default=None, kw_only=True)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of test blocks."""
        return check_count(self.n_splits, "n_splits")

    def split(self, X: Any, y: Any, groups: ArrayLike | None = None) -> Splits:
        """Yield the positions of the training and of the test rows of each block.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, ...)
            The number of rows is looked at, and the column `time` if that is a name.
        y : array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
        groups : array of shape (n_rows,), optional
            The group of each row, such as a customer.
        """
        labels = check_labels(y)
        check_consistent_length(X, labels)
        times = self._take_times(X, len(labels))
        codes = None if groups is None else encode_groups(groups, len(labels))
        blocks = _cut_time(times, labels, self.get_n_splits())
        splitter = GroupTimeSeriesSplit(range(1, self.n_splits + 1))
        for fold, (train, test) in enumerate(splitter.split(labels, groups=blocks)):
            if codes is not None:
                train = train[~np.isin(codes[train], codes[test])]
            yield _check_sides(labels, train, test, fold)

    def _take_times(self, X: Any, n_rows: int) -> NDArray[np.intp]:
        """Return the place of each row's time among all times."""
        if self.time is None:
            return np.arange(n_rows)
        times = self.time
        if isinstance(times, str):
            if times not in getattr(X, "columns", ()):
                raise ValueError(
                    f"X must be a data frame with the column {times!r}, got "
                    f"{type(X).__name__} without. Name the column of times by time."
                )
            times = X[times]
        return encode_values(times, n_rows, "time")


def _cut_time(times: NDArray[np.intp], y: NDArray[np.int8], n_splits: int) -> NDArray[np.intp]:
    """Return the block of each row, from 0 on, with about as many labeled rows in each."""
    with_labels, counts = np.unique(times[y == 1], return_counts=True)
    so_far = np.cumsum(counts)
    first = int(np.searchsorted(so_far, MIN_TRAIN)) + 1  # times before the first cut, at least
    n_left = len(with_labels) - first
    if n_left < n_splits:
        most = max(n_left, 0)
        raise ValueError(
            f"n_splits must be at most {most}, the number of times with labeled rows after "
            f"the first {MIN_TRAIN} labeled rows, got {quote(n_splits)}. "
            f"{_advise(most, least=1)}"
        )
    cuts: list[int] = []  # of the times with labels, the first one of each block to be tested
    for block in range(1, n_splits + 1):
        before = block * so_far[-1] / (n_splits + 1)
        nearest = int(np.abs(so_far[:-1] - before).argmin()) + 1
        least = cuts[-1] + 1 if cuts else first
        cuts.append(min(max(nearest, least), len(with_labels) - n_splits + block - 1))
    return np.searchsorted(with_labels[cuts], times, side="right")


def _check_sides(
    y: NDArray[np.int8], train: NDArray[np.intp], test: NDArray[np.intp], fold: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return both sides if each has the rows it needs."""
    for side, rows, label, least in (
        ("train", train, 1, MIN_TRAIN),
        ("train", train, 0, 1),
        ("test", test, 1, 1),
        ("test", test, 0, 1),
    ):
        n_rows = int((y[rows] == label).sum())
        if n_rows < least:
            kind = "labeled" if label else "unlabeled"
            raise ValueError(
                f"Fold {fold} needs {least} {kind} row(s) to {side} on, got {n_rows}. Use "
                "another number of folds, or add rows."
            )
    return train, test


def _advise(most: int, least: int = 2) -> str:
    return f"Use {most} splits or fewer." if most >= least else "Label more rows."
