"""Tables as files: read without changing a cell, written whole or not at all."""

import codecs
import io
import os
from pathlib import Path
from typing import Any, BinaryIO

from lopsided._files import atomic_write, check_new_file, check_readable
from lopsided._terminal import quote
from lopsided._validation import RepeatedNameError
from lopsided._warnings import warn
from lopsided.exceptions import MissingExtraError
from lopsided.workflow.tables._arrow import read_feather, read_parquet
from lopsided.workflow.tables._content import TableError, recognize
from lopsided.workflow.tables._csv import read_csv, write_csv
from lopsided.workflow.tables._encoding import as_utf8
from lopsided.workflow.tables._excel import read_excel
from lopsided.workflow.tables._frames import as_frame
from lopsided.workflow.tables._packing import open_text, packing_of, unpack
from lopsided.workflow.tables._separator import find_separator
from lopsided.workflow.tables._spreadsheet import escape_formulas
from lopsided.workflow.tables._text_format import TextFormat, find_format

__all__ = [
    "atomic_write",
    "check_output",
    "format_csv",
    "read_frame",
    "read_table",
    "read_with_format",
    "write_table",
]

_KINDS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_WRITTEN = ("csv", "tsv", "parquet", "feather")
_SEPARATORS = {"csv": ",", "tsv": "\t"}
_STREAMS = (Path("/dev"), Path("/dev/fd"))  # stdin, or 63 for what a shell substitutes


