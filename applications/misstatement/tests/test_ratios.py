import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.ratios import ITEMS, RATIOS, compute_ratios


def draw_panel(n_rows=60, seed=0):
    """Rows in no order, with gaps between a firm's years and blanks in its items."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(firm, year) for firm in (3, 7, 8, 20) for year in range(1990, 2012)])
    gvkey, fyear = rng.permutation(pairs)[:n_rows].T
    items = {name: rng.lognormal(2, 1, n_rows) for name in (*ITEMS, "ppent")}
    panel = pd.DataFrame({"gvkey": gvkey, "fyear": fyear, **items})
    for name in (*ITEMS, "ppent"):
        panel.loc[rng.random(n_rows) < 0.05, name] = np.nan
    panel.loc[rng.random(n_rows) < 0.1, ["at", "sale", "csho"]] = 0.0
    panel.index = rng.permutation(n_rows) * 2
    return panel


def slow_ratios(panel):
    """The ratios firm-year by firm-year, as the formulas are printed."""
    rows = {(row["gvkey"], row["fyear"]): row.copy() for _, row in panel.iterrows()}
    for row in rows.values():
        row[["txp", "ivao", "ivst", "pstk"]] = row[["txp", "ivao", "ivst", "pstk"]].fillna(0)

    def item(firm, year, name):
        return rows[firm, year][name] if (firm, year) in rows else np.nan

    def over(top, bottom):
        return np.nan if bottom == 0 else top / bottom

    def ratios(firm, year):
        def x(name, back=0):
            return item(firm, year - back, name)

        def d(name, back=0):
            return x(name, back) - x(name, back + 1)

        def avg(back=0):
            return (x("at", back) + x("at", back + 1)) / 2

        def wc(b):
            return (x("act", b) - x("che", b)) - (x("lct", b) - x("dlc", b) - x("txp", b))

        def nco(b):
            long = x("lt", b) - x("lct", b) - x("dltt", b)
            return (x("at", b) - x("act", b) - x("ivao", b)) - long

        def fin(b):
            return (x("ivst", b) + x("ivao", b)) - (x("dltt", b) + x("dlc", b) + x("pstk", b))

        def cs(b):
            return x("sale", b) - d("rect", b)

        def cm(b):
            return 1 - over(x("cogs", b) - d("invt", b) + d("ap", b), cs(b))

        def wear(b):
            return over(x("dp", b), x("dp", b) + x("ppent", b))

        rsst = over(wc(0) - wc(1) + nco(0) - nco(1) + fin(0) - fin(1), avg())
        raised = (x("sstk"), x("dltis"))
        return {
            "dch_wc": over(wc(0) - wc(1), avg()),
            "ch_rsst": rsst,
            "dch_rec": over(d("rect"), avg()),
            "dch_inv": over(d("invt"), avg()),
            "soft_assets": over(x("at") - x("ppent") - x("che"), x("at")),
            "ch_cs": over(cs(0) - cs(1), cs(1)),
            "ch_cm": over(cm(0) - cm(1), cm(1)),
            "ch_roa": over(x("ni"), avg()) - over(x("ni", 1), avg(1)),
            "issue": np.nan if np.isnan(raised).all() else float(np.nanmax(raised) > 0),
            "bm": over(x("ceq"), x("prcc_f") * x("csho")),
            "dpi": over(wear(1), wear(0)),
            "reoa": over(x("re"), x("at")),
            "EBIT": over(x("ni") + x("xint") + x("txt"), x("at")),
            "ch_fcf": over(d("ib"), avg()) - rsst,
        }

    return pd.DataFrame([ratios(firm, year) for firm, year in rows], index=panel.index)


@pytest.mark.parametrize("seed", range(3))
def test_ratios_agree_with_the_formulas_row_by_row(seed):
    panel = draw_panel(seed=seed)
    fast, slow = compute_ratios(panel), slow_ratios(panel)
    assert tuple(fast.columns) == RATIOS
    assert (slow.notna().sum() > 0).all()
    pd.testing.assert_frame_equal(fast, slow, rtol=1e-9)


def test_row_order_does_not_matter_and_the_index_is_kept():
    panel = draw_panel()
    mixed = panel.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(compute_ratios(panel).loc[mixed.index], compute_ratios(mixed))


def test_a_gap_between_years_breaks_the_changes():
    panel = make_misstatement_panel(n_firms=30)
    changes = [name for name in RATIOS if name.startswith(("ch_", "dch_"))]
    kept = panel[panel["fyear"] != 2007]
    found = compute_ratios(kept)[kept["fyear"] == 2008]
    assert found[changes].isna().all(axis=None)
    assert found["reoa"].notna().all()
    second = compute_ratios(kept)[kept["fyear"] == 2009]
    assert second[["ch_cs", "ch_cm", "ch_roa"]].isna().all(axis=None)
    assert second["dch_rec"].notna().any()


def test_without_net_plant_two_ratios_are_missing_and_the_others_stay():
    panel = draw_panel()
    with_it, without = compute_ratios(panel), compute_ratios(panel.drop(columns="ppent"))
    assert without[["soft_assets", "dpi"]].isna().all(axis=None)
    others = [name for name in RATIOS if name not in ("soft_assets", "dpi")]
    pd.testing.assert_frame_equal(without[others], with_it[others])


# The released panel. Its ratios were made from more years than it holds: a row is compared if
# the years before that a ratio needs are there. They were winsorized with firms that it does
# not hold either, so the limits are read off: the least and the largest value of each column.


@pytest.fixture(scope="module")
def winsorized(released):
    raw = compute_ratios(released)
    raw["ch_ib"] = raw["ch_fcf"] + raw["ch_rsst"]  # ch_fcf is built from its parts, winsorized
    names = [name for name in RATIOS if name not in ("issue", "ch_fcf")]
    low, high = released[names].min(), released[names].max()
    # The extremes of ch_fcf are those of its parts: ch_ib at one end, ch_rsst at the other.
    low["ch_ib"] = released["ch_fcf"].min() + high["ch_rsst"]
    high["ch_ib"] = released["ch_fcf"].max() + low["ch_rsst"]
    inside = raw[low.index].clip(low, high, axis=1)
    return inside.assign(issue=raw["issue"], ch_fcf=inside["ch_ib"] - inside["ch_rsst"])


COMPARABLE = {
    **dict.fromkeys(("dch_wc", "ch_rsst", "dch_rec", "dch_inv", "ch_fcf"), 35_688),
    **{"ch_cs": 28_484, "ch_cm": 28_394, "ch_roa": 28_851},
    **{"issue": 44_800, "reoa": 44_759, "EBIT": 44_759},
}


@pytest.mark.parametrize("name", COMPARABLE)
def test_the_released_ratios_are_met_on_every_row_that_can_be_compared(
    name, released, winsorized
):
    known = winsorized[name].notna()
    assert known.sum() == COMPARABLE[name]
    assert released.loc[known, name].notna().all()  # what we can compute, they could
    assert_allclose(winsorized.loc[known, name], released.loc[known, name], rtol=0, atol=1e-6)


def test_the_released_book_to_market_is_met_up_to_the_rounding_of_prices(released, winsorized):
    assert_array_equal(winsorized["bm"].notna(), released["bm"].notna())
    apart = (winsorized["bm"] - released["bm"]).abs()
    # Prices were in 32nds of a dollar before 2001 and the panel has them to four decimals.
    rounding = released["bm"].abs() * 0.5e-4 / released["prcc_f"]
    assert ((apart <= 1e-6 + 1.1 * rounding) | released["bm"].isna()).all()
    assert (apart <= 1e-6).sum() >= 44_642
