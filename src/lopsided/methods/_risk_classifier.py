"""The base of methods that lower a risk."""

from abc import abstractmethod
from copy import deepcopy

from lopsided.methods.base import PUClassifier
from lopsided.risks import Risk


class RiskClassifier(PUClassifier):
    """A method with a parameter `risk`: what it lowers says whether it needs a prior.

    Attributes
    ----------
    risk_ : Risk
        The risk that was lowered.
    """

    risk: Risk | None

    @abstractmethod
    def _default_risk(self) -> Risk:
        """Return what None stands for."""

    def _risk(self) -> Risk:
        if self.risk is None:
            return self._default_risk()
        if not isinstance(self.risk, Risk):
            raise ValueError(f"risk must be a risk such as ifpu(), got {self.risk!r}.")
        return self.risk

    def _checked_risk(self) -> Risk:
        """Return a copy of the risk, which changes of the parameter do not reach."""
        risk = deepcopy(self._risk())
        risk.check()
        return risk

    def needs_prior(self) -> bool:
        return self._risk().needs_prior

    def _scenario(self) -> str:
        return getattr(self._risk(), "scenario", "one-sample")
