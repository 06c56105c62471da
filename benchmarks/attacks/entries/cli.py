"""Every command with odd options and files, in this process and as a real one."""

import json
import os
import shutil
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import lopsided
from attacks.commands import Said, check_said, run_command, run_inside
from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import SEEDS, expect
from attacks.sentences import check_sentence
from attacks.verdicts import Finding, Outcome, check_terminal
from lopsided.datasets import make_claims

__all__ = ["ENTRIES"]

_SECONDS = 240.0
_WORD = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=8),
    st.sampled_from(
        ("", "-1", "0", "1e9", "nan", "x" * 300, "\x1b[31m", "--", "a=b", ".", "/")
    ),
)
_ODD_FILES = ("empty.csv", "bytes.csv", "missing.csv", ".", "model.lop", "page.html", "one.csv")
_TABLE = {
    "--label": ("status", "amount", "no such"), "--positive": ("confirmed", "1", ""),
    "--negative": ("cleared",), "--id": ("claim_no", "shop"), "--group": ("shop",),
    "--drop": ("amount", "filed"), "--type": ("amount=number", "shop=text", "x"),
    "--decimal": (".", ",", ";"), "--day-first": ("yes", "no", "maybe"), "--sep": (",", ";"),
    "--encoding": ("utf-8", "x"), "--sheet": ("1",), "--jobs": ("1", "0"), "--quiet": (None,),
}  # fmt: skip
_FILE = {name: _TABLE[name] for name in ("--sep", "--encoding", "--sheet", "--quiet")}
_LEARN = {"--method": ("naive-logistic", "puhdt", "x"), "--prior": ("0.4", "2", "auto"),
          "--label-frequency": ("0.1", "2"), "--seed": ("1", "-1"),
          "--json": (None,)}  # fmt: skip
_OUT = {"-o": ("out.csv", "out.parquet", "no/such/out.csv", "table.csv", "out.pdf", "out.lop")}
_COMMANDS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "check": (("table.csv",), {**_TABLE, "--json": (None,), "--strict": (None,)}),
    "fit": (("table.csv",), {**_TABLE, **_LEARN, **_OUT}),
    "rank": (
        ("model.lop", "table.csv"),
        {**_TABLE, **_LEARN, **_OUT, "--top": ("3", "0"), "--reasons": ("2", "all", "x"),
         "--out-sep": (";", "ab"), "--spreadsheet-safe": (None,)},
    ),
    "explain": (
        ("model.lop", "table.csv"), {**_FILE, "--row": ("C-1", "1"), "--json": (None,)}
    ),
    "report": (
        ("model.lop", "table.csv"),
        {**_FILE, "-o": ("out.html", "out.csv"), "--title": ("T", "<b>"),
         "--rival": ("amount",)},
    ),
    "feedback": (
        ("model.lop", "reviewed.csv"),
        {**_FILE, "-o": ("out.lop", "out.csv"), "--verdict": ("verdict", "x"),
         "--positive": ("confirmed",), "--negative": ("cleared",), "--json": (None,)},
    ),
    "prior": (("table.csv",), {**_TABLE, **_LEARN}),
    "compare": (
        ("table.csv",),
        {**_TABLE, "--methods": ("naive-logistic", "puhdt,naive-logistic", "x"),
         "--folds": ("2", "1"), "--seed": ("1",), "--json": (None,)},
    ),
    "methods": ((), {"--all": (None,)}),
    "datasets": ((), {}),
    "completion": (("bash",), {}),
    "bench": (("smoke",), {"--dry-run": (None,), "--only": ("x",)}),
}  # fmt: skip
_MUST = {
    "check": ("--label", "status", "--positive", "confirmed", "--jobs", "1"),
    "fit": ("--label", "status", "--positive", "confirmed", "--method", "naive-logistic",
            "--jobs", "1", "-o", "out.lop"),
    "explain": ("--row", "C-1"),
    "report": ("-o", "out.html", "--jobs", "1"),
    "feedback": ("--verdict", "verdict", "-o", "out.lop", "--jobs", "1"),
    "prior": ("--label", "status", "--positive", "confirmed", "--method", "naive-logistic",
              "--jobs", "1"),
    "compare": ("--label", "status", "--positive", "confirmed", "--methods", "naive-logistic",
                "--folds", "2", "--jobs", "1"),
    "bench": ("--dry-run",),
}  # fmt: skip
_CHEAP = ("check", "rank", "rank", "explain", "prior", "fit", "methods", "datasets")
_CHEAP += ("completion",)
_DEAR = ("report", "feedback", "compare", "bench")


