import re
from pathlib import Path

import pytest
from page_blocks import run_all, settle

from lopsided import list_methods

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "choosing.md"
TEXT = PAGE.read_text(encoding="utf-8")
TABLES = TEXT.partition("## When the naive")[0]
LINES = re.findall(r"^\| (?!you |---)(.*) \|$", TABLES, re.MULTILINE)


def read_target(path):
    return (DOCS / path.partition("#")[0]).resolve().read_text(encoding="utf-8")


def list_figures(text):
    """Return the decimal numbers of a text, those of code and links left out."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)
    return re.findall(r"(?<![\d.,])\d+\.\d+(?![\d,])", text)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.partition(" |")[0])
def test_every_figure_of_a_line_stands_on_a_page_that_it_links(line):
    _, _, reason = line.split(" | ", maxsplit=2)
    links = re.findall(r"\]\(([^)]+\.md[^)]*)\)", reason)
    assert links, "a reason rests on a page"
    figures = list_figures(reason)
    pages = "".join(read_target(path) for path in links)
    assert [figure for figure in figures if figure not in pages] == []


def test_most_lines_have_figures():
    assert len(LINES) > 20
    assert sum(bool(list_figures(line)) for line in LINES) >= len(LINES) - 1


def test_every_method_that_is_named_is_one():
    named = set(re.findall(r"`((?:[a-z]+-)+[a-z]+|focused|catboost)`", TEXT))
    known = {*list_methods(), *list_methods("peer")}
    assert named - known == set()
    assert len(named) > 8


def test_the_figures_on_the_naive_baseline_are_those_of_the_arena():
    text = read_target("arena.md").partition("With 10 %")[0]
    cells = {
        name: re.search(rf"^\| `{name}` \| (.*) \|$", text, re.MULTILINE)[1].replace("*", "")
        for name in ("focused", "naive-forest")
    }
    focused, naive = (cells[name].split(" | ") for name in ("focused", "naive-forest"))
    said = TEXT.partition("## When the naive")[2].partition("In ADBench's field")[0]
    for place in (1, 4, 5, 6):
        assert f"{naive[place]}\nand {focused[place]}" in said or (
            f"{naive[place]} and {focused[place]}" in said
        )


def test_the_page_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for printed, said in run_all(TEXT, PAGE):
        assert settle(printed, said) == (said or ""), (
            "run: python tests/page_blocks.py docs/choosing.md"
        )
