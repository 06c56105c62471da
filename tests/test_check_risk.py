from dataclasses import dataclass

import numpy as np
import pytest
from own_risks import Heavy

from lopsided import risks
from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, Loss, SigmoidLoss
from lopsided.risks import ClipAtZero, GradientAscent, PURisk, Risk, SignedWeights
from lopsided.testing import check_risk


def halve_below_zero(part):
    return (1.0, 0.5) if part < 0 else (1.0, 1.0)


def name_of(risk):
    """Return what a risk is called, without the address of a function in it."""
    return repr(risk).partition("<function")[0]


NAMED = [getattr(risks, name)() for name in risks.__all__ if name.islower()]
MORE = [
    risks.upu(LogisticLoss()),
    risks.nnpu(SigmoidLoss(), clamp=GradientAscent(beta=0.01, step=0.5)),
    risks.nnpu(clamp=halve_below_zero),
    risks.ifpu(gamma=1.5, clamp=ClipAtZero(), target_prior=0.5),
    PURisk(CalibratedFocalLoss(), ClipAtZero()),
    PURisk(FocalLoss(), ClipAtZero(), scenario="two-sample", reviewed_weight=20.0),
    risks.SupervisedRisk(LogisticLoss(), target_prior=0.01),
]


@dataclass
class Doubtful(Heavy):
    """The same with weights that depend on the scores."""

    def weights(self, scores, y, prior, weight=None):
        positive, negative = self.raw_weights(y, prior, weight)
        negative = negative / (1 + np.exp(scores))
        return SignedWeights(positive / positive.sum() / 2, negative / negative.sum() / 2)


@pytest.mark.parametrize("risk", [*NAMED, *MORE], ids=name_of)
@pytest.mark.parametrize("prior", [0.001, 0.3, 0.99])
def test_every_risk_of_the_library_keeps_the_contract(risk, prior):
    check_risk(risk, prior)


def test_all_named_risks_are_among_them():
    assert len(NAMED) == 6


@pytest.mark.parametrize(
    "risk",
    [Heavy(LogisticLoss()), Heavy(FocalLoss(), times=100.0), Doubtful(LogisticLoss())],
    ids=repr,
)
def test_a_risk_of_the_users_own_keeps_it(risk):
    check_risk(risk)


def changed(change, of=Heavy):
    """Return a risk whose weights are those of another one after a change."""

    class Broken(of):
        def raw_weights(self, y, prior, weight=None):
            return change(super().raw_weights, y, prior, weight)

    return Broken(LogisticLoss())


def scaled(ask, y, prior, weight):
    return SignedWeights(*(700 * part for part in ask(y, prior, weight)))


def means_of_both(ask, y, prior, weight):
    rows = np.ones(len(y)) if weight is None else weight
    return SignedWeights(rows * (y == 1) / (y == 1).sum(), 2 * rows * (y != 1) / (y != 1).sum())


def deaf(ask, y, prior, weight):
    return ask(y, prior)


def late(ask, y, prior, weight):
    rows = 1 if weight is None else weight
    return SignedWeights(*(rows * part for part in ask(y, prior)))


def late_by_the_mean(ask, y, prior, weight):
    rows = 1 if weight is None else np.sqrt(weight) / np.sqrt(weight).mean()
    return SignedWeights(*(rows * part for part in ask(y, prior)))


def short(ask, y, prior, weight):
    positive, negative = ask(y, prior, weight)
    return SignedWeights(positive, negative[1:])


def of_one_number(ask, y, prior, weight):
    positive, _ = ask(y, prior, weight)
    return SignedWeights(positive, 1 / len(y))


def not_a_number(ask, y, prior, weight):
    positive, negative = ask(y, prior, weight)
    return SignedWeights(np.where(y == 1, positive, np.nan), negative)


def swapped(ask, y, prior, weight):
    return SignedWeights(*ask(y, prior, weight)[::-1])


def plain_pair(ask, y, prior, weight):
    return tuple(ask(y, prior, weight))


def reviewed_are_labeled(ask, y, prior, weight):
    return ask(np.abs(y), prior, weight)


