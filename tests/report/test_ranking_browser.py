"""The page on a ranking in a real browser: what is clicked, typed, seen, printed and run."""

import base64
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lopsided.report.ranking_page import write_ranking_report
from lopsided.report.ranking_summary import Notice, RankedRow, Reason
from lopsided.report.visible_text import make_visible

AXE = Path(sys.prefix) / "npm" / "node_modules" / "axe-core" / "axe.min.js"
PHONE, DESK = 360, 1280
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    'it\'s "quoted" `so` & so',
    "invoice\u202efdp.exe",
    "nul\x00 bell\x07 \x1b[31m",
    "half \ud83d",
    "👩‍👩‍👧 שלום Müller",
    "x" * 10_000,
    "",
)


@pytest.fixture(scope="module")
def summary(make_summary):
    return make_summary(120)


@pytest.fixture(scope="module")
def path(summary, tmp_path_factory):
    return write_ranking_report(summary, tmp_path_factory.mktemp("page") / "ranking.html")


@pytest.fixture(scope="module")
def hostile(make_summary, tmp_path_factory):
    rows = [
        RankedRow(
            rank,
            text,
            1.0 / rank,
            0.5 / rank,
            tuple(Reason(text, text, sign) for sign in (1.0, -1.0)),
            tuple(HOSTILE[(rank + at) % len(HOSTILE)] for at in range(len(HOSTILE))),
        )
        for rank, text in enumerate(HOSTILE, 1)
    ]
    full = make_summary(1)
    summary = replace(
        full,
        title=HOSTILE[0],
        headline=" ".join(HOSTILE[:5]),
        columns=HOSTILE,
        rows=tuple(rows),
        rest=HOSTILE[9],
        warnings=tuple(Notice("warning", text) for text in HOSTILE),
        features=tuple(
            replace(one, name=text, direction=text)
            for one, text in zip(full.features, HOSTILE, strict=False)
        ),
        made=dict(zip(HOSTILE, HOSTILE, strict=True)),
        cleaning=dict(zip(HOSTILE, HOSTILE, strict=True)),
    )
    return write_ranking_report(summary, tmp_path_factory.mktemp("hostile") / "page.html")


@pytest.fixture
def show(browser, forget):
    """Open a page as a reader sees it for the first time."""

    def open_page(path, width=DESK, theme="light"):
        prefer(browser, theme)
        resize(browser, width)
        browser.get(path.as_uri())
        forget(browser)
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.refresh()
        return browser

    return open_page


def prefer(browser, theme, media=""):
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": features, "media": media}
    )


