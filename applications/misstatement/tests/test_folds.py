import numpy as np
import pytest

from lopsided_misstatement.folds import list_years, make_fold
from lopsided_misstatement.label_delay import known_labels


def test_the_training_years_are_the_three_before_and_labels_are_as_known(panel):
    fold = make_fold(panel, 2008, "released")
    assert set(fold.train["fyear"]) == {2005, 2006, 2007}
    assert set(fold.test["fyear"]) == {2008}
    assert fold.y.tolist() == known_labels(fold.train, 2008).tolist()


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
    before, after = (make_fold(one, year, "released") for one in (panel, changed))
    assert (before.y == after.y).all()
    columns = ["at", "dch_wc", "bm"]
    for one, other in (
        (before.features(columns), after.features(columns)),
        (before.winsorized_features(columns), after.winsorized_features(columns)),
    ):
        assert one[0].equals(other[0])


def test_limits_of_ratios_are_those_of_the_training_years(panel):
    fold = make_fold(panel, 2008, "released")
    train, test = fold.winsorized_features(["at", "bm", "issue"])
    low, high = fold.train["bm"].quantile([0.01, 0.99])
    for frame in (train, test):
        assert frame["bm"].min() >= low
        assert frame["bm"].max() <= high
    assert test["at"].equals(fold.test["at"])
    assert test["issue"].equals(fold.test["issue"])


def test_with_a_gap_cases_that_go_on_are_unknown(panel):
    fold = make_fold(panel, 2008, "all", span=None, gap=1)
    goes_on = fold.train["case_end"].to_numpy() >= 2008
    assert not fold.y[goes_on].any()
    assert (fold.y[~goes_on] == fold.train["misstated"].to_numpy()[~goes_on]).all()


def test_years_that_can_be_ranked_have_a_past_and_misstatements(panel):
    assert list_years(panel) == list(range(2003, 2015))
    none = panel.assign(misstated=panel["misstated"].where(panel["fyear"] != 2006, 0))
    assert 2006 not in list_years(none)
    with pytest.raises(ValueError, match="a year with misstatements after 3 others"):
        list_years(panel.assign(misstated=0))
    with pytest.raises(ValueError, match="at least 2 misstatements"):
        make_fold(panel.assign(restatement_year=np.inf), 2006, "released")
