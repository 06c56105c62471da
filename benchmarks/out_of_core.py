"""Fit and rank a table of parquet files in batches: seconds, and the peak of memory.

The table is made once, in parts of a million rows, in out/; a run that was stopped goes on with
the parts that are missing. Each step is a process of its own, whose peak is what Linux counts
(VmHWM). One row of 200 is positive, half of them are labeled.

    python benchmarks/out_of_core.py [--rows 20000000] [--rounds 50] [--prior 0.005|auto]
        [--in-memory] [--bins memory|files] [--out benchmarks/results/out_of_core.md]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lopsided
from lopsided._files import atomic_write
from lopsided.out_of_core import fit_parquet, rank_parquet

N_COLUMNS, PRIOR, FREQUENCY, PART = 30, 0.005, 0.5, 1_000_000
NAMES = [f"x{place}" for place in range(N_COLUMNS)]
TARGET = 12  # GiB


def make_part(path: Path, place: int, n_rows: int) -> None:
    """Write one part, the same whenever it is made."""
    rng = np.random.default_rng([place, n_rows])
    truth = rng.random(n_rows) < PRIOR
    X = rng.standard_normal((N_COLUMNS, n_rows), np.float32)
    X[:8] += np.linspace(1.2, 0.4, 8, dtype=np.float32)[:, None] * truth
    columns = dict(zip(NAMES, X, strict=True)) | {
        "row": np.arange(place * PART, place * PART + n_rows),
        "y": (truth & (rng.random(n_rows) < FREQUENCY)).astype(np.int8),
        "y_true": truth.astype(np.int8),
    }
    with atomic_write(path) as draft:
        pq.write_table(pa.table(columns), draft, compression="none")


def make_table(folder: Path, n_rows: int) -> float:
    """Write the parts that are missing, and return the size of all in GB."""
    sizes = [min(PART, n_rows - start) for start in range(0, n_rows, PART)]
    wanted = {f"part-{place:04d}-{size}.parquet": place for place, size in enumerate(sizes)}
    folder.mkdir(parents=True, exist_ok=True)
    left = sum(4 * N_COLUMNS * PART for name in wanted if not (folder / name).exists())
    if left > 0.9 * shutil.disk_usage(folder).free:
        raise SystemExit(f"{left / 1e9:.1f} GB are wanted in {folder}, less is free.")
    for name, place in wanted.items():
        if not (folder / name).exists():
            make_part(folder / name, place, sizes[place])
    return sum((folder / name).stat().st_size for name in wanted) / 1e9


def fit(folder: Path, options: argparse.Namespace) -> None:
    prior = "auto" if options.prior == "auto" else float(options.prior)
    given = {"n_estimators": options.rounds, "prior": prior, "n_jobs": -1, "random_state": 0}
    model = lopsided.build("ifpu-xgb", **given)
    if options.step == "fit in memory":
        files = sorted(folder.glob("part-*.parquet"))
        table = pq.read_table(files, columns=[*NAMES, "y"]).to_pandas()
        model.fit(table[NAMES], table["y"])
    else:
        limit = 0 if options.bins == "files" else 2**33
        fit_parquet(folder, "y", model, drop=["row", "y_true"], max_memory=limit, folder=folder)
    lopsided.save(model, folder / "model.lop")


def rank(folder: Path) -> None:
    model = lopsided.load(folder / "model.lop")
    output = folder / "_ranked.parquet"
    found = rank_parquet(
        model, folder, output, keep=["row", "y_true"], label="y", folder=folder
    )
    first = pq.ParquetFile(output).read_row_group(0, columns=["y_true"]).to_pandas()
    print(found, f"Of the first 1,000, {first['y_true'][:1000].mean():.1%} are positive.")


def run_step(step: str, words: list[str]) -> dict[str, object]:
    """Run this file for one step, and return its seconds and its peak in GiB."""
    start = perf_counter()
    command = [sys.executable, __file__, *words, "--step", step]
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if child.returncode:
        raise SystemExit(f"The step {step!r} failed.")
    seconds = perf_counter() - start
    *said, peak = child.stdout.splitlines()
    return {"step": step, "seconds": seconds, **json.loads(peak), "said": " ".join(said)}


def tell(options: argparse.Namespace, size: float, steps: list[dict[str, object]]) -> str:
    bins = "in files" if options.bins == "files" else "in memory"
    lines = [
        f"{options.rows:,} rows of {N_COLUMNS} columns in single precision, {size:.2f} GB of "
        f"parquet; `ifpu-xgb`, {options.rounds} rounds, prior {options.prior}, bins {bins}, "
        f"{os.cpu_count()} cores, load average {os.getloadavg()[2]:.1f} at the end.",
        "",
        "| step | seconds | CPU seconds | peak of memory, GiB |",
        "| --- | ---: | ---: | ---: |",
    ]
    for one in steps:
        numbers = f"{one['seconds']:.0f} | {one['cpu']:.0f} | {one['peak']:.2f}"
        lines.append(f"| {one['step']} | {numbers} |")
    worst = max(one["peak"] for one in steps if "in memory" not in one["step"])
    verdict = "within" if worst <= TARGET else "above"
    lines += ["", f"The peak is {verdict} the target of {TARGET} GiB. {steps[-1]['said']}"]
    return "\n".join(lines)


def measure(step: str, folder: Path, options: argparse.Namespace) -> None:
    """Do one step in this process, and print what it took as the last line."""
    if step == "rank":
        rank(folder)
    else:
        fit(folder, options)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    times = os.times()
    print(json.dumps({"peak": peak / 2**20, "cpu": times.user + times.system}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--prior", default=str(PRIOR))
    parser.add_argument("--bins", choices=("memory", "files"), default="memory")
    parser.add_argument("--in-memory", action="store_true", help="fit a frame as well")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = Path("out") / "out_of_core" / str(options.rows)
    if options.step:
        measure(options.step, folder, options)
        return
    size = make_table(folder, options.rows)
    steps = ["fit in memory"] if options.in_memory else []
    text = tell(
        options, size, [run_step(step, sys.argv[1:]) for step in (*steps, "fit", "rank")]
    )
    print(text)
    if options.out:
        head = "# Tables larger than memory\n\nMade by `benchmarks/out_of_core.py`.\n"
        before = options.out.read_text() if options.out.exists() else head
        with atomic_write(options.out) as draft:
            draft.write_text(f"{before}\n## {options.rows:,} rows\n\n{text}\n")


if __name__ == "__main__":
    main()
