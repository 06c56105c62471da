r"""Risks: a loss, and how much each row weighs as a positive and as a negative.

One formula carries them all,

.. math:: \sum_i a_i\, l(s_i) + b_i\, l(-s_i),

with the signed weights :math:`a, b` of the rows. uPU, nnPU, imbalanced nnPU, iFPU and the naive
baseline differ in these weights only. They may be negative: a labeled row takes away what the
positives among the unlabeled rows cost as negatives.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from lopsided._check import check_choice
from lopsided._math import cast, detach, normalized
from lopsided._params import Params, is_real
from lopsided._terminal import quote
from lopsided.losses import FocalLoss, LogisticLoss, Loss, SigmoidLoss

__all__ = [
    "Clamp",
    "ClipAtZero",
    "GradientAscent",
    "PURisk",
    "Risk",
    "SignedWeights",
    "SupervisedRisk",
    "ifpu",
    "imbnnpu",
    "naive",
    "nnpu",
    "supervised",
    "upu",
]

# Weights from 1 to 20 rank alike on repeats from 100 on: benchmarks/results/feedback.md.
REVIEWED_WEIGHT = 5.0


class SignedWeights(NamedTuple):
    """The signed weight of each row as a positive and as a negative.

    Attributes
    ----------
    positive : array or tensor of shape (n_rows,)
        What each row counts as a positive.
    negative : array or tensor of shape (n_rows,)
        What it counts as a negative; below 0, it takes away what other rows cost.

    Examples
    --------
    >>> import numpy as np
    >>> weights = upu().raw_weights(np.array([1, 0, 0, 0]), prior=0.4)
    >>> weights.positive
    array([0.4, 0. , 0. , 0. ])
    >>> weights.negative.round(3)
    array([-0.15,  0.25,  0.25,  0.25])
    """

    positive: Any
    negative: Any


class Clamp(Protocol):
    """What to do when a PU risk estimates its negative part, never negative, below zero.

    Examples
    --------
    A clamp of your own is a function; this one halves a negative part that has sunk below zero:

    >>> def halve(negative_part):
    ...     return (1.0, 0.5) if negative_part < 0 else (1.0, 1.0)
    >>> nnpu(clamp=halve).clamp(-0.1)
    (1.0, 0.5)
    """

    def __call__(self, negative_part: Any) -> tuple[float, float]:
        """Return the factors of the positive and of the negative weights."""


@dataclass
class GradientAscent(Params):
    """Below `-beta`, step up along the negative part alone. Suits mini-batches.

    Parameters
    ----------
    beta : float, default=0.0
        How far below zero the negative part may sink.
    step : float, default=1.0
        Size of the step up, gamma in the paper.

    References
    ----------
    Kiryo, Niu, du Plessis, Sugiyama: Positive-unlabeled learning with non-negative risk
    estimator. NeurIPS 2017, algorithm 1.

    Examples
    --------
    >>> GradientAscent()(-0.02)  # factors of the positive and of the negative weights
    (0.0, -1.0)
    >>> GradientAscent(beta=0.05)(-0.02)
    (1.0, 1.0)
    """

    beta: float = 0.0
    step: float = 1.0

    def __call__(self, negative_part: Any) -> tuple[float, float]:
        """Return the factors of the positive and of the negative weights."""
        return (0.0, -self.step) if negative_part < -self.beta else (1.0, 1.0)


@dataclass
class ClipAtZero(Params):
    """Below zero, stop feeding the negative part. Suits boosting, which sees all rows at once.

    The gradient is that of the clamped risk: positive part plus the negative one, at least 0.

    Examples
    --------
    >>> ClipAtZero()(-0.02)  # factors of the positive and of the negative weights
    (1.0, 0.0)
    >>> ClipAtZero()(0.3)
    (1.0, 1.0)
    """

    def __call__(self, negative_part: Any) -> tuple[float, float]:
        """Return the factors of the positive and of the negative weights."""
        return (1.0, 0.0) if negative_part < 0 else (1.0, 1.0)


@dataclass
class Risk(Params):
    """A loss and how to weight rows; the same for boosters and nets.

    A new risk is a subclass with one method: `raw_weights`, or `weights` where scores matter
    to it.

    Parameters
    ----------
    loss : Loss
        What a margin costs.
    clamp : Clamp or None
        What happens when the negative part sinks below zero; None lets it.

    Examples
    --------
    Labeled rows that count three times as much as others, unlabeled ones taken for negatives:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from lopsided.losses import LogisticLoss
    >>> @dataclass
    ... class HeavyRisk(Risk):
    ...     times: float = 3.0
    ...     needs_prior = False
    ...
    ...     def raw_weights(self, y, prior, weight=None):
    ...         rows = np.ones(len(y)) if weight is None else weight
    ...         return SignedWeights(self.times * rows * (y == 1), rows * (y != 1))
    >>> HeavyRisk(LogisticLoss()).gradient(np.zeros(4), np.array([1, 0, 0, 0]), prior=0.4)
    array([-1.5,  0.5,  0.5,  0.5])
    """

    loss: Loss
    clamp: Clamp | None = None
    needs_prior: ClassVar[bool] = True  # but where a subclass says otherwise

    def check(self) -> None:
        """Raise an error if a setting makes no sense."""
        if isinstance(self.clamp, type) or not (self.clamp is None or callable(self.clamp)):
            raise ValueError(
                "clamp must be ClipAtZero(), GradientAscent() or None, got "
                f"{quote(self.clamp)}."
            )
        if not isinstance(self.loss, Loss):
            raise ValueError(
                f"loss must be a loss such as FocalLoss(), got {quote(self.loss)}."
            )
        self.loss.check()

    def raw_weights(self, y: Any, prior: float, weight: Any = None) -> SignedWeights:
        """Return the weights before any clamp, known before any score: a learner asks once."""
        raise NotImplementedError

    def weights(self, scores: Any, y: Any, prior: float, weight: Any = None) -> SignedWeights:
        """Return the signed weight of each row as a positive and as a negative.

        A risk whose weights depend on the scores overrides this method; it is then asked at
        every step.

        Parameters
        ----------
        scores : array or tensor of shape (n_rows,)
            Larger means more positive.
        y : array or tensor of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
        prior : float
            P(y_true = 1), of the table or of the unlabeled rows: see `scenario`.
        weight : array or tensor of shape (n_rows,), optional
            Sample weights; 2 counts a row twice.

        Returns
        -------
        SignedWeights
        """
        raw = self.raw_weights(y=cast(y, scores), prior=prior, weight=weight)
        if self.clamp is None:
            return raw
        up, down = self.clamp((raw.negative * self.loss.value(-scores)).sum())
        return SignedWeights(up * raw.positive, down * raw.negative)

    def objective(self, scores: Any, y: Any, prior: float, weight: Any = None) -> Any:
        """Return the number whose gradient is the step to take; `estimate` is for reporting."""
        # SignedWeights weigh rows; where they depend on the scores, no step goes through them.
        positive, negative = self.weights(detach(scores), y, prior, weight)
        return (positive * self.loss.value(scores) + negative * self.loss.value(-scores)).sum()

    def estimate(self, scores: Any, y: Any, prior: float, weight: Any = None) -> Any:
        """Return the risk itself; a clamped risk counts its negative part as at least zero."""
        positive, negative = self._unclamped().weights(scores, y, prior, weight)
        up = (positive * self.loss.value(scores)).sum()
        down = (negative * self.loss.value(-scores)).sum()
        return up + down if self.clamp is None or down > 0 else up

    def gradient(self, scores: Any, y: Any, prior: float, weight: Any = None) -> Any:
        """Return the slope of the objective in each row's score."""
        positive, negative = self.weights(scores, y, prior, weight)
        return positive * self.loss.gradient(scores) - negative * self.loss.gradient(-scores)

    def curvature(self, scores: Any, y: Any, prior: float, weight: Any = None) -> Any:
        """Return a bound of the second derivative in each row's score, never below zero.

        The second derivative itself is below zero where a weight is or where the loss is not
        convex, and a Newton step would run away there.
        """
        positive, negative = self.weights(scores, y, prior, weight)
        as_positive = abs(positive) * self.loss.curvature(scores)
        return as_positive + abs(negative) * self.loss.curvature(-scores)

    def log_odds(self, scores: Any, prior: float) -> Any:
        """Return the log-odds of a positive that scores trained on this risk stand for."""
        return self.loss.log_odds(scores)

    def fit_intercept_only(self, y: Any, prior: float, weight: Any = None) -> float:
        """Return the best constant score: where a learner starts before it knows any row.

        Weights that depend on the scores are taken as they are where all scores are 0.
        """
        from scipy.optimize import brentq

        weights = self._unclamped().weights(np.zeros(len(y)), y, prior, weight)
        up, down = weights.positive.sum(), weights.negative.sum()
        if not (up > 0 and down > 0):
            return 0.0
        goal = np.log(up / down)
        ends = [self.loss.log_odds(end) - goal for end in (-100.0, 100.0)]
        if not ends[0] < 0 < ends[1]:  # a loss whose scores only rank, such as a ramp
            return 0.0
        return float(brentq(lambda score: self.loss.log_odds(score) - goal, -100, 100))

    def _unclamped(self) -> "Risk":
        """Return the risk whose negative part may sink below zero."""
        return self if self.clamp is None else replace(self, clamp=None)


