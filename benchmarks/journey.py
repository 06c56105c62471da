"""Time the practitioner's day from the shell: one process for each command, 20,000 claims.

The table has text, dates, amounts, blanks, an id and cleared rows; the second file has new
categories and lacks a column. Compiled code is taken from its cache, unless --cold empties a
cache of the benchmark's own first.

    python benchmarks/journey.py [--rows 20000] [--method focused] [--cold] [--out FILE]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import pandas as pd

from lopsided.datasets import make_claims
from lopsided.workflow.tables import write_table

ROLES = ["--label", "status", "--positive", "confirmed", "--negative", "cleared"]
ROLES += ["--id", "claim_no"]


def make_files(folder: Path, n_rows: int) -> None:
    write_table(make_claims(n_rows, random_state=0).table, folder / "claims.csv")
    later = make_claims(n_rows, labeled=0, first_day="2025-04-01", random_state=1).table
    later["kind"] = later["kind"].replace("theft", "flood")
    write_table(later.drop(columns=["age", "status"]), folder / "next.csv")


def run(folder: Path, environment: dict[str, str], *words: str) -> float:
    """Run a command and return its seconds."""
    start = perf_counter()
    subprocess.run(
        [sys.executable, "-m", "lopsided", *words],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    return perf_counter() - start


def time_journey(folder: Path, method: str, environment: dict[str, str]) -> dict[str, float]:
    steps = {"check": run(folder, environment, "check", "claims.csv", *ROLES)}
    words = ("fit", "claims.csv", *ROLES, "--method", method, "-o", "m.lop")
    steps["fit"] = run(folder, environment, *words)
    words = ("rank", "m.lop", "claims.csv", "--top", "200", "-o", "ranked.csv")
    steps["rank"] = run(folder, environment, *words)
    row = pd.read_csv(folder / "ranked.csv")["id"][0]
    words = ("explain", "m.lop", "claims.csv", "--row", row)
    steps["explain"] = run(folder, environment, *words)
    words = ("report", "m.lop", "claims.csv", "-o", "report.html")
    steps["report"] = run(folder, environment, *words)
    words = ("rank", "m.lop", "next.csv", "-o", "ranked2.csv")
    steps["rank of a second file"] = run(folder, environment, *words)
    return steps


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--method", default="focused")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder, options.rows)
        environment = dict(os.environ)
        if options.cold:
            environment["NUMBA_CACHE_DIR"] = str(folder / "cache")
        steps = time_journey(folder, options.method, environment)
    cache = "compiled anew" if options.cold else "compiled before"
    lines = [
        " ".join(["    python benchmarks/journey.py", *sys.argv[1:]]),
        "",
        f"{options.rows:,} rows, {options.method}, {os.cpu_count()} cores, code {cache}.",
        "",
        "| command | seconds |",
        "| --- | ---: |",
        *(f"| {step} | {seconds:.1f} |" for step, seconds in steps.items()),
        f"| in all | {sum(steps.values()):.1f} |",
    ]
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("# The practitioner's day\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
