"""What may have happened to a file of results since it was written."""

import io
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["DAMAGES", "Damage"]

_PART, _SCORES = "bench/parts", "misstatement/scores"


class Damage(NamedTuple):
    """A file of a finished or a stopped run, or a folder of such, and what is done to one."""

    file: str
    what: str
    change: Callable[[bytes], bytes | None]  # None: the file is gone
    sound: bool = True  # what comes out must be as undisturbed; else only no traceback


def _cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def _empty(data: bytes) -> bytes:
    return b""


def _zeros(data: bytes) -> bytes:
    """Return what a file system may leave after a power cut: the size without the content."""
    return bytes(len(data))


def _garbage(data: bytes) -> bytes:
    return b"PAR1" + b"\xff\xfe" * 200 + b"PAR1"


def _flip(data: bytes) -> bytes:
    spot = len(data) // 2
    return data[:spot] + bytes([data[spot] ^ 0x10]) + data[spot + 1 :]


def _as_frame(change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    """Return a change of the table that a parquet file holds."""

    def rewrite(data: bytes) -> bytes:
        import pandas as pd

        stream = io.BytesIO()
        change(pd.read_parquet(io.BytesIO(data))).to_parquet(stream, index=False)
        return stream.getvalue()

    return rewrite


DAMAGES: tuple[Damage, ...] = (
    Damage("bench/table.parquet", "cut", _cut),
    Damage("bench/table.parquet", "empty", _empty),
    Damage("bench/table.parquet", "zeros", _zeros),
    Damage("bench/table.parquet", "a flipped bit", _flip, sound=False),
    Damage("bench/table.parquet", "no values", _as_frame(lambda t: t.drop(columns="value"))),
    Damage("bench/table.parquet", "words for values", _as_frame(lambda t: t.assign(value="x"))),
    Damage("bench/table.parquet", "no rows", _as_frame(lambda t: t.iloc[:0])),
    Damage("bench/table.parquet", "no keys", _as_frame(lambda t: t.assign(key=None))),
    Damage("bench/table.parquet", "gone", lambda data: None),
    Damage("bench/parts/fingerprint.json", "cut", _cut),
    Damage("bench/parts/fingerprint.json", "gone", lambda data: None),
    Damage("bench/older.parquet", "garbage", _garbage),
    Damage("bench/attacked.toml", "cut", _cut),
    Damage(_PART, "cut", _cut),
    Damage(_PART, "zeros", _zeros),
    Damage(_PART, "garbage", _garbage),
    Damage(_PART, "one of two metrics", _as_frame(lambda t: t[:1])),
    Damage(_PART, "short rows", _as_frame(lambda t: t.iloc[:, :5])),
    Damage(_PART, "words for values", _as_frame(lambda t: t.assign(value="x"))),
    Damage(_PART, "no rows", _as_frame(lambda t: t.iloc[:0])),
    Damage(_PART, "another trial", _as_frame(lambda t: t.assign(key="another"))),
    Damage(_PART, "a flipped bit", _flip),
    Damage(_SCORES, "cut", _cut),
    Damage(_SCORES, "empty", _empty),
    Damage(_SCORES, "no scores", _as_frame(lambda t: t.drop(columns="score"))),
    Damage(_SCORES, "missing scores", _as_frame(lambda t: t.assign(score=float("nan")))),
    Damage(_SCORES, "half of the firms", _as_frame(lambda t: t.iloc[::2])),
    Damage("misstatement/scores/fingerprint.json", "cut", _cut),
    Damage("misstatement/scores/fingerprint.json", "another kind", lambda data: b"[1, 2]"),
    Damage("misstatement/about.json", "empty", _empty),
    Damage("misstatement/table.parquet", "garbage", _garbage),
)
