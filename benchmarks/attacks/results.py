"""Damaged files of results: the run goes on as if nothing was, or names the file."""

import logging
import shutil
from pathlib import Path

from attacks.commands import check_said, run_command
from attacks.compare import check_same_results, list_files, read_finished
from attacks.damages import DAMAGES, Damage
from attacks.references import BENCH, MISSTATEMENT, REPORT, home
from attacks.verdicts import Finding, Outcome

__all__ = ["CASES", "DEADLINE", "NEEDS_REFERENCES", "run"]

CASES = len(DAMAGES)
DEADLINE = 600.0
NEEDS_REFERENCES = True

_SECONDS = 180.0
_KEYS = {
    "bench": ["key", "metric", "status"],
    "misstatement": ["view", "model", "seed", "year", "measure"],
}
_log = logging.getLogger("attack")


def run(seed: int, folder: Path) -> Outcome:
    """Damage a file of a run, then take the run up again and tell what came out.

    Parameters
    ----------
    seed : int
        Which damage.
    folder : path
        Where the copy of the run is.
    """
    damage = DAMAGES[seed % len(DAMAGES)]
    _log.info("%s: %s", damage.file, damage.what)
    where = damage.file.partition("/")[0]
    for name in (where, "attacked.toml", "panel.csv"):
        copy = shutil.copytree if (home() / name).is_dir() else shutil.copyfile
        copy(home() / name, folder / name)
    file = folder / damage.file
    if file.is_dir():
        file = _stop_half_way(folder / "bench") if where == "bench" else _first_result(file)
        damage = damage._replace(file=str(file.relative_to(folder)))
    content = damage.change(file.read_bytes() if file.exists() else b"")
    file.unlink() if content is None else file.write_bytes(content)
    try:
        return _resume(damage, where, folder)
    except Finding as found:
        note = f"{damage.file}, {damage.what}: {found}"
        raise Finding(found.outcome.verdict, note) from found


def _stop_half_way(bench: Path) -> Path:
    """Turn the results of a study into those of one that was stopped: parts, and no table."""
    import pandas as pd

    table = pd.read_parquet(bench / "table.parquet")
    (bench / "table.parquet").unlink()
    part = bench / "parts" / "digits-8-0001"
    part.mkdir(exist_ok=True)
    chosen = table[(table["dataset"] == "digits-8") & (table["repeat"] == 1)]
    for key, rows in chosen.groupby("key", sort=False):
        rows.to_parquet(part / f"{key}.parquet", index=False, write_page_checksum=True)
    for other in bench.glob("*.toml"):
        other.unlink()  # copied in at the end only
    return _first_result(part)


def _first_result(folder: Path) -> Path:
    return min(folder.rglob("*.parquet"))


def _resume(damage: Damage, where: str, folder: Path) -> Outcome:
    """Run the command again, then compare with the undisturbed run."""
    inside = damage.file.partition("/")[2]
    finished = read_finished(folder / "bench", but=inside) if where == "bench" else {}
    before = _contents(folder)
    said = run_command(BENCH if where == "bench" else MISSTATEMENT, folder, _SECONDS)
    _log.info("%s", said)
    if not check_said(said):
        _check_named(damage, said.err)
        after = _contents(folder)
        changed = [name for name, data in before.items() if after.get(name) != data]
        if changed:
            raise Finding("lost", f"{changed[:3]} were changed in spite of exit code 2")
        return Outcome("error", said.err.strip()[:300])
    if damage.sound:
        check_same_results(folder / where, home() / where, _KEYS[where])
    if where == "bench":
        kept = read_finished(folder / "bench")
        lost = [key for key, seconds in finished.items() if kept.get(key) != seconds]
        if lost:
            raise Finding("lost", f"{len(lost)} of {len(finished)} sound results are gone")
        check_said(run_command(REPORT, folder, _SECONDS))
    drafts = [name for name in list_files(folder) if Path(name).name.startswith(".")]
    if drafts:
        raise Finding("stray", f"{drafts[:3]}")
    return Outcome("result")


def _check_named(damage: Damage, said: str) -> None:
    """See that a refusal names the file, or at least its folder."""
    if Path(damage.file).name not in said and damage.file.partition("/")[0] not in said:
        raise Finding("wrong", f"the refusal does not name the file: {said.strip()[:200]}")


def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in list_files(folder)}
