"""Tables as files: read without changing a cell, written whole or not at all."""

import csv
import os
import warnings
from pathlib import Path
from typing import Any

from lopsided._files import check_writable, write_whole

__all__ = ["check_output", "read_table", "write_table"]

_PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zip": "zip"}
_KINDS = {".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet"}


def read_table(path: str | os.PathLike[str]) -> Any:
    """Read a csv or parquet file into a pandas frame.

    The cells of a csv stay the text they are, so that ids and codes come out as they went in;
    `lopsided.features.prepare` finds out what they mean.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt (which .gz, .bz2, .xz or .zip may follow) or .parquet.
    """
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder. Give the path of a csv or parquet file.")
    if not file.exists():
        raise FileNotFoundError(
            f"There is no file {file}. Give the path of a csv or parquet file."
        )
    kind = _kind(file)
    try:
        frame = _read_parquet(file) if kind == "parquet" else _read_csv(file, kind)
    except UnicodeError:
        raise ValueError(f"{file} is not UTF-8 text. Save it with that encoding.") from None
    except Exception as error:  # whatever a broken file makes a reader raise
        reason = str(error).strip().splitlines()
        shown = reason[0] if reason else type(error).__name__
        raise ValueError(f"{file} could not be read as a {kind} file: {shown}") from None
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if not len(frame):
        raise ValueError(
            f"{file} must hold rows, got none. Give a table with a header and rows."
        )
    return frame


def _read_parquet(file: Path) -> Any:
    import pandas as pd

    frame = pd.read_parquet(file)
    return frame.reset_index() if frame.index.name is not None else frame


def _read_csv(file: Path, kind: str) -> Any:
    import pandas as pd

    separator = "\t" if kind == "tsv" else ","
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                file, sep=separator, dtype=str, na_filter=False, index_col=False
            )
        except (pd.errors.ParserWarning, pd.errors.ParserError) as error:
            raise ValueError(
                f"rows have more fields than the header ({error}). Quote cells that hold "
                f"{separator!r} and end no row with it."
            ) from None
        except pd.errors.EmptyDataError:
            raise ValueError("it is empty. Give a table with a header and rows.") from None
    if len(frame.columns) == 1 and any(mark in frame.columns[0] for mark in ";\t|"):
        raise ValueError("its columns are not separated by commas. Save it with commas.")
    if file.suffix.lower() not in _PACKED and _is_cut_off(file, separator, len(frame.columns)):
        raise ValueError("it ends in the middle of a row. Copy the whole file.")
    return frame


def _is_cut_off(file: Path, separator: str, n_columns: int) -> bool:
    """Say whether the last line lacks both fields and the mark of its end."""
    with open(file, "rb") as stream:
        stream.seek(max(file.stat().st_size - 2**16, 0))
        tail = stream.read().decode(errors="replace")
    if not tail or tail[-1] in "\r\n":
        return False
    last = next(csv.reader([tail.splitlines()[-1]], delimiter=separator), [])
    return len(last) < n_columns


def check_output(path: str | os.PathLike[str], source: str | os.PathLike[str]) -> None:
    """Raise an error now if a table cannot be written to `path` later, or must not be."""
    file = Path(path)
    if _kind(file) == "parquet" and file.suffix.lower() in _PACKED:
        raise ValueError(f"{file}: parquet is packed already. Leave out {file.suffix}.")
    if os.path.exists(file) and os.path.samefile(file, source):
        raise ValueError(f"{file} is the table itself. Write to another file.")
    check_writable(file)


def write_table(frame: Any, path: str | os.PathLike[str]) -> None:
    """Write a frame as csv or parquet, whole or not at all."""
    file = Path(path)
    kind = _kind(file)
    with write_whole(file) as draft:
        if kind == "parquet":
            frame.to_parquet(draft, index=False)
            return
        method = _PACKED.get(file.suffix.lower())
        packing: Any = {"method": method} if method else None
        if method == "zip":
            packing["archive_name"] = file.stem
        separator = "\t" if kind == "tsv" else ","
        frame.to_csv(draft, index=False, sep=separator, compression=packing)


def _kind(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _KINDS:
        raise ValueError(f"{file} must end in .csv, .tsv or .parquet. Rename or convert it.")
    return _KINDS[suffixes[-1]]
