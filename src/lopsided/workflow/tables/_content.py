"""What a file holds, by its first bytes, whatever its name says."""

from typing import BinaryIO, NamedTuple


class TableError(ValueError):
    """What is wrong with a table, in a sentence that says what to do."""


class Content(NamedTuple):
    """What a file is that was taken for a table of another kind."""

    kind: str  # "parquet", "feather", the suffix of what is packed, or none
    what: str
    advice: str


_CONVERT = "Save the table as csv or parquet."
_UNREADABLE = Content("", "binary data", _CONVERT)
_MAGIC = {
    b"PAR1": Content("parquet", "a parquet file", "Rename it to end in .parquet."),
    b"\x1f\x8b": Content(".gz", "a gzip file", "Rename it to end in .csv.gz."),
    b"BZh": Content(".bz2", "a bzip2 file", "Rename it to end in .csv.bz2."),
    b"\xfd7zXZ\x00": Content(".xz", "an xz file", "Rename it to end in .csv.xz."),
    b"PK\x03\x04": Content(
        ".zip",
        "a zip archive, which Excel workbooks are too",
        "Rename it to end in .csv.zip or .xlsx, or save the sheet as csv.",
    ),
    b"\xd0\xcf\x11\xe0": Content("", "an old Excel workbook", "Save the sheet as csv."),
    b"\x28\xb5\x2f\xfd": Content("", "a zstd file", "Unpack it."),
    b"ARROW1": Content("feather", "an Arrow file", "Rename it to end in .feather."),
    b"SQLite format 3": Content("", "an SQLite database", _CONVERT),
    b"\x89HDF": Content("", "an HDF5 file", _CONVERT),
    b"%PDF": Content("", "a PDF document", _CONVERT),
    b"\xff\xfe": Content("", "UTF-16 text", "Save it as UTF-8."),
    b"\xfe\xff": Content("", "UTF-16 text", "Save it as UTF-8."),
}


def recognize(stream: BinaryIO) -> Content | None:
    """Return what a stream that could not be read holds; None if its bytes do not say."""
    stream.seek(0)
    head = stream.read(4096)
    for magic, content in _MAGIC.items():
        if head.startswith(magic):
            return content
    try:
        head[:-4].decode()  # the last character may be cut
    except UnicodeDecodeError:
        return _UNREADABLE if b"\0" in head else None
    return None
