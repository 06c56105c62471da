"""Risks of positive and unlabeled rows, and of labels taken as they are."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from lopsided._math import cast, normalized
from lopsided._terminal import quote
from lopsided._validation import check_choice, is_real
from lopsided.risks.risk import REVIEWED_WEIGHT, Risk, SignedWeights

__all__ = ["PURisk", "SupervisedRisk"]


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
            wanted, real = float(self.target_prior), prior
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
    >>> from lopsided.risks import ClipAtZero
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
        target = prior if self.target_prior is None else float(self.target_prior)
        labeled = normalized(y == 1, y, weight)
        population = normalized((y != 1) | (self.scenario == "one-sample"), y, weight)
        negative = population - prior * labeled
        reviewed = y == -1
        if reviewed.any():
            extra = (float(self.reviewed_weight) - 1) * (population * cast(reviewed, y)).sum()
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
        target = float(self.target_prior)
        return SignedWeights(
            target * normalized(y == 1, y, weight),
            (1 - target) * normalized(y != 1, y, weight),
        )

    def check(self) -> None:
        """Raise an error if a setting makes no sense."""
        super().check()
        if self.clamp is not None:
            raise ValueError(
                f"No part of this risk needs a clamp, got {quote(self.clamp)}. Use None."
            )
