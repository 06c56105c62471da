import runpy
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of the texts as the committed results give them."""
    folder = tmp_path_factory.mktemp("docs")
    script = str(ROOT / "docs" / "make_figures.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")  # as Python does for a script
        patch.setattr(sys, "argv", [script, "--out", str(folder)])
        runpy.run_path(script, run_name="__main__")
    return folder


def find_stale(written, suffix):
    """Return how many files were written, and which of them differ from those committed."""
    new = sorted(written.rglob(f"*{suffix}"))
    stale = [
        str(path.relative_to(written))
        for path in new
        if (ROOT / path.relative_to(written)).read_bytes() != path.read_bytes()
    ]
    return {path.name for path in new}, stale


def test_the_committed_texts_are_those_of_the_committed_results(written):
    names, stale = find_stale(written, ".md")
    assert names >= {"README.md", "reproduction.md", "finance.md", "deciding.md"}
    assert not stale, "run make figures"


def test_the_committed_figures_are_those_of_the_committed_results(written):
    names, stale = find_stale(written, ".svg")
    assert len(names) == 7
    if f"matplotlib=={version('matplotlib')}\n" not in (ROOT / "constraints.txt").read_text():
        pytest.skip("another matplotlib draws other lines than that of constraints.txt")
    assert not stale, "run make figures"


def test_no_figure_is_left_over(written):
    committed = {path.name for path in (ROOT / "docs" / "figures").iterdir()}
    assert committed == {path.name for path in (written / "docs" / "figures").iterdir()}


def test_every_page_of_results_is_told_in_a_sentence():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "_ext")
        from project_files import add_head, read_conclusions
    told = read_conclusions(ROOT / "docs")
    pages = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
    assert sorted(told) == [page.name for page in pages]
    for page in pages:
        title, said = told[page.name]
        assert add_head(page, told).startswith(f"# {title}\n\n**In short:** {said}\n\n")
