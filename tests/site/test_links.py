"""Every link, anchor, image, style and script of the site is there, and none is elsewhere."""

import re

import pytest
from site_pages import find_target, is_outside, read_site


@pytest.fixture(scope="module")
def pages(site):
    return read_site(site)


def get_anchors(pages, target):
    """Return the anchors of a page; a file that is none has no anchors."""
    return pages[target].anchors if target in pages else set()


def find_broken(pages):
    """Return each link of each page that leads nowhere."""
    there = {path for folder in {path.parent for path in pages} for path in folder.rglob("*")}
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            if is_outside(link):
                continue
            target, anchor = find_target(path, link)
            if target not in there or (anchor and anchor not in get_anchors(pages, target)):
                broken.append(f"{path.name}: {link}")
    return broken


def test_every_internal_link_anchor_and_image_is_there(pages):
    assert len(pages) > 200
    assert sum(len(page.links) for page in pages.values()) > 5000
    assert find_broken(pages) == []


def test_a_broken_link_an_anchor_and_an_image_would_be_found(tmp_path):
    (tmp_path / "b.html").write_text("<p id='here'>")
    (tmp_path / "a.html").write_text(
        "<a href='b.html#here'></a><a href='#gone'></a><a href='b.html#gone'></a>"
        "<a href='c.html'></a><img src='d.png'><a href='https://example.org'></a>"
    )
    found = find_broken(read_site(tmp_path))
    assert found == ["a.html: #gone", "a.html: b.html#gone", "a.html: c.html", "a.html: d.png"]


def test_every_page_is_reached_from_the_front_page(pages, site):
    seen, to_visit = set(), [site / "index.html"]
    while to_visit:
        path = to_visit.pop()
        if path in seen or path not in pages:
            continue
        seen.add(path)
        to_visit += [
            find_target(path, link)[0] for link in pages[path].links if not is_outside(link)
        ]
    assert {path.name for path in set(pages) - seen} <= {"genindex.html", "py-modindex.html"}


def test_no_page_style_or_script_loads_anything_from_elsewhere(pages, site):
    assert [link for page in pages.values() for link in page.loaded if is_outside(link)] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    elsewhere = re.findall(r"(?:@import\s+|url\(\s*)[\"']?((?:https?:)?//[^\"')]+)", styles)
    assert elsewhere == []


def test_formulas_are_mathml(pages, site):
    text = (site / "api/generated/lopsided.risks.PURisk.html").read_text(encoding="utf-8")
    assert text.count("<math") >= 5
    assert not list(site.rglob("*mathjax*"))
