"""Blind recall: how many confirmed cases the list would have found, had nobody known them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._terminal import quote
from lopsided._validation import as_floats, as_generator, check_level, check_scores
from lopsided.diagnostics._rows import (
    LEVEL,
    check_cuts,
    check_rows,
    stands_within,
)

__all__ = ["BlindRecall", "Rival", "blind_recall"]

_DRAWS = 4000


@dataclass(frozen=True)
class Rival:
    """What another score finds among the same labeled rows, and the paired difference.

    Attributes
    ----------
    name : str
        As the caller named it.
    n_found : float
        Labeled rows that stand in the first k by this score.
    difference, low, high : float
        Rows that the model finds more than the rival, with its interval. One of them is said
        to find more only if the interval is all on its side.
    p_value : float
        Of an exact sign test (McNemar's) of the labeled rows that only one of the two finds.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import blind_recall
    >>> y = np.repeat([1, 0], [30, 300])
    >>> rng = np.random.default_rng(0)
    >>> model, desk = (strength * y + rng.normal(size=330) for strength in (2, 1))
    >>> rival = blind_recall(y, model, 40, rivals={"the desk": desk}).rivals[0]
    >>> print(f"{rival.n_found:.0f} found; the model {rival.difference:+.0f} more")
    15 found; the model +11 more
    """

    name: str
    n_found: float
    difference: float
    low: float
    high: float
    p_value: float

    def __str__(self) -> str:
        if self.low > 0:
            verdict = "the model finds more"
        elif self.high < 0:
            verdict = "the model finds fewer"
        else:
            verdict = "too close to call"
        low, high = (
            # An end that is above or below 0 is not shown as 0.
            f"{end:+.1g}" if self.low * self.high > 0 and abs(end) < 0.5 else f"{end:+.0f}"
            for end in (self.low, self.high)
        )
        return (
            f"{self.name} has {self.n_found:.0f} ({verdict}: {self.difference:+.0f}, "
            f"{low} to {high})"
        )


@dataclass(frozen=True)
class BlindRecall:
    """How many labeled rows stand in the first k unlabeled ones, scored blind.

    Attributes
    ----------
    k : int
        Length of the list.
    n_labeled : int
        Labeled rows.
    n_found : float
        Those that stand in the first k; broken where ties are.
    low, high : float
        Interval, in rows: what the same number of other cases would show.
    level : float
        Its level.
    rivals : tuple of Rival
        Other scores on the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import blind_recall
    >>> y = np.repeat([1, 0], [6, 200])
    >>> scores = np.random.default_rng(0).normal(size=206) + 2 * y
    >>> found = blind_recall(y, scores, 10)
    >>> found.n_found, found.n_labeled, round(found.recall, 2)
    (5.0, 6, 0.83)
    """

    k: int
    n_labeled: int
    n_found: float
    low: float
    high: float
    level: float
    rivals: tuple[Rival, ...] = ()

    @property
    def recall(self) -> float:
        """The share of labeled rows that stand in the first k."""
        return self.n_found / self.n_labeled

    def __str__(self) -> str:
        line = (
            f"Of your {self.n_labeled} confirmed cases, scored blind, {self.n_found:.0f} stand "
            f"in the first {self.k} ({self.level:.0%} interval {self.low:.0f} to "
            f"{self.high:.0f})".replace("%", " %")
        )
        return "; ".join([line, *map(str, self.rivals)]) + "."


def blind_recall(
    y: Any,
    scores: Any,
    k: int,
    *,
    rivals: Mapping[str, Any] | None = None,
    level: float = LEVEL,
    random_state: Any = 0,
) -> BlindRecall:
    r"""Count the labeled rows that stand in the first k, as if nobody had labeled them.

    A labeled row stands in the first k if fewer than k unlabeled rows outrank it. With x such
    rows of L, the share of all positives that the first k rows hold has about the posterior
    :math:`Beta(x + 1/2, L - x + 1/2)`, whose quantiles, times L, are the interval. This holds
    if labels are given completely at random; if easy cases are labeled first, x is too high.

    A rival is compared by the labeled rows that only one of the two finds. The interval of the
    difference holds that of an exact sign test of these (McNemar's), and that of the posterior
    of all labeled rows, which also knows that other cases would show other numbers of them.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which is on no list.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it.
    k : int
        Length of the list, from 1 to the number of unlabeled rows.
    rivals : dict of str to array, or None, default=None
        Other scores of the same rows by name: a naive baseline, the desk's own score. NaN
        stands last.
    level : float, default=0.9
        Level of the intervals.
    random_state : int, Generator or None, default=0
        Source of the draws behind the intervals of differences.

    Returns
    -------
    BlindRecall
        Its `str` is one line in plain words.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [6, 200])
    >>> scores = np.random.default_rng(0).normal(size=206) + 2 * y
    >>> print(blind_recall(y, scores, 20))
    Of your 6 confirmed cases, scored blind, 6 stand in the first 20 (90 % interval 4 to 6).
    """
    from scipy.stats import beta

    if not isinstance(rivals, (Mapping, type(None))):
        raise ValueError(
            f"rivals must be scores by name, such as {{'desk': scores}}, got {quote(rivals)}."
        )
    labels, values = check_rows(y, scores, keep_reviewed=True)
    (cut,) = check_cuts(k, int((labels == 0).sum()))
    tail = (1 - check_level(level)) / 2
    inside = stands_within(labels, values, cut)
    n_labeled, found = len(inside), float(inside.sum())
    ends = np.array([tail, 1 - tail])
    low, high = n_labeled * beta.ppf(ends, found + 0.5, n_labeled - found + 0.5)
    rng = as_generator(random_state)
    return BlindRecall(
        cut,
        n_labeled,
        found,
        float(low),
        float(high),
        level,
        tuple(
            _compare(name, labels, inside, other, cut, tail, rng)
            for name, other in (rivals or {}).items()
        ),
    )


def _compare(
    name: str, labels: Any, inside: Any, other: Any, k: int, tail: float, rng: Any
) -> Rival:
    """Count what a rival finds, and the interval of the paired difference."""
    values = as_floats(other, f"rivals[{name!r}]")
    values = np.where(np.isnan(values), -np.inf, values)
    theirs = stands_within(labels, check_scores(values, labels, f"rivals[{name!r}]"), k)
    ours, both = inside * (1 - theirs), inside * theirs + (1 - inside) * (1 - theirs)
    lost = (1 - inside) * theirs
    more, fewer = float(ours.sum()), float(lost.sum())
    # Jeffreys' prior as in the single interval: 1/2 on agreement, 1/2 on both ways to differ.
    counts = np.array([more + 0.25, fewer + 0.25, both.sum() + 0.5])
    share = rng.dirichlet(counts, size=_DRAWS)
    drawn = np.quantile(share[:, 0] - share[:, 1], [tail, 1 - tail]) * len(inside)
    p_value, exact = _test_signs(more, fewer, tail)
    found = float(theirs.sum())
    difference = float(inside.sum()) - found
    low = min(float(drawn[0]), exact[0], difference)  # sums of broken counts are rounded
    high = max(float(drawn[1]), exact[1], difference)
    return Rival(name, found, difference, low, high, p_value)


def _test_signs(more: float, fewer: float, tail: float) -> tuple[float, tuple[float, float]]:
    """Return the p-value that rows go either way alike, and the interval of the difference.

    Binomial tails are written by the beta function, which takes broken counts too.
    """
    from scipy.special import betainc, betaincinv

    most, least = max(more, fewer), min(more, fewer)
    p_value = min(1.0, 2 * float(betainc(most, least + 1, 0.5))) if most > 0 else 1.0
    low = float(betaincinv(more, fewer + 1, tail)) if more > 0 else 0.0
    high = float(betaincinv(more + 1, fewer, 1 - tail)) if fewer > 0 else 1.0
    return p_value, ((more + fewer) * (2 * low - 1), (more + fewer) * (2 * high - 1))
