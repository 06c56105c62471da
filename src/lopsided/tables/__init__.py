"""A user's table: read from a file, turned into labels and features, written whole."""

from lopsided.tables.features import TableTask, find_columns, prepare
from lopsided.tables.files import (
    atomic_write,
    check_output,
    format_csv,
    read_table,
    write_table,
)

__all__ = [
    "TableTask",
    "atomic_write",
    "check_output",
    "find_columns",
    "format_csv",
    "prepare",
    "read_table",
    "write_table",
]
