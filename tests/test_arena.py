"""The tables of docs/arena.md, with and without results of ours."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from lopsided_bench.datasets import describe
from lopsided_bench.published import read_published
from lopsided_bench.study import read_study
from lopsided_bench.table import make_result_table
from lopsided_bench.trial import make_rows, trials

ROOT = Path(__file__).parents[1]
if not (ROOT / "docs").exists():
    pytest.skip("docs are not part of a source package", allow_module_level=True)
AVERAGE = "what the arena found in average precision"
SETS = "what the arena found set by set"
BRIEF = "what the arena found in brief"
LABELS = ("focused", "naive-xgb", "xgb")


@pytest.fixture(scope="module")
def render():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        yield importlib.import_module("render_arena").render_arena


@pytest.fixture(scope="module")
def study():
    whole = read_study(ROOT / "studies" / "adbench.toml")
    methods = tuple(one for one in whole.methods if one.label in LABELS)
    return replace(whole, methods=methods, repeats=1)


@pytest.fixture(scope="module")
def published(study):
    return read_published(study.published)


def make_table(study):
    """Return results in which everything scores alike, and the oracle higher."""
    rows = []
    for trial in trials(study, dict.fromkeys(study.datasets, "")):
        value = 0.95 if trial.method.label == "xgb" else 0.9
        rows += make_rows(trial, study, "ok", "", [value, value], 1.0)
    return make_result_table(rows)


def read_cells(block):
    lines = [line.strip("| ").split(" | ") for line in block.splitlines()[2:]]
    return {name.strip(): cells for name, *cells in lines}


def test_without_results_the_printed_rows_stand_alone(render, study, published):
    found = render(study, None, published)
    rows = read_cells(found[AVERAGE])
    assert len(rows) == 16  # 15 that have every set, and the best in hindsight
    assert rows["CatBoost, in ADBench's paper"][0] == "0.476"
    assert rows["PReNet, in ADBench's paper"][0] == "**0.543**"
    assert list(rows)[-1].startswith("best of the 16 in ADBench's paper")
    assert "`" not in found[AVERAGE] + found[SETS]


def test_our_rows_stand_beside_the_printed_ones_and_ceilings_come_last(
    render, study, published
):
    found = render(study, make_table(study), published)
    rows = read_cells(found[AVERAGE])
    assert next(iter(rows)) in ("`focused`", "`naive-xgb`")
    assert rows["`focused`"] == ["**0.900**"] * 7
    assert rows["`xgb` (truth)"] == ["0.950"] * 7
    assert set(list(rows)[-2:]) == {
        "`xgb` (truth)",
        "best of the 16 in ADBench's paper for each set, in hindsight",
    }
    each = read_cells(found[SETS])
    assert list(each) == [describe(name).title for name in study.datasets]
    assert each["cardio"] == ["0.900", "0.900", "0.950", "0.896 (DevNet)"]


def test_a_mean_over_fewer_sets_has_a_star_and_is_never_the_best(render, study, published):
    table = make_table(study)
    few = table[(table["label"] != "focused") | (table["dataset"] != "adbench-musk")]
    rows = read_cells(render(study, few, published)[AVERAGE])
    assert rows["`focused`"] == [r"0.900\*"] * 7
    assert rows["`naive-xgb`"] == ["**0.900**"] * 7


def test_a_method_that_was_not_run_at_every_share_waits(render, study, published):
    table = make_table(study)
    few = table[(table["label"] != "focused") | (table["hidden"] != 0.5)]
    rows = read_cells(render(study, few, published)[AVERAGE])
    assert "`focused`" not in rows
    assert "`naive-xgb`" in rows


def test_an_earlier_run_stands_beside_that_of_today(render, study, published):
    first = read_published(study.published.with_name("adbench_first.csv"))
    earlier = {"first run": first}
    rows = read_cells(render(study, make_table(study), published, earlier)[AVERAGE])
    assert rows["`focused`"] == ["**0.900**"] * 7
    assert rows["`focused`, first run"][4] == "0.844"
    assert len(rows) == len(LABELS) + 1 + 16


def test_the_brief_table_has_the_best_known_rows_alone(render, study, published):
    rows = read_cells(render(study, make_table(study), published)[BRIEF])
    assert set(rows) == {
        *("`focused`", "`naive-xgb`", "`xgb` (truth)"),
        *(
            "CatBoost, in ADBench's paper",
            "XGBOD, in ADBench's paper",
            "PReNet, in ADBench's paper",
        ),
        "best of the 16 in ADBench's paper for each set, in hindsight",
    }
