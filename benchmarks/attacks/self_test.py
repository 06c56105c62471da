"""Fakes that misbehave on purpose: a verdict that cannot fire would be worth nothing."""

import os
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from attacks import commands, files, kills, random_tables, tables
from attacks.commands import Said
from attacks.drawn import CHUNK, Drawn, attack_once, find_entry, for_each
from attacks.pool import Case, run_cases
from attacks.verdicts import Finding, Outcome

__all__ = ["CASES", "DEADLINE", "check_verdicts", "run"]

DEADLINE = 20.0


class _Fake(BaseEstimator):
    """A method that does as it is told; what it is told is its name."""

    calls = 0.0

    def __init__(self, how: str = "behaves"):
        self.how = how

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "_Fake":
        validate_data(self, X)
        if self.how == "warns":
            warnings.warn("invalid value encountered", RuntimeWarning, stacklevel=1)
        if self.how == "KeyError":
            raise KeyError("a")
        if self.how == "an error from NumPy":
            np.zeros(2) + np.zeros(3)
        if self.how == "refuses":
            tables.build("no such method")  # a sentence of lopsided's own
        if self.how == "changes its input":
            X.iloc[:, 0] = 0.5
        return self

    def decision_function(self, X: Any) -> Any:
        scores = validate_data(self, X, reset=False)[:, 0].copy()
        if self.how == "NaN":
            scores[0] = np.nan
        if self.how == "another shape":
            return scores[:-1]
        if self.how == "depends on other rows":
            return scores - scores.mean() * (len(scores) > 1) + 10.0 * len(scores)
        if self.how == "counts its calls":
            _Fake.calls += 1.0
            return scores + _Fake.calls
        return scores

    def predict_proba(self, X: Any) -> Any:
        chance = 1 / (1 + np.exp(-X.to_numpy(float)[:, 0]))
        if self.how == "chances above 1":
            chance = chance + 1
        return np.column_stack([1 - chance, chance])


def _meet_table(how: str) -> Outcome | None:
    """Let a fake method meet a plain table."""
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    y = np.repeat([1, 0], [5, 25])
    table = random_tables.Table(frame, y, frame.copy(), None, None, True, "a plain table")
    before = tables.draw_table, tables.build
    tables.draw_table = lambda rng: table
    tables.build = lambda name, **_: before[1](name) if name == "no such method" else _Fake(how)
    try:
        return tables.run(5, Path())
    finally:
        tables.draw_table, tables.build = before


def _meet_file(how: str) -> None:
    """Let a fake command meet a table in a file."""
    folder = Path.cwd()
    source, out = folder / "table.csv", folder / "ranked.csv"
    source.write_text("a,y\n1,0\n2,0\n3,1\n")
    out.write_bytes(b"old")
    before = files._contents(folder)
    said = Said(2, "", "lopsided: It is refused. Do something.\n")
    if how == "leaves a draft":
        (folder / ".ranked.csv.0123").write_text("half")
    if how == "spoils the old output":
        out.write_bytes(b"ol")
    if how == "a traceback":
        said = Said(1, "", 'Traceback (most recent call last):\nKeyError: "a"\n')
    if how == "a KeyError as a sentence":
        said = Said(2, "", "lopsided: 'value'\n")
    if how == "an escape":
        said = Said(2, "", "lopsided: \x1b[31mred\n")
    if how in ("loses a row", "changes a cell", "ranks well"):
        rows = {
            "loses a row": "",
            "changes a cell": "2,c,0.1,0.2,a,2.0,0\n",
            "ranks well": "2,c,0.1,0.2,a,2,0\n",
        }
        out.write_text(f"rank,id,score,probability,reasons,a,y\n1,b,0.5,0.6,a,1,0\n{rows[how]}")
        said = Said(0, "", "")
    files._check(said, folder, before, out)
    if said.code == 0:
        files._check_rows(source, out, None)
    else:
        raise Finding("error", said.err)


def _meet_entry(how: str) -> Outcome:
    """Let a fake entry point meet plain arguments, or odd ones."""
    return attack_once(
        find_entry("fakes", 0), Drawn({"how": how.removeprefix("oddly ")}, "oddly" in how)
    )


def _meet_process(how: str) -> None:
    if how == "hangs":
        time.sleep(60)
    if how == "crashes":
        os.abort()


