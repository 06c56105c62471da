from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_series_equal

from lopsided_misstatement import source as source_module
from lopsided_misstatement.cli import main
from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.panel_comparison import (
    compare_panels,
    describe_panel,
    format_comparison,
    write_comparison,
)
from lopsided_misstatement.ratios import ITEMS, RATIOS
from lopsided_misstatement.source import Source

COMMITTED = Path(__file__).parents[3] / "studies" / "results" / "finance" / "panels.csv"
TOPIC = "AUC of misstated reports, all"


def build(years, misstated, **columns):
    """Return a panel of two firms: one misstates in some years, one never."""
    rows = [(1, year, int(year in misstated)) for year in years]
    rows += [(2, year, 0) for year in years]
    panel = pd.DataFrame(rows, columns=["gvkey", "fyear", "misstated"])
    numbers = np.random.default_rng(0).normal(size=(len(panel), len(ITEMS) + len(RATIOS)))
    panel[[*ITEMS, *RATIOS]] = numbers
    panel["sic"], panel["state"] = panel["gvkey"].map({1: "20", 2: "28"}), "DE"
    panel["restatement_year"] = np.nan
    return panel.assign(**columns)


@pytest.fixture(scope="module")
def synthetic():
    return describe_panel(make_misstatement_panel(3500))


# What is counted


def test_spells_are_years_in_a_row_of_one_firm():
    facts = describe_panel(build(range(2000, 2010), {2001, 2002, 2003, 2006}))["spells"]
    assert facts["all: years"] == 2
    assert facts["all: 1"] == facts["all: 3"] == 0.5
    assert facts["firms with more than one"] == 1
    assert facts["misstated again 1 years on"] == 0.5
    assert facts["misstated again 3 years on"] == 0.25  # of 2004, 2005, 2006 and 2009


def test_long_spells_are_counted_together():
    facts = describe_panel(build(range(2000, 2010), set(range(2001, 2009))))["spells"]
    assert facts["all: 5 or more"] == 1
    assert facts["all: years"] == 8


def test_a_gap_ends_a_spell_and_is_counted():
    whole = build(range(2000, 2010), {2001, 2002, 2003})
    panel = whole[(whole["gvkey"] != 1) | (whole["fyear"] != 2002)]
    facts = describe_panel(panel)
    assert facts["reports", "firms with a gap"] == 0.5
    assert facts["reports", "filed again the year after"] == pytest.approx(16 / 17)
    assert facts["spells", "all: 1"] == 1


def test_delay_goes_by_the_rules_of_the_study():
    panel = build(range(2000, 2010), {2001, 2002})
    late = panel["fyear"].map({2001: 2002.0, 2002: np.nan}).where(panel["misstated"] == 1)
    facts = describe_panel(panel.assign(restatement_year=late))
    assert facts["misstated", "of these without a date"] == 0.5
    known = facts["known after, released"]
    assert [known[f"{lag} years"] for lag in (1, 2, 3)] == [0.5, 1, 1]
    assert facts["known after, strict"].isna().all()


def test_likeness_counts_the_closer_reports_of_others():
    rng = np.random.default_rng(0)
    panel = make_misstatement_panel(60, prevalence=0.05)
    names, topic = [*ITEMS, *RATIOS], "closer than the firm's own report of the year before"
    alike = panel.assign(**dict.fromkeys(names, panel["gvkey"] + 0.0))
    mixed = panel.assign(**{name: rng.normal(size=len(panel)) for name in names})
    same, apart = (describe_panel(one)[topic] for one in (alike, mixed))
    for name in ("honest, honest before", "misstated, honest before"):
        assert same[name] == 0
        assert apart[name] == pytest.approx(0.5, abs=0.15)


def test_a_ratio_that_tells_everything_has_an_auc_of_one():
    panel = build(range(2000, 2010), {2003, 2004, 2008})
    facts = describe_panel(panel.assign(EBIT=panel["misstated"], reoa=-panel["misstated"]))
    assert facts[TOPIC, "EBIT"] == 1
    assert facts[TOPIC, "reoa"] == 0
    assert facts["AUC beside the firm's own honest reports", "EBIT"] == 1
    assert np.isnan(facts["AUC of misstated reports, dated", "EBIT"])


