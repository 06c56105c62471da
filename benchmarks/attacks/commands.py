"""Running lopsided's command line, inside this process and as a real one."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from attacks.verdicts import Finding, check_refusal, check_terminal

__all__ = ["Said", "check_said", "run_command", "run_inside", "start_command", "wait_for"]

_MEMORY = 12 * 2**30  # of addresses: what asks for more has no limits of its own


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


def run_inside(words: Sequence[str]) -> Said:
    """Run a command in this process; what escapes from it is the caller's."""
    from lopsided.workflow.cli import main

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


def start_command(words: Sequence[str], folder: Path) -> "subprocess.Popen[str]":
    """Start a real command, of lopsided or an application, in a group of its own."""
    module, *rest = words if words[0].startswith("lopsided_") else ("lopsided", *words)
    return subprocess.Popen(
        [sys.executable, "-m", module, *rest],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=_limit_memory,
    )


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def wait_for(running: "subprocess.Popen[str]", seconds: float) -> Said:
    """Return what a command said; a command that does not end, or its children, are a hang."""
    try:
        out, err = running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _kill_group(running.pid)
        running.communicate()
        words = " ".join(running.args[3:])  # type: ignore[arg-type, index]
        raise Finding("hang", f"No end after {seconds:g} s: lopsided {words[:200]}") from None
    _wait_for_children(running.pid)
    return Said(running.returncode, out, err)


def run_command(words: Sequence[str], folder: Path, seconds: float) -> Said:
    """Run a real command to its end."""
    return wait_for(start_command(words, folder), seconds)


def check_said(said: Said) -> bool:
    """Say whether a command succeeded; raise a finding if it neither did nor refused well."""
    check_terminal(said.err)
    if said.code == 0:
        if "Traceback" in said.err:
            raise Finding("traceback", f"Exit code 0 and a traceback: {said.err[-300:]!r}")
        return True
    if said.code != 2:
        raise Finding("traceback", f"Exit code {said.code}: {said.err[-300:]!r}")
    check_refusal(said.err)
    return False


def _wait_for_children(group: int, seconds: float = 20.0) -> None:
    """Raise a finding if processes that a command started outlive it."""
    end = time.monotonic() + seconds
    while _is_alive(group):
        if time.monotonic() > end:
            _kill_group(group)
            raise Finding("hang", f"Children live on for {seconds:g} s after the command")
        time.sleep(0.05)


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
