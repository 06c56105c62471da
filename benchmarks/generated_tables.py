"""Generate tables and label columns, take each through check, fit and rank, and count.

Cells are drawn by hypothesis, all else from a seed: columns and names of any kind, labels in
any writing, with and without ids and groups. Some tables reach the library as a frame, some by
a file, some by the command line, and some go on to be explained, stored, reviewed and reported.
Each must end in a result of which all holds that should, or in one sentence that says what to
do. A traceback, a warning of a library, a message that is no sentence, a wrong result and a
hang are defects. A run that is stopped goes on where it was as long as the code is the same.

    python benchmarks/generated_tables.py [--cases 10000] [--jobs 2]
    python benchmarks/generated_tables.py --case 3:17          one case again
"""

import argparse
import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from attacks.ledger import fingerprint
from attacks.sentences import generalize
from attacks.user_journeys import travel
from attacks.user_tables import STEPS, Recipe, cells, draw_recipe
from attacks.verdicts import Finding
from hypothesis import HealthCheck, Phase, given, seed, settings

PAGE = Path(__file__).parent / "results" / "generated_tables.md"
WAYS = {"frame": "data frames", "file": "files", "command": "the command line"}
DEFECTS = ("traceback", "sentence", "wrong", "slow", "hang")
_CHUNK = 100  # cases of one seed
_MAX_SECONDS = 20
_PATIENCE = 300  # seconds until a case counts as hanging
_N_KINDS = 15  # sentences on the page


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/generated_tables"))
    parser.add_argument("--case", metavar="CHUNK:NUMBER")
    parser.add_argument("--work", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(*options.work)
    if options.case:
        return show(*map(int, options.case.split(":")))
    ledger = options.out / f"{fingerprint()}.jsonl"
    ledger.parent.mkdir(parents=True, exist_ok=True)
    cases = run_all(range(-(-options.cases // _CHUNK)), options.jobs, ledger)
    for one in cases:
        if one["defect"]:
            print(f"--case {one['chunk']}:{one['number']}  {one['defect']}: {one['said']}")
    page = render(cases)
    print(page)
    if options.cases == 10_000:
        PAGE.write_text(page, encoding="utf-8")
    return int(any(one["defect"] for one in cases))


def run_all(chunks: Iterable[int], jobs: int, ledger: Path) -> list[dict[str, Any]]:
    """Return all cases, those of the ledger and those that are run now and added to it."""
    known = (
        [json.loads(line) for line in ledger.read_text().splitlines()]
        if ledger.exists()
        else []
    )
    done = {(one["chunk"], one["number"]): one for one in known}
    lock = threading.Lock()

    def finish(chunk: int) -> None:
        start = 1 + max((number for own, number in done if own == chunk), default=-1)
        if start == _CHUNK:
            return
        for one in run_chunk(chunk, start):
            with lock, open(ledger, "a", encoding="utf-8") as file:
                file.write(json.dumps(one) + "\n")
                done[chunk, one["number"]] = one
                if one["defect"]:
                    print(f"{one}", file=sys.stderr, flush=True)

    wanted = list(chunks)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(finish, wanted))
    return [done[key] for key in sorted(done) if key[0] in set(wanted)]


def run_chunk(chunk: int, start: int) -> Iterator[dict[str, Any]]:
    """Yield the cases of a chunk; a process that dies or hangs is replaced."""
    while start < _CHUNK:
        command = [sys.executable, __file__, "--work", str(chunk), str(start)]
        alone = {**os.environ, "OMP_NUM_THREADS": "1"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=alone) as one:
            assert one.stdout is not None
            while start < _CHUNK:
                ready, _, _ = select.select([one.stdout], [], [], _PATIENCE)
                line = one.stdout.readline() if ready else b""
                if not line:
                    one.kill()
                    told = "no answer" if ready == [] else f"died with {one.wait()}"
                    yield _note(chunk, start, "frame", defect="hang", said=told)
                    start += 1
                    break
                case = json.loads(line)
                yield case
                start = case["number"] + 1


def work(chunk: int, start: int) -> int:
    """Take the cases of a chunk from one on to their end, a line each."""
    out = os.fdopen(os.dup(1), "w")  # whatever else is printed
    for number in range(3):  # imports and compiles
        recipe = draw_recipe(number, (1,))
        with tempfile.TemporaryDirectory() as folder, contextlib.suppress(Exception):
            travel(replace(recipe, way="frame", steps=frozenset(STEPS)), Path(folder))
    for_each(chunk, lambda number, recipe: _judge(out, chunk, number, recipe, start))
    return 0


def for_each(chunk: int, call: Callable[[int, Recipe], None]) -> None:
    """Call a function with each recipe of a chunk, in the order in which they are drawn."""
    count = iter(range(10 * _CHUNK))

    @seed(chunk)
    @settings(
        max_examples=_CHUNK,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cells())
    def one(drawn: tuple[Any, ...]) -> None:
        number = next(count)
        if number < _CHUNK:
            call(number, draw_recipe([chunk, number], drawn))

    one()


def _judge(out: Any, chunk: int, number: int, recipe: Recipe, start: int) -> None:
    if number < start:
        return
    began, facts = time.monotonic(), {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            ending = travel(recipe, Path(folder))
            facts = {"step": ending.step, "said": ending.said}
        except Finding as found:
            facts = {"defect": found.outcome.verdict, "said": found.outcome.note}
        except Exception as error:
            facts = {"defect": "traceback", "said": f"{error!r}"[:400]}
    seconds = time.monotonic() - began
    if seconds > _MAX_SECONDS and "defect" not in facts:
        facts = {"defect": "slow", "said": f"{seconds:.0f} s"}
    print(json.dumps(_note(chunk, number, recipe.way, seconds=seconds, **facts)), file=out)
    out.flush()


def _note(chunk: int, number: int, way: str, **facts: Any) -> dict[str, Any]:
    blank = {"defect": "", "step": "", "said": "", "seconds": 0.0}
    return {"chunk": chunk, "number": number, "way": way, **blank, **facts}


def show(chunk: int, wanted: int) -> int:
    """Run one case again, telling what it is and how it ends."""

    def tell(number: int, recipe: Recipe) -> None:
        if number != wanted:
            return
        print(recipe)
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(travel(recipe, Path(folder)))
            except Exception:
                traceback.print_exc()

    for_each(chunk, tell)
    return 0


def render(cases: list[dict[str, Any]]) -> str:
    """Return the page: what came of each way, and which sentences were said."""
    rows = [["the table came by", "tried", "ranked", "refused in a sentence", *DEFECTS]]
    for way, title in (*WAYS.items(), ("", "all")):
        own = [one for one in cases if way in ("", one["way"])]
        defects = Counter(one["defect"] for one in own)
        refused = sum(bool(one["said"]) and not one["defect"] for one in own)
        ranked = sum(not one["said"] and not one["defect"] for one in own)
        counts = (len(own), ranked, refused, *(defects[kind] for kind in DEFECTS))
        rows.append([title, *map(str, counts)])
    said = Counter(
        (one["step"], generalize(one["said"]))
        for one in cases
        if one["said"] and not one["defect"]
    )
    sentences = [["refused at", "because", "cases"]]
    sentences += [[*kind, str(count)] for kind, count in said.most_common(_N_KINDS)]
    rest = sum(said.values()) - sum(count for _, count in said.most_common(_N_KINDS))
    sentences.append(["", f"{max(len(said) - _N_KINDS, 0)} other sentences", str(rest)])
    slowest = max(one["seconds"] for one in cases)
    mean = sum(one["seconds"] for one in cases) / len(cases)
    return (
        "What `python benchmarks/generated_tables.py` counted; the last five columns are "
        f"defects.\n\n{_as_table(rows)}\n\nA case took {1000 * mean:.0f} ms on average and "
        f"{slowest:.1f} s at most.\n\n{_as_table(sentences)}\n"
    )


def _as_table(rows: list[list[str]]) -> str:
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = "| " + " | ".join("-" * width for width in widths) + " |"
    return "\n".join([lines[0], rule, *lines[1:]])


if __name__ == "__main__":
    sys.exit(main())
