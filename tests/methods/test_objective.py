import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, Loss, SigmoidLoss
from lopsided.methods._objective import fused_objective, plain_objective
from lopsided.risks import Climb, Hold, PropensityRisk, PURisk, Risk, SupervisedRisk

LOSSES = [LogisticLoss(), SigmoidLoss(), FocalLoss(), FocalLoss(1.5), CalibratedFocalLoss()]
CLAMPS = [None, Hold(), Climb(step=0.5), Climb(beta=0.05)]
RNG = np.random.default_rng(0)
N = 500
Y = (np.arange(N) < 40).astype(np.int8)
SCORES = {
    "start": np.zeros(N, np.float32),
    "mixed": RNG.normal(scale=3, size=N).astype(np.float32),
    "overfit": (np.where(Y == 1, 6, -6) + RNG.normal(size=N)).astype(np.float32),
    # The negative part of the logistic risk lies between -0.05 and 0 here.
    "edge": (np.where(Y == 1, 0.4, -2.5) + RNG.normal(scale=0.1, size=N)).astype(np.float32),
    "far": RNG.uniform(-100, 100, size=N).astype(np.float32),
}


def risks():
    for loss in LOSSES:
        for clamp in CLAMPS:
            yield PURisk(loss, clamp)
            yield PURisk(loss, clamp, target_prior=0.5, pool="rest")
        yield SupervisedRisk(loss)
    yield PropensityRisk(FocalLoss(), Hold(), propensity=np.linspace(0.2, 1, N))


@pytest.mark.parametrize("risk", list(risks()), ids=repr)
@pytest.mark.parametrize("where", SCORES)
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
def test_the_fused_pass_equals_its_numpy_twin(risk, where, weighted):
    weight = RNG.uniform(0.5, 2, size=N) if weighted else None
    scores = SCORES[where]
    fused = fused_objective(risk, Y, 0.2, weight, scale=0.3 * N, floor=1e-6)(scores, None)
    twin = plain_objective(risk, Y, 0.2, weight, scale=0.3 * N, floor=1e-6)
    for found, expected in zip(fused, twin(scores.astype(float), None), strict=True):
        assert found.dtype == np.float32
        assert np.isfinite(found).all()
        assert_allclose(found, expected, rtol=2e-6, atol=1e-9)


def test_a_loss_of_the_users_own_runs_on_its_numpy_code():
    class SquaredLoss(Loss):
        def value(self, margin):
            return (1 - margin) ** 2 / 2

        def gradient(self, margin):
            return margin - 1

        def hessian(self, margin):
            return np.ones_like(margin)

    risk = PURisk(SquaredLoss(), Hold())
    gradient, _ = fused_objective(risk, Y, 0.2, None, N, 0.0)(SCORES["mixed"], None)
    assert_allclose(gradient, N * risk.gradient(SCORES["mixed"], Y, 0.2))


def test_a_subclass_of_a_known_loss_is_not_taken_for_it():
    class Louder(FocalLoss):
        def gradient(self, margin):
            return 5 * super().gradient(margin)

    risk = PURisk(Louder(), Hold())
    gradient, _ = fused_objective(risk, Y, 0.2, None, N, 0.0)(SCORES["mixed"], None)
    assert_allclose(gradient, N * risk.gradient(SCORES["mixed"], Y, 0.2))


def test_the_edge_scores_do_tell_a_beta_from_none():
    risk = PURisk(LogisticLoss(), Climb(beta=0.05))
    raw = risk.balance(SCORES["edge"], Y, 0.2)
    assert -0.05 < (raw.negative * risk.loss.value(-SCORES["edge"])).sum() < 0


def test_a_risk_with_sides_of_its_own_is_not_taken_for_a_known_one():
    class Doubled(PURisk):
        def sides(self, scores, y, prior, weight=None):
            positive, negative = Risk.sides(self, scores, y, prior, weight)
            return type(super().sides(scores, y, prior))(2 * positive, negative)

    risk = Doubled(LogisticLoss())
    gradient, _ = fused_objective(risk, Y, 0.2, None, N, 0.0)(SCORES["mixed"], None)
    assert_allclose(gradient, N * risk.gradient(SCORES["mixed"], Y, 0.2))
