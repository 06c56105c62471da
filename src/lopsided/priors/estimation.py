"""One call for a prior: its value, its interval, and whether the table identifies it."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import (
    SCENARIOS,
    as_generator,
    check_choice,
    check_count,
    check_labels,
    check_level,
    check_n_rows,
    check_scores,
)
from lopsided._warnings import warn
from lopsided.exceptions import PriorWarning
from lopsided.priors._inputs import check_answer, check_columns, check_rows, check_weight
from lopsided.priors.auto import AutoPrior, LabelFrequencyPosterior
from lopsided.priors.belief import Beta
from lopsided.priors.km2 import KM2Prior
from lopsided.priors.protocol import PriorEstimator
from lopsided.priors.registry import check_belief, name_of_prior, resolve_prior
from lopsided.priors.tice import TIcEPrior
from lopsided.priors.twice_labeled import TwiceLabeledPrior

__all__ = [
    "MIN_LABELED",
    "PriorEstimate",
    "PriorLike",
    "estimate_prior",
    "warn_unidentified",
]

# When a table is said not to identify the prior; chosen together with the error model.
MIN_LABELED = 5
_MIN_AUC = 0.8
_MAX_RATIO = 6.0  # of the ends of the 90 % interval
_MAX_PRIOR = 1 - 1e-9  # no method can learn from positives alone
_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class PriorEstimate:
    """An estimated prior.

    Attributes
    ----------
    value : float
        The share of positives: among all rows, or in the two-sample scenario among the
        unlabeled ones.
    low, high : float
        The interval; without a bootstrap, both are the value.
    level : float
        The chance with which it is meant to hold the truth.
    identified : bool
        Whether the table tells the prior. If not, the value is little more than a guess: that
        of "auto" the belief on the label frequency, that of another method its assumption.
    n_hidden : float
        Positives among the unlabeled rows, as the value has it; rows count by their weights.
    method : str
        The name of the estimator.
    sentence : str
        All of it in words.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [200, 1800])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> found = estimate_prior(y, y_true + rng.normal(0, 0.2, 2000))
    >>> print(found.sentence.partition(":")[0])
    A share of 0.094 is positive (90 % interval 0.068 to 0.14)
    >>> found.identified, round(found.n_hidden)
    (True, 101)
    """

    value: float
    low: float
    high: float
    level: float
    identified: bool
    n_hidden: float
    method: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


# What the parameter `prior` of a method may be: names are those of `list_priors`.
PriorLike = float | str | PriorEstimate | PriorEstimator


def estimate_prior(
    y: Any,
    scores: Any,
    *,
    method: str | PriorEstimator = "auto",
    X: Any = None,
    label_frequency: Beta | None = None,
    scenario: Literal["one-sample", "two-sample"] = "one-sample",
    level: float = 0.9,
    n_draws: int = 100,
    weight: Any = None,
    n_rows: float | None = None,
    random_state: Any = None,
) -> PriorEstimate:
    """Return the share of positives, from labels and scores by models that have not seen them.

    Out-of-bag or out-of-fold scores are needed: a model ranks the labeled rows it was fitted on
    too high, and the prior comes out too low.

    No method is unbiased without an assumption. All take labels to be given completely at
    random (SCAR); where positives that look like negatives are labeled last, all estimates are
    too low. All but "twice-labeled" need a region where nearly all rows are positive, without
    which they are too high. "auto" allows for both in its interval. What another method says
    counts as identified only inside of that interval.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative: one of the population,
        but no row that a positive can hide in.
    scores : array of shape (n_rows,)
        Larger = more positive; only their order counts.
    method : str or PriorEstimator, default="auto"
        One of `list_priors()`, or an estimator with parameters of your own.
    X : array of shape (n_rows, n_features) or None, default=None
        Columns for those that work on columns, "tice" and "km2".
    label_frequency : Beta or None, default=None
        The belief on the share of the positives that are labeled; only "auto" takes it. None
        is the weak `Beta(2, 2)`, half of them.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows belong to the population whose share of positives is asked for.
    level : float, default=0.9
        Of the interval: the posterior's for "auto", else from a bootstrap of labeled and of
        unlabeled rows. The latter knows only the noise of sampling, and covers the truth much
        less often than it says wherever an estimator is biased. Where it does not move the
        value at all, the interval is widened to that of "auto".
    n_draws : int, default=100
        Draws of that bootstrap; 0 leaves it out, both ends are then the value.
    weight : array of shape (n_rows,) or None, default=None
        How often each row counts; "tice" and "km2" use it for the labeled share alone.
    n_rows : float or None, default=None
        How many rows the weights stand for in all, where those given are a summary of more.
        None is as many as are given: weights then say how rows count beside each other, and not
        how sure an estimate can be.
    random_state : int, Generator or None, default=None
        Source of randomness of the bootstrap and of those that draw rows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [200, 1800])
    >>> y = y_true * (rng.random(2000) < 0.5)
    >>> found = estimate_prior(y, y_true + rng.normal(0, 0.2, 2000))
    >>> found.identified, found.low < 0.1 < found.high
    (True, True)
    """
    given = check_labels(y, keep_reviewed=True)
    labels = np.maximum(given, 0)
    values = check_scores(scores, labels)
    check_choice(scenario, SCENARIOS, "scenario")
    check_level(level)
    estimator = resolve_prior(method)
    weight = None if weight is None else check_weight(weight, labels)
    counts = _count_rows(given, weight)
    if weight is not None:
        n_all = len(labels) if n_rows is None else check_n_rows(n_rows)
        weight = weight * (n_all / weight.sum())
    if X is not None and isinstance(estimator, (TIcEPrior, KM2Prior)):
        X = check_columns(X, len(labels))
    elif X is not None:
        X = check_rows(X, len(labels))
    if label_frequency is not None:
        check_belief(label_frequency)
        if not isinstance(estimator, AutoPrior):
            raise ValueError(
                "A belief on the label frequency goes with the method 'auto', got "
                f"{quote(method)}. Leave one of the two out."
            )
        estimator = AutoPrior(label_frequency, estimator.noise)
    auto = estimator if isinstance(estimator, AutoPrior) else AutoPrior()
    posterior = auto.posterior(values, labels, weight)
    name = name_of_prior(method)
    tail = (1 - level) / 2
    found = _Span(*(posterior.prior(quantile) for quantile in (0.5, tail, 1 - tail)))
    doubt, note = _find_doubt(posterior, counts.n_labeled_rows), ""
    if estimator is not auto:
        if counts.n_labeled_rows < 2 and not isinstance(estimator, TwiceLabeledPrior):
            raise ValueError(
                f"{name} needs two labeled rows to estimate a prior from, got 1. Label more "
                "rows, or use 'auto', for which one is enough."
            )
        rng, n_draws = as_generator(random_state), check_count(n_draws, "n_draws", 0)
        value = check_answer(estimator.estimate(values, labels, rng, X, weight), name)
        draws = _bootstrap(estimator, values, labels, X, weight, rng, n_draws)
        own = _Span.of(value, draws, tail, least=posterior.labeled_share)
        if not (doubt or found.low <= own.value <= found.high):
            doubt = (
                f"{name} says {own.value:.2g}, and the default estimate, which allows for more "
                f"kinds of error, {found.low:.2g} to {found.high:.2g}"
            )
        if draws and own.low == own.high:
            own = _Span(own.value, min(own.low, found.low), max(own.high, found.high))
            note = (
                f"A bootstrap does not move {name}: the interval is widened to the default's."
            )
        found = own
    return _conclude(found, posterior, counts, scenario, level, name, doubt, note)


def warn_unidentified(found: PriorEstimate, said: str = "") -> None:
    """Warn where the table does not identify a prior that is used, in the estimate's own words.

    `said` replaces them: a text without numbers is shown once where many folds are fitted.
    """
    if not found.identified:
        text = f"{said or found} Pass prior=... if you know better."
        warn(text, PriorWarning)


class _Span(NamedTuple):
    """A share of positives among all rows, and its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, draws: list[float], tail: float, least: float) -> "_Span":
        """Return an estimate with quantiles of others like it, none below the labeled share."""
        shares = np.maximum([value, *draws], least)
        low, high = np.quantile(shares, (tail, 1 - tail))
        return cls(float(shares[0]), float(min(low, shares[0])), float(max(high, shares[0])))


