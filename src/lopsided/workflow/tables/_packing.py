"""Packed text tables: what a file holds is read, and written the same whenever it is."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from lopsided.workflow.tables._content import TableError

_OPENERS: Any = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_PACKED = (".gz", ".bz2", ".xz", ".zip")


def packing_of(file: Path) -> str:
    """Return the suffix of a packed file, else nothing."""
    suffix = file.suffix.lower()
    return suffix if suffix in _PACKED else ""


@contextmanager
def unpack(stream: BinaryIO, packing: str) -> Iterator[Any]:
    """Give what a packed stream holds, as a stream that can be read more than once."""
    if not packing:
        yield stream
    elif packing == ".zip":
        with zipfile.ZipFile(stream) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(names) != 1:
                raise TableError(
                    f"it must hold one file, got {len(names)}. Pack the table alone."
                )
            with archive.open(names[0]) as entry:
                yield entry
    else:
        with _OPENERS[packing](stream, "rb") as plain:
            yield plain


@contextmanager
def open_text(path: Path, packing: str, member: str) -> Iterator[TextIO]:
    """Open a file, or the only member of an archive, for text that keeps its line ends.

    The same text makes the same file: packed ones hold neither the time nor their first name.
    """
    raw: Any
    with ExitStack() as stack:
        if packing == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(path, "w"))
            info = zipfile.ZipInfo(member)  # of the year 1980
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            raw = stack.enter_context(archive.open(info, "w", force_zip64=True))
        elif packing == ".gz":
            file = stack.enter_context(open(path, "wb"))
            raw = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        else:
            raw = stack.enter_context(_OPENERS[packing](path, "wb"))
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        yield stack.enter_context(text)
