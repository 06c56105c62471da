"""Run a method again on the first repeats of the paper's study, beside the committed table.

Splits, labels and seeds are those of `studies/paper.toml`: what differs is the method's code.

    python benchmarks/paper_slice.py [--method focused] [--repeats 3] [--jobs 2] [--out FILE]

A run that is stopped goes on where it was; another commit needs another --folder.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import pandas as pd

from lopsided_bench.runner import run_study
from lopsided_bench.study import read_study

ROOT = Path(__file__).parents[1] / "studies"
CELL = ["dataset", "mechanism", "hidden", "repeat"]
TARGET = 0.002


def compare(method: str, repeats: int, jobs: int, folder: Path) -> pd.DataFrame:
    """Return the average precision of each cell, as committed and as it is now."""
    study = read_study(ROOT / "paper.toml")
    wanted = [one for one in study.methods if one.label == method]
    if not wanted:
        raise SystemExit(f"The paper's study has no method {method}.")
    study = replace(study, methods=tuple(wanted), repeats=repeats)
    now = run_study(study, folder, n_workers=jobs)
    before = pd.read_parquet(ROOT / "results" / "paper.parquet")

    def values(table: pd.DataFrame) -> pd.Series:
        kept = table[(table["label"] == method) & (table["metric"] == "average_precision")]
        return kept[kept["repeat"] < repeats].set_index(CELL)["value"]

    return pd.DataFrame({"committed": values(before), "now": values(now)}).dropna()


def describe(cells: pd.DataFrame, command: str) -> str:
    """Return a page of macro means, setting by setting and set by set."""
    lines = ["# The paper's slice", "", f"    {command}", ""]
    lines += [f"{len(cells)} cells. Macro average precision, committed and now:", ""]
    for keys in (["mechanism", "hidden"], ["dataset"]):
        means = cells.groupby(keys).mean()
        lines += [f"| {', '.join(keys)} | committed | now | difference |"]
        lines += ["| --- | ---: | ---: | ---: |"]
        for key, row in means.iterrows():
            name = ", ".join(map(str, key)) if isinstance(key, tuple) else key
            change = row["now"] - row["committed"]
            lines += [f"| {name} | {row['committed']:.4f} | {row['now']:.4f} | {change:+.4f} |"]
        lines += [""]
    mean = (cells["now"] - cells["committed"]).mean()
    error = (cells["now"] - cells["committed"]).groupby("dataset").mean().sem()
    verdict = "met" if mean >= -TARGET else "missed"
    lines += [
        f"All: {cells['committed'].mean():.4f} and {cells['now'].mean():.4f}, {mean:+.4f} with "
        f"a standard error of {error:.4f} over sets (target at least -{TARGET}: {verdict})."
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--method", default="focused")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("out/paper_slice"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    cells = compare(options.method, options.repeats, options.jobs, options.folder)
    command = f"python benchmarks/paper_slice.py --method {options.method}"
    page = describe(cells, f"{command} --repeats {options.repeats}")
    print(page)
    if options.out:
        options.out.write_text(page)


if __name__ == "__main__":
    main()