class _Counts(NamedTuple):
    """Labeled rows, and the weights of labeled ones, of all others, and of unlabeled ones."""

    n_labeled_rows: int
    labeled: float
    others: float  # with reviewed negatives
    unlabeled: float
    weighted: bool

    def say(self, number: float) -> str:
        """Return a number of rows in words: weights may add up to less than one."""
        return f"{number:.2g}" if self.weighted and number < 10 else f"{number:,.0f}"


def _count_rows(y: NDArray[Any], weight: Any) -> _Counts:
    heavy = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    labeled = y == 1
    return _Counts(
        int((labeled & (heavy > 0)).sum()),
        float(heavy[labeled].sum()),
        float(heavy[~labeled].sum()),
        float(heavy[y == 0].sum()),
        weighted=bool((heavy != 1).any()),
    )


def _bootstrap(
    estimator: PriorEstimator,
    scores: NDArray[Any],
    y: NDArray[Any],
    X: Any,
    weight: Any,
    rng: np.random.Generator,
    n_draws: int,
) -> list[float]:
    """Return estimates on rows drawn with replacement, labeled and unlabeled ones apart."""
    sides = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    heavy = None if weight is None else np.asarray(weight)
    estimates = []
    for _ in range(n_draws):
        rows = np.concatenate([rng.choice(side, len(side)) for side in sides])
        drawn = None if X is None else X[rows]
        kept = None if heavy is None else heavy[rows] * (heavy.sum() / heavy[rows].sum())
        estimates.append(estimator.estimate(scores[rows], y[rows], rng, drawn, kept))
    return estimates