def test_a_ratio_of_the_firm_tells_nothing_beside_its_own_honest_reports():
    panel = build(range(2000, 2010), {2003, 2004, 2008})
    facts = describe_panel(panel.assign(EBIT=(panel["gvkey"] == 1) + 0.0))
    assert facts[TOPIC, "EBIT"] > 0.5
    assert facts["AUC beside the firm's own honest reports", "EBIT"] == 0.5


# The synthetic panel beside the real one


@pytest.fixture(scope="module")
def real():
    """Facts of the released panel, as they are committed."""
    if not COMMITTED.exists():
        pytest.skip("the committed facts are not beside this")
    return pd.read_csv(COMMITTED).set_index(["topic", "fact"])["panel"]


def test_the_committed_facts_are_those_of_the_released_panel(released, real):
    assert_series_equal(
        describe_panel(released), real, check_names=False, rtol=0, atol=0.01, check_index=True
    )


def test_the_committed_facts_are_those_of_the_synthetic_panel(real):
    committed = pd.read_csv(COMMITTED).set_index(["topic", "fact"])["synthetic"]
    made = describe_panel(Source(synthetic=True).load_all())
    assert_series_equal(made, committed, check_names=False, rtol=0, atol=0.01)


def test_the_synthetic_panel_is_like_the_released_one(real, synthetic):
    close = {
        "spells": 0.15,
        "known after, released": 0.06,
        "known after, strict": 0.1,
        "misstated": 0.12,
        "missing": 0.02,
        "zero": 0.12,
        "below zero": 0.12,
        "closer than the firm's own report of the year before": 0.03,
        "rank correlation with the year before": 0.18,
        TOPIC: 0.06,
        "AUC of misstated reports, dated": 0.08,
        "AUC of misstated reports, without a date": 0.12,
    }
    for topic, most in close.items():
        gap = (synthetic[topic] - real[topic]).drop("all: years", errors="ignore").abs()
        gap = gap.drop("without a date: years", errors="ignore")
        assert gap.max() < most, f"{topic}: {gap.idxmax()} differs by {gap.max():.3f}"
    mean = "without a date: years"
    assert synthetic["spells"][mean] == pytest.approx(real["spells"][mean], rel=0.2)


def test_accounts_hardly_give_misstated_reports_away(synthetic):
    aucs = synthetic[TOPIC]
    assert (aucs - 0.5).abs().max() < 0.12
    assert aucs["at"] > 0.53


# As a table


def test_panels_stand_side_by_side_in_the_order_of_their_facts(synthetic):
    panel = build(range(2000, 2010), {2003, 2004, 2008})
    table = compare_panels({"one": panel, "other": panel})
    assert list(table.columns) == ["topic", "fact", "one", "other"]
    assert list(zip(table["topic"], table["fact"], strict=True)) == list(synthetic.index)
    text = format_comparison(table)
    assert text.startswith("reports")
    assert text.count("\n\n") == table["topic"].nunique() - 1


def test_the_command_prints_and_writes_the_table(source, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(source_module, "_N_FIRMS", 100)
    assert main(["--panel", source.path, "--compare-panels", "--out", str(tmp_path)]) == 0
    assert "two firms share the sic" in capsys.readouterr().out
    table = pd.read_csv(tmp_path / "panels.csv")
    assert list(table.columns) == ["topic", "fact", "panel", "synthetic"]
    assert list(tmp_path.iterdir()) == [tmp_path / "panels.csv"]
    write_comparison(table, tmp_path)  # over its own
    (tmp_path / "panels.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileExistsError, match=r"must not hold a panels\.csv of others"):
        write_comparison(table, tmp_path)


def test_a_synthetic_panel_is_not_compared_with_itself(capsys):
    assert main(["--synthetic", "--compare-panels"]) == 2
    assert "makes a synthetic panel itself" in capsys.readouterr().err