@cache
def _files() -> dict[str, bytes]:
    """Return the files that commands work on."""
    rng = np.random.default_rng(0)
    table = make_claims(60, labeled=0.9, random_state=3).table
    table = table.assign(status=["confirmed", "", "", "cleared", ""] * 12)
    table["claim_no"] = [f"C-{place}" for place in range(60)]
    roles = {"positive": "confirmed", "negative": "cleared", "id": "claim_no"}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lopsided.fit(table, "status", **roles, method="naive-logistic", n_jobs=1)
        model.save(Path(folder) / "model.lop")
        saved = (Path(folder) / "model.lop").read_bytes()
    reviewed = table[["claim_no"]].assign(verdict=["confirmed", "cleared", "", "", ""] * 12)
    return {
        "table.csv": table.to_csv(index=False).encode(),
        "reviewed.csv": reviewed.to_csv(index=False).encode(),
        "model.lop": saved,
        "empty.csv": b"",
        "bytes.csv": rng.bytes(500),
        "one.csv": b"a\n1\n",
        "page.html": b"<!doctype html><p>mine",
    }


def _draw_words(d: Draw, commands: tuple[str, ...]) -> dict[str, Any]:
    """Draw a command: whole, with options that do not fit, or with anything for a word."""
    name = d.one(*commands)
    files, options = _COMMANDS[name]
    words = [name, *files, *_MUST.get(name, ())]
    for option in d(st.lists(st.sampled_from(sorted(options)), max_size=3)) if options else ():
        d.odd = True
        value = d.one(*options[option])
        words += [option] if value is None else [option, value]
    if d.chance(0.3):
        d.odd = True
        place = d(st.integers(0, len(words) - 1))
        word = d(st.one_of(_WORD, st.sampled_from(_ODD_FILES)))
        words[place : place + d(st.integers(0, 1))] = [word]
    if name == "rank" and not d.odd and d.chance(0.5):
        words += ["-o", "out.csv"]
    return {"words": words}


@arguments
def _cheap_words(d: Draw) -> dict[str, Any]:
    return _draw_words(d, _CHEAP)


@arguments
def _dear_words(d: Draw) -> dict[str, Any]:
    return _draw_words(d, _DEAR)


def _attack_command(words: list[str], real: bool = False) -> Outcome:
    for name, content in _files().items():
        Path(name).write_bytes(content)
    reads = [word for word in words if word in ("demo", "bench") and "--dry-run" not in words]
    if reads and not {"-h", "--help"} & set(words):  # made of another word: a whole month
        words = [*words, "--help"]
    try:
        said = run_command(words, Path.cwd(), _SECONDS) if real else run_inside(words)
        _check_files(said)
        return _check_answer(said, words)
    finally:
        for path in Path().iterdir():
            shutil.rmtree(path) if path.is_dir() else os.unlink(path)


def _check_files(said: Said) -> None:
    """See that no file but an output was changed, and that a refusal changed none."""
    before = _files()
    for name, content in before.items():
        changed = not Path(name).exists() or Path(name).read_bytes() != content
        if changed and said.code:
            raise Finding("lost", f"{name} was changed, exit code {said.code}")
    extra = {path.name for path in Path().iterdir()} - set(before)
    drafts = sorted(name for name in extra if name.startswith("."))
    if drafts or (said.code and extra):
        raise Finding("stray", f"{sorted(extra)} were left, exit code {said.code}")


def _check_answer(said: Said, words: list[str]) -> Outcome:
    check_terminal(said.out)
    for line in said.err.splitlines():
        if line.startswith("note: "):
            try:
                check_sentence(line.removeprefix("note: "))
            except Finding as found:
                raise Finding("traceback", str(found)) from None
    if said.code == 1 and "--strict" in words:
        return Outcome("result")
    if not check_said(said):
        return Outcome("error", f"x: {said.err.strip()[:200]}")
    if "--json" in words and said.out and "--help" not in words and "-h" not in words:
        json.loads(said.out)
    expect(
        said.out or any(Path().glob("out*")) or words[0] == "", "nothing was said or written"
    )
    return Outcome("result")


@arguments
def _real_words(d: Draw) -> dict[str, Any]:
    d(SEEDS)
    return _draw_words(d, (*_CHEAP, *_DEAR))


ENTRIES = (
    Entry(("cli", "cli.main"), _cheap_words, _attack_command, share=16),
    Entry(("cli.report",), _dear_words, _attack_command, share=3),
    Entry(("cli.process",), _real_words, partial(_attack_command, real=True), share=1),
)
