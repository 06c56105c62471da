from pathlib import Path

from page_blocks import run_python, settle

PAGE = Path(__file__).parents[1] / "docs" / "reviewing.md"


def test_the_page_prints_what_it_says():
    for printed, said in run_python(PAGE.read_text(encoding="utf-8"), PAGE):
        assert settle(printed, said) == (said or "")


def test_it_walks_through_three_rounds():
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("loop.query(50)") == 3
    assert text.count("\nloop.teach(") == 3