def read_table(
    path: str | os.PathLike[str],
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> Any:
    """Read a csv, parquet, feather or Excel file into a pandas frame.

    The cells of a csv stay the text they are, so that ids and codes come out as they went in;
    `TableCleaner` finds out what they mean. Row labels of a parquet file become columns if
    they have a name, and the frame's index otherwise.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt (which .gz, .bz2, .xz or .zip may follow), .parquet, .feather,
        .arrow or .xlsx; a pipe may have no suffix at all, and is read once.
    separator : str, optional
        What stands between the cells of a text file; None finds out: commas, semicolons, tabs
        or vertical bars.
    encoding : str, optional
        The encoding of a text file; None finds out: UTF-8, UTF-16 or, with a warning, that of
        western Windows.
    sheet : str or int, optional
        The sheet of an Excel workbook, by name or number from 0; None is the first.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> from lopsided.workflow.tables import TextFormat
    >>> claims = pd.DataFrame({"claim": ["007", "008"], "amount": [1250.5, 12.4]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(claims, f"{folder}/claims.csv", TextFormat(separator=";", decimal=","))
    ...     table = read_table(f"{folder}/claims.csv")
    >>> table.iloc[0].tolist()  # still text: `TableCleaner` reads numbers
    ['007', '1250,5']
    """
    return _read(path, separator, encoding, sheet)[0]


def read_with_format(
    path: str | os.PathLike[str],
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> tuple[Any, TextFormat | None]:
    """Return a table as `read_table` does, and how it is written if it is a text file.

    Parameters
    ----------
    path : path
        As in `read_table`.
    separator, encoding : str or None, default=None
        As in `read_table`.
    sheet : str, int or None, default=None
        As in `read_table`.

    Returns
    -------
    tuple of DataFrame and TextFormat
        None instead of the format where the file is none of text.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> from lopsided.workflow.tables import TextFormat
    >>> claims = pd.DataFrame({"claim": ["007", "008"], "amount": [1250.5, 12.4]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(claims, f"{folder}/claims.csv", TextFormat(separator=";", decimal=","))
    ...     read_with_format(f"{folder}/claims.csv")[1]
    TextFormat(separator=';', decimal=',', mark=True)
    """
    frame, look = _read(path, separator, encoding, sheet)
    return frame, None if look is None else find_format(frame, *look)


def _read(
    path: str | os.PathLike[str],
    separator: str | None,
    encoding: str | None,
    sheet: str | int | None,
) -> tuple[Any, tuple[str, bool] | None]:
    """Return a table; of a text file also its separator, and whether a mark says UTF-8."""
    file, look = Path(path), None
    check_readable(path)
    if not (file.is_file() or file.is_fifo()):
        raise ValueError(f"{file} is neither a file nor a pipe. Give a csv or parquet file.")
    nameless = not file.suffix and (file.is_fifo() or file.parent in _STREAMS)
    kind = "csv" if nameless else _kind(file)
    _check_options(kind, separator, encoding, sheet)
    with _open_bytes(file) as source:
        # A pipe gives what it has only once, and tables are looked at more than once.
        stream = io.BytesIO(source.read()) if file.is_fifo() else source
        if nameless:
            kind = "parquet" if stream.read(4) == b"PAR1" else "csv"
            stream.seek(0)
        try:
            if kind in _SEPARATORS:
                frame, look = _read_text(stream, file, kind, separator, encoding)
            else:
                frame = _read_typed(stream, kind, sheet)
        except MissingExtraError:
            raise
        except RepeatedNameError as error:
            raise ValueError(f"{file}: {error}") from None
        except Exception as error:  # whatever a broken file makes a reader raise
            raise ValueError(_explain(file, kind, stream, error)) from None
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if not len(frame):
        raise ValueError(
            f"{file} must hold rows, got none. Give a table with a header and rows."
        )
    return frame, look


def _open_bytes(file: Path) -> BinaryIO:
    try:
        return open(file, "rb")
    except OSError as error:
        raise OSError(
            f"{file} cannot be opened: {error.strerror}. Make it readable, or give another."
        ) from None


def _check_options(kind: str, separator: Any, encoding: Any, sheet: Any) -> None:
    text = kind in _SEPARATORS
    for name, given, fits in [
        ("separator", separator, text),
        ("encoding", encoding, text),
        ("sheet", sheet, kind == "xlsx"),
    ]:
        if given is not None and not fits:
            wanted = "Excel workbooks" if name == "sheet" else "text files"
            raise ValueError(f"{name} is for {wanted}, got {quote(given)} for a {kind} file.")
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1):
        raise ValueError(f"separator must be one character, got {quote(separator)}.")


def _read_typed(stream: Any, kind: str, sheet: str | int | None) -> Any:
    if kind == "xlsx":
        return read_excel(stream, sheet)
    return read_parquet(stream) if kind == "parquet" else read_feather(stream)


def _read_text(
    stream: Any, file: Path, kind: str, separator: str | None, encoding: str | None
) -> tuple[Any, tuple[str, bool]]:
    with unpack(stream, packing_of(file)) as plain:
        text, guessed = as_utf8(plain, encoding)
        text.seek(0)
        marked = text.read(3) == codecs.BOM_UTF8
        separator = separator or find_separator(text, _SEPARATORS[kind])
        frame = read_csv(text, separator)
    if guessed is not None:
        warn(
            f"{file} is not UTF-8 text and was read as {guessed}. Name its encoding "
            "(encoding=...) if letters look wrong.",
        )
    return frame, (separator, marked)


def _explain(file: Path, kind: str, stream: Any, error: Exception) -> str:
    """Return why a file could not be read: it is of another kind, or what the reader says."""
    content, wanted = recognize(stream), packing_of(file) or kind
    is_book = kind == "xlsx" and content is not None and content.kind == ".zip"
    if content is not None and content.kind != wanted and not is_book:
        name = wanted.removeprefix(".")
        return f"{file} must be a {name} file, got {content.what}. {content.advice}"
    if isinstance(error, UnicodeError):
        return f"{file} is not text of the encoding that was named or found. Save it as UTF-8."
    shown = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, TableError):
        shown = f"{shown.removesuffix('.')}. Copy the whole file, or save the table anew."
    article = "an" if kind == "xlsx" else "a"
    return f"{file} could not be read as {article} {kind} file: {shown}"


def read_frame(table: Any) -> Any:
    """Return a pandas frame: of the file that a path names, or of any library's data frame.

    Parameters
    ----------
    table : path or data frame
        See `read_table` for files; pandas, polars (lazy too) and pyarrow for frames.

    Examples
    --------
    >>> import pyarrow
    >>> read_frame(pyarrow.table({"amount": [12.5, 3.0]}))["amount"].tolist()
    [12.5, 3.0]
    """
    if isinstance(table, (str, os.PathLike)):
        return read_table(table)
    frame = as_frame(table)
    if not len(frame):
        raise ValueError("The table must hold rows, got none. Give one with rows.")
    return frame