def resize(browser, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def press(browser, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def read_rows(page, column=None):
    """Return the texts of the rows that are seen, or of one of their cells (from 1)."""
    script = """
    return Array.from(document.querySelectorAll("#ranking tbody tr"))
      .filter((row) => row.checkVisibility())
      .map((row) => (arguments[0] ? row.cells[arguments[0] - 1] : row).textContent);
    """
    return page.execute_script(script, column)


def find_header(page, words):
    for header in page.find_elements("css selector", "#ranking thead th"):
        if header.text == words:
            return header
    raise AssertionError(words)


def sort_by(page, words):
    header = find_header(page, words)
    button = header.find_element("css selector", "button")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    marks = [
        one.get_attribute("aria-sort")
        for one in page.find_elements("css selector", "#ranking thead th")
    ]
    assert sorted(set(marks)) in (["ascending", "none"], ["descending", "none"])
    assert len(marks) - marks.count("none") == 1
    return header.get_attribute("aria-sort")


def place_of(page, words):
    return find_header(page, words).get_property("cellIndex") + 1


def test_every_column_sorts_the_rows_by_what_it_holds(show, path, summary):
    page = show(path)
    page.find_element("id", "all").click()
    script = """
    return Array.from(document.querySelectorAll("#ranking thead button"), (button) => {
      const header = button.closest("th");
      const orders = [1, 2].map(() => {
        button.click();
        const rows = Array.from(header.closest("table").tBodies[0].rows);
        return [header.ariaSort, rows.map((row) => row.cells[header.cellIndex].textContent)];
      });
      return [button.textContent, Object.fromEntries(orders)];
    });
    """
    found = page.execute_script(script)
    names = ["Rank", "Row", "Probability", "Reasons", "Score", *summary.columns]
    assert [words for words, _ in found] == names
    for words, orders in found:
        assert set(orders) == {"ascending", "descending"}
        for order, cells in orders.items():
            known = [cell for cell in cells if cell]
            assert cells == known + [""] * (len(cells) - len(known))  # blank ones last
            assert len(set(known)) > 2
            keys = known
            if words not in ("Row", "Reasons", "region", "channel", "repair_shop", "date"):
                plain = [cell.replace(",", "").replace("\N{MINUS SIGN}", "-") for cell in known]
                if re.fullmatch(r"[-\d.]+( %)?", plain[0]):
                    keys = [float(cell.removesuffix(" %")) for cell in plain]
            elif words in ("Reasons", "repair_shop", "channel"):
                keys = [cell.casefold() for cell in known]  # as people sort words
            assert keys == sorted(keys, reverse=order == "descending"), words
    assert sort_by(page, "Rank") == "descending"
    assert sort_by(page, "Rank") == "ascending"
    ids = [text.removesuffix("More") for text in read_rows(page, 2)]
    assert ids == [row.id for row in summary.rows]


def test_rows_move_as_a_whole_and_a_page_holds_the_first_of_the_new_order(show, path, summary):
    page = show(path)
    assert len(read_rows(page)) == 50
    place = place_of(page, "amount")
    sort_by(page, "amount")
    highest = sorted((float(row.cells[0]) for row in summary.rows), reverse=True)
    assert [float(text) for text in read_rows(page, place)] == highest[:50]
    owner = {row.id: row.cells[0] for row in summary.rows}
    ids = [text.removesuffix("More") for text in read_rows(page, 2)]
    assert [owner[one] for one in ids] == read_rows(page, place)


def test_a_filter_shows_rows_with_all_of_its_words_from_the_whole_list(show, path, summary):
    page = show(path)
    status, box = page.find_element("id", "shown"), page.find_element("id", "filter")
    assert status.text == "50 of 120 rows shown"
    box.send_keys("müller FLEET")
    wanted = [
        row.id
        for row in summary.rows
        if "Karosserie Müller" in row.cells and "fleet" in row.cells
    ]
    found = [text.removesuffix("More") for text in read_rows(page, 2)]
    assert found == wanted
    assert summary.rows[60].rank < max(int(rank) for rank in read_rows(page, 1))
    assert status.text == f"{len(wanted)} of 120 rows match"
    box.clear()
    box.send_keys("no such words")
    assert read_rows(page) == []
    assert status.text == "0 of 120 rows match"
    box.clear()
    box.send_keys(" ")
    assert len(read_rows(page)) == 50


def test_more_rows_come_when_they_are_asked_for(show, path):
    page = show(path)
    more = page.find_element("id", "more")
    assert more.text == "Show 50 more rows"
    more.click()
    assert len(read_rows(page)) == 100
    assert more.text == "Show 20 more rows"
    page.find_element("id", "all").click()
    assert len(read_rows(page)) == 120
    assert not more.is_displayed()


def test_a_page_without_scripts_shows_all_rows_and_no_tools(show, path, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page = show(path)
        tree = page.find_elements("css selector", "#ranking tbody tr")
        assert len(tree) == 120
        assert tree[-1].is_displayed()
        assert not page.find_element("id", "filter").is_displayed()
        assert not page.find_element("id", "more").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def read_ground(page):
    script = "return getComputedStyle(document.body).backgroundColor"
    return sum(map(int, re.findall(r"\d+", page.execute_script(script))[:3])) / (3 * 255)


def test_the_theme_follows_the_system_until_it_is_chosen_and_is_kept(show, path, eventually):
    page = show(path, theme="dark")
    assert eventually(lambda: read_ground(page) < 0.2)
    page.find_element("id", "theme").click()
    assert eventually(lambda: read_ground(page) > 0.9)
    assert eventually(lambda: page.refresh() or read_ground(page) > 0.9)


@pytest.mark.parametrize("width", [PHONE, 700, 1000])
@pytest.mark.parametrize("kind", ["usual", "hostile"])
def test_the_page_itself_never_scrolls_sideways(show, path, hostile, kind, width):
    page = show(path if kind == "usual" else hostile, width)
    page.execute_script(
        "document.querySelectorAll('details').forEach((one) => one.open = true)"
    )
    page.execute_script(
        "document.querySelectorAll('button.open').forEach((one) => one.click())"
    )
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    # Nothing sticks out but inside of what scrolls.
    script = """
    return Array.from(document.querySelectorAll("main *")).filter((one) =>
      one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1 &&
      !one.closest(".wide, thead, nav")).map((one) => one.outerHTML.slice(0, 120));
    """
    assert page.execute_script(script) == []


@pytest.mark.parametrize("kind", ["usual", "hostile"])
def test_cards_on_a_phone_have_no_header_but_buttons_that_sort(show, path, hostile, kind):
    page = show(path if kind == "usual" else hostile, PHONE)
    script = """
    return Array.from(document.querySelectorAll("#ranking *")).filter((one) =>
      one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1
      ).map((one) => one.outerHTML.slice(0, 120));
    """
    assert page.execute_script(script) == []
    shown = [one.text for one in page.find_elements("css selector", "#ranking thead button")]
    assert 3 <= len(list(filter(None, shown))) <= 5
    first = read_rows(page)[0]
    assert sort_by(page, "Rank") == "descending"
    assert read_rows(page)[0] != first


def test_a_card_on_a_phone_opens_its_reasons_and_cells(show, path, summary):
    page = show(path, PHONE)
    row = page.find_element("css selector", "#ranking tbody tr")
    chips = row.find_elements("css selector", ".reasons li")
    cell = row.find_elements("css selector", "td")[-1]
    assert [chip.is_displayed() for chip in chips] == [True, False, False]
    assert not cell.is_displayed()
    button = row.find_element("css selector", "button.open")
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert all(chip.is_displayed() for chip in chips)
    assert cell.is_displayed()
    script = "return getComputedStyle(arguments[0], '::before').content"
    assert summary.columns[-1] in page.execute_script(script, cell)
    button.click()
    assert not cell.is_displayed()
    resize(page, DESK)
    assert cell.is_displayed()
    assert not button.is_displayed()


def test_paper_has_every_row_and_number_on_white_and_cuts_no_table(show, path, hostile):
    page = show(path, theme="dark")
    count = "window.folded = document.querySelectorAll('details:not([open])').length"
    page.execute_script(f"addEventListener('beforeprint', () => {{ {count}; }})")
    page.execute_script("document.getElementById('filter').focus()")
    assert page.execute_script("return document.querySelectorAll('details').length") >= 3
    many = print_pages(page)
    assert page.execute_script("return window.folded") == 0
    assert page.execute_script("return document.querySelectorAll('details[open]').length") == 0
    page.find_element("id", "filter").send_keys("müller fleet")
    assert 2 <= print_pages(page) < many  # what was filtered out is not printed
    page.find_element("id", "filter").clear()
    page.find_element("id", "filter").send_keys(" ")
    for width in (718, 1047):  # A4, upright and across
        resize(page, width)
        prefer(page, "dark", "print")
        try:
            assert read_ground(page) > 0.9
            assert len(read_rows(page)) == 120
            script = """
            return Math.max(...Array.from(document.querySelectorAll("main *"),
              (one) => one.getBoundingClientRect().right));
            """
            assert page.execute_script(script) <= width
        finally:
            prefer(page, "light")
    show(hostile)
    assert print_pages(page) >= 2


def test_paper_has_the_evidence_and_then_the_rows_down_to_the_stop(
    show, make_summary, tmp_path
):
    summary = make_summary(1000)
    page = show(write_ranking_report(summary, tmp_path / "long.html"))
    sort_by(page, "amount")
    assert 5 < print_pages(page) < 25  # 1,000 rows take 60
    prefer(page, "light", "print")
    try:
        ranks = sorted(map(int, read_rows(page, 1)))
        assert ranks == list(range(1, summary.finds.stop_at + 1))
        script = """
        const sections = [...document.querySelectorAll("main > section")];
        return sections.sort((one, two) =>
          one.getBoundingClientRect().top - two.getBoundingClientRect().top).map(({id}) => id);
        """
        order = page.execute_script(script)
        assert order[:2] == ["short", "finds"]
        assert order[-1] == "rows"
        header = "return getComputedStyle(document.querySelector('#ranking thead')).display"
        assert page.execute_script(header) == "table-header-group"  # repeated on every sheet
    finally:
        prefer(page, "light")


def test_paper_has_the_first_rows_where_no_stop_is_known(show, make_summary, tmp_path):
    summary = make_summary(120, finds=None)
    page = show(write_ranking_report(summary, tmp_path / "open.html"))
    prefer(page, "light", "print")
    try:
        assert len(read_rows(page)) == 50
    finally:
        prefer(page, "light")


def print_pages(page):
    """Print a page and return how many sheets it takes."""
    resize(page, DESK)
    pdf = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF")
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_all_can_be_done_by_keyboard_alone(show, path):
    from selenium.webdriver.common.keys import Keys

    page = show(path)

    def focused():
        return page.switch_to.active_element

    press(page, Keys.TAB)
    assert focused().text == "Skip to the content"
    assert focused().rect["x"] >= 0
    press(page, Keys.ENTER)
    assert focused().get_attribute("id") == "main"
    seen = []
    for _ in range(60):
        press(page, Keys.TAB)
        seen.append(focused().get_attribute("id") or focused().text)
        style = "return getComputedStyle(document.activeElement).outlineStyle"
        assert page.execute_script(style) != "none", seen[-1]
        if seen[-1] == "filter":
            press(page, "broker")
            some = len(read_rows(page))
            assert 0 < some < 50
            press(page, *[Keys.BACKSPACE] * 6)
            assert len(read_rows(page)) == 50
        if seen[-1] == "amount":
            press(page, Keys.ENTER)
            header = find_header(page, "amount")
            assert header.get_attribute("aria-sort") == "descending"
            assert focused().text == "amount"
            press(page, Keys.SPACE)
            assert header.get_attribute("aria-sort") == "ascending"
        if seen[-1] == "all":
            press(page, Keys.ENTER)
            assert len(read_rows(page)) == 120
            assert focused().get_attribute("aria-label") == "Ranked rows"
            break
    assert [one for one in seen if one in ("filter", "amount", "more", "all")] == [
        "filter",
        "amount",
        "more",
        "all",
    ]


@pytest.mark.parametrize("kind", ["usual", "hostile"])
def test_the_page_loads_nothing_and_has_nothing_to_complain_of(show, path, hostile, kind):
    file = path if kind == "usual" else hostile
    page = show(file)
    sort_by(page, "Rank")
    page.find_element("id", "filter").send_keys("<script>")
    page.find_element("id", "theme").click()
    assert page.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert asked == {file.as_uri()}


def test_hostile_names_and_cells_are_shown_and_nothing_of_them_runs(show, hostile):
    from selenium.common.exceptions import NoAlertPresentException

    page = show(hostile)
    with pytest.raises(NoAlertPresentException):
        _ = page.switch_to.alert
    counts = (
        "return ['script', 'img', 'iframe', 'a'].map((tag) => document.querySelectorAll(tag))"
    )
    scripts, images, frames, links = (len(one) for one in page.execute_script(counts))
    assert (scripts, images, frames) == (2, 0, 0)
    assert links == 1 + len(page.find_elements("css selector", "main section"))
    ids = [text.removesuffix("More") for text in read_rows(page, 2)]
    for shown, text in zip(ids, HOSTILE, strict=True):
        if len(text) < 60:
            assert shown == make_visible(text)
        else:
            assert shown.startswith("x" * 59 + "…")
            assert shown.endswith("and 9,400 more characters")
    assert page.title == HOSTILE[0]
    fold = page.find_element("css selector", "#ranking tbody td details")
    fold.find_element("css selector", "summary").click()
    assert "x" * 600 in fold.text


@pytest.fixture(scope="module")
def small(make_summary, tmp_path_factory):
    return write_ranking_report(make_summary(8), tmp_path_factory.mktemp("small") / "page.html")


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(show, small, theme, width):
    if not AXE.exists():
        pytest.skip("needs axe-core: npm install --prefix .venv/npm axe-core")
    page = show(small, width, theme)
    page.execute_script(
        "document.querySelectorAll('section > details').forEach((d) => d.open = 1)"
    )
    page.execute_script(AXE.read_text(encoding="utf-8"))
    script = "axe.run({resultTypes: ['violations']}).then(arguments[arguments.length - 1])"
    found = page.execute_async_script(script)
    assert found["passes"]
    assert [
        (one["id"], one["impact"], [node["html"][:150] for node in one["nodes"]][:3])
        for one in found["violations"]
    ] == []
