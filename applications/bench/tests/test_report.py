import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest

from lopsided import list_methods
from lopsided_bench.datasets import list_datasets
from lopsided_bench.page import write_report
from lopsided_bench.study import MethodSpec, Setting, Study
from lopsided_bench.summary import summarize
from lopsided_bench.table import Row, make_result_table

METRIC = "average_precision"
ATTACK = "<script>alert(1)</script>"
SETTINGS = (Setting("scar", 0.75), Setting("sar-far", 0.75))
ORACLE = Setting("none", 0.0)
TITLES = ["Spread over repeats", "Average ranks", "Data sets", "Quality against time"]


def make_study(labels, datasets, **changes):
    methods = tuple(
        MethodSpec(label, label if label in list_methods("any") else "naive-xgb")
        for label in labels
    )
    return Study(
        **{
            "name": "small",
            "title": "A small study",
            "datasets": tuple(datasets),
            "settings": SETTINGS,
            "methods": methods,
            "metrics": (METRIC,),
            "repeats": 2,
            **changes,
        }
    )


def make_table(means, datasets, repeats=2, factors=(1.0,), settings=SETTINGS, broken=()):
    """Results around the given means; "xgb" is the oracle, broken labels fail on repeat 0."""
    rng = np.random.default_rng(0)
    rows = []
    for (label, mean), dataset, repeat in product(means.items(), datasets, range(repeats)):
        for setting in (ORACLE,) if label == "xgb" else settings:
            for factor in factors if label != "xgb" else (1.0,):
                bad = label in broken and repeat == 0
                value = np.nan if bad else mean + 0.01 * rng.random()
                end = ("failed", f"ValueError: {ATTACK}") if bad else ("ok", "")
                where = (dataset, *setting, label, label, factor, repeat)
                rows.append(Row(*where, METRIC, value, 0.5, *end, f"{len(rows)}", "lopsided 0"))
    return make_result_table(rows)


MEANS = {"naive-xgb": 0.5, "puhrf": 0.7, ATTACK: 0.6, "xgb": 0.9}
DATASETS = ["thyroid", "cardio", "wine-rare", ATTACK]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    table = make_table(MEANS, DATASETS, broken=("puhrf",), factors=(0.5, 1.0))
    study = make_study(MEANS, DATASETS, title=ATTACK, prior_factors=(0.5, 1.0))
    assert write_report(table, study, path) == path
    return path.read_text(encoding="utf-8")


