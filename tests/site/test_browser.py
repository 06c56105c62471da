"""The site in a real browser, from a folder without a server, and its search from one."""

import json
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

MAIN = [
    "index.html",
    "install.html",
    "journey.html",
    "methods.html",
    "deciding.html",
    "reproduction.html",
    "results/selection.html",
    "api/index.html",
    "api/command_line.html",
    "api/generated/lopsided.FocusedClassifier.html",
    "auto_examples/index.html",
    "changelog.html",
]
OUTPUTS = ["ten_minutes.html", "journey.html", "choosing.html", "tables.html"]
TABLES = ["arena.html", "reproduction.html", "results/generality.html", "results/priors.html"]
PHONE, DESK, WIDE = 390, 1280, 1400


def resize(browser, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.fixture
def open_page(browser, site):
    """Open a page of the site as wide as wanted, with a reader's choice of a theme."""

    def open_one(name, width=DESK, theme="light", query=""):
        resize(browser, width)
        browser.get((site / name).as_uri() + query)
        for _ in range(10):  # a busy browser stores late
            browser.execute_script(
                "for (const key of ['mode', 'theme']) localStorage.setItem(key, arguments[0])",
                theme,
            )
            forget_logs(browser)
            browser.refresh()
            if browser.execute_script("return document.documentElement.dataset.theme") == theme:
                break
        return browser

    return open_one


def forget_logs(browser):
    for kind in ("browser", "performance"):
        browser.get_log(kind)


def wait_until(browser, says, seconds=15):
    """Return what a function says of a page as soon as it says something."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds).until(says)


def wait_for(browser, script):
    """Return what a script says as soon as it says something."""
    return wait_until(browser, lambda page: page.execute_script(script))


def list_requests(browser):
    """Return the addresses that a browser has asked for."""
    messages = [
        json.loads(entry["message"])["message"] for entry in browser.get_log("performance")
    ]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def list_complaints(browser):
    """Return the warnings and errors in the console."""
    entries = browser.get_log("browser")
    return [entry["message"] for entry in entries if entry["level"] in ("WARNING", "SEVERE")]


@pytest.mark.parametrize("name", MAIN)
def test_a_page_opens_without_an_error_and_asks_the_network_for_nothing(open_page, name):
    page = open_page(name)
    assert page.execute_script("return document.querySelector('h1').innerText")
    asked = list_requests(page)
    assert len(asked) > 3
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert list_complaints(page) == []


@pytest.mark.parametrize("name", MAIN)
def test_no_page_scrolls_sideways_on_a_phone(open_page, name):
    page = open_page(name, PHONE)
    wide = page.execute_script("return document.documentElement.scrollWidth")
    assert wide <= PHONE


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_block_scrolls_by_keyboard_and_breaks_no_line(open_page, name, width):
    page = open_page(name, width)
    script = """
    return [...document.querySelectorAll(".highlight-text pre")].map((block) => {
      const range = document.createRange();
      range.selectNodeContents(block);
      const drawn = [...range.getClientRects()].filter((box) => box.width > 0).length;
      const written = block.textContent.split("\\n").filter((line) => line.trim()).length;
      const scrolls = block.scrollWidth > block.clientWidth;
      return {drawn, written, reached: !scrolls || block.tabIndex === 0, scrolls};
    });
    """
    blocks = page.execute_script(script)
    assert any(block["scrolls"] for block in blocks)
    assert [block["drawn"] for block in blocks] == [block["written"] for block in blocks]
    assert all(block["reached"] for block in blocks)


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("name", TABLES)
def test_a_wide_table_stays_a_table_in_a_region_that_a_keyboard_scrolls(open_page, name, width):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page = open_page(name, width)
    wide = """
    const tables = [...document.querySelectorAll("article table")];
    return tables.filter((table) => table.parentElement.clientWidth < table.scrollWidth
      || table.clientWidth < table.scrollWidth).map((table) => [
        getComputedStyle(table).display,
        ...["tabindex", "role", "aria-label"].map((key) =>
          table.parentElement.getAttribute(key)),
      ]);
    """
    wait_for(page, "return document.querySelector('[role=region]') !== null")
    tables = page.execute_script(wide)
    assert {tuple(table[:3]) for table in tables} == {("table", "0", "region")}
    labels = [table[3] for table in tables]
    assert all(labels)
    assert len(set(labels)) == len(labels)
    page.execute_script("document.querySelector('article [role=region]').focus()")
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
    wait_for(page, "return document.activeElement.scrollLeft > 0")


def test_the_menu_of_a_phone_opens_and_leads_on(open_page):
    page = open_page("index.html", PHONE)
    shown = """
    const links = [...document.querySelectorAll("a")].filter((link) => link.checkVisibility());
    return links.filter((link) => link.innerText.trim() === "Guides"
      && link.getBoundingClientRect().left >= 0 && link.getBoundingClientRect().width > 0);
    """
    assert page.execute_script(shown) == []
    page.find_element("css selector", "button.primary-toggle").click()
    (link,) = wait_for(page, shown)
    link.click()
    assert wait_for(page, "return document.title").startswith("Guides")


CONTRAST = """
const parse = (color) => color.match(/[\\d.]+/g).map(Number);
const shade = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
  .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
  .reduce((sum, x, at) => sum + x * [0.2126, 0.7152, 0.0722][at], 0);
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
return arguments[0].flatMap((selector) => [...document.querySelectorAll(selector)])
  .filter((element) => element.checkVisibility() && element.textContent.trim())
  .map((element) => {
    const style = getComputedStyle(element);
    const word = parse(element instanceof SVGElement ? style.fill : style.color);
    const [low, high] = [shade(word), shade(ground(element))].sort((a, b) => a - b);
    return [element.textContent.trim().slice(0, 40), (high + 0.05) / (low + 0.05)];
  });
"""
WORDS = ["article p", "article h1", "article a", "article pre span", "article code", "svg text"]
WORDS += ["nav a", "article th", "article td"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "methods.html", "api/command_line.html"])
def test_words_stand_out_in_either_theme(open_page, name, theme):
    page = open_page(name, theme=theme)
    assert page.execute_script("return document.documentElement.dataset.theme") == theme
    measured = page.execute_script(CONTRAST, WORDS)
    assert len(measured) > 20
    faint = [(word, round(ratio, 2)) for word, ratio in measured if ratio < 4.5]  # of WCAG's AA
    assert faint == []


def test_the_button_turns_the_page_dark(open_page):
    page = open_page("index.html")
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = page.execute_script(ground)
    page.find_element("css selector", ".theme-switch-button").click()
    shown = "return [...document.querySelectorAll('button[data-mode=dark]')]"
    wait_for(page, f"{shown}.find((button) => button.checkVisibility())").click()
    wait_for(page, "return document.documentElement.dataset.theme === 'dark'")
    assert page.execute_script(ground) != before

    def stays_dark(page):
        page.refresh()
        return page.execute_script("return document.documentElement.dataset.theme") == "dark"

    wait_until(page, stays_dark)  # a busy browser stores late


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("focused", "focused.html"),
        ("prior", "lopsided.priors.estimate_prior.html"),
        ("BoostedRiskClassifier", "lopsided.BoostedRiskClassifier.html"),
    ],
)
def test_search_finds_words_and_names(open_page, words, wanted):
    page = open_page("search.html", query=f"?q={words}")
    links = """
    return [...document.querySelectorAll("#search-results ul.search li a")].map((a) => a.href);
    """
    wait_for(
        page, "return /found|match/i.test(document.querySelector('#search-results').innerText)"
    )
    found = page.execute_script(links)
    assert any(link.partition("?")[0].partition("#")[0].endswith(wanted) for link in found), (
        found
    )
    assert list_complaints(page) == []


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("prior", "words.html"),
        ("prevalence", "words.html"),
        ("custom risk", "extend.html"),
        ("score new data", "ten_minutes.html"),
        ("load", "lopsided.load.html"),
        ("BoostedRiskClassifier", "lopsided.BoostedRiskClassifier.html"),
    ],
)
def test_search_puts_guides_above_members_and_a_name_above_all(open_page, words, wanted):
    page = open_page("search.html", query=f"?q={words.replace(' ', '+')}")
    first = "return document.querySelector('#search-results ul.search li a')?.href"
    assert wait_for(page, first).partition("?")[0].partition("#")[0].endswith(f"/{wanted}")


def test_search_for_a_word_that_is_nowhere_finds_nothing(open_page):
    page = open_page("search.html", query="?q=qwertzuiop")
    wait_for(page, "return /did not match/i.test(document.body.innerText)")
    assert page.find_elements("css selector", "#search-results ul.search li") == []


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def serve(folder):
    """Serve a folder on this machine; give the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_search_on_a_server_shows_where_its_words_stand(browser, site):
    resize(browser, DESK)
    with serve(site) as address:
        forget_logs(browser)
        browser.get(f"{address}/search.html?q=custom+risk")
        shown = (
            "return document.querySelector('#search-results ul.search li p.context')?.innerText"
        )
        assert "risk" in wait_for(browser, shown).lower()
        first = "return document.querySelector('#search-results ul.search li a').href"
        assert f"{address}/extend.html" in browser.execute_script(first)
        known = (address, "data:")
        assert [url for url in list_requests(browser) if not url.startswith(known)] == []
        assert list_complaints(browser) == []
