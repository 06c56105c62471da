import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csr_array
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lopsided
from lopsided import ranking
from lopsided.exceptions import PriorWarning
from lopsided.labeling import SCAR
from lopsided.losses import LogisticLoss
from lopsided.methods.base import PUClassifier
from lopsided.methods.focused import OutlierClassifier
from lopsided.metrics import average_precision
from lopsided.model_selection import PUGroupKFold, PUTimeSplit
from lopsided.ranking import rank_against, rank_unlabeled
from lopsided.risks import PURisk
from lopsided.trees.sampling import Bagging, Bootstrap, StratifiedBootstrap, WholeTable

RNG = np.random.default_rng(0)
TRUTH = np.repeat([1, 0], [60, 540])
X = RNG.normal(size=(600, 4)) + 1.5 * TRUTH[:, None] * [1, 1, 0, 0]
Y = SCAR(0.5).draw(X, TRUTH, 0)


class Recorder(PUClassifier):
    """Remembers which rows it saw; the first column is a row's number."""

    seen: list = []  # noqa: RUF012
    priors: list = []  # noqa: RUF012
    labels: list = []  # noqa: RUF012

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


def test_a_missing_prior_is_estimated_once_for_all_folds_and_said_once(monkeypatch):
    estimates, plain = [], PUClassifier.resolve_prior

    def note(self, *rows):
        estimates.append(plain(self, *rows))
        return estimates[-1]

    monkeypatch.setattr(PUClassifier, "resolve_prior", note)
    few = np.where(np.cumsum(Y) <= 4, Y, 0)  # too few to tell
    for method in ("ifpu-xgb", lopsided.build("ifpu-xgb", n_estimators=5)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rank_unlabeled(X, few, method, random_state=0)
        assert [w.category for w in caught].count(PriorWarning) == 1
    assert len(estimates) == 2


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


def test_places_depend_on_how_weights_compare_and_not_on_their_size():
    reference, weights, scores = np.arange(5.0), np.array([1.0, 3, 1, 1, 2]), [-9, 0.5, 4, 99]
    placed = rank_against(reference, scores, weights)
    assert_allclose(rank_against(reference, scores, weights / 100), placed)
    assert placed.min() > -0.2
    assert placed.max() < 1.2


def test_scores_near_the_largest_number_keep_their_order():
    placed = rank_against([-1.7e308, 0.0, 1e300, np.inf], [-np.inf, -1.0, 0.0, 1e299, 1.7e308])
    assert np.isfinite(placed).all()
    assert (np.diff(placed) >= 0).all()


class GroupRecorder(Recorder):
    def _fit(self, rows, rng):
        self.trained_ = set(rows.X[:, 0].astype(int))
        Recorder.priors.append(self.prior_)


def check_groups(apart, **params):
    """Rank numbered rows and return what was trained on and ranked by each model."""
    Recorder.seen, Recorder.priors = [], []
    numbered = np.column_stack([np.arange(600), X])
    scores = rank_unlabeled(numbered, Y, GroupRecorder(), random_state=0, **params)
    ranked = [(trained, scored) for trained, scored in Recorder.seen if not scored <= trained]
    for trained, scored in ranked:
        assert not set(apart[list(trained)]) & set(apart[list(scored)])
    return scores, ranked


@pytest.mark.parametrize("as_cv", [False, True])
def test_no_group_is_on_both_sides_its_labeled_rows_too(as_cv):
    groups = np.random.default_rng(1).integers(0, 60, 600)
    cv = PUGroupKFold(4) if as_cv else None
    scores, ranked = check_groups(groups, groups=groups, cv=cv)
    assert len(ranked) == (4 if as_cv else 5)
    assert_array_equal(np.isnan(scores), Y == 1)
    for trained, _ in ranked:
        assert 2 <= Y[list(trained)].sum() < Y.sum()


def test_a_fold_that_leaves_out_all_but_few_labeled_rows_compares_with_others():
    # All labeled rows but four, and a tenth of the others, are of one group.
    groups = np.where(Y == 1, 0, np.random.default_rng(1).integers(0, 10, 600))
    groups[np.flatnonzero(Y == 1)[:4]] = [1, 2, 3, 4]
    numbered = np.column_stack([np.arange(600), X])
    scores = rank_unlabeled(
        numbered, Y, ColumnScorer(), groups=groups, folds=10, random_state=0
    )[Y == 0]
    # One scorer for all: its order is to come out, whatever a fold had to leave out.
    moved = np.abs(scores.argsort().argsort() - X[Y == 0, 0].argsort().argsort())
    assert moved.max() <= 12


class ColumnScorer(Recorder):
    def _fit(self, rows, rng):
        self.trained_ = set()

    def _scores(self, X):
        return X[:, 1]


def test_splits_by_time_rank_the_later_rows_and_leave_the_first_without_a_score():
    pairs = np.arange(600) // 2
    mixed = np.random.default_rng(0).permutation(600)
    scores, ranked = check_groups(pairs, cv=PUTimeSplit(3, time=mixed), groups=pairs)
    assert len(ranked) == 3
    assert 50 < np.isnan(scores[Y == 0]).sum() < 300


def test_as_many_folds_can_be_asked_for_by_cv():
    one, two = (
        rank_unlabeled(X, Y, "naive-logistic", random_state=0, **{name: 3})
        for name in ("folds", "cv")
    )
    assert_array_equal(one, two)


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


# Reviewed negatives, a single labeled row, none


REVIEWED = np.where((TRUTH == 0) & (np.arange(600) % 6 == 0), -1, Y)


def test_reviewed_rows_are_always_trained_on_and_never_ranked():
    Recorder.seen = []
    numbered = np.column_stack([np.arange(600), X])
    scores = rank_unlabeled(numbered, REVIEWED, Recorder(), random_state=0)
    assert_array_equal(np.isnan(scores), REVIEWED != 0)
    known = set(np.flatnonzero(REVIEWED))
    ranked = [(trained, scored) for trained, scored in Recorder.seen if not scored <= trained]
    assert len(ranked) == 5
    for trained, scored in ranked:
        assert known <= trained
        assert not known & scored


class LabelRecorder(Recorder):
    def fit(self, X, y, sample_weight=None, groups=None):
        Recorder.labels.append((np.unique(y).tolist(), groups))
        return super().fit(X, y, sample_weight, groups)


class Other(RandomForestClassifier):
    def fit(self, X, y):
        Recorder.labels.append((np.unique(y).tolist(), None))
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (LabelRecorder(), [-1, 0, 1]),
        (make_pipeline(StandardScaler(), LabelRecorder()), [-1, 0, 1]),
        (Other(3), [0, 1]),
        (make_pipeline(StandardScaler(), Other(3)), [0, 1]),
    ],
    ids=["method", "pipeline", "other", "pipeline of another"],
)
def test_methods_meet_reviewed_negatives_and_other_classifiers_two_classes(model, expected):
    Recorder.labels = []
    rank_unlabeled(X, REVIEWED, model, folds=2, random_state=0)
    assert [found for found, _ in Recorder.labels] == [expected] * 2


