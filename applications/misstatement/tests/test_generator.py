from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided.metrics import roc_auc
from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.ratios import ITEMS, RATIOS, compute_ratios

ACCOUNTS = [*ITEMS, "ppent", "aco", "other_assets", "lco", "olt", "dividends"]
CANONICAL = ["misstated", "restatement_year", "aaer_year", "case_end", "case", "severity"]
LAGS = (0.09, 0.63, 0.98, 0.995, 1.0)
MAX_LENGTH = 8


@pytest.fixture(scope="module", params=[0.4, 3.0], ids=["usual", "coarse"])
def panel(request):
    return make_misstatement_panel(n_firms=400, prevalence=0.05, strength=request.param)


def bad(panel):
    return panel[panel["misstated"] == 1]


def restated(panel):
    return panel[(panel["misstated"] == 1) & panel["restatement_year"].notna()]


def sec(panel):
    return panel[(panel["misstated"] == 1) & panel["restatement_year"].isna()]


def year_before(panel, name):
    """Return a column of the firm's row of the fiscal year before, NaN without one."""
    follows = panel.groupby("gvkey")["fyear"].diff() == 1
    return panel.groupby("gvkey")[name].shift().where(follows)


# Accounts


def test_accounts_balance_in_every_row(panel):
    p = panel
    sums = {
        "act": p.che + p.rect + p.invt + p.aco,
        "at": p.act + p.ppent + p.ivao + p.other_assets,
        "lct": p.dlc + p.ap + p.txp + p.lco,
        "lt": p.lct + p.dltt + p.olt,
    }
    for name, total in sums.items():
        assert_allclose(p[name], total, rtol=1e-9, err_msg=name)
    size = p["at"] + p["lt"] + p["re"].abs()
    assert_allclose((p["at"] - p["lt"] - p["ceq"] - p["pstk"]) / size, 0, atol=1e-9)


def test_accounts_stay_within_what_is_possible(panel):
    assert np.isfinite(panel[ACCOUNTS]).all(axis=None)
    free = {"ceq", "re", "ib", "ni", "txt"}
    assert (panel[[name for name in ACCOUNTS if name not in free]] >= 0).all(axis=None)
    assert (panel[["at", "sale", "cogs", "che", "prcc_f", "csho"]] > 0).all(axis=None)
    assert (panel["ivst"] <= panel["che"]).all()
    assert (panel["ppent"] <= panel["ppegt"]).all()


def test_retained_earnings_grow_by_what_is_earned_and_not_paid_out(panel):
    before = year_before(panel, "re")
    rest = panel["re"] - before - panel["ni"] + panel["dividends"]
    size = panel["re"].abs() + before.abs() + panel["ni"].abs() + panel["dividends"]
    assert before.notna().sum() > 1000
    assert_allclose((rest / size).dropna(), 0, atol=1e-9)  # of all, also those that cheat


def test_rows_are_sorted_and_some_firms_have_gaps(panel):
    assert panel.equals(panel.sort_values(["gvkey", "fyear"], ignore_index=True))
    step = panel.groupby("gvkey")["fyear"].diff().dropna()
    assert 0.85 < (step == 1).mean() < 0.97
    assert (step > 0).all()
    assert panel["fyear"].agg(["min", "max"]).tolist() == [2000, 2014]
    assert panel.groupby("gvkey")[["sic"]].nunique().eq(1).all(axis=None)


def test_columns_are_the_canonical_ones(panel):
    keys = ["gvkey", "fyear", "sic", "state"]
    assert sorted(panel.columns) == sorted([*keys, *ACCOUNTS, *RATIOS, *CANONICAL])
    assert panel.dtypes[["sic", "state"]].eq("category").all()
    assert 0.02 < panel["state"].isna().mean() < 0.09
    assert panel["sic"].nunique() > 100
    assert panel["sic"].notna().all()


def test_ratios_are_raw_and_few_lack_their_lags(panel):
    first = panel[panel["fyear"] == 2000]
    assert first[list(RATIOS)].drop(columns="ch_cm").notna().all(axis=None)
    anew = compute_ratios(panel)
    both = anew.notna() & panel[list(RATIOS)].notna()
    assert_allclose(panel[list(RATIOS)].where(both), anew.where(both))
    newcomers = panel[~panel["gvkey"].duplicated() & (panel["fyear"] > 2000)]
    lack = newcomers["dch_rec"].isna()
    assert len(newcomers) > 100
    assert 0.01 < lack.mean() < 0.15
    assert newcomers.loc[lack, ["dch_wc", "ch_rsst", "ch_cs", "ch_cm"]].isna().all(axis=None)
    settled = panel[panel["gvkey"].isin(first["gvkey"])]
    assert settled["dch_rec"].notna().all()


# Misstatements


