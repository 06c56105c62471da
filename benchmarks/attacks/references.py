"""Undisturbed runs, made once, that disturbed ones are compared with."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from attacks.commands import run_command

__all__ = [
    "BENCH",
    "DEMO",
    "MISSTATEMENT",
    "RANK",
    "REPORT",
    "STUDY",
    "home",
    "make_references",
]

STUDY = """\
title = "A study for attacks"
datasets = ["breast-cancer-rare", "digits-8"]
mechanisms = [{ kind = "scar", hidden = [0.75, 0.5] }]
methods = [
    "naive-logistic",
    "puhdt",
    { name = "ifpu-xgb", params = { n_estimators = 10 } },
]
repeats = 2
"""
RANK = (
    *("rank", "claims.csv", "--label", "fraud", "--id", "claim", "--jobs", "1"),
    *("--method", "naive-logistic", "-o", "ranked.csv"),
)
BENCH = ("bench", "attacked.toml", "--out", "bench", "--jobs", "1")
REPORT = ("bench", "bench", "--report", "page.html")
DEMO = ("demo", "--out", "demo", "--method", "naive-logistic")
MISSTATEMENT = (
    *("lopsided_misstatement", "--panel", "panel.csv", "--all-rows", "--years", "2006"),
    *("--models", "random,fin-lr,firm-memory", "--seeds", "2", "--out", "misstatement"),
)
_COMMANDS = {
    "rank": RANK,
    "bench": BENCH,
    "report": REPORT,
    "demo": DEMO,
    "misstatement": MISSTATEMENT,
}
_PLACE = "LOPSIDED_ATTACK_REFERENCES"
_SECONDS = 600.0


def home() -> Path:
    """Return the folder of the references."""
    return Path(os.environ[_PLACE])


def make_references(folder: Path) -> None:
    """Run each command once, unless that was done, and note how long it took.

    Parameters
    ----------
    folder : path
        Where they are kept; processes that are started later find it by `home`.
    """
    folder = folder.resolve()
    os.environ[_PLACE] = str(folder)
    if (folder / "seconds.json").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "attacked.toml").write_text(STUDY)
    _make_claims(20_000).to_csv(folder / "claims.csv", index=False)
    _make_panel().to_csv(folder / "panel.csv", index=False)
    run_command(["methods"], folder, _SECONDS)
    seconds = {}
    for name, words in _COMMANDS.items():
        start = time.monotonic()
        said = run_command(words, folder, _SECONDS)
        if said.code:
            raise RuntimeError(f"lopsided {' '.join(words)} fails undisturbed: {said.err}")
        seconds[name] = time.monotonic() - start
    (folder / "seconds.json").write_text(json.dumps(seconds))


def _make_claims(n: int) -> Any:
    """Return a table that takes a while to write."""
    import pandas as pd

    rng = np.random.default_rng(0)
    amount = rng.lognormal(size=n)
    columns = {
        "claim": [f"C-{i:07d}" for i in range(n)],
        "amount": amount.round(2),
        "age": rng.integers(18, 90, n),
        "city": rng.choice(["Athens", "Bern", "Cairo", "Delhi"], n),
        "notes": [f"note {i}, " + "with words " * 20 for i in range(n)],
    }
    fraud = (rng.random(n) < 0.05 * (amount > 2)).astype(int)
    return pd.DataFrame({**columns, "fraud": fraud})


def _make_panel() -> Any:
    from lopsided_misstatement.generator import make_misstatement_panel

    return make_misstatement_panel(n_firms=120, prevalence=0.12, random_state=1)
