"""Methods that lower a risk: their base, and rows held out to see when to stop."""

from abc import abstractmethod
from copy import deepcopy
from typing import Any, Literal

import numpy as np

from lopsided._math import rows_of_share
from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_choice
from lopsided._warnings import warn
from lopsided.methods.base import PUClassifier
from lopsided.risks import Risk

_MIN_LABELED = 4  # in each part: fewer cannot tell when to stop


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
            raise ValueError(f"risk must be a risk such as ifpu(), got {quote(self.risk)}.")
        return self.risk

    def _checked_risk(self) -> Risk:
        """Return a copy of the risk, which changes of the parameter do not reach."""
        risk = deepcopy(self._risk())
        risk.check()
        return risk

    def needs_prior(self) -> bool:
        """Say whether the risk needs a prior."""
        return self._risk().needs_prior

    def _scenario(self) -> str:
        return getattr(self._risk(), "scenario", "one-sample")


def hold_out(
    rows: TrainingRows, fraction: float, seed: int, order: Literal["random", "last"] = "random"
) -> tuple[TrainingRows, TrainingRows] | None:
    """Return rows to train on and held-out ones; None, with a warning, where they are too few.

    Random rows are stratified by their labels; the last ones are for a table sorted by time.
    """
    from sklearn.model_selection import train_test_split

    y, places, n_held_out = rows.y, np.arange(len(rows)), rows_of_share(fraction, len(rows))
    parts: Any = ()
    if order == "last":
        parts = np.split(places, [len(y) - n_held_out])
    elif min(y.sum(), (y == 0).sum(), n_held_out, len(y) - n_held_out) >= 2:
        parts = train_test_split(places, test_size=n_held_out, stratify=y, random_state=seed)
    if parts and all(_MIN_LABELED <= y[part].sum() < len(part) for part in parts):
        train, held_out = map(rows.take, parts)
        return train, held_out
    warn(
        f"Early stopping needs {_MIN_LABELED} labeled rows among those held out and among the "
        f"others, got {int(y.sum())} in all: training runs to its end. Label more rows, or "
        "change validation_fraction.",
    )
    return None


def check_hold_out(fraction: Any, order: str = "random") -> None:
    """Refuse a share that leaves no rows, or an order that is none."""
    check_choice(order, ("random", "last"), "validation")
    if not (isinstance(fraction, (float, np.floating)) and 0 < fraction < 1):
        raise ValueError(
            "validation_fraction must lie between 0 and 1, both excluded, got "
            f"{quote(fraction)}. Pass the share of rows to hold out, such as 0.2."
        )
