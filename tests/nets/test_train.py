"""Algorithm 1 by hand: a linear net of one input, two labeled and two unlabeled rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

from lopsided._rows import TrainingRows  # noqa: E402
from lopsided.losses import FocalLoss, LogisticLoss, SigmoidLoss  # noqa: E402
from lopsided.nets.mlp import MLP  # noqa: E402
from lopsided.nets.train import (  # noqa: E402  # noqa: E402
    CosineSchedule,
    LabelPrecision,
    Schedule,
    draw_batches,
    mean_scores,
    scores_of,
    threads,
    train,
    train_step,
)
from lopsided.risks import GradientAscent, PURisk, naive, nnpu, upu  # noqa: E402

Y = np.array([1, 1, 0, 0])
MIXED = np.array([2.0, 1.0, -1.0, 3.0])
APART = np.array([2.0, 1.0, -1.0, -3.0])  # unlabeled rows cost less than labeled ones do


class Slope(torch.nn.Module):
    """Scores are slope times input."""

    def __init__(self, slope):
        super().__init__()
        self.slope = torch.nn.Parameter(torch.tensor(slope, dtype=torch.float64))

    def forward(self, X):
        return self.slope * X


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def step_by_hand(X, slope, prior, rate, beta, up):
    """Return the slope after one step on the sigmoid loss, and whether it went up."""
    scores = slope * X
    bend = sigmoid(scores) * sigmoid(-scores) * X  # of sigmoid(slope x) in the slope
    labeled, rest = Y == 1, Y == 0
    negative_part = sigmoid(scores[rest]).mean() - prior * sigmoid(scores[labeled]).mean()
    negative_slope = bend[rest].mean() - prior * bend[labeled].mean()
    if negative_part < -beta:
        return slope + rate * up * negative_slope, True
    return slope - rate * (negative_slope - prior * bend[labeled].mean()), False


@pytest.mark.parametrize(
    ("X", "slope", "climbs"), [(MIXED, 0.3, False), (APART, -1.0, False), (APART, 4.0, True)]
)
@pytest.mark.parametrize(("beta", "up"), [(0.0, 1.0), (0.01, 0.5)])
def test_a_step_is_that_of_algorithm_1(X, slope, climbs, beta, up):
    net = Slope(slope)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    risk = PURisk(SigmoidLoss(), GradientAscent(beta, up), scenario="two-sample")
    train_step(net, optimizer, risk, torch.tensor(X), torch.tensor(Y), 0.5, None)
    expected, climbed = step_by_hand(X, slope, 0.5, 0.1, beta, up)
    assert climbed == climbs
    assert_allclose(net.slope.item(), expected, rtol=1e-12)


def test_beta_lets_the_negative_part_sink_a_little():
    sunk = [Slope(4.0), Slope(4.0)]
    for net, beta in zip(sunk, (0.0, 10.0), strict=True):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        risk = PURisk(SigmoidLoss(), GradientAscent(beta), scenario="two-sample")
        train_step(net, optimizer, risk, torch.tensor(APART), torch.tensor(Y), 0.5, None)
    up, down = (net.slope.item() - 4.0 for net in sunk)
    assert up < 0 < down


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 5))
    truth = X[:, 0] + 0.3 * rng.normal(size=700) > 1.2
    return X, (truth & (rng.random(700) < 0.5)).astype(np.int8), truth


def rows_of(X, y):
    return TrainingRows(X, y, np.ones(len(y)))


def fresh(start=0.0, seed=0, hidden_layer_sizes=(30, 30)):
    return MLP(5, hidden_layer_sizes, start, torch.Generator().manual_seed(seed))


class Judge:
    """A risk of held-out rows that remembers what it found, epoch by epoch."""

    def __init__(self, risk):
        self.risk, self.values = risk, []

    def estimate(self, scores, y, prior, weight=None):
        self.values.append(float(self.risk.estimate(scores, y, prior, weight)))
        return self.values[-1]


def test_training_lowers_the_risk_and_ranks(table):
    X, y, truth = table
    net, risk = fresh(), nnpu(LogisticLoss())
    before = risk.estimate(scores_of(net, X), y, 0.12)
    train([net], risk, rows_of(X, y), 0.12, Schedule(n_steps=200), np.random.default_rng(0))
    scores = scores_of(net, X)
    assert risk.estimate(scores, y, 0.12) < before / 2
    assert scores[truth].mean() > np.quantile(scores[~truth], 0.95)


def test_the_same_seed_trains_the_same_net_and_leaves_torch_alone(table):
    X, y, _ = table
    torch.manual_seed(7)
    state = torch.get_rng_state()
    scores = []
    for _ in range(2):
        net = fresh()
        train([net], upu(), rows_of(X, y), 0.1, Schedule(n_steps=20), np.random.default_rng(3))
        scores.append(scores_of(net, X))
    assert (scores[0] == scores[1]).all()
    assert torch.equal(torch.get_rng_state(), state)


def test_training_stops_when_held_out_rows_no_longer_gain(table):
    X, y, _ = table
    rng = np.random.default_rng(1)
    nonsense = rows_of(X, rng.permutation(y))  # what is learned does not hold here
    schedule = Schedule(n_steps=300, learning_rate=0.01, patience=5)
    judge = Judge(naive())
    net = fresh()
    kept = train([net], naive(), rows_of(X, y), 0.1, schedule, rng, (judge, nonsense))
    # The best epoch, as many more as patience has, and none after them.
    assert len(judge.values) == kept + 5 < schedule.epochs(len(y))
    assert np.argmin(judge.values) + 1 == kept
    assert judge.values[-1] > judge.values[kept - 1]


def test_held_out_rows_judge_several_nets_by_their_mean_score(table):
    X, y, _ = table
    nonsense = rows_of(X, np.random.default_rng(1).permutation(y))
    schedule = Schedule(n_steps=300, learning_rate=0.01, patience=5)
    judge, nets = Judge(naive()), [fresh(seed=0), fresh(seed=1)]
    rng = np.random.default_rng(0)
    kept = train(nets, naive(), rows_of(X, y), 0.1, schedule, rng, (judge, nonsense))
    assert np.argmin(judge.values) + 1 == kept == len(judge.values) - 5
    # As if they were trained again and judged after that epoch.
    again = [fresh(seed=0), fresh(seed=1)]
    rng = np.random.default_rng(0)
    assert train(again, naive(), rows_of(X, y), 0.1, schedule, rng, stop=kept) == kept
    value = naive().estimate(mean_scores(again, X), nonsense.y, 0.1)
    assert_allclose(value, judge.values[kept - 1])
    assert not np.isclose(scores_of(again[0], X), scores_of(again[1], X)).all()


def test_a_long_gradient_is_cut_to_length():
    X = MIXED * 1000
    nets = [Slope(0.0), Slope(0.0)]
    for net, clip in zip(nets, (None, 1.0), strict=True):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        risk = naive(LogisticLoss())
        train_step(net, optimizer, risk, torch.tensor(X), torch.tensor(Y), 0.5, None, clip)
    assert abs(nets[0].slope.item()) > 1
    assert_allclose(abs(nets[1].slope.item()), 0.1, rtol=1e-5)


def test_the_rate_sinks_along_a_cosine():
    schedule = CosineSchedule(learning_rate=0.01, n_epochs=4)
    assert schedule.epochs(10) == schedule.epochs(10**6) == 4
    optimizer, scheduler = schedule.configure_optimizer(Slope(1.0), 4)
    assert isinstance(optimizer, torch.optim.AdamW)
    rates = []
    for _ in range(4):
        rates += scheduler.get_last_lr()
        optimizer.step()
        scheduler.step()
    assert_allclose(rates, 0.01 * (1 + np.cos(np.pi * np.arange(4) / 4)) / 2)


def test_held_out_rows_may_be_judged_by_the_places_of_their_labels(table):
    X, y, _ = table
    judge = LabelPrecision()
    assert judge.estimate(y.astype(float), y, 0.1) == 0
    assert_allclose(judge.estimate(np.zeros(len(y)), y, 0.1), 1 - y.mean())
    nonsense = rows_of(X, np.random.default_rng(1).permutation(y))
    schedule = CosineSchedule(learning_rate=0.01, n_epochs=30, patience=3)
    net = fresh()
    rows, rng = rows_of(X, y), np.random.default_rng(0)
    kept = train([net], naive(), rows, 0.1, schedule, rng, (judge, nonsense))
    again, rng = fresh(), np.random.default_rng(0)
    assert train([again], naive(), rows, 0.1, schedule, rng, stop=kept) == kept < 30
    # The epoch that the metric liked best, and no later one.
    values = []
    for stop in range(1, kept + 1):
        other, rng = fresh(), np.random.default_rng(0)
        train([other], naive(), rows, 0.1, schedule, rng, stop=stop)
        values.append(judge.estimate(scores_of(other, X), nonsense.y, 0.1))
    assert np.argmin(values) + 1 == kept


def test_every_row_comes_up_and_every_batch_holds_labeled_rows():
    rng = np.random.default_rng(0)
    y = (np.arange(1000) < 3).astype(int)
    seen = []
    for batch in draw_batches(y, 100, rng, np.ones(1000)):
        assert y[batch.rows].sum() >= 3
        assert_allclose(batch.weight.sum(), 1)
        assert_allclose(batch.weight[y[batch.rows] == 1].sum(), 3 / 1000)
        seen.append(batch.rows)
    counts = np.bincount(np.concatenate(seen), minlength=1000)
    assert (counts[3:] == 1).all()
    assert counts[:3].min() == counts[:3].max() >= 10


def test_the_risk_of_batches_is_on_average_that_of_all_rows():
    rng = np.random.default_rng(0)
    y = (np.arange(600) < 30).astype(int)
    weight = rng.choice([1.0, 2.0], 600)
    scores = rng.normal(size=600)
    risk = upu(FocalLoss(2.0))
    found = [
        risk.estimate(scores[batch.rows], y[batch.rows], 0.1, batch.weight)
        for _ in range(400)
        for batch in draw_batches(y, 100, rng, weight)
    ]
    assert_allclose(np.mean(found), risk.estimate(scores, y, 0.1, weight), rtol=0.01)


def test_a_net_starts_at_the_score_it_is_told():
    net = fresh(start=-3.0)
    assert net.layers[-1].bias.item() == -3.0
    assert [layer.bias for layer in net.layers if hasattr(layer, "in_features")][:2] == [
        None
    ] * 2


def test_threads_are_put_back():
    before = torch.get_num_threads()
    with threads(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
