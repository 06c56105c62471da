from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, SigmoidLoss
from lopsided.risks import (
    ClipAtZero,
    GradientAscent,
    PURisk,
    Risk,
    SignedWeights,
    SupervisedRisk,
    ifpu,
    imbnnpu,
    naive,
    nnpu,
    supervised,
    upu,
)

RISKS = [
    upu(),
    upu(LogisticLoss()),
    nnpu(LogisticLoss()),
    nnpu(SigmoidLoss(), clamp=GradientAscent(beta=0.01, step=0.5)),
    imbnnpu(),
    ifpu(),
    ifpu(clamp=ClipAtZero()),
    ifpu(gamma=1.5, clamp=ClipAtZero(), target_prior=0.5),
    PURisk(CalibratedFocalLoss(), ClipAtZero()),
    PURisk(FocalLoss(), ClipAtZero(), scenario="two-sample"),
    supervised(FocalLoss()),
    naive(),
    SupervisedRisk(LogisticLoss(), target_prior=0.5),
]
Y = np.repeat([1, 0], [12, 48])
MIXED = np.random.default_rng(0).normal(size=60)
OVERFIT = np.where(Y == 1, 6.0, -6.0) + MIXED
WEIGHT = np.random.default_rng(1).integers(1, 4, size=60).astype(float)
SCORES = pytest.mark.parametrize("scores", [MIXED, OVERFIT], ids=["mixed", "overfit"])
EACH = pytest.mark.parametrize("risk", RISKS, ids=repr)


@EACH
@SCORES
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["even", "weighted"])
def test_gradient_agrees_with_autograd(risk, scores, weight):
    torch = pytest.importorskip("torch")
    leaf = torch.tensor(scores, requires_grad=True)
    tensor = None if weight is None else torch.tensor(weight)
    risk.objective(leaf, torch.tensor(Y), 0.3, tensor).backward()
    assert_allclose(leaf.grad, risk.gradient(scores, Y, 0.3, weight), rtol=1e-10, atol=1e-14)


@EACH
@SCORES
def test_gradient_is_the_slope_of_the_objective(risk, scores):
    step = 1e-6
    for row in (0, 5, 20, 59):
        nudge = np.zeros(60)
        nudge[row] = step
        up, down = (risk.objective(scores + sign * nudge, Y, 0.3) for sign in (1, -1))
        assert_allclose((up - down) / (2 * step), risk.gradient(scores, Y, 0.3)[row], atol=1e-8)


@EACH
@SCORES
def test_curvature_bounds_the_second_derivative_and_is_never_negative(risk, scores):
    step = 1e-5
    slopes = [risk.gradient(scores + sign * step, Y, 0.3) for sign in (1, -1)]
    second = (slopes[0] - slopes[1]) / (2 * step)
    curvature = risk.curvature(scores, Y, 0.3)
    assert (curvature >= 0).all()
    assert (curvature >= np.abs(second) - 1e-8).all()


@EACH
@SCORES
def test_a_weight_of_two_is_a_row_twice(risk, scores):
    if np.ndim(getattr(risk, "propensity", 1)):
        risk = replace(risk, propensity=0.3)
    counts = WEIGHT.astype(int)
    repeated = risk.objective(np.repeat(scores, counts), np.repeat(Y, counts), 0.3)
    assert_allclose(risk.objective(scores, Y, 0.3, WEIGHT), repeated, rtol=1e-12)


@EACH
@SCORES
def test_only_the_proportions_of_weights_matter(risk, scores):
    light = risk.gradient(scores, Y, 0.3, 1e-3 * WEIGHT)
    assert_allclose(light, risk.gradient(scores, Y, 0.3, WEIGHT), rtol=1e-12)


