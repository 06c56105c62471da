import io
import shutil
from contextlib import redirect_stdout

import pytest

from lopsided.report.page import check_page, write_page
from lopsided.workflow.cli import main

STUDY = """
title = "A try"
datasets = ["wine-rare"]
mechanisms = [{ kind = "scar", hidden = [0.5] }]
methods = [{ name = "naive-xgb", params = { n_estimators = 3 } }, "puhdt"]
repeats = 2
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a study that was run, and what the command said."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "try.toml").write_text(STUDY)
    with redirect_stdout(io.StringIO()) as said:
        assert main(["bench", str(folder / "try.toml"), "--out", str(folder / "out")]) == 0
    return folder / "out", said.getvalue()


def test_a_study_is_run_and_reported_from_the_command_line(finished, tmp_path, capsys):
    study, new = tmp_path / "try.toml", tmp_path / "out"
    study.write_text(STUDY)
    assert main(["bench", str(study), "--dry-run", "--out", str(new)]) == 0
    assert "4 trials, 4 left to run, about" in capsys.readouterr().out
    assert not new.exists()
    out, said = finished
    assert "4 trials, 0 failed" in said
    assert main(["bench", str(out), "--report"]) == 0
    assert capsys.readouterr().out.strip() == str(out / "report.html")
    page = (out / "report.html").read_text()
    assert "A try" in page
    assert "puhdt" in page


def test_published_numbers_go_with_the_study_into_its_results_and_the_report(
    finished, tmp_path
):
    study, out = tmp_path / "try.toml", tmp_path / "out"
    study.write_text(STUDY + 'published = "printed/ours.csv"\n')
    (tmp_path / "printed").mkdir()
    (tmp_path / "printed" / "ours.csv").write_text(
        "# As printed <b>elsewhere</b>.\n"
        "dataset,mechanism,hidden,method,metric,value\n"
        "wine-rare,scar,0.5,puhdt,average_precision,0.25\n"
    )
    (tmp_path / "results").mkdir()  # committed ones: nothing is left to run
    shutil.copy(finished[0] / "table.parquet", tmp_path / "results" / "try.parquet")
    assert main(["bench", str(study), "--out", str(out)]) == 0
    assert main(["bench", str(out), "--report"]) == 0
    page = (out / "report.html").read_text()
    assert "As printed &lt;b&gt;elsewhere&lt;/b&gt;." in page
    assert "<small>0.25</small>" in page
    assert "no ROC-AUC was published" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bench", "gone.toml"], "No study is at gone.toml"),
        (["bench", "{study}", "--only", "naive-xbg"], "Did you mean naive-xgb"),
        (["bench", "{study}", "--redo", "puhdf"], "Did you mean puhdt"),
        (["bench", "{folder}", "--report"], "No results are at"),
        (["demo", "--out", "{study}"], "try.toml is a file. Name a folder (--out)."),
        (["bench", "{study}", "--out", "{study}"], "try.toml is a file. Name a folder for"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path, capsys, words, message):
    study = tmp_path / "try.toml"
    study.write_text(STUDY)
    filled = [word.format(study=study, folder=tmp_path) for word in words]
    assert main(filled) == 2
    assert message in capsys.readouterr().err


@pytest.fixture
def results(tmp_path):
    """A folder as a study leaves it, but that nothing in it can be read."""
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("table.parquet", "try.toml"):
        (folder / name).write_bytes(b"PAR1 of " + name.encode())
    (folder / "link.html").symlink_to("table.parquet")
    (folder / "hard.html").hardlink_to(folder / "table.parquet")
    (folder / "notes.html").write_text("my notes on <b>this</b>")
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "table.parquet",
        "../out/table.parquet",
        "try.toml",
        "new.parquet",
        "again.txt",
        "link.html",
        "hard.html",
        "notes.html",
    ],
)
def test_a_page_is_written_over_nothing_but_a_page(results, name, capsys):
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    assert main(["bench", str(results), "--report", str(results / name)]) == 2
    said = capsys.readouterr().err
    assert "must end in .html" in said or "must be new or an HTML page" in said
    assert said.count("\n") == 1
    with pytest.raises(ValueError, match="must "):
        write_page(results / name, "<html>A try")
    assert {path.name: path.read_bytes() for path in results.iterdir()} == before


def test_a_new_an_empty_and_an_older_page_can_be_written(tmp_path):
    (tmp_path / "empty.html").touch()
    (tmp_path / "older.HTM").write_text("<!doctype html>\n<HTML>")
    for name in ("new.html", "empty.html", "older.HTM", "new.html"):
        check_page(tmp_path / name)
        write_page(tmp_path / name, "<html>A try")
        assert "A try" in (tmp_path / name).read_text()


@pytest.mark.parametrize("name", ["parts/mine.parquet", "try.toml"])
def test_a_study_is_not_run_into_a_folder_with_files_of_others(tmp_path, capsys, name):
    study, mine = tmp_path / "try.toml", tmp_path / "out" / name
    study.write_text(STUDY)
    mine.parent.mkdir(parents=True)
    mine.write_text("[[1, 2]]\n")
    assert main(["bench", str(study), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert f"got a folder with another {name.rpartition('/')[2]}. Name another folder" in said
    assert mine.read_text() == "[[1, 2]]\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [name.split("/")[0]]
