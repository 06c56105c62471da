"""The report in a real browser: what is clicked, seen and run."""

import json
from itertools import product

import pytest

from lopsided_bench.page import write_report
from lopsided_bench.study import MethodSpec, Setting, Study
from lopsided_bench.table import Row, make_result_table

ATTACK = "<script>alert(1)</script>"
METRIC = "average_precision"
SETTINGS = (Setting("scar", 0.75), Setting("sar-far", 0.75))
# As words, 10 comes before 2 and 100 before 9.
SECONDS = {"naive-xgb": 2.0, "puhrf": 10.0, "spy": 9.5, ATTACK: 100.0}
MEANS = {"naive-xgb": 0.5, "puhrf": 0.7, "spy": 0.4, ATTACK: 0.6}
DATASETS = ("thyroid", "cardio", ATTACK)
TITLES = ["Spread over repeats", "Average ranks", "Data sets", "Quality against time"]
TITLES += ["Wrong priors"]


def make_table():
    rows = []
    for label, dataset, setting, factor, repeat in product(
        MEANS, DATASETS, SETTINGS, (0.5, 1.0), range(3)
    ):
        value = MEANS[label] + 0.03 * repeat + 0.01 * DATASETS.index(dataset)
        where = (dataset, *setting, label, label, factor, repeat)
        rows.append(
            Row(*where, METRIC, value, SECONDS[label], "ok", "", f"{len(rows)}", "lopsided 0")
        )
    return make_result_table(rows)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    study = Study(
        name="small",
        title=ATTACK,
        datasets=DATASETS,
        settings=SETTINGS,
        methods=tuple(MethodSpec(label, "naive-xgb") for label in MEANS),
        metrics=(METRIC,),
        repeats=3,
        prior_factors=(0.5, 1.0),
    )
    return write_report(make_table(), study, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def page(browser, path):
    """The page in a wide window."""
    resize(browser, 1280)
    browser.get(path.as_uri())
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    browser.refresh()
    return browser


def resize(browser, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def find_all(page, selector):
    return page.find_elements("css selector", selector)


def read_column(table, number):
    cells = table.find_elements("css selector", f"tbody tr > :nth-child({number})")
    return [cell.text for cell in cells]


def click_header(table, number):
    header = table.find_elements("css selector", "thead th")[number - 1]
    header.find_element("css selector", "button").click()
    return header.get_attribute("aria-sort")


def test_a_click_sorts_rows_by_number_and_the_next_turns_them_over(page):
    table = page.find_element("css selector", "#time table")
    before = dict(zip(read_column(table, 1), read_column(table, 2), strict=True))
    assert click_header(table, 2) == "descending"
    assert [float(text) for text in read_column(table, 2)] == [100.0, 10.0, 9.5, 2.0]
    assert read_column(table, 1) == [ATTACK, "puhrf", "spy", "naive-xgb"]
    assert click_header(table, 2) == "ascending"
    assert [float(text) for text in read_column(table, 2)] == [2.0, 9.5, 10.0, 100.0]
    # Rows move as a whole.
    assert dict(zip(read_column(table, 1), read_column(table, 2), strict=True)) == before


def test_a_cell_without_a_number_stays_last_in_either_order(page):
    table = find_all(page, "#metric-0 table")[-1]
    assert table.find_element("css selector", "thead").text.startswith("Method")
    for order in ("descending", "ascending"):
        assert click_header(table, 3) == order
        shown = read_column(table, 3)
        assert shown[-1] == "–"  # noqa: RUF001, as the page writes it
        numbers = [float(text) for text in shown[:-1]]
        assert numbers == sorted(numbers, reverse=order == "descending")


def test_every_figure_is_drawn_and_no_word_of_it_is_cut_off(page):
    script = """
    return Array.from(document.querySelectorAll("figure svg"), (svg) => {
      const box = svg.getBoundingClientRect();
      const words = Array.from(svg.querySelectorAll("text"), (text) => {
        const inner = text.getBoundingClientRect();
        const out = Math.max(box.left - inner.left, inner.right - box.right,
                             box.top - inner.top, inner.bottom - box.bottom);
        return [text.textContent, inner.width * inner.height, out];
      });
      return {title: svg.getAttribute("aria-label"), width: box.width, height: box.height,
              seen: svg.checkVisibility(), paths: svg.querySelectorAll("path").length, words};
    });
    """
    figures = page.execute_script(script)
    assert [figure["title"] for figure in figures] == TITLES
    headings = [heading.text for heading in find_all(page, "h3")]
    assert [title for title in headings if title in TITLES] == TITLES
    for figure in figures:
        assert figure["seen"]
        assert min(figure["width"], figure["height"]) > 100
        assert figure["paths"] > 5
        words = [word for word in figure["words"] if word[0].strip()]
        assert any(ATTACK in text for text, _, _ in words)
        assert min(area for _, area, _ in words) > 0
        # Another font than the one that was measured with may be a little wider.
        assert max(out for _, _, out in words) < 10, figure["title"]


def test_the_page_loads_nothing_and_has_nothing_to_complain_of(page, path):
    assert page.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert path.as_uri() in asked
    assert {url for url in asked if not url.startswith("data:")} == {path.as_uri()}


@pytest.mark.parametrize("width", [400, 1280])
def test_only_tables_and_figures_scroll_sideways(page, width):
    resize(page, width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    for link in find_all(page, "nav a"):
        link.click()
        heading = page.find_element("id", link.get_attribute("href").partition("#")[2])
        assert -1 <= heading.rect["y"] - page.execute_script("return scrollY") < 900
