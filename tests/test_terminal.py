import io
import os
import pty
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from lopsided._terminal import escape_controls, quote
from lopsided.workflow.cli import main
from lopsided.workflow.tables import write_table

TITLE = "\x1b]0;owned\x07"
HIDE = "\x9b8m\x7f\r\u202e"


@pytest.fixture
def table(tmp_path):
    """A table whose cells and names want to command the terminal."""
    frame = pd.DataFrame(
        {
            f"{TITLE}amount": range(60),
            "note": [f"{TITLE}{i}" for i in range(60)],
            f"name{HIDE}": [f"{HIDE}{i}" for i in range(60)],
            "y": [1, 0, 0] * 20,
        }
    )
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False, lineterminator="\r\n")
    return path


def on_terminal(words):
    """Run a command with a terminal for both its streams and return what reaches it."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "lopsided", *words]
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # how Linux says that nobody writes to the terminal any more
        pass
    os.close(master)
    running.wait()
    return shown.decode().replace("\r\n", "\n")


def rank_words(table, *more):
    return ["rank", str(table), "--label", "y", "--method", "naive-logistic", *more]


def test_a_ranking_on_a_terminal_shows_control_characters_and_sends_none(table):
    shown = on_terminal(rank_words(table, "--top", "5"))
    assert "\\x1b]0;owned\\x07amount" in shown
    assert "\\x9b8m\\x7f\\r\\u202e" in shown
    assert "Left out" in shown
    assert shown == escape_controls(shown)


@pytest.mark.parametrize(
    "words",
    [
        ["--drop", "owned"],
        ["--label", f"{TITLE}amount"],
        ["--label", TITLE, "--positive", TITLE],
        [f"{TITLE}unrecognized"],
        ["-o", f"{TITLE}.xlsx"],
    ],
    ids=["near name", "cells", "no name", "parser", "path"],
)
def test_no_message_sends_control_characters(table, words, capsys):
    try:
        code = main(rank_words(table, *words))
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr().err
    assert code == 2
    assert said == escape_controls(said)


def test_files_and_pipes_get_every_character(table, tmp_path, capfd):
    assert main(rank_words(table)) == 0
    assert TITLE in capfd.readouterr().out
    out = tmp_path / "r.csv"
    assert main(rank_words(table, "-o", str(out))) == 0
    ranked = pd.read_csv(out)
    assert f"{TITLE}amount" in ranked
    assert ranked["note"].str.startswith(TITLE).all()


def test_text_without_control_characters_stays_as_it_is():
    text = "Åse\t1,5 €\nعربي 🙂 \\x1b"
    assert escape_controls(text) == text


RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
TAME = str.maketrans(dict.fromkeys("\x1b\x07\x9b\x7f\r\n\t\u202e\u2067\u2028\u200f", "~"))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A table, its model and reviews, all of whose texts and names want to break lines."""
    folder = tmp_path_factory.mktemp("desk")
    mark = f"{TITLE}{HIDE}\u2067\u2028\u200f\r\nnext\tline"
    frame = pd.DataFrame(
        {
            f"id{mark}": [f"{i}{mark}" for i in range(60)],
            f"amount{mark}": [f"{i}.5" for i in range(60)],
            f"kind{mark}": [f"{mark}{i % 3}" for i in range(60)],
            f"same{mark}": [mark] * 60,
            f"y{mark}": [mark if i % 5 == 0 and i > 9 else "" for i in range(60)],
        }
    )
    roles = [f"--label=y{mark}", f"--positive={mark}", f"--id=id{mark}"]
    for name, own, words in [
        (f"wild{TITLE}\n", frame, roles),
        ("tame", None, [word.translate(TAME) for word in roles]),
    ]:
        if own is None:
            own = frame.rename(columns=lambda one: one.translate(TAME)).map(
                lambda cell: cell.translate(TAME)
            )
        write_table(own, folder / f"{name}.csv")
        quick = ["--method", "naive-logistic", "--prior", "0.4", "--jobs", "1"]
        line = ["fit", str(folder / f"{name}.csv"), *words, *quick, "-q"]
        assert main([*line, "-o", str(folder / f"{name}.lop")]) == 0
        reviewed = own.head(10).assign(verdict=["1", "-1"] * 5)
        write_table(reviewed, folder / f"reviewed {name}.csv")
    return folder, mark, roles


def run_all(desk, name, monkeypatch, stream):
    """Run every command on a table; return what each printed, by its first words."""
    folder, mark, roles = desk
    if name == "tame":
        mark, roles = mark.translate(TAME), [word.translate(TAME) for word in roles]
    table, model = str(folder / f"{name}.csv"), str(folder / f"{name}.lop")
    reviewed, out = str(folder / f"reviewed {name}.csv"), str(folder / f"{name}.out")
    lines = [
        ["check", table, *roles],
        ["check", table, f"--label=amount{mark}"],
        ["fit", table, *roles, "--method", "naive-logistic", "-o", out],
        ["rank", model, table, "--top", "5"],
        ["rank", model, table, "-o", f"{out}.parquet"],
        ["explain", model, table, f"--row=12{mark}"],
        ["explain", model, table, f"--row={mark}"],
        ["report", model, table, "-o", f"{out}.html", f"--rival=amount{mark}"],
        ["feedback", model, reviewed, "-o", out],
        ["feedback", model, reviewed, f"--verdict={mark}", "-o", out],
        ["prior", table, *roles, "--method", "naive-logistic"],
        ["compare", table, *roles, "--methods", "naive-logistic", "--folds", "2"],
        ["compare", table, *roles, f"--methods={mark}"],
        ["demo", f"--method={mark}"],
    ]
    printed = {}
    for words in lines:
        shown, told = stream(), io.StringIO()
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setattr(sys, "stderr", told)
        code = main(words)
        monkeypatch.undo()
        name = f"{words[0]} {len(printed)}"
        printed[name] = (code, shown.getvalue(), told.getvalue())
    return printed


def test_no_command_breaks_a_line_or_sends_a_control_character(desk, monkeypatch):
    wild = run_all(desk, f"wild{TITLE}\n", monkeypatch, Terminal)
    tame = run_all(desk, "tame", monkeypatch, Terminal)
    for name, (code, shown, told) in wild.items():
        assert code == tame[name][0], (name, told)
        assert not RAW.search(shown + told), name
        assert shown.count("\n") == tame[name][1].count("\n"), name
        if name in ("explain 6", "feedback 9", "compare 12", "demo 13"):
            assert (code, told.count("\n")) == (2, 1)
    (page,) = desk[0].glob("wild*.html")
    assert not RAW.search(page.read_text(encoding="utf-8"))


def test_in_a_pipe_only_the_cells_of_a_list_are_as_they_were(desk, monkeypatch):
    name = f"wild{TITLE}\n"
    for words, (_, shown, told) in run_all(desk, name, monkeypatch, io.StringIO).items():
        assert bool(RAW.search(shown)) == (words == "rank 3")
        assert not RAW.search(told)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\n", "'a '"),
        (0.5, "0.5"),
        (np.array(["a"]), "ndarray(['a'])"),
        (np.zeros((2, 2), np.float32), "ndarray([[0.0, 0.0], [0.0, 0.0]])"),
        (pd.Series([1.0, 2.0], index=[3.5, 1.5], name="x"), "Series([1.0, 2.0])"),
        (pd.Series, repr(pd.Series)),
        (np.ndarray, "<class 'numpy.ndarray'>"),
    ],
    ids=str,
)
def test_a_value_is_quoted_on_one_line_and_an_array_by_its_values(value, shown):
    assert quote(value) == shown