@pytest.mark.parametrize("prevalence", [0.0, 0.008, 0.03, 0.2])
@pytest.mark.parametrize("serial", [0.0, 1.0, 8.0])
def test_prevalence_is_met_in_each_panel(prevalence, serial):
    panel = make_misstatement_panel(n_firms=400, prevalence=prevalence, serial=serial)
    assert panel["misstated"].mean() == pytest.approx(
        prevalence, abs=(MAX_LENGTH + 1) / len(panel)
    )
    assert_array_equal(panel["misstated"] == 1, panel["case"] > 0)


def test_cases_are_spells_of_one_firm():
    panel = make_misstatement_panel(n_firms=1500, prevalence=0.1)
    cases = bad(panel).groupby("case")
    years = cases["fyear"].agg(["min", "max", "size"])
    assert (cases["gvkey"].nunique() == 1).all()
    keys = panel.merge(years.assign(gvkey=cases["gvkey"].first()).reset_index(), on="gvkey")
    inside = keys[keys["fyear"].between(keys["min"], keys["max"])]
    assert (inside["case_x"] == inside["case_y"]).all()  # whatever the firm filed in between
    assert (cases["case_end"].first() >= years["max"]).all()
    honest = panel[panel["misstated"] == 0]
    assert honest[["restatement_year", "aaer_year", "case_end"]].isna().all(axis=None)
    assert (honest["severity"] == 0).all()
    assert (bad(panel)["severity"] > 0).all()


def test_restatements_are_of_one_year_and_sec_cases_last_and_weigh_more():
    panel = make_misstatement_panel(n_firms=1500, prevalence=0.1)
    assert restated(panel)["case"].is_unique
    assert (restated(panel)["case_end"] == restated(panel)["fyear"]).all()
    lengths = sec(panel).groupby("case").size()
    assert 5 <= lengths.max() <= MAX_LENGTH
    assert 2.0 < lengths.mean() < 2.7  # gaps and exits shorten a drawn mean of 2.9
    assert sec(panel)["severity"].median() > 10 * restated(panel)["severity"].median()


def test_sec_cases_become_rare():
    rows = bad(make_misstatement_panel(n_firms=1500, prevalence=0.05))
    undated = rows["restatement_year"].isna()
    early, middle, late = (
        undated[rows["fyear"].between(*span)].mean()
        for span in ((2000, 2004), (2005, 2009), (2010, 2014))
    )
    assert early > middle + 0.05 > late + 0.1
    assert 0.25 < undated.mean() < 0.45


def test_strength_zero_leaves_honest_accounts_whoever_cheats():
    rare = make_misstatement_panel(n_firms=200, strength=0, prevalence=0.01)
    often = make_misstatement_panel(n_firms=200, strength=0, prevalence=0.1, serial=0)
    none = make_misstatement_panel(n_firms=200, strength=0.4, prevalence=0)
    for other in (often, none):
        pd.testing.assert_frame_equal(
            rare.drop(columns=CANONICAL), other.drop(columns=CANONICAL), check_exact=True
        )


def test_only_years_of_a_case_and_the_year_after_differ_from_honest_accounts():
    kind = {"n_firms": 300, "prevalence": 0.05}
    filed, honest = (make_misstatement_panel(**kind, strength=s) for s in (0.4, 0.0))
    pd.testing.assert_frame_equal(filed[CANONICAL], honest[CANONICAL])
    inside = filed["misstated"] == 1
    ends = filed.loc[inside, ["gvkey", "case_end"]].itertuples(index=False, name=None)
    before = zip(filed["gvkey"], filed["fyear"] - 1, strict=True)
    after = pd.Index(before).isin(list(ends)) & ~inside
    assert_array_equal(
        filed.loc[~inside & ~after, ACCOUNTS],
        honest.loc[~inside & ~after, ACCOUNTS],
    )
    assert (filed["re"] > honest["re"])[inside].all()
    stocks = ["rect", "invt", "other_assets", "lco", "re", "at"]  # set right the year after
    assert_array_equal(filed.loc[after, stocks], honest.loc[after, stocks])
    assert (filed["ni"] < honest["ni"])[after].all()
    assert after.sum() > 30
    shares = [
        (filed[name] != honest[name])[inside].mean()
        for name in ("rect", "invt", "other_assets", "lco")
    ]
    assert sum(shares) == pytest.approx(1)
    assert_allclose(shares, (0.45, 0.20, 0.20, 0.15), atol=0.15)
    gap = filed["re"] - honest["re"]
    deferred = filed["olt"] - honest["olt"]
    assert_allclose(deferred[inside], 35 / 65 * gap[inside], rtol=1e-6)
    assert_array_equal(filed[["che", "txp"]], honest[["che", "txp"]])


