"""Ranks, tests and intervals for methods, from the means of a table.

Values are data frames of shape (n_blocks, n_methods) without holes; larger is better.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from lopsided_bench.aggregate import DIGITS
from lopsided_bench.names import check_choice

__all__ = [
    "Friedman",
    "Interval",
    "average_ranks",
    "bootstrap_difference",
    "cliques",
    "critical_difference",
    "friedman",
    "wilcoxon_holm",
]


class Friedman(NamedTuple):
    """Tests of whether methods differ at all: Friedman's chi square, and an F from it.

    Attributes
    ----------
    chi_square, p_value : float
        Friedman's statistic and its p-value.
    iman_davenport, iman_davenport_p : float
        Iman and Davenport's F and its p-value, which is less conservative.
    n_blocks, n_methods : int
        The number of blocks and of methods.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.6, 0.7, 0.6, 0.8]})
    >>> found = friedman(values)
    >>> found.n_blocks, round(found.p_value, 3)
    (4, 0.046)
    """

    chi_square: float
    p_value: float
    iman_davenport: float
    iman_davenport_p: float
    n_blocks: int
    n_methods: int


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval.

    Attributes
    ----------
    mean : float
        The mean.
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> found = bootstrap_difference([0.9, 0.8, 0.7], [0.6, 0.7, 0.6])
    >>> found.low < found.mean < found.high
    True
    """

    mean: float
    low: float
    high: float


def average_ranks(values: pd.DataFrame) -> "pd.Series[float]":
    """Return the average rank of each method over blocks: 1 is best, ties share their ranks.

    Parameters
    ----------
    values : DataFrame of shape (n_blocks, n_methods)
        A metric, the larger the better; a block is a data set or a setting of one.

    Returns
    -------
    Series of shape (n_methods,)

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.6, 0.9, 0.6], "c": [0.5] * 3})
    >>> average_ranks(values).round(2).to_dict()
    {'a': 1.33, 'b': 1.67, 'c': 3.0}
    """
    return _complete(values).rank(axis=1, ascending=False).mean()


def friedman(values: pd.DataFrame) -> Friedman:
    r"""Test whether all methods rank alike, with the correction for ties.

    With :math:`r_{ij}` the rank of method j of k in block i of N, and :math:`m = (k + 1) / 2`,

    .. math:: \chi^2 = (k-1) \sum_j (\sum_i (r_{ij} - m))^2 / \sum_{ij} (r_{ij} - m)^2

    and Iman and Davenport's :math:`F = (N-1)\chi^2 / (N(k-1) - \chi^2)`, with k-1 and
    (k-1)(N-1) degrees of freedom. Demsar's own formula has no correction for ties.

    Parameters
    ----------
    values : DataFrame of shape (n_blocks, n_methods)
        A metric, the larger the better; a block is a data set or a setting of one.

    Returns
    -------
    Friedman

    References
    ----------
    Demsar: Statistical comparisons of classifiers over multiple data sets. JMLR 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.6, 0.9, 0.6], "c": [0.5] * 3})
    >>> round(friedman(values).p_value, 2)
    0.1
    """
    n_blocks, n_methods = _complete(values).shape
    if n_blocks < 2 or n_methods < 2:
        raise ValueError(
            f"Ranks need at least two blocks and two methods, got {n_blocks} and {n_methods}."
        )
    off = values.rank(axis=1).to_numpy() - (n_methods + 1) / 2
    spread, degrees = float((off**2).sum()), n_methods - 1
    chi = degrees * float((off.sum(axis=0) ** 2).sum()) / spread if spread else 0.0
    # One order in every block leaves nothing to divide by: exactly 0, as ranks are halves.
    rest = n_blocks * degrees - chi
    f = (n_blocks - 1) * chi / rest if rest > 0 else float("inf")
    p_value = float(stats.chi2.sf(chi, degrees))
    sharper_p = float(stats.f.sf(f, degrees, degrees * (n_blocks - 1)))
    return Friedman(chi, p_value, f, sharper_p, n_blocks, n_methods)


def critical_difference(n_methods: int, n_blocks: int, level: float = 0.05) -> float:
    """Return the least difference of two average ranks that is significant (Nemenyi's test).

    Parameters
    ----------
    n_methods : int
        Number of methods.
    n_blocks : int
        Number of blocks that they were ranked on.
    level : float, default=0.05
        The probability of a significant difference between any two equal methods.

    Returns
    -------
    float

    Examples
    --------
    >>> round(critical_difference(n_methods=10, n_blocks=14), 2)
    3.62
    """
    if n_methods < 2 or n_blocks < 1:
        raise ValueError(
            f"Ranks need two methods and a block at least, got {n_methods} and {n_blocks}."
        )
    # Tables of the test give the studentized range over the root of 2.
    wide = float(stats.studentized_range.ppf(1 - level, n_methods, np.inf))
    return wide / 2**0.5 * float((n_methods * (n_methods + 1) / (6 * n_blocks)) ** 0.5)


