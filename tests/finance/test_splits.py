import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import lopsided
from lopsided.finance.knowledge import known, public_year
from lopsided.finance.splits import DelayedLabelClassifier, YearSplit
from lopsided.finance.tasks import list_years, make_task

YEARS = np.repeat(np.arange(2000, 2008), 3)


def test_training_years_come_right_before_the_test_year():
    for year, (train, test) in zip(
        (2003, 2007), YearSplit([2003, 2007]).split(YEARS, groups=YEARS), strict=True
    ):
        assert set(YEARS[train]) == {year - 3, year - 2, year - 1}
        assert set(YEARS[test]) == {year}


def test_a_gap_and_all_the_past():
    train, _ = next(YearSplit([2006], span=None, gap=1).split(YEARS, groups=YEARS))
    assert set(YEARS[train]) == set(range(2000, 2005))


def test_a_year_without_rows_gets_a_sentence():
    with pytest.raises(ValueError, match="2020 needs rows before it to learn from"):
        next(YearSplit([2020]).split(YEARS, groups=YEARS))
    with pytest.raises(ValueError, match="groups must hold the year"):
        next(YearSplit([2003]).split(YEARS))


def test_cross_validate_takes_the_splitter_and_learns_from_what_was_known_then(panel):
    X = (
        panel[["reoa", "EBIT", "fyear"]]
        .fillna(0)
        .assign(public_year=public_year(panel, "released"))
    )
    years = [2005, 2009]
    found = cross_validate(
        DelayedLabelClassifier(LogisticRegression()),
        X,
        panel["misstated"],
        groups=panel["fyear"],
        cv=YearSplit(years),
        scoring="average_precision",
        return_estimator=True,
    )
    assert np.isfinite(found["test_score"]).all()
    for year, model in zip(years, found["estimator"], strict=True):
        train = panel[panel["fyear"].between(year - 3, year - 1)]
        assert model.labels_.tolist() == known(train, year).tolist()
        assert model.estimator_.n_features_in_ == 2


def test_a_pu_method_can_be_fitted_as_known_then(panel):
    X = panel[["reoa", "EBIT", "bm", "fyear"]].assign(public_year=public_year(panel, "paper"))
    model = DelayedLabelClassifier(lopsided.build("naive-xgb", n_estimators=3)).fit(
        X, panel["misstated"]
    )
    assert model.decision_function(X).shape == (len(panel),)
    assert model.predict_proba(X).shape == (len(panel), 2)


def test_shuffling_the_future_changes_nothing_in_the_past(panel):
    year = 2008
    rng = np.random.default_rng(0)
    future = np.flatnonzero(panel["fyear"] >= year)
    changed = panel.copy()
    kept = ["gvkey", "fyear"]
    others = [name for name in panel if name not in kept]
    changed.loc[future, others] = panel.loc[rng.permutation(future), others].to_numpy()
    late = (panel["misstated"] == 1) & (panel["restatement_year"] >= year)
    changed.loc[late & (panel["fyear"] < year), "restatement_year"] = np.inf
    before, after = (make_task(one, year, "released") for one in (panel, changed))
    assert (before.y == after.y).all()
    columns = ["at", "dch_wc", "bm"]
    for one, other in (
        (before.features(columns), after.features(columns)),
        (before.limited_features(columns), after.limited_features(columns)),
    ):
        assert one[0].equals(other[0])


def test_limits_of_ratios_are_those_of_the_training_years(panel):
    task = make_task(panel, 2008, "released")
    train, test = task.limited_features(["at", "bm", "issue"])
    low, high = task.train["bm"].quantile([0.01, 0.99])
    for frame in (train, test):
        assert frame["bm"].min() >= low
        assert frame["bm"].max() <= high
    assert test["at"].equals(task.test["at"])
    assert test["issue"].equals(task.test["issue"])


def test_with_a_gap_cases_that_go_on_are_unknown(panel):
    task = make_task(panel, 2008, "all", span=None, gap=1)
    goes_on = task.train["case_end"].to_numpy() >= 2008
    assert not task.y[goes_on].any()
    assert (task.y[~goes_on] == task.train["misstated"].to_numpy()[~goes_on]).all()


def test_years_that_can_be_ranked_have_a_past_and_misstatements(panel):
    assert list_years(panel) == list(range(2003, 2015))
    none = panel.assign(misstated=panel["misstated"].where(panel["fyear"] != 2006, 0))
    assert 2006 not in list_years(none)
    with pytest.raises(ValueError, match="a year with misstatements after 3 others"):
        list_years(panel.assign(misstated=0))
    with pytest.raises(ValueError, match="at least 2 misstatements"):
        make_task(panel.assign(restatement_year=np.inf), 2006, "released")
