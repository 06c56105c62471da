"""The practitioner's day from the shell."""

import io
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from lopsided.datasets import make_claims
from lopsided.workflow import demo
from lopsided.workflow.cli import main
from lopsided.workflow.tables import hold_folder, write_table

WORDS = ["--label", "status", "--positive", "confirmed", "--negative", "cleared"]
WORDS += ["--id", "claim_no"]
QUICK = ["--method", "focused-fast", "--jobs", "1"]


@pytest.fixture(scope="module")
def desk(claims, tmp_path_factory):
    """A folder with a table and the model that was fitted to it."""
    folder = tmp_path_factory.mktemp("desk")
    write_table(claims.table, folder / "claims.csv")
    words = ["fit", str(folder / "claims.csv"), *WORDS, *QUICK, "-q"]
    assert main([*words, "-o", str(folder / "claims.lop")]) == 0
    return folder


def test_a_table_is_checked(desk, capsys):
    assert main(["check", str(desk / "claims.csv"), *WORDS, "--jobs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "labeled positives" in shown
    assert "amount" in shown
    words = ["check", str(desk / "claims.csv"), *WORDS, "--json", "--jobs", "1"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"rows", "columns", "findings"}


def test_a_strict_check_fails_where_something_hurts(claims, tmp_path, capsys):
    known = claims.table["status"] == "confirmed"
    write_table(claims.table.assign(by=np.where(known, "desk", "")), tmp_path / "t.csv")
    words = ["check", str(tmp_path / "t.csv"), *WORDS, "--jobs", "1"]
    assert main(words) == 0
    assert main([*words, "--strict"]) == 1
    assert "gives the label away" in capsys.readouterr().out


def test_a_model_ranks_what_a_table_alone_does(desk, capsys):
    assert main(["rank", str(desk / "claims.lop"), str(desk / "claims.csv"), "--top", "9"]) == 0
    by_model = capsys.readouterr()
    assert "focused-fast ranked" in by_model.err
    words = ["rank", str(desk / "claims.csv"), *WORDS, *QUICK, "--top", "9", "-q"]
    assert main(words) == 0
    alone = capsys.readouterr()
    assert alone.err == ""
    assert by_model.out == alone.out
    ranked = pd.read_csv(io.StringIO(alone.out))
    assert len(ranked) == 9
    assert ranked["reasons"].notna().all()


def test_a_ranking_can_be_json(desk, capsys):
    words = ["rank", str(desk / "claims.lop"), str(desk / "claims.csv"), "--top", "3"]
    assert main([*words, "--json", "-q", "--reasons", "0"]) == 0
    assert [row["rank"] for row in json.loads(capsys.readouterr().out)] == [1, 2, 3]


def test_a_row_is_explained(desk, capsys):
    row = make_claims(800, labeled=0.5).table["claim_no"][7]
    words = ["explain", str(desk / "claims.lop"), str(desk / "claims.csv"), "--row", row]
    assert main(words) == 0
    assert f"Row {row}" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    total = told["base"] + sum(one["contribution"] for one in told["reasons"])
    assert total == pytest.approx(told["model_score"])


def test_a_report_is_written_and_its_path_said(desk, capsys):
    page = desk / "report.html"
    words = ["report", str(desk / "claims.lop"), str(desk / "claims.csv"), "--jobs", "1"]
    assert main([*words, "-o", str(page), "-q"]) == 0
    assert capsys.readouterr().out.strip() == str(page)
    assert "<html" in page.read_text()


def test_feedback_makes_another_model(desk, truth, capsys):
    ranked, reviewed = desk / "ranked.csv", desk / "reviewed.csv"
    words = ["rank", str(desk / "claims.lop"), str(desk / "claims.csv"), "--reasons", "0"]
    assert main([*words, "--top", "30", "-o", str(ranked)]) == 0
    frame = pd.read_csv(ranked, dtype=str, na_filter=False)
    frame["verdict"] = ["1" if truth[row] else "-1" for row in frame["id"]]
    frame.to_csv(reviewed, index=False)
    before = (desk / "claims.lop").read_bytes()
    words = ["feedback", str(desk / "claims.lop"), str(reviewed), "--jobs", "1", "--json"]
    assert main([*words, "-o", str(desk / "second.lop")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (
        told["rows"]["unlabeled"]
        == len(truth) - told["rows"]["labeled"] - (told["rows"]["reviewed"])
    )
    assert (desk / "claims.lop").read_bytes() == before
    assert main(["rank", str(desk / "second.lop"), str(desk / "claims.csv"), "-q"]) == 0
    again = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert not set(again["id"]) & set(frame["id"])


def test_the_prior_is_told_of_a_model_and_of_a_table(desk, capsys):
    assert main(["prior", str(desk / "claims.lop")]) == 0
    of_model = capsys.readouterr().out
    assert "positives" in of_model
    words = ["prior", str(desk / "claims.csv"), *WORDS, "--jobs", "1", "-q"]
    assert main(words) == 0
    assert capsys.readouterr().out == of_model
    assert main([*words, "--json"]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["value"] < 1


def test_a_belief_in_few_labels_tells_of_more_hidden_positives(desk, capsys):
    model, table = str(desk / "claims.lop"), str(desk / "claims.csv")
    for words in (["prior", model], ["prior", table, *WORDS, "--jobs", "1"]):
        found = {}
        for share in ("0.5", "0.05"):
            assert main([*words, "-q", "--json", "--label-frequency", share]) == 0
            found[share] = json.loads(capsys.readouterr().out)["n_hidden"]
        assert main([*words, "-q", "--json"]) == 0
        assert found["0.5"] == pytest.approx(json.loads(capsys.readouterr().out)["n_hidden"])
        assert found["0.05"] > 1.5 * found["0.5"]


def test_methods_are_compared_with_the_baseline_among_them(desk, capsys):
    words = ["compare", str(desk / "claims.csv"), *WORDS, "--jobs", "1", "--folds", "2"]
    assert main([*words, "--methods", "naive-logistic"]) == 0
    shown = capsys.readouterr().out
    assert "naive-logistic" in shown
    assert "naive-xgb" in shown


def test_a_table_may_come_by_a_pipe_and_a_ranking_leave_by_one(desk, monkeypatch, capsys):
    words = ["rank", str(desk / "claims.lop"), str(desk / "claims.csv"), "--top", "2"]
    assert main([*words, "-o", "-", "-q"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rank", "{csv}"], "--label must name the column to learn from"),
        (["rank", "{lop}", "{csv}", "--label", "status"], "got --label as well"),
        (["rank", "{lop}", "{csv}", "--method", "focused"], "got --method as well"),
        (["rank", "{lop}", "{csv}", "--day-first", "no"], "got --day-first as well"),
        (["rank", "{csv}", "{lop}"], "The model must come before the table"),
        (["rank", "{csv}", "{csv}"], "The model must come before the table"),
        (["rank", "{lop}", "{csv}", "{csv}"], "got 3 names"),
        (["rank", "{lop}", "gone.csv"], "There is no file gone.csv"),
        (["rank", "gone.lop", "{csv}"], "gone.lop"),
        (["explain", "{lop}", "{csv}", "--row", "none"], "must have the id 'none'"),
        (["report", "{lop}", "{csv}", "-o", "{csv}"], "must end in .html"),
        (["fit", "{csv}", *WORDS, "-o", "{csv}"], "claims.csv is the name of a table"),
        (["feedback", "{lop}", "{csv}", "-o", "{csv}"], "claims.csv is the name of a table"),
        (["fit", "{csv}", *WORDS, "-o", "m2.csv"], "m2.csv is the name of a table"),
        (
            ["fit", "{csv}", *WORDS, "--out-of-core", "-o", "m2.parquet"],
            "is the name of a table",
        ),
        (["feedback", "{lop}", "{csv}", "-o", "m2.CSV.gz"], "is the name of a table"),
        (["feedback", "{lop}", "{csv}", "-o", "{lop}"], "has no new verdict"),
        (["fit", "{csv}", *WORDS, "-o", "/proc/model.lop"], "cannot be written to"),
        (["feedback", "{lop}", "{csv}", "--verdict", "gone", "-o", "x"], "No column is called"),
        (["fit", "{csv}", *WORDS, "-o", "nodir/x.lop"], "nodir to write x.lop to. Make it"),
        (["rank", "{lop}", "{csv}", "-o", "nodir/x.csv"], "nodir to write x.csv to"),
        (["report", "{lop}", "{csv}", "-o", "nodir/x.html"], "nodir to write x.html to"),
        (["feedback", "{lop}", "{csv}", "-o", "nodir/x.lop"], "nodir to write x.lop to"),
        (["fit", "{csv}", "--label", "status", "-o", "x.lop"], "of the positives (--positive)"),
        (["prior", "{csv}"], "--label must name the column"),
        (["prior", "{lop}", "--label-frequency", "0"], "must be the believed share"),
        (["compare", "{csv}", *WORDS, "--methods", "naive"], "No method is called"),
        (["check", "{csv}", *WORDS, "--sep", "ab"], "separator"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(desk, capsys, words, message):
    names = {"csv": desk / "claims.csv", "lop": desk / "claims.lop"}
    before = {path: path.read_bytes() for path in desk.iterdir()}
    assert main([word.format(**names) for word in words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in desk.iterdir()} == before


@pytest.mark.parametrize(
    "words",
    [
        ["rank", "{lop}", "{folder}"],
        ["rank", "gone.csv", *WORDS],
        ["explain", "{lop}", "gone.csv", "--row", "1"],
        ["feedback", "gone.lop", "{csv}", "-o", "x.lop"],
        ["report", "{lop}", "gone.csv"],
        ["prior", "gone.lop"],
        ["check", "{folder}", *WORDS],
    ],
    ids=" ".join,
)
def test_a_wrong_path_is_told_before_anything_heavy_is_imported(desk, words):
    names = {"csv": desk / "claims.csv", "lop": desk / "claims.lop", "folder": desk}
    given = [word.format(**names) for word in words]
    code = f"import sys; from lopsided.workflow.cli import main\nmain({given!r})\n"
    code += "print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "There is no" in done.stderr or "is a folder" in done.stderr
    assert not {"numpy", "pandas", "sklearn"} & set(done.stdout.split())


def test_the_demo_walks_the_journey_and_ends_with_the_path_of_its_report(tmp_path, capsys):
    words = ["demo", "--method", "focused-fast", "--out", str(tmp_path / "demo")]
    assert main(words) == 0
    story = capsys.readouterr().out
    page = tmp_path / "demo" / "report.html"
    assert story.splitlines()[-1] == str(page)
    assert "<html" in page.read_text()
    for command in ("check", "fit", "rank", "explain", "feedback", "report"):
        assert f"\n$ lopsided {command} " in story
    said = r"rows hold (\d+) of the (\d+) hidden frauds; chance would give (\d+)"
    before, after = (tuple(map(int, one)) for one in re.findall(said, story))
    for caught, n_hidden, chance in (before, after):
        assert n_hidden > caught > 3 * chance
    assert after[1] < before[1]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "claims.csv").write_text("mine\n1\n")
    assert main([*words[:-1], str(tmp_path / "other")]) == 2
    assert (tmp_path / "other" / "claims.csv").read_text() == "mine\n1\n"


def test_a_demo_that_is_stopped_leaves_no_files_of_two_and_may_begin_again(
    tmp_path, capsys, monkeypatch
):
    folder = tmp_path / "demo"

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "fit", stop)
    for _ in range(2):
        assert main(["demo", "--out", str(folder)]) == 130
        assert list(folder.iterdir()) == []
    for name in demo._FILES:
        (folder / name).write_text("of an older demo")
    assert main(["demo", "--out", str(folder)]) == 130
    assert [one.name for one in folder.iterdir()] == ["claims.lop"]
    capsys.readouterr()
    with hold_folder(folder):
        assert main(["demo", "--out", str(folder)]) == 2
    assert capsys.readouterr().err.startswith("lopsided: Another run is writing to ")