def test_reviewed_negatives_are_refused_by_a_method_that_takes_none():
    class Refuses(Recorder):
        _takes_reviewed = False

    with pytest.raises(ValueError, match=r"Refuses.*90"):
        rank_unlabeled(X, REVIEWED, Refuses(), random_state=0)


def test_reviewed_negatives_leave_the_number_of_hidden_positives_of_each_part_as_it_is():
    Recorder.priors = []
    rank_unlabeled(X, REVIEWED, NeedsPrior(prior=0.1), random_state=0)
    n_unlabeled = (REVIEWED == 0).sum()
    n_hidden = (0.1 * 600 - Y.sum()) * 0.8
    expected = (Y.sum() + n_hidden) / (600 - n_unlabeled / 5)
    assert_allclose(Recorder.priors, expected, rtol=2e-3)


def test_groups_reach_the_fit_of_a_method_as_they_are_in_its_part():
    Recorder.labels = []
    groups = np.random.default_rng(1).integers(0, 60, 600)

    class Grouped(LabelRecorder):
        def _fit(self, rows, rng):
            self.trained_ = set()

    rank_unlabeled(X, Y, Grouped(), groups=groups, folds=3, random_state=0)
    found = [set(own) for _, own in Recorder.labels]
    assert len(found) == 3
    assert set.union(*found) == set(range(60))
    assert all(len(own) < 60 for own in found)


