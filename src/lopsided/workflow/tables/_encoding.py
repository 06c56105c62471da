"""The encoding of text files: named, marked at their beginning, or told from their bytes."""

import codecs
import io
from typing import Any, BinaryIO, NamedTuple

from lopsided.workflow.tables._content import TableError, recognize

_BLOCK = 2**20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN = ("cp1252", "latin-1")  # the second takes any byte


class Decoded(NamedTuple):
    """A text file as UTF-8, and the encoding that had to be guessed, if one had."""

    stream: Any
    guessed: str | None = None


def as_utf8(stream: BinaryIO, encoding: str | None) -> Decoded:
    """Return a stream of UTF-8 for one of any encoding; where none is named, it is found."""
    if encoding is not None:
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise TableError(
                f"no encoding is called {encoding!r}. Name one such as 'utf-8' or 'cp1252'."
            ) from None
        return Decoded(_recode(stream, encoding))
    stream.seek(0)
    if stream.read(2) in _UTF16:
        return Decoded(_recode(stream, "utf-16"))
    if _is_utf8(stream):
        return Decoded(stream)
    if recognize(stream) is not None:  # no text at all, of which the caller says more
        raise UnicodeError("not text")
    for guessed in _WESTERN:
        try:
            return Decoded(_recode(stream, guessed), guessed)
        except UnicodeDecodeError:
            continue
    raise UnicodeError("not text")


def _is_utf8(stream: BinaryIO) -> bool:
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block := stream.read(_BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _recode(stream: BinaryIO, encoding: str) -> BinaryIO:
    stream.seek(0)
    return io.BytesIO(stream.read().decode(encoding).removeprefix("\ufeff").encode())
