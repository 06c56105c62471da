import os
import pty
import subprocess
import sys

import pandas as pd
import pytest

from lopsided._terminal import escape_controls
from lopsided.cli import main

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
