import pytest

from lopsided.cli import main

STUDY = """
title = "A try"
datasets = ["wine-rare"]
mechanisms = [{ kind = "scar", hidden = [0.5] }]
methods = [{ name = "naive-xgb", params = { n_rounds = 3 } }, "puhdt"]
repeats = 2
"""


def test_a_study_is_run_and_told_from_the_command_line(tmp_path, capsys):
    study, out = tmp_path / "try.toml", tmp_path / "out"
    study.write_text(STUDY)
    assert main(["bench", str(study), "--dry-run", "--out", str(out)]) == 0
    assert "4 trials, 4 left to run, about" in capsys.readouterr().out
    assert not out.exists()
    assert main(["bench", str(study), "--out", str(out)]) == 0
    assert "4 trials, 0 failed" in capsys.readouterr().out
    assert main(["report", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out / "report.html")
    page = (out / "report.html").read_text()
    assert "A try" in page
    assert "puhdt" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bench", "gone.toml"], "No study is at gone.toml"),
        (["bench", "{study}", "--only", "naive-xbg"], "Did you mean naive-xgb"),
        (["bench", "{study}", "--redo", "puhdf"], "Did you mean puhdt"),
        (["report", "{folder}"], "No results are at"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path, capsys, words, message):
    study = tmp_path / "try.toml"
    study.write_text(STUDY)
    filled = [word.format(study=study, folder=tmp_path) for word in words]
    assert main(filled) == 2
    assert message in capsys.readouterr().err