def check_output(path: str | os.PathLike[str], *sources: str | os.PathLike[str]) -> None:
    """Raise an error now if a table cannot be written to `path` later, or must not be.

    Parameters
    ----------
    path : path
        Where a table is to be written.
    *sources : path
        Tables that it is made from, which must not be written over.

    Examples
    --------
    >>> check_output("ranked.csv", "claims.csv")
    >>> check_output("ranked.pdf")
    Traceback (most recent call last):
        ...
    ValueError: ranked.pdf must end in .csv, .tsv, .parquet or .feather. Rename or convert it.
    """
    file = Path(path)
    if not os.fspath(path) or os.path.isdir(file):
        check_new_file(path)  # says which
    kind = _kind(file, _WRITTEN)
    if kind not in _SEPARATORS and packing_of(file):
        raise ValueError(f"{file}: {kind} is packed already. Leave out {file.suffix}.")
    for source in filter(os.path.exists, sources if os.path.exists(file) else ()):
        if os.path.samefile(file, source):
            raise ValueError(f"{file} is the table itself. Write to another file.")
    check_new_file(file)


def write_table(
    frame: Any,
    path: str | os.PathLike[str],
    text_format: TextFormat | None = None,
    *,
    spreadsheet_safe: bool = False,
) -> None:
    """Write a frame as csv, tsv, parquet or feather, whole or not at all.

    Cells are written as they are, also text such as "=1+1", which a spreadsheet that opens a
    text file takes for a formula.

    Parameters
    ----------
    frame : DataFrame
        The table.
    path : path
        Its name says which kind of file it is.
    text_format : TextFormat or None, default=None
        How a text file is written; None is commas, decimal points and no mark. Tabs stand
        between the cells of a tsv file in any case.
    spreadsheet_safe : bool, default=False
        Whether texts, in cells and as names of columns, that begin with =, +, -, @, a tab or
        the end of a line get an apostrophe in front; texts that are numbers get none.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> table = pd.DataFrame({"id": ["C-1", "C-2"], "score": [1.5, -0.25]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(table, f"{folder}/ranked.parquet")
    ...     read_table(f"{folder}/ranked.parquet").shape
    (2, 2)
    """
    file = Path(path)
    kind = _kind(file, _WRITTEN)
    if spreadsheet_safe:
        frame = escape_formulas(frame)
    with atomic_write(file) as draft:
        if kind == "parquet":
            frame.to_parquet(draft, index=False)
            return
        if kind == "feather":
            frame.reset_index(drop=True).to_feather(draft)
            return
        form = _check_format(text_format)
        form = form._replace(separator="\t") if kind == "tsv" else form
        with open_text(draft, packing_of(file), file.stem) as stream:
            stream.write("\ufeff" * form.mark)
            write_csv(frame, stream, form.separator, form.decimal)


def format_csv(frame: Any, text_format: TextFormat | None = None) -> str:
    """Return a frame as the text of a csv file, without a mark; see `write_table`.

    Parameters
    ----------
    frame : DataFrame
        The table.
    text_format : TextFormat or None, default=None
        How it is written; None is commas and decimal points.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> print(format_csv(pd.DataFrame({"id": ["C-1", "C-2"], "score": [1.5, -0.25]})), end="")
    id,score
    C-1,1.5
    C-2,-0.25
    """
    text, form = io.StringIO(), _check_format(text_format)
    write_csv(frame, text, form.separator, form.decimal)
    return text.getvalue()


def _check_format(text_format: Any) -> TextFormat:
    """Return a format, commas and decimal points if there is none."""
    if text_format is None:
        return TextFormat()
    if not isinstance(text_format, TextFormat):
        raise ValueError(
            f"text_format must be a TextFormat or None, got {quote(text_format)}. Leave it "
            'out, or pass TextFormat(";", ",").'
        )
    return text_format


def _kind(file: Path, kinds: tuple[str, ...] = (*_WRITTEN, "xlsx")) -> str:
    """Return what a file is by its name, one of some kinds."""
    table = file.with_suffix("") if packing_of(file) else file
    kind = _KINDS.get(table.suffix.lower())
    if kind not in kinds:
        wanted = ", ".join(f".{name}" for name in kinds[:-1])
        raise ValueError(f"{file} must end in {wanted} or .{kinds[-1]}. Rename or convert it.")
    return kind
