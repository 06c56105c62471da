"""Mutated files through `lopsided rank`: every row comes out unchanged, or a sentence."""

import codecs
import csv
import gzip
import io
import logging
import os
import re
import threading
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from attacks.commands import Said, check_said, run_command, run_inside
from attacks.mutations import draw_rows, mutate, pack, write_csv
from attacks.verdicts import Finding, Outcome

__all__ = ["CASES", "DEADLINE", "run"]

CASES = 1000
DEADLINE = 240.0  # half of it a command of its own, where compiled code may be gone

_METHODS = ("naive-logistic", "puhdt", "naive-logistic", "hellinger-forest")
_POSITIVE = {"1", "1.0", "true"}
_HEAD = ["rank", "id", "score", "probability", "reasons"]  # of a list
_MARKS = ",|;\t"
_OLD = b"an older ranking\n"
_MIDNIGHT = re.compile(r" 00:00:00(\.0+)?$")
_log = logging.getLogger("attack")


def run(seed: int, folder: Path) -> Outcome:
    """Rank a mutated file and count the rows that come out.

    Parameters
    ----------
    seed : int
        Decides the table and what happens to it.
    folder : path
        Where the files are.
    """
    rng = np.random.default_rng([2, seed])
    if seed % 20 == 19:
        return _attack_path(rng, folder)
    suffix = str(rng.choice([".csv", ".csv", ".tsv", ".csv.gz", ".parquet"]))
    source, out = (
        folder / f"table{suffix}",
        folder / f"ranked{rng.choice(['.csv', '.parquet'])}",
    )
    source.write_bytes(_draw_file(rng, suffix))
    words = ["rank", source.name, "--label", "y", "--jobs", "1", "-o", out.name]
    words += ["--method", str(rng.choice(_METHODS))]
    has_id = rng.random() < 0.3
    words += ["--id", "id"] if has_id else []
    if rng.random() < 0.5:
        out.write_bytes(_OLD)
    before = _contents(folder)
    real = seed % 25 == 0
    _log.info("lopsided %s", " ".join(words))
    said = run_command(words, folder, DEADLINE / 2) if real else run_inside(words)
    _log.info("%s", said)
    _check(said, folder, before, out)
    if said.code:
        return Outcome("error", said.err.strip()[:300])
    _check_rows(source, out, "id" if has_id else None)
    return Outcome("result")


def _draw_file(rng: np.random.Generator, suffix: str) -> bytes:
    rows = draw_rows(rng)
    if suffix == ".parquet":
        content, names = (
            mutate(rng, _as_parquet(rows)) if rng.random() < 0.8 else (_as_parquet(rows), [])
        )
    else:
        content, names = mutate(rng, write_csv(rows, "\t" if suffix == ".tsv" else ","))
        if suffix == ".csv.gz":
            content = pack(content)
            if rng.random() < 0.3:
                content, more = mutate(rng, content)
                names += ["packed", *more]
    _log.info("%s: %s", suffix, ", ".join(names))
    return content


def _as_parquet(rows: list[list[str]]) -> bytes:
    import pandas as pd

    frame = pd.DataFrame(rows[1:], columns=rows[0])
    frame["amount"] = frame["amount"].astype(float)
    frame["day"] = pd.to_datetime(frame["day"])
    frame["y"] = frame["y"].astype(int)
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False)
    return stream.getvalue()


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _check(said: Said, folder: Path, before: dict[str, bytes], out: Path) -> None:
    """See that a command did what it says, and touched nothing else."""
    after = _contents(folder)
    for name, content in before.items():
        if after.get(name) != content and not (said.code == 0 and name == out.name):
            raise Finding("lost", f"{name} was changed, exit code {said.code}")
    extra = set(after) - set(before) - {out.name}
    if extra:
        raise Finding("stray", f"{sorted(extra)} were left, exit code {said.code}")
    if not check_said(said) and out.name in set(after) - set(before):
        raise Finding("stray", "an output in spite of exit code 2")
    if said.code == 0 and out.name not in after:
        raise Finding("lost", "exit code 0 and no output")


def _check_rows(source: Path, out: Path, id_column: str | None) -> None:
    """Compare what came out with what an independent reader finds in the file."""
    found_names, found, separator = _read(out, None)
    names, rows, _ = _read(source, separator if ".csv" in source.name else None)
    if names.count("y") != 1:
        raise Finding(
            "wrong",
            f"{names.count('y')} columns are called y, and one was taken: {names}"[:300],
        )
    at = names.index("y")
    wanted = [row for row in rows if row[at].strip().lower() not in _POSITIVE and any(row)]
    if found_names[: len(_HEAD)] != _HEAD:
        raise Finding("wrong", f"the ranking's columns are {found_names}")
    if id_column is not None:
        place = names.index(id_column)
        wanted = [[row[place], *row[:place], *row[place + 1 :]] for row in wanted]
        found = [[row[1], *row[len(_HEAD) :]] for row in found]
    else:
        found = [row[len(_HEAD) :] for row in found]
    found = [row for row in found if any(row)]
    if len(found) != len(wanted):
        raise Finding("wrong", f"{len(found)} rows came out, {len(wanted)} were unlabeled")
    left = Counter(map(_canonical, wanted)) - Counter(map(_canonical, found))
    if left:
        raise Finding("wrong", f"cells were changed, no longer there: {next(iter(left))}"[:300])


