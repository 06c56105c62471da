from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal, assert_series_equal
from scipy import stats as scipy_stats

from lopsided_bench import aggregate, stats

METRIC = "average_precision"
SETTINGS = [(kind, share) for kind in ("sar-far", "scar", "sar-near") for share in (0.25, 0.75)]
ORDERED = [(kind, share) for kind in ("scar", "sar-near", "sar-far") for share in (0.75, 0.25)]

# AUC of C4.5 and three variants on 14 data sets: Demsar 2006, table 6. Its last columns share
# 0.975 on the 13th, where the paper's ranks tell that the third is ahead: 0.9751 here.
DEMSAR = pd.DataFrame(
    [
        (0.763, 0.768, 0.771, 0.798),
        (0.599, 0.591, 0.590, 0.569),
        (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657),
        (0.882, 0.888, 0.886, 0.898),
        (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685),
        (0.583, 0.583, 0.563, 0.625),
        (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000),
        (0.940, 0.962, 0.965, 0.962),
        (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.9751, 0.975),
        (0.957, 0.978, 0.946, 0.970),
    ],
    columns=["plain", "m", "cf", "m+cf"],
)


def draw(n_blocks, n_methods, digits=None, seed=0):
    """Values of methods, each a little better than the last; few digits make ties."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_blocks, n_methods)) + 0.3 * np.arange(n_methods)
    values = values if digits is None else values.round(digits)
    return pd.DataFrame(values, columns=[f"method{i}" for i in range(n_methods)])


TIES = [pytest.param(None, id="no ties"), pytest.param(0, id="ties")]


def row(dataset, setting, label, repeat, value, metric=METRIC, factor=1.0, status="ok"):
    return {
        "dataset": dataset,
        "mechanism": setting[0],
        "hidden": setting[1],
        "label": label,
        "prior_factor": factor,
        "repeat": repeat,
        "metric": metric,
        "value": value if status == "ok" else np.nan,
        "seconds": 1.0,
        "status": status,
        "message": "" if status == "ok" else "why",
        "key": f"{dataset} {setting} {label} {repeat} {factor}",
    }


def make_table():
    """Two methods and an oracle on three data sets, five repeats, two metrics."""
    rng = np.random.default_rng(1)
    rows = []
    for dataset, repeat, metric in product("abc", range(5), (METRIC, "roc_auc")):
        for setting, label in product(SETTINGS, ("ours", "naive")):
            rows.append(row(dataset, setting, label, repeat, rng.random(), metric))
        rows.append(row(dataset, ("none", 0.0), "oracle", repeat, rng.random(), metric))
    return pd.DataFrame(rows)


TABLE = make_table()
macro_deviation = partial(aggregate.macro, of="deviation")


def fail(table, dataset, label, setting=None, repeat=None):
    """The same table in which some trials failed."""
    hit = (table["dataset"] == dataset) & (table["label"] == label)
    if setting is not None:
        hit &= (table["mechanism"] == setting[0]) & (table["hidden"] == setting[1])
    if repeat is not None:
        hit &= table["repeat"] == repeat
    broken = {"value": np.nan, "status": "failed", "message": "ValueError: why"}
    return table.assign(**{key: table[key].mask(hit, new) for key, new in broken.items()})


def values_of(dataset, setting, label, metric=METRIC):
    """The slow twin of a group: filter by every column."""
    return [
        one.value
        for one in TABLE.itertuples()
        if (one.dataset, one.mechanism, one.hidden) == (dataset, *setting)
        and (one.label, one.metric) == (label, metric)
    ]


def test_scores_are_the_mean_over_repeats():
    cells = aggregate.scores(TABLE, METRIC)
    assert len(cells) == 3 * 6 * 3
    for cell in cells[cells["label"] != "oracle"].itertuples():
        expected = values_of(cell.dataset, (cell.mechanism, cell.hidden), cell.label)
        assert cell.value == pytest.approx(np.mean(expected))


def test_the_oracle_is_repeated_for_every_setting():
    cells = aggregate.scores(TABLE, METRIC)
    oracle = cells[cells["label"] == "oracle"]
    assert sorted(set(zip(oracle["mechanism"], oracle["hidden"], strict=True))) == sorted(
        SETTINGS
    )
    for dataset, group in oracle.groupby("dataset"):
        expected = np.mean(values_of(dataset, ("none", 0.0), "oracle"))
        assert_allclose(group["value"], [expected] * 6)


def test_the_oracle_alone_keeps_its_own_setting():
    alone = TABLE[TABLE["label"] == "oracle"]
    assert list(aggregate.macro(alone, METRIC).columns) == [("none", 0.0)]


def test_failed_rows_do_not_count_and_are_listed():
    broken = fail(TABLE, "b", "ours", ("scar", 0.75), repeat=2)
    cells = aggregate.scores(broken, METRIC).set_index(
        ["label", "mechanism", "hidden", "dataset"]
    )
    expected = np.delete(values_of("b", ("scar", 0.75), "ours"), 2)
    assert cells.loc[("ours", "scar", 0.75, "b"), "value"] == pytest.approx(expected.mean())
    listed = aggregate.failed_trials(broken)
    assert listed.to_dict("records") == [
        {
            "dataset": "b",
            "mechanism": "scar",
            "hidden": 0.75,
            "label": "ours",
            "prior_factor": 1.0,
            "repeat": 2,
            "status": "failed",
            "message": "ValueError: why",
        }
    ]
    assert aggregate.failed_trials(TABLE).empty
    stale = broken.assign(value=broken["value"].fillna(9.0))
    assert_frame_equal(aggregate.scores(stale, METRIC), aggregate.scores(broken, METRIC))


def test_trials_that_differ_in_the_prior_alone_are_holes_of_their_own():
    rows = [
        row("a", ("scar", 0.5), "ours", 0, 0.0, metric, factor, "timeout")
        for metric in (METRIC, "roc_auc")
        for factor in (0.5, 2.0)
    ]
    assert len(aggregate.failed_trials(pd.DataFrame(rows))) == 2


def test_a_method_that_failed_on_a_data_set_is_averaged_over_the_others():
    found = aggregate.macro(fail(TABLE, "b", "ours"), METRIC)
    expected = [np.mean(values_of(d, ("scar", 0.75), "ours")) for d in "ac"]
    assert found.loc["ours", ("scar", 0.75)] == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("what", [aggregate.macro, macro_deviation])
def test_columns_run_from_scar_to_far_and_from_few_labels_to_many(what):
    frame = what(TABLE, METRIC)
    assert list(frame.columns) == ORDERED
    assert list(frame.index) == ["naive", "oracle", "ours"]


@pytest.mark.parametrize(
    ("what", "over_repeats"), [(aggregate.macro, np.mean), (macro_deviation, np.std)]
)
def test_cells_are_averages_over_data_sets_of_what_repeats_say(what, over_repeats):
    frame = what(TABLE, "roc_auc")
    for label, setting in product(("naive", "oracle", "ours"), ORDERED):
        source = ("none", 0.0) if label == "oracle" else setting
        each = [over_repeats(values_of(d, source, label, "roc_auc")) for d in "abc"]
        assert frame.loc[label, setting] == pytest.approx(np.mean(each))


def test_prior_factors_are_kept_apart():
    doubled = pd.concat([TABLE, TABLE.assign(prior_factor=2.0, value=TABLE["value"] + 1)])
    assert_frame_equal(aggregate.blocks(doubled, METRIC), aggregate.blocks(TABLE, METRIC))
    for what, gain in ((aggregate.macro, 1), (macro_deviation, 0)):
        assert_frame_equal(what(doubled, METRIC), what(TABLE, METRIC))
        double = what(doubled, METRIC, prior_factor=2.0)
        assert_frame_equal(double, what(TABLE, METRIC) + gain)


def test_a_metric_without_results_is_refused():
    with pytest.raises(ValueError, match="Did you mean average_precision"):
        aggregate.scores(TABLE, "average_precison")


def test_blocks_are_data_sets_with_their_means_over_settings():
    found = aggregate.blocks(TABLE, METRIC)
    assert list(found.index) == ["a", "b", "c"]
    for dataset, label in product("abc", ("naive", "ours")):
        cells = [np.mean(values_of(dataset, setting, label)) for setting in SETTINGS]
        assert found.loc[dataset, label] == pytest.approx(np.mean(cells))


def test_blocks_of_one_setting_hold_its_scores():
    one = TABLE[(TABLE["mechanism"] == "scar") & (TABLE["hidden"] == 0.75)]
    expected = [np.mean(values_of(d, ("scar", 0.75), "ours")) for d in "abc"]
    assert_allclose(aggregate.blocks(one, METRIC)["ours"], expected)


def test_blocks_leave_out_the_oracle_and_methods_with_holes():
    assert list(aggregate.blocks(TABLE, METRIC).columns) == ["naive", "ours"]
    # A mean over the repeats that went well is not compared with one over all.
    one_repeat = fail(TABLE, "b", "ours", ("scar", 0.25), repeat=0)
    assert list(aggregate.blocks(one_repeat, METRIC).columns) == ["naive"]
    first_repeats = TABLE[(TABLE["label"] != "ours") | (TABLE["repeat"] < 2)]
    assert list(aggregate.blocks(first_repeats, METRIC).columns) == ["naive", "ours"]
    one_setting = fail(TABLE, "b", "ours", ("scar", 0.25))
    assert list(aggregate.blocks(one_setting, METRIC).columns) == ["naive"]


def test_the_same_values_in_another_order_tie():
    values = np.random.default_rng(0).random((200, 5))
    rows = [
        row(f"data{i}", ("scar", 0.5), label, repeat, value)
        for i, given in enumerate(values)
        for label, ordered in (("up", np.sort(given)), ("down", np.sort(given)[::-1]))
        for repeat, value in enumerate(ordered)
    ]
    ranks = stats.average_ranks(aggregate.blocks(pd.DataFrame(rows), METRIC))
    assert ranks.to_dict() == {"up": 1.5, "down": 1.5}


@pytest.mark.parametrize("seed", range(3))
def test_results_do_not_depend_on_the_order_of_rows(seed):
    table = fail(TABLE, "a", "naive", repeat=1)
    shuffled = table.sample(frac=1, random_state=seed)
    assert_frame_equal(aggregate.failed_trials(shuffled), aggregate.failed_trials(table))
    for what in (aggregate.scores, aggregate.macro, macro_deviation, aggregate.blocks):
        assert_frame_equal(what(shuffled, METRIC), what(table, METRIC), check_exact=True)


def test_order_of_blocks_does_not_change_ranks_and_tests():
    values = draw(20, 4, digits=0)
    turned = values.iloc[::-1]
    assert_series_equal(stats.average_ranks(turned), stats.average_ranks(values))
    assert_allclose(stats.friedman(turned), stats.friedman(values))
    assert_frame_equal(*(stats.wilcoxon_holm(each, "method0") for each in (turned, values)))
    pair = values["method0"], values["method1"]
    back = turned["method0"], turned["method1"]
    assert stats.bootstrap_difference(*back) == stats.bootstrap_difference(*pair)


@pytest.mark.parametrize("digits", TIES)
def test_average_ranks_agree_with_scipy(digits):
    values = draw(25, 5, digits)
    expected = scipy_stats.rankdata(-values, axis=1).mean(axis=0)
    assert_allclose(stats.average_ranks(values), expected)


def test_average_ranks_are_those_of_demsar():
    ranks = stats.average_ranks(DEMSAR)
    assert_allclose(ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)


def test_friedman_is_that_of_demsar_but_for_ties():
    found = stats.friedman(DEMSAR)
    # The paper divides by the spread of ranks without ties, k(k^2 - 1) / 12 in each block.
    # Three blocks with two ties and one with four lose (2^3 - 2) / 12 and (4^3 - 4) / 12.
    untied, tied = 14 * 60 / 12, 14 * 60 / 12 - (3 * 6 + 60) / 12
    chi = found.chi_square * tied / untied
    assert chi == pytest.approx(9.28, abs=5e-3)
    assert 13 * chi / (14 * 3 - chi) == pytest.approx(3.69, abs=5e-3)
    assert found[4:] == (14, 4)


@pytest.mark.parametrize("digits", TIES)
@pytest.mark.parametrize("shape", [(2, 3), (10, 3), (30, 8)])
def test_friedman_agrees_with_scipy(shape, digits):
    values = draw(*shape, digits)
    expected = scipy_stats.friedmanchisquare(*values.to_numpy().T)
    found = stats.friedman(values)
    assert found.chi_square == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("digits", TIES)
def test_iman_davenport_is_the_analysis_of_variance_of_ranks(digits):
    values = draw(12, 4, digits)
    ranks = scipy_stats.rankdata(values, axis=1)
    between = 12 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    rest = ((ranks - ranks.mean(axis=0)) ** 2).sum()
    expected = (between / 3) / (rest / (3 * 11))
    found = stats.friedman(values)
    assert found.iman_davenport == pytest.approx(expected)
    assert found.iman_davenport_p == pytest.approx(scipy_stats.f(3, 33).sf(expected))


@pytest.mark.parametrize("n_blocks", [2, 9, 49])
@pytest.mark.parametrize("order", [[1, 2], [1, 1, 2], [3, 1, 2, 2, 5, 7, 4]], ids=str)
def test_one_order_everywhere_is_certain(order, n_blocks):
    found = stats.friedman(pd.DataFrame([order] * n_blocks))
    assert found.chi_square == pytest.approx(n_blocks * (len(order) - 1))
    assert found.iman_davenport == np.inf
    assert found.iman_davenport_p == 0


def test_ties_everywhere_say_nothing():
    assert stats.friedman(pd.DataFrame(np.ones((5, 3)))) == (0, 1, 0, 1, 5, 3)


def test_a_hole_or_too_few_to_rank_is_refused():
    holed = draw(5, 3).mask(draw(5, 3) > 1)
    compare = partial(stats.wilcoxon_holm, base="method0")
    for test in (stats.average_ranks, stats.friedman, compare):
        with pytest.raises(ValueError, match="in every block, got NaN"):
            test(holed)
    for shape in ((1, 3), (3, 1)):
        with pytest.raises(ValueError, match="two blocks and two methods"):
            stats.friedman(draw(*shape))
    with pytest.raises(ValueError, match="two methods and a block"):
        stats.critical_difference(1, 10)


def test_critical_differences_are_those_of_demsar():
    assert stats.critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert stats.critical_difference(4, 14, level=0.1) == pytest.approx(1.12, abs=5e-3)
    # Demsar's table 5a: the critical values for 2 to 10 methods.
    critical = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, value in enumerate(critical, start=2):
        found = stats.critical_difference(k, 30) / np.sqrt(k * (k + 1) / (6 * 30))
        assert found == pytest.approx(value, abs=2e-3)


def test_cliques_by_hand():
    ranks = pd.Series({"e": 5.0, "a": 1.0, "c": 2.2, "d": 3.0, "b": 1.5})
    assert stats.cliques(ranks, 1.2) == [("a", "b", "c"), ("c", "d")]
    assert stats.cliques(ranks, 1.5) == [("a", "b", "c"), ("b", "c", "d")]
    assert stats.cliques(ranks, 0.1) == []
    assert stats.cliques(ranks, 4.0) == [("a", "b", "c", "d", "e")]
    assert stats.cliques(pd.Series({"b": 1.5, "a": 1.5}), 0) == [("a", "b")]
    # 1.2 + 0.6 is below 1.8 in floats.
    assert stats.cliques(pd.Series({"a": 1.2, "b": 1.8}), 0.6) == [("a", "b")]


@pytest.mark.parametrize("seed", range(5))
def test_cliques_are_the_maximal_groups_within_reach(seed):
    ranks = pd.Series(np.random.default_rng(seed).uniform(1, 7, size=7), index=list("abcdefg"))
    close = [
        set(group)
        for size in range(2, 8)
        for group in combinations(ranks.index, size)
        if np.ptp(ranks[list(group)]) <= 1.5
    ]
    maximal = [group for group in close if not any(group < other for other in close)]
    found = stats.cliques(ranks, 1.5)
    assert sorted(map(sorted, found)) == sorted(map(sorted, maximal))
    assert all(ranks[list(group)].is_monotonic_increasing for group in found)


@pytest.mark.parametrize("digits", TIES)
def test_pairs_agree_with_scipy(digits):
    values = draw(15, 4, digits)
    table = stats.wilcoxon_holm(values, "method1")
    assert list(table.columns) == ["first", "second", "mean_difference", "p_value", "p_holm"]
    assert len(table) == 3
    for pair in table.itertuples():
        gap = values[pair.first] - values[pair.second]
        assert pair.mean_difference == pytest.approx(gap.mean())
        assert pair.p_value == pytest.approx(scipy_stats.wilcoxon(gap).pvalue)


def test_holm_by_hand():
    found = stats._holm(np.array([0.04, 0.01, 0.3, 0.025, 0.6, 0.9]))
    # In order 0.01 * 6, 0.025 * 5, 0.04 * 4, 0.3 * 3, 0.6 * 2 and 0.9 * 1, neither of which may
    # be below the one before, or above 1.
    assert_allclose(found, [0.16, 0.06, 0.9, 0.125, 1, 1])


def test_holm_never_lowers_and_keeps_the_order():
    table = stats.wilcoxon_holm(draw(15, 6), "method0").sort_values("p_value")
    assert (table["p_holm"] >= table["p_value"]).all()
    assert table["p_holm"].is_monotonic_increasing
    assert table["p_holm"].max() <= 1


def test_a_base_is_compared_with_each_other_method():
    values = draw(15, 4)
    table = stats.wilcoxon_holm(values, base="method2")
    assert list(table["first"]) == ["method2"] * 3
    assert list(table["second"]) == ["method0", "method1", "method3"]
    expected = values["method2"].mean() - values["method0"].mean()
    assert table["mean_difference"][0] == pytest.approx(expected)
    with pytest.raises(ValueError, match="No method is called"):
        stats.wilcoxon_holm(values, base="method9")


def test_equal_methods_are_not_told_apart():
    twins = draw(6, 1).assign(twin=lambda frame: frame["method0"])
    table = stats.wilcoxon_holm(twins, "twin")
    assert table[["mean_difference", "p_value", "p_holm"]].to_numpy().tolist() == [[0, 1, 1]]
    assert stats.wilcoxon_holm(draw(6, 1), "method0").empty


def test_equal_differences_tie_though_floats_tell_them_apart():
    steps = np.array([1, -1, 1, 1, -1, 1, 1, 1])
    lower = np.arange(1, 9) / 10
    values = pd.DataFrame({"first": lower + steps / 10, "second": lower})
    expected = scipy_stats.wilcoxon(steps).pvalue
    assert stats.wilcoxon_holm(values, "first")["p_value"][0] == pytest.approx(expected)


def test_the_bootstrap_covers_a_known_mean():
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(400):
        second = rng.normal(size=40)
        first = second + rng.normal(0.2, 1, size=40)
        found = stats.bootstrap_difference(first, second, n_draws=500)
        inside.append(found.low <= 0.2 <= found.high)
    assert 0.9 < np.mean(inside) < 0.98


def test_the_bootstrap_is_deterministic_and_wider_for_more_certainty():
    first, second = draw(30, 2).to_numpy().T
    found = stats.bootstrap_difference(first, second)
    assert found == stats.bootstrap_difference(first, second)
    assert found != stats.bootstrap_difference(first, second, seed=1)
    assert found.mean == pytest.approx(np.mean(first - second))
    sure = stats.bootstrap_difference(first, second, level=0.99)
    assert sure.low < found.low < found.mean < found.high < sure.high
    # For this many data sets it is near the interval of the normal distribution.
    error = 1.96 * np.std(first - second) / np.sqrt(30)
    assert_allclose([found.mean - found.low, found.high - found.mean], error, rtol=0.15)


def test_the_bootstrap_needs_pairs_of_numbers():
    with pytest.raises(ValueError, match="a score for each data set"):
        stats.bootstrap_difference([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="got NaN"):
        stats.bootstrap_difference([1.0, np.nan], [1.0, 2.0])
