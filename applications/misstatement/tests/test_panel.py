import numpy as np
import pandas as pd
import pytest

from lopsided_misstatement.cli import main
from lopsided_misstatement.folds import keep_complete, make_fold
from lopsided_misstatement.panel import check_panel, load_panel
from lopsided_misstatement.ratios import RATIOS
from lopsided_misstatement.releases import match_cases, release_year

# Reports, and misstated ones, of the fiscal years 2000 to 2014 in the published splits.
N_ROWS = [2599, 2440, 3345, 3192, 3169, 3101, 3110, 3111, 3168, 3087, 3038, 2918, 2841, 2833]
N_ROWS += [2848]
N_MISSTATED = [62, 74, 112, 93, 87, 82, 61, 54, 66, 69, 80, 75, 86, 100, 93]
# Reports without a missing value that each split trains on, and how many of them are known.
N_TRAIN = [7890, 8468, 9110, 8776, 8563, 8343, 8227, 8133, 8079, 7932, 7751, 7565]
N_KNOWN = [175, 214, 228, 191, 174, 144, 114, 112, 121, 117, 132, 131]


def as_published(panel):
    """A panel under the names of the authors' files."""
    truth = panel["misstated"]
    return panel.rename(columns={"sic": "SIC", "state": "State of Inc"}).assign(
        Misstatement_BAO=0, Misstatement_AA=truth, Basename=panel["fyear"].map("1_{}".format)
    )


def test_a_panel_comes_back_from_a_file(panel, tmp_path):
    panel.to_csv(tmp_path / "panel.csv", index=False)
    found = load_panel(tmp_path / "panel.csv")
    assert found["misstated"].tolist() == panel["misstated"].tolist()
    for name in ("at", "sale", "dch_wc", "restatement_year"):
        np.testing.assert_allclose(found[name], panel[name])
    assert found["state"].dtype == "category"
    assert found["state"].isna().tolist() == panel["state"].isna().tolist()
    assert found["sic"].astype(str).tolist() == panel["sic"].astype(str).tolist()


def test_columns_can_have_other_names(panel, tmp_path):
    renamed = panel.rename(columns={"at": "total_assets", "gvkey": "firm"})
    renamed.to_parquet(tmp_path / "panel.parquet")
    with pytest.raises(ValueError, match="lacks gvkey, at"):
        load_panel(tmp_path / "panel.parquet")
    found = load_panel(tmp_path / "panel.parquet", {"total_assets": "at", "firm": "gvkey"})
    np.testing.assert_allclose(found["at"], panel["at"])


def test_what_a_user_renames_goes_before_the_usual_names(panel, tmp_path):
    both = panel.rename(columns={"sic": "SIC"}).assign(sich=1234)
    both.to_parquet(tmp_path / "panel.parquet")
    assert set(load_panel(tmp_path / "panel.parquet", {"sich": "sic"})["sic"]) == {"1234"}
    swapped = load_panel(tmp_path / "panel.parquet", {"at": "lt", "lt": "at"})
    np.testing.assert_allclose(swapped["at"], panel["lt"])
    np.testing.assert_allclose(swapped["lt"], panel["at"])
    for columns, said in (({"no": "at"}, "which are not"), ({"at": "x", "lt": "x"}, "its own")):
        with pytest.raises(ValueError, match=said):
            load_panel(tmp_path / "panel.parquet", columns)


def test_a_column_that_is_empty_everywhere_costs_no_rows(panel):
    assert len(keep_complete(panel)) == len(keep_complete(panel.assign(dpi=np.nan)))
    broken = panel.assign(at=panel["at"].where(panel["fyear"] < 2005))
    broken["lt"] = broken["lt"].where(panel["fyear"] >= 2005)
    with pytest.raises(ValueError, match=r"rows without missing values, got none: (at|lt)"):
        keep_complete(broken)


