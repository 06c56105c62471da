r"""Losses: one margin in, one number out.

A margin is a score seen from a side: `+score` as a positive, `-score` as a negative. Every loss
gives its value and its first two derivatives, for NumPy arrays and torch tensors alike, finite
and accurate for margins up to 100 in size.
"""

from dataclasses import dataclass
from typing import Any

from lopsided._math import backend, cast, sigmoid, softplus
from lopsided._terminal import quote
from lopsided._validation import Params, is_real

__all__ = ["CalibratedFocalLoss", "FocalLoss", "LogisticLoss", "Loss", "SigmoidLoss"]

_MAX_GAMMA = 1e6  # beyond, products of it are not finite
_FAR = 80.0  # beyond, log-odds are a straight line and probabilities near 0 or 1 in float32


class Loss(Params):
    """What a loss must offer; no labels, no weights. A new one implements the first three.

    Examples
    --------
    A margin costs the exponential of what it lacks, as in AdaBoost:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> @dataclass
    ... class ExponentialLoss(Loss):
    ...     def value(self, margin):
    ...         return np.exp(-margin)
    ...     def gradient(self, margin):
    ...         return -np.exp(-margin)
    ...     def hessian(self, margin):
    ...         return np.exp(-margin)
    >>> ExponentialLoss().value(np.array([-1.0, 0.0, 2.0])).round(3)
    array([2.718, 1.   , 0.135])
    >>> ExponentialLoss().log_odds(np.array([-1.0, 0.0, 2.0]))
    array([-2.,  0.,  4.])
    """

    def value(self, margin: Any) -> Any:
        """Return the loss of each margin."""
        raise NotImplementedError

    def gradient(self, margin: Any) -> Any:
        """Return the slope of the loss in the margin."""
        raise NotImplementedError

    def hessian(self, margin: Any) -> Any:
        """Return the second derivative of the loss in the margin."""
        raise NotImplementedError

    def curvature(self, margin: Any) -> Any:
        """Return a bound of the second derivative's size, for a Newton step to divide by."""
        return backend(margin).abs(self.hessian(margin))

    def log_odds(self, margin: Any) -> Any:
        """Return the log-odds of the class at which a row with this margin is at rest."""
        log = backend(margin).log
        return log(-self.gradient(-margin)) - log(-self.gradient(margin))

    def check(self) -> None:
        """Raise an error if a parameter makes no sense."""


@dataclass
class LogisticLoss(Loss):
    r"""Logistic loss :math:`\log(1 + e^{-z})`.

    Examples
    --------
    >>> float(LogisticLoss().value(0.0).round(4))
    0.6931
    """

    def value(self, margin: Any) -> Any:
        """Return the loss of each margin."""
        return softplus(-margin)

    def gradient(self, margin: Any) -> Any:
        """Return the slope of the loss in the margin."""
        return -sigmoid(-margin)

    def hessian(self, margin: Any) -> Any:
        """Return the second derivative of the loss in the margin."""
        return sigmoid(margin) * sigmoid(-margin)

    def log_odds(self, margin: Any) -> Any:
        """Return the margin: the logistic loss is at rest where margin and log-odds agree."""
        return margin


@dataclass
class SigmoidLoss(Loss):
    r"""Sigmoid loss :math:`1 / (1 + e^z)`: symmetric, so that :math:`l(z) + l(-z) = 1`.

    It has no point of rest between the classes, so its scores only rank: the log-odds are the
    margins themselves, by convention.

    Examples
    --------
    >>> float(SigmoidLoss().value(0.0))
    0.5
    """

    def value(self, margin: Any) -> Any:
        """Return the loss of each margin."""
        return sigmoid(-margin)

    def gradient(self, margin: Any) -> Any:
        """Return the slope of the loss in the margin."""
        return -sigmoid(margin) * sigmoid(-margin)

    def hessian(self, margin: Any) -> Any:
        """Return the second derivative of the loss in the margin."""
        return sigmoid(margin) * sigmoid(-margin) * backend(margin).tanh(margin / 2)

    def curvature(self, margin: Any) -> Any:
        """Return the size of the slope: the second derivative is zero at the boundary."""
        return sigmoid(margin) * sigmoid(-margin)

    def log_odds(self, margin: Any) -> Any:
        """Return the margin; see the class."""
        return margin