@dataclass
class _TargetedRisk(Risk):
    """A risk that can be lowered for another share of positives than the real one."""

    target_prior: float | None = None

    def log_odds(self, scores: Any, prior: float) -> Any:
        """Return the log-odds of a positive at `prior`, not at the target prior.

        On PU labels taken as they are, `prior` is the share of labeled rows.
        """
        shift = 0.0
        if self.target_prior is not None:
            wanted, real = self.target_prior, prior
            shift = float(np.log(real / (1 - real)) - np.log(wanted / (1 - wanted)))
        return self.loss.log_odds(scores) + shift

    def check(self) -> None:
        """Raise an error if a setting makes no sense."""
        super().check()
        target = self.target_prior
        if target is not None and not (is_real(target) and 0 < float(target) < 1):
            raise ValueError(
                "target_prior must lie between 0 and 1 or be None, got "
                f"{quote(self.target_prior)}."
            )


@dataclass
class PURisk(_TargetedRisk):
    r"""Risk of positive and unlabeled rows, on average that of fully labeled ones.

    .. math:: \pi' R_P^+ + \frac{1 - \pi'}{1 - \pi} (R_U^- - \pi R_P^-)

    with :math:`R_P^\pm` the mean loss of the labeled rows as positives and as negatives,
    :math:`R_U^-` that of the population as negatives, :math:`\pi` the prior and :math:`\pi'`
    the target prior, :math:`\pi` itself unless given.

    Where some rows are reviewed negatives (y = -1), of mean loss :math:`R_N^-` as negatives,
    the bracket becomes that of the PNU risk,

    .. math:: (1 - \eta) (R_U^- - \pi R_P^-) + \eta (1 - \pi) R_N^-.

    With N of n rows reviewed, :math:`\eta = (w - 1) N / (n + (w - 1) N)` makes each count as w
    rows. Without :math:`\eta` they are rows of the population like others, which is unbiased
    whichever rows were reviewed; the second term is if they are a fair sample of the negatives,
    or weighted to be one (Hsieh et al.), and lowers the variance in any case.

    Parameters
    ----------
    loss : Loss
        What a margin costs.
    clamp : Clamp or None, default=None
        `GradientAscent()` for mini-batches, `ClipAtZero()` for boosting, None for the unbiased
        risk.
    target_prior : float or None, default=None
        The prior to train for, if not the real one; 0.5 weighs both classes alike.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        One table of which some positives are labeled, or labeled rows that are a sample of
        their own beside an unlabeled one. `prior` is that of the table, or of the unlabeled
        rows.
    reviewed_weight : float, default=5.0
        As how many rows a reviewed negative counts, at least 1.

    References
    ----------
    du Plessis, Niu, Sugiyama: Convex formulation for learning from positive and unlabeled data.
    ICML 2015. Kiryo et al., NeurIPS 2017. Su, Chen, Xu: Positive-unlabeled learning from
    imbalanced data. IJCAI 2021. Sakai, du Plessis, Niu, Sugiyama: Semi-supervised
    classification based on classification from positive and unlabeled data. ICML 2017. Hsieh,
    Niu, Sugiyama: Classification from positive, unlabeled and biased negative data. ICML 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.losses import LogisticLoss
    >>> risk = PURisk(LogisticLoss(), clamp=ClipAtZero(), target_prior=0.5)
    >>> y = np.array([1, 0, 0, 0])
    >>> risk.gradient(np.zeros(4), y, prior=0.4).round(3)  # against it, the labeled row rises
    array([-0.312,  0.104,  0.104,  0.104])
    >>> round(float(risk.estimate(np.array([2.0, -2, -2, -2]), y, prior=0.4)), 3)
    0.063
    """

    scenario: Literal["one-sample", "two-sample"] = "one-sample"
    # Not shown: trials of a study are named by what is shown, and have no reviewed rows.
    reviewed_weight: float = field(default=REVIEWED_WEIGHT, repr=False)

    def raw_weights(self, y: Any, prior: float, weight: Any = None) -> SignedWeights:
        """Return the weights before any clamp."""
        target = prior if self.target_prior is None else self.target_prior
        labeled = normalized(y == 1, y, weight)
        population = normalized((y != 1) | (self.scenario == "one-sample"), y, weight)
        negative = population - prior * labeled
        reviewed = y == -1
        if reviewed.any():
            extra = (self.reviewed_weight - 1) * (population * cast(reviewed, y)).sum()
            eta = extra / (1 + extra)
            fair = normalized(reviewed, y, weight)
            negative = (1 - eta) * negative + eta * (1 - prior) * fair
        return SignedWeights(target * labeled, (1 - target) / (1 - prior) * negative)

    def check(self) -> None:
        """Raise an error if a setting makes no sense."""
        super().check()
        check_choice(self.scenario, ("one-sample", "two-sample"), "scenario")
        if not (is_real(self.reviewed_weight) and float(self.reviewed_weight) >= 1):
            raise ValueError(
                f"reviewed_weight must be at least 1, got {quote(self.reviewed_weight)}. 1 "
                "takes reviewed negatives for unlabeled rows."
            )


