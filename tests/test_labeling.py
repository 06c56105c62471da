import numpy as np
import pytest

from lopsided.labeling import SAR, SCAR, Mechanism

RNG = np.random.default_rng(3)
TRUTH = np.repeat([1, 0], [40, 360])
# Positives lie on a line from the middle of the negatives outward.
X = RNG.normal(size=(400, 3))
X[:40, 0] += np.linspace(0, 8, 40)
MECHANISMS = [SCAR(0.5), SAR(0.5), SAR(0.5, "far"), SAR(0.5, "far", "first")]


def chance_of_hiding(mechanism, n_draws=400):
    draws = [mechanism.draw(X, TRUTH, rng=seed)[:40] for seed in range(n_draws)]
    return 1 - np.mean(draws, axis=0)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_mechanisms_hide_positives_only_and_as_many_as_asked(mechanism):
    assert isinstance(mechanism, Mechanism)
    y = mechanism.draw(X, TRUTH, rng=0)
    assert y.dtype == np.int8
    assert not y[TRUTH == 0].any()
    assert y.sum() == 20


@pytest.mark.parametrize(("hidden", "labeled"), [(0.75, 4), (0.5, 8), (0.25, 12), (0.0, 17)])
def test_the_number_of_hidden_positives_is_rounded_up(hidden, labeled):
    y = SCAR(hidden).draw(None, np.repeat([1, 0], [17, 30]), rng=0)
    assert y.sum() == labeled


def test_a_share_that_floats_cannot_hold_does_not_hide_one_more():
    assert SCAR(0.55).draw(None, np.repeat([1, 0], [20, 5]), rng=0).sum() == 9


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_one_generator_state_gives_the_same_labels(mechanism):
    first = mechanism.draw(X, TRUTH, np.random.default_rng(11))
    assert (mechanism.draw(X, TRUTH, np.random.default_rng(11)) == first).all()
    assert (mechanism.draw(X, TRUTH, 11) == first).all()
    assert (mechanism.draw(X, TRUTH, 12) != first).any()


def test_labels_drawn_with_a_known_seed_stay_what_they_were():
    y = SCAR(0.5).draw(None, np.repeat([1, 0], [10, 5]), rng=0)
    # The five smallest of -log(1 - u) for the first ten uniform numbers of default_rng(0).
    uniform = np.random.default_rng(0).random(10)
    assert set(np.flatnonzero(y[:10])) == set(np.argsort(uniform)[5:])


def test_draws_are_nested_over_the_shares():
    half, more = (SAR(hidden).draw(X, TRUTH, rng=4) for hidden in (0.5, 0.75))
    assert (half >= more).all()


def test_scar_hides_every_positive_alike():
    chance = chance_of_hiding(SCAR(0.5))
    assert abs(chance - 0.5).max() < 5 * np.sqrt(0.25 / 400)
    assert abs(chance[:20].mean() - chance[20:].mean()) < 0.05


def test_sar_near_hides_positives_that_look_like_negatives():
    chance = chance_of_hiding(SAR(0.5, "near"))
    assert chance[:10].mean() > chance[-10:].mean() + 0.2
    assert np.corrcoef(chance, np.arange(40))[0, 1] < -0.8


@pytest.mark.parametrize("neighbors", [None, "nearest", "first"])
def test_sar_far_hides_positives_that_stand_apart(neighbors):
    chance = chance_of_hiding(SAR(0.5, "far", neighbors))
    assert chance[-10:].mean() > chance[:10].mean() + 0.2
    assert np.corrcoef(chance, np.arange(40))[0, 1] > 0.8


def test_sar_weights_are_inverse_mean_distances_to_the_nearest_negatives():
    mechanism = SAR(0.5)
    distances = np.linalg.norm(X[:40, None] - X[None, 40:], axis=2)
    nearest = np.sort(distances, axis=1)[:, :20].mean(axis=1)  # floor(sqrt(400))
    np.testing.assert_allclose(mechanism._mean_distance(X, TRUTH), nearest)
    everyone = SAR(0.5, "far")._mean_distance(X, TRUTH)
    np.testing.assert_allclose(everyone, distances.mean(axis=1))
    first = SAR(0.5, "far", "first")._mean_distance(X, TRUTH)
    np.testing.assert_allclose(first, distances[:, :20].mean(axis=1))


def test_successive_draws_follow_the_weights():
    # With one of two to hide, the chance is its share of the weight: 1/m of m = 1 and 3.
    table = np.array([[1.0], [3.0], [1e9], [0.0]])
    truth = np.array([1, 1, 1, 0])
    hidden = [
        np.flatnonzero(SAR(0.3).draw(table, truth, seed)[:3] == 0)[0] for seed in range(3000)
    ]
    share = np.bincount(hidden, minlength=3) / 3000
    np.testing.assert_allclose(share, [0.75, 0.25, 0], atol=0.03)


def test_a_positive_that_equals_a_negative_has_a_finite_weight():
    table = np.zeros((30, 2))
    truth = np.repeat([1, 0], [10, 20])
    for toward in ("near", "far"):
        assert SAR(0.5, toward).draw(table, truth, rng=0).sum() == 5


def test_distances_below_a_millionth_count_as_one():
    table = np.array([[1e-9], [1e-6], [0.0], [0.0]])
    truth = np.array([1, 1, 1, 0])
    # All three positives weigh alike, so each is hidden in a third of the draws.
    hidden = [np.flatnonzero(SAR(0.3).draw(table, truth, i)[:3] == 0)[0] for i in range(900)]
    np.testing.assert_allclose(np.bincount(hidden, minlength=3) / 900, 1 / 3, atol=0.06)
    table[1] = 1e-3
    hidden = [np.flatnonzero(SAR(0.3).draw(table, truth, i)[:3] == 0)[0] for i in range(900)]
    assert np.bincount(hidden, minlength=3)[1] < 10
