"""The objective of rows that are shared out: to workers, to threads, to rounds."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import xgboost
from numpy.testing import assert_allclose, assert_array_equal

from lopsided._rows import TrainingRows
from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss, Loss, SigmoidLoss
from lopsided.methods import distributed
from lopsided.methods._estimate import fused_estimate
from lopsided.methods._loss_kernels import BLOCK
from lopsided.methods._objective import fused_objective
from lopsided.risks import ClipAtZero, GradientAscent, PURisk, SupervisedRisk

RNG = np.random.default_rng(0)
N = 600
Y = (np.arange(N) < 60).astype(np.int8)
ROWS = TrainingRows(
    np.empty((N, 0)), Y, RNG.uniform(0.5, 2, size=N), reviewed=np.arange(N) >= 580
)
# Where labeled rows score high the negative part is below zero, and the clamp is on.
ON = (np.where(Y == 1, 6, -6) + RNG.normal(size=N)).astype(np.float32)
OFF = RNG.normal(size=N).astype(np.float32)
PARTS = {
    "mixed": np.arange(N) % 3 == 0,
    "all labeled on one": Y == 1,
    "one has none": np.zeros(N, bool),
}
RISKS = [
    PURisk(FocalLoss(), ClipAtZero()),
    PURisk(LogisticLoss(), GradientAscent(step=0.5), target_prior=0.5, scenario="two-sample"),
    PURisk(SigmoidLoss()),
    SupervisedRisk(CalibratedFocalLoss()),
]


class SquaredLoss(Loss):
    def __repr__(self):  # names a test in every process alike
        return "SquaredLoss()"

    def value(self, margin):
        return (1 - margin) ** 2 / 2

    def gradient(self, margin):
        return margin - 1

    def hessian(self, margin):
        return np.ones_like(margin)


class Workers:
    """Threads that meet wherever they sum something up."""

    def __init__(self, n_workers):
        self.barrier = threading.Barrier(n_workers, timeout=20)
        self.sent = [None] * n_workers
        self.calls = [0] * n_workers

    def reduce(self, worker):
        def add_up(values):
            assert values.dtype == np.float64
            self.calls[worker] += 1
            self.sent[worker] = values.copy()
            self.barrier.wait()
            total = sum(self.sent)
            self.barrier.wait()  # all have read before anybody sends again
            return total

        return add_up

    def run(self, work):
        """Return what the work of each worker returns."""
        places = range(len(self.sent))
        with ThreadPoolExecutor(len(places)) as pool:
            return list(pool.map(work, places, map(self.reduce, places)))


def rounds(risk, rows, scores, reduce=None, n_threads=1):
    """Return gradient and curvature of a round for each of the scores."""
    objective = fused_objective(risk, rows, 0.2, 0.3 * N, 1e-6, reduce, n_threads)
    return [np.array(objective(one, None)) for one in scores]


@pytest.mark.parametrize("first", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("risk", [*RISKS, PURisk(SquaredLoss(), ClipAtZero())], ids=repr)
def test_two_workers_have_the_gradients_of_one_that_holds_all_rows(risk, first):
    workers, masks = Workers(2), (first, ~first)

    def work(worker, reduce):
        mask = masks[worker]
        return rounds(risk, ROWS.take(mask), (ON[mask], OFF[mask], ON[mask]), reduce)

    parts = workers.run(work)
    for place, expected in enumerate(rounds(risk, ROWS, (ON, OFF, ON))):
        for mask, part in zip(masks, parts, strict=True):
            assert_allclose(part[place], expected[:, mask], rtol=1e-6, atol=1e-9)
    # Once at the start, and once a round where a clamp asks.
    assert workers.calls == [1 if risk.clamp is None else 4] * 2


@pytest.mark.parametrize("first", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("risk", [*RISKS, PURisk(SquaredLoss(), ClipAtZero())], ids=repr)
def test_the_estimate_of_two_workers_is_that_of_the_risk_on_all_rows(risk, first):
    workers, masks = Workers(2), (first, ~first)

    def work(worker, reduce):
        estimate = fused_estimate(risk, ROWS.take(masks[worker]), 0.2, reduce)
        return [estimate(scores[masks[worker]]) for scores in (ON, OFF)]

    given = (ROWS.labels, 0.2, ROWS.weight)
    expected = [risk.estimate(scores.astype(float), *given) for scores in (ON, OFF)]
    for found in (*workers.run(work), [fused_estimate(risk, ROWS, 0.2)(x) for x in (ON, OFF)]):
        assert found == pytest.approx(expected, rel=1e-6)
    assert workers.calls == [3, 3]


def test_an_estimate_of_the_users_own_is_asked_for_and_refused_on_several_workers():
    class Half(PURisk):
        def estimate(self, scores, y, prior, weight=None):
            return super().estimate(scores, y, prior, weight) / 2

    whole, half = PURisk(FocalLoss()), Half(FocalLoss())
    found = [fused_estimate(risk, ROWS, 0.2)(OFF) for risk in (whole, half)]
    assert found[0] == pytest.approx(2 * found[1], rel=1e-6)
    with pytest.raises(ValueError, match="several workers"):
        fused_estimate(half, ROWS, 0.2, reduce=lambda sent: sent)


def test_a_worker_that_does_not_ask_the_others_has_other_gradients():
    first = PARTS["mixed"]
    (alone,) = rounds(RISKS[0], ROWS.take(first), (OFF[first],))
    assert not np.allclose(alone, rounds(RISKS[0], ROWS, (OFF,))[0][:, first], rtol=0.1)


def test_the_clamp_is_on_and_off_in_these_rounds():
    on, off = rounds(RISKS[0], ROWS, (ON, OFF))
    unlabeled = ROWS.labels == 0
    assert_array_equal(on[0, unlabeled], 0)
    assert_array_equal(on[1, unlabeled], np.float32(1e-6))
    assert (off[0, unlabeled] > 0).all()


def test_a_risk_of_the_users_own_is_refused_on_several_workers():
    class Mine(PURisk):
        def raw_weights(self, y, prior, weight=None):
            return super().raw_weights(y, prior, weight)

    class Sloped(PURisk):
        def gradient(self, scores, y, prior, weight=None):
            return 2 * super().gradient(scores, y, prior, weight)

    for risk in (Mine(FocalLoss()), Sloped(FocalLoss())):
        with pytest.raises(ValueError, match="several workers"):
            fused_objective(risk, ROWS, 0.2, N, 1e-6, reduce=lambda sent: sent)


@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("risk", RISKS, ids=repr)
def test_threads_change_no_bit(risk, weighted):
    n_rows = 3 * BLOCK + 7
    y = (RNG.random(n_rows) < 0.5).astype(np.int8)  # so that labeled rows fill blocks as well
    weight = RNG.uniform(0.5, 2, size=n_rows) if weighted else np.ones(n_rows)
    rows = TrainingRows(np.empty((n_rows, 0)), y, weight)
    scores = [RNG.normal(shift, 3, size=n_rows).astype(np.float32) for shift in (-1, 1)]
    scores.append((12 * y - 6).astype(np.float32))
    one = rounds(risk, rows, scores)
    for n_threads in (2, 3, 8):
        assert_array_equal(rounds(risk, rows, scores, n_threads=n_threads), one)


@pytest.mark.parametrize("risk", RISKS, ids=repr)
@pytest.mark.parametrize("far", [100.0, 1e4, 1e8])
def test_gradients_are_finite_however_far_scores_are(risk, far):
    for scores in (far * OFF, np.full(N, far), np.full(N, -far)):
        gradient, curvature = rounds(risk, ROWS, (scores.astype(np.float32),))[0]
        assert np.isfinite(gradient).all()
        assert np.isfinite(curvature).all()
        assert (curvature >= np.float32(1e-6)).all()


def test_weights_of_the_users_own_are_taken_row_by_row():
    class Spread(PURisk):
        def raw_weights(self, y, prior, weight=None):
            positive, negative = super().raw_weights(y, prior, weight)
            uneven = np.linspace(0.5, 1.5, len(y))
            return type(super().raw_weights(y, prior))(uneven * positive, uneven * negative)

    risk = Spread(FocalLoss(), ClipAtZero())
    rows = replace(ROWS, reviewed=None)
    for scores, found in zip((ON, OFF), rounds(risk, rows, (ON, OFF)), strict=True):
        given = (scores.astype(float), rows.labels, 0.2, rows.weight)
        assert_allclose(found[0], 0.3 * N * risk.gradient(*given), rtol=2e-6, atol=1e-9)
        expected = 0.3 * N * risk.curvature(*given) + 1e-6
        assert_allclose(found[1], expected, rtol=2e-6, atol=1e-6 * expected.max())


def test_xgboost_keeps_no_gradients_that_the_next_round_writes_over():
    X = RNG.normal(size=(N, 4))
    objective = fused_objective(RISKS[0], ROWS, 0.2, 0.3 * N, 1e-6)
    kept = []

    def fresh(scores, matrix):
        kept.append(tuple(map(np.copy, objective(scores, matrix))))
        return kept[-1]

    matrix = xgboost.DMatrix(X)
    params = {"max_depth": 3, "num_parallel_tree": 2, "subsample": 0.7, "nthread": 1}
    dumps = [
        xgboost.train(params, matrix, 8, obj=one).get_dump(with_stats=True)
        for one in (objective, fresh)
    ]
    assert dumps[0] == dumps[1]
    assert objective(ON, None)[0] is objective(OFF, None)[0]
    assert any((one[0] != kept[0][0]).any() for one in kept)


def test_a_worker_takes_the_threads_it_is_given_and_the_bits_stay(monkeypatch):
    rng = np.random.default_rng(1)
    labels = (rng.random(3 * BLOCK + 7) < 0.1).astype(np.float32)
    matrix = xgboost.DMatrix(rng.random((len(labels), 1)), label=labels)
    scores = rng.normal(size=len(labels)).astype(np.float32)
    asked = []

    def build(*given, n_threads, **settings):
        asked.append(n_threads)
        return fused_objective(*given, n_threads=n_threads, **settings)

    monkeypatch.setattr(distributed, "fused_objective", build)
    found = []
    for own, configured in ((None, 0), (None, 3), (2, 3)):
        objective = distributed.PartObjective(RISKS[0], 0.2, 1.0, lambda sums: sums, own)
        with xgboost.config_context(nthread=configured):
            found.append([one.copy() for one in objective(scores, matrix)])
    assert asked == [1, 3, 2]
    for other in found[1:]:
        assert_array_equal(other, found[0])
