"""The picture of the front page shows what its script finds."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
RANKED = r"Of (\d+) frauds never labeled, (\d+) are in the first 100"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The folder of the pictures as the script draws them now."""
    folder = tmp_path_factory.mktemp("pictures")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        patch.setattr("sys.argv", ["draw_picture.py", "--out", str(folder)])
        from draw_picture import main

        main()
    return folder


@pytest.mark.parametrize("name", ["picture.svg", "picture-tall.svg"])
def test_the_picture_is_that_of_the_script(drawn, name):
    new = (drawn / name).read_text(encoding="utf-8")
    old = (DOCS / "_static" / name).read_text(encoding="utf-8")
    table, ranking = re.split("The unlabeled rows, ranked", new)
    # Rankings of other versions of XGBoost or scikit-learn may differ by a row or two.
    assert re.sub(RANKED, "", table) == re.sub(
        RANKED, "", old.partition("The unlabeled rows, r")[0]
    )
    (hidden, found), (drawn_hidden, drawn_found) = (
        map(int, re.search(RANKED, text).groups()) for text in (ranking, old)
    )
    assert hidden == drawn_hidden
    assert abs(found - drawn_found) <= 2
    assert old.count("<path") == new.count("<path")


def test_the_front_page_shows_both(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    assert text.count('<svg class="rows"') == 2
