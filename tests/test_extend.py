import ast
import re
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from page_blocks import run_all, settle

import lopsided

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "extend.md"
TEXT = PAGE.read_text(encoding="utf-8")
QUOTES = re.findall(r"^```\{literalinclude\} (\S+)\n(.*?)^```", TEXT, re.M | re.S)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """The names of the page after its blocks have run, which must print what it says."""
    with chdir(tmp_path_factory.mktemp("page")):
        for printed, said in run_all(TEXT, PAGE):
            assert settle(printed, said) == (said or ""), (
                "run: python tests/page_blocks.py docs/extend.md"
            )
    return vars(sys.modules["page"])


def test_the_page_prints_what_it_says_and_its_parts_keep_the_contract(names):
    assert TEXT.count("\ncheck_method(") == 2
    assert TEXT.count("\ncheck_risk(") == 1


def test_labeled_rows_may_count_much_more(names):
    heavy = names["HeavyRisk"](names["LogisticLoss"](), times=30)
    names["check_method"](lopsided.BoostedRiskClassifier(risk=heavy, n_estimators=10))


def test_the_risk_of_the_page_is_a_risk_of_its_own_and_can_be_searched(names):
    risk = names["risk"]
    assert issubclass(type(risk), lopsided.risks.Risk)
    assert type(risk).weights is not lopsided.risks.Risk.weights
    assert "risk__doubt" in names["mine"].get_params()


def test_the_risk_of_the_page_ranks_better_than_the_naive_baseline_there(names):
    said = re.findall(r"^(mine|naive): average precision (\S+) among", TEXT, re.MULTILINE)
    found = {name: float(value) for name, value in said}
    assert found["mine"] > found["naive"] + 0.02


def test_a_model_file_refuses_a_class_that_is_not_ours(names, tmp_path):
    model = names["NaiveBayes"]().fit(names["data"].X, names["y"])
    with pytest.raises((TypeError, ValueError), match="NaiveBayes"):
        lopsided.save(model, tmp_path / "model.lop")
    with pytest.raises(ValueError, match="takes no other types than those it lists, got page"):
        lopsided.save(names["model"], tmp_path / "model.lop")


def test_the_model_that_was_kept_scores_as_it_did(names):
    fitted = lopsided.build(
        "focused-xgb", risk=names["HeavyRisk"](names["LogisticLoss"]()), random_state=0
    ).fit(names["known"], names["status"])
    rows = names["known"]
    assert (names["model"].decision_function(rows) == fitted.decision_function(rows)).all()


def find_node(tree, dotted):
    for name in dotted.split("."):
        tree = next(node for node in tree.body if getattr(node, "name", None) == name)
    return tree


@pytest.mark.parametrize(("path", "options"), QUOTES, ids=[f"{p} {o}" for p, o in QUOTES])
def test_what_is_quoted_is_there(path, options):
    source = (PAGE.parent / path).resolve().read_text(encoding="utf-8")
    found = dict(re.findall(r"^:([\w-]+):[ ]*(.*)$", options, re.MULTILINE))
    if "pyobject" in found:
        assert find_node(ast.parse(source), found["pyobject"])
    else:
        start, end = (ast.literal_eval(found[name]) for name in ("start-at", "end-before"))
        assert start in source
        assert end in source.partition(start)[2]


def test_it_quotes_a_risk_a_criterion_a_method_and_a_metric():
    quoted = {Path(path).name for path, _ in QUOTES}
    assert {"pu.py", "criteria.py", "twin.py", "catalog.py", "at_k.py"} <= quoted


def test_it_agrees_with_the_guide_on_where_things_go():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for place in re.findall(r"`((?:\w+/)*\w+\.py)`", TEXT):
        assert f"`{place}`" in guide or place in guide, place
    for heading in re.findall(r"CONTRIBUTING\.md#([\w-]+)", TEXT):
        titles = re.findall(r"^## (.*)$", guide, re.MULTILINE)
        assert heading in {title.lower().replace(" ", "-") for title in titles}
