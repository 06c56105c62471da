import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import coo_array, csr_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lopsided
from lopsided import ranking
from lopsided.exceptions import PriorWarning
from lopsided.labeling import SCAR
from lopsided.losses import LogisticLoss
from lopsided.methods.base import PUClassifier
from lopsided.metrics import average_precision
from lopsided.ranking import rank_against, rank_unlabeled
from lopsided.risks import PURisk

RNG = np.random.default_rng(0)
TRUTH = np.repeat([1, 0], [60, 540])
X = RNG.normal(size=(600, 4)) + 1.5 * TRUTH[:, None] * [1, 1, 0, 0]
Y = SCAR(0.5).draw(X, TRUTH, 0)


class Recorder(PUClassifier):
    """Remembers which rows it saw; the first column is a row's number."""

    seen: list = []  # noqa: RUF012
    priors: list = []  # noqa: RUF012

    def __init__(self, random_state=None):
        self.random_state = random_state

    def needs_prior(self):
        return False

    def _fit(self, rows, rng):
        self.trained_ = set(rows.X[:, 0].astype(int))
        assert rows.y.sum() == Y.sum()

    def _scores(self, X):
        Recorder.seen.append((self.trained_, set(X[:, 0].astype(int))))
        return X[:, 1]


class NeedsPrior(Recorder):
    def __init__(self, prior=None, random_state=None):
        self.prior = prior
        self.random_state = random_state

    def needs_prior(self):
        return True

    def _fit(self, rows, rng):
        super()._fit(rows, rng)
        Recorder.priors.append(self.prior_)


class Shifted(Recorder):
    def _fit(self, rows, rng):
        super()._fit(rows, rng)
        self.shift_ = 1000 * rng.random()

    def _scores(self, X):
        return super()._scores(X) + self.shift_


def test_no_row_is_scored_by_a_model_that_saw_it():
    Recorder.seen = []
    numbered = np.column_stack([np.arange(600), X])
    rank_unlabeled(numbered, Y, Recorder(), random_state=0)
    held_out = [scored for trained, scored in Recorder.seen if not scored <= trained]
    assert len(held_out) == 5
    for trained, scored in Recorder.seen:
        assert scored <= trained or not scored & trained
    assert set.union(*held_out) == set(np.flatnonzero(Y == 0))
    assert sum(map(len, held_out)) == (Y == 0).sum()


def test_unlabeled_rows_get_scores_and_labeled_rows_none():
    scores = rank_unlabeled(X, Y, folds=2, random_state=0)
    assert np.isnan(scores[Y == 1]).all()
    assert np.isfinite(scores[Y == 0]).all()
    assert average_precision(TRUTH[Y == 0], scores[Y == 0]) > 0.5


def test_a_seed_gives_the_same_ranking_for_every_kind_of_table():
    arrays, frames, *others = (
        rank_unlabeled(table, Y, "focused-xgb", prior=0.1, folds=2, random_state=3, n_jobs=1)
        for table in (X, pd.DataFrame(X), csr_array(X), coo_array(X))
    )
    assert_allclose(arrays, frames)
    for sparse in others:
        assert np.corrcoef(sparse[Y == 0], arrays[Y == 0])[0, 1] > 0.9


def test_an_estimator_can_be_given_instead_of_a_name():
    model = lopsided.build("nnpu-xgb", prior=0.1, n_estimators=10)
    scores = rank_unlabeled(X, Y, model, random_state=0)
    assert average_precision(TRUTH[Y == 0], scores[Y == 0]) > 0.4
    with pytest.raises(ValueError, match="set it on the estimator"):
        rank_unlabeled(X, Y, model, prior=0.1)


def test_pipelines_and_other_classifiers_can_rank_and_get_their_seeds():
    for model in (
        make_pipeline(
            StandardScaler(), lopsided.build("focused-xgb", prior=0.1, n_estimators=5)
        ),
        RandomForestClassifier(20),
    ):
        first, second = (rank_unlabeled(X, Y, model, random_state=0) for _ in range(2))
        assert_allclose(first, second)
        assert average_precision(TRUTH[Y == 0], first[Y == 0]) > 0.3


def test_each_fold_gets_the_prior_of_its_own_training_part():
    Recorder.priors = []
    rank_unlabeled(X, Y, NeedsPrior(prior=0.1), random_state=0)
    n_labeled, n_hidden = Y.sum(), 0.1 * 600 - Y.sum()
    kept = 0.8 * (600 - n_labeled)
    expected = (n_labeled + 0.8 * n_hidden) / (n_labeled + kept)
    assert_allclose(Recorder.priors, expected, rtol=1e-9)


def test_scores_of_different_folds_are_brought_to_one_scale():
    Recorder.seen = []
    scores = rank_unlabeled(np.column_stack([np.arange(600), X]), Y, Shifted(), random_state=0)
    # Each model adds its own constant to the first column of X; ranks do not see it.
    expected = X[Y == 0, 0]
    assert (
        np.corrcoef(pd.Series(scores[Y == 0]).rank(), pd.Series(expected).rank())[0, 1] > 0.99
    )


def test_a_missing_prior_is_guessed_once_and_said_once():
    for method in ("ifpu-xgb", lopsided.build("ifpu-xgb", n_estimators=5)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rank_unlabeled(X, Y, method, random_state=0)
        assert [w.category for w in caught].count(PriorWarning) == 1


def test_oracle_methods_are_refused():
    with pytest.raises(ValueError, match="xgb learns from true labels"):
        rank_unlabeled(X, Y, "xgb")


def test_a_prior_for_a_method_without_one_is_refused():
    with pytest.raises(ValueError, match="takes no prior"):
        rank_unlabeled(X, Y, "naive-xgb", prior=0.1)


def test_too_few_unlabeled_rows_are_refused():
    with pytest.raises(ValueError, match="two unlabeled rows are needed, got 1 and 1"):
        rank_unlabeled(X[:4], [1, 1, 1, 0], "naive-xgb")
    with pytest.raises(ValueError, match="same number of rows, got 600 and 599"):
        rank_unlabeled(X, Y[:-1])


def test_ranks_against_a_reference_are_shares_that_keep_the_order():
    reference = RNG.normal(size=200)
    scores = np.sort(np.concatenate([RNG.normal(size=50) * 3, [-40, 40, 41, 1000]]))
    placed = rank_against(reference, scores)
    assert (np.diff(placed) > 0).all()
    slow = [(reference < score).mean() for score in scores]
    assert_allclose(placed, slow, atol=1 / 200)


def test_ranks_of_tied_references_are_their_middle():
    assert_allclose(rank_against([1, 1, 1, 1], [1, 2]), [0.5, 0.5 + 0.5 / 8])
    assert_allclose(rank_against([0, 0, 1, 1], [0, 1]), [0.25, 0.75])


@pytest.mark.parametrize("method", lopsided.list_methods())
def test_every_method_can_be_named_for_a_ranking(method):
    assert ranking._template(method, None, n_jobs=1).n_jobs == 1


def test_the_prior_of_unlabeled_rows_is_the_same_in_every_fold():
    Recorder.priors = []

    class TwoSamples(NeedsPrior):
        risk = PURisk(LogisticLoss(), scenario="two-sample")

        def _scenario(self):
            return self.risk.scenario

    numbered = np.column_stack([np.arange(600), X])
    rank_unlabeled(numbered, Y, TwoSamples(prior=0.05), random_state=0)
    assert Recorder.priors == [0.05] * 5
