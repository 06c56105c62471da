"""Hostile study files through `lopsided bench`."""

import logging
import os
from pathlib import Path

from attacks.commands import check_said, run_command
from attacks.compare import list_files
from attacks.hostile_studies import STUDIES
from attacks.verdicts import Finding, Outcome, check_terminal

__all__ = ["CASES", "DEADLINE", "run"]

CASES = len(STUDIES)
DEADLINE = 240.0

_SECONDS = 90.0  # that a study of one small table may take on a busy machine
_log = logging.getLogger("attack")


def run(seed: int, folder: Path) -> Outcome:
    """Ask how long a hostile study would take; run those that are small.

    Parameters
    ----------
    seed : int
        Which of them.
    folder : path
        Where the file is.
    """
    hostile = STUDIES[seed % len(STUDIES)]
    _log.info("%s", hostile.what)
    (folder / hostile.name).write_bytes(hostile.content)
    accepted = True
    for words in (["--dry-run"], []) if hostile.run else (["--dry-run"],):
        said = run_command(["bench", hostile.name, "--out", "out", *words], folder, _SECONDS)
        _log.info("%s", said)
        try:
            accepted = accepted and check_said(said)
            check_terminal(said.out)
            _check_folder(folder, hostile.name, dry=bool(words))
        except Finding as found:
            raise Finding(found.outcome.verdict, f"{hostile.what}: {found}") from found
    if hostile.wanted != "either" and accepted != (hostile.wanted == "result"):
        did = "is accepted" if accepted else f"is refused: {said.err[:200]}"
        raise Finding("wrong", f"{hostile.what} {did}")
    return Outcome("result" if accepted else "error", said.err.strip()[:300])


def _check_folder(folder: Path, name: str, dry: bool) -> None:
    """See that a dry run writes nothing, and that a real one stays in its folder."""
    found = list_files(folder) - {name}
    extra = found if dry else {one for one in found if not one.startswith("out" + os.sep)}
    drafts = {one for one in found if Path(one).name.startswith(".")}
    if extra | drafts:
        raise Finding("stray", f"{sorted(extra | drafts)[:3]}")
