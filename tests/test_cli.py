import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from signal_defaults import hear_signals

from lopsided import __version__, list_methods
from lopsided.workflow.cli import main

RNG = np.random.default_rng(0)
QUICK = ("--method", "focused-xgb", "--prior", "0.1", "--jobs", "1")


@pytest.fixture
def claims(tmp_path):
    """A table as a fraud office has it, with 12 known and 12 unknown frauds."""
    n = 240
    fraud = np.arange(n) < 24
    frame = pd.DataFrame(
        {
            "claim": [f"c{i:03}" for i in range(n)],
            "amount": RNG.normal(size=n) + 2.5 * fraud,
            "city": np.where(RNG.random(n) < 0.3, None, RNG.choice(["A", "B"], size=n)),
            "day": pd.date_range("2024-01-01", periods=n).astype(str),
            "age": np.where(RNG.random(n) < 0.2, np.nan, RNG.normal(size=n)),
            "status": np.where(np.arange(n) < 12, "confirmed", "open"),
        }
    ).sample(frac=1, random_state=0)
    path = tmp_path / "claims.csv"
    frame.to_csv(path, index=False)
    return path


def wait_until_fitting(pid):
    """Wait until a process has loaded XGBoost, which is when it fits."""
    for _ in range(600):
        with open(f"/proc/{pid}/maps") as maps:
            if "libxgboost" in maps.read():
                time.sleep(0.5)
                return
        time.sleep(0.05)


def rank(claims, *words):
    return main(["rank", str(claims), "--label", "status", "--positive", "confirmed", *words])


def test_rank_writes_the_unlabeled_rows_best_first(claims, tmp_path, capsys):
    out = tmp_path / "ranked.csv"
    assert rank(claims, "--id", "claim", *QUICK, "-o", str(out)) == 0
    ranked = pd.read_csv(out)
    head = ["rank", "id", "score", "probability", "reasons"]
    columns = [*head, "amount", "city", "day", "age", "status"]
    assert list(ranked.columns) == columns
    assert len(ranked) == 228
    assert list(ranked["rank"]) == list(range(1, 229))
    assert ranked["score"].is_monotonic_decreasing
    assert (ranked["status"] == "open").all()
    hidden = [f"c{i:03}" for i in range(12, 24)]
    assert ranked["id"][:24].isin(hidden).sum() >= 8
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "focused-xgb ranked 228 unlabeled rows" in captured.err


def test_rank_prints_csv_without_an_output_file(claims, capsys):
    assert rank(claims, "--top", "3", *QUICK) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("rank,id,score,probability,reasons,claim,amount")
    assert len(lines) == 4


def test_a_table_is_not_written_over_itself(claims, capsys):
    before = claims.read_bytes()
    assert rank(claims, "-o", str(claims)) == 2
    assert "is the table itself" in capsys.readouterr().err
    assert claims.read_bytes() == before


def test_a_table_by_another_name_is_not_written_over_either(claims, tmp_path, capsys):
    before = claims.read_bytes()
    (tmp_path / "link.csv").symlink_to(claims)
    (tmp_path / "hard.csv").hardlink_to(claims)
    (tmp_path / "sub").mkdir()
    for name in ("link.csv", "hard.csv", "sub/../claims.csv"):
        assert rank(claims, "-o", str(tmp_path / name)) == 2
        assert "is the table itself" in capsys.readouterr().err
        assert claims.read_bytes() == before


def test_ids_and_cells_come_out_as_they_went_in(claims, capsys):
    frame = pd.read_csv(claims, dtype=str, keep_default_na=False)
    frame["claim"] = [f"{i:06}" for i in range(len(frame))]
    frame["score"] = "1.50"
    frame.to_csv(claims, index=False)
    assert rank(claims, "--id", "claim", *QUICK) == 0
    ranked = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype=str, keep_default_na=False)
    assert (ranked["score_"] == "1.50").all()
    cells = frame.set_index("claim")["age"]
    assert (cells[ranked["id"]].to_numpy() == ranked["age"].to_numpy()).all()