class _Focal(Loss):
    r"""The loss :math:`-(1-p)^\gamma \log p`, with a :math:`\gamma` for each margin."""

    def _gamma(self, margin: Any) -> Any:
        raise NotImplementedError

    def value(self, margin: Any) -> Any:
        """Return the loss of each margin."""
        return sigmoid(-margin) ** self._gamma(margin) * softplus(-margin)

    def gradient(self, margin: Any) -> Any:
        """Return the slope of the loss in the margin; gamma counts as a constant."""
        p, q, nll = sigmoid(margin), sigmoid(-margin), softplus(-margin)
        gamma = self._gamma(margin)
        return -(q**gamma) * (gamma * p * nll + q)

    def hessian(self, margin: Any) -> Any:
        """Return the second derivative; below zero for very negative margins (not convex)."""
        p, q, nll = sigmoid(margin), sigmoid(-margin), softplus(-margin)
        gamma = self._gamma(margin)
        bend = (1 + 2 * gamma) * q + gamma * nll * (gamma * p - q)
        return p * q**gamma * bend


@dataclass
class FocalLoss(_Focal):
    r"""Logistic loss that fades on easy rows: :math:`-(1-p)^\gamma \log p`.

    Parameters
    ----------
    gamma : float, default=3.0
        How fast easy rows fade; 0 gives the logistic loss.

    References
    ----------
    Lin, Goyal, Girshick, He, Dollar: Focal loss for dense object detection. TPAMI 2020.

    Examples
    --------
    >>> float(FocalLoss(gamma=1).value(0.0).round(4))
    0.3466
    """

    gamma: float = 3.0

    def check(self) -> None:
        """Raise an error if gamma is below 0."""
        _check_gamma(self.gamma, "gamma")

    def _gamma(self, margin: Any) -> Any:
        return float(self.gamma)

    def log_odds(self, margin: Any) -> Any:
        """Return the log-odds at rest: focal scores are timid, the log-odds are larger."""
        # At rest odds = gradient(-margin) / gradient(margin); powers leave as gamma * margin.
        math, gamma = backend(margin), float(self.gamma)
        near = math.clip(margin, -_FAR, _FAR)
        p, q = sigmoid(near), sigmoid(-near)
        above = gamma * q * softplus(near) + p
        below = gamma * p * softplus(-near) + q
        beyond = (gamma + 1) * (margin - near)
        return gamma * near + math.log(above) - math.log(below) + beyond


@dataclass
class CalibratedFocalLoss(_Focal):
    r"""Focal loss whose :math:`\gamma` depends on the row (FLSD-53).

    Rows that the model gets badly wrong, :math:`p < 0.2`, have :math:`\gamma = 5`, the others
    3. The switch is a constant for each row: the loss jumps there and is not differentiated
    through it. The two pieces are the focal losses of their :math:`\gamma`.

    Parameters
    ----------
    hard, easy : float, default=5.0 and 3.0
        Gamma of the rows below and from the switch on.
    switch : float, default=0.2
        The probability of the margin's own class at which gamma changes.

    References
    ----------
    Mukhoti, Kulharia, Sanyal, Golodetz, Torr, Dokania: Calibrating deep neural networks using
    focal loss. NeurIPS 2020.

    Examples
    --------
    >>> loss = CalibratedFocalLoss()
    >>> bool(loss.value(0.0) == FocalLoss(3).value(0.0))
    True
    """

    hard: float = 5.0
    easy: float = 3.0
    switch: float = 0.2

    def check(self) -> None:
        """Raise an error if a gamma is below 0."""
        _check_gamma(self.hard, "hard")
        _check_gamma(self.easy, "easy")

    def _gamma(self, margin: Any) -> Any:
        below = cast(sigmoid(margin) < self.switch, like=margin)
        easy, hard = float(self.easy), float(self.hard)
        return easy + (hard - easy) * below

    def log_odds(self, margin: Any) -> Any:
        """Return the log-odds at rest of the `easy` piece, where all but rare classes lie."""
        return FocalLoss(float(self.easy)).log_odds(margin)


def _check_gamma(gamma: Any, name: str) -> None:
    if not (is_real(gamma) and 0 <= float(gamma) <= _MAX_GAMMA):
        raise ValueError(
            f"{name} must be at least 0 and at most {_MAX_GAMMA:g}, got {quote(gamma)}. Pass "
            "for example 3."
        )
