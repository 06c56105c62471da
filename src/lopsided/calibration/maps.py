r"""Maps from scores to log-odds of being positive, fitted on PU labels.

A row that is positive with log-odds :math:`f` is labeled with probability

.. math:: g = c\,\sigma(f), \qquad c = \frac{L}{n \pi},

if L of n rows are labeled completely at random and a share :math:`\pi` of them are positives.
The maps :math:`f` minimise the log-loss of the labels under :math:`g`: proper, at least 0, and
least at the true :math:`f`. The unbiased PU log-loss of `lopsided.calibration.pu_log_loss` has
the same minimum with endless data. With few labels it falls without bound where they outscore
all other rows, and it follows a prior that is too high, where here the labels object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided._math import sigmoid, softplus
from lopsided._validation import (
    as_floats,
    check_choice,
    check_labels,
    check_n_rows,
    check_prior,
)

__all__ = [
    "METHODS",
    "AffineMap",
    "BetaMap",
    "CalibrationMap",
    "IsotonicMap",
    "fit_calibration",
]

METHODS = ("temperature", "platt", "beta", "isotonic")

Method = Literal["temperature", "platt", "beta", "isotonic"]
Scenario = Literal["one-sample", "two-sample"]
Rows = NDArray[np.float64]

_MAX_SCORE = 1e150  # beyond, products of scores would not be finite
_MAX_FITTED = 1e4  # scales from the center; a row beyond fits like one there
_MIN_SLOPE = 1e-3  # per scale, so that log-odds rise with the scores whatever the labels say
_PENALTY = 0.003  # of squared slopes, in rows: keeps them finite where labels are separated
_BEND_PENALTY = 0.01  # of the squared difference of both slopes of a beta map, in rows
_MAX_ROWS = 20_000  # from here on rows are merged that lie within a thousandth of a scale
_MAX_INTERCEPT = 50.0  # in log-odds, where a probability is 0 or 1 for all purposes


class CalibrationMap(Protocol):
    """Turns scores into log-odds of being positive.

    Examples
    --------
    >>> found = fit_calibration([3.0, 2.0, 1.0, 0.0], [1, 0, 0, 0], prior=0.5, method="platt")
    >>> found.transform([0.0, 3.0]).round(1)
    array([-15.4,   3.5])
    """

    def transform(self, scores: Any) -> Rows:
        """Return the log-odds of being positive of each score, finite and rising with it."""


@dataclass(frozen=True)
class AffineMap:
    """Temperature and Platt scaling: a line through the scores.

    Parameters
    ----------
    slope : float
        Above 0.
    intercept : float
        Log-odds at `center`.
    center : float
        The score where the line starts.
    """

    slope: float
    intercept: float = 0.0
    center: float = 0.0

    def transform(self, scores: Any) -> Rows:
        """Return the log-odds of being positive of each score."""
        return self.intercept + self.slope * (_as_scores(scores) - self.center)


@dataclass(frozen=True)
class BetaMap:
    r"""Beta calibration: a line that bends softly, with a slope of its own for high scores.

    With :math:`z` the scores in units of `scale` from `center`,

    .. math:: f = b + a_0 \log \sigma(z) - a_1 \log \sigma(-z),

    which rises by :math:`a_0` far below the center and by :math:`a_1` far above it; with equal
    slopes it is Platt's line.

    Parameters
    ----------
    low_slope, high_slope : float
        The two slopes, above 0.
    intercept, center, scale : float
        What is added, and where and how fast the line bends.
    """

    low_slope: float
    high_slope: float
    intercept: float
    center: float
    scale: float

    def transform(self, scores: Any) -> Rows:
        """Return the log-odds of being positive of each score."""
        places = (_as_scores(scores) - self.center) / self.scale
        # A line and a bend that both rise: the order outlives rounding.
        bend = self.high_slope - self.low_slope
        with np.errstate(invalid="ignore"):  # NaN stays NaN
            bent = bend * softplus(places if bend >= 0 else -places)
        return self.intercept + (min(self.low_slope, self.high_slope) * places + bent)


@dataclass(frozen=True, eq=False)
class IsotonicMap:
    """Isotonic calibration: log-odds by interpolation between knots; neighbors may tie.

    Parameters
    ----------
    scores, proba : ndarray of shape (n_knots,)
        The knots, rising.
    """

    scores: Rows
    proba: Rows

    def transform(self, scores: Any) -> Rows:
        """Return the log-odds of being positive of each score."""
        proba = np.interp(_as_scores(scores), self.scores, self.proba)
        return np.log(proba) - np.log1p(-proba)


def fit_calibration(
    scores: Any,
    y: Any,
    prior: Any,
    method: Method = "beta",
    sample_weight: Any = None,
    *,
    scenario: Scenario = "one-sample",
    n_rows: float | None = None,
) -> CalibrationMap:
    r"""Return the map from scores to log-odds of being positive that PU labels support.

    "temperature" divides log-odds by a number and leaves their boundary at 0; "platt" is a
    line, for any scores; "beta" a line that may bend once. They rise strictly, so that a
    ranking survives them, and minimise

    .. math:: -\sum_{labeled} \log g - \sum_{unlabeled} \log(1 - g), \qquad g = c\,\sigma(f),

    with :math:`c = L / (n \pi)`, plus a slight penalty on their slopes. "isotonic" regresses
    the labels on the scores and divides by c; what is cut off at 1 is made up for by the other
    rows, so that the mean probability is the prior where that takes a factor of at most 2.

    Under SCAR all of them tend to the best map of their kind. That of "temperature" may be far
    from right on average: with no intercept it cannot move the boundary, and where scores are
    not centered on it, the mean probability is not the prior. If rows with high scores are
    labeled more often, the probabilities are too high at the top and too low below.

    Parameters
    ----------
    scores : array of shape (n_rows,)
        Larger = more positive, of models that have not seen the row. Rows whose score is NaN
        are left out.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    prior : float or PriorEstimate
        P(y_true = 1) among all rows; among the unlabeled ones if there are two samples.
    method : {"beta", "platt", "temperature", "isotonic"}, default="beta"
        The kind of map.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows; 2 counts a row twice.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the labeled rows are some of the positives of one table, or a sample of their
        own. Then the odds of a label are :math:`L \sigma(f) / (U \pi)`, with U unlabeled rows.
    n_rows : float or None, default=None
        How many rows the weights stand for in all, where those given are a summary of more;
        None is as many as are given. The more there are, the less the penalty matters.

    Returns
    -------
    CalibrationMap
        Its `transform` takes scores of any rows.

    References
    ----------
    Ward, Hastie, Barry, Elith, Leathwick: Presence-only data and the EM algorithm.
    Biometrics 2009.
    Kull, Silva Filho, Flach: Beyond sigmoids: how to obtain well-calibrated probabilities from
    binary classifiers with beta calibration. EJS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=2000)
    >>> positive = rng.random(2000) < 1 / (1 + np.exp(3 - 2 * scores))
    >>> y = positive & (rng.random(2000) < 0.5)
    >>> found = fit_calibration(scores, y, prior=positive.mean(), method="platt")
    >>> found.transform([0.0, 1.5]).round(1)
    array([-3.2,  0.3])
    """
    check_choice(method, METHODS, "calibration")
    check_choice(scenario, ("one-sample", "two-sample"), "scenario")
    rows = _known_rows(scores, y, sample_weight)
    if n_rows is not None:
        rows = rows._replace(weight=rows.weight * (check_n_rows(n_rows) / len(rows.weight)))
    one_sample = scenario == "one-sample"
    prior = check_prior(prior, rows.labeled_share if one_sample else 0.0)
    if method == "isotonic":
        return _fit_isotonic(rows, prior, one_sample)
    return _fit_smooth(rows, prior, method, one_sample)


class _KnownRows(NamedTuple):
    """Rows that count: their scores, whether they are labeled, and their weights."""

    scores: Rows
    labeled: NDArray[np.bool_]
    weight: Rows

    @property
    def labeled_share(self) -> float:
        return float(self.weight[self.labeled].sum() / self.weight.sum())


def _as_scores(scores: Any) -> Rows:
    return np.clip(as_floats(scores, "scores"), -_MAX_SCORE, _MAX_SCORE)


def _known_rows(scores: Any, y: Any, sample_weight: Any) -> _KnownRows:
    """Return the rows that have a score and a weight, or say what is missing."""
    labels, values = check_labels(y), _as_scores(scores)
    weight = np.ones(len(labels))
    if sample_weight is not None:
        weight = as_floats(sample_weight, "sample_weight")
    for name, column in (("scores", values), ("sample_weight", weight)):
        if column.shape != labels.shape:
            raise ValueError(
                f"{name} must be one number per label {labels.shape}, got {column.shape}."
            )
    if not (weight >= 0).all() or not np.isfinite(weight).all():
        raise ValueError("sample_weight must hold finite numbers from 0 on, got others.")
    kept = ~np.isnan(values) & (weight > 0)
    values, labeled, weight = values[kept], labels[kept] == 1, weight[kept]
    if not labeled.any() or labeled.all():
        raise ValueError(
            "Some labeled and some unlabeled rows must have a score and a weight above 0, got "
            f"{labeled.sum()} and {(~labeled).sum()}. Score them by models that have not seen "
            "them."
        )
    weight = weight / weight.max()
    return _KnownRows(values, labeled, weight / weight.mean())


def _fit_smooth(
    rows: _KnownRows, prior: float, method: str, one_sample: bool
) -> AffineMap | BetaMap:
    """Return the line, bent or not, that minimises the log-loss of the labels."""
    center, scale = _locate(rows, prior)
    center = 0.0 if method == "temperature" else center
    hidden = _log_hidden(rows, prior, one_sample)
    places = ((rows.scores - center) / scale).clip(-_MAX_FITTED, _MAX_FITTED)
    rows = rows._replace(scores=places)
    if len(places) > _MAX_ROWS:
        rows = _merge_close(rows)
    places, ones = rows.scores, np.ones_like(rows.scores)
    if method == "beta":
        slopes, offsets = [-softplus(-places), softplus(places)], [ones]
    else:
        slopes, offsets = [places], [] if method == "temperature" else [ones]

    def loss(log_odds: Rows) -> tuple[float, Rows]:
        value, slope = _label_log_loss(log_odds, rows.labeled, hidden, one_sample)
        return float(rows.weight @ value), rows.weight * slope

    found = _minimise(loss, slopes, offsets)
    if method == "beta":
        low_slope, high_slope, intercept = found
        return BetaMap(low_slope, high_slope, intercept, center, scale)
    return AffineMap(found[0] / scale, sum(found[1:]), center)


def _minimise(
    loss: Callable[[Rows], tuple[float, Rows]], slopes: list[Rows], offsets: list[Rows]
) -> list[float]:
    """Return the factors of the columns at which the penalised loss of their sum is least."""
    from scipy.optimize import minimize

    basis = np.column_stack([*slopes, *offsets])
    n_rows, n_slopes = basis.shape[0], len(slopes)

    def objective(theta: Rows) -> tuple[float, Rows]:
        value, slope = loss(basis @ theta)
        steep, gradient = theta[:n_slopes], slope @ basis
        value += _PENALTY / 2 * float(steep @ steep) + _BEND_PENALTY * float(np.ptp(steep)) ** 2
        gradient[:n_slopes] += _PENALTY * steep
        gradient[:n_slopes] += 2 * _BEND_PENALTY * n_slopes * (steep - steep.mean())
        return value / n_rows, gradient / n_rows

    start = [1.0] * n_slopes + [0.0] * len(offsets)
    bounds: list[Any] = [(_MIN_SLOPE, None)] * n_slopes
    bounds += [(-_MAX_INTERCEPT, _MAX_INTERCEPT)] * len(offsets)
    options: Any = {"ftol": 1e-12, "gtol": 1e-8, "maxiter": 500}
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return [float(value) for value in found.x]


def _locate(rows: _KnownRows, prior: float) -> tuple[float, float]:
    """Return where the line bends, at the best rows as many as the prior says, and a scale.

    A few huge scores do not stretch the scale.
    """
    at = np.quantile(
        rows.scores, [0.01, 1 - prior, 0.99], weights=rows.weight, method="inverted_cdf"
    )
    for low, high in ((at[0], at[2]), (rows.scores.min(), rows.scores.max())):
        spread = max(float(high - low), 1e-100)
        deviations = (rows.scores.clip(low, high) - at[1]) / spread
        scale = spread * float(np.sqrt(np.average(deviations**2, weights=rows.weight)))
        if scale > 1e-100:
            return float(at[1]), float(scale)
    return float(at[1]), 1.0  # all scores are alike


def _merge_close(rows: _KnownRows) -> _KnownRows:
    """Return rows of like label and score as one: thousands do as well as millions."""
    merged = []
    for kind in (False, True):
        own = rows.labeled == kind
        values, index = np.unique(rows.scores[own].round(3), return_inverse=True)
        weight = np.bincount(index, rows.weight[own])
        merged.append((values, np.full(len(values), kind), weight))
    return _KnownRows(*(np.concatenate(column) for column in zip(*merged, strict=True)))


def _log_hidden(rows: _KnownRows, prior: float, one_sample: bool) -> float:
    """Return log(1 - c), or log(1 + k) with the odds k of a label of a sure positive."""
    share = rows.labeled_share
    if not one_sample:
        return float(np.log1p(share / ((1 - share) * prior)))
    return float(np.log1p(-share / prior)) if share < prior else -np.inf


def _label_log_loss(
    log_odds: Rows, labeled: NDArray[np.bool_], hidden: float, one_sample: bool
) -> tuple[Rows, Rows]:
    r"""Return the log-loss of each row's label, and its derivative by the log-odds.

    With :math:`h = 1 - c` an unlabeled row costs :math:`-\log(1 - c\,\sigma(f)) =
    \log(1 + e^f) - \log(1 + h e^f)`, a labeled one :math:`\log(1 + e^{-f})`. In two samples
    :math:`h = 1 + k`, and the same difference is subtracted from all rows instead.
    """
    gap = softplus(log_odds) - softplus(log_odds + hidden)
    gap_slope = sigmoid(log_odds) - sigmoid(log_odds + hidden)
    loss, slope = softplus(-log_odds), -sigmoid(-log_odds)
    if one_sample:
        return np.where(labeled, loss, gap), np.where(labeled, slope, gap_slope)
    return np.where(labeled, loss, 0.0) - gap, np.where(labeled, slope, 0.0) - gap_slope


def _fit_isotonic(rows: _KnownRows, prior: float, one_sample: bool) -> IsotonicMap:
    """Return the isotonic regression of the labels, scaled to probabilities of a positive."""
    from sklearn.isotonic import IsotonicRegression

    share = rows.labeled_share
    model = IsotonicRegression(out_of_bounds="clip").fit(
        rows.scores, rows.labeled.astype(float), sample_weight=rows.weight
    )
    knots = np.asarray(model.X_thresholds_, dtype=np.float64)
    labels = np.asarray(model.y_thresholds_, dtype=np.float64)
    least = 0.5 / (len(rows.scores) + 1)  # half a label among all rows
    labels = labels.clip(least, 1 - least)
    if one_sample:
        ratio, weight = labels * prior / share, rows.weight
    else:
        ratio = labels / (1 - labels) * prior * (1 - share) / share
        weight = rows.weight * ~rows.labeled
    of_rows = np.interp(rows.scores, knots, ratio)
    factor = _factor_to_mean(of_rows, weight, prior)
    return IsotonicMap(knots, (factor * ratio).clip(least, 1 - least))


def _factor_to_mean(ratio: Rows, weight: Rows, prior: float) -> float:
    """Return the factor, 1 to 2, that brings the mean of ratios cut off at 1 to the prior."""
    low, high = 1.0, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        enough = np.average(np.minimum(middle * ratio, 1), weights=weight) >= prior
        low, high = (low, middle) if enough else (middle, high)
    return low
