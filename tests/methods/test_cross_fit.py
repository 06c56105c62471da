import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from lopsided._rows import TrainingRows
from lopsided.methods import _cross_fit
from lopsided.methods._cross_fit import assign_folds, cross_fit

Y = np.repeat([1, 0], [7, 23]).astype(np.int8)


def fold_sizes(fold_of):
    return np.bincount(fold_of[fold_of >= 0])


def test_each_label_is_spread_evenly_over_the_folds():
    rng = np.random.default_rng(0)
    fold_of = assign_folds(Y, 5, {0: rng, 1: rng})
    assert sorted(fold_sizes(fold_of[Y == 1])) == [1, 1, 1, 2, 2]
    assert sorted(fold_sizes(fold_of[Y == 0])) == [4, 4, 5, 5, 5]


def test_rows_of_a_label_without_a_generator_are_in_every_part():
    fold_of = assign_folds(Y, 5, {0: np.random.default_rng(0)})
    assert (fold_of[Y == 1] == -1).all()
    assert (fold_of[Y == 0] >= 0).all()


def test_labels_with_generators_of_their_own_do_not_move_each_other():
    alone = assign_folds(Y, 5, {1: np.random.default_rng([3, 1])})
    both = assign_folds(Y, 5, {label: np.random.default_rng([3, label]) for label in (0, 1)})
    assert_array_equal(alone[Y == 1], both[Y == 1])


def test_no_more_folds_are_used_than_a_label_has_rows():
    assert assign_folds(Y, 50, {1: np.random.default_rng(0)}).max() == 6


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_every_row_is_predicted_by_a_model_that_has_not_seen_it(kind, n_threads, monkeypatch):
    monkeypatch.setattr(_cross_fit, "_BLOCK", 3)
    ids = np.arange(len(Y), dtype=float)
    rows = TrainingRows(kind(ids[:, None]), Y, ids + 1)
    fold_of = assign_folds(Y, 4, {0: np.random.default_rng(0)})

    def fit(part, fold):
        seen = np.asarray(part.X)[:, 0]
        assert_array_equal(part.weight, seen + 1)
        assert_array_equal(part.y, Y[seen.astype(int)])

        def predict(left_out):
            unseen = np.asarray(left_out)[:, 0]
            assert len(unseen) <= 3
            assert not np.isin(unseen, seen).any()
            return unseen

        return fold, predict

    models, out_of_fold = cross_fit(rows, fold_of, fit, n_threads)
    assert models == [0, 1, 2, 3]
    assert_array_equal(out_of_fold, np.where(Y == 1, np.nan, ids))


def test_without_folds_nothing_is_fitted():
    rows = TrainingRows(np.zeros((len(Y), 1)), Y, np.ones(len(Y)))
    models, out_of_fold = cross_fit(rows, np.full(len(Y), -1), lambda *_: 1 / 0)
    assert models == []
    assert np.isnan(out_of_fold).all()


@pytest.mark.parametrize("answer", [False, True])
def test_a_first_fold_can_end_it(answer):
    rows = TrainingRows(np.arange(len(Y), dtype=float)[:, None], Y, np.ones(len(Y)))
    fold_of = assign_folds(Y, 3, {0: np.random.default_rng(0), 1: np.random.default_rng(1)})
    asked, fitted = [], []

    def fit(part, fold):
        fitted.append(fold)
        return fold, lambda left_out: left_out[:, 0]

    def goes_on(left_out, predicted):
        asked.append(fold_of[left_out].tolist())
        assert_array_equal(predicted, np.flatnonzero(left_out))
        return answer

    models, out_of_fold = cross_fit(rows, fold_of, fit, goes_on=goes_on)
    assert asked == [[0] * (fold_of == 0).sum()]
    assert models == fitted == ([0, 1, 2] if answer else [0])
    assert_array_equal(np.isnan(out_of_fold), (fold_of > 0) & (not answer))
