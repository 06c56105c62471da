"""Tables as files: read without changing a cell, written whole or not at all."""

import bz2
import gzip
import io
import lzma
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from lopsided._files import atomic_write, check_writable
from lopsided.tables._csv import read_csv, write_csv
from lopsided.tables._parquet import read_parquet

__all__ = ["atomic_write", "check_output", "format_csv", "read_table", "write_table"]

_KINDS = {".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_OPENERS: Any = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_PACKED = (".gz", ".bz2", ".xz", ".zip")
_STREAMS = (Path("/dev"), Path("/dev/fd"))  # stdin, or 63 for what a shell substitutes


def read_table(path: str | os.PathLike[str]) -> Any:
    """Read a csv or parquet file into a pandas frame.

    The cells of a csv stay the text they are, so that ids and codes come out as they went in;
    `prepare` finds out what they mean. Row labels of a parquet file become
    columns if they have a name, and the frame's index otherwise.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt (which .gz, .bz2, .xz or .zip may follow) or .parquet; a pipe
        may have no suffix at all, and is read once.
    """
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder. Give the path of a csv or parquet file.")
    if not file.exists():
        raise FileNotFoundError(
            f"There is no file {file}. Give the path of a csv or parquet file."
        )
    if not (file.is_file() or file.is_fifo()):
        raise ValueError(f"{file} is neither a file nor a pipe. Give a csv or parquet file.")
    nameless = not file.suffix and (file.is_fifo() or file.parent in _STREAMS)
    kind = "csv" if nameless else _kind(file)
    try:
        with open(file, "rb") as source:
            # A pipe gives what it has only once, and tables are looked at more than once.
            stream = io.BytesIO(source.read()) if file.is_fifo() else source
            if nameless:
                kind = "parquet" if stream.read(4) == b"PAR1" else "csv"
                stream.seek(0)
            if kind == "parquet":
                frame = read_parquet(stream)
            else:
                with _unpack(stream, _packing(file)) as plain:
                    frame = read_csv(plain, _SEPARATORS[kind])
    except UnicodeError:
        raise ValueError(f"{file} is not UTF-8 text. Save it with that encoding.") from None
    except Exception as error:  # whatever a broken file makes a reader raise
        shown = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{file} could not be read as a {kind} file: {shown}") from None
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if not len(frame):
        raise ValueError(
            f"{file} must hold rows, got none. Give a table with a header and rows."
        )
    return frame


@contextmanager
def _unpack(stream: BinaryIO, packing: str) -> Iterator[Any]:
    """Give what a packed stream holds, as a stream that can be read more than once."""
    if not packing:
        yield stream
    elif packing == ".zip":
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


def check_output(path: str | os.PathLike[str], source: str | os.PathLike[str]) -> None:
    """Raise an error now if a table cannot be written to `path` later, or must not be."""
    file = Path(path)
    if _kind(file) == "parquet" and _packing(file):
        raise ValueError(f"{file}: parquet is packed already. Leave out {file.suffix}.")
    if os.path.exists(file) and os.path.samefile(file, source):
        raise ValueError(f"{file} is the table itself. Write to another file.")
    check_writable(file)


def write_table(frame: Any, path: str | os.PathLike[str]) -> None:
    """Write a frame as csv or parquet, whole or not at all."""
    file = Path(path)
    kind = _kind(file)
    with atomic_write(file) as draft:
        if kind == "parquet":
            frame.to_parquet(draft, index=False)
            return
        with _open_text(draft, _packing(file), file.stem) as stream:
            write_csv(frame, stream, _SEPARATORS[kind])


@contextmanager
def _open_text(path: Path, packing: str, member: str) -> Iterator[TextIO]:
    """Open a file, or the only member of an archive, for text that keeps its line ends."""
    if packing == ".zip":
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
            archive.open(member, "w", force_zip64=True) as entry,
            io.TextIOWrapper(entry, encoding="utf-8", newline="") as stream,
        ):
            yield stream
    else:
        with _OPENERS[packing](path, "wt", encoding="utf-8", newline="") as stream:
            yield stream


def format_csv(frame: Any) -> str:
    """Return a frame as the text of a csv file."""
    text = io.StringIO()
    write_csv(frame, text)
    return text.getvalue()


def _packing(file: Path) -> str:
    suffix = file.suffix.lower()
    return suffix if suffix in _PACKED else ""


def _kind(file: Path) -> str:
    table = file.with_suffix("") if _packing(file) else file
    if table.suffix.lower() not in _KINDS:
        raise ValueError(f"{file} must end in .csv, .tsv or .parquet. Rename or convert it.")
    return _KINDS[table.suffix.lower()]