@dataclass
class SupervisedRisk(_TargetedRisk):
    """Mean loss of fully labeled rows; on PU labels, the naive risk of unlabeled as negative.

    Parameters
    ----------
    loss : Loss
        What a margin costs.
    clamp : None
        Unused: no part of this risk is ever negative.
    target_prior : float or None, default=None
        The share of the positives' weight, if not the one in the data; 0.5 balances the
        classes.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.losses import LogisticLoss
    >>> y = np.array([1, 0, 0, 0])
    >>> SupervisedRisk(LogisticLoss()).gradient(np.zeros(4), y, prior=0.25)
    array([-0.125,  0.125,  0.125,  0.125])
    """

    needs_prior: ClassVar[bool] = False

    def raw_weights(self, y: Any, prior: float, weight: Any = None) -> SignedWeights:
        """Return the weights before any clamp."""
        if self.target_prior is None:
            rows = normalized(y == y, y, weight)
            positive = rows * cast(y == 1, y)
            return SignedWeights(positive, rows - positive)
        return SignedWeights(
            self.target_prior * normalized(y == 1, y, weight),
            (1 - self.target_prior) * normalized(y != 1, y, weight),
        )

    def check(self) -> None:
        """Raise an error if a setting makes no sense."""
        super().check()
        if self.clamp is not None:
            raise ValueError(
                f"No part of this risk needs a clamp, got {quote(self.clamp)}. Use None."
            )


