import io
import sys
import time
from types import SimpleNamespace

import pytest

from lopsided import _progress
from lopsided._progress import Bar, silenced


class Terminal(io.StringIO):
    def isatty(self):
        return True


def use_terminal(monkeypatch):
    """Call it in a test, not in a fixture: pytest puts its own stderr back after the set-up."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    return screen


def steps(bar, n=3):
    time.sleep(0.3)  # the bar is shown by a timer
    for _ in range(n):
        bar.advance()


def test_a_slow_loop_shows_a_bar_on_a_terminal(monkeypatch):
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    with Bar(3, "fitting") as bar:
        steps(bar)
    assert "fitting" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()


def test_a_quick_loop_shows_nothing(monkeypatch):
    terminal = use_terminal(monkeypatch)
    with Bar(3, "fitting") as bar:
        steps(bar)
    assert terminal.getvalue() == ""


def test_a_pipe_stays_quiet(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    with Bar(3, "fitting") as bar:
        steps(bar)
    assert pipe.getvalue() == ""


def test_only_the_outer_of_two_bars_is_shown(monkeypatch):
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    with Bar(2, "outer") as outer:
        with Bar(3, "inner") as inner:
            steps(inner)
        steps(outer, 1)
    assert "outer" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()


def test_a_failure_frees_the_screen_for_the_next_bar(monkeypatch):
    use_terminal(monkeypatch)
    with pytest.raises(KeyboardInterrupt), Bar(2, "outer"):
        raise KeyboardInterrupt
    assert Bar._outermost is None


def test_a_notebook_shows_a_line_that_is_written_over(monkeypatch):
    cell = io.StringIO()
    monkeypatch.setattr(sys, "stderr", cell)
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    with Bar(3, "fitting") as bar:
        steps(bar)
    shown = cell.getvalue().split("\r")
    assert any(line.startswith("fitting 3/3") for line in shown)
    assert shown[-1] == ""
    assert "\x1b" not in cell.getvalue()


def test_quiet_is_quiet_for_a_while(monkeypatch):
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    with silenced(True), Bar(3, "fitting") as bar:
        steps(bar)
    assert terminal.getvalue() == ""
    with silenced(False), Bar(3, "fitting") as bar:
        steps(bar)
    assert "fitting" in terminal.getvalue()