@pytest.mark.parametrize("loss", [SigmoidLoss(), LogisticLoss(), FocalLoss()], ids=repr)
@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
@pytest.mark.parametrize("target_prior", [None, 0.5])
def test_unbiased_risk_is_right_on_average_over_draws(loss, scenario, target_prior):
    rng = np.random.default_rng(7)
    prior, n_draws, centers = 0.2, 3000, (0.3, -1.5)
    risk = PURisk(loss, None, target_prior, scenario)
    target = prior if target_prior is None else target_prior
    estimates = []
    for _ in range(n_draws):
        if (
            scenario == "one-sample"
        ):  # one table of 20 positives and 80 negatives, 8 of the first labeled
            truth = np.repeat([1, 0], [20, 80])
            y = np.repeat([1, 0], [8, 92])
        else:  # 8 positives of their own, and a pool with the same shares as the population
            truth = np.repeat([1, 1, 0], [8, 20, 80])
            y = np.repeat([1, 0], [8, 100])
        scores = rng.normal(np.where(truth == 1, *centers))
        estimates.append(risk.estimate(scores, y, prior))
    grid = np.linspace(-12, 12, 4001)
    densities = [np.exp(-((grid - center) ** 2) / 2) / np.sqrt(2 * np.pi) for center in centers]
    step = grid[1] - grid[0]
    as_positive = (densities[0] * loss.value(grid)).sum() * step
    as_negative = (densities[1] * loss.value(-grid)).sum() * step
    expected = target * as_positive + (1 - target) * as_negative
    error = np.std(estimates) / np.sqrt(n_draws)
    assert error < 0.01
    assert abs(np.mean(estimates) - expected) < 4 * error


@SCORES
@pytest.mark.parametrize("clamp", [GradientAscent(), ClipAtZero()], ids=repr)
def test_focused_risk_without_focus_is_nnpu_on_the_logistic_loss(scores, clamp):
    focused, plain = ifpu(gamma=0, clamp=clamp), nnpu(LogisticLoss(), clamp)
    for part in ("objective", "estimate", "gradient", "curvature"):
        assert_allclose(
            getattr(focused, part)(scores, Y, 0.3),
            getattr(plain, part)(scores, Y, 0.3),
            rtol=1e-12,
        )


def test_unbiased_risk_with_the_sigmoid_loss_is_cost_sensitive():
    loss = SigmoidLoss()
    as_positive = loss.value(MIXED[Y == 1]).mean()
    as_negative = loss.value(-MIXED[Y == 0]).mean()
    expected = 2 * 0.3 * as_positive + as_negative - 0.3
    assert_allclose(PURisk(loss, scenario="two-sample").objective(MIXED, Y, 0.3), expected)


def test_target_prior_equal_to_the_prior_changes_nothing():
    plain, targeted = ifpu(), ifpu(target_prior=0.3)
    assert_allclose(targeted.gradient(MIXED, Y, 0.3), plain.gradient(MIXED, Y, 0.3), rtol=1e-12)


def test_a_supervised_target_prior_is_the_positives_share_of_the_weight():
    risk = SupervisedRisk(LogisticLoss(), target_prior=0.9)
    positive, negative = risk.weights(MIXED, Y, 0.3)
    assert_allclose([positive.sum(), negative.sum()], [0.9, 0.1])
    assert_allclose(risk.log_odds(np.zeros(1), 0.2), np.log(0.2 / 0.8) - np.log(9))


def test_clipping_drops_the_negative_part_once_it_is_below_zero():
    risk = ifpu(clamp=ClipAtZero())
    raw = risk.raw_weights(Y, 0.3)
    assert (raw.negative * risk.loss.value(-OVERFIT)).sum() < 0
    held = risk.weights(OVERFIT, Y, 0.3)
    assert_allclose(held.positive, raw.positive)
    assert_allclose(held.negative, 0)
    untouched = risk.weights(MIXED, Y, 0.3)
    assert_allclose(untouched.negative, risk.raw_weights(Y, 0.3).negative)