def test_rank_reads_and_writes_parquet(claims, tmp_path):
    table, out = tmp_path / "t.parquet", tmp_path / "r.parquet"
    pd.read_csv(claims, parse_dates=["day"]).to_parquet(table)
    assert rank(table, "--method", "focused-xgb", "--prior", "0.1", "-o", str(out)) == 0
    assert len(pd.read_parquet(out)) == 228


def test_rank_gives_the_same_list_twice(claims, capsys):
    texts = []
    for _ in range(2):
        rank(claims, *QUICK)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


@pytest.mark.filterwarnings("always::lopsided.exceptions.PriorWarning")
def test_a_prior_that_the_table_does_not_identify_is_said_in_one_line(claims, capsys):
    text = claims.read_text()
    few = text.replace("confirmed", "open", text.count("confirmed") - 4)  # too few to tell
    claims.write_text(few)
    assert rank(claims, "--method", "focused-xgb", "--top", "1") == 0
    assert capsys.readouterr().err.count("does not identify the prior") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "ifpu-xbg"], "Did you mean ifpu-xgb"),
        (["--method", "xgb"], "xgb learns from true labels and is for comparison only"),
        (["-o", ""], "The name of the file to write is empty"),
        (["-o", "/tmp"], "/tmp is a folder. Give the name of a file to write"),
        (["--label", "statos"], "Did you mean status"),
        (["--positive", "closed"], "No row of column 'status' is 'closed'"),
        (["--id", "klaim"], "Did you mean claim"),
        (["--drop", "amount,city,day,age,claim"], "No column is left"),
        (["--method", "puhrf", "--prior", "1.5"], "prior must lie between 0 and 1"),
        (["-o", "ranked.xlsx"], "must end in .csv"),
        (["-o", "/dev/null/ranked.csv"], "cannot be written"),
        (["-o", "/proc/ranked.csv"], "/proc/ranked.csv cannot be written to"),
        (["--reasons", "some"], "--reasons must be a number of rows or all"),
        (["--type", "amount=money"], "No type of a column is called 'money'"),
        (["--type", "amuont=number"], "Did you mean amount"),
    ],
)
def test_bad_words_get_one_sentence_and_code_two(claims, capsys, words, message):
    assert rank(claims, *words) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_an_empty_name_is_no_folder(capsys):
    assert rank("") == 2
    assert "The name of the file is empty. Give the path" in capsys.readouterr().err


def test_a_peer_ranks_if_its_package_is_there(claims, capsys):
    pytest.importorskip("pulearn")
    pytest.importorskip("lopsided_bench")
    assert rank(claims, "--method", "pulearn-naive-bayes", "--jobs", "1") == 0
    assert "pulearn-naive-bayes ranked 228" in capsys.readouterr().err


