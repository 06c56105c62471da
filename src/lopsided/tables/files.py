"""Tables as files: read without changing a cell, written whole or not at all."""

import io
import os
from pathlib import Path
from typing import Any, BinaryIO

from lopsided._files import atomic_write, check_writable
from lopsided.tables._csv import read_csv, write_csv
from lopsided.tables._packed import PACKED, open_packed_text, unpack
from lopsided.tables._parquet import read_parquet

__all__ = ["atomic_write", "check_output", "format_csv", "read_table", "write_table"]

_KINDS = {".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_SEPARATORS = {"csv": ",", "tsv": "\t"}
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
            if nameless and _is_parquet(stream):
                kind = "parquet"
            frame = _read(stream, kind, PACKED.get(file.suffix.lower()))
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


def _read(stream: Any, kind: str, packing: str | None) -> Any:
    if kind == "parquet":
        return read_parquet(stream)
    with unpack(stream, packing) as plain:
        return read_csv(plain, _SEPARATORS[kind])


def _is_parquet(stream: BinaryIO) -> bool:
    start = stream.read(4)
    stream.seek(0)
    return start == b"PAR1"


def check_output(path: str | os.PathLike[str], source: str | os.PathLike[str]) -> None:
    """Raise an error now if a table cannot be written to `path` later, or must not be."""
    file = Path(path)
    if _kind(file) == "parquet" and file.suffix.lower() in PACKED:
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
        with open_packed_text(draft, PACKED.get(file.suffix.lower()), file.stem) as stream:
            write_csv(frame, stream, _SEPARATORS[kind])


def format_csv(frame: Any) -> str:
    """Return a frame as the text of a csv file."""
    text = io.StringIO()
    write_csv(frame, text)
    return text.getvalue()


def _kind(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _KINDS:
        raise ValueError(f"{file} must end in .csv, .tsv or .parquet. Rename or convert it.")
    return _KINDS[suffixes[-1]]