def test_gradient_ascent_steps_up_the_negative_part_alone():
    risk = ifpu(clamp=GradientAscent(step=0.5))
    raw, climbing = risk.raw_weights(Y, 0.3), risk.weights(OVERFIT, Y, 0.3)
    assert_allclose(climbing.positive, 0)
    assert_allclose(climbing.negative, -0.5 * raw.negative)


class HardestFirst(PURisk):
    """A risk whose weights depend on the scores: positives weigh by how far off they are."""

    def weights(self, scores, y, prior, weight=None):
        positive, negative = super().weights(scores, y, prior, weight)
        return SignedWeights(positive * (1 + self.loss.value(scores)), negative)


class OfItsOwn(Risk):
    """The same with nothing but weights, as a user may write it; no clamp."""

    def weights(self, scores, y, prior, weight=None):
        return HardestFirst(self.loss).weights(scores, y, prior, weight)


@SCORES
@pytest.mark.parametrize("clamp", [None, ClipAtZero(), GradientAscent(step=0.5)], ids=repr)
def test_no_step_goes_through_weights_that_depend_on_the_scores(scores, clamp):
    torch = pytest.importorskip("torch")
    risk = HardestFirst(LogisticLoss(), clamp)
    leaf = torch.tensor(scores, requires_grad=True)
    risk.objective(leaf, torch.tensor(Y), 0.3).backward()
    assert_allclose(leaf.grad, risk.gradient(scores, Y, 0.3), rtol=1e-10, atol=1e-14)


@SCORES
@pytest.mark.parametrize("clamp", [None, ClipAtZero(), GradientAscent(step=0.5)], ids=repr)
def test_the_estimate_weighs_rows_by_weights_that_depend_on_the_scores(scores, clamp):
    loss = LogisticLoss()
    cost = loss.value(scores[Y == 1])
    up = 0.3 * (cost * (1 + cost)).mean()
    down = loss.value(-scores).mean() - 0.3 * loss.value(-scores[Y == 1]).mean()
    expected = up + (down if clamp is None else max(down, 0))
    assert_allclose(HardestFirst(loss, clamp).estimate(scores, Y, 0.3), expected)


def test_a_risk_of_nothing_but_weights_has_a_rest():
    # A positive on the boundary weighs 1 + log(2) times as much as it does in the plain risk.
    rest = OfItsOwn(LogisticLoss()).fit_intercept_only(Y, 0.3)
    assert_allclose(rest, np.log(0.3 * (1 + np.log(2)) / 0.7))


def test_climb_lets_the_negative_part_sink_to_minus_beta():
    assert GradientAscent(beta=0.1)(-0.05) == (1, 1)
    assert GradientAscent(beta=0.1)(-0.2) == (0, -1)


def test_the_estimate_of_a_clamped_risk_is_never_below_its_positive_part():
    held, climbing = ifpu(clamp=ClipAtZero()), ifpu(clamp=GradientAscent())
    positive_part = 0.3 * FocalLoss().value(OVERFIT[Y == 1]).mean()
    assert_allclose(held.estimate(OVERFIT, Y, 0.3), positive_part)
    assert_allclose(climbing.estimate(OVERFIT, Y, 0.3), positive_part)


@pytest.mark.parametrize(
    "risk", [risk for risk in RISKS if not isinstance(risk.loss, SigmoidLoss)], ids=repr
)
def test_no_constant_score_is_better_than_the_rest_of_a_risk(risk):
    unclamped = replace(risk, clamp=None)
    rest = risk.fit_intercept_only(Y, 0.3)
    values = [
        unclamped.objective(np.full(60, rest + step), Y, 0.3) for step in (-0.01, 0, 0.01)
    ]
    assert values[1] == min(values)


