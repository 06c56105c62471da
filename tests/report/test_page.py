import json
import re

import numpy as np
import pytest

from lopsided.report.page import check_page, render_page, write_page


@pytest.fixture
def folder(tmp_path):
    """A folder with files that are no pages, under names of pages too."""
    for name in ("table.parquet", "notes.txt"):
        (tmp_path / name).write_bytes(b"PAR1 of " + name.encode())
    (tmp_path / "link.html").symlink_to("table.parquet")
    (tmp_path / "hard.html").hardlink_to(tmp_path / "table.parquet")
    (tmp_path / "notes.html").write_text("my notes on <b>this</b>")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["table.parquet", "new.parquet", "link.html", "hard.html", "notes.html"]
)
def test_a_page_is_written_over_nothing_but_a_page(folder, name):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match=name):
        write_page(folder / name, "<html>A try")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_new_an_empty_and_an_older_page_can_be_written(tmp_path):
    (tmp_path / "empty.html").touch()
    (tmp_path / "older.HTM").write_text("<!doctype html>\n<HTML>")
    for name in ("new.html", "empty.html", "older.HTM", "new.html"):
        check_page(tmp_path / name)
        write_page(tmp_path / name, "<html>A try")
        assert "A try" in (tmp_path / name).read_text()


def test_what_is_not_finite_is_null_in_the_data_of_a_page():
    values = {"mean": np.float64("nan"), "count": np.int64(3), "rest": [float("inf"), (1.5,)]}
    page = render_page("page.html", "A try", values)
    data = json.loads(re.search(r'id="summary">(.*?)</script>', page, re.DOTALL)[1])
    assert data == {"mean": None, "count": 3, "rest": [None, [1.5]]}
