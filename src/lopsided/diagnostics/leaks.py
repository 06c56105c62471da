"""Columns that give the label away: filled in, or set, because a row was labeled."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import abbreviate, quote
from lopsided._validation import check_labels

__all__ = ["Leak", "find_leaks"]


class _Threshold(NamedTuple):
    """From where on a value or range gives the label away."""

    share: float  # of all labeled rows that it holds
    purity: float  # share of labels among its rows
    n_rows: int  # at least; being missing was not searched for and may hold fewer


# Hidden positives share every honest value with labeled rows: on the 14 sets at 75 % labeled
# the purest ranges reach .88 and .81. Few rows may be pure by luck, all of them hardly.
_THRESHOLDS = (
    _Threshold(0.5, 0.95, 12),
    _Threshold(0.8, 0.9, 12),
    _Threshold(1.0, 0.9, 6),
)
_CHANCE = 0.01  # of a false alarm in a table of noise
_FOLDS = 5


@dataclass(frozen=True)
class Leak:
    """A column that tells labeled rows from all others, hidden positives among them.

    Attributes
    ----------
    column : str
        Its name, or number.
    kind : {"missing", "value", "categories", "range"}
        What in it tells them.
    where : str
        The value, categories or range in words.
    n_labeled, n_rows : int
        Labeled rows there, and all rows there.
    share : float
        Share of all labeled rows that are there.
    roc_auc : float
        Probability that the column alone, by this rule, outranks an unlabeled row.

    Examples
    --------
    >>> import pandas as pd
    >>> from lopsided.diagnostics import find_leaks
    >>> y = pd.Series([1] * 20 + [0] * 180)
    >>> table = pd.DataFrame({"amount": [7, 5] * 100, "closed": [3.0] * 20 + [None] * 180})
    >>> [(leak.column, leak.kind, leak.n_labeled, leak.n_rows) for leak in find_leaks(table, y)]
    [('closed', 'missing', 20, 20)]
    """

    column: str
    kind: str
    where: str
    n_labeled: int
    n_rows: int
    share: float
    roc_auc: float

    def __str__(self) -> str:
        return (
            f"Column {abbreviate(self.column)!r} gives the label away: where it {self.where}, "
            f"{self.n_labeled} of {self.n_rows} rows are labeled, {self.share:.0%} of all "
            f"labeled ones (AUC {self.roc_auc:.2f}). Drop it if it was filled in after the "
            "review.".replace("%", " %")
        )


def find_leaks(X: Any, y: Any) -> list[Leak]:
    r"""Return the columns of which one value or range holds labeled rows and hardly any other.

    An honest column cannot tell labeled rows from hidden positives: where it is full of the
    first it holds the second too, and labels are no denser than the label frequency. A column
    is reported if one value, one range, a set of categories (out-of-fold), being missing or
    being present holds at least half of the labeled rows and 95 % of its 12 or more rows are
    labeled, or 80 % of the labeled rows and 90 %, or all labeled rows and 90 % of 6 or more,
    unless chance alone does that to a table of noise with a probability above 1 %. Where nearly
    all positives are labeled, an honest column may be reported too.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.

    Returns
    -------
    list of Leak
        The purest rule of each such column; empty if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> y = np.repeat([1, 0], [8, 92])
    >>> table = pd.DataFrame({"amount": np.arange(100) % 7, "case": np.where(y, 1.0, np.nan)})
    >>> [leak.column for leak in find_leaks(table, y)]
    ['case']
    """
    import pandas as pd

    labels = check_labels(y)
    if hasattr(X, "tocsc"):
        sparse = X.tocsc()
        columns = ((i, pd.Series(sparse[:, [i]].toarray()[:, 0])) for i in range(X.shape[1]))
        n_columns = X.shape[1]
    else:
        frame = _as_frame(X)
        columns = ((name, frame.iloc[:, i]) for i, name in enumerate(frame.columns))
        n_columns = frame.shape[1]
    found = []
    for name, column in columns:
        if len(column) != len(labels):
            raise ValueError(
                "X and y must have the same number of rows, got "
                f"{len(column)} and {len(labels)}."
            )
        rules = [
            rule for rule in _list_rules(column, labels) if _is_leak(rule, labels, n_columns)
        ]
        if rules:
            found.append(_build_leak(str(name), max(rules, key=_merit), labels))
    return found


def _as_frame(X: Any) -> Any:
    """Return a table of any kind as a data frame of pandas."""
    import pandas as pd

    try:
        return X.to_pandas() if hasattr(X, "to_pandas") else pd.DataFrame(X)
    except (TypeError, ValueError):
        raise ValueError(
            f"X must be a table of rows and columns, got {quote(X)}. Pass an array or a data "
            "frame."
        ) from None


@dataclass(frozen=True)
class _Rule:
    """Rows that a column picks out: how many, and how many of them are labeled."""

    kind: str
    where: str
    n_labeled: int
    n_rows: int


def _list_rules(column: Any, y: NDArray[np.int8]) -> list[_Rule]:
    """Return what one column can say of the labels."""
    missing = column.isna().to_numpy()
    rules = []
    if missing.any() and not missing.all():
        for rows, words in ((missing, "is missing"), (~missing, "is present")):
            rules.append(_Rule("missing", words, int(y[rows].sum()), int(rows.sum())))
    values, labels = column[~missing], y[~missing]
    if labels.sum() < 2:
        return rules
    if values.dtype.kind in "biufmM":
        kind = values.dtype.kind
        numbers = values.to_numpy().astype("int64" if kind in "mM" else float)
        return rules + _find_ranges(numbers, values.to_numpy(), labels)
    return rules + _find_categories(values, labels)


def _find_ranges(numbers: Any, shown: Any, y: NDArray[np.int8]) -> list[_Rule]:
    """Return the purest range that holds each share of the labeled rows."""
    everyone, labeled = np.sort(numbers), np.sort(numbers[y == 1])
    rules = []
    for threshold in _THRESHOLDS:
        width = max(2, int(np.ceil(threshold.share * y.sum())))
        if width > len(labeled):
            continue
        first, last = labeled[: len(labeled) - width + 1], labeled[width - 1 :]
        rows = np.searchsorted(everyone, last, "right") - np.searchsorted(everyone, first)
        own = np.searchsorted(labeled, last, "right") - np.searchsorted(labeled, first)
        best = int((own / rows).argmax())
        low, high = (_show(shown[numbers == end][0]) for end in (first[best], last[best]))
        one = first[best] == last[best]
        rules.append(
            _Rule(
                "value" if one else "range",
                f"is {low}" if one else f"is from {low} to {high}",
                int(own[best]),
                int(rows[best]),
            )
        )
    return rules


def _show(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (float, np.floating)) else str(value)


def _find_categories(values: Any, y: NDArray[np.int8]) -> list[_Rule]:
    """Return the category with most labels, and the set that other folds find pure."""
    import pandas as pd

    codes, names = pd.factorize(values.astype(str))
    fold = np.empty(len(y), dtype=int)
    for side in (0, 1):  # labeled rows are dealt out evenly
        rows = np.flatnonzero(y == side)
        fold[rows] = np.random.default_rng(0).permutation(len(rows)) % _FOLDS
    size, own = np.bincount(codes), np.bincount(codes, weights=y)
    picked = np.zeros(len(y), dtype=bool)
    for one in range(_FOLDS):
        inside = fold == one
        others = size - np.bincount(codes[inside], minlength=len(names))
        labeled = own - np.bincount(codes[inside], weights=y[inside], minlength=len(names))
        pure = labeled >= _THRESHOLDS[-1].purity * np.maximum(others, 1)
        picked[inside] = pure[codes[inside]]
    top = int(own.argmax())
    rules = [_Rule("value", f"is {abbreviate(names[top])!r}", int(own[top]), int(size[top]))]
    held = sorted(set(names[codes[picked]]))
    if len(held) > 1:
        some = ", ".join(repr(abbreviate(one)) for one in held[:3]) + (
            ", ..." if len(held) > 3 else ""
        )
        n_own = int(y[picked].sum())
        rules.append(_Rule("categories", f"is one of {some}", n_own, int(picked.sum())))
    return rules


def _is_leak(rule: _Rule, y: NDArray[np.int8], n_columns: int) -> bool:
    """Whether a rule holds enough of the labels, purely enough, and not by chance."""
    from scipy.stats import binom

    n_labeled = int(y.sum())
    if not any(
        rule.n_labeled >= one.share * n_labeled
        and rule.n_labeled >= one.purity * rule.n_rows
        and (rule.kind == "missing" or rule.n_rows >= one.n_rows)
        for one in _THRESHOLDS
    ):
        return False
    # A range may start at any labeled row: the rows after it are labeled or not.
    chance = binom.sf(rule.n_labeled - 2, rule.n_rows - 1, n_labeled / len(y))
    return bool(chance * n_labeled * n_columns <= _CHANCE)


def _merit(rule: _Rule) -> float:
    return rule.n_labeled**2 / rule.n_rows  # purity times labels held


def _build_leak(name: str, rule: _Rule, y: NDArray[np.int8]) -> Leak:
    n_labeled, n_unlabeled = int(y.sum()), int((y == 0).sum())
    hits = rule.n_labeled / n_labeled
    alarms = (rule.n_rows - rule.n_labeled) / n_unlabeled
    return Leak(
        name,
        rule.kind,
        rule.where,
        rule.n_labeled,
        rule.n_rows,
        hits,
        float((1 + hits - alarms) / 2),
    )
