"""A user's table: read from a file, cleaned into labels and features, written whole."""

from lopsided._files import hold_folder
from lopsided.workflow.tables._cells import is_missing, spell
from lopsided.workflow.tables._spreadsheet import escape_formulas, map_texts, unescape_formulas
from lopsided.workflow.tables._text_format import TextFormat
from lopsided.workflow.tables.cleaner import CleanedColumn, TableCleaner
from lopsided.workflow.tables.columns import find_columns
from lopsided.workflow.tables.files import (
    atomic_write,
    check_output,
    format_csv,
    read_frame,
    read_table,
    read_with_format,
    write_table,
)
from lopsided.workflow.tables.labels import (
    is_blank,
    is_unreviewed,
    read_labels,
    read_names,
    read_texts,
    same_value,
)
from lopsided.workflow.tables.parse_problems import ParseProblem, find_parse_problems

__all__ = [
    "CleanedColumn",
    "ParseProblem",
    "TableCleaner",
    "TextFormat",
    "atomic_write",
    "check_output",
    "escape_formulas",
    "find_columns",
    "find_parse_problems",
    "format_csv",
    "hold_folder",
    "is_blank",
    "is_missing",
    "is_unreviewed",
    "map_texts",
    "read_frame",
    "read_labels",
    "read_names",
    "read_table",
    "read_texts",
    "read_with_format",
    "same_value",
    "spell",
    "unescape_formulas",
    "write_table",
]