def test_the_authors_folder_of_splits_gives_every_row_once(panel, tmp_path):
    published = as_published(panel).drop(columns=["misstated", "fyear"])
    year = panel["fyear"]
    for test in range(2003, 2015):
        folder = tmp_path / f"split_{test}"
        folder.mkdir()
        published[year == test].to_csv(folder / "test_instances.csv", index=False)
        train = published[year.between(test - 3, test - 1)]
        train.to_csv(folder / "train_instances.csv", index=False)
    found = load_panel(tmp_path)
    assert len(found) == len(panel)
    assert found["misstated"].sum() == panel["misstated"].sum()
    np.testing.assert_allclose(found["at"], panel["at"])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda p: p.drop(columns=["sale", "at"]), "lacks at, sale"),
        (lambda p: pd.concat([p, p.iloc[:2]]), "one row for each firm and year, got 2 more"),
        (lambda p: p[p["fyear"] == 2005], r"at least two fiscal years.*got \[2005\]"),
        (lambda p: p.assign(misstated=2), "misstated must hold 1"),
        (lambda p: p.assign(at="much"), "at of a panel must hold numbers, got 'much'"),
        (lambda p: p.assign(gvkey=np.nan), "gvkey must be known for every row"),
        (lambda p: p.assign(gvkey="F" + p["gvkey"].astype(str)), "Number the firms"),
        (lambda p: p.assign(misstated=0.6 * p["misstated"]), "a whole number in every row"),
    ],
)
def test_a_bad_panel_gets_one_sentence(panel, tmp_path, spoil, said):
    spoil(panel).to_csv(tmp_path / "bad.csv", index=False)
    with pytest.raises(ValueError, match=said) as error:
        load_panel(tmp_path / "bad.csv")
    assert "\n" not in str(error.value)


def test_wrong_columns_are_told_once_with_the_option_that_renames_them(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    out = str(tmp_path / "out")
    assert main(["--panel", str(tmp_path / "t.csv"), "--out", out]) == 2
    said = capsys.readouterr().err
    assert "33 columns" in said
    assert "--columns OLD=NEW" in said
    assert said.count("gvkey") == said.count("txp") == 1


def test_without_a_panel_its_terms_are_told(monkeypatch, tmp_path):
    monkeypatch.delenv("LOPSIDED_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=r"LOPSIDED_DATA is not set.*cite them"):
        load_panel()
    monkeypatch.setenv("LOPSIDED_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="there is no"):
        load_panel()
    with pytest.raises(FileNotFoundError, match="must hold split_2003"):
        load_panel(tmp_path)


def test_releases_are_dated_by_their_number():
    numbers = (1, 1212, 1213, 4199, 4200)
    assert [release_year(number) for number in numbers] == [1999, 1999, 2000, 2020, 2021]
    with pytest.raises(ValueError, match="at least 1, got 0"):
        release_year(0)


def test_cases_are_matched_by_firm_and_year_and_the_first_release_counts():
    panel = pd.DataFrame({"gvkey": [7, 7, 8, 7], "fyear": [2001, 2002, 2001, 2005]})
    cases = pd.DataFrame(
        {"p_aaer": [2157, 1936], "gvkey": 7, "min_year": [2001, 2002], "max_year": [2002, 2003]}
    )
    found = match_cases(panel, cases)
    np.testing.assert_array_equal(found["aaer_year"], [2004, 2003, np.nan, np.nan])
    np.testing.assert_array_equal(found["case_end"], [2002, 2003, np.nan, np.nan])
    with pytest.raises(ValueError, match="they lack p_aaer"):
        match_cases(panel, cases.drop(columns="p_aaer"))


def test_a_checked_panel_is_itself(panel):
    assert check_panel(panel) is panel


def test_the_published_panel_has_the_rows_and_labels_of_all_twelve_splits(released):
    panel = released
    by_year = panel.groupby("fyear")["misstated"]
    assert by_year.size().tolist() == N_ROWS
    assert by_year.sum().tolist() == N_MISSTATED
    assert panel["gvkey"].nunique() == 6897
    complete = keep_complete(panel)
    folds = [make_fold(complete, year, "released") for year in range(2003, 2015)]
    assert [len(fold.train) for fold in folds] == N_TRAIN
    assert [int(fold.y.sum()) for fold in folds] == N_KNOWN
    assert not panel.loc[panel["misstated"] == 0, "aaer_year"].notna().any()
    assert set(RATIOS) <= set(panel.columns)