def _conclude(
    found: _Span,
    posterior: LabelFrequencyPosterior,
    counts: _Counts,
    scenario: str,
    level: float,
    method: str,
    doubt: str,
    note: str,
) -> PriorEstimate:
    """Turn shares among all rows into the answer, and say it in words."""
    share = posterior.labeled_share
    unlabeled = _Span(*((value - share) / (1 - share) for value in found))  # among those
    asked = found if scenario == "one-sample" else unlabeled
    value, low, high = (float(number) for number in asked)
    value = min(value, _MAX_PRIOR)
    low = min(low, value)
    n_hidden = unlabeled.value * counts.others
    # Where few rows are left to review, no more can be said to hide than there are.
    hidden, fewest, most = (min(n * counts.others, counts.unlabeled) for n in unlabeled)
    say = counts.say
    one = say(hidden) == "1"
    finds = f"{say(hidden)} positive" + "s" * (not one)
    interval = "no interval"
    if low < high:
        interval = f"{level * 100:g} % interval {low:.2g} to {high:.2g}"
        finds += f" ({say(fewest)} to {say(most)})"
    rows = f"{say(counts.unlabeled)} unlabeled row" + "s" * (counts.unlabeled != 1)
    if counts.weighted:
        rows += f", beside {say(counts.labeled)} labeled ones, counted by their weights"
    sentence = (
        f"A share of {value:.2g} is positive ({interval}): about {finds} "
        f"{'is' if one else 'are'} hidden among {rows}."
    )
    if doubt:
        sentence += f" This table does not identify the prior: {doubt}."
    if note:
        sentence += f" {note}"
    return PriorEstimate(value, low, high, level, not doubt, n_hidden, method, sentence)


def _find_doubt(posterior: LabelFrequencyPosterior, n_labeled_rows: int) -> str:
    """Return why the table does not tell the prior, or nothing if it does."""
    if n_labeled_rows < MIN_LABELED:
        one = n_labeled_rows == 1
        return (
            "1 labeled row is too few" if one else f"{n_labeled_rows} labeled rows are too few"
        )
    share = posterior.labeled_share
    if share < 0.5 and posterior.prior(0.5) > _NEARLY_ALL:
        return (
            "nearly all rows would have to be positive, since more of them are labeled, "
            f"{share:.2g}, than the belief on the label frequency allows"
        )
    if posterior.auc < _MIN_AUC:
        return (
            "the scores hardly tell positives from negatives, one outranks the other with "
            f"probability {posterior.auc:.2f}"
        )
    low, high = posterior.prior(0.05), posterior.prior(0.95)
    if high > _MAX_RATIO * low:
        return (
            "the top of the ranking shows no region of positives only, anything from "
            f"{low:.2g} to {high:.2g} fits"
        )
    return ""
