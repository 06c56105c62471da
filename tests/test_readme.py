import re
from pathlib import Path

import pytest
from page_blocks import list_blocks, list_commands, run_python

from lopsided.cli import build_parser
from lopsided.methods import registry

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
    assert len(list(run_python(README, "README.md"))) == 4
    assert (tmp_path / "claims.lop").exists()


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
    told = re.findall(r"^\| `(\w+)` \| .*", README.partition("## Methods")[0], re.MULTILINE)
    assert told == ["rank", "id", "score", "probability", "reasons"]
