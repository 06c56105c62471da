"""Change model files at random, load what comes of it, and count what happens.

Bits flipped, pieces cut, members swapped; and files as an attacker makes them, with manifest,
members, schema or arrays changed and all checksums right. Each must be refused with one
sentence or load to a model with equal scores. A file whose checksums were made anew is its
author's: it may hold another model, and that is counted apart. A traceback, a hang, a crash,
anything executed, a wrong score and more memory than a gigabyte are defects.

    python benchmarks/mutated_models.py [--cases 2000]
    python benchmarks/mutated_models.py --case 17          one case again
"""

import argparse
import json
import resource
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "store"))

from mutations import DAMAGES, FORGERIES, judge, make_files, mutate, watch

PAGE = Path(__file__).parent / "results" / "mutated_models.md"
GOOD = ("refused", "equal scores", "another model")
DEFECTS = ("wrong", "traceback", "executed", "hang", "crash", "memory")
_PATIENCE = 60  # seconds for a case
_MAX_PEAK = 2**30  # bytes above what a process has before its first case


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--case", type=int)
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(*options.work)
    if options.case is not None:
        return work(options.case, options.case + 1)
    start, verdicts, slowest = time.monotonic(), {}, 0.0
    peak = 0
    for seed, verdict, seconds, own_peak in run(options.cases):
        verdicts[seed] = verdict
        slowest, peak = max(slowest, seconds), max(peak, own_peak)
        if verdict.partition(":")[0] not in GOOD:
            print(f"case {seed}: {verdict}")
    page = render(verdicts, slowest, peak)
    print(page)
    print(f"{len(verdicts)} cases in {time.monotonic() - start:.0f} s.", file=sys.stderr)
    if options.cases == 2000:
        PAGE.write_text(page)
    return int(any(verdict.partition(":")[0] not in GOOD for verdict in verdicts.values()))


def run(n_cases: int) -> Iterator[tuple[int, str, float, int]]:
    """Yield the verdict of each case; a process that dies or hangs is replaced."""
    seed = 0
    while seed < n_cases:
        command = [sys.executable, __file__, "--work", str(seed), str(n_cases)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as one:
            assert one.stdout is not None
            patience = 10 * _PATIENCE  # models are fitted first
            while seed < n_cases:
                ready, _, _ = select.select([one.stdout], [], [], patience)
                line = one.stdout.readline() if ready else b""
                if not line:
                    one.kill()
                    yield seed, "crash" if ready else "hang", 0.0, 0
                    seed += 1
                    break
                patience = _PATIENCE
                number, verdict, seconds, peak = json.loads(line)
                if number < 0:  # ready for the first case
                    continue
                yield number, verdict, seconds, peak
                seed = number + 1


def work(first: int, stop: int) -> int:
    """Judge some cases, a line each."""
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder))
        path = Path(folder) / "case.lop"
        for name, (data, scores) in files.items():  # compiles, imports
            case = mutate(0, {name: (data, scores)})._replace(data=data)
            assert judge(case, path, scores) == "equal scores", name
        watch()
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps([-1, "ready", 0.0, 0]), flush=True)
        for seed in range(first, stop):
            case = mutate(seed, files)
            start = time.monotonic()
            verdict = judge(case, path, files[case.model][1])
            peak = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base)
            if peak > _MAX_PEAK:
                verdict = f"memory: {peak}"
            print(json.dumps([seed, verdict, time.monotonic() - start, peak]), flush=True)
    return 0


def render(verdicts: dict[int, str], slowest: float, peak: int) -> str:
    """Return the page: a row for each way to change a file."""
    kinds = (*DAMAGES, *FORGERIES)
    columns = (*GOOD, *DEFECTS)
    counts = {kind: Counter[str]() for kind in (*kinds, "all")}
    for seed, verdict in verdicts.items():
        word = verdict.partition(":")[0]
        counts[kinds[seed % len(kinds)]][word] += 1
        counts["all"][word] += 1
    titles = {kind: f"{kind}, signed again" for kind in FORGERIES}
    rows = [["what was changed", "tried", *columns]]
    rows += [
        [titles.get(kind, kind), str(own.total()), *(str(own[column]) for column in columns)]
        for kind, own in counts.items()
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    return (
        "What `python benchmarks/mutated_models.py` counted; the last six columns are defects. "
        "A file that is signed again has right checksums, and may hold another model.\n\n"
        + "\n".join([lines[0], rule, *lines[1:]])
        + f"\n\nThe slowest case took {slowest:.1f} s, and the peak of memory was "
        f"{peak / 2**20:.0f} MiB above that of loading the models as they were saved.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
