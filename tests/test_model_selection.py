from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.svm import LinearSVC

import lopsided
from lopsided.model_selection import (
    DelayedLabelClassifier,
    GroupTimeSeriesSplit,
    labels_as_of,
)

YEARS = np.repeat(np.arange(2000, 2008), 3)


def draw_claims(n_years=8, n_rows=100, seed=0):
    """Claims of some years, those that are found to be false up to three years later."""
    rng = np.random.default_rng(seed)
    n = n_years * n_rows
    X = pd.DataFrame({"amount": rng.normal(size=n), "age": rng.normal(size=n)})
    X["time"] = np.repeat(np.arange(2000, 2000 + n_years), n_rows)
    X["known_since"] = X["time"] + rng.choice([0, 1, 2, np.inf], size=n)
    return X, (X["amount"] + 0.3 * rng.normal(size=n) > 1.3).astype(int)


# Splits


def test_training_periods_come_right_before_the_test_period():
    splits = GroupTimeSeriesSplit([2003, 2007], max_train_size=3).split(YEARS, groups=YEARS)
    for year, (train, test) in zip((2003, 2007), splits, strict=True):
        assert set(YEARS[train]) == {year - 3, year - 2, year - 1}
        assert test.tolist() == np.flatnonzero(year == YEARS).tolist()


def test_a_gap_and_all_the_past():
    train, _ = next(GroupTimeSeriesSplit([2006], gap=1).split(YEARS, groups=YEARS))
    assert set(YEARS[train]) == set(range(2000, 2005))


@pytest.mark.parametrize("gap", [0, 2])
def test_without_test_groups_every_period_that_has_a_past_is_tested(gap):
    cv = GroupTimeSeriesSplit(gap=gap)
    tests = [set(YEARS[test]) for _, test in cv.split(YEARS, groups=YEARS)]
    assert tests == [{year} for year in range(2001 + gap, 2008)]
    assert cv.get_n_splits(groups=YEARS) == len(tests)


def test_the_order_of_rows_does_not_matter():
    mixed = np.random.default_rng(0).permutation(YEARS)
    for train, test in GroupTimeSeriesSplit(max_train_size=2).split(mixed, groups=mixed):
        year = mixed[test[0]]
        assert sorted(train) == np.flatnonzero((mixed < year) & (mixed >= year - 2)).tolist()


# Labels


def test_a_label_is_known_after_its_time_and_not_in_it():
    since = [2003.0, -np.inf, np.inf, np.nan, 2003.0]
    y = [1, 1, 1, 1, 0]
    assert labels_as_of(y, since, 2003).tolist() == [0, 1, 0, 0, 0]
    assert labels_as_of(y, since, 2004).tolist() == [1, 1, 0, 0, 0]


@pytest.mark.parametrize("date", ["2004-03-01", pd.Timestamp("2004-03-01")])
def test_times_may_be_dates(date):
    since = pd.Series(pd.to_datetime(["2004-02-29", "2004-03-01", None]))
    assert labels_as_of(np.ones(3), since, date).tolist() == [1, 0, 0]


def test_what_is_known_stays_known():
    X, y = draw_claims()
    known = [labels_as_of(y, X["known_since"], year) for year in range(1999, 2012)]
    assert all((one <= two).all() for one, two in pairwise(known))
    assert known[0].sum() == 0
    assert known[-1].sum() == (y * np.isfinite(X["known_since"])).sum()


# The classifier


@pytest.mark.parametrize("gap", [0, 1])
def test_cross_validation_trains_on_what_was_known_and_scores_by_what_is_known_now(gap):
    X, y = draw_claims()
    cv = GroupTimeSeriesSplit([2004, 2007], max_train_size=3, gap=gap)
    found = cross_validate(
        DelayedLabelClassifier(LogisticRegression(), horizon=1 + gap),
        X,
        y,
        groups=X["time"],
        cv=cv,
        scoring="average_precision",
        return_estimator=True,
    )
    assert (found["test_score"] > 0.8).all()
    for (train, test), model in zip(
        cv.split(X, groups=X["time"]), found["estimator"], strict=True
    ):
        year = X["time"].iloc[test[0]]
        known = labels_as_of(y[train], X["known_since"].iloc[train], year)
        assert model.labels_.tolist() == known.tolist()
        assert 0 < known.sum() < y[train].sum()
        assert model.estimator_.feature_names_in_.tolist() == ["amount", "age"]


