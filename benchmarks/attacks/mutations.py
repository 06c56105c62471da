"""Tables as files, and what may happen to a file on its way."""

import csv
import gzip
import io
from collections.abc import Callable

import numpy as np

__all__ = ["MUTATIONS", "draw_rows", "mutate", "pack", "write_csv"]

Rng = np.random.Generator
_WORDS = (
    "red",
    "blue",
    "a,b",
    'say "hi"',
    "two\nlines",
    "é",
    "",
    " padded ",
    "a\tb",
    "x;y",
    "\u2028",
)


def draw_rows(rng: Rng) -> list[list[str]]:
    """Return a header and rows of text: id, number, money, date, category, label."""
    n = int(rng.integers(12, 60))
    calm = rng.random() < 0.5
    words = ("red", "blue", "green") if calm else _WORDS
    labels = (rng.random(n) < 0.3).astype(int)
    labels[rng.permutation(n)[:6]] = [1, 1, 1, 0, 0, 0]
    rows = [["id", "amount", "price", "day", "kind", "y"]]
    for i in range(n):
        rows.append(
            [
                f"A{i:03d}",
                f"{rng.normal():.4f}",
                f"${rng.integers(1, 9999):,}",
                f"2024-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}",
                str(rng.choice(words)),
                str(labels[i]),
            ]
        )
    return rows


def write_csv(rows: list[list[str]], separator: str, ending: str = "\n") -> bytes:
    """Return rows as the bytes of a file."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=ending).writerows(rows)
    return text.getvalue().encode()


def pack(content: bytes) -> bytes:
    """Return gzipped bytes, the same every time."""
    return gzip.compress(content, mtime=0)


def _spot(rng: Rng, data: bytes) -> int:
    return int(rng.integers(len(data) + 1))


def _insert(rng: Rng, data: bytes, piece: bytes) -> bytes:
    spot = _spot(rng, data)
    return data[:spot] + piece + data[spot:]


def _flip(rng: Rng, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 4)) if data else 0):
        changed[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _swap(old: bytes, new: bytes) -> Callable[[Rng, bytes], bytes]:
    return lambda rng, data: data.replace(old, new, int(rng.integers(1, 9)))


def _swap_all(old: bytes, new: bytes) -> Callable[[Rng, bytes], bytes]:
    return lambda rng, data: data.replace(old, new)


def _put(*pieces: bytes) -> Callable[[Rng, bytes], bytes]:
    return lambda rng, data: _insert(rng, data, pieces[rng.integers(len(pieces))])


def _shuffle_lines(rng: Rng, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[i] for i in rng.permutation(len(lines)))


def _repeat_line(rng: Rng, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at = int(rng.integers(len(lines))) if lines else 0
    return b"".join([*lines[:at], *lines[at : at + 1] * 2, *lines[at + 1 :]])


def _cut_line(rng: Rng, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at = int(rng.integers(len(lines))) if lines else 0
    return b"".join([*lines[:at], lines[at][: len(lines[at]) // 2] + b"\n", *lines[at + 1 :]])


def _recode(encoding: str) -> Callable[[Rng, bytes], bytes]:
    return lambda rng, data: data.decode(errors="replace").encode(encoding, errors="replace")


MUTATIONS: dict[str, Callable[[Rng, bytes], bytes]] = {
    "nothing": lambda rng, data: data,
    "flipped bits": _flip,
    "cut off": lambda rng, data: data[: _spot(rng, data)],
    "without its start": lambda rng, data: data[_spot(rng, data) :],
    "without its last newline": lambda rng, data: data.rstrip(b"\r\n"),
    "random bytes": lambda rng, data: _insert(rng, data, rng.bytes(int(rng.integers(1, 9)))),
    "quotes": _put(b'"', b'""', b"'", b'"\n"', b',"'),
    "quotes swapped": _swap(b'"', b"'"),
    "carriage returns": _put(b"\r", b"\r\n", b"\n\r"),
    "old Mac": _swap_all(b"\n", b"\r"),
    "Windows": _swap_all(b"\n", b"\r\n"),
    "NUL": _put(b"\x00", b"\x00\x00"),
    "mark in front": lambda rng, data: b"\xef\xbb\xbf" + data,
    "two marks in front": lambda rng, data: b"\xef\xbb\xbf" * 2 + data,
    "mark inside": _put(b"\xef\xbb\xbf"),
    "UTF-16": _recode("utf-16"),
    "UTF-16 without a mark": _recode("utf-16-le"),
    "Latin-1": _recode("latin-1"),
    "escapes": _put(b"\x1b[31m", b"\x1b]0;x\x07", b"\x9b2J", b"\x7f"),
    "separators": _put(b",", b",,,", b";", b"\t", b"|"),
    "blank lines": _put(b"\n", b"\n\n\n", b"\n  \n", b"\n,,,,,\n"),
    "huge field": lambda rng, data: _insert(
        rng, data, b"x" * int(rng.choice([140_000, 70_000]))
    ),
    "huge number": _put(b"1e999", b"9" * 400, b"nan", b"inf", b"-inf", b"0x10", b"1_000"),
    "lines shuffled": _shuffle_lines,
    "line twice": _repeat_line,
    "line cut": _cut_line,
    "header only": lambda rng, data: data.split(b"\n")[0] + b"\n",
    "no header": lambda rng, data: data.partition(b"\n")[2],
    "empty": lambda rng, data: b"",
    "only spaces": lambda rng, data: b"   \n  \n",
    "names twice": lambda rng, data: data.replace(b"price", b"amount", 1),
    "label twice": lambda rng, data: data.replace(b"kind", b"y", 1),
    "name gone": lambda rng, data: data.replace(b"price", b"", 1),
    "ours as names": lambda rng, data: data.replace(b"price", b"score", 1).replace(
        b"kind", b"rank", 1
    ),
    "decimal commas": lambda rng, data: data.replace(b",", b";").replace(b".", b","),
    "labels as words": lambda rng, data: data.replace(b",1\n", b",yes\n").replace(
        b",0\n", b",no\n"
    ),
    "labels blank": lambda rng, data: data.replace(b",0\n", b",\n"),
    "formulas": _put(b"=1+1", b"@SUM(1)", b"-2+3"),
    "comment": _put(b"\n# a comment\n", b"#"),
}
"""By name; each takes the bytes of a file and returns others."""


def mutate(rng: Rng, data: bytes) -> tuple[bytes, list[str]]:
    """Return mutated bytes, and the names of what was done."""
    count = int(rng.choice([1, 1, 1, 2, 3]))
    names = [str(name) for name in rng.choice(list(MUTATIONS), count)]
    for name in names:
        data = MUTATIONS[name](rng, data)
    return data, names