def test_a_missing_file_gets_one_sentence_and_code_two(tmp_path, capsys):
    assert rank(tmp_path / "none.csv") == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["rank"],
        ["rnak"],
        ["rank", "t.csv", "--label"],
        ["rank", "t.csv", "--label", "y", "--top", "0"],
        ["rank", "t.csv", "--label", "y", "--jobs", "0"],
        ["rank", "t.csv", "--label", "y", "--seed", "-1"],
    ],
)
def test_a_wrong_command_shows_how_to_use_it(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert "usage: lopsided" in capsys.readouterr().err


def test_help_shows_the_journey_and_version_the_version(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    for command in ("check", "fit", "rank", "explain", "report", "feedback"):
        assert f"\n  lopsided {command} claims" in shown
    with pytest.raises(SystemExit):
        main(["--version"])
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_shell_can_complete_every_command(shell, capsys):
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in ("feedback", "explain", "check"))


def test_methods_are_listed(capsys):
    assert main(["methods"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == list_methods()
    assert main(["methods", "--all"]) == 0
    assert "xgb-focal" in capsys.readouterr().out


def test_a_reader_that_stops_early_is_no_error(claims):
    command = [sys.executable, "-m", "lopsided", "rank", str(claims), "--label", "status"]
    done = subprocess.run(
        f"{' '.join(command)} --positive confirmed --method naive-logistic | head -n 2",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 2
    assert "Error" not in done.stderr


@pytest.mark.parametrize(
    ("labels", "words", "message"),
    [
        ([1] * 240, [], "unlabeled rows (0) too, got 240 labeled"),
        ([1] * 12 + [-1] * 228, [], "too, got 12 labeled positives and 228 reviewed negatives"),
        (["x"] * 240, ["--positive", "x"], "unlabeled rows too, got 240 labeled"),
    ],
)
def test_tables_without_unlabeled_rows_get_one_sentence(claims, capsys, labels, words, message):
    pd.read_csv(claims).assign(known=labels).to_csv(claims, index=False)
    assert main(["rank", str(claims), "--label", "known", *words]) == 2
    said = capsys.readouterr().err
    assert "Column 'known' must hold " in said
    assert message in said
    assert "n_samples" not in said


def test_reviewed_rows_are_counted_and_left_out_of_the_list(claims, capsys):
    frame = pd.read_csv(claims)
    cleared = frame["claim"].isin([f"c{i:03}" for i in range(200, 240)])
    frame.assign(status=frame["status"].mask(cleared, "cleared")).to_csv(claims, index=False)
    assert rank(claims, "--negative", "cleared", "--id", "claim", *QUICK) == 0
    done = capsys.readouterr()
    ranked = pd.read_csv(io.StringIO(done.out))
    assert len(ranked) == 188
    assert (ranked["status"] == "open").all()
    learned = (
        "188 unlabeled rows, learning from 12 labeled positives, 40 reviewed negatives and"
    )
    assert learned in done.err
    assert rank(claims, "--id", "claim", *QUICK) == 0  # not named: unlabeled like others
    assert len(pd.read_csv(io.StringIO(capsys.readouterr().out))) == 228


def test_labels_may_be_numbers_with_reviewed_negatives_and_blanks(claims, capsys):
    frame = pd.read_csv(claims)
    known = pd.Series(frame["status"].map({"confirmed": 1}).array, dtype="Int64")
    known[frame["claim"].isin(["c100", "c101"])] = -1
    for suffix in ("csv", "parquet"):
        path = claims.with_suffix(f".{suffix}")
        table = frame.drop(columns="status").assign(known=known)
        table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
        assert main(["rank", str(path), "--label", "known", "--id", "claim", *QUICK]) == 0
        done = capsys.readouterr()
        assert len(done.out.splitlines()) == 1 + 226
        assert "12 labeled positives, 2 reviewed negatives and" in done.err


@pytest.mark.parametrize("n_labeled", [0, 1])
def test_a_table_with_one_labeled_row_or_none_is_ranked(claims, capsys, n_labeled):
    known = np.arange(240) < n_labeled
    pd.read_csv(claims).assign(status=known.astype(int)).to_csv(claims, index=False)
    words = ["--label", "status", "--id", "claim", "--jobs", "1"]
    assert main(["rank", str(claims), *words, "--method", "focused-fast"]) == 0
    done = capsys.readouterr()
    assert len(done.out.splitlines()) == 241 - n_labeled
    if n_labeled:
        assert (
            "focused-fast ranked 239 unlabeled rows, learning from 1 labeled positive and"
            in (done.err)
        )
    else:
        assert done.err.count("No row is labeled: the ranking is unsupervised") == 1
        assert "240 unlabeled rows are ranked without any label, outliers first" in done.err


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupt_leaves_no_half_written_file(claims, tmp_path):
    out = tmp_path / "out" / "ranked.csv"
    out.parent.mkdir()
    many = pd.concat([pd.read_csv(claims)] * 20)  # a fit that is not over soon
    many.to_csv(claims, index=False)
    command = [sys.executable, "-m", "lopsided", "rank", str(claims), "--label", "status"]
    running = subprocess.Popen(
        [*command, "--positive", "confirmed", "-o", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    )
    wait_until_fitting(running.pid)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in said
    assert not out.exists()
    assert not os.listdir(out.parent)