@pytest.mark.parametrize("method", ["focused-fast", "naive-logistic", "elkan-noto"])
def test_one_labeled_row_is_enough(method):
    y = np.zeros(600, int)
    y[0] = 1
    scores = rank_unlabeled(X, y, method, folds=2, random_state=0)
    assert_array_equal(np.isnan(scores), y == 1)
    assert average_precision(TRUTH[1:], scores[1:]) > 2 * TRUTH.mean()


@pytest.mark.parametrize(
    "kind", [np.asarray, csr_array, pd.DataFrame], ids=lambda k: k.__name__
)
def test_without_labels_outliers_come_first_and_a_warning_says_so(kind):
    shifted = X + 2 * TRUTH[:, None]
    y = np.where(np.arange(600) % 7 == 6, -1, 0)
    with pytest.warns(UserWarning, match="unsupervised"):
        scores = rank_unlabeled(kind(shifted), y, folds=2, random_state=0)
    assert_array_equal(np.isnan(scores), y == -1)
    alone = OutlierClassifier(random_state=0).fit(shifted, y).decision_function(shifted)
    assert spearmanr(alone[y == 0], scores[y == 0]).statistic > 0.95
    assert average_precision(TRUTH[y == 0], scores[y == 0]) > 3 * TRUTH.mean()


# One fit


def count_fits(monkeypatch):
    fits, plain = [], PUClassifier.fit

    def note(self, *rows, **options):
        fits.append(type(self).__name__)
        return plain(self, *rows, **options)

    monkeypatch.setattr(PUClassifier, "fit", note)
    return fits


@pytest.mark.parametrize(
    ("method", "n_fits"),
    [("focused-fast", 1), ("naive-forest", 1), ("puhrf", 1), ("naive-logistic", 5)],
)
def test_one_fit_ranks_where_a_method_scores_rows_that_its_models_lack(
    monkeypatch, method, n_fits
):
    fits = count_fits(monkeypatch)
    scores = rank_unlabeled(X, Y, method, random_state=0)
    assert len(fits) == n_fits
    assert_array_equal(np.isnan(scores), Y == 1)
    assert 0 <= scores[Y == 0].min() < scores[Y == 0].max() <= 1
    in_folds = rank_unlabeled(X, Y, method, folds=3, random_state=0)
    assert len(fits) == n_fits + 3
    assert spearmanr(scores[Y == 0], in_folds[Y == 0]).statistic > 0.7


@pytest.mark.parametrize("sampling", [Bootstrap(), StratifiedBootstrap(), Bagging(2.0)])
def test_a_row_is_ranked_by_the_trees_whose_bag_lacks_it(sampling):
    forest = lopsided.PUForestClassifier(n_estimators=20, sampling=sampling, random_state=0)
    blind = forest.with_oob_scores(Y).fit(X, Y)
    trees, unlabeled = blind.forest_, np.flatnonzero(Y == 0)
    total, times = np.zeros((2, 600))
    for number, seed in enumerate(trees.seeds):
        lacking = sampling.draw(Y, np.random.default_rng(seed)) == 0
        nodes = trees.tree(number).nodes
        alone = replace(trees, nodes=nodes, starts=np.array([0, len(nodes)]), seeds=[seed])
        total += np.where(lacking, alone.mean_value(X), 0)
        times += lacking
    shares = total[unlabeled] / times[unlabeled]
    order = spearmanr(shares, blind.oob_decision_function_[unlabeled]).statistic
    assert order > 1 - 1e-12
    assert times[unlabeled].mean() == pytest.approx(20, rel=0.1)


def test_a_forest_has_as_many_trees_for_a_row_as_it_is_asked_for():
    forest = lopsided.PUForestClassifier(n_estimators=50, random_state=0)
    blind = forest.with_oob_scores(Y)
    assert 120 <= blind.n_estimators <= 150  # a bootstrap lacks 37 % of the rows
    whole = forest.set_params(sampling=WholeTable())
    assert whole.with_oob_scores(Y) is None


def test_groups_are_ranked_in_folds(monkeypatch):
    fits = count_fits(monkeypatch)
    rank_unlabeled(X, Y, "naive-forest", groups=np.arange(600) // 3, random_state=0)
    assert len(fits) == 5
