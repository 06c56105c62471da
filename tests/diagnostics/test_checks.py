from inspect import signature

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.stats import permutation_test, rankdata

from lopsided.diagnostics import (
    ScarCheck,
    check_scar,
    check_signal,
    check_signal_in_table,
    find_leaks,
    sensitivity,
)
from lopsided.diagnostics import _permutation as permutation
from lopsided.diagnostics import signal as signal_module
from lopsided.labeling import SCAR
from lopsided.metrics import pu_average_precision, pu_roc_auc
from lopsided.priors import estimate_prior

TRUTH = np.repeat([1, 0], [100, 900])
RNG = np.random.default_rng(2)
GOOD = RNG.normal(size=1000) + 4 * TRUTH  # nearly perfect
FAIR = RNG.normal(size=1000) + 1.5 * TRUTH
Y = SCAR(0.5).draw(None, TRUTH, 0)


# Signal


def test_random_scores_give_a_uniform_p_value():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [6, 150])
    found = [check_signal(y, rng.normal(size=156)) for _ in range(150)]
    p_values = np.array([one.p_value for one in found])
    assert 0.4 < p_values.mean() < 0.6
    assert np.mean([one.found for one in found]) < 0.1


def test_the_p_value_is_that_of_a_permutation_test():
    y, scores = Y[::7], FAIR[::7] - 1.2 * TRUTH[::7]
    value = -np.sqrt(rankdata(-scores))

    def statistic(labeled, rest, axis):
        return labeled.mean(axis=axis)

    outside = permutation_test(
        (value[y == 1], value[y == 0]),
        statistic,
        alternative="greater",
        vectorized=True,
        n_resamples=3000,
        random_state=np.random.default_rng(0),  # `rng` from SciPy 1.15 on
    )
    found = check_signal(y, scores)
    assert_allclose(found.p_value, outside.pvalue, atol=0.03)
    assert_allclose(found.roc_auc, pu_roc_auc(y, scores))


def test_many_labeled_rows_are_judged_by_the_normal_law(monkeypatch):
    weak = RNG.normal(size=1000) + 0.15 * Y
    drawn = check_signal(Y, weak).p_value
    monkeypatch.setattr(signal_module, "_MAX_SHUFFLED", 0)
    assert_allclose(check_signal(Y, weak).p_value, drawn, atol=0.03)
    assert check_signal(Y, np.zeros(1000)).p_value == 1


def test_the_user_is_warned_of_noise_and_not_of_signal():
    X = np.random.default_rng(3).normal(size=(300, 4))
    real = (X[:, 0] > 1.7).astype(int)
    noise = np.random.default_rng(4).permutation(real)
    assert check_signal_in_table(X, real).found
    found = check_signal_in_table(X, noise)
    assert not found.found
    assert "no signal" in str(found)


@pytest.mark.parametrize("n_labeled", [2, 5])
def test_few_labels_on_noise_give_a_uniform_p_value(n_labeled, monkeypatch):
    monkeypatch.setattr(permutation, "_DRAWS", 49)
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [n_labeled, 80])
    tables = [np.exp(2 * rng.normal(size=(len(y), 3))) for _ in range(200)]
    p_values = np.array([permutation.permute_and_refit(X, y, rng) for X in tables])
    assert 0.44 < p_values.mean() < 0.56
    assert_allclose(np.mean(p_values <= 0.1), 0.1, atol=0.05)


def test_few_labels_show_a_clear_signal_and_the_same_one_each_time():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(3, 4)) / 2 + 4, rng.normal(size=(2500, 4))]
    y = np.repeat([1, 0], [3, 2500])
    found = check_signal_in_table(X, y, random_state=1)
    assert found.found
    assert found.p_value < 0.01
    assert found == check_signal_in_table(X, y, random_state=1)


def test_few_labels_are_judged_by_categories_and_gaps_too():
    y = np.repeat([1, 0], [4, 120])
    amount = np.where(np.arange(124) % 9, np.arange(124) % 7, np.nan)
    kind = np.where(y == 1, "odd", np.array(["a", "b", "c"])[np.arange(124) % 3])
    table = pd.DataFrame({"amount": amount, "kind": pd.Categorical(kind)})
    p_value = permutation.permute_and_refit(table, y, np.random.default_rng(0))
    assert p_value < 0.01
    assert permutation.permute_and_refit(np.ones((124, 2)), y, np.random.default_rng(0)) == 1


def test_left_out_regressions_equal_slow_ones():
    from sklearn.linear_model import Ridge

    X = RNG.normal(size=(40, 3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    own = np.array([3, 17, 30])
    y = np.isin(np.arange(40), own).astype(float)
    slow = np.empty(40)
    for i in range(40):
        rest = np.arange(40) != i
        model = Ridge(alpha=40, fit_intercept=False).fit(X[rest], y[rest])
        slow[i] = model.predict(X[[i]])[0]
    ranks = rankdata(-slow)[own]
    assert_allclose(permutation._regress(X, own[None]), -np.sqrt(ranks).mean())


# SCAR


def test_false_alarms_of_scar_stay_at_their_level():
    for scores in (GOOD, FAIR):
        alarms = [
            not check_scar(SCAR(0.5).draw(None, TRUTH, seed), scores, 0.1).plausible
            for seed in range(40)
        ]
        assert np.mean(alarms) <= 0.15


def test_easy_cases_labeled_first_are_noticed():
    propensity = np.argsort(np.argsort(GOOD)) / 1000  # rises with the score
    rng = np.random.default_rng(0)
    alarms = []
    for _ in range(30):
        kept = (TRUTH == 1) & (rng.random(1000) < 10 * (propensity - 0.9))
        alarms.append(not check_scar(kept.astype(int), GOOD, 0.1).plausible)
    assert np.mean(alarms) > 0.8


def test_a_prior_from_the_same_scores_is_said_to_leave_nothing_to_test():
    estimated = check_scar(Y, GOOD, estimate_prior(Y, GOOD))
    assert not estimated.testable
    assert check_scar(Y, GOOD, 0.1).testable


def test_a_range_of_priors_is_judged_at_its_mild_end():
    y = (np.argsort(np.argsort(-GOOD)) < 40).astype(int)
    assert not check_scar(y, GOOD, (0.08, 0.12)).plausible
    assert check_scar(y, GOOD, (0.04, 0.12)).plausible
    assert "labeled first" in str(check_scar(y, GOOD, 0.1))


# Leaks


def noise_table(y):
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "amount": rng.normal(size=len(y)),
            "city": rng.choice(list("abcdefgh"), len(y)),
            "id": [f"row {i}" for i in range(len(y))],
            "gaps": np.where(rng.random(len(y)) < 0.5, np.nan, 1.0),
            "truth": np.where(TRUTH, 5.0, 0) + rng.normal(size=len(y)),
        }
    )


