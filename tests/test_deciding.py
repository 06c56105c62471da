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


@pytest.fixture(scope="module")
def copy_table():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        from render_deciding import copy_table

    return copy_table


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