def test_log_odds_of_a_target_prior_are_moved_back_to_the_real_prior():
    plain, balanced = nnpu(LogisticLoss()), imbnnpu(LogisticLoss())
    # A row at rest under the balanced risk has even odds there, so prior odds in the world.
    assert_allclose(balanced.log_odds(np.zeros(1), 0.1), np.log(0.1 / 0.9))
    assert_allclose(plain.log_odds(np.ones(1), 0.1), 1)


def test_a_risk_without_labeled_rows_in_the_batch_is_finite():
    for risk in RISKS[:10]:
        assert np.isfinite(risk.objective(MIXED, np.zeros(60), 0.3))


@EACH
def test_parameters_can_be_read_set_and_copied_as_scikit_learn_does(risk):
    from sklearn.base import clone

    params = risk.get_params()
    assert params["loss"] is risk.loss
    copy = clone(risk, safe=False)
    assert copy == risk
    assert copy is not risk
    assert copy.loss is not risk.loss
    if hasattr(risk.loss, "gamma"):
        assert params["loss__gamma"] == risk.loss.gamma
        assert copy.set_params(loss__gamma=9.0) is copy
        assert copy.loss.gamma == 9.0 != risk.loss.gamma
    if isinstance(risk.clamp, GradientAscent):
        assert copy.set_params(clamp__beta=0.7).clamp.beta == 0.7


def test_a_risk_of_the_users_own_needs_a_prior_unless_it_says_otherwise():
    class Own(Risk):
        def raw_weights(self, y, prior, weight=None):
            return SignedWeights(prior * (y == 1), 1.0 * (y == 0))

    assert Own(LogisticLoss()).needs_prior
    assert not naive().needs_prior


def test_a_loss_without_a_point_of_rest_starts_at_zero():
    class Unhinged(LogisticLoss):
        def gradient(self, margin):
            return -np.ones_like(margin)

        def log_odds(self, margin):
            return np.log(-self.gradient(-margin)) - np.log(-self.gradient(margin))

    assert PURisk(Unhinged()).fit_intercept_only(Y, 0.3) == 0


# Reviewed negatives

REVIEWED = np.where((Y == 0) & (np.arange(60) % 5 == 3), -1, Y)
PU_RISKS = [risk for risk in RISKS if isinstance(risk, PURisk)]