def _given(part: Any, default: type) -> Any:
    """Return a part, the default one if there is none."""
    return default() if part is None else part


def upu(loss: Loss | None = None) -> PURisk:
    """Return the unbiased PU risk (du Plessis et al. 2015), sigmoid loss by default.

    Parameters
    ----------
    loss : Loss or None, default=None
        What a margin costs; None is the sigmoid loss.

    Returns
    -------
    PURisk

    Examples
    --------
    >>> import lopsided
    >>> from lopsided.losses import LogisticLoss
    >>> model = lopsided.BoostedRiskClassifier(risk=upu(LogisticLoss()), prior=0.1)
    >>> model.risk.clamp is None  # it may sink below zero
    True
    """
    return PURisk(_given(loss, SigmoidLoss))


def nnpu(loss: Loss | None = None, clamp: Clamp | None = None) -> PURisk:
    """Return the non-negative PU risk (Kiryo et al. 2017), sigmoid loss by default.

    Parameters
    ----------
    loss : Loss or None, default=None
        What a margin costs; None is the sigmoid loss.
    clamp : Clamp or None, default=None
        What happens when the negative part sinks below zero; None is `GradientAscent()`.

    Returns
    -------
    PURisk

    Examples
    --------
    >>> nnpu(clamp=ClipAtZero())
    PURisk(loss=SigmoidLoss(), clamp=ClipAtZero(), target_prior=None, scenario='one-sample')
    """
    return PURisk(_given(loss, SigmoidLoss), _given(clamp, GradientAscent))