def test_honest_columns_are_no_leaks():
    assert find_leaks(noise_table(Y), Y) == []
    assert find_leaks(np.zeros((1000, 2)), Y) == []


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("missing", np.where(Y == 1, 1.0, np.nan)),
        ("missing", np.where(Y == 1, np.nan, 1.0)),
        ("range", np.where(Y == 1, 3.0, 0) + RNG.random(1000)),
        ("value", np.where(Y == 1, 3, RNG.integers(0, 3, 1000))),
        ("value", np.where(Y == 1, "closed", RNG.choice(["new", "open"], 1000))),
        ("categories", np.where(Y == 1, RNG.choice(["x", "y"], 1000), "new")),
        (
            "range",
            pd.Timestamp("2020-01-01") + pd.to_timedelta(900.0 * Y + np.arange(1000) / 9, "D"),
        ),
        ("categories", pd.Categorical(np.where(Y == 1, RNG.choice(["x", "y"], 1000), "new"))),
    ],
)
def test_a_column_filled_in_after_the_review_is_found(kind, column):
    table = noise_table(Y).assign(note=column)
    (leak,) = find_leaks(table, Y)
    assert (leak.column, leak.kind) == ("note", kind)
    assert leak.roc_auc > 0.95
    assert "'note'" in str(leak)


def test_half_filled_leaks_and_sparse_tables_are_found_too():
    rng = np.random.default_rng(1)
    some = np.where((Y == 1) & (rng.random(1000) < 0.7), 2.0, 0.0)
    X = np.c_[rng.normal(size=1000), some]
    assert [leak.column for leak in find_leaks(X, Y)] == ["1"]
    assert [leak.column for leak in find_leaks(csr_array(X), Y)] == ["1"]


def test_chance_is_no_leak_where_few_rows_are_labeled():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [2, 98])
    alarms = [bool(find_leaks(rng.normal(size=(100, 60)), y)) for _ in range(20)]
    assert not any(alarms)


def test_a_column_that_is_the_truth_is_no_leak_where_few_rows_are_labeled():
    rng = np.random.default_rng(0)
    alarms = []
    for _ in range(100):
        column = rng.normal(size=(400, 1))
        truth = (column[:, 0] > np.sort(column[:, 0])[-14]).astype(int)  # 13 positives
        alarms.append(bool(find_leaks(column, SCAR(0.5).draw(None, truth, rng))))
    assert np.mean(alarms) < 0.05


# Sensitivity


def test_the_first_outcome_is_that_of_the_metrics():
    for scores in (GOOD, FAIR):
        first = sensitivity(Y, scores, 100, 0.1).outcomes[0]
        exact = pu_average_precision(Y, scores, 0.1, clip=True)
        assert_allclose(first.average_precision, exact)
        assert first.prior == pytest.approx(0.1)


def test_a_known_prior_stays_and_answers_move_both_ways():
    usual, easy, hard = sensitivity(Y, FAIR, 100, 0.1).outcomes
    assert easy.prior == pytest.approx(0.1)
    assert hard.prior == pytest.approx(0.1)
    assert easy.recall < usual.recall < hard.recall
    assert easy.finds < usual.finds < hard.finds
    assert easy.average_precision < usual.average_precision < hard.average_precision


def test_an_estimated_prior_moves_with_the_assumption():
    found = sensitivity(Y, FAIR, 100, (0.08, 0.125))
    usual, low, high, easy, hard = found.outcomes
    assert low.prior < usual.prior < high.prior
    assert hard.prior < usual.prior < easy.prior
    assert low.finds < usual.finds < high.finds
    assert str(found).count("\n") == 5


def test_weights_undo_labels_that_follow_the_assumption():
    order = np.argsort(np.argsort(-FAIR[TRUTH == 1]))
    propensity = 0.6 * 3.0 ** (-order / 99)
    truth, finds, usual = [], [], []
    for seed in range(200):
        y = np.zeros(1000, dtype=int)
        y[:100] = np.random.default_rng(seed).random(100) < propensity
        rest = np.flatnonzero(y == 0)
        truth.append(TRUTH[rest[np.argsort(-FAIR[rest])[:100]]].sum())
        outcomes = sensitivity(y, FAIR, 100, 0.1).outcomes
        usual.append(outcomes[0].finds)
        finds.append(outcomes[1].finds)
    assert abs(np.mean(finds) - np.mean(truth)) < 0.3 * abs(np.mean(usual) - np.mean(truth))


def test_scar_is_not_plausible_at_a_p_value_of_the_level():
    level = signature(check_scar).parameters["level"].default
    assert not ScarCheck(50 / 500, level, place=5, n_crowd=5, n_expected=1.0).plausible