def reviewed_break_it(ask, y, prior, weight):
    return ask(np.sqrt(y + 0.0), prior, weight) if (y >= 0).all() else {}[-1]


def in_place(ask, y, prior, weight):
    if weight is not None:
        weight *= 2
    return ask(y, prior, weight)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (scaled, "700"),
        (means_of_both, "got 3"),
        (deaf, "sample weight"),
        (late, "got 20"),
        (late_by_the_mean, "sample weight"),
        (short, "60 rows"),
        (of_one_number, "0.01666"),
        (not_a_number, "[nan]"),
        (swapped, "labeled rows"),
        (plain_pair, "SignedWeights"),
        (reviewed_are_labeled, "y = -1"),
        (reviewed_break_it, "KeyError: -1"),
        (in_place, "scores, y and weight"),
    ],
)
def test_a_broken_risk_is_named_with_its_fault(change, told):
    with pytest.raises(AssertionError) as caught:
        check_risk(changed(change))
    assert "Broken" in str(caught.value)
    assert told in str(caught.value)


def test_weights_that_only_a_part_ignores_are_found():
    class HalfDeaf(Heavy):
        def raw_weights(self, y, prior, weight=None):
            positive, negative = super().raw_weights(y, prior, weight)
            rows = (y == 1) / (y == 1).sum()
            return SignedWeights(0.5 * positive / positive.sum() + 0.2 * rows, 0.3 * negative)

    with pytest.raises(AssertionError, match="sample weight"):
        check_risk(HalfDeaf(LogisticLoss()))


def test_reviewed_negatives_may_be_refused_by_name():
    def refusing(ask, y, prior, weight):
        if (y == -1).any():
            raise ValueError("Reviewed negatives (-1) are not taken. Write them as 0.")
        return ask(y, prior, weight)

    check_risk(changed(refusing))


@dataclass
class DoubledSlope(LogisticLoss):
    def gradient(self, margin):
        return 2 * super().gradient(margin)


@dataclass
class SquaredHinge(Loss):
    def value(self, margin):
        return np.maximum(1 - margin, 0) ** 2

    def gradient(self, margin):
        return -2 * np.maximum(1 - margin, 0)

    def hessian(self, margin):
        return 2.0 * (margin < 1)


class NoDataclass(Loss):
    value, gradient = LogisticLoss.value, LogisticLoss.gradient
    hessian, log_odds = LogisticLoss.hessian, LogisticLoss.log_odds


@dataclass
class Climbing(Heavy):
    def gradient(self, *given):
        return -super().gradient(*given)


@dataclass
class Bent(Heavy):
    def curvature(self, *given):
        return -super().curvature(*given)


@dataclass
class Listed(Heavy):
    def objective(self, *given):
        return [super().objective(*given)]


@dataclass
class Falling(Heavy):
    def log_odds(self, scores, prior):
        return -scores


@dataclass
class Bare(Risk):
    """Nothing."""


@pytest.mark.parametrize(
    ("risk", "told"),
    [
        (Heavy(DoubledSlope()), "gradient of DoubledSlope"),
        (Doubtful(DoubledSlope()), "slope"),
        (Climbing(LogisticLoss()), "gradient of Climbing"),
        (Bent(LogisticLoss()), "curvature of Bent"),
        (Listed(LogisticLoss()), "objective of Listed"),
        (Falling(LogisticLoss()), "-20"),
        (Heavy(SquaredHinge()), "log_odds"),
        (Heavy(NoDataclass()), "dataclass"),
        (Bare(LogisticLoss()), "raw_weights"),
    ],
    ids=lambda part: type(part).__name__,
)
def test_a_broken_part_is_told_too(risk, told):
    with pytest.raises(AssertionError) as caught:
        check_risk(risk)
    assert told in str(caught.value)


def test_a_risk_that_needs_no_prior_is_given_the_labeled_share():
    seen = set()

    class Asking(Heavy):
        def raw_weights(self, y, prior, weight=None):
            seen.add(prior)
            return super().raw_weights(y, prior, weight)

    check_risk(Asking(LogisticLoss()), prior=0.4)
    assert seen == {0.1}
