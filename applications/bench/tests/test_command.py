import shutil

import pytest

from lopsided_bench.cli import main

STUDY = """
title = "A try"
datasets = ["wine-rare"]
mechanisms = [{ kind = "scar", hidden = [0.5] }]
methods = [{ name = "naive-xgb", params = { n_estimators = 3 } }, "puhdt"]
repeats = 2
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a study that was run."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "try.toml").write_text(STUDY)
    assert main(["run", str(folder / "try.toml"), "--out", str(folder / "out")]) == 0
    return folder / "out"


def test_a_study_is_run_and_reported_from_the_command_line(finished, tmp_path, capsys):
    study, new = tmp_path / "try.toml", tmp_path / "out"
    study.write_text(STUDY)
    assert main(["run", str(study), "--dry-run", "--out", str(new)]) == 0
    assert "4 trials, 4 left to run" in capsys.readouterr().out
    assert not new.exists()
    assert main(["run", str(study), "--out", str(finished)]) == 0
    assert "4 trials, 0 failed" in capsys.readouterr().out
    assert main(["report", str(finished)]) == 0
    assert capsys.readouterr().out.strip() == str(finished / "report.html")
    page = (finished / "report.html").read_text()
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
    shutil.copy(finished / "table.parquet", tmp_path / "results" / "try.parquet")
    assert main(["run", str(study), "--out", str(out)]) == 0
    assert main(["report", str(out), "-o", str(out / "page.html")]) == 0
    page = (out / "page.html").read_text()
    assert "As printed &lt;b&gt;elsewhere&lt;/b&gt;." in page
    assert "<small>0.25</small>" in page
    assert "no ROC-AUC was published" in page


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["run", "gone.toml"], "gone.toml"),
        (["run", "{study}", "--only", "naive-xbg"], "naive-xgb"),
        (["run", "{study}", "--redo", "puhdf"], "puhdt"),
        (["run", "{study}", "--out", "{study}"], "try.toml"),
        (["report", "{folder}"], "table.parquet"),
        (["report", "{folder}", "-o", "{study}"], "try.toml"),
    ],
)
def test_bad_input_is_named_and_gets_code_2(tmp_path, capsys, words, value):
    study = tmp_path / "try.toml"
    study.write_text(STUDY)
    assert main([word.format(study=study, folder=tmp_path) for word in words]) == 2
    assert value in capsys.readouterr().err
    assert study.read_text() == STUDY


def test_a_study_without_a_single_success_gets_code_2(tmp_path, capsys):
    study = tmp_path / "try.toml"
    study.write_text(
        STUDY.replace("n_estimators = 3", "n_estimators = -1").replace(', "puhdt"', "")
    )
    assert main(["run", str(study), "--out", str(tmp_path / "out")]) == 2
    assert "n_estimators" in capsys.readouterr().err


def test_what_can_be_run_is_listed(capsys):
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("smoke", "wine-rare", "cardio", "catboost"))
