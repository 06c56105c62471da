import re
from pathlib import Path

import pytest
from page_blocks import list_blocks, list_commands, run_python

from lopsided.methods import registry
from lopsided.workflow.cli import build_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture
def fast(monkeypatch):
    """Let the fast preset stand in for the default method, which takes half a minute here."""
    methods = [
        method._replace(params={"preset": "fast"}) if method.name == "focused" else method
        for method in registry.METHODS
    ]
    monkeypatch.setattr(registry, "METHODS", tuple(methods))


def test_the_python_of_the_readme_runs(fast, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(list(run_python(README, "README.md"))) == 2
    assert (tmp_path / "claims.lop").exists()
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_is_one(page):
    text = page.read_text(encoding="utf-8")
    parser = build_parser()
    for language, code, _ in list_blocks(text):
        for words in list_commands(code) if language == "sh" else ():
            parser.parse_args(words)
    names = set(parser._subparsers._group_actions[0].choices)
    inline = set(re.findall(r"`lopsided ([a-z]+)", text))
    assert inline <= names, inline - names


def test_the_readme_tells_the_columns_of_a_ranking():
    told = re.findall(r"^- `(\w+)`: ", README, re.MULTILINE)
    assert told == ["rank", "id", "score", "probability", "reasons"]


def test_a_newcomer_reads_it_in_two_minutes():
    headings = re.findall(r"^## (.*)$", README, re.MULTILINE)
    assert headings == ["Two commands", "Rank a table", "What was measured", "Where to go"]
    code = "".join(code for _, code, _ in list_blocks(README))
    prose = re.sub(r"```.*?```|^\|.*$|\]\([^)]*\)", "", README, flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) < 500  # about 250 words a minute
    assert len(code.splitlines()) < 30
    assert len(re.findall(r"^!\[", README, re.MULTILINE)) == 1
    assert len(re.findall(r"^\| ---", README, re.MULTILINE)) == 1


def test_the_two_commands_are_targets_of_the_makefile():
    block = README.partition("## Two commands")[2].partition("```sh\n")[2].partition("```")[0]
    targets = re.findall(r"^make (\w+)", block, re.MULTILINE)
    assert targets == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)


def test_every_method_is_on_the_page_of_methods_where_the_readme_sends_its_reader():
    methods = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    table = methods.partition("## All of them")[2].partition("\n## ")[0]
    names = set(registry.list_methods()) | set(registry.list_methods("true"))
    assert {name for name in names if f"`{name}`" not in table} == set()
    assert "(docs/methods.md)" in README


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)", README)
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link).exists()] == []
