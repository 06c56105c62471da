"""Packed files: read as what they hold, written as text."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

__all__ = ["PACKED", "open_packed_text", "unpack"]

PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zip": "zip"}
_OPENERS: Any = {None: open, "gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}


@contextmanager
def unpack(stream: BinaryIO, packing: str | None) -> Iterator[Any]:
    """Give what a packed stream holds, as a stream that can be read more than once.

    Parameters
    ----------
    stream : binary stream
        Can be read from its beginning more than once.
    packing : str or None
        A value of `PACKED`; None gives the stream itself.
    """
    if packing is None:
        yield stream
    elif packing == "zip":
        with zipfile.ZipFile(stream) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            if len(names) != 1:
                raise ValueError(
                    f"it must hold one file, got {len(names)}. Pack the table alone."
                )
            with archive.open(names[0]) as entry:
                yield entry
    else:
        with _OPENERS[packing](stream, "rb") as plain:
            yield plain


@contextmanager
def open_packed_text(path: Path, packing: str | None, member: str) -> Iterator[TextIO]:
    """Open a file for text whose line ends stay as they are, packed or not.

    Parameters
    ----------
    path : Path
        Where to write.
    packing : str or None
        A value of `PACKED`, or None.
    member : str
        The name of the file inside a zip archive.
    """
    if packing == "zip":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open(member, "w", force_zip64=True) as entry,
            io.TextIOWrapper(entry, encoding="utf-8", newline="") as stream,
        ):
            yield stream
        return
    with _OPENERS[packing](path, "wt", encoding="utf-8", newline="") as stream:
        yield stream
