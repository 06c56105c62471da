"""Groups and splitters in `fit`: whole groups are left out, or later times."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import lopsided
from lopsided._rows import TrainingRows
from lopsided.methods._members import fit_member, member_folds
from lopsided.methods._teams import RiskParams, list_members
from lopsided.methods.base import PUClassifier
from lopsided.model_selection import PUGroupKFold, PUTimeSplit, out_of_fold_scores
from lopsided.ranking import rank_unlabeled

RNG = np.random.default_rng(0)
# Customers of three rows that hardly differ, labeled all or not, with nothing to be learned.
CUSTOMERS = np.repeat(np.arange(100), 3)
NOISE = np.repeat(RNG.normal(size=(100, 4)), 3, axis=0) + 0.01 * RNG.normal(size=(300, 4))
OF_NOISE = (CUSTOMERS < 12).astype(np.int8)
X = RNG.normal(size=(300, 4)) + 2.0 * (CUSTOMERS < 30)[:, None] * [1, 1, 0, 0]
Y = np.where(CUSTOMERS < 12, 1, np.where(CUSTOMERS > 85, -1, 0))


def fast(**params):
    return lopsided.build("focused-fast", random_state=0, **params)


@pytest.fixture(scope="module")
def grouped():
    return fast().fit(X, Y, groups=CUSTOMERS)


def test_rows_of_one_group_do_not_vouch_for_each_other():
    alone = fast().fit(NOISE, OF_NOISE)
    together = fast().fit(NOISE, OF_NOISE, groups=CUSTOMERS.astype(str))
    for name in alone.estimators_:
        # What luck gives is 1: the mean of -log(rank / n).
        assert together.member_scores_[name] < 1.5 < alone.member_scores_[name] + 0.5
    assert alone.member_scores_["bagged-trees"] > 2.5
    seen, unseen = (model.oob_decision_function_ for model in (alone, together))
    assert seen[OF_NOISE == 1].mean() - seen[OF_NOISE == 0].mean() > 1
    assert abs(unseen[OF_NOISE == 1].mean() - unseen[OF_NOISE == 0].mean()) < 1


@pytest.mark.parametrize(
    "name", ["bagged-trees", "undersampled-trees", "extra-trees", "booster", "logistic", "knn"]
)
def test_no_member_has_seen_the_group_of_a_row_that_it_is_judged_by(name):
    rows = TrainingRows(X, np.maximum(Y, 0).astype(np.int8), np.ones(300), Y == -1, CUSTOMERS)
    member = next(one for one in list_members(300, 4, 40, RiskParams()) if one.name == name)
    schema = lopsided.build("naive-xgb").fit(X, Y)._schema()
    fitted = fit_member(member, rows, schema, seed=3, n_folds=4, n_threads=1)
    fold_of = member_folds(rows, 4, seed=3)
    assert len(fitted.models) == 4
    for customer in range(100):
        assert np.ptp(fold_of[customer == CUSTOMERS]) == 0
    for fold, model in enumerate(fitted.models):
        left_out = fold_of == fold
        assert rows.y[left_out].sum() == 9
        assert_array_equal(fitted.out_of_fold[left_out], model._scores(X[left_out]))


def test_groups_of_labeled_rows_that_are_too_few_are_never_left_out():
    y, groups = (np.arange(60) < 12).astype(np.int8), np.arange(60) // 6
    rows = TrainingRows(np.zeros((60, 1)), y, np.ones(60), None, groups)
    fold_of = member_folds(rows, 5, seed=0)
    assert_array_equal(fold_of == -1, y == 1)
    assert set(fold_of[y == 0]) == set(range(5))
    # One group has all rows, or all but the labeled ones: nothing can be left out.
    for whole in (np.zeros(60, int), np.where(y == 1, groups, 9)):
        rows = TrainingRows(np.zeros((60, 1)), y, np.ones(60), None, whole)
        assert (member_folds(rows, 5, seed=0) == -1).all()


def test_a_grouped_fit_scores_every_row_and_judges_members_by_groups(grouped):
    assert grouped.can_judge_
    assert np.isfinite(grouped.oob_decision_function_).all()
    assert np.isfinite(grouped.decision_function(X)).all()
    few = np.where(CUSTOMERS < 2, 1, 0)
    model = fast().fit(X, few, groups=CUSTOMERS)
    assert not model.can_judge_
    assert np.isfinite(model.oob_decision_function_).all()


def test_elkan_noto_leaves_out_whole_groups():
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(30, random_state=0)
    model = lopsided.build("elkan-noto", estimator=forest, random_state=0)
    alone = model.fit(NOISE, OF_NOISE).label_frequency_
    together = model.fit(NOISE, OF_NOISE, groups=CUSTOMERS).label_frequency_
    assert together < 0.4 < 0.6 < alone
    model.fit(
        NOISE, OF_NOISE, groups=np.where(OF_NOISE, 0, CUSTOMERS)
    )  # one cannot be left out
    assert np.isfinite(model.decision_function(NOISE)).all()


# Splitters


@pytest.mark.parametrize("as_column", [True, False])
def test_a_split_by_time_judges_later_rows_and_fits_on_all(as_column):
    months = RNG.permutation(300)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(month=months)
    cv = PUTimeSplit(2, time="month" if as_column else months)
    model = fast(cv=cv).fit(frame, Y)
    tested = np.zeros(300, bool)
    for _, test in cv.split(frame, np.maximum(Y, 0)):
        tested[test] = True
    assert 50 < tested.sum() < 250
    assert_array_equal(np.isnan(model.oob_decision_function_), ~tested)
    for fitted in model.estimators_.values():
        assert len(fitted.models) == 1
        assert_array_equal(np.isnan(fitted.out_of_fold), ~tested)
    # The last rows count: without them the scores are others.
    before = months < 200
    short = fast(cv=cv if as_column else PUTimeSplit(2, time=months[before]))
    short.fit(frame[before], Y[before])
    assert not np.allclose(short.decision_function(frame), model.decision_function(frame))


def test_members_are_judged_by_what_a_splitter_leaves_out():
    model = fast(cv=PUGroupKFold(3)).fit(NOISE, OF_NOISE, groups=CUSTOMERS)
    assert np.isfinite(model.oob_decision_function_).all()
    assert max(model.member_scores_.values()) < 1.5


def test_a_number_of_folds_leaves_out_whole_groups():
    counted, split = (
        fast(cv=cv, estimators="logistic").fit(NOISE, OF_NOISE, groups=CUSTOMERS)
        for cv in (3, PUGroupKFold(3))
    )
    assert_array_equal(counted.oob_decision_function_, split.oob_decision_function_)
    with pytest.raises(ValueError, match=r"12.*13"):
        fast(cv=13).fit(NOISE, OF_NOISE, groups=CUSTOMERS)


def test_rows_of_weight_zero_leave_the_splits_too():
    weight = np.where(np.arange(300) % 4 == 3, 0.0, 1.0)
    model = fast(cv=4).fit(X, Y, sample_weight=weight)
    assert_array_equal(np.isnan(model.oob_decision_function_), weight == 0)


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ([(np.arange(50, 300), np.arange(50))], "cv must train on labeled rows, got none"),
        ([(np.arange(200), np.arange(200, 300))], "cv must test on labeled rows, got none"),
        ([], "cv must train on labeled rows, got none"),
    ],
)
def test_a_splitter_that_leaves_a_side_without_labels_is_refused(splits, message):
    with pytest.raises(ValueError, match=message):
        fast(cv=splits).fit(X, Y)


# Routing


class Recorder(PUClassifier):
    """Remembers the groups that reached `_fit`."""

    groups: list = []  # noqa: RUF012

    def __init__(self, C=1.0):
        self.C = C

    def needs_prior(self):
        return False

    def _fit(self, rows, rng):
        Recorder.groups.append(None if rows.groups is None else len(np.unique(rows.groups)))

    def _scores(self, X):
        return self.C * X[:, 0]


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        Recorder.groups = []
        yield


def test_groups_are_routed_through_a_pipeline_and_a_search(routing):
    method = Recorder().set_fit_request(groups=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("rank", method)])
    search = GridSearchCV(
        pipeline, {"rank__C": [1.0, 2.0]}, cv=PUGroupKFold(4), scoring="roc_auc"
    )
    search.fit(X, np.maximum(Y, 0), groups=CUSTOMERS)
    assert Recorder.groups == [75] * 8 + [100]


def test_focused_takes_routed_groups(routing):
    pipeline = Pipeline([("scale", StandardScaler()), ("rank", fast())])
    pipeline.named_steps["rank"].set_fit_request(groups=True)
    pipeline.fit(NOISE, OF_NOISE, groups=CUSTOMERS)
    assert max(pipeline.named_steps["rank"].member_scores_.values()) < 1.5


def test_rankings_and_out_of_fold_scores_route_groups_to_who_asks(routing):
    asks, silent = (
        Pipeline([("rank", Recorder().set_fit_request(groups=ask))]) for ask in (True, False)
    )
    for model, heard in ((Recorder(), True), (asks, True), (silent, False)):
        Recorder.groups = []
        rank_unlabeled(X, Y, model, folds=2, groups=CUSTOMERS, random_state=0)
        out_of_fold_scores(model, X, Y, cv=2, groups=CUSTOMERS, random_state=0)
        # Groups of reviewed rows alone, 14 here, are in both parts of a ranking.
        assert Recorder.groups == ([57, 57, 50, 50] if heard else [None] * 4)


def test_no_neighbor_tells_of_a_row_of_the_same_group_or_of_another_split():
    params = {"estimators": ["entropy-trees"], "random_state": 0, "prior": 0.2}
    plain = lopsided.FocusedClassifier(**params).fit(X, Y)
    grouped = lopsided.FocusedClassifier(**params).fit(X, Y, groups=CUSTOMERS)
    split = lopsided.FocusedClassifier(**params, cv=3).fit(X, Y)
    assert plain.local_outliers_ is not None
    assert grouped.local_outliers_ is split.local_outliers_ is None
    assert np.isfinite(grouped.decision_function(X)).all()