def _meet_signal(how: str) -> None:
    inside = 'File "/x/lopsided/jobs.py", line 3, in rank_table'
    outside = 'File "/x/lopsided/cli.py", line 3, in <module>'
    code = 1 if how == "ends in error" else 130
    trace = inside if how == "shows its inside" else outside
    kills._check_answer(Said(code, "", f"{trace}\nKeyboardInterrupt"), signal.SIGINT)


def _meet_command(how: str) -> None:
    """Run a command that cannot end in time."""
    commands.run_command(["demo", "--out", "demo"], Path.cwd(), 0.05)


_CHECKS: tuple[tuple[Callable[[str], Outcome | None], str, str], ...] = (
    (_meet_table, "behaves", "result"),
    (_meet_table, "warns", "traceback"),
    (_meet_table, "KeyError", "traceback"),
    (_meet_table, "an error from NumPy", "traceback"),
    (_meet_table, "refuses", "wrong"),  # the table is plain
    (_meet_table, "changes its input", "wrong"),
    (_meet_table, "NaN", "wrong"),
    (_meet_table, "another shape", "wrong"),
    (_meet_table, "depends on other rows", "wrong"),
    (_meet_table, "counts its calls", "wrong"),
    (_meet_table, "chances above 1", "wrong"),
    (_meet_file, "refuses", "error"),
    (_meet_file, "leaves a draft", "stray"),
    (_meet_file, "spoils the old output", "lost"),
    (_meet_file, "a traceback", "traceback"),
    (_meet_file, "a KeyError as a sentence", "traceback"),
    (_meet_file, "an escape", "wrong"),
    (_meet_file, "ranks well", "result"),
    (_meet_file, "loses a row", "wrong"),
    (_meet_file, "changes a cell", "wrong"),
    (_meet_entry, "behaves", "result"),
    (_meet_entry, "oddly refuses", "error"),
    (_meet_entry, "refuses", "wrong"),  # plain arguments
    (_meet_entry, "oddly refuses without a sentence", "traceback"),
    (_meet_entry, "oddly fails in NumPy", "traceback"),
    (_meet_entry, "oddly meets a KeyError", "traceback"),
    (_meet_entry, "lets a warning through", "traceback"),
    (_meet_entry, "warns without a sentence", "traceback"),
    (_meet_entry, "warns", "result"),
    (_meet_entry, "is wrong", "wrong"),
    (_meet_entry, "leaves a file", "stray"),
    (_meet_process, "hangs", "hang"),
    (_meet_process, "crashes", "traceback"),
    (_meet_signal, "stops", "result"),
    (_meet_signal, "shows its inside", "traceback"),
    (_meet_signal, "ends in error", "wrong"),
    (_meet_command, "takes too long", "hang"),
)
CASES = len(_CHECKS)


def run(seed: int, folder: Path) -> Outcome | None:
    """Run one fake.

    Parameters
    ----------
    seed : int
        Which.
    folder : path
        Where it may leave something; the current folder.
    """
    meet, how, _ = _CHECKS[seed]
    return meet(how)


def check_verdicts() -> int:
    """Run every fake in worker processes; print what fired, return 1 if anything did not."""
    cases = [Case("self_test", seed) for seed in range(CASES)]
    failures = 0
    for done in sorted(run_cases(cases, jobs=2)):
        meet, how, wanted = _CHECKS[done.case.seed]
        came = done.outcome.verdict
        failures += came != wanted
        mark = "ok  " if came == wanted else "FAIL"
        note = " ".join(done.outcome.note.split())[:80]
        print(f"{mark} {meet.__name__[6:]} that {how!r}: {came}, {note}")
    return int(failures + _check_chunk() > 0)


def _check_chunk() -> int:
    """See that a case that hangs or kills its process costs no other of its chunk."""
    drawn: list[Any] = []
    for_each(find_entry("fakes", 0).arguments, 0, lambda _, one: drawn.append(one))
    hows = [one.values["how"] for one in drawn[:CHUNK]]
    wanted = {"behaves": "result", "hangs": "hang", "dies": "traceback", "is wrong": "wrong"}
    seeds = sorted(place for how in wanted for place in _places(hows, how)[:2])
    found = {
        done.case.seed: done.outcome.verdict
        for done in run_cases([Case("fakes", seed) for seed in seeds], jobs=1)
    }
    right = found == {seed: wanted[hows[seed]] for seed in seeds} and len(found) == len(seeds)
    mark = "ok  " if right else "FAIL"
    print(f"{mark} chunk of {len(seeds)} that hang, die and behave: {found}")
    return int(not right)


def _places(hows: list[str], how: str) -> list[int]:
    return [place for place, one in enumerate(hows) if one == how]
