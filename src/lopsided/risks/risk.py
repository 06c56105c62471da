"""The formula of all risks, and the signed weights that tell one from another."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lopsided._math import cast, detach
from lopsided._terminal import quote
from lopsided._validation import Params
from lopsided.losses import Loss
from lopsided.risks.clamps import Clamp

__all__ = ["REVIEWED_WEIGHT", "Risk", "SignedWeights"]

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
    >>> from lopsided.risks import upu
    >>> weights = upu().raw_weights(np.array([1, 0, 0, 0]), prior=0.4)
    >>> weights.positive
    array([0.4, 0. , 0. , 0. ])
    >>> weights.negative.round(3)
    array([-0.15,  0.25,  0.25,  0.25])
    """

    positive: Any
    negative: Any


@dataclass
class Risk(Params):
    """A loss and how to weight rows; the same for boosters and nets.

    A new risk is a subclass with one method: `raw_weights`, or `weights` where scores matter
    to it. A risk is a mean over rows: of all weights, positive and negative together, the sum
    is to be about 1. Learners count on it: with other sums, steps of boosting, its regularizers
    and learning rates of nets are all out of scale.

    Parameters
    ----------
    loss : Loss
        What a margin costs.
    clamp : Clamp or None
        What happens when the negative part sinks below zero; None lets it.

    Attributes
    ----------
    needs_prior : bool
        Of the class, True unless a subclass says `needs_prior = False`: a learner then
        estimates no prior, and gives the share of labeled rows in its place.

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
    ...         rows = np.where(y == 1, self.times, 1.0) * (1 if weight is None else weight)
    ...         rows = rows / rows.sum()
    ...         return SignedWeights(rows * (y == 1), rows * (y != 1))
    >>> risk, y = HeavyRisk(LogisticLoss()), np.array([1, 0, 0, 0])
    >>> risk.raw_weights(y, prior=None).positive
    array([0.5, 0. , 0. , 0. ])
    >>> risk.gradient(np.zeros(4), y, prior=None).round(3)
    array([-0.25 ,  0.083,  0.083,  0.083])
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
