"""The paper's tables, ADBench's, and those that lopsided brings along."""

from lopsided_bench.entries import Entry, describe, list_datasets, list_entries
from lopsided_bench.loading import DatasetNotFoundError, load
from lopsided_bench.sources import ChecksumError

__all__ = [
    "ChecksumError",
    "DatasetNotFoundError",
    "Entry",
    "describe",
    "list_datasets",
    "list_entries",
    "load",
]
