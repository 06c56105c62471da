import runpy
import sys
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


def test_the_committed_texts_and_figures_are_those_of_the_committed_results(written):
    new = {path.relative_to(written): path.read_bytes() for path in written.rglob("*.*")}
    pages = {"README.md", "reproduction.md", "finance.md", "deciding.md"}
    assert {path.name for path in new} >= pages
    assert sum(path.suffix == ".svg" for path in new) == 7
    for path, content in new.items():
        assert (ROOT / path).read_bytes() == content, f"{path} is stale: run make figures"


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
