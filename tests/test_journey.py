import re
from pathlib import Path

import pandas as pd
import pytest
from page_blocks import list_blocks, list_commands, run_all, settle

from lopsided import TableCleaner

DOCS = Path(__file__).parents[1] / "docs"
COMMANDS = {"check", "fit", "rank", "explain", "report", "feedback", "prior", "compare"}


def read(name):
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["journey.md", "tables.md"])
def test_a_page_shows_what_comes_out(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for printed, said in run_all(read(name), DOCS / name):
        if said is not None:
            assert settle(printed, said) == said, (
                f"run: python tests/page_blocks.py docs/{name}"
            )


def test_the_journey_goes_through_every_command_and_does_it_in_python_too():
    blocks = list_blocks(read("journey.md"))
    shell = [words for kind, code, _ in blocks if kind == "sh" for words in list_commands(code)]
    python = "".join(code for kind, code, _ in blocks if kind == "python")
    assert {words[0] for words in shell} == COMMANDS
    for name in ("check", "fit", "rank", "explain", "report", "feedback", "prior", "load"):
        assert re.search(rf"\b(lopsided|model|second)\.{name}|{name}\(", python), name


def test_what_is_said_in_the_meeting_is_what_the_model_says():
    text = read("journey.md")
    shown, _, said = text.partition("### What to say")
    said = " ".join(said.split())
    assert '"In the first 100 claims we expect 43 frauds; 9 would' in said
    assert "The first 100 unlabeled rows should hold about 43 hidden positives" in shown
    assert "(90 % band 9 to 100)" in shown
    assert "Of the 23 frauds that we know, 14 stand in the first 100" in said
    assert "Of your 23 confirmed cases, scored blind, 14 stand in the first 100" in shown
    assert "has 7, and that difference is more than luck" in said
    assert "has 7 (the model finds more" in shown


def list_examples(kind):
    """Return the cells that the page says are of a kind."""
    row = re.search(rf"^\| (.*) \| {kind} \|", read("tables.md"), re.MULTILINE)
    return re.findall("`([^`]+)`", row[1])


@pytest.mark.parametrize(
    ("kind", "cell"),
    [(kind, cell) for kind in ("number", "date", "time") for cell in list_examples(kind)],
)
def test_cells_are_read_as_the_page_says(kind, cell):
    cleaner = TableCleaner().fit(pd.DataFrame({"a": [cell, ""] * 15}))
    assert cleaner.columns_[0].kind == kind


def test_a_command_over_several_lines_is_one_command():
    code = "# a note\nlopsided fit a.csv \\\n    -o 'b c.lop'  # keep it\nmake demo\n"
    assert list_commands(code) == [["fit", "a.csv", "-o", "b c.lop"]]


def test_a_page_that_lies_would_be_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = "```sh\nlopsided methods\n```\n\n```text\nnone\n```\n"
    ((printed, said),) = run_all(page)
    assert printed.startswith("focused ")
    assert said == "none\n"
    with pytest.raises(AssertionError, match=r"There is no file none\.csv"):
        list(run_all("```sh\nlopsided check none.csv --label y\n```\n"))


def test_numbers_of_a_page_may_differ_by_rounding_alone():
    said = "A share of 0.0055 (0.0029 to 0.023), 102 of 4,952 rows, 2 reviewed, 28 found\n"
    near = "A share of 0.0056 (0.0029 to 0.023), 103 of 4,951 rows, 2 reviewed, 29 found\n"
    assert settle(near, said) == said
    for far in ["0.0057 (0.0029", "0.0055 (0.0039"]:
        assert settle(said.replace("0.0055 (0.0029", far), said) != said
    for old, new in [
        ("102", "105"),
        ("2 rev", "3 rev"),
        ("28", "30"),
        ("rows", "lines"),
        (",", ";"),
    ]:
        assert settle(said.replace(old, new), said) != said
    assert settle("1 2 3\n", "1 2\n") == "1 2 3\n"
