import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, Loss, SigmoidLoss

LOSSES = [
    LogisticLoss(),
    SigmoidLoss(),
    FocalLoss(),
    FocalLoss(gamma=0.5),
    FocalLoss(gamma=0),
    CalibratedFocalLoss(),
]
# The calibrated loss jumps where p = 0.2, so no point lies there.
POINTS = np.concatenate([np.linspace(-100, 100, 140), np.linspace(-6.03, 6, 60)])
KINDS = ["value", "gradient", "hessian"]


def exact(loss, margin, order):
    """The loss and its derivatives by mpmath, from the textbook formula at 150 digits."""
    mpmath.mp.dps = 150

    def probability(z):
        return 1 / (1 + mpmath.exp(-z))

    if isinstance(loss, SigmoidLoss):
        formula = lambda z: probability(-z)  # noqa: E731
    else:
        gamma = getattr(loss, "gamma", 0)
        if isinstance(loss, CalibratedFocalLoss):
            gamma = 5 if probability(mpmath.mpf(margin)) < mpmath.mpf("0.2") else 3
        formula = lambda z: -(probability(-z) ** gamma) * mpmath.log(probability(z))  # noqa: E731
    return mpmath.diff(formula, mpmath.mpf(margin), order, h=mpmath.mpf(10) ** -40)


def truth(loss, points, order):
    return [exact(loss, float(point), order) for point in points]


def assert_accurate(found, expected, tolerance, tiny):
    """Relative error within tolerance, plus what underflow of a factor may cost."""
    for got, want in zip(found, expected, strict=True):
        assert np.isfinite(got)
        assert abs(mpmath.mpf(float(got)) - want) <= tolerance * abs(want) + tiny


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_losses_agree_with_mpmath(loss, kind):
    expected = truth(loss, POINTS, KINDS.index(kind))
    found = getattr(loss, kind)(POINTS)
    assert found.dtype == np.float64
    assert_accurate(found, expected, 1e-12, tiny=0)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_is_kept_and_accurate(loss, kind):
    points = POINTS.astype(np.float32)
    found = getattr(loss, kind)(points)
    assert found.dtype == np.float32
    expected = truth(loss, points, KINDS.index(kind))
    assert_accurate(found, expected, 1e-5, tiny=1e3 * np.finfo(np.float32).tiny)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_tensors_and_arrays_give_the_same(loss, kind, precision):
    torch = pytest.importorskip("torch")
    points = POINTS.astype(precision)
    found = getattr(loss, kind)(torch.from_numpy(points))
    assert found.dtype == getattr(torch, precision)
    tolerance = 2e-5 if precision == "float32" else 1e-12
    assert_allclose(
        found.numpy(),
        getattr(loss, kind)(points),
        rtol=tolerance,
        atol=np.finfo(precision).tiny,
    )


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_autograd_finds_the_gradient_at_zero_and_in_the_tails(loss):
    torch = pytest.importorskip("torch")
    points = np.array([-100.0, -30, -3, -1, 0, 0.5, 3, 30, 100])
    leaf = torch.tensor(points, requires_grad=True)
    loss.value(leaf).sum().backward()
    assert_allclose(leaf.grad, loss.gradient(points), rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_curvature_bounds_the_hessian_and_is_never_zero(loss):
    points = np.linspace(-10, 10, 401)
    curvature = loss.curvature(points)
    assert (curvature >= np.abs(loss.hessian(points)) * (1 - 1e-12)).all()
    assert (curvature > 0).all()


def test_a_loss_of_three_methods_gets_the_rest_from_the_base():
    class Plain(Loss):
        value = FocalLoss.value
        gradient = FocalLoss.gradient
        hessian = FocalLoss.hessian
        _gamma = FocalLoss._gamma
        gamma = 3.0

    points = np.linspace(-8, 8, 33)
    assert_allclose(Plain().log_odds(points), FocalLoss().log_odds(points), rtol=1e-10)
    assert_allclose(Plain().curvature(points), FocalLoss().curvature(points))


def test_focal_loss_without_focus_is_logistic():
    for kind in KINDS:
        expected = getattr(LogisticLoss(), kind)(POINTS)
        assert_allclose(getattr(FocalLoss(gamma=0), kind)(POINTS), expected, rtol=1e-14)


def test_calibrated_focal_loss_uses_five_below_and_three_from_the_switch_on():
    below, above = np.array([-1.4, -50.0]), np.array([-1.38, 0.0, 20.0])  # p = .2 at -1.386
    for kind in KINDS:
        calibrated = getattr(CalibratedFocalLoss(), kind)
        assert_allclose(calibrated(below), getattr(FocalLoss(5), kind)(below), rtol=1e-14)
        assert_allclose(calibrated(above), getattr(FocalLoss(3), kind)(above), rtol=1e-14)


def test_sigmoid_loss_is_symmetric():
    assert_allclose(SigmoidLoss().value(POINTS) + SigmoidLoss().value(-POINTS), 1)


@pytest.mark.parametrize("loss", [LogisticLoss(), FocalLoss(), FocalLoss(1.5)], ids=repr)
def test_log_odds_are_those_at_which_a_score_is_at_rest(loss):
    scores = np.linspace(-20, 20, 41)
    odds = np.exp(loss.log_odds(scores))
    pull = odds * loss.gradient(scores) - loss.gradient(-scores)
    assert_allclose(pull / (odds * loss.gradient(scores)), 0, atol=1e-10)
    assert (np.diff(loss.log_odds(np.linspace(-100, 100, 999))) > 0).all()


@pytest.mark.parametrize("loss", [FocalLoss(), FocalLoss(0), CalibratedFocalLoss()], ids=repr)
def test_log_odds_stay_finite_and_rise_for_scores_beyond_all_measure(loss):
    scores = np.array([-1e200, -1e4, -800, -81, -79, 79, 81, 800, 1e4, 1e200])
    found = loss.log_odds(scores)
    assert np.isfinite(found).all()
    assert (np.diff(found) > 0).all()
    assert_allclose(found, -found[::-1], rtol=1e-12)
    # Far out the odds rise by gamma + 1 for each step of the score, before the bend and after.
    gamma = getattr(loss, "gamma", 3.0)
    assert_allclose(np.diff(loss.log_odds(np.array([70.0, 75, 80, 85, 90]))), 5 * (gamma + 1))