@EACH
@SCORES
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["even", "weighted"])
def test_gradient_agrees_with_autograd_where_some_rows_are_reviewed(risk, scores, weight):
    torch = pytest.importorskip("torch")
    leaf = torch.tensor(scores, requires_grad=True)
    tensor = None if weight is None else torch.tensor(weight)
    risk.objective(leaf, torch.tensor(REVIEWED), 0.3, tensor).backward()
    found = risk.gradient(scores, REVIEWED, 0.3, weight)
    assert_allclose(leaf.grad, found, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("risk", PU_RISKS, ids=repr)
@SCORES
@pytest.mark.parametrize("part", ["objective", "estimate", "gradient", "curvature"])
def test_a_reviewed_negative_that_counts_once_is_an_unlabeled_row(risk, scores, part):
    once, heavy = (replace(risk, reviewed_weight=weight) for weight in (1.0, 20.0))
    plain = getattr(risk, part)(scores, Y, 0.3, WEIGHT)
    assert_allclose(getattr(once, part)(scores, REVIEWED, 0.3, WEIGHT), plain, rtol=1e-12)
    # Where nothing is reviewed the weight of what is does not matter.
    assert_allclose(getattr(heavy, part)(scores, Y, 0.3, WEIGHT), plain, rtol=0)


def test_the_naive_risk_takes_a_reviewed_negative_for_what_it_took_it_for_anyway():
    for risk in (naive(), SupervisedRisk(LogisticLoss(), target_prior=0.5)):
        found = risk.gradient(MIXED, REVIEWED, 0.3, WEIGHT)
        assert_allclose(found, risk.gradient(MIXED, Y, 0.3, WEIGHT), rtol=0)


@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
def test_a_reviewed_negative_counts_as_so_many_unlabeled_rows(scenario):
    risk = PURisk(LogisticLoss(), scenario=scenario, reviewed_weight=7.0)
    negative = risk.weights(MIXED, REVIEWED, 0.3).negative
    seen, others = negative[REVIEWED == -1], negative[REVIEWED == 0]
    assert np.ptp(seen) == np.ptp(others) == 0
    # Of the term of the reviewed rows only negatives are drawn, hence the prior.
    assert_allclose(seen[0] / others[0], 1 + 6 * (1 - 0.3), rtol=1e-12)
    assert_allclose(negative.sum(), 1 - 0.3, rtol=1e-12)


@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
@pytest.mark.parametrize("target_prior", [None, 0.5])
@pytest.mark.parametrize("reviewed", ["at random", "from the top"])
def test_risk_with_reviewed_negatives_is_right_on_average_over_draws(
    scenario, target_prior, reviewed
):
    """One table of 20 positives and 80 negatives; 8 of the first are labeled in each draw.

    Reviewed at random, 15 of the negatives are a fair sample and count five times. From the top
    of a list they are none, and the risk is right only if they count once.
    """
    rng = np.random.default_rng(11)
    truth = np.repeat([1, 0], [20, 80])
    pool = rng.normal(np.where(truth == 1, 0.5, -1.0))
    weight = 5.0 if reviewed == "at random" else 1.0
    loss = LogisticLoss()
    risk = PURisk(loss, None, target_prior, scenario, reviewed_weight=weight)
    top = 20 + np.argsort(-pool[20:])[:15]
    estimates = []
    for _ in range(1500):
        y = np.zeros(100, int)
        y[rng.choice(np.arange(20, 100), 15, False) if weight == 5 else top] = -1
        labeled = rng.choice(20, 8, replace=False)
        if scenario == "one-sample":
            y[labeled] = 1
            scores = pool
        else:  # a sample of its own
            y, scores = np.r_[np.ones(8, int), y], np.r_[pool[labeled], pool]
        estimates.append(risk.estimate(scores, y, prior=0.2))
    target = 0.2 if target_prior is None else target_prior
    as_positive, as_negative = loss.value(pool[:20]).mean(), loss.value(-pool[20:]).mean()
    expected = target * as_positive + (1 - target) * as_negative
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert error < 0.01
    assert abs(np.mean(estimates) - expected) < 3 * error


def test_fair_reviews_lower_the_variance_of_the_risk():
    rng = np.random.default_rng(3)
    spread = {}
    for weight in (1.0, 5.0):
        risk = PURisk(LogisticLoss(), reviewed_weight=weight)
        y = np.repeat([1, -1, 0], [8, 20, 72])
        truth = np.arange(100) < 8
        truth[28:40] = True
        draws = [rng.normal(np.where(truth, 0.5, -1.0)) for _ in range(1500)]
        spread[weight] = np.std([risk.estimate(scores, y, 0.2) for scores in draws])
    assert spread[5.0] < spread[1.0]


def test_the_weight_of_reviewed_negatives_is_a_parameter_of_a_search():
    from sklearn.model_selection import GridSearchCV

    from lopsided.methods.boosting import BoostedRiskClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(np.arange(120) % 6 == 0, 1, np.where(np.arange(120) % 6 == 1, -1, 0))
    model = BoostedRiskClassifier(ifpu(clamp=ClipAtZero()), prior=0.3, n_estimators=3)
    grid = {"risk__reviewed_weight": [1.0, 50.0]}
    search = GridSearchCV(model, grid, scoring=lambda model, X, y: model.risk.reviewed_weight)
    assert search.fit(X, y).best_params_ == {"risk__reviewed_weight": 50.0}
    scores = [
        model.set_params(risk__reviewed_weight=weight).fit(X, y).decision_function(X)
        for weight in (1.0, 50.0)
    ]
    assert not np.allclose(*scores)
