import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from lopsided.trees.sampling import Bagging, Bootstrap, StratifiedBootstrap, WholeTable

Y = np.repeat([1, 0, 1, 0], [5, 60, 5, 130])
SCHEMES = [Bootstrap(), StratifiedBootstrap(), Bagging(), Bagging(3.0), WholeTable()]


def bags(scheme, y=Y, n=200):
    return np.array([scheme.draw(y, np.random.default_rng(seed)) for seed in range(n)])


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_bag_counts_every_row_and_depends_on_the_seed_alone(scheme):
    counts = bags(scheme)
    assert counts.shape == (200, 200)
    assert counts.dtype.kind == "i"
    assert counts.min() >= 0
    assert_array_equal(counts, bags(scheme))


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_scheme_says_which_rows_it_leaves_out(scheme):
    left_out = (bags(scheme) == 0).any(axis=0)
    assert left_out[Y == 1].all() == left_out[Y == 1].any() == scheme.leaves_out_labeled
    assert left_out[Y == 0].all() == left_out[Y == 0].any() == scheme.leaves_out_unlabeled


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_scheme_is_made_again_from_its_parameters(scheme):
    copy = clone(scheme)
    assert copy is not scheme
    assert copy == scheme == type(scheme)(**scheme.get_params())
    assert repr(copy) == repr(scheme)


def test_the_ratio_of_bagging_is_its_only_parameter():
    assert repr(Bagging().set_params(ratio=3)) == "Bagging(ratio=3)"
    assert [scheme.get_params() for scheme in (Bootstrap(), WholeTable())] == [{}, {}]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_every_bag_has_labeled_and_unlabeled_rows(scheme):
    y = np.repeat([1, 0], [2, 300])
    counts = bags(scheme, y)
    assert (counts[:, y == 1].sum(axis=1) >= 1).all()
    assert (counts[:, y == 0].sum(axis=1) >= 1).all()


def test_a_bootstrap_draws_as_many_rows_as_there_are():
    counts = bags(Bootstrap())
    assert (counts.sum(axis=1) == 200).all()
    assert abs((counts == 0).mean() - np.exp(-1)) < 0.01
    assert abs(counts[:, Y == 1].sum(axis=1).mean() - 10) < 1


def test_a_bootstrap_without_labeled_rows_gets_one_more():
    y = np.repeat([1, 0], [1, 400])
    counts = bags(Bootstrap(), y)
    extra = counts.sum(axis=1) - 401
    assert set(extra) == {0, 1}
    assert (counts[extra == 1, 0] == 1).all()


def test_a_stratified_bootstrap_holds_all_labeled_rows_once():
    counts = bags(StratifiedBootstrap())
    assert (counts[:, Y == 1] == 1).all()
    assert (counts[:, Y == 0].sum(axis=1) == 190).all()
    assert counts[:, Y == 0].max() > 1


def test_bagging_draws_unlabeled_rows_in_proportion_and_none_twice():
    counts = bags(Bagging(3.0))
    assert (counts[:, Y == 1].sum(axis=1) == 10).all()
    assert counts[:, Y == 1].max() > 1
    assert (counts[:, Y == 0].sum(axis=1) == 30).all()
    assert counts[:, Y == 0].max() == 1


def test_bagging_is_a_bootstrap_of_each_kind_where_unlabeled_rows_run_short():
    for ratio in (19.0, 20.0, 1e6):
        counts = bags(Bagging(ratio))
        assert (counts[:, Y == 1].sum(axis=1) == 10).all()
        assert (counts[:, Y == 0].sum(axis=1) == 190).all()
        assert counts[:, Y == 0].max() > 1


def test_the_whole_table_is_every_row_once():
    assert (bags(WholeTable(), n=2) == 1).all()
