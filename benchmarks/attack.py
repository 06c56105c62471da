"""Try to break lopsided, and count what comes of it.

Every public function, class and command with arguments that hypothesis draws: plain ones, whose
answers must have the properties that were promised, and odd ones. Beside these, random tables
through every method, mutated files through `lopsided rank`, kills, hostile study files and
damaged results. Each case ends in a result or in a refusal of one sentence; a traceback, a
warning of another library, a hang, a wrong answer, a lost file and a stray file are defects.
Every case has a seed, and a run that is stopped goes on where it was as long as the code is the
same.

    python benchmarks/attack.py [--cases 100000] [--jobs 2] [--only metrics,files]
    python benchmarks/attack.py --case metrics:17    one case again, telling what it does
    python benchmarks/attack.py --self-test          does every verdict fire?
"""

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attacks.kinds import CASES, KINDS, list_seeds
from attacks.ledger import (
    Ledger,
    as_markdown,
    count_refusals,
    count_verdicts,
    fingerprint,
    list_examples,
)
from attacks.pool import Case, Done, run_batch, run_cases
from attacks.references import make_references
from attacks.verdicts import BAD, Outcome

from lopsided._progress import Bar

PAGE = Path(__file__).parent / "results" / "attack.md"
_N_SENTENCES = 15  # on the page


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    if options.self_test:
        from attacks.self_test import check_verdicts

        return check_verdicts()
    if options.case:
        _prepare([options.case], options.out)
        return _show(options.case)
    ledger = Ledger(options.out / "results.jsonl")
    cases = _list_cases(options.only, options.cases)
    found = {done.case: done for done in ledger.read() if done.case in set(cases)}
    left = [case for case in cases if case not in found]
    _prepare(left, options.out)
    start = time.monotonic()
    with Bar(len(left), "attacking") as bar:
        for done in run_cases(left, options.jobs):
            ledger.add(done)
            found[done.case] = done
            bar.advance()
            if done.outcome.verdict in BAD:
                _say(f"{done.case.kind}:{done.case.seed} {done.outcome}")
    page = render(found, options.only, options.cases)
    print(page)
    _say(f"{len(left)} cases in {time.monotonic() - start:.0f} s.")
    outcomes = {case: done.outcome for case, done in found.items()}
    for example in list_examples(outcomes):
        print(example)
    if options.cases == CASES and set(options.only) == set(KINDS):
        PAGE.write_text(page, encoding="utf-8")
        _say(f"Written to {PAGE}.")
    return int(any(outcome.verdict in BAD for outcome in outcomes.values()))


def render(found: dict[Case, Done], kinds: Sequence[str], cases: int) -> str:
    """Return the page: what came of each kind, and which sentences were said.

    Parameters
    ----------
    found : dict
        All cases.
    kinds : sequence of str
        The kinds that were asked for.
    cases : int
        How many cases were.
    """
    outcomes = {case: done.outcome for case, done in found.items()}
    seconds = sorted(done.seconds for done in found.values())
    sentences = "\n".join(
        f"| {text.replace('|', chr(92) + '|')} | {n} |"
        for text, n in count_refusals(outcomes, _N_SENTENCES)
    )
    return (
        f"What `python benchmarks/attack.py --cases {cases}` counted; the last five columns "
        "are defects. `tables` to `results` are cases of their own, all others are drawn by "
        "hypothesis: a module of `benchmarks/attacks/entries` each.\n\n"
        f"{as_markdown(count_verdicts(outcomes, kinds))}\n\n"
        f"A case took {1000 * sum(seconds) / len(seconds):.0f} ms on average and "
        f"{seconds[-1]:.0f} s at most.\n\n"
        f"| what refusals said most often | cases |\n| --- | ---: |\n{sentences}\n"
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=CASES, metavar="N")
    parser.add_argument("--only", type=_as_kinds, default=tuple(KINDS), metavar="KINDS")
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


def _list_cases(kinds: Sequence[str], cases: int) -> list[Case]:
    """Return the cases, those that take longest first."""
    chosen = sorted((KINDS[name] for name in kinds), key=lambda kind: -kind.deadline)
    return [Case(kind.name, seed) for kind in chosen for seed in list_seeds(kind, cases)]


def _prepare(cases: Sequence[Case], out: Path) -> None:
    """Make the undisturbed runs that some of the cases are compared with."""
    kinds = {case.kind for case in cases if not KINDS[case.kind].drawn}
    if any(hasattr(KINDS[kind].module, "NEEDS_REFERENCES") for kind in kinds):
        make_references(out / f"references-{fingerprint()}")


def _show(case: Case) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    found: list[Outcome] = []
    run_batch([case], lambda _, outcome: found.append(outcome))
    print(f"{case.kind}:{case.seed} {found[0].verdict}: {found[0].note}")
    return int(found[0].verdict in BAD)


if __name__ == "__main__":
    sys.exit(main())
