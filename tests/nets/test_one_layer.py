import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

torch = pytest.importorskip("torch")

from lopsided.nets.deviation import Reference, deviation_loss, train_deviation  # noqa: E402
from lopsided.nets.one_layer import OneLayerNet, PoolSampler, UnitInterval  # noqa: E402
from lopsided.nets.pairs import PairNet, count_labeled, draw_pairs  # noqa: E402


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_slope_of_the_deviation_loss_is_its_closed_form():
    scores = torch.linspace(-7, 9, 33, dtype=torch.float64, requires_grad=True)
    reference = Reference(0.3, 1.7)
    for label in (0.0, 1.0):
        y = torch.full((33,), label, dtype=torch.float64)
        (slope,) = torch.autograd.grad(
            deviation_loss(reference.deviation(scores), y, 5.0).sum(), scores
        )
        deviation = (scores.detach().numpy() - 0.3) / 1.7
        wanted = np.where(deviation < 5.0, -1, 0) if label else np.sign(deviation)
        assert_allclose(slope, wanted / 1.7)


def test_the_deviation_loss_is_zero_where_rows_are_to_be():
    deviation = torch.tensor([0.0, 5.0, 8.0, -2.0, 3.0])
    y = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0])
    assert_allclose(deviation_loss(deviation, y, 5.0), [0, 0, 0, 2, 2])


def test_a_reference_of_many_draws_is_nearly_standard():
    reference = Reference.draw(seeded())
    assert abs(reference.mean) < 0.06
    assert abs(reference.std - 1) < 0.04


def test_training_keeps_the_epoch_with_the_least_loss():
    X = torch.randn(60, 3, generator=seeded(1))
    pools = [
        PoolSampler(torch.arange(60), w) for w in (torch.arange(60) > 9, torch.arange(60) < 10)
    ]
    shared = {"margin": 5.0, "n_batches": 2, "batch_size": 8}
    kept = []
    for rate, n_epochs in ((1e-3, 3), (1e6, 3)):  # steps so long that only the start is good
        net = OneLayerNet(3, 4, seeded(2))
        train_deviation(
            net, X, pools, seeded(3), n_epochs=n_epochs, learning_rate=rate, **shared
        )
        kept.append(float(net.hidden.weight.detach().abs().max()))
    one = OneLayerNet(3, 4, seeded(2))
    train_deviation(one, X, pools, seeded(3), n_epochs=1, learning_rate=1e6, **shared)
    assert kept[0] < 2
    assert kept[1] <= float(one.hidden.weight.detach().abs().max())


def test_scaling_to_the_unit_interval_moves_into_the_layer():
    X = 5 + 100 * torch.randn(50, 3, generator=seeded(), dtype=torch.float64)
    X[:, 2] = 7.0  # a constant column
    scaling = UnitInterval(X)
    scaled = ((X - scaling.low) / scaling.span).numpy()
    assert scaled.min() == 0
    assert scaled.max() == 1
    net = OneLayerNet(3, 6, seeded(1)).double()
    before = net(torch.as_tensor(scaled)).detach()
    scaling.move_into(net.hidden)
    assert_allclose(net(X).detach(), before, rtol=1e-10)


def test_a_pool_draws_rows_as_often_as_they_weigh():
    weight = torch.tensor([0.0, 1.0, 0.0, 3.0, 4.0])
    drawn = PoolSampler(torch.arange(5), weight).draw((40_000,), seeded())
    assert_allclose(np.bincount(drawn, minlength=5) / 40_000, weight / 8, atol=0.01)


@pytest.mark.parametrize("batch_size", [4, 10, 512])
def test_pairs_have_as_many_labeled_rows_as_their_targets_say(batch_size):
    labeled = torch.arange(50) < 8
    pools = [PoolSampler(torch.arange(50), weight) for weight in (~labeled, labeled)]
    left, right = draw_pairs(pools, 3, batch_size, seeded())
    assert left.shape == right.shape == (3, batch_size)
    wanted = count_labeled(batch_size)
    for batch in range(3):
        found = labeled[left[batch]].long() + labeled[right[batch]].long()
        assert_array_equal(found, wanted)
        one = wanted == 1
        assert labeled[left[batch]][one].all()
    assert_array_equal(
        torch.bincount(wanted, minlength=3),
        np.array([batch_size - 2 * (batch_size // 4)] + 2 * [batch_size // 4]),
    )


def test_a_row_scores_as_the_mean_over_all_its_pairs():
    X = torch.randn(12, 3, generator=seeded(), dtype=torch.float64)
    labeled = torch.arange(12) < 4
    weights = torch.rand(12, generator=seeded(1), dtype=torch.float64)
    pairs = PairNet(3, 5, seeded(2)).double()
    net = pairs.mean_over_pairs(X, [weights * ~labeled, weights * labeled])
    rows = torch.randn(7, 3, generator=seeded(3), dtype=torch.float64)
    with torch.no_grad():
        for row, found in zip(rows, net(rows), strict=True):
            beside = row.expand(12, -1)
            after = (pairs(X, beside) * weights)[labeled].sum() / weights[labeled].sum()
            ahead = (pairs(beside, X) * weights)[~labeled].sum() / weights[~labeled].sum()
            assert_allclose(found, after + ahead)