class Tags(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_the_same_table_in_any_order_gives_the_same_bytes(tmp_path):
    table = make_table({"naive-xgb": 0.5, "puhrf": 0.7}, ["a", "b"], factors=(0.5, 1.0))
    study = make_study(["naive-xgb", "puhrf"], ["a", "b"])
    first = write_report(table, study, tmp_path / "one.html").read_bytes()
    shuffled = table.sample(frac=1, random_state=0)
    assert write_report(shuffled, study, tmp_path / "two.html").read_bytes() == first


def test_names_and_messages_are_shown_as_text_never_run(page):
    assert ATTACK not in page
    assert [attributes for tag, attributes in Tags(page).found if tag == "script"] == [
        {},
        {"type": "application/json", "id": "summary"},
    ]
    escaped = "&lt;script&gt;alert(1)&lt;/script&gt;"
    assert escaped in page[page.index("<svg") : page.rindex("</svg>")]
    assert f"<h1>{escaped}</h1>" in page
    assert f"ValueError: {escaped}" in page


def test_the_data_in_the_page_is_the_summary(page):
    data = re.search(r'id="summary">(.*?)</script>', page, re.DOTALL)[1]
    assert not set("<>&") & set(data)
    assert json.loads(data)["title"] == ATTACK


def test_every_figure_is_in_the_page_and_drawn(page):
    for title in [*TITLES, "Wrong priors"]:
        assert re.search(rf'<svg [^>]*aria-label="{title}"', page)


def test_ids_are_unique_and_every_reference_has_its_target(page):
    found = Tags(page).found
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = re.findall(r'(?:href="|url\()#([^")]+)', page)
    assert wanted
    assert set(wanted) <= set(ids)


def test_nothing_is_loaded_from_anywhere(page):
    for tag, attributes in Tags(page).found:
        assert tag not in ("link", "iframe", "object", "embed")
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:"))
    assert "@import" not in page
    policies = [tag["content"] for _, tag in Tags(page).found if "http-equiv" in tag]
    assert len(policies) == 1
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policies[0].startswith(f"default-src 'none'; script-src 'sha256-{digest}';")


def test_failed_trials_are_listed_once_each_with_their_reason(page):
    table = make_table(MEANS, DATASETS, broken=("puhrf",))
    failed = summarize(table, make_study(MEANS, DATASETS)).failed
    assert len(failed) == len(DATASETS) * len(SETTINGS)
    assert {row.label for row in failed} == {"puhrf"}
    assert {row.message for row in failed} == {f"ValueError: {ATTACK}"}
    shown = page[page.index('id="failed"') : page.index('id="versions"')]
    assert shown.count("<td>failed</td>") == 2 * len(failed)  # under two priors


def test_best_and_second_are_marked_without_the_oracle(tmp_path):
    values = {"ours": (0.8, 0.4), "theirs": (0.6, 0.4), "plain": (0.5, 0.3), "xgb": (0.9,)}
    rows = [
        Row(
            *("a", *setting, label, label, 1.0, 0, METRIC, value, 0.1, "ok", ""),
            *(f"{label}{value}", "lopsided 0"),
        )
        for label, given in values.items()
        for setting, value in zip(SETTINGS if label != "xgb" else [ORACLE], given, strict=False)
    ]
    study = make_study(values, ["a"], repeats=1)
    found = summarize(make_result_table(rows), study).metrics[METRIC].rows
    places = {row.label: [score.place for score in row.scores] for row in found}
    assert places == {"ours": [1, 1], "theirs": [2, 1], "plain": [None, 2], "xgb": [None, None]}
    assert [row.label for row in found] == ["ours", "theirs", "plain", "xgb"]
    page = write_report(make_result_table(rows), study, tmp_path / "report.html").read_text()
    assert re.findall(r"<b>(0\.\d+)</b>", page) == ["0.800", "0.400", "0.400"]
    assert re.findall(r"<u>(0\.\d+)</u>", page) == ["0.600", "0.300"]


def test_a_mean_over_fewer_data_sets_takes_no_place():
    table = make_table({"ours": 0.5, "theirs": 0.4, "lucky": 0.9}, ["a", "b"])
    table = table[(table["label"] != "lucky") | (table["dataset"] == "a")]
    study = make_study(["ours", "theirs", "lucky"], ["a", "b"])
    found = summarize(table, study).metrics[METRIC]
    scores = {row.label: row.scores[0] for row in found.rows}
    assert [scores[label].place for label in ("ours", "theirs", "lucky")] == [1, 2, None]
    assert [scores[label].partial for label in ("ours", "theirs", "lucky")] == [
        False,
        False,
        True,
    ]
    assert found.tests.dropped == ["lucky"]


def test_a_method_with_fewer_repeats_than_others_says_so(tmp_path):
    table = make_table({"ours": 0.5, "theirs": 0.4}, ["a"])
    table = table[(table["label"] == "ours") | (table["repeat"] == 0)]
    path = write_report(table, make_study(["ours", "theirs"], ["a"]), tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    assert page.count("<small>1 of 2 repeats</small>") == 1


def test_one_method_one_data_set_one_repeat_make_a_page_with_reasons(tmp_path):
    table = make_table({"puhrf": 0.7}, ["wine-rare"], repeats=1)
    study = make_study(["puhrf"], ["wine-rare"], repeats=1)
    page = write_report(table, study, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "a single repeat has no spread" in page
    assert "ranks need two data sets" in page
    assert "Tests need two data sets and two methods" in page
    assert re.findall(r'<svg [^>]*aria-label="([^"]*)"', page) == ["Data sets"]
    assert "± 0.000" not in page


@pytest.mark.parametrize("left", ["oracle", "failed", "nothing"])
def test_a_table_without_anything_to_compare_makes_a_page(left, tmp_path):
    table = make_table({"puhrf": 0.7, "xgb": 0.9}, ["a"], repeats=1, broken=("puhrf", "xgb"))
    if left == "oracle":
        table = make_table({"xgb": 0.9}, ["a"], repeats=1)
    table = table.iloc[:0] if left == "nothing" else table
    path = write_report(table, make_study(["puhrf", "xgb"], ["a"]), tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    assert ("No trial came to an end" in page) == (left != "oracle")


def test_dollars_in_names_are_no_formulas(tmp_path):
    table = make_table({r"$\bad$": 0.5, "b$": 0.6}, ["$x$"], repeats=1)
    study = make_study([r"$\bad$", "b$"], ["$x$"])
    page = write_report(table, study, tmp_path / "report.html").read_text(encoding="utf-8")
    assert r">$\bad$</text>" in page


def test_differences_to_a_published_mean_are_counted_on_its_data_sets_alone(tmp_path):
    paper, means = list_datasets("paper"), {"puhrf": 0.7, "naive-xgb": 0.6}
    published = tmp_path / "printed.csv"
    published.write_text(
        "dataset,mechanism,hidden,method,metric,value,deviation\n"
        "paper,scar,0.75,puhrf,average_precision,0.52,0.09\n"
        "paper,sar,0.75,puhrf,average_precision,0.45,0.06\n"
    )
    study = make_study(means, paper, published=published)
    row = summarize(make_table(means, paper), study).metrics[METRIC].rows[0]
    for score, mean in zip(row.scores, (0.52, 0.45), strict=True):  # "sar" is that of sar-far
        assert score.published.mean == mean
        assert score.difference == pytest.approx(score.mean - mean)
    others = make_table(means, paper[1:])
    row = summarize(others, study).metrics[METRIC].rows[0]
    assert {score.difference for score in row.scores} == {None}
    page = write_report(others, study, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "no average precision was published for these methods on these data sets" in page


def test_the_data_in_the_page_has_the_tests_against_the_best(page):
    data = json.loads(re.search(r'id="summary">(.*?)</script>', page, re.DOTALL)[1])
    friedman = data["metrics"][METRIC]["tests"]["friedman"]
    assert friedman["n_methods"] == 3
    assert friedman["iman_davenport"] is None  # infinite: one order in every block


def test_the_summary_has_tests_against_the_best_and_the_baseline():
    table = make_table(MEANS, DATASETS)
    found = summarize(table, make_study(MEANS, DATASETS))
    tests = found.metrics[METRIC].tests
    assert tests.ranks[0].label == "puhrf"
    assert [row.best for row in tests.ranks] == [True, False, False]
    assert tests.friedman.n_methods == 3
    assert tests.friedman.iman_davenport == np.inf  # one order in every block
    over = {row.label: row.over_baseline for row in tests.ranks}
    assert over["naive-xgb"] is None
    assert over["puhrf"].low <= over["puhrf"].mean <= over["puhrf"].high
    assert over["puhrf"].mean == pytest.approx(0.2, abs=0.01)
    assert found.versions == sorted(set(table["versions"]))


def test_a_mean_over_the_repeats_that_went_well_is_not_the_best():
    # "lucky" is worse, but fails where it would be worst.
    rows = []
    for label, level in (("ours", 0.5), ("lucky", 0.4)):
        for dataset in DATASETS:
            for repeat in range(4):
                bad = label == "lucky" and repeat < 3 and dataset != DATASETS[0]
                value = level + 0.2 * (repeat == 3)
                where = dataset, *SETTINGS[0], label, label, 1.0, repeat, METRIC
                end = (float("nan"), 0.1, "failed", "why") if bad else (value, 0.1, "ok", "")
                rows.append(Row(*where, *end, f"{label}{dataset}{repeat}", "lopsided 0"))
    means = {"ours": 0.5, "lucky": 0.4}
    study = make_study(means, DATASETS, repeats=4)
    found = summarize(make_result_table(rows), study).metrics[METRIC]
    scores = {row.label: row.scores[0] for row in found.rows}
    assert scores["lucky"].mean > scores["ours"].mean
    assert scores["lucky"].partial
    assert scores["lucky"].place is None
    assert not scores["ours"].partial
    assert found.tests.dropped == ["lucky"]
