import numpy as np
import pytest

from lopsided._rows import TrainingRows
from lopsided.methods._members import Member, fit_member, member_folds
from lopsided.methods.logistic import NaiveLogisticClassifier


def labels(n_labeled, n_rows=60):
    return (np.arange(n_rows) < n_labeled).astype(np.int8)


def rows_of(y, groups=None):
    return TrainingRows(np.zeros((len(y), 1)), y, np.ones(len(y)), None, groups)


@pytest.mark.parametrize("n_labeled", [3, 4, 5, 17])
def test_folds_hold_labeled_and_unlabeled_rows_evenly(n_labeled):
    y = labels(n_labeled)
    fold_of = member_folds(rows_of(y), 5, seed=0)
    n_folds = min(5, n_labeled)
    for kind in (0, 1):
        counts = np.bincount(fold_of[y == kind], minlength=n_folds)
        assert len(counts) == n_folds
        assert np.ptp(counts) <= 1
    for fold in range(n_folds):
        assert y[fold_of != fold].sum() >= 2


def test_two_labeled_rows_are_in_every_part():
    y = labels(2)
    fold_of = member_folds(rows_of(y), 5, seed=0)
    assert (fold_of[y == 1] == -1).all()
    assert set(fold_of[y == 0]) == set(range(5))


def test_folds_depend_on_the_seed_alone():
    y = labels(9)
    assert (member_folds(rows_of(y), 5, seed=3) == member_folds(rows_of(y), 5, seed=3)).all()
    assert (member_folds(rows_of(y), 5, seed=3) != member_folds(rows_of(y), 5, seed=4)).any()


def test_a_lone_unlabeled_row_is_in_every_part():
    y = labels(11, n_rows=12)
    fold_of = member_folds(rows_of(y), 5, seed=0)
    assert fold_of[y == 0].tolist() == [-1]
    assert (fold_of[y == 1] >= 0).all()


def test_one_model_of_all_rows_is_the_member_where_none_can_be_left_out():
    y, X = labels(2, n_rows=3), np.array([[3.0], [2.0], [0.0]])
    whole = NaiveLogisticClassifier().fit(X, y)
    member = Member("logistic", "logistic regression", NaiveLogisticClassifier(), stream=0)
    rows = TrainingRows(X, y, np.ones(3))
    fitted = fit_member(member, rows, whole._schema(), seed=0, n_folds=5, n_threads=1)
    assert len(fitted.models) == 1
    np.testing.assert_array_equal(fitted.out_of_fold, whole.decision_function(X))


def test_a_member_has_the_same_seed_whoever_else_takes_part_and_another_one_another():
    one, other = (Member("a", "", NaiveLogisticClassifier(), stream) for stream in (1, 2))
    assert one.seed(5) == one.seed(5) != other.seed(5)
    assert one.seed(5) != one.seed(6)


def test_hardly_any_unlabeled_rows_still_make_two_folds():
    assert set(member_folds(rows_of(labels(10, n_rows=12)), 5, seed=0)) == {0, 1}
