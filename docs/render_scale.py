"""The tables of docs/scale.md, copied from what the benchmarks found, and what they promise."""

import re
from pathlib import Path

from render_deciding import copy_table

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_MEASURED = "20,000,000 rows"
_ROWS, _COLUMNS, _ROUNDS = 20_000_000, 30, 50
_CORES = 64  # of one machine of a cluster
_BYTES = 2  # a value, binned


def promise(fit: float, rank: float) -> str:
    """Return what more rows would cost, by the measured seconds of cores.

    Parameters
    ----------
    fit, rank : float
        Seconds of cores for 20 million rows.
    """
    lines = [
        "| rows | fit, hours of cores | rank, hours of cores | bins, GB | "
        f"hours on 10 machines of {_CORES} cores |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for power in range(8, 11):
        times = 10**power / _ROWS
        hours = [times * seconds / 3600 for seconds in (fit, rank)]
        size = 10**power * _COLUMNS * _BYTES / 1e9
        cells = [f"10^{power}", *(f"{one:,.1f}" for one in hours), f"{size:,.0f}"]
        lines.append(f"| {' | '.join([*cells, f'{sum(hours) / 10 / _CORES:.2f}'])} |")
    return "\n".join(lines)


def _core_seconds(page: str, step: str) -> float:
    """Return what a step took of the cores on the largest table."""
    _, _, after = page.partition(f"## {_MEASURED}\n")
    found = re.search(rf"^\| {step} \| \d+ \| (\d+) \|", after, re.MULTILINE)
    if found is None:
        raise ValueError(f"The page must have the step {step!r} of {_MEASURED}, and has not.")
    return float(found[1])


def render_scale() -> dict[str, str]:
    """Return the tables of the page by the names of their markers."""
    scale, ranking, batches = (
        (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        for name in ("scale", "ranking_cost", "out_of_core")
    )
    ranked = copy_table(ranking, "    python benchmarks/ranking_cost.py")
    seconds = (_core_seconds(batches, step) for step in ("fit", "rank"))
    return {
        "seconds of a ranking": ranked.replace(" (met)", ""),  # the page tells the target
        "quality of a ranking": copy_table(ranking, "The target is 4 times as fast."),
        "made-up tables": copy_table(scale, "## Made-up tables"),
        "real tables": copy_table(scale, "## Real tables"),
        "the largest table": copy_table(batches, f"## {_MEASURED}"),
        "what more rows would cost": promise(*seconds),
    }
