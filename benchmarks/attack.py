"""Try to break lopsided, and count what comes of it.

Random tables through every method, mutated files through `lopsided rank`, kills, hostile study
files and damaged results. Each case ends in a result or in a refusal of one sentence; a
traceback, a hang, a wrong answer, a lost file and a stray file are defects. Every case has a
seed, and a run that is stopped goes on where it was as long as the code is the same.

    python benchmarks/attack.py [--jobs 2] [--only tables,files] [--cases-scale 0.01]
    python benchmarks/attack.py --case tables:17     one case again, telling what it does
    python benchmarks/attack.py --self-test          does every verdict fire?
"""

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from attacks.ledger import Ledger, as_markdown, count_verdicts, fingerprint, list_examples
from attacks.pool import Case, run_case, run_cases
from attacks.references import make_references
from attacks.verdicts import BAD

from lopsided._progress import Bar

KINDS = ("tables", "files", "kills", "studies", "results")
PAGE = Path(__file__).parent / "results" / "attack.md"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    if options.self_test:
        from attacks.self_test import check_verdicts

        return check_verdicts()
    if options.case:
        _prepare([options.case], options.out)
        return _show(options.case)
    ledger = Ledger(options.out / "results.jsonl")
    cases = _list_cases(options.only, options.cases_scale)
    outcomes = {case: one for case, one in ledger.read().items() if case in set(cases)}
    left = [case for case in cases if case not in outcomes]
    _prepare(left, options.out)
    start = time.monotonic()
    with Bar(len(left), "attacking") as bar:
        for done in run_cases(left, options.jobs):
            ledger.add(done)
            outcomes[done.case] = done.outcome
            bar.advance()
    rows = count_verdicts(outcomes, options.only)
    print(as_markdown(rows))
    print(f"\n{len(left)} cases in {time.monotonic() - start:.0f} s.", file=sys.stderr)
    for example in list_examples(outcomes):
        print(example)
    if options.cases_scale == 1 and set(options.only) == set(KINDS):
        _write_page(as_markdown(rows))
    return int(any(outcome.verdict in BAD for outcome in outcomes.values()))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", type=_as_kinds, default=KINDS, metavar="KINDS")
    parser.add_argument("--cases-scale", type=float, default=1.0, metavar="SHARE")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("out/attack"), metavar="DIR")
    parser.add_argument("--case", type=_as_case, metavar="KIND:SEED")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args(arguments)


def _as_kinds(text: str) -> tuple[str, ...]:
    words = tuple(text.split(","))
    if not set(words) <= set(KINDS):
        raise argparse.ArgumentTypeError(f"some of {','.join(KINDS)} are wanted, got {text!r}")
    return words


def _as_case(text: str) -> Case:
    kind, _, seed = text.partition(":")
    if kind not in KINDS or not seed.isdecimal():
        raise argparse.ArgumentTypeError(f"KIND:SEED is wanted, got {text!r}")
    return Case(kind, int(seed))


def _list_cases(kinds: Sequence[str], scale: float) -> list[Case]:
    """Return the cases, those that take longest first."""
    found = []
    for kind in sorted(kinds, key=lambda kind: -import_module(f"attacks.{kind}").DEADLINE):
        count = import_module(f"attacks.{kind}").CASES
        found += [Case(kind, seed) for seed in range(max(round(count * scale), 1))]
    return found


def _prepare(cases: Sequence[Case], out: Path) -> None:
    """Make the undisturbed runs that some of the cases are compared with."""
    kinds = {case.kind for case in cases}
    if any(hasattr(import_module(f"attacks.{kind}"), "NEEDS_REFERENCES") for kind in kinds):
        make_references(out / f"references-{fingerprint()}")


def _show(case: Case) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    outcome = run_case(case)
    print(f"{case.kind}:{case.seed} {outcome.verdict}: {outcome.note}")
    return int(outcome.verdict in BAD)


def _write_page(table: str) -> None:
    PAGE.parent.mkdir(exist_ok=True)
    head = "What `python benchmarks/attack.py` counted; the last five columns are defects."
    PAGE.write_text(f"{head}\n\n{table}\n", encoding="utf-8")
    print(f"Written to {PAGE}.", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
