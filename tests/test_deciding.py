import re
from pathlib import Path

import pytest
from page_blocks import list_python, run_python, settle

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "deciding.md"


def test_the_page_prints_what_it_says():
    for printed, said in run_python(PAGE.read_text(encoding="utf-8"), PAGE):
        if said is not None:
            assert settle(printed, said) == said


def test_every_question_has_code():
    asked = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    questions = [part for part in asked if part.partition("\n")[0].endswith("?")]
    assert len(questions) == 9
    for part in questions:
        assert list_python(part), part.partition("\n")[0]


def test_a_page_that_lies_would_be_found():
    page = "```python\na = 1\n```\n\n```python\nprint(a)\n```\n\n```text\n2\n```\n"
    assert list(run_python(page)) == [("", None), ("1\n", "2\n")]


def test_every_question_says_what_answers_it_for_a_table():
    asked = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for part in asked:
        question, _, said = part.partition("\n\n")
        if question.endswith("?"):
            assert said.startswith("With a table: "), question


def test_what_is_said_of_intervals_is_what_their_table_says():
    text = PAGE.read_text(encoding="utf-8")
    assert "| both, 10 % | default | 25 of 42 | 3 of 17, 18 % |" in text
    assert "| both, 10 % | right | 24 of 42 | 13 of 18, 72 % |" in text
    said = " ".join(text.split())
    assert (
        "of 25 of 42 cells that it cannot tell, and of the 17 others it is right in 3" in said
    )
    assert "it is in 13 of 18" in said
    steps = " ".join((ROOT / "docs" / "ten_minutes.md").read_text(encoding="utf-8").split())
    assert "3 of the 17 intervals that came without a warning held it" in steps
    assert "with a belief that was about right 13 of 18" in steps


@pytest.fixture(scope="module")
def rendering():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        import render_deciding

    return render_deciding


@pytest.fixture(scope="module")
def copy_table(rendering):
    return rendering.copy_table


def test_rounded_shares_are_turned_into_the_one_count_that_they_stand_for(rendering):
    assert rendering.count_cells(42, "60%", "18%") == (25, 17, 3)
    assert rendering.count_cells(70, "16%", "100%") == (11, 59, 59)
    with pytest.raises(ValueError, match="must be one number of cells"):
        rendering.count_cells(1000, "50%", "50%")
    with pytest.raises(ValueError, match="must be one number of cells"):
        rendering.count_cells(10, "55%", "50%")


TEXT = (
    "# A\n\n| n | v |\n| --- | --- |\n| x | 1 |\n| x, y | 2 |\n\n# B\n\n| m |\n| --- |\n| z |\n"
)


def test_a_table_is_copied_whole_or_in_part(copy_table):
    assert copy_table(TEXT, "# B") == "| m |\n| --- |\n| z |"
    assert copy_table(TEXT, "# A", ("x",)) == "| n | v |\n| --- | --- |\n| x | 1 |"
    assert copy_table(TEXT, "# A", ("x, y",), ("n",)) == "| v |\n| --- |\n| 2 |"


@pytest.mark.parametrize(("line", "rows"), [("# C", ()), ("# A", ("w",))])
def test_a_table_or_row_that_is_not_there_is_an_error(copy_table, line, rows):
    with pytest.raises(ValueError, match="must h"):
        copy_table(TEXT, line, rows)
