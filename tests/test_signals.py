"""Whoever stops the program, and however, finds whole files and no drafts."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from signal_defaults import hear_signals

from lopsided.__main__ import main as start_command
from lopsided._files import _DRAFT, atomic_write
from lopsided._signals import Stopped, raise_stop_behind, stops_unwind
from lopsided.workflow.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has other signals")

_SLOW = """
import sys, time
from lopsided.workflow import cli
from lopsided.workflow.cli import other_commands
from lopsided._files import atomic_write

def doze(seconds):
    for _ in range(20 * seconds):  # a signal just before a long sleep would be heard after it
        time.sleep(0.05)

def write(path):
    with atomic_write(path) as draft:
        draft.write_text("half")
        print("writing", flush=True)
        doze(60)

def alone(options):
    write(sys.argv[1])

if __name__ == "__main__":
    other_commands.list_known_methods = alone
    sys.exit(cli.main(["methods"]))
"""


@pytest.fixture
def start(tmp_path):
    """Start a command that is busy writing `out/file`; wait until it is."""
    script, running = tmp_path / "slow.py", []
    script.write_text(_SLOW)

    def begin():
        words = [sys.executable, script, tmp_path / "out" / "file"]
        pipe = subprocess.PIPE
        own = {"stdout": pipe, "stderr": pipe, "text": True, "preexec_fn": hear_signals}
        running.append(subprocess.Popen(words, **own))
        assert running[-1].stdout.readline() == "writing\n"
        assert [name[: len(_DRAFT)] for name in os.listdir(tmp_path / "out")] == [_DRAFT]
        return running[-1]

    yield begin
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_command_that_is_told_to_end_leaves_nothing_behind(start, tmp_path, stop):
    process = start()
    process.send_signal(stop)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + stop
    assert said == "lopsided: stopped; nothing was left half written.\n"
    assert os.listdir(tmp_path / "out") == []


def test_a_draft_outlives_a_kill_until_the_next_file_is_written(start, tmp_path):
    process = start()
    with atomic_write(tmp_path / "out" / "other") as draft:
        draft.write_text("beside a living process")
    assert len(os.listdir(tmp_path / "out")) == 2
    process.kill()
    process.wait()
    assert len(os.listdir(tmp_path / "out")) == 2
    with atomic_write(tmp_path / "out" / "file") as draft:
        draft.write_text("whole")
    assert sorted(os.listdir(tmp_path / "out")) == ["file", "other"]


def test_signals_are_as_before_after_a_command(capsys):
    stops = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(stop) for stop in stops]
    assert main(["methods"]) == 0
    assert [signal.getsignal(stop) for stop in stops] == before


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stops_unwind():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_stop_is_an_interrupt_that_knows_its_signal():
    def be_told():
        with stops_unwind():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)

    with pytest.raises(KeyboardInterrupt) as stopped:
        be_told()
    assert isinstance(stopped.value, Stopped)
    assert stopped.value.number == signal.SIGTERM


def test_a_command_runs_in_any_thread(capsys):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(main(["methods"])))
    thread.start()
    thread.join()
    assert codes == [0]


def test_a_stop_that_a_callback_drops_comes_again():
    @ctypes.CFUNCTYPE(None)
    def drop():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.005)

    def work():
        drop()
        time.sleep(60)

    with pytest.raises(Stopped), stops_unwind():
        work()


def hide(stop):
    """Raise what compiled code makes of a signal that comes while it returns."""
    raise SystemError("returned a result with an exception set") from stop


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), Stopped(signal.SIGTERM)], ids=repr)
def test_a_stop_that_compiled_code_hides_in_an_error_still_stops(stop, monkeypatch, capsys):
    lists = "lopsided.workflow.cli.other_commands.list_known_methods"
    monkeypatch.setattr(lists, lambda _: hide(stop))
    assert main(["methods"]) == 128 + getattr(stop, "number", signal.SIGINT)
    assert capsys.readouterr().err == "lopsided: stopped; nothing was left half written.\n"


def test_an_error_without_a_stop_behind_it_stays_one():
    raise_stop_behind(ValueError("of its own"))
    with pytest.raises(KeyError), stops_unwind():
        raise KeyError("of its own")


def test_ctrl_c_while_the_command_is_imported_is_one_sentence(monkeypatch, capsys):
    class Interrupting:
        def find_spec(self, name, *_):
            if name == "lopsided.workflow.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "lopsided.workflow.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    assert start_command() == 128 + signal.SIGINT
    assert capsys.readouterr().err == "lopsided: stopped; nothing was left half written.\n"


def test_the_command_starts_where_next_to_nothing_is_imported():
    code = "import sys, lopsided.__main__; print('lopsided.workflow.cli' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n"