def test_serial_firms_cheat_again():
    def firms(serial):
        panel = make_misstatement_panel(n_firms=600, prevalence=0.05, serial=serial)
        return bad(panel).groupby("gvkey")["case"].nunique().gt(1).mean()

    assert firms(2.0) > firms(0.0) + 0.1


# What is known when


@pytest.mark.parametrize("bias", [0.0, 0.5, 1.0])
def test_known_shares_by_lag_are_the_wanted_ones(bias):
    panel = make_misstatement_panel(n_firms=400, prevalence=0.05, severity_bias=bias)
    rows = restated(panel)
    for lag, share in enumerate(LAGS, start=1):
        known = rows["restatement_year"] < rows["fyear"] + lag
        assert known.mean() == pytest.approx(share, abs=5 / len(rows))
    never = make_misstatement_panel(n_firms=400, prevalence=0.05, known_at_lag=(0.5, 0.8))
    rows = restated(never)
    assert np.isinf(rows["restatement_year"]).mean() == pytest.approx(0.2, abs=5 / len(rows))


def test_what_is_known_stays_known_and_nothing_is_known_in_its_own_year():
    rows = restated(make_misstatement_panel(n_firms=400, prevalence=0.05))
    known = [rows["restatement_year"] < year for year in range(2000, 2021)]
    assert all((earlier <= later).all() for earlier, later in pairwise(known))
    assert (rows["restatement_year"] >= rows["fyear"]).all()


def test_severe_cases_come_out_first_if_biased():
    def gap(bias):
        panel = make_misstatement_panel(n_firms=800, prevalence=0.1, severity_bias=bias)
        rows = restated(panel)
        soon = rows["restatement_year"] < rows["fyear"] + 2
        return rows["severity"][soon].mean() / rows["severity"][~soon].mean()

    assert 0.8 < gap(0.0) < 1.25
    assert gap(0.5) > 1.3
    assert gap(1.0) > gap(0.5)


def test_the_sec_tells_years_after_a_case_and_of_no_restatement():
    panel = make_misstatement_panel(n_firms=1500, prevalence=0.05)
    assert np.isinf(restated(panel)["aaer_year"]).all()
    rows = sec(panel).drop_duplicates("case")
    wait = rows["aaer_year"] - rows["case_end"]
    assert wait.between(1, 7).all()
    assert wait.median() == 4
    assert (sec(panel).groupby("case")["aaer_year"].nunique() == 1).all()


# Use


def test_the_same_seed_gives_the_same_panel():
    first, again = (make_misstatement_panel(n_firms=50, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    other = make_misstatement_panel(n_firms=50, random_state=4)
    assert len(other) != len(first) or (other["at"] != first["at"]).any()


@pytest.mark.parametrize("seed", [0, 1])
def test_trees_find_strong_sec_cases_of_other_firms_and_hardly_the_motives(seed):
    xgboost = pytest.importorskip("xgboost")

    def quality(strength):
        panel = make_misstatement_panel(
            prevalence=0.1, strength=strength, serial=0.0, random_state=seed
        )
        panel = panel.drop(index=restated(panel).index)
        X, y_true, test = panel[list(RATIOS)], panel["misstated"], panel["gvkey"] % 2 == 0
        trees = xgboost.XGBClassifier(
            n_estimators=60, max_depth=3, learning_rate=0.1, n_jobs=1, random_state=0
        )
        trees.fit(X[~test], y_true[~test])
        return roc_auc(y_true[test], trees.predict_proba(X[test])[:, 1])

    # Over 8 seeds the first lies between 0.65 and 0.77, the second 0.12 to 0.17 below it.
    strong = quality(1.0)
    assert strong > 0.62
    assert quality(0.0) < strong - 0.08


@pytest.mark.parametrize("years", [(2005, 2005), (1999, 2001)])
@pytest.mark.parametrize("n_firms", [1, 3])
def test_the_smallest_panels_can_be_made(years, n_firms):
    panel = make_misstatement_panel(n_firms=n_firms, years=years)
    assert panel["fyear"].between(*years).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_firms": 0}, "n_firms == 0, must be >= 1"),
        ({"years": (2014, 2000)}, "years must not run backwards"),
        ({"years": (0, 2000)}, "a year == 0, must be >= 1"),
        ({"prevalence": 0.5}, "prevalence must be a number from 0 to 0.2, got 0.5"),
        ({"strength": -1}, "strength must be a number from 0 to 100, got -1"),
        ({"serial": float("nan")}, "serial must be a number from 0 to 10, got nan"),
        ({"severity_bias": 2}, "severity_bias must be a number from 0 to 1, got 2"),
        (
            {"known_at_lag": (0.7, 0.5)},
            "known_at_lag must be shares from 0 to 1 that never fall",
        ),
        ({"known_at_lag": ()}, "known_at_lag must be shares"),
    ],
)
def test_bad_arguments_are_answered_in_a_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_misstatement_panel(**arguments)
