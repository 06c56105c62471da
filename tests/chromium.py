"""A real browser for tests of pages, and what they ask of it."""

import shutil

import pytest


@pytest.fixture(scope="module")
def browser():
    """A real one, that reaches no network and keeps dialogs open."""
    names = filter(None, map(shutil.which, ("chromium", "chromium-browser")))
    binary, driver_path = next(names, None), shutil.which("chromedriver")
    if not (binary and driver_path):
        pytest.skip("needs Chromium: apt-get install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs Chromium and selenium")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    # A dialog stays open, so that a test can see it.
    options.unhandled_prompt_behavior = "ignore"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",  # root in a container has no other way; the page is our own
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(driver_path))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()
