"""Universal Binary JSON, as much of it as XGBoost writes: whole, typed arrays as NumPy's."""

from typing import Any

import numpy as np

from lopsided.store.container import Refused

_NUMBERS = {b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4"}
_NUMBERS[b"D"] = ">f8"
_MARKS = {np.dtype(name): mark for mark, name in _NUMBERS.items()}
_MAX_DEPTH = 32


def decode(data: bytes) -> Any:
    """Return the value that bytes stand for: dicts, lists, arrays, text and scalars.

    A number is a NumPy scalar of its own size, so that `encode` gives the same bytes again.
    """
    reader = _Reader(data)
    value = reader.value(reader.take(1), 0)
    if reader.place != len(data):
        raise Refused("must have trees that end where their file does")
    return value


def encode(value: Any) -> bytes:
    """Return the bytes of a value as `decode` returns it."""
    if isinstance(value, dict):
        parts = [_text(key) + encode(own) for key, own in value.items()]
        return b"{" + b"".join(parts) + b"}"
    if isinstance(value, np.ndarray):
        return b"[$" + _MARKS[value.dtype] + b"#L" + _count(len(value)) + value.tobytes()
    if isinstance(value, list):
        return b"[#L" + _count(len(value)) + b"".join(map(encode, value))
    if isinstance(value, str):
        return b"S" + _text(value)
    if isinstance(value, bool):
        return b"T" if value else b"F"
    number = np.asarray(value, value.dtype.newbyteorder(">"))
    return _MARKS[number.dtype] + number.tobytes()


def _count(number: int) -> bytes:
    return number.to_bytes(8, "big", signed=True)


def _text(text: str) -> bytes:
    data = text.encode()
    return b"L" + _count(len(data)) + data


class _Reader:
    """A place in the bytes, which no length may lead beyond."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if not 0 <= count <= len(self.data) - self.place:
            raise Refused("must have trees that end where their file does")
        self.place += count
        return self.data[self.place - count : self.place]

    def count(self) -> int:
        """Return a length, which is always written in 8 bytes."""
        self.expect(b"L")
        return int.from_bytes(self.take(8), "big", signed=True)

    def expect(self, mark: bytes) -> None:
        """Go past a mark that must be there."""
        if self.take(1) != mark:
            raise Refused("must have trees as XGBoost writes them")

    def value(self, mark: bytes, depth: int) -> Any:
        """Return the value that starts with a mark."""
        if depth > _MAX_DEPTH:
            raise Refused("must have trees as XGBoost writes them, got too deep a file")
        if mark == b"{":
            return self.mapping(depth)
        if mark == b"[":
            return self.array(depth)
        if mark == b"S":
            return self.take(self.count()).decode()
        if mark in (b"T", b"F"):
            return mark == b"T"
        if mark not in _NUMBERS:
            raise Refused("must have trees as XGBoost writes them")
        kind = np.dtype(_NUMBERS[mark])
        return np.frombuffer(self.take(kind.itemsize), kind)[0]

    def mapping(self, depth: int) -> dict[str, Any]:
        """Return a dict, whose keys differ."""
        found: dict[str, Any] = {}
        while self.data[self.place : self.place + 1] != b"}":
            key = self.take(self.count()).decode()
            if key in found:
                raise Refused("must have trees as XGBoost writes them, got a key twice")
            found[key] = self.value(self.take(1), depth + 1)
        self.expect(b"}")
        return found

    def array(self, depth: int) -> Any:
        """Return an array of numbers of one type, or a list."""
        mark = self.take(1)
        kind = None
        if mark == b"$":
            kind = np.dtype(_NUMBERS.get(self.take(1), "V1"))
            mark = self.take(1)
        if mark != b"#" or kind == np.dtype("V1"):
            raise Refused("must have trees as XGBoost writes them")
        count = self.count()
        if kind is not None:
            return np.frombuffer(self.take(count * kind.itemsize), kind)
        if count > len(self.data):
            raise Refused("must have trees that end where their file does")
        return [self.value(self.take(1), depth + 1) for _ in range(count)]