def imbnnpu(
    loss: Loss | None = None, clamp: Clamp | None = None, target_prior: float = 0.5
) -> PURisk:
    """Return nnPU for a population with as many positives as negatives (Su et al. 2021).

    Parameters
    ----------
    loss : Loss or None, default=None
        What a margin costs; None is the sigmoid loss.
    clamp : Clamp or None, default=None
        What happens when the negative part sinks below zero; None is `GradientAscent()`.
    target_prior : float, default=0.5
        The prior to train for; 0.5 weighs both classes alike.

    Returns
    -------
    PURisk

    Examples
    --------
    >>> import numpy as np
    >>> weights = imbnnpu().raw_weights(np.array([1, 0, 0, 0]), prior=0.4)
    >>> float(weights.positive.sum()), float(weights.negative.sum().round(3))
    (0.5, 0.5)
    """
    return PURisk(_given(loss, SigmoidLoss), _given(clamp, GradientAscent), target_prior)


def ifpu(
    gamma: float = 3.0, clamp: Clamp | None = None, target_prior: float | None = None
) -> PURisk:
    """Return the focused PU risk: nnPU on the focal loss (Zavitsanos and Paliouras).

    Parameters
    ----------
    gamma : float, default=3.0
        How strongly the focal loss neglects easy rows; 0 is the logistic loss.
    clamp : Clamp or None, default=None
        What happens when the negative part sinks below zero; None is `GradientAscent()`.
    target_prior : float or None, default=None
        The prior to train for, if not the real one.

    Returns
    -------
    PURisk

    Examples
    --------
    >>> import lopsided
    >>> risk = ifpu(gamma=2, clamp=ClipAtZero())
    >>> risk.loss
    FocalLoss(gamma=2)
    >>> model = lopsided.BoostedRiskClassifier(risk=risk, prior=0.1)
    """
    return PURisk(FocalLoss(gamma), _given(clamp, GradientAscent), target_prior)


def supervised(loss: Loss | None = None) -> SupervisedRisk:
    """Return the mean loss of fully labeled rows, logistic by default.

    Parameters
    ----------
    loss : Loss or None, default=None
        What a margin costs; None is the logistic loss.

    Returns
    -------
    SupervisedRisk

    Examples
    --------
    >>> supervised().needs_prior
    False
    """
    return SupervisedRisk(_given(loss, LogisticLoss))


def naive(loss: Loss | None = None) -> SupervisedRisk:
    """Return the risk that takes every unlabeled row for a negative, logistic by default.

    Parameters
    ----------
    loss : Loss or None, default=None
        What a margin costs; None is the logistic loss.

    Returns
    -------
    SupervisedRisk

    Examples
    --------
    >>> import numpy as np
    >>> naive().raw_weights(np.array([1, 0, 0, 0]), prior=0.4).negative
    array([0.  , 0.25, 0.25, 0.25])
    """
    return supervised(loss)
