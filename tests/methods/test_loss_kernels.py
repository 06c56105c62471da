import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, Loss, SigmoidLoss
from lopsided.methods._loss_kernels import BLOCK, bend_as_negatives, loss_shape
from lopsided.methods._loss_pass import LossPass

GAMMAS = [0.0, 0.3, 1.5, 3.0, 7.0]
LOSSES = [LogisticLoss(), SigmoidLoss(), *map(FocalLoss, GAMMAS), CalibratedFocalLoss()]
POINTS = np.concatenate(
    [np.linspace(-100, 100, 41), np.linspace(-4, 4, 41), [-1e-30, 1e-30, -1e6, 1e6]]
).astype(np.float32)


def bend(scores, loss):
    """Return value, gradient and curvature of rows that count as negatives."""
    over, none = LossPass(loss_shape(loss)), np.empty(0)
    values = [over.bend_and_sum(scores[[row]], none) for row in range(len(scores))]
    return np.array(values), *over.bend(scores, none)


def value_of_focal(gamma):
    def value(score):
        p = 1 / (1 + mpmath.exp(score))
        return -((1 - p) ** gamma) * mpmath.log(p)

    return value


@pytest.mark.parametrize("gamma", GAMMAS)
def test_focal_losses_agree_with_derivatives_of_120_digits(gamma):
    near = POINTS[np.abs(POINTS) <= 100]
    values, slopes, bounds = bend(near, FocalLoss(gamma))
    with mpmath.workdps(120):
        exact = [
            [float(mpmath.diff(value_of_focal(gamma), mpmath.mpf(float(score)), order))]
            for score in near
            for order in range(3)
        ]
    value, slope, second = np.reshape(exact, (-1, 3)).T
    # Beyond e^-80 nothing is told apart: see the kernels.
    assert_allclose(values, value, rtol=1e-6, atol=1e-25)
    assert_allclose(slopes, slope, rtol=1e-6, atol=1e-33)
    assert_allclose(bounds, np.abs(second), rtol=1e-6, atol=5e-7)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_kernels_agree_with_the_losses_wherever_scores_are(loss):
    values, slopes, bounds = bend(POINTS, loss)
    margins = -POINTS.astype(float)
    assert_allclose(values, loss.value(margins), rtol=1e-6, atol=1e-25)
    assert_allclose(slopes, -loss.gradient(margins), rtol=1e-6, atol=1e-28)
    assert_allclose(bounds, loss.curvature(margins), rtol=1e-6, atol=5e-7)
    total = LossPass(loss_shape(loss)).bend_and_sum(POINTS, np.empty(0))
    assert total == pytest.approx(loss.value(margins).sum(), rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
def test_blocks_have_sums_of_their_own(weighted):
    rng = np.random.default_rng(0)
    n_rows = 2 * BLOCK + 5
    scores = rng.normal(scale=3, size=n_rows).astype(np.float32)
    weight = rng.uniform(0.5, 2, size=n_rows)
    out, sums = (np.empty_like(scores), np.empty_like(scores)), np.empty(3)
    given = weight if weighted else np.empty(0)
    shape = loss_shape(FocalLoss())
    bend_as_negatives(0, 3, scores, given, -0.7, shape, np.float32(0.1), sums, out)
    by, margins = -0.7 * (weight if weighted else np.ones(n_rows)), -scores.astype(float)
    losses = by * FocalLoss().value(margins)
    expected = [losses[start : start + BLOCK].sum() for start in range(0, n_rows, BLOCK)]
    assert_allclose(sums, expected, rtol=1e-7)
    assert_allclose(out[0], -by * FocalLoss().gradient(margins), rtol=2e-6)
    bound = np.abs(by) * FocalLoss().curvature(margins) + 0.1
    assert_allclose(out[1], bound, rtol=2e-6)


def test_a_gamma_beyond_all_measure_leaves_nothing_but_numbers():
    for found in bend(POINTS, FocalLoss(1000.0)):
        assert np.isfinite(found).all()


def test_losses_of_the_users_own_have_no_kernel():
    class Mine(FocalLoss):
        pass

    assert loss_shape(Mine()) is None
    assert loss_shape(Loss()) is None
