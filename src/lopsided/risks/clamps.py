"""What is done where the negative part of a PU risk sinks below zero."""

from dataclasses import dataclass
from typing import Any, Protocol

from lopsided._validation import Params

__all__ = ["Clamp", "ClipAtZero", "GradientAscent"]


class Clamp(Protocol):
    """What to do when a PU risk estimates its negative part, never negative, below zero.

    Examples
    --------
    A clamp of your own is a function; this one halves a negative part that has sunk below zero:

    >>> from lopsided.risks import nnpu
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
