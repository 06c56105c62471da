"""The committed numbers come out again: those of two models in two years."""

from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from lopsided_misstatement.results_io import read_results
from lopsided_misstatement.source import Source
from lopsided_misstatement.study import run_study

COMMITTED = Path(__file__).parents[3] / "studies" / "results" / "finance"
MODELS, YEARS = ("fin-lr", "ifpu-xgb-codes"), (2005, 2011)
KEYS = ["view", "model", "seed", "year", "measure"]


@pytest.mark.skipif(not COMMITTED.exists(), reason="the committed results are not beside this")
@pytest.mark.usefixtures("finance")
def test_two_models_have_their_committed_measures_in_two_years(tmp_path):
    run_study(Source(), str(tmp_path), MODELS, years=YEARS)
    committed, found = read_results(COMMITTED), read_results(tmp_path)
    rows = committed.table
    rows = rows[rows["model"].isin(MODELS) & rows["year"].isin(YEARS)]
    again, before = (
        one.drop(columns="seconds").sort_values(KEYS, ignore_index=True)
        for one in (found.table, rows)
    )
    assert len(before) == (3 + 2) * 2 * 7  # views of each model, years, measures
    # A logistic regression ends where its solver of another version or processor does.
    assert_frame_equal(again, before, rtol=0, atol=1e-3)
    names = ("rows", "firms", "misstated", "undated")
    assert [found.about[name] for name in names] == [committed.about[name] for name in names]
