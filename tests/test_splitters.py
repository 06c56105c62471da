from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from lopsided.model_selection import PUGroupKFold, PUStratifiedKFold, PUTimeSplit

RNG = np.random.default_rng(0)


def draw_table(seed, n_rows=200, n_labeled=12, n_groups=40):
    """Labels, groups of uneven size, and days that groups come back on."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n_rows, int)
    y[rng.choice(n_rows, n_labeled, replace=False)] = 1
    return y, rng.geometric(0.05, n_rows) % n_groups, rng.integers(0, 30, n_rows)


@pytest.mark.parametrize("n_labeled", [5, 6, 12, 100])
@pytest.mark.parametrize("shuffle", [False, True])
def test_stratified_folds_share_labeled_rows_evenly_and_cover_all_rows_once(n_labeled, shuffle):
    y = draw_table(0, n_labeled=n_labeled)[0]
    seed = 0 if shuffle else None
    cv = PUStratifiedKFold(5, shuffle=shuffle, random_state=seed)
    splits = list(cv.split(y, y))
    per_fold = [y[test].sum() for _, test in splits]
    assert max(per_fold) - min(per_fold) <= 1
    assert min(per_fold) >= 1
    assert_array_equal(np.sort(np.concatenate([test for _, test in splits])), np.arange(200))
    plain = StratifiedKFold(5, shuffle=shuffle, random_state=seed).split(y, y)
    for (train, test), (train_too, test_too) in zip(splits, plain, strict=True):
        assert_array_equal(train, train_too)
        assert_array_equal(test, test_too)
    assert cv.get_n_splits() == 5


@pytest.mark.parametrize("seed", range(20))
def test_group_folds_keep_groups_whole_and_have_labeled_rows_wherever_it_is_possible(seed):
    y, groups, _ = draw_table(seed)
    n_splits = min(5, len(np.unique(groups[y == 1])))
    cv = PUGroupKFold(n_splits, shuffle=True, random_state=seed)
    splits = list(cv.split(y, y, groups))
    per_fold = [y[test].sum() for _, test in splits]
    largest = np.bincount(groups, weights=y).max()
    assert min(per_fold) >= 1
    assert max(per_fold) - min(per_fold) <= largest  # greedy: never off by more than a group
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        assert len(train) + len(test) == 200
    again = PUGroupKFold(n_splits, shuffle=True, random_state=seed).split(y, y, groups)
    for (_, test), (_, test_again) in zip(splits, again, strict=True):
        assert_array_equal(test, test_again)


def test_names_and_numbers_of_groups_split_alike():
    y, groups, _ = draw_table(1)
    names = np.array([f"g{group:03d}" for group in groups])
    for one, two in zip(
        PUGroupKFold(3).split(y, y, groups),
        PUGroupKFold(3).split(y, y, pd.Series(names)),
        strict=True,
    ):
        assert_array_equal(one[1], two[1])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_splits", [1, 3, 6])
def test_time_splits_train_on_the_past_and_test_on_labeled_rows(seed, n_splits):
    y, _, days = draw_table(seed, n_labeled=20)
    cv = PUTimeSplit(n_splits, time=days)
    splits = list(cv.split(y, y))
    assert len(splits) == cv.get_n_splits() == n_splits
    for train, test in splits:
        assert days[train].max() < days[test].min()
        assert y[test].sum() >= 1
        assert y[train].sum() >= 2
    for (train, test), (later, _) in pairwise(splits):
        assert set(later) == {*train, *test}
    assert set(splits[-1][0]) | set(splits[-1][1]) == set(range(200))


def test_time_blocks_share_labeled_rows_evenly():
    y = np.tile([1, 0, 0], 60)
    per_block = [y[test].sum() for _, test in PUTimeSplit(5).split(y, y)]
    assert per_block == [10] * 5


def test_time_may_be_a_column_an_array_dates_or_the_order():
    y, _, days = draw_table(2)
    order = np.argsort(days, kind="stable")
    y, days = y[order], days[order]
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D")
    X = pd.DataFrame({"day": days, "x": 0.0})
    wanted = [test.tolist() for _, test in PUTimeSplit(3, time=days).split(X, y)]
    for time in ("day", dates, dates.tz_localize("UTC"), days.astype(float)):
        found = [test.tolist() for _, test in PUTimeSplit(3, time=time).split(X, y)]
        assert found == wanted
    assert [len(test) for _, test in PUTimeSplit(3).split(X, y)]


@pytest.mark.parametrize("seed", range(10))
def test_with_time_and_groups_no_group_is_on_both_sides_and_no_test_row_is_lost(seed):
    y, _, days = draw_table(seed, n_rows=400, n_labeled=60)
    groups = np.random.default_rng(seed).integers(0, 200, 400)
    cv = PUTimeSplit(3, time=days)
    for (train, test), (past, test_too) in zip(
        cv.split(y, y, groups), cv.split(y, y), strict=True
    ):
        assert_array_equal(test, test_too)
        assert not set(groups[train]) & set(groups[test])
        assert set(past) - set(train) == set(past[np.isin(groups[past], groups[test])])


@pytest.mark.parametrize("cv", [PUStratifiedKFold(3), PUGroupKFold(3), PUTimeSplit(3)])
def test_scikit_learn_takes_the_splitters(cv):
    y, groups, _ = draw_table(3, n_labeled=30)
    X = RNG.normal(size=(200, 2)) + y[:, None]
    groups = np.arange(200) // 2 if isinstance(cv, PUTimeSplit) else groups
    scores = cross_val_score(
        LogisticRegression(), X, y, groups=groups, cv=cv, scoring="roc_auc"
    )
    assert len(scores) == 3
    assert scores.mean() > 0.6
    assert str(cv)