def test_shuffling_the_future_changes_nothing_in_the_past():
    X, y = draw_claims()
    past = X["time"] < 2004
    late = X["known_since"].where((X["known_since"] < 2004) | ~past, np.inf)
    model = DelayedLabelClassifier(LogisticRegression())
    first = model.fit(X[past], y[past]).decision_function(X)
    again = model.fit(X.assign(known_since=late)[past], y[past]).decision_function(X)
    assert (first == again).all()


def test_a_pu_method_answers_as_if_it_had_been_fitted_on_the_known_labels():
    X, y = draw_claims()
    method = lopsided.build("naive-logistic")
    model = DelayedLabelClassifier(method).fit(X, y)
    features = X[["amount", "age"]]
    plain = clone(method).fit(features, labels_as_of(y, X["known_since"], 2008))
    assert (model.decision_function(X) == plain.decision_function(features)).all()
    assert (model.predict_proba(X) == plain.predict_proba(features)).all()
    assert (model.predict(X) == plain.predict(features)).all()
    assert model.classes_.tolist() == [0, 1]


def test_parameters_of_the_classifier_can_be_searched_and_the_whole_cloned():
    X, y = draw_claims()
    model = DelayedLabelClassifier(LogisticRegression(), time="time", horizon=2)
    assert clone(model).get_params()["horizon"] == 2
    search = GridSearchCV(
        model,
        {"estimator__C": [0.1, 1.0], "horizon": [1, 2]},
        cv=GroupTimeSeriesSplit([2005, 2006]),
        scoring="roc_auc",
    )
    search.fit(X, y, groups=X["time"])
    assert search.best_score_ > 0.9
    assert search.best_estimator_.feature_names_in_.tolist() == list(X.columns)


def test_only_what_the_classifier_has_is_there():
    model = DelayedLabelClassifier(LinearSVC())
    assert hasattr(model, "decision_function")
    assert not hasattr(model, "predict_proba")


def test_fit_parameters_reach_the_classifier():
    X, y = draw_claims()
    weight = np.where(X["amount"] > 0, 1.0, 5.0)
    model = DelayedLabelClassifier(LogisticRegression())
    plain = model.fit(X, y).decision_function(X)
    assert (model.fit(X, y, sample_weight=weight).decision_function(X) != plain).any()


def test_dates_with_a_horizon_in_days():
    X, y = draw_claims()
    day = pd.to_timedelta(X["time"] - 2000, unit="D") + pd.Timestamp("2020-01-01")
    delay = pd.to_timedelta((X["known_since"] - X["time"]).replace(np.inf, np.nan), unit="D")
    dated = X.assign(time=day, known_since=day + delay)
    model = DelayedLabelClassifier(LogisticRegression(), horizon=pd.Timedelta(days=1))
    expected = DelayedLabelClassifier(LogisticRegression()).fit(X, y).labels_
    assert model.fit(dated, y).labels_.tolist() == expected.tolist()


def test_unsigned_periods_are_numbers_like_others():
    years = np.repeat([0, 1, 2], 4)
    splitter = GroupTimeSeriesSplit()
    found = [
        [
            (train.tolist(), test.tolist())
            for train, test in splitter.split(years, groups=groups)
        ]
        for groups in (years, years.astype(np.uint8))
    ]
    assert found[0] == found[1]


def test_missing_dates_of_nullable_columns_are_never_known():
    known_since = pd.Series([2003, 2005, None], dtype="Int64")
    assert labels_as_of([1, 1, 1], known_since, 2005).tolist() == [1, 0, 0]