def cliques(ranks: "pd.Series[float]", difference: float) -> list[tuple[str, ...]]:
    """Return the largest groups of methods without a significant difference, best ranks first.

    The average ranks of a group lie within the given difference.

    Parameters
    ----------
    ranks : Series of shape (n_methods,)
        Average ranks.
    difference : float
        The critical difference.

    Returns
    -------
    list of tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> cliques(pd.Series({"a": 1.2, "b": 2.0, "c": 3.9}), difference=1.0)
    [('a', 'b')]
    """
    ordered = ranks.sort_index().sort_values(kind="stable")
    names, places = [str(name) for name in ordered.index], ordered.to_numpy(dtype=float)
    found, reached = [], 0
    for start, place in enumerate(places):
        end = int(np.searchsorted(places, place + difference + 1e-9, side="right"))
        if end - start > 1 and end > reached:
            found.append(tuple(names[start:end]))
            reached = end
    return found


def wilcoxon_holm(values: pd.DataFrame, base: str) -> pd.DataFrame:
    """Compare a base with each other method by Wilcoxon's signed ranks, with Holm's correction.

    The mean difference is the score of the base (first) minus the score of the other (second).

    Parameters
    ----------
    values : DataFrame of shape (n_blocks, n_methods)
        A metric, the larger the better.
    base : str
        The column that every other column is compared with.

    Returns
    -------
    DataFrame
        A row for each other method.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> a = np.random.default_rng(0).random(14)
    >>> values = pd.DataFrame({"a": a, "b": a - np.arange(1, 15) / 100})
    >>> wilcoxon_holm(values, "a")[["second", "mean_difference", "p_holm"]].round(4).values
    array([['b', 0.075, 0.0001]], dtype=object)
    """
    names = [str(name) for name in _complete(values).columns]
    check_choice(base, names, "method")
    rows = []
    for name in names:
        if name != base:
            # Rounded, for 0.3 - 0.2 and 0.2 - 0.1 are equal differences and must tie.
            gap = np.round(values[base].to_numpy() - values[name].to_numpy(), DIGITS)
            p_value = float(stats.wilcoxon(gap).pvalue) if gap.any() else 1.0
            rows.append((base, name, float(gap.mean()), p_value))
    pairwise = pd.DataFrame(rows, columns=["first", "second", "mean_difference", "p_value"])
    return pairwise.assign(p_holm=_holm(pairwise["p_value"].to_numpy(dtype=float)))


def bootstrap_difference(
    first: Any, second: Any, n_draws: int = 2000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Return the mean of first minus second, with a bootstrap interval over data sets.

    Parameters
    ----------
    first, second : array of shape (n_datasets,)
        A metric of two methods on the same data sets, in the same order.
    n_draws : int, default=2000
        Number of bootstrap draws.
    level : float, default=0.95
        Level of the interval.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    Interval

    Examples
    --------
    >>> found = bootstrap_difference([0.9, 0.8, 0.7], [0.6, 0.7, 0.6])
    >>> print(f"{found.mean:.2f} ({found.low:.2f} to {found.high:.2f})")
    0.17 (0.10 to 0.30)
    """
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.ndim != 1 or one.shape != two.shape or not len(one):
        raise ValueError(
            "Both methods need a score for each data set, "
            f"got shapes {one.shape} and {two.shape}."
        )
    # Sorted, so that the order of the data sets does not matter.
    gap = np.sort(one - two)
    if np.isnan(gap).any():
        raise ValueError(
            "Scores must be numbers, got NaN. Leave out data sets without a score."
        )
    drawn = np.random.default_rng(seed).integers(len(gap), size=(n_draws, len(gap)))
    tail = (1 - level) / 2
    low, high = np.quantile(gap[drawn].mean(axis=1), [tail, 1 - tail])
    return Interval(float(gap.mean()), float(low), float(high))


def _complete(values: pd.DataFrame) -> pd.DataFrame:
    if values.isna().to_numpy().any():
        raise ValueError(
            "Every method needs a value in every block, got NaN. Leave out methods or blocks."
        )
    return values


def _holm(p_values: NDArray[Any]) -> NDArray[Any]:
    """Return Holm's step-down p values: the smallest times m, the next times m - 1, ..."""
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(p_values), 0, -1) * p_values[order]
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted
