from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from lopsided_misstatement.label_delay import RULES, known_labels, known_shares, public_year

YEARS = list(range(2003, 2015))


def make_rows(**columns):
    """Misstated firm-years of one firm each."""
    n = len(next(iter(columns.values())))
    return pd.DataFrame({"gvkey": range(1, n + 1), "fyear": 2000, "misstated": 1, **columns})


def test_released_labels_are_known_after_their_restatement_and_without_one_from_the_start():
    rows = make_rows(restatement_year=[2001.0, 2003.0, np.nan, np.inf])
    assert known_labels(rows, 2002).tolist() == [1, 0, 1, 0]
    assert known_labels(rows, 2003).tolist() == [1, 0, 1, 0]
    assert known_labels(rows, 2004).tolist() == [1, 1, 1, 0]


def test_strict_labels_are_known_after_whichever_date_comes_first():
    rows = make_rows(
        restatement_year=[2001.0, np.nan, 2006.0, np.nan],
        aaer_year=[2005.0, 2005.0, 2005.0, np.nan],
        case_end=[2000.0, 2000.0, 2000.0, np.nan],
    )
    assert public_year(rows, "strict").tolist() == [2001, 2005, 2005, np.inf]
    assert known_labels(rows, 2005, "strict").tolist() == [1, 0, 0, 0]
    assert known_labels(rows, 2006, "strict").tolist() == [1, 1, 1, 0]


def test_sound_reports_are_never_known_to_be_misstated(panel):
    for rule in RULES:
        assert not known_labels(panel, 2010, rule)[panel["misstated"] == 0].any()


@pytest.mark.parametrize("rule", RULES)
def test_knowledge_only_grows(panel, rule):
    by_year = [known_labels(panel, year, rule) for year in YEARS]
    for earlier, later in pairwise(by_year):
        assert (earlier <= later).all()


def test_the_papers_shares_are_its_percentages_and_do_not_depend_on_other_rows():
    rows = make_rows(restatement_year=np.full(20_000, np.nan))
    shares = known_shares(rows, "paper", [2001, 2002, 2003])
    assert list(shares.values()) == pytest.approx([0.5, 0.7, 0.8], abs=0.01)
    assert (public_year(rows, "paper")[5:9] == public_year(rows.iloc[5:9], "paper")).all()


def test_firms_may_have_negative_numbers():
    rows = make_rows(restatement_year=[np.nan, np.nan]).assign(gvkey=[-5, 5])
    assert known_labels(rows, 2010, "paper").shape == (2,)


def test_a_rule_without_its_dates_gets_a_sentence():
    rows = make_rows(restatement_year=[np.nan])
    with pytest.raises(ValueError, match="needs the column aaer_year"):
        known_labels(rows, 2005, "strict")
    with pytest.raises(ValueError, match="rule"):
        known_labels(rows, 2005, "relaesed")


def test_the_released_rule_has_the_published_shares(released):
    shares = known_shares(released, "released", YEARS)
    assert list(shares.values()) == pytest.approx([0.405, 0.756, 0.984], abs=5e-4)