def _canonical(row: list[str]) -> tuple[str, ...]:
    return tuple(_MIDNIGHT.sub("", cell) for cell in row)  # a day, in a csv


def _read(file: Path, separator: str | None) -> tuple[list[str], list[list[str]], str | None]:
    """Return the header and the rows of a file, and what separates its cells."""
    if file.suffix == ".parquet":
        return *_read_parquet(file), None
    content = file.read_bytes()
    text = _decode(_unpack(content) if file.suffix == ".gz" else content)
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    separator = separator or max(_MARKS, key=header.count)
    csv.field_size_limit(10**9)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows = [row for row in lines if len(row) > 1 or any(cell.strip() for cell in row)]
    width = len(rows[0])
    return rows[0], [row + [""] * (width - len(row)) for row in rows[1:]], separator


def _decode(content: bytes) -> str:
    """Return the text of bytes, of western Windows where they are no UTF."""
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return content.decode("utf-16")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _unpack(content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise Finding("wrong", f"a damaged archive was ranked: {error}") from error


def _read_parquet(file: Path) -> tuple[list[str], list[list[str]]]:
    """Return names and cells as text, numbers and dates in one form whatever their type."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(file)
    columns = [[_text(cell) for cell in column.to_pylist()] for column in table.columns]
    return table.column_names, [list(row) for row in zip(*columns, strict=True)]


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _attack_path(rng: np.random.Generator, folder: Path) -> Outcome:
    """Rank files that are no plain files, or into such."""
    good = write_csv(draw_rows(np.random.default_rng(0)), ",")
    (folder / "good.csv").write_bytes(good)
    where = list(_PATHS)[int(rng.integers(len(_PATHS)))]
    table, out = _PATHS[where](folder, good)
    _log.info("%s", where)
    words = ["rank", table, "--label", "y", "--method", "naive-logistic", "-o", out]
    said = run_inside([*words, "--jobs", "1"])
    _log.info("%s", said)
    if (folder / "good.csv").read_bytes() != good:
        raise Finding("lost", f"{where}: the table was overwritten")
    drafts = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if drafts:
        raise Finding("stray", f"{where}: {drafts}")
    check_said(said)
    if said.code == 0 and not Path(folder / out).exists():
        raise Finding("lost", f"{where}: exit code 0 and no output")
    return Outcome("error" if said.code else "result", said.err.strip()[:300])


def _pipe(folder: Path, good: bytes) -> tuple[str, str]:
    os.mkfifo(folder / "pipe.csv")

    def feed() -> None:
        try:
            (folder / "pipe.csv").write_bytes(good)
        except OSError:
            return  # the reader has gone

    threading.Thread(target=feed, daemon=True).start()
    return "pipe.csv", "out.csv"


def _link(name: str, target: str, *answer: str) -> Any:
    def make(folder: Path, good: bytes) -> tuple[str, ...]:
        (folder / name).symlink_to(target)
        return answer

    return make


def _hard_link(folder: Path, good: bytes) -> tuple[str, str]:
    os.link(folder / "good.csv", folder / "same.csv")
    return "good.csv", "same.csv"


def _folder(folder: Path, good: bytes) -> tuple[str, str]:
    (folder / "folder.csv").mkdir()
    return "folder.csv", "out.csv"


_PATHS: dict[str, Any] = {
    "a pipe": _pipe,
    "a folder": _folder,
    "into a folder": lambda folder, good: (_folder(folder, good), ("good.csv", "folder.csv"))[
        1
    ],
    "into the table": lambda folder, good: ("good.csv", "good.csv"),
    "into the table by a link": _link("link.csv", "good.csv", "good.csv", "link.csv"),
    "into the table by a hard link": _hard_link,
    "a loop of links": _link("loop.csv", "loop.csv", "loop.csv", "out.csv"),
    "into a loop of links": _link("loop.csv", "loop.csv", "good.csv", "loop.csv"),
    "a link to nowhere": _link("void.csv", "nowhere.csv", "void.csv", "out.csv"),
    "into a link to nowhere": _link("void.csv", "later.csv", "good.csv", "void.csv"),
    "a long name": lambda folder, good: ("good.csv", "x" * 250 + ".csv"),
    "a name too long": lambda folder, good: ("good.csv", "x" * 300 + ".csv"),
    "a long path": lambda folder, good: ("good.csv", "/".join(["y" * 200] * 30) + "/out.csv"),
    "a device": lambda folder, good: ("/dev/null", "out.csv"),
    "into a device": lambda folder, good: ("good.csv", "/dev/full"),
    "no suffix": lambda folder, good: ("good.csv", "ranked"),
    "no name": lambda folder, good: ("good.csv", ""),
    "a name with NUL": lambda folder, good: ("good.csv", "a\x00b.csv"),
    "into a file as a folder": lambda folder, good: ("good.csv", "good.csv/out.csv"),
    "a new folder": lambda folder, good: ("good.csv", "new/er/out.csv"),
    "another suffix": lambda folder, good: ("good.csv", "out.csv.zip"),
    "upper case": lambda folder, good: ("good.csv", "OUT.CSV"),
    "a name with a newline": lambda folder, good: ("good.csv", "two\nlines.csv"),
    "a name with an escape": lambda folder, good: ("good.csv", "\x1b[31mred.csv"),
}
