"""What the user believes about the label frequency before the table speaks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import Params, is_real

__all__ = ["Beta"]


@dataclass
class Beta(Params):
    r"""A belief on the label frequency, the share of the positives that are labeled.

    Its density is proportional to :math:`c^{a - 1} (1 - c)^{b - 1}`: as if `a - 1` of
    `a + b - 2` positives that somebody went through had turned out to be labeled. "About one
    positive in ten gets reported" is `Beta.around(0.1)`, which is `Beta(2, 18)`; "we catch
    most" is `Beta(8, 2)`.

    Parameters
    ----------
    a, b : float
        Positive numbers; larger ones of the same mean are a firmer belief.

    Examples
    --------
    >>> Beta(2, 2).log_density(0.5) > Beta(2, 2).log_density(0.1)
    True
    """

    a: float = 2.0
    b: float = 2.0

    @classmethod
    def around(cls, share: float) -> "Beta":
        """Return a weak belief whose mean is a share; the smaller of its numbers is 2.

        Parameters
        ----------
        share : float
            Of the positives that are labeled, above 0 and below 1.

        Examples
        --------
        >>> Beta.around(0.05)
        Beta(a=2.0, b=38.0)
        >>> Beta.around(0.5) == Beta()
        True
        """
        if not (is_real(share) and 0 < float(share) < 1):
            raise ValueError(
                "label_frequency must be the believed share of the positives that are labeled, "
                f"above 0 and below 1, got {quote(share)}."
            )
        odds = float(share) / (1 - float(share))
        return cls(2.0, 2.0 / odds) if odds <= 1 else cls(2.0 * odds, 2.0)

    @property
    def mean(self) -> float:
        """The share that is believed in."""
        return float(self.a / (self.a + self.b))

    def log_density(self, label_frequency: Any) -> Any:
        """Return the logarithm of the density, up to a constant."""
        if not all(is_real(one) and one > 0 for one in (self.a, self.b)):
            raise ValueError(
                "A belief on the label frequency needs two positive numbers, got "
                f"{quote(self)}. Beta(2, 2) is a weak one."
            )
        frequency: NDArray[Any] = np.asarray(label_frequency, float)
        value = (self.a - 1) * np.log(frequency) + (self.b - 1) * np.log1p(-frequency)
        return value if frequency.ndim else float(value)
