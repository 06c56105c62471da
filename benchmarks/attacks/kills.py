"""Commands killed at random moments: nothing half written, lost or left behind."""

import json
import logging
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attacks.commands import Said, run_command, start_command, wait_for
from attacks.compare import check_same_results, list_files, read_finished
from attacks.references import BENCH, DEMO, RANK, REPORT, home
from attacks.verdicts import Finding

__all__ = ["CASES", "DEADLINE", "NEEDS_REFERENCES", "run"]

CASES = 60
DEADLINE = 600.0
NEEDS_REFERENCES = True

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
# What a shell reports of a process that was stopped, and what Python says before `main`.
_CODES = {
    signal.SIGINT: (0, 130, -signal.SIGINT),
    signal.SIGTERM: (0, 143, -signal.SIGTERM),
    signal.SIGKILL: (0, -signal.SIGKILL),
}
# A page, since a page replaces nothing else.
_OLD = b"<!doctype html><html>\n<p>What was there before.\n"
_SECONDS = 180.0  # that a command may take on a busy machine
_log = logging.getLogger("attack")


class Target(NamedTuple):
    """A command to kill, the files that it needs, and those that it writes."""

    name: str
    words: Sequence[str]
    needs: tuple[str, ...]
    writes: tuple[str, ...]
    replaces: bool  # what is there already


_DEMO = ("claims.csv", "claims.lop", "ranked.csv", "reviewed.csv", "claims2.lop", "report.html")
_TARGETS = (
    Target("rank", RANK, ("claims.csv",), ("ranked.csv",), True),
    Target("bench", BENCH, ("attacked.toml",), (), False),
    Target("demo", DEMO, (), tuple(f"demo/{name}" for name in _DEMO), False),
    Target("report", REPORT, ("bench",), ("page.html",), True),
)


def run(seed: int, folder: Path) -> None:
    """Kill a command, look at what is left, and run it again.

    Parameters
    ----------
    seed : int
        Every command meets every signal in turn; the moment is random.
    folder : path
        Where it runs.
    """
    rng = np.random.default_rng([3, seed])
    target = _TARGETS[seed % 4]
    number = _SIGNALS[seed // 4 % 3]
    for name in target.needs:
        copy = shutil.copytree if (home() / name).is_dir() else shutil.copyfile
        copy(home() / name, folder / name)
    if target.replaces and rng.random() < 0.7:
        (folder / target.writes[0]).write_bytes(_OLD)
    before = list_files(folder)
    said = _run_and_kill(target, number, rng, folder)
    _check_answer(said, number)
    _check_whole(target, folder)
    if number != signal.SIGKILL:
        _check_no_stray(folder, before, target)
    finished = read_finished(folder / "bench") if target.name == "bench" else {}
    again = run_command(target.words, folder, _SECONDS)
    if again.code:
        raise Finding("wrong", f"does not run after {number.name}: {again.err[-300:]}")
    _check_no_stray(folder, before, target)
    if target.name == "bench":
        _check_bench(folder, finished)
    for name in target.writes:
        if (folder / name).read_bytes() != (home() / name).read_bytes():
            raise Finding("wrong", f"another {name} after {number.name} than undisturbed")


def _run_and_kill(
    target: Target, number: signal.Signals, rng: np.random.Generator, folder: Path
) -> Said:
    """Run a command until a random moment, or shortly after it has begun to write."""
    usual = json.loads((home() / "seconds.json").read_text())[target.name]
    running = start_command(target.words, folder)
    if rng.random() < 0.5 and target.name != "bench":
        drafts = _moment_of_draft(folder, running)
        delay = float(rng.random() * 0.2 * drafts)
    else:
        delay = float(rng.uniform(0.1, 1.05 * usual))
    _log.info("%s, %s after %.2f s", target.name, number.name, delay)
    try:
        running.wait(delay)
    except subprocess.TimeoutExpired:
        if number == signal.SIGINT:  # Ctrl-C reaches all processes of a terminal
            os.killpg(running.pid, number)
        else:
            running.send_signal(number)
    return wait_for(running, _SECONDS)


def _moment_of_draft(folder: Path, running: "subprocess.Popen[str]") -> bool:
    """Wait until a draft is there; say whether one came before the command's end."""
    end = time.monotonic() + _SECONDS
    while running.poll() is None and time.monotonic() < end:
        if any(_is_draft(name) for name in list_files(folder)):
            return True
        time.sleep(0.001)
    return False


def _is_draft(name: str) -> bool:
    return Path(name).name.startswith(".")


def _check_answer(said: Said, number: signal.Signals) -> None:
    """See that a stopped command says so, and shows none of its inside."""
    frames = re.findall(r'File ".*/lopsided/[^"]*", line \d+, in (\S+)', said.err)
    if any(frame != "<module>" for frame in frames):  # imports may be cut off by anything
        last = said.err.strip().splitlines()[-1]
        raise Finding("traceback", f"after {number.name}: {last[:200]} ({frames[-1]})")
    if said.code not in _CODES[number]:
        raise Finding("wrong", f"exit code {said.code} after {number.name}: {said.err[-200:]}")


def _check_whole(target: Target, folder: Path) -> None:
    """See that every output is the old one, the new one, or not there."""
    for name in target.writes:
        file = folder / name
        if file.exists() and file.read_bytes() not in (_OLD, (home() / name).read_bytes()):
            size = file.stat().st_size
            raise Finding("lost", f"{name} has {size} bytes and is neither old nor new")
    for name in target.needs:
        if (home() / name).is_file() and (folder / name).read_bytes() != (
            home() / name
        ).read_bytes():
            raise Finding("lost", f"{name}, which is only read, was changed")


def _check_no_stray(folder: Path, before: set[str], target: Target) -> None:
    extra = list_files(folder) - before - set(target.writes)
    drafts = sorted(name for name in extra if _is_draft(name))
    if target.name != "bench":
        drafts = sorted(extra)
    if drafts:
        raise Finding("stray", f"{target.name} left {drafts[:3]}")


def _check_bench(folder: Path, finished: dict[tuple[str, str], float]) -> None:
    """See that a study that was taken up again is the undisturbed one, and kept what it had."""
    kept = read_finished(folder / "bench")
    lost = [key for key, seconds in finished.items() if kept.get(key) != seconds]
    if lost:
        raise Finding("lost", f"{len(lost)} of {len(finished)} finished results were run again")
    check_same_results(folder / "bench", home() / "bench", ["key", "metric", "status"])
    extra = list_files(folder / "bench") - list_files(home() / "bench")
    if extra:
        raise Finding("stray", f"bench left {sorted(extra)[:3]}")
