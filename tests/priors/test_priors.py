"""Estimators of the prior: known mixtures, invariances, few labels, ties, both scenarios."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import roc_auc_score

from lopsided.priors import (
    AutoPrior,
    Beta,
    ElkanNotoPrior,
    PriorEstimator,
    TIcEPrior,
    build_prior,
    estimate_prior,
    list_priors,
)
from lopsided.priors.auto import _CELLS, _STEEPNESS, _height_likelihood
from lopsided.priors.km2 import _nearest_mixture, _project
from lopsided.priors.protocol import rank_labels

ON_SCORES = ["auto", "elkan-noto", "tail-ratio", "dedpul", "bbe", "pulscar"]
DRAWING = ["tice", "km2"]
# "tail-ratio" allows for half a labeled row as it is given, whatever that stands for.
COUNTING = [name for name in ON_SCORES if name != "tail-ratio"]


def draw(seed, n_rows=4000, prior=0.1, frequency=0.5, gap=6.0):
    """Scores of a mixture of two normals, labels completely at random."""
    rng = np.random.default_rng(seed)
    y_true = (np.arange(n_rows) < prior * n_rows).astype(int)
    y = y_true * (rng.random(n_rows) < frequency)
    return rng.normal(gap * y_true), y, y_true


def estimates(name, n_draws, **table):
    return np.array(
        [build_prior(name).estimate(*draw(seed, **table)[:2], np.random.default_rng(seed))
         for seed in range(n_draws)]
    )  # fmt: skip


@pytest.mark.parametrize("name", ON_SCORES)
@pytest.mark.parametrize("frequency", [0.25, 0.5, 0.75])
def test_the_prior_of_separable_classes_is_recovered(name, frequency):
    found = estimates(name, 10, frequency=frequency)
    assert abs(np.log2(np.median(found) / 0.1)) < (
        0.5 if name == "auto" else 0.35
    )  # drawn toward 1/2


def test_bounds_on_subsets_err_on_the_high_side_and_are_no_label_share():
    for name in DRAWING:
        found = estimates(name, 2, prior=0.3, n_rows=2000)
        assert (found > 0.25).all(), name
        assert (found < 0.5).all(), name


@pytest.mark.parametrize("name", ["tice", "km2"])
def test_columns_are_used_where_they_are_given(name):
    rng = np.random.default_rng(0)
    scores, y, _ = draw(0, prior=0.4, n_rows=2000)
    X = np.column_stack([scores, rng.normal(size=2000)])
    found = build_prior(name).estimate(rng.normal(size=2000), y, rng, X)
    assert 0.3 < found < 0.6


def test_intervals_of_the_default_cover_under_scar():
    covered = []
    for seed in range(45):
        frequency = (0.25, 0.5, 0.75)[seed % 3]
        scores, y, y_true = draw(seed, n_rows=1000, frequency=frequency, gap=3.5)
        found = estimate_prior(y, scores)
        covered.append(found.low <= y_true.mean() <= found.high)
    assert np.mean(covered) >= 0.9


def test_the_default_beats_a_guess_where_the_labeled_share_is_far_from_half():
    for frequency in (0.08, 0.92):
        ours = estimates("auto", 5, frequency=frequency)
        guess = estimates("twice-labeled", 5, frequency=frequency)
        assert abs(np.log2(ours / 0.1)).mean() < 0.6 * abs(np.log2(guess / 0.1)).mean()


@pytest.mark.parametrize("name", [*ON_SCORES, *DRAWING])
def test_an_increasing_map_of_the_scores_changes_nothing(name):
    scores, y, _ = draw(1, n_rows=600)
    rng = np.random.default_rng
    found = build_prior(name).estimate(scores, y, rng(0))
    assert_allclose(build_prior(name).estimate(np.exp(scores / 2), y, rng(0)), found)


@pytest.mark.parametrize("name", ON_SCORES)
def test_the_order_of_rows_changes_nothing_even_with_ties(name):
    scores, y, _ = draw(2, n_rows=600)
    scores, order = np.round(scores), np.random.default_rng(0).permutation(600)
    found = build_prior(name).estimate(scores, y, None)
    assert_allclose(build_prior(name).estimate(scores[order], y[order], None), found)


@pytest.mark.parametrize("name", list_priors())
@pytest.mark.parametrize("n_labeled", [2, 3, 5, 20])
@pytest.mark.parametrize("kind", ["random", "constant", "perfect", "reversed"])
def test_any_ranking_and_few_labels_give_a_share(name, n_labeled, kind):
    y = np.repeat([1, 0], [n_labeled, 100 - n_labeled])
    noise = np.random.default_rng(0).normal(size=100)
    scores = {"random": noise, "constant": noise * 0, "perfect": y, "reversed": -y}[kind]
    found = estimate_prior(y, scores, method=name, n_draws=2, random_state=0)
    assert y.mean() - 1e-9 <= found.low <= found.value <= found.high <= 1
    assert not (found.identified and kind in ("random", "constant", "reversed"))
    assert not (found.identified and n_labeled < 5)


def test_a_table_of_a_few_rows_is_answered():
    found = estimate_prior([1, 1, 0], [3, 2, 1])
    assert 2 / 3 <= found.value <= 1
    nearly_all = np.append(np.ones(9999, int), 0)
    assert estimate_prior(nearly_all, np.arange(10_000)).value <= 1


@pytest.mark.parametrize("name", [*ON_SCORES, "twice-labeled"])
def test_weights_of_one_change_nothing(name):
    scores, y, _ = draw(3, n_rows=500)
    plain = build_prior(name).estimate(scores, y, None)
    assert_allclose(build_prior(name).estimate(scores, y, None, None, np.ones(500)), plain)
    seven = estimate_prior(y, scores, method=name, weight=np.full(500, 7.0), n_draws=0)
    assert_allclose(seven.value, plain)


@pytest.mark.parametrize("name", [*COUNTING, "twice-labeled"])
def test_a_row_of_weight_two_counts_as_two(name):
    scores, y, _ = draw(4, n_rows=500)
    weight = np.random.default_rng(0).integers(1, 4, 500)
    twice = np.repeat(scores, weight), np.repeat(y, weight)
    weighted = build_prior(name).estimate(scores, y, None, None, weight)
    assert_allclose(build_prior(name).estimate(*twice, None), weighted)


def test_two_samples_give_the_share_among_the_unlabeled_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [300, 3000])
    positive = np.concatenate([np.ones(300), np.arange(3000) < 600])
    scores = rng.normal(6 * positive)
    for name in ("auto", "tail-ratio", "dedpul"):
        found = estimate_prior(y, scores, method=name, scenario="two-sample", n_draws=20)
        assert abs(np.log2(found.value / 0.2)) < 0.6, name
        assert_allclose(found.n_hidden, found.value * 3000)
    one = estimate_prior(y, scores)
    two = estimate_prior(y, scores, scenario="two-sample")
    assert_allclose(one.value * 3300 - 300, two.value * 3000)
    assert_allclose(one.n_hidden, two.n_hidden)


def test_a_belief_moves_the_prior_and_moves_it_less_where_the_table_speaks():
    def shift(scores, y):
        few = estimate_prior(y, scores, label_frequency=Beta(2, 8)).value
        many = estimate_prior(y, scores, label_frequency=Beta(8, 2)).value
        return np.log2(few / many)

    scores, y, _ = draw(5)
    blind = np.random.default_rng(0).normal(size=len(y))
    assert 0 < shift(scores, y) < 0.8
    assert shift(blind, y) > 1.5
    assert_allclose(
        estimate_prior(y, scores).value,
        estimate_prior(y, scores, label_frequency=Beta(2, 2)).value,
    )


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.75, 0.99])
def test_a_belief_around_a_share_has_it_as_mean_and_is_weak(share):
    belief = Beta.around(share)
    assert belief.a / (belief.a + belief.b) == pytest.approx(share)
    assert min(belief.a, belief.b) == pytest.approx(2)


def test_few_labels_and_flat_rankings_identify_no_prior():
    scores, y, _ = draw(6)
    assert estimate_prior(y, scores).identified
    blind = np.random.default_rng(0).normal(size=len(y))
    assert not estimate_prior(y, blind).identified
    few = np.where(np.cumsum(y) <= 3, y, 0)
    assert "3 labeled rows" in str(estimate_prior(few, scores))
    single = np.where(np.cumsum(y) <= 1, y, 0)
    assert not estimate_prior(single, scores).identified
    spread = np.zeros(2000, int)
    spread[5:300:30] = 1  # evenly over the first rows, and nowhere dense
    assert not estimate_prior(spread, -np.arange(2000.0)).identified


def test_a_method_far_from_the_default_is_not_identified():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [5, 995])
    scores = rng.normal(6 * y)
    auto = estimate_prior(y, scores)
    assert auto.identified
    for name in ("tice", "km2"):
        found = estimate_prior(y, scores, method=name, n_draws=5, random_state=0)
        assert found.value > auto.high
        assert not found.identified
        assert f"{name} says {found.value:.2g}" in str(found)
    near = estimate_prior(y, scores, method="elkan-noto", random_state=0)
    assert near.identified == (auto.low <= near.value <= auto.high)


def test_a_bootstrap_that_moves_nothing_is_no_interval():
    scores, y, _ = draw(13, n_rows=600)
    auto = estimate_prior(y, scores)
    found = estimate_prior(y, scores, method="twice-labeled", n_draws=3)
    assert found.low <= auto.low < auto.high <= found.high
    assert "widened" in str(found)
    assert "no interval" in str(estimate_prior(y, scores, method="twice-labeled", n_draws=0))


@pytest.mark.parametrize("name", ["auto", "tail-ratio", "twice-labeled", "tice"])
@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_weighted_counts_add_up_to_the_weighted_share(name, scale):
    scores, y, _ = draw(14, n_rows=600, prior=0.05)
    weight = np.where(y == 1, 10.0, 1.0) * scale
    found = estimate_prior(y, scores, method=name, weight=weight, n_draws=3, random_state=0)
    share = np.average(y, weights=weight)
    assert found.low >= share - 1e-12
    assert_allclose((weight @ y + found.n_hidden) / weight.sum(), found.value)


def test_weights_make_no_labeled_rows():
    scores, y, _ = draw(15, n_rows=600)
    few = np.where(np.cumsum(y) <= 3, y, 0)
    found = estimate_prior(few, scores, weight=np.where(few == 1, 50.0, 1.0))
    assert "3 labeled rows" in str(found)


@pytest.mark.parametrize("name", ["auto", "elkan-noto"])
def test_reviewed_negatives_change_no_estimate_and_hide_no_positives(name):
    scores, y, y_true = draw(0, n_rows=300)
    weight = np.where(np.arange(300) < 5, 2.0, 1.0)
    reviewed = np.where((y_true == 0) & (np.arange(300) >= 164), -1, y)
    for own in (None, weight):
        asked = {"method": name, "weight": own, "random_state": 0}
        plain, told = (estimate_prior(labels, scores, **asked) for labels in (y, reviewed))
        assert (told.value, told.low, told.high) == (plain.value, plain.low, plain.high)
        assert told.n_hidden == plain.n_hidden
        n_rows = (reviewed == 0).sum() if own is None else own[reviewed == 0].sum()
        assert f"hidden among {n_rows:.0f} unlabeled rows" in str(told)


def test_the_likelihood_agrees_with_a_row_by_row_twin():
    scores, y, _ = draw(7, n_rows=60, prior=0.3, gap=3.0)
    ours = _height_likelihood(rank_labels(scores, y))
    labels = y[np.argsort(-scores)]
    slow = np.zeros(len(_CELLS))
    for cell, height in enumerate(_CELLS):
        for half in np.geomspace(0.3 * y.sum(), 0.7 * 60, 20):
            for steepness in _STEEPNESS:
                chance = height / (1 + ((np.arange(60) + 0.5) / half) ** steepness)
                slow[cell] += np.prod(np.where(labels == 1, chance, 1 - chance))
    assert_allclose(np.cumsum(ours) / ours.sum(), np.cumsum(slow) / slow.sum(), atol=0.01)


def test_ranked_labels_know_the_auc_and_halve_ties():
    scores, y, _ = draw(8, n_rows=300, gap=1.0)
    for values in (scores, np.round(scores), scores * 0):
        ranked = rank_labels(values, y)
        assert_allclose(ranked.auc(), roc_auc_score(y, values))
    assert_allclose(
        ranked.labeled_among(np.array([0, 150, 300])), y.sum() * np.array([0, 0.5, 1])
    )


def test_projection_is_the_nearest_point_of_the_simplex():
    rng = np.random.default_rng(0)
    point = rng.normal(size=30)
    nearest = _project(point)
    assert_allclose(nearest.sum(), 1)
    others = rng.dirichlet(np.ones(30), size=500)
    assert ((others - nearest) @ (point - nearest)).max() < 1e-9
    root = rng.normal(size=(30, 30))
    gram = root @ root.T
    step = 1 / np.linalg.eigvalsh(gram)[-1]
    best = _nearest_mixture(gram, point, np.full(30, 1 / 30), step, n_steps=5000)
    slope = gram @ (best - point)
    assert (others @ slope).min() > best @ slope - 1e-6


def test_mean_of_elkan_and_noto_lies_above_the_robust_maximum():
    scores, y, _ = draw(9, gap=2.0)
    most = ElkanNotoPrior().estimate(scores, y, None)
    assert ElkanNotoPrior("mean").estimate(scores, y, None) > most


def test_a_bootstrap_is_reproducible_and_holds_the_value():
    scores, y, _ = draw(10, n_rows=400)
    first, second = (
        estimate_prior(y, scores, method="elkan-noto", random_state=3) for _ in range(2)
    )
    assert first == second
    assert first.low < first.value < first.high
    narrow = estimate_prior(y, scores, method="elkan-noto", level=0.5, random_state=3)
    assert narrow.high - narrow.low < first.high - first.low
    plain = estimate_prior(y, scores, method="elkan-noto", n_draws=0)
    assert plain.low == plain.value == plain.high


def test_a_higher_level_is_a_wider_interval():
    scores, y, _ = draw(11, n_rows=400)
    wide, narrow = (estimate_prior(y, scores, level=level) for level in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_parameters_are_reached_by_name():
    estimator = AutoPrior().set_params(belief__a=3.0, noise=0.7)
    assert repr(estimator) == "AutoPrior(belief=Beta(a=3.0, b=2.0), noise=0.7)"
    assert all(isinstance(build_prior(name), PriorEstimator) for name in list_priors())
    scores, y, _ = draw(12, n_rows=300)
    given = estimate_prior(y, scores, method=TIcEPrior(n_folds=3), n_draws=3, random_state=0)
    assert given.method == "tice"


@pytest.mark.parametrize("name", COUNTING)
def test_a_summary_with_its_number_of_rows_is_as_sure_as_the_table(name):
    scores, y, _ = draw(0, n_rows=8000, gap=3.0)
    (labels, values), weight = np.unique([y, scores.round(1)], axis=1, return_counts=True)
    found = estimate_prior(
        labels, values, method=name, weight=weight, n_rows=weight.sum(), n_draws=0
    )
    expected = estimate_prior(y, scores.round(1), method=name, n_draws=0)
    for one in ("value", "low", "high", "n_hidden", "identified"):
        assert_allclose(getattr(found, one), getattr(expected, one), rtol=1e-6)


def test_without_its_number_of_rows_a_summary_is_less_sure_than_the_table():
    scores, y, _ = draw(0, n_rows=8000, gap=3.0)
    (labels, values), weight = np.unique([y, scores.round(1)], axis=1, return_counts=True)
    alone, table = estimate_prior(labels, values, weight=weight), estimate_prior(y, scores)
    assert alone.high - alone.low > 1.2 * (table.high - table.low)
