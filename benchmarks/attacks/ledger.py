"""What has been tried: a line for each finished case, and the tables of all."""

import hashlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import lopsided
from attacks.pool import Case, Done
from attacks.sentences import generalize
from attacks.verdicts import BAD, VERDICTS, Outcome

__all__ = [
    "Ledger",
    "as_markdown",
    "count_refusals",
    "count_verdicts",
    "fingerprint",
    "list_examples",
]

_SECONDS_TO_SYNC = 5.0
_NAMES = re.compile(
    r"^([\w.]+: )?((\w+: |x: ))?(lopsided: )?"
)  # of an entry, an error, a command
_EXAMPLES = 5  # of each bad verdict
_HEADINGS = ("kind", "tried", "result", "one-sentence error", *BAD)


class Ledger:
    """A file of finished cases. Those of other code do not count.

    Parameters
    ----------
    path : path
        The file, which is added to.
    """

    def __init__(self, path: Path):
        self._path = path
        self._code = fingerprint()
        self._synced = 0.0

    def read(self) -> list[Done]:
        """Return the cases that were finished on this code."""
        found: list[Done] = []
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                try:
                    one = json.loads(line)
                except json.JSONDecodeError:
                    continue  # cut off by a kill: that case is run again
                if one["code"] == self._code:
                    outcome = Outcome(one["verdict"], one["note"])
                    found.append(Done(Case(one["kind"], one["seed"]), outcome, one["seconds"]))
        return found

    def add(self, done: Done) -> None:
        """Write a line, and see now and then that all are on disk."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        line = {
            "code": self._code,
            **done.case._asdict(),
            **done.outcome._asdict(),
            "seconds": round(done.seconds, 3),
        }
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            if time.monotonic() - self._synced > _SECONDS_TO_SYNC:
                os.fsync(file.fileno())
                self._synced = time.monotonic()


def fingerprint() -> str:
    """Return a hash of the library, of the attacks, and of what draws their arguments."""
    folders = Path(lopsided.__file__).parent, Path(__file__).parent
    sources = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    content = b"".join(file.read_bytes() for file in sources) + version("hypothesis").encode()
    return hashlib.sha256(content).hexdigest()[:12]


def count_verdicts(
    outcomes: dict[Case, Outcome], kinds: Iterable[str]
) -> list[tuple[str | int, ...]]:
    """Return a row of counts for each kind: tried, then one for each verdict."""
    counts = Counter((case.kind, outcome.verdict) for case, outcome in outcomes.items())
    rows: list[tuple[str | int, ...]] = []
    for kind in kinds:
        found = [counts[kind, verdict] for verdict in VERDICTS]
        rows.append((kind, sum(found), *found))
    return rows


def as_markdown(rows: Sequence[tuple[str | int, ...]]) -> str:
    """Return the counts as a table that is read as text, too."""
    total = ("all", *(sum(int(row[i]) for row in rows) for i in range(1, len(_HEADINGS))))
    lines = [_HEADINGS, *rows, total]
    widths = [max(len(f"{line[i]}") for line in lines) for i in range(len(_HEADINGS))]
    lines.insert(
        1, tuple("-" * w if not i else "-" * (w - 1) + ":" for i, w in enumerate(widths))
    )
    return "\n".join(
        "| "
        + " | ".join(
            f"{cell:<{w}}" if not i else f"{cell:>{w}}"
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in lines
    )


def count_refusals(outcomes: dict[Case, Outcome], n: int) -> list[tuple[str, int]]:
    """Return the sentences that were said most often, without what they quote, and the rest.

    Parameters
    ----------
    outcomes : dict
        Of all cases.
    n : int
        Sentences to list.
    """
    said = Counter(
        generalize(_NAMES.sub("", one.note))
        for one in outcomes.values()
        if one.verdict == "error" and one.note
    )
    listed = said.most_common(n)
    rest = len(said) - len(listed)
    if rest:
        listed.append(
            (f"{rest} other sentences", sum(said.values()) - sum(m for _, m in listed))
        )
    return listed


def list_examples(outcomes: dict[Case, Outcome]) -> list[str]:
    """Return the first few cases of each bad verdict, with what to type to see them again."""
    lines = []
    for verdict in BAD:
        found = sorted(case for case, outcome in outcomes.items() if outcome.verdict == verdict)
        seen: set[str] = set()
        for case in found:
            note = outcomes[case].note
            if note[:40] not in seen and len(seen) < _EXAMPLES:
                seen.add(note[:40])
                lines.append(f"{verdict}: --case {case.kind}:{case.seed}  {note[:400]}")
    return lines
