import numpy as np
import pytest

from lopsided import build
from lopsided.methods._auto_prior import small_bags


@pytest.mark.parametrize("n_labeled", [1, 40, 1000])
def test_a_bag_is_as_small_in_a_large_table_as_in_one_of_middle_size(n_labeled):
    sizes = set()
    for n_unlabeled in (20_000, 200_000):
        y = np.repeat([1, 0], [n_labeled, n_unlabeled])
        bag = small_bags(n_labeled).draw(y, np.random.default_rng(0))
        assert bag[y == 1].sum() == n_labeled
        sizes.add(int(bag[y == 0].sum()))
    assert sizes == {min(10 * n_labeled, 4000)}


@pytest.mark.parametrize("name", ["nnpu-xgb", "puhdt"])
def test_the_interval_of_an_estimate_holds_the_prior(name):
    # Classes that a forest tells apart, half of the positives labeled.
    held = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y_true = rng.random(1500) < 0.06
        X = rng.normal(size=(1500, 6)) + 2.0 * y_true[:, None]
        y = (y_true & (rng.random(1500) < 0.5)).astype(int)
        found = build(name, n_estimators=1, random_state=seed).fit(X, y).prior_estimate_
        assert found.identified
        held.append(found.low <= y_true.mean() <= found.high)
    assert np.mean(held) >= 0.75  # 12 draws of 0.9 are below that once in 40 times


@pytest.mark.parametrize("prior", ["auto", 0.4, 0.05])
def test_the_prior_of_a_fit_is_known_before_it_by_the_same_weights(prior):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 1.2).astype(int)
    weight = np.where(y == 1, 3.0, rng.random(300))
    model = build("nnpu-xgb", n_estimators=1, prior=prior, random_state=0)
    told = model.resolve_prior(X, y, weight)
    assert told == model.fit(X, y, weight).prior_
    plain = model.resolve_prior(X, y)
    assert plain == model.fit(X, y).prior_
    assert (told != plain) == (prior != 0.4)  # which is above both shares of labeled rows


def test_a_fit_keeps_no_estimate_of_the_one_before():
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = (X[:, 0] > 1).astype(int)
    model = build("nnpu-xgb", n_estimators=2, prior="twice-labeled", random_state=0).fit(X, y)
    assert model.prior_estimate_.method == "twice-labeled"
    assert not hasattr(model.set_params(prior=0.3).fit(X, y), "prior_estimate_")
