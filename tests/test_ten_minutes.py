import re
from pathlib import Path

from page_blocks import list_blocks, list_commands, run_all, settle

PAGE = Path(__file__).parents[1] / "docs" / "ten_minutes.md"
TEXT = PAGE.read_text(encoding="utf-8")
STEPS = ["check", "fit", "rank", "prior", "report", "feedback", "rank"]


def test_the_page_shows_what_comes_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for printed, said in run_all(TEXT, PAGE):
        assert settle(printed, said) == (said or ""), (
            "run: python tests/page_blocks.py docs/ten_minutes.md"
        )


def test_every_step_has_a_command_and_the_same_in_python():
    steps = re.split(r"^## \d\. ", TEXT, flags=re.MULTILINE)[1:]
    assert len(steps) == len(STEPS)
    for step, command in zip(steps, STEPS, strict=True):
        blocks = list_blocks(step)
        shell = [code for language, code, _ in blocks if language == "sh"]
        assert [words[0] for code in shell for words in list_commands(code)] == [command]
        python = "".join(code for language, code, _ in blocks if language == "python")
        assert re.search(rf"\b(lopsided|model|second)\.{command}\w*\(", python), command


def test_every_column_of_a_ranking_is_explained():
    told = re.findall(r"^- `(\w+)`: ", TEXT, re.MULTILINE)
    assert told == ["rank", "score", "probability", "reasons"]
