"""What the registry knows of a method."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

__all__ = ["NOTHING", "Method"]

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Method(NamedTuple):
    """A registry entry: a name for a learner with its settings.

    Attributes
    ----------
    name : str
        What `build` calls it.
    target : str
        "module:class", imported when built.
    summary : str
        What it is, in a line.
    reference : str
        Whom to cite.
    params : mapping
        Settings of the class.
    needs : tuple of str
        Optional packages.
    labels : {"pu", "true"}
        "true": an oracle row, fitted on y_true by studies.
    quick : mapping
        Small settings for contract tests.
    source : str
        "lopsided", or the package of a peer.

    Examples
    --------
    >>> from lopsided.methods.registry import get_method
    >>> method = get_method("ifpu-xgb")
    >>> method.kind, method.takes_prior
    ('pu', True)
    >>> method.load().__name__
    'BoostedRiskClassifier'
    """

    name: str
    target: str  # "module:class", imported when built
    summary: str
    reference: str
    params: Mapping[str, Any] = NOTHING
    needs: tuple[str, ...] = ()  # optional packages
    labels: Literal["pu", "true"] = "pu"  # "true": an oracle row, fitted on y_true by studies
    quick: Mapping[str, Any] = NOTHING  # small settings for contract tests
    source: str = "lopsided"  # or the package of a peer

    @property
    def kind(self) -> str:
        """Under which word it is listed: "pu", "true" or "peer"."""
        return self.labels if self.source == "lopsided" else "peer"

    @property
    def takes_prior(self) -> bool:
        """Whether its ranking depends on a prior; `focused` takes one for chances alone."""
        return self.load()(**self.params).needs_prior()

    def load(self) -> Any:
        """Import and return the estimator class."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)
