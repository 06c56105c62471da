from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided._rows import TrainingRows
from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, Loss, SigmoidLoss
from lopsided.methods._objective import fused_objective, plain_objective
from lopsided.risks import (
    ClipAtZero,
    GradientAscent,
    PURisk,
    Risk,
    SignedWeights,
    SupervisedRisk,
)

LOSSES = [LogisticLoss(), SigmoidLoss(), FocalLoss(), FocalLoss(1.5), CalibratedFocalLoss()]
CLAMPS = [None, ClipAtZero(), GradientAscent(step=0.5), GradientAscent(beta=0.05)]
RNG = np.random.default_rng(0)
N = 500
Y = (np.arange(N) < 40).astype(np.int8)
ROWS = TrainingRows(np.empty((N, 0)), Y, np.ones(N))
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
            yield PURisk(loss, clamp, target_prior=0.5, scenario="two-sample")
        yield SupervisedRisk(loss)


@pytest.mark.parametrize("risk", list(risks()), ids=repr)
@pytest.mark.parametrize("where", SCORES)
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
def test_the_fused_pass_equals_its_numpy_twin(risk, where, weighted):
    rows = replace(ROWS, weight=RNG.uniform(0.5, 2, size=N)) if weighted else ROWS
    scores = SCORES[where]
    fused = fused_objective(risk, rows, 0.2, scale=0.3 * N, floor=1e-6)(scores, None)
    twin = plain_objective(risk, rows, 0.2, scale=0.3 * N, floor=1e-6)
    expected = twin(scores.astype(float), None)
    assert all(found.dtype == np.float32 and np.isfinite(found).all() for found in fused)
    assert_allclose(fused[0], expected[0], rtol=2e-6, atol=1e-9)
    # The bound of the curvature is the size of a difference, and of float32 where it is small.
    assert_allclose(fused[1], expected[1], rtol=2e-6, atol=1e-6 * expected[1].max())


def test_a_loss_of_the_users_own_runs_on_its_numpy_code():
    class SquaredLoss(Loss):
        def value(self, margin):
            return (1 - margin) ** 2 / 2

        def gradient(self, margin):
            return margin - 1

        def hessian(self, margin):
            return np.ones_like(margin)

    risk = PURisk(SquaredLoss(), ClipAtZero())
    gradient, _ = fused_objective(risk, ROWS, 0.2, N, 0.0)(SCORES["mixed"], None)
    assert_allclose(gradient, N * risk.gradient(SCORES["mixed"].astype(float), Y, 0.2))


def test_a_subclass_of_a_known_loss_is_not_taken_for_it():
    class Louder(FocalLoss):
        def gradient(self, margin):
            return 5 * super().gradient(margin)

    risk = PURisk(Louder(), ClipAtZero())
    gradient, _ = fused_objective(risk, ROWS, 0.2, N, 0.0)(SCORES["mixed"], None)
    assert_allclose(gradient, N * risk.gradient(SCORES["mixed"].astype(float), Y, 0.2))


def test_the_edge_scores_do_tell_a_beta_from_none():
    risk = PURisk(LogisticLoss(), GradientAscent(beta=0.05))
    raw = risk.raw_weights(Y, 0.2)
    assert -0.05 < (raw.negative * risk.loss.value(-SCORES["edge"])).sum() < 0


def test_a_risk_with_weights_of_its_own_is_not_taken_for_a_known_one():
    class Doubled(PURisk):
        def weights(self, scores, y, prior, weight=None):
            positive, negative = Risk.weights(self, scores, y, prior, weight)
            return type(super().weights(scores, y, prior))(2 * positive, negative)

    risk = Doubled(LogisticLoss())
    gradient, _ = fused_objective(risk, ROWS, 0.2, N, 0.0)(SCORES["mixed"], None)
    assert_allclose(gradient, N * risk.gradient(SCORES["mixed"], Y, 0.2))


class HardestFirst(Risk):
    """A risk whose weights depend on the scores: labeled rows weigh by how far off they are."""

    def weights(self, scores, y, prior, weight=None):
        labeled = (y == 1) / (y == 1).sum()
        off = 1 / (1 + np.exp(scores))
        return SignedWeights(prior * labeled * (1 + off), 1 / len(y) - prior * labeled)


@pytest.mark.parametrize("where", SCORES)
def test_weights_that_depend_on_the_scores_are_asked_at_every_score(where):
    scores = SCORES[where].astype(float)
    risk = HardestFirst(LogisticLoss())
    gradient, curvature = fused_objective(risk, ROWS, 0.2, N, 1e-6)(scores, None)
    proba = 1 / (1 + np.exp(-scores))
    labeled = 0.2 / Y.sum() * Y
    positive, negative = labeled * (2 - proba), 1 / N - labeled
    assert_allclose(gradient, N * (negative * proba - positive * (1 - proba)), atol=1e-12)
    size = np.abs(positive) + np.abs(negative)
    assert_allclose(curvature, N * size * proba * (1 - proba) + 1e-6, atol=1e-12)


def test_raw_weights_that_ask_for_scores_are_refused():
    class Asking(PURisk):
        def raw_weights(self, scores, y, prior, weight=None):
            return SignedWeights((y == 1) * np.exp(-scores), 1.0 * (y == 0))

    with pytest.raises(TypeError, match="raw_weights"):
        fused_objective(Asking(LogisticLoss()), ROWS, 0.2, N, 1e-6)
