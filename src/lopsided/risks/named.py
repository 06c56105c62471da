"""Risks by the names that the literature gives them."""

from typing import Any

from lopsided.losses import FocalLoss, LogisticLoss, Loss, SigmoidLoss
from lopsided.risks.clamps import Clamp, GradientAscent
from lopsided.risks.pu import PURisk, SupervisedRisk

__all__ = ["ifpu", "imbnnpu", "naive", "nnpu", "supervised", "upu"]


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
    >>> from lopsided.risks import ClipAtZero
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
    >>> from lopsided.risks import ClipAtZero
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
